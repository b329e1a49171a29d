//! Events, one JSON object a line.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read},
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};

use anyhow::Context;
use placet_core::{Event, Json, Timestamp};

/// Longer lines are refused without being kept.
const LINE_MAX: u64 = 16 * 1024 * 1024;

/// The lines of an input.
pub struct Lines {
    input: BufReader<Box<dyn Read>>,
    line: Vec<u8>,
    number: usize,
}

/// What a line says.
pub enum Line {
    /// An event.
    Event(Box<Event>),
    /// Nothing that can be read, and why.
    Bad(String),
}

impl Lines {
    /// The lines of `file`, or of standard input if there is none or it is `-`.
    pub fn open(file: Option<&Path>) -> anyhow::Result<Self> {
        let input: Box<dyn Read> = match file.filter(|file| *file != Path::new("-")) {
            Some(file) => {
                Box::new(File::open(file).with_context(|| format!("cannot read `{}`", file.display()))?)
            }
            None => Box::new(io::stdin().lock()),
        };
        Ok(Self { input: BufReader::new(input), line: Vec::new(), number: 0 })
    }

    /// Whether the next line may have to be waited for.
    pub fn must_wait(&self) -> bool {
        self.input.buffer().is_empty()
    }

    /// The number of the line that was read last.
    pub fn number(&self) -> usize {
        self.number
    }

    /// That line, as it is written.
    pub fn text(&self) -> &[u8] {
        &self.line
    }

    /// The next line; nothing at the end.
    pub fn next(&mut self) -> anyhow::Result<Option<Line>> {
        self.line.clear();
        let length = (&mut self.input)
            .take(LINE_MAX)
            .read_until(b'\n', &mut self.line)
            .context("cannot read the calls")?;
        if length == 0 {
            return Ok(None);
        }
        self.number += 1;
        let number = self.number;
        if self.line.last() != Some(&b'\n') && length as u64 == LINE_MAX {
            skip_line(&mut self.input)?;
            return Ok(Some(Line::Bad(format!("line {number} is longer than {LINE_MAX} bytes"))));
        }
        let text = self.line.trim_ascii();
        if text.is_empty() {
            return Ok(Some(Line::Bad(format!("line {number} is empty"))));
        }
        let read = Json::read(text)
            .map_err(anyhow::Error::from)
            .and_then(|json| Event::from_json(&json).map_err(anyhow::Error::from));
        Ok(Some(match read {
            Ok(event) => Line::Event(Box::new(event)),
            Err(error) => Line::Bad(format!("line {number} is not a call: {error:#}")),
        }))
    }
}

/// Passes over the rest of a line.
pub fn skip_line<R: Read>(input: &mut BufReader<R>) -> io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        if buffer.is_empty() {
            return Ok(());
        }
        match buffer.iter().position(|byte| *byte == b'\n') {
            Some(at) => {
                input.consume(at + 1);
                return Ok(());
            }
            None => {
                let length = buffer.len();
                input.consume(length);
            }
        }
    }
}

/// When an event happens: when it says so, else now.
pub fn time_of(event: &Event) -> Timestamp {
    event.at().unwrap_or_else(|| {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_millis())
            .ok()
            .and_then(|ms| Timestamp::from_ms(ms).ok())
            .unwrap_or(Timestamp::MAX)
    })
}
