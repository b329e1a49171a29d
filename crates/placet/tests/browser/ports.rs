//! Cookies know no ports: whatever else listens on this machine, such as the preview of a page that an agent has made, is
//! given those of its name. Here such a server takes what it gets and tries to answer a hold with it.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use std::{
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::mpsc,
    thread,
    time::Duration,
};

use serde_json::json;

use crate::{
    place::{Place, risky},
    tab::Tab,
};

/// A server of an agent, which keeps the heads of the requests that it gets.
struct Preview {
    address: SocketAddr,
    heads: mpsc::Receiver<String>,
}

impl Preview {
    fn start(address: &str) -> std::io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        let address = listener.local_addr()?;
        let (send, heads) = mpsc::channel();
        thread::spawn(move || {
            // A browser opens connections that it may not use: none keeps the others waiting.
            for stream in listener.incoming().flatten() {
                let send = send.clone();
                thread::spawn(move || serve(stream, &send));
            }
        });
        Ok(Self { address, heads })
    }

    /// The cookies that the browser sends when `tab` looks at the preview under this name.
    fn cookies(&self, tab: &Tab, name: &str) -> String {
        tab.open_address(&format!("http://{name}:{}/", self.address.port()));
        tab.see("My preview.");
        let head = self.heads.recv_timeout(Duration::from_secs(60)).unwrap();
        let lines = head.lines().filter_map(|line| line.split_once(": "));
        let cookies = lines.filter(|(name, _)| name.eq_ignore_ascii_case("cookie"));
        cookies.map(|(_, value)| value.to_owned()).collect::<Vec<_>>().join("; ")
    }
}

/// Answers the one request of a connection, and keeps its head.
fn serve(mut stream: TcpStream, heads: &mpsc::Sender<String>) {
    let (mut bytes, mut chunk) = (Vec::new(), [0; 4096]);
    while !bytes.windows(4).any(|end| end == b"\r\n\r\n") {
        match stream.read(&mut chunk) {
            Ok(0) | Err(_) => return,
            Ok(read) => bytes.extend_from_slice(&chunk[..read]),
        }
    }
    let head = String::from_utf8_lossy(&bytes).into_owned();
    let is_page = head.starts_with("GET / ");
    let page = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 20\r\nconnection: close\r\n\r\n<h1>My preview.</h1>";
    let none = "HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n";
    let _ = stream.write_all(if is_page { page } else { none }.as_bytes());
    if is_page {
        // A test that has ended wants no more.
        let _ = heads.send(head);
    }
}

/// What the service answers to a request with these cookies, asked under this name.
fn with_cookies(place: &Place, name: &str, cookies: &str, method: &str, path: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(place.address()).unwrap();
    let port = place.address().rsplit(':').next().unwrap();
    let cookies = if cookies.is_empty() { String::new() } else { format!("cookie: {cookies}\r\n") };
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nhost: {name}:{port}\r\nconnection: close\r\n{cookies}\
         content-type: application/x-www-form-urlencoded\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text
}

/// Tries to approve a hold with `cookies` alone, as pages and as programs do. Whether that was done.
fn approves(place: &Place, name: &str, cookies: &str, ticket: &str) -> bool {
    let page = with_cookies(place, name, cookies, "GET", &format!("/holds/{ticket}"), "");
    let csrf = page.split("name=\"csrf\" value=\"").nth(1).and_then(|rest| rest.split('"').next());
    let csrf = csrf.unwrap_or("").to_owned();
    let me = with_cookies(place, name, cookies, "GET", "/v1/me", "");
    let told =
        me.split("\"csrf\":\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or("").to_owned();
    for csrf in [csrf, told] {
        for (path, fields) in [
            (format!("/holds/{ticket}"), "answer=approve&from=%2F"),
            (format!("/holds/{ticket}/alike"), "answer=approve"),
            (format!("/v1/holds/{ticket}/approve"), "for=once"),
        ] {
            with_cookies(place, name, cookies, "POST", &path, &format!("{fields}&csrf={csrf}"));
        }
    }
    place.run(&["holds", "show", ticket]).contains("approved")
}

#[test]
fn a_preview_at_another_port_gets_no_cookie_that_opens_anything() {
    let place = Place::new();
    let ticket = place.call(&risky(1))["ticket"].as_str().unwrap().to_owned();
    let tab = place.operator();
    tab.see("1 call waits for you");
    let preview = Preview::start("127.0.0.1:0").unwrap();
    for name in ["127.0.0.1", "localhost"] {
        let cookies = preview.cookies(&tab, name);
        assert!(!approves(&place, name, &cookies, &ticket), "with `{cookies}` of {name}");
        assert_eq!(cookies, "", "{name}");
    }
}

/// The name that the pages of `place` have, without its port.
fn name_of(place: &Place) -> String {
    place.pages().trim_start_matches("http://").split(':').next().unwrap().to_owned()
}

#[test]
fn with_the_name_known_a_preview_gets_half_a_session_and_approves_nothing() {
    let place = Place::new();
    let ticket = place.call(&risky(1))["ticket"].as_str().unwrap().to_owned();
    let tab = place.operator();
    tab.see("1 call waits for you");
    let (name, preview) = (name_of(&place), Preview::start("127.0.0.1:0").unwrap());
    assert!(name.ends_with(".localhost") && name.len() > 20, "{name}");
    let cookies = preview.cookies(&tab, &name);
    assert!(cookies.starts_with("placet="), "browsers send it to each port of the name: `{cookies}`");
    // What is stored belongs to one port, so a page at another does not find it.
    assert_eq!(
        tab.ask("return [localStorage.length, sessionStorage.length, document.cookie]", json!([])),
        json!([0, 0, ""])
    );
    assert!(with_cookies(&place, &name, &cookies, "GET", "/holds", "").contains(&ticket), "it reads");
    assert!(!approves(&place, &name, &cookies, &ticket));
    // Nor does the browser do it for the page of the preview.
    let port = place.address().rsplit(':').next().unwrap();
    let service = format!("http://{name}:{port}");
    for answer in ["approve", "deny"] {
        let form = "const [action, answer] = arguments; \
                    return fetch(action, {method: 'POST', mode: 'no-cors', credentials: 'include', \
                    body: new URLSearchParams({answer, from: '/'})}).then(() => 'sent', () => 'refused')";
        tab.expect("holds/");
        tab.ask(form, json!([format!("{service}/holds/{ticket}"), answer]));
        tab.ask(form, json!([format!("{service}/v1/holds/{ticket}/{answer}"), answer]));
    }
    assert!(place.run(&["holds", "list"]).contains(&ticket), "it still waits");
    // The operator's own page has both halves.
    tab.go("/");
    tab.click(".hold button", "Approve once");
    tab.see("Nothing waits for you");
    assert!(place.run(&["holds", "show", &ticket]).contains("approved"));
}

#[test]
fn an_address_that_programs_share_has_no_pages_and_says_where_to_look() {
    let place = Place::new();
    let tab = place.operator();
    let name = name_of(&place);
    let port = place.address().rsplit(':').next().unwrap();
    for address in ["127.0.0.1", "localhost", "[::1]"] {
        tab.expect("421");
        tab.open_address(&format!("http://{address}:{port}/holds"));
        tab.see("Pages are at another address");
        let shown = tab.ask("return document.documentElement.outerHTML", json!([]));
        assert!(!shown.as_str().unwrap().contains(&name), "{shown}");
    }
    tab.go("/");
    tab.find("button", "Sign out");
}

#[test]
fn nobody_else_has_the_port_at_the_address_where_browsers_look_first() {
    let place = Place::new();
    let port = place.address().rsplit(':').next().unwrap();
    // A machine without the sixth version has nothing that could listen there.
    let sixth = TcpListener::bind("[::1]:0").is_ok();
    let all = [("[::1]", sixth), ("127.0.0.1", true), ("[::]", sixth), ("0.0.0.0", true)];
    for (host, _) in all.into_iter().filter(|(_, is_there)| *is_there) {
        let address = format!("{host}:{port}");
        let taken = Preview::start(&address).err();
        assert!(taken.is_some_and(|error| error.kind() == std::io::ErrorKind::AddrInUse), "{address}");
    }
}

#[test]
fn whoever_has_lost_the_second_half_is_asked_for_the_password_and_signs_in_again() {
    let place = Place::new();
    let ticket = place.call(&risky(1))["ticket"].as_str().unwrap().to_owned();
    let tab = place.somebody("mara", "approver");
    tab.ask("localStorage.clear()", json!([]));
    tab.expect("403");
    tab.click(".hold button", "Deny");
    tab.see("Is it you, mara?");
    tab.see("Nothing was done yet.");
    tab.click("a", "sign in again");
    tab.fill("input[name=user]", "mara");
    tab.fill("input[name=password]", crate::place::PASSWORD);
    tab.click("button", "Sign in");
    tab.click(".hold button", "Deny");
    tab.see("Nothing waits for you");
    assert!(place.run(&["holds", "show", &ticket]).contains("denied"));
    tab.click("button", "Sign out");
    tab.see("Sign in to Placet");
    assert_eq!(tab.ask("return localStorage.half", json!([])), "");
}
