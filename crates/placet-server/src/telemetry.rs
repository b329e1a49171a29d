//! Spans and metrics for a collector, by OTLP over HTTP. They are made from the log, by a thread of their own: the log is the
//! queue, so no decision waits for a collector, and one that comes back is told what it missed. Nothing of the arguments of
//! a call is in them.

use std::{
    future::Future,
    pin::Pin,
    sync::mpsc::{self, RecvTimeoutError},
    thread::JoinHandle,
    time::{Duration, SystemTime},
};

use opentelemetry::{
    Array, InstrumentationScope, KeyValue, StringValue, Value,
    metrics::{Counter, Histogram, MeterProvider as _},
    trace::{SpanContext, SpanId, SpanKind, Status, TraceFlags, TraceId, TraceState},
};
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{
    MetricExporter, Protocol, SpanExporter, WithExportConfig as _, WithHttpConfig as _,
};
use opentelemetry_sdk::{
    Resource,
    metrics::{PeriodicReader, SdkMeterProvider},
    trace::{SpanData, SpanEvents, SpanExporter as _, SpanLinks},
};
use placet_core::{Json, Timestamp, printable, record::expand};
use placet_engine::Engine;
use placet_store::{StoreError, StoredRecord, wait_for};
use sha2::{Digest as _, Sha256};
use ureq::Agent;

use crate::outbound::requests;

/// Records that are told of at once.
const AT_ONCE: usize = 512;
/// Whoever is further behind is not told all of it.
const BEHIND_MAX: u64 = 50_000;
/// So often the same spans are sent to somebody who does not take them.
const TRIES_MAX: u32 = 5;
/// How long one request may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// The longest text of an attribute.
const TEXT_MAX: usize = 100;
/// An answer of a collector that is longer is no answer.
const ANSWER_MAX: u64 = 1 << 20;

/// How often a collector is told.
#[derive(Clone, Copy, Debug)]
pub struct TelemetryPace {
    /// How often the log is looked at.
    pub spans: Duration,
    /// How often numbers are sent.
    pub metrics: Duration,
}

impl Default for TelemetryPace {
    fn default() -> Self {
        Self { spans: Duration::from_secs(1), metrics: Duration::from_secs(15) }
    }
}

/// What tells a collector, for as long as somebody has this.
pub struct Telemetry {
    stop: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Telemetry {
    /// Begins to tell the collector at `endpoint`, as in `http://127.0.0.1:4318`, of what is decided from now on.
    pub fn start(engine: &Engine, endpoint: &str, pace: TelemetryPace) -> Result<Self, String> {
        let endpoint = endpoint.trim_end_matches('/');
        let resource = Resource::builder_empty()
            .with_service_name("placet")
            .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
            .build();
        let mut spans = SpanExporter::builder()
            .with_http()
            .with_http_client(Client::new())
            .with_protocol(Protocol::HttpBinary)
            .with_endpoint(format!("{endpoint}/v1/traces"))
            .with_timeout(PATIENCE)
            .build()
            .map_err(|error| error.to_string())?;
        spans.set_resource(&resource);
        let metrics = MetricExporter::builder()
            .with_http()
            .with_http_client(Client::new())
            .with_protocol(Protocol::HttpBinary)
            .with_endpoint(format!("{endpoint}/v1/metrics"))
            .with_timeout(PATIENCE)
            .build()
            .map_err(|error| error.to_string())?;
        let reader = PeriodicReader::builder(metrics).with_interval(pace.metrics).build();
        let provider = SdkMeterProvider::builder().with_reader(reader).with_resource(resource).build();
        let next = engine.look(|ledger| ledger.log_size()).map_err(|error| error.to_string())?;
        let mut teller = Teller {
            engine: engine.clone(),
            origin: engine.verifier().origin().to_owned(),
            scope: InstrumentationScope::builder("placet").with_version(env!("CARGO_PKG_VERSION")).build(),
            meters: Meters::new(&provider, engine),
            spans,
            provider,
            next,
            counted: next,
            version: None,
            tries: 0,
        };
        let (stop, stopped) = mpsc::channel();
        let thread = std::thread::Builder::new()
            .name("placet-telemetry".to_owned())
            .spawn(move || {
                while stopped.recv_timeout(pace.spans) == Err(RecvTimeoutError::Timeout) {
                    // What cannot be read now is read next time.
                    let _ = teller.tell();
                }
                // The last word, once.
                let _ = teller.tell();
                let _ = teller.provider.shutdown();
            })
            .map_err(|error| error.to_string())?;
        Ok(Self { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Telemetry {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

/// Tells of the log.
struct Teller {
    engine: Engine,
    origin: String,
    scope: InstrumentationScope,
    spans: SpanExporter,
    meters: Meters,
    provider: SdkMeterProvider,
    /// The first record that was not told of.
    next: u64,
    /// The first that is not in the numbers.
    counted: u64,
    version: Option<u64>,
    /// How often it was not taken.
    tries: u32,
}

impl Teller {
    /// Tells of all that is new, or as much of it as the collector takes.
    fn tell(&mut self) -> Result<(), StoreError> {
        let version = self.engine.version()?;
        if self.version == Some(version) {
            return Ok(());
        }
        loop {
            let size = self.engine.look(|ledger| ledger.log_size())?;
            let oldest = size.saturating_sub(BEHIND_MAX);
            if self.next < oldest {
                self.meters.skipped.add(oldest - self.next, &[]);
                self.next = oldest;
            }
            let next = self.next;
            let records = self.engine.look(|ledger| ledger.records_from(next, AT_ONCE))?;
            let Some(last) = records.last() else { break };
            let mut batch = Vec::new();
            for record in &records {
                batch.extend(self.span(record)?);
            }
            if !batch.is_empty() && wait_for(self.spans.export(batch)).is_err() {
                self.tries += 1;
                if self.tries < TRIES_MAX {
                    return Ok(());
                }
                self.meters.skipped.add(records.len() as u64, &[]);
            }
            (self.next, self.tries) = (last.index + 1, 0);
        }
        self.version = Some(version);
        Ok(())
    }

    /// What a record is as a span, if it is one.
    fn span(&mut self, record: &StoredRecord) -> Result<Option<SpanData>, StoreError> {
        let Ok(read) = expand(&record.body) else { return Ok(None) };
        let Some(what) = read.get("what") else { return Ok(None) };
        let is_new = record.index >= self.counted;
        self.counted = self.counted.max(record.index + 1);
        if let Some(decided) = what.get("decision") {
            let took = Duration::from_micros(decided.get("took_us").and_then(Json::as_u64).unwrap_or(0));
            if is_new {
                self.meters.decision(decided, took);
            }
            let end = instant(record.at);
            let start = end.checked_sub(took).unwrap_or(end);
            return Ok(Some(self.made(
                "decide",
                record.index,
                None,
                (start, end),
                of_decision(record, decided),
            )));
        }
        let Some(step) = what.get("hold_step") else { return Ok(None) };
        // That an approval is used, or not, comes after the wait.
        if !matches!(text(step, "step"), "approve" | "deny" | "expire" | "abandon") {
            return Ok(None);
        }
        let Some(cites) = step.get("cites").and_then(Json::as_u64) else { return Ok(None) };
        let cited = self.engine.look(|ledger| ledger.record_get(cites.min(i64::MAX as u64)))?;
        let opened = cited.map_or(record.at, |cited| cited.at);
        let waited = Duration::from_millis(record.at.ms_since(opened).max(0).unsigned_abs());
        if is_new {
            self.meters.hold(step, waited);
        }
        let times = (instant(opened), instant(record.at));
        let attributes = vec![
            number("placet.record", record.index),
            said("placet.ticket", text(step, "ticket")),
            said("placet.step", text(step, "step")),
        ];
        Ok(Some(self.made("hold", record.index, Some(cites), times, attributes)))
    }

    fn made(
        &self,
        name: &'static str,
        index: u64,
        parent: Option<u64>,
        (start_time, end_time): (SystemTime, SystemTime),
        attributes: Vec<KeyValue>,
    ) -> SpanData {
        let (mut trace, mut span) = ([0; 16], [0; 8]);
        trace.copy_from_slice(&self.id("trace", parent.unwrap_or(index))[..16]);
        span.copy_from_slice(&self.id("span", index)[..8]);
        let parent_span_id = parent.map_or(SpanId::INVALID, |parent| {
            let mut above = [0; 8];
            above.copy_from_slice(&self.id("span", parent)[..8]);
            SpanId::from_bytes(above)
        });
        SpanData {
            span_context: SpanContext::new(
                TraceId::from_bytes(trace),
                SpanId::from_bytes(span),
                TraceFlags::SAMPLED,
                false,
                TraceState::NONE,
            ),
            parent_span_id,
            parent_span_is_remote: false,
            span_kind: SpanKind::Internal,
            name: name.into(),
            start_time,
            end_time,
            attributes,
            dropped_attributes_count: 0,
            events: SpanEvents::default(),
            links: SpanLinks::default(),
            status: Status::Unset,
            instrumentation_scope: self.scope.clone(),
        }
    }

    /// The same for the same record of the same log, so that whoever is told twice can tell.
    fn id(&self, kind: &str, index: u64) -> [u8; 32] {
        let hash = Sha256::new().chain_update("placet telemetry 1 ").chain_update(kind);
        hash.chain_update(&self.origin).chain_update(index.to_be_bytes()).finalize().into()
    }
}

/// What a decision says of itself, without what was asked for.
fn of_decision(record: &StoredRecord, decided: &Json) -> Vec<KeyValue> {
    let (null, call) = (Json::Null, decided.get("call"));
    let (call, assessment) = (call.unwrap_or(&null), decided.get("assessment").unwrap_or(&null));
    let rules = decided.get("findings").and_then(Json::as_array).unwrap_or_default();
    let rules = rules.iter().filter_map(|finding| finding.get("source")?.get("rule")?.as_str());
    let rules: Vec<StringValue> = rules.map(|rule| printable::shown(rule, TEXT_MAX).into()).collect();
    let mut attributes = vec![
        number("placet.record", record.index),
        said("placet.verdict", text(decided, "verdict")),
        said("placet.carried_out", text(decided, "carried_out")),
        said("placet.mode", text(decided, "mode")),
        said("placet.tool", text(call, "tool")),
        said("placet.agent", text(call, "agent")),
        said("placet.session", text(call, "session")),
        said("placet.host", text(call, "host")),
        said("placet.ticket", text(decided, "ticket")),
        said("placet.side_effect_class", text(assessment, "side_effect_class")),
        KeyValue::new("placet.rules", Value::Array(Array::String(rules))),
    ];
    for (name, key) in [("placet.risk_score", "risk_score"), ("placet.confidence", "confidence")] {
        if let Some(Json::Number(score)) = assessment.get(key) {
            attributes.push(KeyValue::new(name, score.as_f64()));
        }
    }
    // What is not known is not said.
    attributes.retain(|attribute| !attribute.value.as_str().is_empty());
    attributes
}

fn text<'a>(json: &'a Json, key: &str) -> &'a str {
    json.get(key).and_then(Json::as_str).unwrap_or("")
}

fn said(name: &'static str, text: &str) -> KeyValue {
    KeyValue::new(name, printable::shown(text, TEXT_MAX))
}

fn number(name: &'static str, number: u64) -> KeyValue {
    KeyValue::new(name, i64::try_from(number).unwrap_or(i64::MAX))
}

fn instant(at: Timestamp) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_millis(at.as_ms().max(0).unsigned_abs())
}

/// The numbers.
struct Meters {
    decisions: Counter<u64>,
    took: Histogram<f64>,
    answered: Counter<u64>,
    waited: Histogram<f64>,
    skipped: Counter<u64>,
}

impl Meters {
    fn new(provider: &SdkMeterProvider, engine: &Engine) -> Self {
        let meter = provider.meter("placet");
        let engine = engine.clone();
        let _pending = meter
            .u64_observable_gauge("placet.holds.pending")
            .with_description("Calls that wait for a person")
            .with_callback(move |seen| {
                if let Ok(pending) = engine.look(|ledger| ledger.holds_pending(10_000)) {
                    seen.observe(pending.len() as u64, &[]);
                }
            })
            .build();
        let millionths = [50.0, 100.0, 250.0, 500.0, 1e3, 2.5e3, 5e3, 1e4, 2.5e4, 1e5, 1e6];
        let seconds = vec![1.0, 5.0, 15.0, 60.0, 300.0, 900.0, 3_600.0, 86_400.0];
        Self {
            decisions: meter
                .u64_counter("placet.decisions")
                .with_description("Calls that were decided, by verdict, what was done, and mode")
                .build(),
            took: meter
                .f64_histogram("placet.decision.duration")
                .with_unit("s")
                .with_boundaries(millionths.iter().map(|micros| micros / 1e6).collect())
                .build(),
            answered: meter
                .u64_counter("placet.holds.ended")
                .with_description("Holds that were approved or denied, or that nobody answered")
                .build(),
            waited: meter
                .f64_histogram("placet.hold.duration")
                .with_unit("s")
                .with_boundaries(seconds)
                .build(),
            skipped: meter
                .u64_counter("placet.telemetry.skipped")
                .with_description("Records that the collector was not told of, because it did not keep up")
                .build(),
        }
    }

    fn decision(&self, decided: &Json, took: Duration) {
        let labels = ["verdict", "carried_out", "mode"].map(|key| said(key, text(decided, key)));
        self.decisions.add(1, &labels);
        self.took.record(took.as_secs_f64(), &[]);
    }

    fn hold(&self, step: &Json, waited: Duration) {
        let labels = [said("step", text(step, "step"))];
        self.answered.add(1, &labels);
        self.waited.record(waited.as_secs_f64(), &labels);
    }
}

/// What carries it: a request that blocks, on a thread that may.
#[derive(Debug)]
struct Client(Agent);

impl Client {
    fn new() -> Self {
        Self(requests(PATIENCE).build().new_agent())
    }

    fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let (head, mut body) = self.0.run(request.map(|body| body.to_vec()))?.into_parts();
        let answer = body.with_config().limit(ANSWER_MAX).read_to_vec()?;
        Ok(Response::from_parts(head, answer.into()))
    }
}

impl HttpClient for Client {
    fn send_bytes<'s, 'f>(
        &'s self,
        request: Request<Bytes>,
    ) -> Pin<Box<dyn Future<Output = Result<Response<Bytes>, HttpError>> + Send + 'f>>
    where
        's: 'f,
        Self: 'f,
    {
        Box::pin(async move { self.send(request) })
    }
}
