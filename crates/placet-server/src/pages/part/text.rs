//! Texts, times and numbers, as pages show them.

use maud::{Markup, html};
use placet_core::{Timestamp, printable};

/// Text from outside. Letters that would hide, or turn the direction of writing, are shown as marks; new lines and tabs
/// stay.
pub fn plain(text: &str) -> String {
    let letter = |letter| if matches!(letter, '\n' | '\t') { letter } else { printable::printable(letter) };
    text.chars().map(letter).collect()
}

/// The beginning of a text from outside, on one line.
pub fn short(text: &str, letters: usize) -> String {
    printable::shown(text, letters)
}

/// A number with its thousands apart.
pub fn number(number: impl Into<i128>) -> String {
    let number = number.into();
    let digits = number.unsigned_abs().to_string();
    let mut shown = String::from(if number < 0 { "-" } else { "" });
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

/// `1 call`, `3 calls`.
pub fn several(count: u64, one: &str, many: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{} {many}", number(count)) }
}

/// The time of day. The script shows it as it is where the reader is; without it, it is that of Greenwich.
pub fn clock(at: Timestamp) -> Markup {
    let text = at.to_string();
    html! { time datetime=(text) data-as="clock" title={ (text) } { (text.get(11..19).unwrap_or(&text)) } }
}

/// The same without seconds.
pub fn minute(at: Timestamp) -> Markup {
    let text = at.to_string();
    html! { time datetime=(text) data-as="minute" title={ (text) } { (text.get(11..16).unwrap_or(&text)) } }
}

/// Day and time.
pub fn date(at: Timestamp) -> Markup {
    let text = at.to_string();
    html! {
        time datetime=(text) data-as="date" title={ (text) } {
            (text.get(..10).unwrap_or(&text)) " " (text.get(11..16).unwrap_or(""))
        }
    }
}

/// How long ago something was.
pub fn ago(at: Timestamp, now: Timestamp) -> Markup {
    html! { time.nowrap datetime=(at.to_string()) title=(at.to_string()) { (lasted(now.ms_since(at).max(0))) } }
}

/// A length of time, in its largest unit: `4 s`, `12 min`, `3 h`, `2 d`.
pub fn lasted(ms: i64) -> String {
    match ms {
        ..1_000 => format!("{} ms", ms.max(0)),
        1_000..60_000 => format!("{} s", ms / 1_000),
        60_000..3_600_000 => format!("{} min", ms / 60_000),
        3_600_000..172_800_000 => format!("{} h", ms / 3_600_000),
        _ => format!("{} d", ms / 86_400_000),
    }
}

/// A length of time in milliseconds, as exactly as it matters: `12 ms`, `1.2 s`, `4:12`.
pub fn took_ms(ms: i64) -> String {
    match ms {
        ..1_000 => format!("{} ms", ms.max(0)),
        1_000..10_000 => format!("{}.{} s", ms / 1_000, ms % 1_000 / 100),
        10_000..60_000 => format!("{} s", ms / 1_000),
        _ => left(ms),
    }
}

/// A short time: `41 µs`, `2.4 ms`, `1.2 s`.
pub fn took(us: u64) -> String {
    match us {
        ..1_000 => format!("{us} µs"),
        1_000..1_000_000 => format!("{:.1} ms", us as f64 / 1e3),
        _ => format!("{:.1} s", us as f64 / 1e6),
    }
}

/// Time that is left, as on a clock: `4:12`.
pub fn left(ms: i64) -> String {
    let seconds = ms.max(0) / 1_000;
    match seconds / 3_600 {
        0 => format!("{}:{:02}", seconds / 60, seconds % 60),
        hours => format!("{hours}:{:02}:{:02}", seconds / 60 % 60, seconds % 60),
    }
}

/// A bar of `part` hundredths.
pub fn meter(part: u32, high: bool, inline: bool) -> Markup {
    html! {
        svg class={ "meter" @if inline { " inline" } } viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" {
            rect.high[high] width=(part.min(100)) height="8" {}
        }
    }
}

/// What is said where there is nothing yet.
pub fn empty(shape: &str, title: &str, what: Markup) -> Markup {
    html! { div.empty { (super::icon::icon(shape)) h2 { (title) } p { (what) } } }
}

/// A value for a query or a part of a path.
pub fn escaped(text: &str) -> String {
    // A plus is a blank only in queries.
    form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>().replace('+', "%20")
}

/// A text of ours in which names stand between backticks.
pub fn ticked(text: &str) -> Markup {
    html! {
        @for (at, part) in text.split('`').enumerate() {
            @if at % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_times_are_easy_to_read() {
        let numbers =
            [(0, "0"), (999, "999"), (1_000, "1,000"), (-48_211, "-48,211"), (1_234_567, "1,234,567")];
        for (value, shown) in numbers {
            assert_eq!(number(value), shown);
        }
        let times =
            [(5, "5 ms"), (4_900, "4 s"), (720_000, "12 min"), (7_200_000, "2 h"), (259_200_000, "3 d")];
        for (ms, shown) in times {
            assert_eq!(lasted(ms), shown);
        }
        assert_eq!(
            (left(252_999), left(-4), left(3_725_000)),
            ("4:12".into(), "0:00".into(), "1:02:05".into())
        );
        assert_eq!(plain("a\u{202e}b\u{1b}[2J\n\tc"), "a\u{fffd}b\u{fffd}[2J\n\tc");
        assert_eq!(escaped("a b/c?+"), "a%20b%2Fc%3F%2B");
    }
}
