//! Each row of the table with requests that are huge, slow, cut off, sent twice and one behind the other.

use std::{sync::Arc, time::Duration};

use placet_server::{
    Limits, Settings,
    endpoint::{Dialect, Endpoint, every},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    task::JoinSet,
};

use crate::rig::{Reply, Rig, reply};

fn path_of(row: &Endpoint, rig: &Rig) -> String {
    let path = row.path.replace("{secret}", &rig.first()).replace("{*session}", "nobody");
    path.replace(['{', '}'], "")
}

fn head_of(row: &Endpoint, rig: &Rig, length: usize, close: bool) -> String {
    let close = if close { "connection: close\r\n" } else { "" };
    format!(
        "{} {} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\ncontent-length: {length}\r\n{close}\r\n",
        row.verb.as_str(),
        path_of(row, rig),
        rig.address,
        rig.first(),
    )
}

/// Asks every row at once, by `ask`, and looks at what each is told by `look`.
async fn each<F: Future<Output = Option<Reply>> + Send + 'static>(
    limits: Limits,
    ask: impl Fn(&'static Endpoint, Arc<Rig>) -> F,
    look: impl Fn(&'static Endpoint, Option<Reply>),
) {
    let rig = Arc::new(Rig::with(Settings { limits, ..Settings::default() }).await);
    let mut asking = JoinSet::new();
    for row in every() {
        let told = ask(row, Arc::clone(&rig));
        asking.spawn(async move { (row, told.await) });
    }
    let mut asked = 0;
    while let Some(done) = asking.join_next().await {
        let (row, told) = done.unwrap();
        look(row, told);
        asked += 1;
    }
    assert_eq!(asked, every().count());
    assert_eq!(rig.ask("GET", "/healthz", None, None).await.status, 200);
    assert!(!rig.log().contains("failed method"), "{}", rig.log());
}

/// That a row said no, each in its own dialect.
fn is_refused(row: &Endpoint, told: &Reply, status: u16) {
    let what = format!("{} {}: {told:?}", row.verb.as_str(), row.path);
    match row.dialect {
        Dialect::Api | Dialect::Page => assert_eq!(told.status, status, "{what}"),
        Dialect::Call => assert_eq!((told.status, &told.json()["answer"]), (200, &"block".into()), "{what}"),
        Dialect::AgentGuard => {
            assert_eq!((told.status, &told.json()["decision"]), (200, &"block".into()), "{what}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_huge_body_is_refused_everywhere() {
    let limits = Limits { body_bytes: 100_000, ..Limits::default() };
    let ask = |row, rig: Arc<Rig>| async move {
        let mut stream = rig.connect().await;
        stream.write_all(head_of(row, &rig, 1_000_000, true).as_bytes()).await.unwrap();
        stream.write_all(&vec![b'['; 1_000_000]).await.unwrap();
        Some(reply(&mut stream).await)
    };
    each(limits, ask, |row, told| is_refused(row, &told.unwrap(), 413)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_that_does_not_come_is_not_waited_for_anywhere() {
    let limits = Limits { body: Duration::from_millis(200), ..Limits::default() };
    let ask = |row, rig: Arc<Rig>| async move {
        let mut stream = rig.connect().await;
        stream.write_all(format!("{}{{", head_of(row, &rig, 100, true)).as_bytes()).await.unwrap();
        Some(reply(&mut stream).await)
    };
    each(limits, ask, |row, told| is_refused(row, &told.unwrap(), 408)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_that_is_cut_off_does_nothing_anywhere() {
    let ask = |row, rig: Arc<Rig>| async move {
        let mut stream = rig.connect().await;
        stream.write_all(format!("{}{{", head_of(row, &rig, 100, true)).as_bytes()).await.unwrap();
        stream.shutdown().await.unwrap();
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes).await;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        // Whoever half closes may be told, or not; but never that it was done.
        let (head, body) = text.split_once("\r\n\r\n")?;
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Some(Reply { status, head: head.to_owned(), text: body.to_owned() })
    };
    let look = |row: &'static Endpoint, told: Option<Reply>| {
        if let Some(told) = told {
            is_refused(row, &told, 400);
        }
    };
    each(Limits::default(), ask, look).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_that_come_twice_in_one_breath_are_answered_twice_everywhere() {
    let ask = |row: &'static Endpoint, rig: Arc<Rig>| async move {
        // A stream has no end that a second request could stand behind.
        if row.is_endless() {
            return None;
        }
        let mut stream = rig.connect().await;
        let (first, second) = (head_of(row, &rig, 2, false), head_of(row, &rig, 2, true));
        stream.write_all(format!("{first}{{}}{second}{{}}").as_bytes()).await.unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).await.unwrap();
        assert_eq!(text.matches("HTTP/1.1 ").count(), 2, "{} {}: {text}", row.verb.as_str(), row.path);
        assert!(!text.contains("HTTP/1.1 5"), "{} {}: {text}", row.verb.as_str(), row.path);
        None
    };
    each(Limits::default(), ask, |_, _| {}).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_head_that_is_none_or_too_large_is_refused_everywhere() {
    let ask = |row: &'static Endpoint, rig: Arc<Rig>| async move {
        let path = path_of(row, &rig);
        let many: String = (0..100).map(|number| format!("x-{number}: 1\r\n")).collect();
        let host = format!("host: {}\r\n", rig.address);
        for head in [
            format!("{} {path} HTTP/9.9\r\n{host}\r\n", row.verb.as_str()),
            format!("{} {path}\r\n\r\n", row.verb.as_str()),
            format!("{} {path} HTTP/1.1\r\n{host}{many}\r\n", row.verb.as_str()),
            format!("{} {path}?{} HTTP/1.1\r\n{host}\r\n", row.verb.as_str(), "x".repeat(100_000)),
            format!(
                "{} {path} HTTP/1.1\r\n{host}content-length: 5\r\ncontent-length: 6\r\n\r\n",
                row.verb.as_str()
            ),
            format!("{} {path} HTTP/1.1\r\n{host}no colon\r\n\r\n", row.verb.as_str()),
        ] {
            let mut stream = rig.connect().await;
            let _ = stream.write_all(head.as_bytes()).await;
            let _ = stream.shutdown().await;
            let told = reply(&mut stream).await;
            // Where a no is a status it is one of these.
            let status = if told.status == 431 { 431 } else { 400 };
            is_refused(row, &told, status);
        }
        None
    };
    each(Limits::default(), ask, |_, _| {}).await;
}
