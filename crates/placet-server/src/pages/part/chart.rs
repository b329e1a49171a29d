//! Charts, drawn as shapes: every kind of mark has its own.

use std::fmt::Write as _;

use maud::{Markup, html};
use placet_engine::Hour;

use super::text::{minute, several};

/// The height of the bars, and where they stand.
const HIGH: f64 = 60.0;
const FLOOR: f64 = 90.0;
/// The width of a minute.
const MINUTE: f64 = 5.1;
/// Days of the small charts.
pub const SPARK_DAYS: usize = 14;

/// Calls by the minute; what was held above them as diamonds, what was blocked as squares.
pub fn hour(hour: &Hour) -> Markup {
    let most = hour.minutes.iter().map(|minute| minute.counts.calls()).max().unwrap_or(0).max(4) as f64;
    let (mut bars, mut held) = (String::new(), String::new());
    let mut blocked = Vec::new();
    for (at, minute) in hour.minutes.iter().enumerate() {
        let left = at as f64 * MINUTE + 0.6;
        let (calls, middle) = (minute.counts.calls(), left + 1.95);
        if calls > 0 {
            let height = (calls as f64 / most * HIGH).max(1.5);
            let _ = write!(bars, "M{left:.1} {FLOOR}v-{height:.1}h3.9v{height:.1}z");
        }
        if minute.counts.held > 0 {
            let _ = write!(held, "M{middle:.1} 3l4.5 4.5-4.5 4.5-4.5-4.5z");
        }
        if minute.counts.blocked > 0 {
            blocked.push(format!("{:.1}", middle - 3.5));
        }
    }
    let told = format!(
        "Calls by the minute over the last hour: {} allowed, {} held, {} blocked",
        hour.total.allowed, hour.total.held, hour.total.blocked
    );
    html! {
        svg.chart viewBox="0 0 306 92" role="img" aria-label=(told) {
            path.h d=(held) {}
            @for x in blocked { rect.b x=(x) y="18" width="7" height="7" {} }
            path.axis d="M0 90.5h306" {}
            path.v d=(bars) {}
        }
        p.ticks {
            @for at in [0, 30, 59] {
                @if let Some(at) = hour.minutes.get(at) { span { (minute(at.start)) } }
            }
        }
        @if !hour.whole { p.small.muted { "Still counting: " (several(hour.total.calls(), "call", "calls")) " so far." } }
    }
}

/// The last days as a small chart.
pub fn spark(days: &[u64]) -> Markup {
    let last = &days[days.len().saturating_sub(SPARK_DAYS)..];
    let total: u64 = last.iter().sum();
    html! {
        svg.chart.spark viewBox="0 0 100 20" preserveAspectRatio="none" role="img" aria-label={ (several(total, "match", "matches")) " in " (SPARK_DAYS) " days" } {
            path.axis d="M0 19.5h100" {}
            path.h d=(bars(last, 100.0, 20.0)) {}
        }
    }
}

/// Bars for `days` within a width and a height.
pub fn bars(days: &[u64], wide: f64, high: f64) -> String {
    let most = days.iter().copied().max().unwrap_or(0).max(1) as f64;
    let step = wide / days.len().max(1) as f64;
    let bar = |(at, count): (usize, &u64)| {
        let height = (*count as f64 / most * (high - 2.0)).max(1.5);
        format!("M{:.1} {high}v-{height:.1}h{:.1}v{height:.1}z", at as f64 * step + step * 0.15, step * 0.7)
    };
    days.iter().enumerate().filter(|(_, count)| **count > 0).map(bar).collect()
}
