//! What the service says of itself: a line for each thing, as `key=value`, with nothing in it that could move a cursor.

use std::{
    io::Write,
    sync::{Arc, Mutex, PoisonError},
};

use placet_core::{Timestamp, printable};

/// Where lines go.
#[derive(Clone)]
pub struct Log(Arc<Mutex<dyn Write + Send>>);

/// The longest value that is written.
const VALUE_MAX: usize = 300;

impl Log {
    /// A log that writes to `to`.
    pub fn to(to: impl Write + Send + 'static) -> Self {
        Self(Arc::new(Mutex::new(to)))
    }

    /// Writes a line. Values are cut and cleaned; callers never pass secrets, arguments or bodies.
    pub fn say(&self, at: Timestamp, what: &str, values: &[(&str, &dyn std::fmt::Display)]) {
        let mut line = format!("{at} {what}");
        for (key, value) in values {
            let value = printable::shown(&value.to_string(), VALUE_MAX);
            let plain = !value.is_empty() && !value.contains([' ', '"', '=']);
            line.push(' ');
            line.push_str(key);
            line.push('=');
            match plain {
                true => line.push_str(&value),
                false => line.push_str(&format!("{value:?}")),
            }
        }
        line.push('\n');
        let mut to = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A log that cannot be written must not stop the service; the audit log is another thing.
        let _ = to.write_all(line.as_bytes()).and_then(|()| to.flush());
    }
}
