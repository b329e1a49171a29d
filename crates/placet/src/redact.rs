//! `placet redact`: text in, the same with its secrets masked out.

use std::{
    borrow::Cow,
    fs::File,
    io::{self, BufRead, BufReader, BufWriter, Read, Write},
    path::Path,
    process::ExitCode,
};

use anyhow::Context;
use placet_core::{
    Json, Redactor,
    json::JsonError,
    redact::{Moves, PatternsFile},
};
use serde::Serialize;

use crate::{cli::Redact, config, lines::skip_line};

/// Longer lines are refused without being kept.
const LINE_MAX: u64 = 16 * 1024 * 1024;

/// So much is read at once, and lines that came together are looked at together.
const CHUNK: usize = 1 << 20;

/// Some line could not be read.
const SOME_BAD: u8 = 3;

/// What stands in the output for a line that could not be read: never the line.
const UNREADABLE: &str = "«unreadable»";

/// What was found in a line, for `--json`.
#[derive(Serialize)]
struct Listed<'a> {
    line: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    found: Vec<ListedSecret<'a>>,
}

/// One secret: what it is and where, never the secret.
#[derive(Serialize)]
struct ListedSecret<'a> {
    kind: &'a str,
    /// Which string of the line, as a JSON pointer.
    pointer: &'a str,
    /// The bytes of that string.
    start: usize,
    end: usize,
}

/// Runs the command.
pub fn run(arguments: &Redact) -> anyhow::Result<ExitCode> {
    let redactor = redactor(arguments)?;
    let mut output = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let all_read = match arguments.file.as_deref().filter(|file| *file != Path::new("-")) {
        Some(file) => {
            let input = File::open(file).with_context(|| format!("cannot read `{}`", file.display()))?;
            redact_lines(arguments, &redactor, BufReader::with_capacity(CHUNK, input), &mut output)?
        }
        None => redact_lines(
            arguments,
            &redactor,
            BufReader::with_capacity(CHUNK, io::stdin().lock()),
            &mut output,
        )?,
    };
    output.flush().context("cannot write the text")?;
    Ok(if all_read { ExitCode::SUCCESS } else { ExitCode::from(SOME_BAD) })
}

fn redactor(arguments: &Redact) -> anyhow::Result<Redactor> {
    let mut redactor = Redactor::default();
    if arguments.personal {
        redactor = redactor.with_personal();
    }
    if let Some(file) = &arguments.patterns {
        let text = std::fs::read_to_string(file)
            .with_context(|| format!("cannot read the patterns `{}`", file.display()))?;
        let patterns: PatternsFile = config::read_toml(file, &text)?;
        let patterns =
            patterns.compile().with_context(|| format!("cannot use the patterns `{}`", file.display()))?;
        redactor = redactor.with_patterns(patterns);
    }
    Ok(redactor)
}

/// Masks line by line; `false` if some line could not be read.
fn redact_lines<R: Read>(
    arguments: &Redact,
    redactor: &Redactor,
    mut input: BufReader<R>,
    output: &mut impl Write,
) -> anyhow::Result<bool> {
    if arguments.text {
        return Stream { redactor, listed: arguments.json, line: 1, pending: Vec::new() }
            .run(&mut input, output);
    }
    let mut line = Vec::new();
    let mut all_read = true;
    for number in 1usize.. {
        // Whoever feeds us line by line waits for the answer to the last one.
        if input.buffer().is_empty() {
            output.flush().context("cannot write the text")?;
        }
        line.clear();
        let length =
            (&mut input).take(LINE_MAX).read_until(b'\n', &mut line).context("cannot read the text")?;
        if length == 0 {
            break;
        }
        let read = if line.last() != Some(&b'\n') && length as u64 == LINE_MAX {
            skip_line(&mut input)?;
            Err(format!("is longer than {LINE_MAX} bytes"))
        } else {
            Json::read(line.trim_ascii()).map_err(|error| why(&error))
        };
        match read {
            Ok(json) => {
                let (masked, moves) = redactor.record().json_moved(&json);
                match arguments.json {
                    true => write_json(output, &Listed { line: number, error: None, found: list(&moves) })?,
                    false => write_json(output, &*masked)?,
                }
            }
            Err(why) => {
                all_read = false;
                // Not a word of the line itself: nobody knows what is in it.
                complain(number, &why)?;
                match arguments.json {
                    true => {
                        write_json(output, &Listed { line: number, error: Some(&why), found: Vec::new() })?
                    }
                    false => write_json(output, &UNREADABLE)?,
                }
            }
        }
    }
    Ok(all_read)
}

fn list(moves: &Moves) -> Vec<ListedSecret<'_>> {
    moves
        .found()
        .map(|(pointer, found)| ListedSecret {
            kind: &found.kind,
            pointer: pointer.as_str(),
            start: found.range.start,
            end: found.range.end,
        })
        .collect()
}

/// Why a line cannot be read, without quoting it.
fn why(error: &JsonError) -> String {
    match error {
        JsonError::DuplicateKey { place, .. } => {
            format!("has a key twice in the object that ends at {place}")
        }
        JsonError::Inexact { place, .. } => {
            format!("has a number that cannot be represented exactly at {place}")
        }
        JsonError::TooLong { .. }
        | JsonError::NotUtf8 { .. }
        | JsonError::Syntax { .. }
        | JsonError::Trailing { .. }
        | JsonError::TooDeep { .. }
        | JsonError::TooMany { .. } => format!("cannot be read: {error}"),
    }
}

fn complain(line: usize, why: &str) -> anyhow::Result<()> {
    writeln!(anstream::stderr(), "line {line} {why}; its text is left out").context("cannot write the errors")
}

fn write_json(output: &mut impl Write, value: &(impl Serialize + ?Sized)) -> anyhow::Result<()> {
    serde_json::to_writer(&mut *output, value).map_err(io::Error::from).context("cannot write the text")?;
    output.write_all(b"\n").context("cannot write the text")
}

/// Plain text that is masked as it comes.
struct Stream<'r> {
    redactor: &'r Redactor,
    /// Lists what was found in place of the text.
    listed: bool,
    /// The number of the first line that is pending.
    line: usize,
    pending: Vec<u8>,
}

/// So much text is kept back at most, to see keys that go over many lines as one.
const PENDING_MAX: usize = 4 * 1024 * 1024;
/// So much of a key that has not ended is waited for; no key is longer.
const OPEN_MAX: usize = 128 * 1024;

impl Stream<'_> {
    fn run<R: Read>(mut self, input: &mut BufReader<R>, output: &mut impl Write) -> anyhow::Result<bool> {
        let mut all_read = true;
        loop {
            let before = self.pending.len();
            let length = input
                .by_ref()
                .take(LINE_MAX)
                .read_until(b'\n', &mut self.pending)
                .context("cannot read the text")?;
            if length as u64 == LINE_MAX && self.pending.last() != Some(&b'\n') {
                skip_line(input)?;
                self.pending.truncate(before);
                self.flush(output)?;
                let why = format!("is longer than {LINE_MAX} bytes");
                complain(self.line, &why)?;
                all_read = false;
                match self.listed {
                    true => {
                        write_json(output, &Listed { line: self.line, error: Some(&why), found: Vec::new() })?
                    }
                    false => writeln!(output, "{UNREADABLE}").context("cannot write the text")?,
                }
                self.line += 1;
                continue;
            }
            let ends = length == 0;
            // Nothing more has come yet: whoever watches should see what there is.
            if ends
                || self.pending.len() > PENDING_MAX
                || input.buffer().is_empty() && (self.pending.len() > OPEN_MAX || !self.is_open())
            {
                self.flush(output)?;
                output.flush().context("cannot write the text")?;
            }
            if ends {
                return Ok(all_read);
            }
        }
    }

    /// Whether a private key has begun and not ended.
    fn is_open(&self) -> bool {
        let last = |word: &[u8]| self.pending.windows(word.len()).rposition(|window| window == word);
        match (last(b"-----BEGIN "), last(b"-----END ")) {
            (Some(begin), end) => end.is_none_or(|end| end < begin),
            (None, _) => false,
        }
    }

    /// Masks what is pending.
    fn flush(&mut self, output: &mut impl Write) -> anyhow::Result<()> {
        let pending = std::mem::take(&mut self.pending);
        let text: Cow<'_, str> = String::from_utf8_lossy(&pending);
        let masked = self.redactor.record().masked(&text);
        if self.listed {
            for found in &masked.found {
                let before = text.get(..found.range.start).unwrap_or("");
                let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1);
                let line = self.line + before.matches('\n').count();
                let secret = ListedSecret {
                    kind: &found.kind,
                    pointer: "",
                    start: column,
                    end: column + found.range.len(),
                };
                write_json(output, &Listed { line, error: None, found: vec![secret] })?;
            }
        } else {
            output.write_all(masked.text.as_bytes()).context("cannot write the text")?;
        }
        self.line += text.matches('\n').count();
        Ok(())
    }
}
