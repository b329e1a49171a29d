//! Spans and metrics as a collector gets them: bytes over a socket, read as protobuf again.

use std::{
    collections::BTreeMap,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpListener},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    time::Duration,
};

use opentelemetry_proto::tonic::{
    collector::{metrics::v1::ExportMetricsServiceRequest, trace::v1::ExportTraceServiceRequest},
    common::v1::{KeyValue, any_value::Value as Any},
    metrics::v1::{metric::Data, number_data_point::Value as Number},
    trace::v1::Span,
};
use placet_server::{Telemetry, TelemetryPace};
use prost::Message as _;
use serde_json::json;

use crate::rig::{Rig, call, harmless, risky};

/// A collector: where it is, and what it was sent, by path. It answers with the next of `answers`, the last again and again.
fn collector(answers: &'static [&'static str]) -> (SocketAddr, mpsc::Receiver<(String, Vec<u8>)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (address, (tell, told)) = (listener.local_addr().unwrap(), mpsc::channel());
    let count = Arc::new(AtomicUsize::new(0));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (tell, count) = (tell.clone(), Arc::clone(&count));
            std::thread::spawn(move || {
                let mut stream = BufReader::new(stream.unwrap());
                loop {
                    let (mut line, mut head) = (String::new(), String::new());
                    if stream.read_line(&mut line).unwrap_or(0) == 0 {
                        return;
                    }
                    while !head.ends_with("\r\n\r\n") {
                        stream.read_line(&mut head).unwrap();
                    }
                    let head = head.to_lowercase();
                    let length = head.lines().find_map(|line| line.strip_prefix("content-length:")).unwrap();
                    let mut body = vec![0; length.trim().parse().unwrap()];
                    stream.read_exact(&mut body).unwrap();
                    assert!(head.contains("content-type: application/x-protobuf"), "{head}");
                    let path = line.split(' ').nth(1).unwrap().to_owned();
                    // Only what is told of spans counts: numbers come by their own clock.
                    let number = match path.as_str() {
                        "/v1/traces" => count.fetch_add(1, Ordering::SeqCst),
                        _ => usize::MAX,
                    };
                    let answer = answers.get(number).or(answers.last()).unwrap();
                    // Whoever has their answer has been heard.
                    let heard = tell.send((path, body));
                    let sent = write!(stream.get_mut(), "HTTP/1.1 {answer}\r\ncontent-length: 0\r\n\r\n");
                    if heard.is_err() || sent.is_err() {
                        return;
                    }
                }
            });
        }
    });
    (address, told)
}

fn fast() -> TelemetryPace {
    TelemetryPace { spans: Duration::from_millis(2), metrics: Duration::from_millis(50) }
}

fn spans(bytes: &[u8]) -> Vec<Span> {
    let request = ExportTraceServiceRequest::decode(bytes).unwrap();
    let resource = request.resource_spans[0].resource.as_ref().unwrap();
    assert_eq!(texts(&resource.attributes)["service.name"], "placet");
    let scopes = request.resource_spans.into_iter().flat_map(|resource| resource.scope_spans);
    scopes.flat_map(|scope| scope.spans).collect()
}

fn texts(attributes: &[KeyValue]) -> BTreeMap<String, String> {
    let text = |attribute: &KeyValue| {
        let value = match attribute.value.as_ref().unwrap().value.as_ref().unwrap() {
            Any::StringValue(text) => text.clone(),
            other => format!("{other:?}"),
        };
        (attribute.key.clone(), value)
    };
    attributes.iter().map(text).collect()
}

/// The next spans that come.
fn next_spans(told: &mpsc::Receiver<(String, Vec<u8>)>, count: usize) -> Vec<Span> {
    let mut all = Vec::new();
    while all.len() < count {
        let (path, bytes) = told.recv().unwrap();
        if path == "/v1/traces" {
            all.extend(spans(&bytes));
        }
    }
    all
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn decisions_and_holds_are_spans_without_what_was_asked_for() {
    let (address, told) = collector(&["200 OK"]);
    let rig = Rig::new().await;
    rig.post("/v1/calls", json!({ "call": call("echo before anybody listened") })).await;
    let _telemetry = Telemetry::start(&rig.engine, &format!("http://{address}/"), fast()).unwrap();
    let secret = "git push --force origin main # ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";
    let held = rig.post("/v1/calls", json!({ "call": call(secret) })).await.json();
    let ticket = held["ticket"].as_str().unwrap().to_owned();
    rig.post(&format!("/v1/holds/{ticket}/deny"), json!({ "reason": "not while ann sleeps" })).await;
    let spans = next_spans(&told, 2);
    let (decide, hold) = (&spans[0], &spans[1]);
    assert_eq!((decide.name.as_str(), hold.name.as_str()), ("decide", "hold"));
    let said = texts(&decide.attributes);
    for (key, value) in [
        ("placet.verdict", "hold"),
        ("placet.carried_out", "hold"),
        ("placet.mode", "enforce"),
        ("placet.tool", "terminal"),
        ("placet.agent", "nightly"),
        ("placet.session", "s1"),
        ("placet.ticket", &ticket),
    ] {
        assert_eq!(said[key], value, "{key}");
    }
    assert!(said["placet.risk_score"].contains("DoubleValue"), "{said:?}");
    assert_eq!(texts(&hold.attributes)["placet.step"], "deny");
    // Who waits is a part of what was decided.
    assert_eq!((&hold.trace_id, &hold.parent_span_id), (&decide.trace_id, &decide.span_id));
    assert!(decide.start_time_unix_nano <= decide.end_time_unix_nano);
    assert!(hold.start_time_unix_nano >= decide.end_time_unix_nano);
    let all = format!("{spans:?}");
    for secret in ["ghp_", "--force", "origin", "not while ann sleeps", "before anybody"] {
        assert!(!all.contains(secret), "{secret}: {all}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_happened_is_counted() {
    let (address, told) = collector(&["200 OK"]);
    let rig = Rig::new().await;
    let telemetry = Telemetry::start(&rig.engine, &format!("http://{address}"), fast()).unwrap();
    for _ in 0..3 {
        rig.post("/v1/calls", json!({ "call": harmless() })).await;
    }
    rig.post("/v1/calls", json!({ "call": risky() })).await;
    next_spans(&told, 4);
    // The last word has everything.
    tokio::task::spawn_blocking(move || drop(telemetry)).await.unwrap();
    let mut last = None;
    while let Ok((path, bytes)) = told.try_recv() {
        last = if path == "/v1/metrics" { Some(bytes) } else { last };
    }
    let request = ExportMetricsServiceRequest::decode(last.unwrap().as_slice()).unwrap();
    let metrics = request.resource_metrics.into_iter().flat_map(|resource| resource.scope_metrics);
    let mut found = BTreeMap::new();
    for metric in metrics.flat_map(|scope| scope.metrics) {
        let count = match metric.data.unwrap() {
            Data::Sum(sum) => sum.data_points.iter().map(|point| as_u64(point.value)).sum(),
            Data::Gauge(gauge) => as_u64(gauge.data_points[0].value),
            Data::Histogram(histogram) => histogram.data_points.iter().map(|point| point.count).sum(),
            other => panic!("{other:?}"),
        };
        found.insert(metric.name, count);
    }
    assert_eq!(found["placet.decisions"], 4, "{found:?}");
    assert_eq!(found["placet.decision.duration"], 4, "{found:?}");
    assert_eq!(found["placet.holds.pending"], 1, "{found:?}");
}

fn as_u64(number: Option<Number>) -> u64 {
    match number.unwrap() {
        Number::AsInt(count) => count.unsigned_abs(),
        Number::AsDouble(count) => count as u64,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_collector_that_was_away_is_told_what_it_missed() {
    let (address, told) = collector(&["400 No", "400 No", "200 OK"]);
    let rig = Rig::new().await;
    let _telemetry = Telemetry::start(&rig.engine, &format!("http://{address}"), fast()).unwrap();
    rig.post("/v1/calls", json!({ "call": harmless() })).await;
    // It is sent again until it is taken: the same spans, by their names.
    let sent = next_spans(&told, 3);
    assert!(sent.iter().all(|span| span.span_id == sent[0].span_id), "{sent:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_collector_that_never_answers_keeps_no_decision_waiting() {
    // It takes connections, and says nothing.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let rig = Rig::new().await;
    let telemetry = Telemetry::start(&rig.engine, &format!("http://{address}"), fast()).unwrap();
    rig.post("/v1/calls", json!({ "call": harmless() })).await;
    let held = listener.accept().unwrap();
    // Somebody is being told, and does not listen; decisions are made all the same.
    for _ in 0..200 {
        assert_eq!(rig.post("/v1/calls", json!({ "call": harmless() })).await.json()["answer"], "allow");
    }
    drop((held, listener));
    tokio::task::spawn_blocking(move || drop(telemetry)).await.unwrap();
}
