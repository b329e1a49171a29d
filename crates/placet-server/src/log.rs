//! What the service says of itself: a line for each thing, as `key=value` or as JSON, with nothing in it that could move a
//! cursor.

use std::{
    io::Write,
    sync::{Arc, Mutex, PoisonError},
};

use placet_core::{Timestamp, printable};

/// Where lines go.
#[derive(Clone)]
pub struct Log {
    to: Arc<Mutex<dyn Write + Send>>,
    json: bool,
}

/// The longest value that is written.
const VALUE_MAX: usize = 300;

impl Log {
    /// A log that writes to `to`.
    pub fn to(to: impl Write + Send + 'static) -> Self {
        Self { to: Arc::new(Mutex::new(to)), json: false }
    }

    /// The same, a JSON object a line.
    pub fn json_to(to: impl Write + Send + 'static) -> Self {
        Self { json: true, ..Self::to(to) }
    }

    /// Writes a line. Values are cut and cleaned; callers never pass secrets, arguments or bodies.
    pub fn say(&self, at: Timestamp, what: &str, values: &[(&str, &dyn std::fmt::Display)]) {
        let cleaned = values.iter().map(|(key, value)| (*key, on_one_line(&value.to_string())));
        let mut line = if self.json { as_json(at, what, cleaned) } else { as_text(at, what, cleaned) };
        line.push('\n');
        let mut to = self.to.lock().unwrap_or_else(PoisonError::into_inner);
        // A log that cannot be written must not stop the service; the audit log is another thing.
        let _ = to.write_all(line.as_bytes()).and_then(|()| to.flush());
    }
}

/// A value as a part of a line.
fn on_one_line(value: &str) -> String {
    let lines: Vec<&str> = value.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    printable::shown(&lines.join(" / "), VALUE_MAX)
}

fn as_text<'a>(at: Timestamp, what: &str, values: impl Iterator<Item = (&'a str, String)>) -> String {
    let mut line = format!("{at} {what}");
    for (key, value) in values {
        let plain = !value.is_empty() && !value.contains([' ', '"', '=']);
        line.push(' ');
        line.push_str(key);
        line.push('=');
        match plain {
            true => line.push_str(&value),
            false => line.push_str(&format!("{value:?}")),
        }
    }
    line
}

fn as_json<'a>(at: Timestamp, what: &str, values: impl Iterator<Item = (&'a str, String)>) -> String {
    let mut line = serde_json::Map::new();
    line.insert("at".to_owned(), at.to_string().into());
    line.insert("what".to_owned(), what.into());
    line.extend(values.map(|(key, value)| (key.to_owned(), value.into())));
    serde_json::Value::Object(line).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn said(make: fn(Kept) -> Log) -> String {
        let kept = Kept::default();
        let at = Timestamp::parse("2026-03-02T12:00:00Z").unwrap();
        make(kept.clone()).say(at, "refused", &[("path", &"/a\u{1b}[2J b\n  c\r\n"), ("status", &403)]);
        let bytes = kept.0.lock().unwrap().clone();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_line_is_one_line_whatever_is_in_it() {
        for line in [said(Log::to), said(Log::json_to)] {
            assert_eq!(line.matches('\n').count(), 1, "{line}");
            assert!(!line.contains('\u{1b}') && line.contains("b / c\""), "{line}");
        }
        let json: serde_json::Value = serde_json::from_str(&said(Log::json_to)).unwrap();
        assert_eq!((&json["what"], &json["status"]), (&"refused".into(), &"403".into()));
    }
}
