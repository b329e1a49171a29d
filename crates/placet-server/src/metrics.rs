//! Numbers for Prometheus, in its text format.

use std::{
    fmt::Write as _,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

/// Upper ends of the buckets of answering times, in microseconds; those who waited for a person are not among them.
const BUCKETS_US: [u64; 12] =
    [100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000];

/// What is counted.
#[derive(Default)]
pub struct Metrics {
    pub allowed: AtomicU64,
    pub held: AtomicU64,
    pub blocked: AtomicU64,
    pub failed: AtomicU64,
    pub events: AtomicU64,
    pub refused: AtomicU64,
    pub requests: [AtomicU64; 5],
    pub requests_open: AtomicU64,
    pub connections: AtomicU64,
    pub connections_total: AtomicU64,
    pub connections_over: AtomicU64,
    pub streams: AtomicU64,
    took: [AtomicU64; BUCKETS_US.len()],
    took_count: AtomicU64,
    took_us: AtomicU64,
}

/// Something that is counted as long as it lasts.
pub struct Counted<'a>(&'a AtomicU64);

impl<'a> Counted<'a> {
    pub fn among(count: &'a AtomicU64) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Metrics {
    /// A request was answered with `status`.
    pub fn answered(&self, status: u16) {
        let class = usize::from(status / 100).clamp(1, 5) - 1;
        self.requests[class].fetch_add(1, Ordering::Relaxed);
    }

    /// A decision that nobody had to be asked for took so long.
    pub fn took(&self, time: Duration) {
        let us = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        for (bucket, end) in self.took.iter().zip(BUCKETS_US) {
            if us <= end {
                bucket.fetch_add(1, Ordering::Relaxed);
            }
        }
        self.took_count.fetch_add(1, Ordering::Relaxed);
        self.took_us.fetch_add(us, Ordering::Relaxed);
    }

    /// All of it, with what the engine knows.
    pub fn text(&self, gauges: &[(&str, &str, u64)]) -> String {
        let mut text = String::new();
        let get = |number: &AtomicU64| number.load(Ordering::Relaxed);
        let mut family = |name: &str, kind: &str, help: &str, rows: &[(String, u64)]| {
            let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
            for (labels, value) in rows {
                let _ = writeln!(text, "{name}{labels} {value}");
            }
        };
        let rows = |label: &str, rows: &[(&str, &AtomicU64)]| -> Vec<(String, u64)> {
            rows.iter().map(|(word, number)| (format!("{{{label}=\"{word}\"}}"), get(number))).collect()
        };
        family(
            "placet_calls_total",
            "counter",
            "Answers to calls.",
            &rows(
                "answer",
                &[
                    ("allow", &self.allowed),
                    ("hold", &self.held),
                    ("block", &self.blocked),
                    ("failed", &self.failed),
                ],
            ),
        );
        let classes = ["1xx", "2xx", "3xx", "4xx", "5xx"];
        let requests: Vec<_> = classes.into_iter().zip(&self.requests).collect();
        family("placet_requests_total", "counter", "Requests by status.", &rows("status", &requests));
        for (name, kind, help, number) in [
            ("placet_events_total", "counter", "Events that were reported.", &self.events),
            ("placet_refused_total", "counter", "Requests of somebody who may not.", &self.refused),
            ("placet_requests_open", "gauge", "Requests that are being answered.", &self.requests_open),
            ("placet_connections", "gauge", "Connections that are open.", &self.connections),
            ("placet_connections_total", "counter", "Connections that were opened.", &self.connections_total),
            (
                "placet_connections_over_total",
                "counter",
                "Connections beyond the most there may be.",
                &self.connections_over,
            ),
            ("placet_streams", "gauge", "Streams of events that are open.", &self.streams),
        ] {
            family(name, kind, help, &[(String::new(), get(number))]);
        }
        for (name, help, value) in gauges {
            family(name, "gauge", help, &[(String::new(), *value)]);
        }
        let name = "placet_decision_seconds";
        let _ = writeln!(
            text,
            "# HELP {name} Time to a durable answer, without waits for people.\n# TYPE {name} histogram"
        );
        for (end, bucket) in BUCKETS_US.into_iter().zip(&self.took) {
            let _ = writeln!(text, "{name}_bucket{{le=\"{}\"}} {}", end as f64 / 1e6, get(bucket));
        }
        let count = get(&self.took_count);
        let _ = writeln!(
            text,
            "{name}_bucket{{le=\"+Inf\"}} {count}\n{name}_sum {}\n{name}_count {count}",
            get(&self.took_us) as f64 / 1e6
        );
        text
    }
}
