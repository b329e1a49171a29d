//! Here-documents. The body follows the line, so the redirection first holds an index; the bodies are put in at the end.

use std::{borrow::Cow, ops::Range};

use super::{Parser, Pending, Read};
use crate::effect::shell::flow::HOLE;
use crate::effect::shell::syntax::{
    Command, Fd, Form, Part, Parts, Redirect, RedirectKind, Script, Stage, Value, Word,
};

impl<'a> Parser<'a> {
    pub(super) fn announce_here_doc(
        &mut self,
        redirects: &mut Vec<Redirect<'a>>,
        fd: Option<Fd<'a>>,
        strip_tabs: bool,
    ) -> Read<()> {
        self.skip_blanks();
        let start = self.at;
        let mut delimiter = String::new();
        let mut quoted = false;
        while !self.done() {
            match self.peek() {
                b'\'' => {
                    quoted = true;
                    delimiter.push_str(self.single_quoted()?);
                }
                b'"' => {
                    quoted = true;
                    self.delimiter_in_double_quotes(&mut delimiter)?;
                }
                b'$' if self.peek_at(1) == b'\'' && !self.only_dash() => {
                    quoted = true;
                    delimiter.push_str(&self.ansi_c_quoted()?);
                }
                b'$' if self.peek_at(1) == b'"' && self.only_bash() => self.at += 1,
                b'\\' if self.peek_at(1) == b'\n' => self.at += 2,
                b'\\' => {
                    quoted = true;
                    self.at += 1;
                    if let Some(next) = self.text[self.at.min(self.text.len())..].chars().next() {
                        delimiter.push(next);
                        self.at += next.len_utf8();
                    }
                }
                // Shells take these as they stand, with blanks and all, and differ in where they end.
                b'`' => return Err(self.fail("a here-document with backticks for a delimiter")),
                b'$' if matches!(self.peek_at(1), b'{' | b'(' | b'[') => {
                    return Err(self.fail("a here-document with an expansion for a delimiter"));
                }
                byte if self.is_separator_at(self.at) || matches!(byte, b'<' | b'>') => break,
                _ => {
                    let next = self.text[self.at..].chars().next().unwrap_or(' ');
                    delimiter.push(next);
                    self.at += next.len_utf8();
                }
            }
        }
        if self.at == start {
            return Err(self.fail("a here-document without a delimiter"));
        }
        if delimiter.contains(HOLE) {
            return Err(self.fail("a here-document whose delimiter cannot be known"));
        }
        let index = self.bodies.len();
        self.bodies.push(None);
        self.pending.push(Pending { index, delimiter: delimiter.into(), quoted, strip_tabs });
        // The range marks which body belongs here until `fill_here_docs` puts it in.
        let target = Word { parts: Parts::default(), range: index..usize::MAX };
        redirects.push(Redirect { fd, kind: RedirectKind::HereDoc, target });
        Ok(())
    }

    pub(super) fn delimiter_in_double_quotes(&mut self, delimiter: &mut String) -> Read<()> {
        self.at += 1;
        while let Some(next) = self.text[self.at.min(self.text.len())..].chars().next() {
            self.at += next.len_utf8();
            match (next, self.peek()) {
                ('"', _) => return Ok(()),
                ('\\', b'\n') => self.at += 1,
                ('\\', escaped @ (b'"' | b'\\' | b'$' | b'`')) => {
                    delimiter.push(char::from(escaped));
                    self.at += 1;
                }
                (other, _) => delimiter.push(other),
            }
        }
        Err(self.fail("a quote is never closed"))
    }

    /// Reads a substitution. The bodies announced before it follow the line on which it ends, so that a new line
    /// inside it is not theirs; what it announces itself and does not give has no body.
    pub(super) fn apart<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        let pending = std::mem::take(&mut self.pending);
        let result = self.deeper(read);
        self.pending = pending;
        result
    }

    pub(super) fn here_doc_bodies(&mut self) -> Read<()> {
        for pending in std::mem::take(&mut self.pending) {
            self.node()?;
            let start = self.at;
            let mut body_end = None;
            let mut line_start = start;
            while line_start < self.bytes.len() {
                let (line_end, line) = self.here_doc_line(line_start, pending.quoted);
                let mut line = &*line;
                if pending.strip_tabs {
                    line = line.trim_start_matches('\t');
                }
                let whole = line.strip_suffix('\r').unwrap_or(line);
                // Inside `$( … )` the closing bracket may follow on the delimiter's own line.
                let tail = whole.strip_prefix(&*pending.delimiter).filter(|rest| rest.starts_with(')'));
                if line == pending.delimiter || whole == pending.delimiter {
                    body_end = Some(line_start);
                    self.at = (line_end + 1).min(self.bytes.len());
                    break;
                }
                if let (Some(tail), true) = (tail, self.depth > 0) {
                    body_end = Some(line_start);
                    self.at = line_end - tail.len() - (line.len() - whole.len());
                    break;
                }
                line_start = line_end + 1;
            }
            // Bash accepts a here-document that the end of the text cuts off, and so do we.
            let end = body_end.unwrap_or_else(|| {
                self.at = self.bytes.len();
                self.bytes.len()
            });
            let word = if pending.quoted {
                let text = self.text[start..end].into();
                Word { parts: Parts::One(Part::Text { text, quoted: true }), range: start..end }
            } else {
                self.here_doc_word(start..end)?
            };
            self.bodies[pending.index] = Some(word);
        }
        Ok(())
    }

    /// The line of a here-document that starts at `start`, and where it ends. Unless the delimiter is quoted, a
    /// backslash before the new line joins it with the next.
    pub(super) fn here_doc_line(&self, start: usize, quoted: bool) -> (usize, Cow<'a, str>) {
        let mut line = Cow::Borrowed("");
        let mut from = start;
        loop {
            let end = self.bytes[from..]
                .iter()
                .position(|byte| *byte == b'\n')
                .map_or(self.bytes.len(), |length| from + length);
            let text = &self.text[from..end];
            let backslashes = text.bytes().rev().take_while(|byte| *byte == b'\\').count();
            let joined = !quoted && backslashes % 2 == 1 && end < self.bytes.len();
            let text = if joined { &text[..text.len() - 1] } else { text };
            if line.is_empty() {
                line = Cow::Borrowed(text)
            } else {
                line.to_mut().push_str(text)
            }
            if !joined {
                return (end, line);
            }
            from = end + 1;
        }
    }

    /// A body in which `$` and backticks still work.
    pub(super) fn here_doc_word(&mut self, range: Range<usize>) -> Read<Word<'a>> {
        let mut parts = Parts::default();
        self.slice(range.clone(), |parser| parser.double_quoted(&mut parts, None))?;
        Ok(Word { parts, range })
    }

    /// Reads within `range` only, then stands again where it stood.
    pub(super) fn slice<T>(
        &mut self,
        range: Range<usize>,
        read: impl FnOnce(&mut Self) -> Read<T>,
    ) -> Read<T> {
        let (text, bytes, after, fresh) = (self.text, self.bytes, self.at, self.fresh);
        self.text = &text[..range.end];
        self.bytes = &bytes[..range.end];
        self.at = range.start;
        self.fresh = range.start;
        let result = self.deeper(read);
        (self.text, self.bytes, self.at, self.fresh) = (text, bytes, after, fresh);
        result
    }

    pub(super) fn fill_here_docs(&mut self, script: &mut Script<'a>) {
        if !self.bodies.is_empty() {
            let mut bodies = std::mem::take(&mut self.bodies);
            fill_script(script, &mut bodies);
        }
    }
}

fn fill_script<'a>(script: &mut Script<'a>, bodies: &mut [Option<Word<'a>>]) {
    for stage in script.items.iter_mut().flat_map(|item| &mut item.stages) {
        fill_stage(stage, bodies);
    }
}

fn fill_stage<'a>(stage: &mut Stage<'a>, bodies: &mut [Option<Word<'a>>]) {
    for redirect in &mut stage.redirects {
        if redirect.kind == RedirectKind::HereDoc && redirect.target.range.end == usize::MAX {
            let index = redirect.target.range.start;
            redirect.target = bodies.get_mut(index).and_then(Option::take).unwrap_or_default();
        }
        fill_word(&mut redirect.target, bodies);
    }
    match &mut stage.command {
        Command::Simple { assignments, words } => {
            words.iter_mut().for_each(|word| fill_word(word, bodies));
            for assignment in assignments {
                match &mut assignment.value {
                    Value::Scalar(word) => fill_word(word, bodies),
                    Value::Array(words) => words.iter_mut().for_each(|word| fill_word(word, bodies)),
                }
            }
        }
        Command::Group(script) | Command::Subshell(script) => fill_script(script, bodies),
        Command::If { branches, otherwise } => {
            for (condition, body) in branches {
                fill_script(condition, bodies);
                fill_script(body, bodies);
            }
            if let Some(body) = otherwise {
                fill_script(body, bodies);
            }
        }
        Command::While { condition, body } => {
            fill_script(condition, bodies);
            fill_script(body, bodies);
        }
        Command::For { words, body, .. } => {
            words.iter_mut().flatten().for_each(|word| fill_word(word, bodies));
            fill_script(body, bodies);
        }
        Command::ForArithmetic { header, body, .. } => {
            fill_word(header, bodies);
            fill_script(body, bodies);
        }
        Command::Case { word, arms } => {
            fill_word(word, bodies);
            for (_, body) in arms {
                fill_script(body, bodies);
            }
        }
        Command::Function { body, .. } => fill_stage(body, bodies),
        Command::Test(words) => words.iter_mut().for_each(|word| fill_word(word, bodies)),
        Command::Arithmetic(word) => fill_word(word, bodies),
    }
}

fn fill_word<'a>(word: &mut Word<'a>, bodies: &mut [Option<Word<'a>>]) {
    word.parts.iter_mut().for_each(|part| fill_part(part, bodies));
}

fn fill_part<'a>(part: &mut Part<'a>, bodies: &mut [Option<Word<'a>>]) {
    match part {
        Part::Text { .. } | Part::Escaped { .. } => {}
        Part::Substitution { script, .. } | Part::Process { script, .. } => fill_script(script, bodies),
        Part::Arithmetic(parts) => parts.iter_mut().for_each(|part| fill_part(part, bodies)),
        Part::Parameter { form, .. } => match form {
            Form::Plain | Form::Length | Form::Indirect => {}
            Form::Default(word)
            | Form::Assign(word)
            | Form::Alternative(word)
            | Form::Required(word)
            | Form::Slice(word)
            | Form::Other(word)
            | Form::Strip { pattern: word, .. } => fill_word(word, bodies),
            Form::Replace { pattern, with, .. } => {
                fill_word(pattern, bodies);
                fill_word(with, bodies);
            }
        },
    }
}
