//! Notifications at their boundary: what arrives at a socket, how often, and what does not.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpListener},
    path::{Path, PathBuf},
    process::Stdio,
    sync::{Arc, mpsc},
    time::Duration,
};

use data_encoding::HEXLOWER;
use hmac::{Hmac, KeyInit as _, Mac as _};
use placet_core::rule::Severity;
use placet_engine::{HoldName, Occasion, Ruling};
use placet_server::{
    Settings,
    notify::{Channel, Channels, Email, Notifier, Ntfy, Pace, Reachable, Slack, SmtpTls, Way, Webhook},
};
use placet_store::{Notice, NoticeState};
use serde_json::{Value, json};
use sha2::Sha256;

use crate::rig::{Rig, call};

/// A request that arrived.
#[derive(Debug)]
struct Arrived {
    line: String,
    head: String,
    body: String,
}

impl Arrived {
    fn header(&self, name: &str) -> &str {
        let line = self.head.lines().find(|line| line.to_lowercase().starts_with(&format!("{name}:")));
        line.unwrap_or_else(|| panic!("no {name}: {self:?}")).split_once(':').unwrap().1.trim()
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

/// Somebody who takes requests and answers each with the next of `answers`, the last again and again.
fn sink(answers: &[&str]) -> (SocketAddr, mpsc::Receiver<Arrived>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (address, (tell, told)) = (listener.local_addr().unwrap(), mpsc::channel());
    let answers: Vec<String> = answers.iter().map(|answer| (*answer).to_owned()).collect();
    std::thread::spawn(move || {
        for (number, stream) in listener.incoming().enumerate() {
            let mut stream = BufReader::new(stream.unwrap());
            let (mut line, mut head) = (String::new(), String::new());
            stream.read_line(&mut line).unwrap();
            while !head.ends_with("\r\n\r\n") && head != "\r\n" {
                stream.read_line(&mut head).unwrap();
            }
            let length = head.lines().find_map(|line| {
                line.to_lowercase().strip_prefix("content-length:").map(|length| length.trim().to_owned())
            });
            let mut body = vec![0; length.unwrap().parse().unwrap()];
            stream.read_exact(&mut body).unwrap();
            let answer = answers.get(number).or(answers.last()).unwrap();
            write!(stream.get_mut(), "HTTP/1.1 {answer}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
                .unwrap();
            if tell.send(Arrived { line, head, body: String::from_utf8(body).unwrap() }).is_err() {
                return;
            }
        }
    });
    (address, told)
}

const SECRET: &str = "a secret between us";

fn channel(way: Way) -> Channel {
    let on = vec![Occasion::HoldOpened, Occasion::HoldEscalated, Occasion::ThreatOpened];
    Channel { name: "ops".to_owned(), on, severity_min: Severity::Low, way }
}

fn webhook(address: SocketAddr) -> Channel {
    channel(Way::Webhook(Webhook::new(format!("http://{address}/hook"), SECRET, Reachable::default())))
}

fn over(channel: Channel) -> Arc<Channels> {
    Arc::new(Channels { all: vec![channel], public_url: Some("https://placet.example.com/".to_owned()) })
}

fn fast(attempts: u64) -> Pace {
    let ms = Duration::from_millis;
    Pace { look: ms(2), first: ms(2), most: ms(8), attempts, ..Pace::default() }
}

async fn hold(rig: &Rig, command: &str) -> String {
    let held = rig.post("/v1/calls", json!({ "call": call(command) })).await.json();
    held["ticket"].as_str().unwrap().to_owned()
}

/// Waits until the newest notice is in `state`.
async fn until(rig: &Rig, state: NoticeState) -> Notice {
    loop {
        let newest = rig.engine.look(|ledger| ledger.notices(1)).unwrap().pop();
        if let Some(notice) = newest.filter(|notice| notice.state == state) {
            return notice;
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_webhook_is_told_of_a_hold_signed_and_without_its_arguments() {
    let (address, told) = sink(&["204 No Content"]);
    let rig = Rig::new().await;
    let _notifier = Notifier::start(&rig.engine, &over(webhook(address)), fast(3));
    let ticket = hold(&rig, "git push --force origin main # ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8").await;
    let arrived = told.recv().unwrap();
    assert_eq!(arrived.line.trim(), "POST /hook HTTP/1.1");
    let signature = arrived.header("placet-signature");
    let (time, signature) = signature.strip_prefix("t=").unwrap().split_once(",v1=").unwrap();
    let mut mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).unwrap();
    mac.update(format!("{time}.{}", arrived.body).as_bytes());
    assert_eq!(HEXLOWER.encode(&mac.finalize().into_bytes()), signature);
    let body = arrived.json();
    assert_eq!(body["told"]["ticket"], ticket);
    assert_eq!(body["told"]["occasion"], "hold_opened");
    assert_eq!(body["told"]["severity"], "critical");
    assert_eq!(body["link"], format!("https://placet.example.com/holds/{ticket}"));
    assert!(!arrived.body.contains("ghp_") && !arrived.body.contains("--force"), "{}", arrived.body);
    until(&rig, NoticeState::Delivered).await;
    assert!(told.try_recv().is_err(), "it is told once");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_fails_is_tried_again_and_given_up_in_sight() {
    let (address, told) = sink(&["503 No", "429 Later", "200 OK", "500 No"]);
    let rig = Rig::new().await;
    let _notifier = Notifier::start(&rig.engine, &over(webhook(address)), fast(3));
    hold(&rig, "git push --force origin main").await;
    let notice = until(&rig, NoticeState::Delivered).await;
    assert_eq!(notice.attempts, 3);
    let ids: Vec<String> = (0..3).map(|_| told.recv().unwrap().header("placet-notice").to_owned()).collect();
    assert!(ids.iter().all(|id| *id == notice.id.to_string()), "{ids:?}");
    // The next one gets nothing but 500.
    hold(&rig, "git push --force origin release").await;
    let dead = until(&rig, NoticeState::Dead).await;
    assert_eq!((dead.attempts, dead.problem.as_deref()), (3, Some("it answered with status 500")));
    let listed = rig.get("/v1/notifications").await.json();
    assert_eq!(listed["notices"][0]["state"], "dead", "{listed}");
    let path = format!("/v1/notices/{}/retry", dead.id);
    assert_eq!(rig.post(&path, Value::Null).await.status, 200);
    for _ in 0..6 {
        told.recv().unwrap();
    }
    until(&rig, NoticeState::Dead).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_is_led_elsewhere() {
    let (elsewhere, other) = sink(&["200 OK"]);
    let redirect = format!("302 Found\r\nlocation: http://{elsewhere}/");
    let (address, told) = sink(&[&redirect]);
    let rig = Rig::new().await;
    let _notifier = Notifier::start(&rig.engine, &over(webhook(address)), fast(5));
    hold(&rig, "git push --force origin main").await;
    let dead = until(&rig, NoticeState::Dead).await;
    assert_eq!(dead.attempts, 1);
    assert!(dead.problem.unwrap().contains("redirect"));
    told.recv().unwrap();
    assert!(other.try_recv().is_err());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restart_loses_nothing_and_what_was_answered_is_told_to_nobody() {
    let (address, told) = sink(&["200 OK"]);
    let rig = Rig::new().await;
    drop(Notifier::start(&rig.engine, &over(webhook(address)), fast(3)));
    let answered = hold(&rig, "git push --force origin main").await;
    let by = rig.person();
    rig.engine.answer(HoldName::parse(&answered).unwrap(), Ruling::Approve, &by).await.unwrap();
    let waiting = hold(&rig, "git push --force origin release").await;
    let (serving, directory) = rig.stop();
    serving.await.unwrap();
    let rig = Rig::open(directory, Settings::default()).await;
    let _notifier = Notifier::start(&rig.engine, &over(webhook(address)), fast(3));
    assert_eq!(told.recv().unwrap().json()["told"]["ticket"], waiting);
    until(&rig, NoticeState::Delivered).await;
    assert!(told.try_recv().is_err(), "nobody hears of {answered}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_notice_whose_hold_is_answered_before_it_was_sent_is_moot() {
    // Nobody listens there.
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let rig = Rig::new().await;
    let _notifier = Notifier::start(&rig.engine, &over(webhook(address)), fast(u64::MAX));
    let ticket = hold(&rig, "git push --force origin main").await;
    loop {
        let notices = rig.engine.look(|ledger| ledger.notices(1)).unwrap();
        if notices.first().is_some_and(|notice| notice.problem.is_some()) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    let by = rig.person();
    rig.engine.answer(HoldName::parse(&ticket).unwrap(), Ruling::Approve, &by).await.unwrap();
    until(&rig, NoticeState::Moot).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_of_holds_is_no_flood_of_messages() {
    let (address, told) = sink(&["200 OK"]);
    let rig = Rig::new().await;
    drop(Notifier::start(&rig.engine, &over(webhook(address)), fast(3)));
    for number in 0..10 {
        hold(&rig, &format!("git push --force origin b{number}")).await;
    }
    let pace = Pace { burst: 3, ..fast(3) };
    let _notifier = Notifier::start(&rig.engine, &over(webhook(address)), pace);
    assert!(told.recv().unwrap().json()["told"]["ticket"].is_string());
    assert!(told.recv().unwrap().json()["told"]["ticket"].is_string());
    let rest = told.recv().unwrap().json();
    assert_eq!(rest["told"]["summary"], "8 more wait to be looked at");
    assert_eq!((&rest["told"]["severity"], &rest["told"]["ticket"]), (&"critical".into(), &Value::Null));
    until(&rig, NoticeState::Delivered).await;
    let all = rig.engine.look(|ledger| ledger.notices(100)).unwrap();
    assert_eq!(all.len(), 10);
    // The window is full: what comes now waits for the next.
    hold(&rig, "git push --force origin late").await;
    until(&rig, NoticeState::Waiting).await;
    assert!(told.try_recv().is_err());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_not_grave_enough_is_not_told() {
    let (address, told) = sink(&["200 OK"]);
    let rig = Rig::new().await;
    let mut grave = webhook(address);
    grave.severity_min = Severity::Critical;
    let _notifier = Notifier::start(&rig.engine, &over(grave), fast(3));
    let milder = rig.post(
        "/v1/calls",
        json!({ "call": { "tool": "unheard_of", "args": { "x": 1 }, "agent": "a", "session": "s" } }),
    );
    assert!(milder.await.json()["ticket"].is_string());
    let grave = hold(&rig, "git push --force origin main").await;
    assert_eq!(told.recv().unwrap().json()["told"]["ticket"], grave);
    until(&rig, NoticeState::Delivered).await;
    assert_eq!(rig.engine.look(|ledger| ledger.notices(10)).unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn chat_and_push_say_the_same_in_their_own_shape() {
    let (address, told) = sink(&["200 OK"]);
    let rig = Rig::new().await;
    let url = format!("http://{address}/services/T0/B0/x");
    let slack = channel(Way::Slack(Slack::new(&url, Reachable::default())));
    let notifier = Notifier::start(&rig.engine, &over(slack), fast(3));
    let spoof = json!({ "tool": "terminal", "args": { "command": "git push --force" }, "agent": "<!channel> & co", "session": "s" });
    rig.post("/v1/calls", json!({ "call": spoof })).await;
    let text = told.recv().unwrap().json()["text"].as_str().unwrap().to_owned();
    assert!(text.contains("&lt;!channel&gt; &amp; co") && !text.contains("<!channel>"), "{text}");
    until(&rig, NoticeState::Delivered).await;
    drop(notifier);

    let url = format!("http://{address}/topics/placet");
    let ntfy = Ntfy::new(&url, Some("tk_secret"), Reachable::default()).unwrap();
    let _notifier = Notifier::start(&rig.engine, &over(channel(Way::Ntfy(ntfy))), fast(3));
    let ticket = hold(&rig, "git push --force origin main").await;
    let arrived = told.recv().unwrap();
    assert_eq!(arrived.line.trim(), "POST /topics HTTP/1.1");
    assert_eq!(arrived.header("authorization"), "Bearer tk_secret");
    let body = arrived.json();
    assert_eq!((&body["topic"], &body["priority"]), (&"placet".into(), &5.into()));
    assert!(body["title"].as_str().unwrap().contains(&ticket), "{body}");
    assert!(Ntfy::new("https://ntfy.example.com", None, Reachable::default()).is_none());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_threat_is_told_once() {
    let (address, told) = sink(&["200 OK"]);
    let rig = Rig::new().await;
    let _notifier = Notifier::start(&rig.engine, &over(webhook(address)), fast(3));
    // An outcome of a call that nobody had let through.
    for _ in 0..2 {
        let outcome =
            json!({ "id": "c9", "session": "s9", "agent": "a", "outcome": "ok", "tool": "terminal" });
        assert_eq!(rig.post("/v1/outcomes", outcome).await.status, 200);
    }
    let body = told.recv().unwrap().json();
    assert_eq!(
        (&body["told"]["occasion"], &body["told"]["rule"]),
        (&"threat_opened".into(), &"placet.ungoverned".into())
    );
    until(&rig, NoticeState::Delivered).await;
    assert_eq!(rig.engine.look(|ledger| ledger.notices(10)).unwrap().len(), 1);
}

/// A mail server that prints each mail as a line of JSON.
const MAIL_SERVER: &str = r#"
import asyncio, json, sys
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult
class Handler:
    async def handle_DATA(self, server, session, envelope):
        print(json.dumps([envelope.mail_from, envelope.rcpt_tos, envelope.content.decode()]), flush=True)
        return "250 taken"
def authenticator(server, session, envelope, mechanism, data):
    return AuthResult(success=(data.login, data.password) == (b"placet", b"sesame"), handled=False)
controller = Controller(Handler(), hostname="127.0.0.1", port=0, authenticator=authenticator,
                        auth_required=True, auth_require_tls=False)
async def start():
    loop = asyncio.get_running_loop()
    server = await loop.create_server(controller.factory, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
controller.loop = asyncio.new_event_loop()
asyncio.set_event_loop(controller.loop)
controller.loop.run_until_complete(start())
"#;

/// Python with a mail server, in an environment of its own, kept for the next run.
fn python() -> PathBuf {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("aiosmtpd");
    let python = home.join("bin/python3");
    let has = |python: &Path| {
        let mut import = std::process::Command::new(python);
        let import = import.args(["-c", "import aiosmtpd"]).stderr(Stdio::null());
        import.status().is_ok_and(|status| status.success())
    };
    if !has(&python) {
        let advice = "this test needs Python 3 with venv, and the network for `pip install aiosmtpd`";
        let run = |command: &mut std::process::Command| command.status().is_ok_and(|status| status.success());
        assert!(run(std::process::Command::new("python3").args(["-m", "venv"]).arg(&home)), "{advice}");
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "aiosmtpd==1.4.6"];
        assert!(run(std::process::Command::new(&python).args(pip)), "{advice}");
    }
    python
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mail_arrives_at_a_mail_server() {
    let mut server = std::process::Command::new(python())
        .args(["-c", MAIL_SERVER])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
    let port = lines.next().unwrap().unwrap();
    let mail = |password: &str| {
        let to = ["oncall@example.com".to_owned()];
        let server = format!("127.0.0.1:{port}");
        let user = Some(("placet", password));
        let people = ("Placet <placet@example.com>", to.as_slice());
        Email::new(&server, SmtpTls::None, user, people, Reachable::default()).unwrap()
    };
    let rig = Rig::new().await;
    let channels = over(channel(Way::Email(mail("sesame"))));
    let _notifier = Notifier::start(&rig.engine, &channels, fast(3));
    let ticket = hold(&rig, "git push --force origin main").await;
    let mail_line = tokio::task::spawn_blocking(move || lines.next().unwrap().unwrap()).await.unwrap();
    let arrived: Value = serde_json::from_str(&mail_line).unwrap();
    assert_eq!((&arrived[0], &arrived[1][0]), (&"placet@example.com".into(), &"oncall@example.com".into()));
    let text = arrived[2].as_str().unwrap();
    assert!(text.contains(&format!("Subject: Placet asks ({ticket})")), "{text}");
    assert!(text.contains(&format!("placet holds show {ticket}")), "{text}");
    assert!(!text.contains("--force"), "{text}");
    until(&rig, NoticeState::Delivered).await;
    // Where TLS is wanted and there is none, nothing is said: not even the password.
    let to = ["oncall@example.com".to_owned()];
    let people = ("placet@example.com", to.as_slice());
    let server_name = format!("127.0.0.1:{port}");
    let user = Some(("placet", "sesame"));
    let secure = Email::new(&server_name, SmtpTls::Starttls, user, people, Reachable::default()).unwrap();
    let at = placet_core::Timestamp::parse("2026-03-02T12:00:00Z").unwrap();
    let (tested, secure) = (Arc::clone(&channels), channel(Way::Email(secure)));
    let said = tokio::task::spawn_blocking(move || tested.test(&secure, at)).await.unwrap();
    assert!(said.unwrap_err().why().contains("STARTTLS"));
    // The wrong password is not tried again and again.
    let wrong = channel(Way::Email(mail("guess")));
    let said = tokio::task::spawn_blocking(move || channels.test(&wrong, at));
    let said = said.await.unwrap().unwrap_err();
    assert!(matches!(said, placet_server::notify::Undelivered::Never(_)), "{said:?}");
    server.kill().unwrap();
    server.wait().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_channel_is_tested_over_http() {
    let (address, told) = sink(&["200 OK", "404 Gone"]);
    let rig = Rig::new().await;
    assert_eq!(rig.post("/v1/notifications/ops/test", Value::Null).await.status, 404);
    rig.server.set_channels(over(webhook(address)));
    let tested = rig.post("/v1/notifications/ops/test", Value::Null).await.json();
    assert_eq!(tested, json!({ "channel": "ops", "delivered": true, "problem": null }));
    assert_eq!(told.recv().unwrap().json()["told"]["occasion"], "test");
    let tested = rig.post("/v1/notifications/ops/test", Value::Null).await.json();
    assert_eq!(tested["problem"], "it answered with status 404");
    let listed = rig.get("/v1/notifications").await.json();
    assert_eq!(listed["channels"], json!([{ "name": "ops", "kind": "webhook" }]));
}
