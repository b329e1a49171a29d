//! Limits on how much a warrant may be used: calls, rate, sums, hours and risk.

use std::{cmp::Ordering, fmt};

use jiff::tz::{Offset, TimeZone, TimeZoneDatabase};

use super::cbor::{DecodeError, Keys, Reader, Writer, text_order};
use crate::{
    Json, Timestamp,
    assess::Score,
    json::{Number, excerpt},
};

/// How much a warrant may be used. What is not said is not limited.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// The most calls in all.
    pub max_calls: Option<u64>,
    /// The most calls in any stretch of time.
    pub rate: Option<Rate>,
    /// The most that arguments may add up to; each argument once.
    pub budgets: Vec<Budget>,
    /// When it may be used.
    pub hours: Option<Hours>,
    /// The riskiest call.
    pub max_risk: Option<Score>,
}

/// So many calls in any stretch of so long, wherever it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// The most calls.
    pub count: u64,
    /// The length of a stretch.
    pub per_ms: u64,
}

impl Rate {
    /// Calls are counted in steps of a tenth of the stretch, which follow one another from the warrant's first instant: how long
    /// one is, and how many before the current one count too. Together they cover any stretch that ends in the current one, so
    /// there are never more calls than said; somebody who used them all at once waits up to a tenth longer than necessary.
    pub(super) fn steps(self) -> (u64, u64) {
        let step = self.per_ms.div_ceil(10).max(1);
        (step, self.per_ms.div_ceil(step))
    }
}

/// The most that an argument may add up to over all calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The name of the argument.
    pub argument: String,
    /// The sum, which is not passed.
    pub most: Amount,
}

/// An amount that is not negative, in millionths: exact where floats are not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Amount(u64);

impl Amount {
    /// From millionths.
    pub fn from_millionths(millionths: u64) -> Self {
        Self(millionths)
    }

    /// In millionths.
    pub fn millionths(self) -> u64 {
        self.0
    }

    /// The amount that `number` is, if it is not negative and has at most six decimals.
    pub fn from_number(number: Number) -> Option<Self> {
        Self::parse(&crate::canonical::to_string(&Json::Number(number)))
    }

    /// Reads `12` or `12.50`.
    pub fn parse(text: &str) -> Option<Self> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(whole) || !digits(fraction) || fraction.len() > 6 {
            return None;
        }
        let whole = whole.parse::<u64>().ok()?.checked_mul(1_000_000)?;
        let fraction = format!("{fraction:0<6}").parse::<u64>().ok()?;
        whole.checked_add(fraction).map(Self)
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, fraction) = (self.0 / 1_000_000, self.0 % 1_000_000);
        if fraction == 0 {
            return write!(f, "{whole}");
        }
        let fraction = format!("{fraction:06}");
        write!(f, "{whole}.{}", fraction.trim_end_matches('0'))
    }
}

/// When something may be done: spans of the week in a time zone.
#[derive(Clone, Debug)]
pub struct Hours {
    zone: String,
    spans: Vec<Span>,
    timezone: TimeZone,
}

/// A part of some days. It does not pass midnight; two spans do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// One bit for each day, Monday the lowest.
    pub days: u8,
    /// The first minute of the day that counts.
    pub from: u16,
    /// The first minute that no longer does; 1440 for midnight.
    pub until: u16,
}

impl PartialEq for Hours {
    fn eq(&self, other: &Self) -> bool {
        (&self.zone, &self.spans) == (&other.zone, &other.spans)
    }
}

impl Eq for Hours {}

const DAYS: &[&str] = &["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"];
const SPANS_MAX: usize = 32;

impl Hours {
    /// `spans` in `zone`: a name such as `Europe/Berlin`, `UTC`, or an offset such as `+02:00`.
    pub fn new(zone: &str, spans: Vec<Span>) -> Result<Self, String> {
        let timezone = timezone(zone).ok_or_else(|| {
            format!("`{}` is no time zone; write one like `Europe/Berlin`, `UTC` or `+02:00`", excerpt(zone))
        })?;
        let proper =
            |span: &Span| (1..128).contains(&span.days) && span.from < span.until && span.until <= 24 * 60;
        if spans.is_empty() || spans.len() > SPANS_MAX || !spans.iter().all(proper) {
            return Err("hours are spans such as `Mo-Fr 08:00-18:00`, each within one day".to_owned());
        }
        Ok(Self { zone: zone.to_owned(), spans, timezone })
    }

    /// Reads `Mo-Fr 08:00-18:00, Sa 10:00-14:00 Europe/Berlin`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = |what: &str| {
            format!("`{}` {what}; write hours like `Mo-Fr 08:00-18:00 Europe/Berlin`", excerpt(text))
        };
        let (spans, zone) = text.trim().rsplit_once(' ').ok_or_else(|| wrong("has no time zone"))?;
        let spans = spans
            .split(',')
            .map(|span| {
                let (days, times) =
                    span.trim().split_once(' ').ok_or_else(|| wrong("has no days or times"))?;
                let (from, until) = times.trim().split_once('-').ok_or_else(|| wrong("has no end"))?;
                let days = days_of(days).ok_or_else(|| wrong("has days that are not `Mo` to `Su`"))?;
                let from = minute(from).ok_or_else(|| wrong("has times that are not `00:00` to `24:00`"))?;
                let until =
                    minute(until).ok_or_else(|| wrong("has times that are not `00:00` to `24:00`"))?;
                if from >= until {
                    return Err(wrong("ends before it begins, and two spans are needed to pass midnight"));
                }
                Ok(Span { days, from, until })
            })
            .collect::<Result<Vec<_>, _>>()?;
        Self::new(zone, spans)
    }

    /// Whether `now` lies in one of the spans.
    pub fn hold(&self, now: Timestamp) -> bool {
        let Ok(instant) = jiff::Timestamp::from_millisecond(now.as_ms()) else { return false };
        let civil = self.timezone.to_datetime(instant);
        let day = 1 << civil.weekday().to_monday_zero_offset();
        let minute = u16::try_from(i32::from(civil.hour()) * 60 + i32::from(civil.minute())).unwrap_or(0);
        self.spans.iter().any(|span| span.days & day != 0 && (span.from..span.until).contains(&minute))
    }
}

impl fmt::Display for Hours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, span) in self.spans.iter().enumerate() {
            let separator = if number == 0 { "" } else { ", " };
            let time = |minute: u16| format!("{:02}:{:02}", minute / 60, minute % 60);
            write!(f, "{separator}{} {}-{}", days_text(span.days), time(span.from), time(span.until))?;
        }
        write!(f, " {}", self.zone)
    }
}

fn timezone(name: &str) -> Option<TimeZone> {
    if name == "UTC" {
        return Some(TimeZone::UTC);
    }
    if let [sign @ (b'+' | b'-'), a, b, b':', c, d] = name.as_bytes() {
        let digit = |byte: &u8| byte.is_ascii_digit().then(|| i32::from(byte - b'0'));
        let minutes = (digit(a)? * 10 + digit(b)?) * 60 + digit(c)? * 10 + digit(d)?;
        let seconds = minutes * if *sign == b'-' { -60 } else { 60 };
        return (minutes <= 14 * 60).then(|| Offset::from_seconds(seconds).ok().map(TimeZone::fixed))?;
    }
    // The name must be the one in the table, letter by letter: one zone, one spelling.
    let zone = TimeZoneDatabase::bundled().get(name).ok()?;
    (zone.iana_name() == Some(name)).then_some(zone)
}

fn days_of(text: &str) -> Option<u8> {
    let mut days = 0;
    for part in text.split('+') {
        let day = |name: &str| DAYS.iter().position(|day| day.eq_ignore_ascii_case(name));
        let (first, last) = match part.split_once('-') {
            Some((first, last)) => (day(first)?, day(last)?),
            None => (day(part)?, day(part)?),
        };
        if first > last {
            return None;
        }
        for day in first..=last {
            days |= 1 << day;
        }
    }
    Some(days)
}

fn days_text(days: u8) -> String {
    let has = |day: usize| days >> day & 1 == 1;
    let mut parts = Vec::new();
    let mut day = 0;
    while day < 7 {
        if has(day) {
            let mut last = day;
            while last < 6 && has(last + 1) {
                last += 1;
            }
            parts.push(if last == day {
                DAYS[day].to_owned()
            } else {
                format!("{}-{}", DAYS[day], DAYS[last])
            });
            day = last;
        }
        day += 1;
    }
    parts.join("+")
}

fn minute(text: &str) -> Option<u16> {
    let [a, b, b':', c, d] = text.trim().as_bytes() else { return None };
    let digit = |byte: &u8| byte.is_ascii_digit().then(|| u16::from(byte - b'0'));
    let (hour, minute) = (digit(a)? * 10 + digit(b)?, digit(c)? * 10 + digit(d)?);
    (minute < 60 && hour * 60 + minute <= 24 * 60).then_some(hour * 60 + minute)
}

impl Limits {
    /// Whether nothing is limited.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Each limit in words.
    pub fn describe(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(calls) = self.max_calls {
            lines.push(format!("at most {calls} calls"));
        }
        if let Some(rate) = self.rate {
            lines.push(format!("at most {} calls in {}", rate.count, duration(rate.per_ms)));
        }
        for budget in &self.budgets {
            lines.push(format!("`{}` adds up to at most {}", excerpt(&budget.argument), budget.most));
        }
        if let Some(hours) = &self.hours {
            lines.push(format!("only {hours}"));
        }
        if let Some(risk) = self.max_risk {
            lines.push(format!("no call riskier than {risk}"));
        }
        lines
    }

    pub(super) fn write(&self, to: &mut Writer) {
        let Self { max_calls, rate, budgets, hours, max_risk } = self;
        let count =
            [max_calls.is_some(), rate.is_some(), !budgets.is_empty(), hours.is_some(), max_risk.is_some()]
                .iter()
                .filter(|present| **present)
                .count();
        to.map(count);
        if let Some(calls) = max_calls {
            to.uint(1).uint(*calls);
        }
        if let Some(rate) = rate {
            to.uint(2).array(2).uint(rate.count).uint(rate.per_ms);
        }
        if !budgets.is_empty() {
            let mut budgets: Vec<&Budget> = budgets.iter().collect();
            budgets.sort_by(|a, b| text_order(&a.argument, &b.argument));
            to.uint(3).map(budgets.len());
            for budget in budgets {
                to.text(&budget.argument).uint(budget.most.millionths());
            }
        }
        if let Some(hours) = hours {
            to.uint(4).array(2).text(&hours.zone).array(hours.spans.len());
            for span in &hours.spans {
                to.array(3).uint(span.days.into()).uint(span.from.into()).uint(span.until.into());
            }
        }
        if let Some(risk) = max_risk {
            to.uint(5).uint(risk.as_hundredths().into());
        }
    }

    pub(super) fn read(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut limits = Self::default();
        let mut keys = Keys::of(from)?;
        while let Some(key) = keys.next(from)? {
            match key {
                1 => limits.max_calls = Some(from.uint()?),
                2 => {
                    from.array_of(2)?;
                    let rate = Rate { count: from.uint()?, per_ms: from.uint()? };
                    if rate.per_ms == 0 {
                        return from.refuse("a rate is over no time");
                    }
                    limits.rate = Some(rate);
                }
                3 => {
                    let length = from.map()?;
                    for _ in 0..length {
                        let (argument, most) = (from.text()?.to_owned(), Amount(from.uint()?));
                        let before = |last: &Budget| text_order(&last.argument, &argument) == Ordering::Less;
                        if !limits.budgets.last().is_none_or(before) {
                            return from.refuse("keys are out of order, or one appears twice");
                        }
                        limits.budgets.push(Budget { argument, most });
                    }
                    if length == 0 {
                        return from.refuse("a map is empty that should be absent");
                    }
                }
                4 => {
                    from.array_of(2)?;
                    let zone = from.text()?;
                    let length = from.array()?;
                    let mut spans = Vec::new();
                    for _ in 0..length {
                        from.array_of(3)?;
                        let small = |number: u64| u16::try_from(number).unwrap_or(u16::MAX);
                        let (days, start, until) = (from.uint()?, from.uint()?, from.uint()?);
                        let days = u8::try_from(days).unwrap_or(0);
                        spans.push(Span { days, from: small(start), until: small(until) });
                    }
                    limits.hours = match Hours::new(zone, spans) {
                        Ok(hours) => Some(hours),
                        Err(_) => return from.refuse("hours are not valid"),
                    };
                }
                5 => match u32::try_from(from.uint()?) {
                    Ok(risk) if risk <= 100 => limits.max_risk = Some(Score::hundredths(risk)),
                    Ok(_) | Err(_) => return from.refuse("a risk is above 1"),
                },
                _ => return from.refuse("a limit is not known"),
            }
        }
        if limits.is_empty() {
            return from.refuse("a map is empty that should be absent");
        }
        Ok(limits)
    }
}

/// A length of time for people: `90m`, `1h`, `2d`.
pub fn duration(ms: u64) -> String {
    const UNITS: &[(u64, &str)] = &[(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1_000, "s")];
    for (unit, letter) in UNITS {
        if ms >= *unit && ms.is_multiple_of(*unit) {
            return format!("{}{letter}", ms / unit);
        }
    }
    format!("{ms}ms")
}

/// Reads `90m`, `1h30m`, `2d`. In milliseconds.
pub fn parse_duration(text: &str) -> Option<u64> {
    let mut total: u64 = 0;
    let mut rest = text.trim();
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let number: u64 = rest[..digits].parse().ok()?;
        rest = &rest[digits..];
        let letters = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        let unit = match &rest[..letters] {
            "ms" => 1,
            "s" => 1_000,
            "m" | "min" => 60_000,
            "h" => 3_600_000,
            "d" => 86_400_000,
            "w" => 7 * 86_400_000,
            _ => return None,
        };
        rest = &rest[letters..];
        total = total.checked_add(number.checked_mul(unit)?)?;
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_follow_their_zone() {
        let hours = Hours::parse("Mo-Fr 08:00-18:00, Sa 10:00-14:00 Europe/Berlin").unwrap();
        assert_eq!(hours.to_string(), "Mo-Fr 08:00-18:00, Sa 10:00-14:00 Europe/Berlin");
        for (at, held) in [
            ("2026-01-05T06:59:00Z", false), // a Monday in winter, one hour ahead
            ("2026-01-05T07:00:00Z", true),
            ("2026-01-05T16:59:59Z", true),
            ("2026-01-05T17:00:00Z", false),
            ("2026-07-06T06:00:00Z", true), // a Monday in summer, two hours ahead
            ("2026-07-06T05:59:00Z", false),
            ("2026-01-10T09:30:00Z", true),
            ("2026-01-11T09:30:00Z", false),
        ] {
            assert_eq!(hours.hold(Timestamp::parse(at).unwrap()), held, "{at}");
        }
        for (text, what) in [
            ("Mo 08:00-18:00", "has no days or times"),
            ("Mo 08:00-18:00 europe/berlin", "is no time zone"),
            ("Mo 22:00-06:00 UTC", "ends before it begins"),
            ("Xx 08:00-18:00 UTC", "has days that are not"),
            ("Mo 08:00-25:00 UTC", "has times that are not"),
        ] {
            let error = Hours::parse(text).unwrap_err();
            assert!(error.contains(what), "{text}: {error}");
        }
        assert!(Hours::parse("Mo+We-Th 00:00-24:00 +05:30").is_ok());
    }

    #[test]
    fn amounts_are_exact() {
        for (text, millionths) in [
            ("12", Some(12_000_000)),
            ("0.1", Some(100_000)),
            ("0.000001", Some(1)),
            ("0.0000001", None),
            ("-1", None),
            ("1e3", None),
            ("", None),
            ("18446744073709.551615", Some(u64::MAX)),
            ("18446744073709.551616", None),
        ] {
            assert_eq!(Amount::parse(text).map(Amount::millionths), millionths, "{text}");
        }
        assert_eq!(Amount::parse("12.50").unwrap().to_string(), "12.5");
    }

    #[test]
    fn durations_read_and_print() {
        for (text, ms) in [
            ("1h", Some(3_600_000)),
            ("1h30m", Some(5_400_000)),
            ("2d", Some(172_800_000)),
            ("5", None),
            ("h", None),
            ("", None),
        ] {
            assert_eq!(parse_duration(text), ms, "{text}");
        }
        assert_eq!(duration(5_400_000), "90m");
    }
}
