//! What the service says of itself: a line for each thing, as `key=value` or as JSON, with nothing in it that could move a
//! cursor.

use std::{
    collections::VecDeque,
    io::Write,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use placet_core::{Redactor, Timestamp, printable};

/// Where lines go. They are written by a thread of their own: whoever reads them may be slow, or gone, or have stopped
/// reading, and no call waits for that. The audit log is another thing.
#[derive(Clone)]
pub struct Log {
    /// Nothing where nobody reads.
    lines: Option<Arc<Lines>>,
    json: bool,
}

/// The longest value that is written.
const VALUE_MAX: usize = 300;
/// Lines that may wait to be written; what comes beyond is counted.
const LINES_MAX: usize = 2_048;

impl Log {
    /// A log that nobody reads.
    pub fn none() -> Self {
        Self { lines: None, json: false }
    }

    /// A log that writes to `to`.
    pub fn to(to: impl Write + Send + 'static) -> Self {
        let queue = Arc::new(Queue::default());
        let written = Arc::clone(&queue);
        // Where there is no thread to be had, lines are lost, and nothing else.
        let thread = std::thread::Builder::new().name("placet-log".to_owned());
        match thread.spawn(move || written.write_to(to)) {
            Ok(_) => Self { lines: Some(Arc::new(Lines(queue))), json: false },
            Err(_) => Self::none(),
        }
    }

    /// The same, a JSON object a line.
    pub fn json_to(to: impl Write + Send + 'static) -> Self {
        Self { json: true, ..Self::to(to) }
    }

    /// Has a line written. Values are cut and cleaned; callers never pass secrets, arguments or bodies.
    pub fn say(&self, at: Timestamp, what: &str, values: &[(&str, &dyn std::fmt::Display)]) {
        let Some(Lines(queue)) = self.lines.as_deref() else { return };
        let line = self.line(at, what, values);
        let mut waiting = queue.lock();
        if waiting.lines.len() >= LINES_MAX {
            waiting.lost += 1;
            return;
        }
        if waiting.lost > 0 {
            let lost = std::mem::take(&mut waiting.lost);
            waiting.lines.push_back(self.line(at, "lines lost, which nobody took", &[("count", &lost)]));
        }
        waiting.lines.push_back(line);
        drop(waiting);
        queue.changed.notify_all();
    }

    /// Waits until all that was said is written, but not for ever. False if it is not.
    pub fn flush(&self, patience: Duration) -> bool {
        let Some(Lines(queue)) = self.lines.as_deref() else { return true };
        let waits = |waiting: &mut Waiting| waiting.writes || !waiting.lines.is_empty();
        let waited = queue.changed.wait_timeout_while(queue.lock(), patience, waits);
        !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }

    fn line(&self, at: Timestamp, what: &str, values: &[(&str, &dyn std::fmt::Display)]) -> String {
        let cleaned = values
            .iter()
            .map(|(key, value)| (*key, on_one_line(&Redactor::builtin().redact_name(&value.to_string()))));
        let mut line = if self.json { as_json(at, what, cleaned) } else { as_text(at, what, cleaned) };
        line.push('\n');
        line
    }
}

/// The lines of a log. With the last of those who have them the thread ends that writes them.
struct Lines(Arc<Queue>);

impl Drop for Lines {
    fn drop(&mut self) {
        self.0.lock().ended = true;
        self.0.changed.notify_all();
    }
}

#[derive(Default)]
struct Queue {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    lines: VecDeque<String>,
    /// How many there was no room for.
    lost: u64,
    /// Whether some are being written.
    writes: bool,
    /// Whether nobody says anything any more.
    ended: bool,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_to(&self, mut to: impl Write) {
        let mut waiting = self.lock();
        loop {
            if let Some(line) = waiting.lines.pop_front() {
                waiting.writes = true;
                drop(waiting);
                // A log that cannot be written must not stop the service.
                let _ = to.write_all(line.as_bytes()).and_then(|()| to.flush());
                waiting = self.lock();
                waiting.writes = false;
                if waiting.lines.is_empty() {
                    self.changed.notify_all();
                }
            } else if waiting.ended {
                return;
            } else {
                waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
            }
        }
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
        let log = make(kept.clone());
        log.say(at, "refused", &[("path", &"/a\u{1b}[2J b\n  c\r\n"), ("status", &403)]);
        assert!(log.flush(Duration::from_secs(60)));
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

    /// Takes nothing until it is let go.
    struct Stuck(std::sync::mpsc::Receiver<()>, Kept);

    impl Write for Stuck {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            // An end of the other side lets it go.
            let _ = self.0.recv();
            self.1.write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn nobody_waits_for_whoever_reads_and_what_is_lost_is_counted() {
        let (let_go, stuck) = std::sync::mpsc::channel();
        let kept = Kept::default();
        let log = Log::to(Stuck(stuck, kept.clone()));
        let at = Timestamp::parse("2026-03-02T12:00:00Z").unwrap();
        for number in 0..LINES_MAX + 12 {
            log.say(at, "line", &[("number", &number)]);
        }
        assert!(!log.flush(Duration::from_millis(1)));
        drop(let_go);
        assert!(log.flush(Duration::from_secs(60)));
        log.say(at, "last", &[]);
        assert!(log.flush(Duration::from_secs(60)));
        let said = String::from_utf8(kept.0.lock().unwrap().clone()).unwrap();
        let lines: Vec<&str> = said.lines().collect();
        // One may have been on its way out already when the rest came.
        let lost = LINES_MAX + 12 - (lines.len() - 2);
        assert!(lost == 12 || lost == 11, "{lost}");
        assert!(
            lines[lines.len() - 2].ends_with(&format!("lines lost, which nobody took count={lost}")),
            "{lines:?}"
        );
        assert!(lines.last().unwrap().ends_with(" last"));
    }
}
