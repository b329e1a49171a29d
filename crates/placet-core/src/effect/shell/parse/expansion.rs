//! What `$` and backticks introduce.

use std::borrow::Cow;

use super::{Form, Parser, Part, Parts, Read, Script, Stop, Word, is_name_start, word::push_text};
use crate::effect::shell::flow::HOLE;

impl<'a> Parser<'a> {
    /// `$…`, with the reading position on the `$`.
    pub(super) fn dollar(&mut self, parts: &mut Parts<'a>, quoted: bool) -> Read<()> {
        self.node()?;
        if self.is_continued_at(self.at + 1) {
            return Err(self.fail("an expansion that is broken over lines"));
        }
        match self.peek_at(1) {
            b'(' if self.peek_at(2) == b'(' => {
                let (at, nodes, problem) = (self.at, self.nodes, self.problem);
                let salvaged = self.salvaged.len();
                self.at += 3;
                match self.arithmetic_until_double_paren() {
                    Ok(word) => {
                        parts.push(Part::Arithmetic(word.parts.into_vec()));
                        return Ok(());
                    }
                    Err(Stop) if !self.only_bash() => return Err(Stop),
                    Err(Stop) => {
                        // `$((` may also be a substitution that starts with a subshell.
                        self.at = at;
                        self.nodes = nodes.max(self.nodes);
                        self.problem = problem;
                        self.salvaged.truncate(salvaged);
                    }
                }
                self.at += 2;
                let script = self.apart(|parser| parser.enclosed(")"))?;
                parts.push(Part::Substitution { script, quoted });
            }
            b'(' => {
                self.at += 2;
                let script = self.apart(|parser| parser.enclosed(")"))?;
                parts.push(Part::Substitution { script, quoted });
            }
            b'{' => self.deeper(|parser| parser.braced_parameter(parts, quoted))?,
            b'[' if self.only_bash() => {
                // The old `$[ … ]` arithmetic.
                self.at += 2;
                let mut inside = Parts::default();
                self.deeper(|parser| parser.double_quoted(&mut inside, Some(b']')))?;
                parts.push(Part::Arithmetic(inside.into_vec()));
            }
            b'\'' if !quoted && !self.only_dash() => {
                let text = self.ansi_c_quoted()?;
                push_text(parts, Cow::Owned(text), true);
            }
            b'"' if !quoted && self.only_bash() => self.at += 1,
            byte if is_name_start(byte) => {
                self.at += 1;
                if let Some(name) = self.name() {
                    if self.is_continued_at(self.at) {
                        return Err(self.fail("the name of a variable that may go on over the end of a line"));
                    }
                    parts.push(Part::Parameter { name, form: Form::Plain, quoted });
                }
            }
            b'0'..=b'9' | b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!' => {
                let name = &self.text[self.at + 1..self.at + 2];
                self.at += 2;
                parts.push(Part::Parameter { name, form: Form::Plain, quoted });
            }
            b'=' | b'~' | b'^' if !quoted => {
                // Before a name these are flags to zsh, and alone nothing at all. Elsewhere they are text, as the name is.
                self.at += 2;
                self.name();
                push_text(parts, Cow::Owned(HOLE.to_string()), false);
            }
            _ => {
                self.at += 1;
                push_text(parts, Cow::Borrowed("$"), quoted);
            }
        }
        Ok(())
    }

    /// `${…}`
    fn braced_parameter(&mut self, parts: &mut Parts<'a>, quoted: bool) -> Read<()> {
        self.at += 2;
        let mut form = None;
        match self.peek() {
            b'#' if !matches!(self.peek_at(1), b'}' | b'#' | b'%' | b':') => {
                self.at += 1;
                form = Some(Form::Length);
            }
            b'!' if self.peek_at(1) != b'}' => {
                self.at += 1;
                form = Some(Form::Indirect);
            }
            _ => {}
        }
        let start = self.at;
        if self.name().is_none() {
            if self.peek().is_ascii_digit() {
                while self.peek().is_ascii_digit() && !self.done() {
                    self.at += 1;
                }
            } else if matches!(self.peek(), b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!') {
                self.at += 1;
            } else {
                return Err(self.fail("`${` without the name of a variable"));
            }
        }
        let name = &self.text[start..self.at];
        if self.peek() == b'}' {
            self.at += 1;
            parts.push(Part::Parameter { name, form: form.unwrap_or(Form::Plain), quoted });
            return Ok(());
        }
        let form = match form {
            Some(_) => Form::Other(self.until_brace(quoted)?),
            None => self.parameter_form(quoted)?,
        };
        parts.push(Part::Parameter { name, form, quoted });
        Ok(())
    }

    /// What follows the name inside `${…}`, up to and with the closing brace.
    fn parameter_form(&mut self, quoted: bool) -> Read<Form<'a>> {
        let colon = self.peek() == b':' && matches!(self.peek_at(1), b'-' | b'=' | b'+' | b'?');
        if colon {
            self.at += 1;
        }
        match self.peek() {
            b'-' => {
                self.at += 1;
                Ok(Form::Default(self.until_brace(quoted)?))
            }
            b'=' => {
                self.at += 1;
                Ok(Form::Assign(self.until_brace(quoted)?))
            }
            b'+' => {
                self.at += 1;
                Ok(Form::Alternative(self.until_brace(quoted)?))
            }
            b'?' => {
                self.at += 1;
                Ok(Form::Required(self.until_brace(quoted)?))
            }
            b':' => {
                self.at += 1;
                Ok(Form::Slice(self.until_brace(quoted)?))
            }
            side @ (b'#' | b'%') => {
                self.at += 1;
                let longest = self.peek() == side;
                if longest {
                    self.at += 1;
                }
                Ok(Form::Strip { front: side == b'#', longest, pattern: self.pattern(quoted, b'}')? })
            }
            b'/' => {
                self.at += 1;
                let all = self.peek() == b'/';
                if all {
                    self.at += 1;
                }
                let pattern = self.pattern(quoted, b'/')?;
                if self.bytes[self.at - 1] == b'}' {
                    let with = Word { parts: Parts::default(), range: self.at..self.at };
                    return Ok(Form::Replace { all, pattern, with: Box::new(with) });
                }
                Ok(Form::Replace { all, pattern, with: self.until_brace(quoted)? })
            }
            _ => Ok(Form::Other(self.until_brace(quoted)?)),
        }
    }

    fn until_brace(&mut self, quoted: bool) -> Read<Box<Word<'a>>> {
        self.until(quoted, b'}')
    }

    /// A pattern up to `end` or the closing brace. Quotes in it quote, even within double quotes.
    fn pattern(&mut self, quoted: bool, end: u8) -> Read<Box<Word<'a>>> {
        let mut word = self.until(quoted, end)?;
        if quoted && memchr::memchr(b'\'', &self.bytes[word.range.clone()]).is_some() {
            // Which of the quotes are left is not looked into: nothing is known of such a pattern.
            push_text(&mut word.parts, Cow::Owned(HOLE.to_string()), true);
        }
        Ok(word)
    }

    /// A word up to `end` or the closing brace, which is consumed; blanks belong to it.
    fn until(&mut self, quoted: bool, end: u8) -> Read<Box<Word<'a>>> {
        self.node()?;
        let start = self.at;
        let mut parts = Parts::default();
        while !self.done() {
            match self.peek() {
                byte if byte == end || byte == b'}' => {
                    let range = start..self.at;
                    self.at += 1;
                    return Ok(Box::new(Word { parts, range }));
                }
                b'\'' if quoted => self.quote_within_quotes(&mut parts, end)?,
                b'\'' => {
                    let from = self.at + 1;
                    let Some(length) = self.bytes[from..].iter().position(|byte| *byte == b'\'') else {
                        break;
                    };
                    push_text(&mut parts, Cow::Borrowed(&self.text[from..from + length]), true);
                    self.at = from + length + 1;
                }
                b'"' => {
                    self.at += 1;
                    self.deeper(|parser| parser.double_quoted(&mut parts, Some(b'"')))?;
                }
                b'\\' => {
                    self.at += 1;
                    if let Some(next) = self.text[self.at..].chars().next() {
                        let protects = !quoted || matches!(next, '$' | '`' | '"' | '\\' | '}');
                        let from = if protects { self.at } else { self.at - 1 };
                        self.at += next.len_utf8();
                        if next != '\n' {
                            push_text(&mut parts, Cow::Borrowed(&self.text[from..self.at]), true);
                        }
                    }
                }
                b'$' => self.dollar(&mut parts, quoted)?,
                b'`' => self.backticks(&mut parts, quoted)?,
                _ => {
                    let from = self.at;
                    while let Some(byte) = self.bytes.get(self.at) {
                        if matches!(byte, b'\'' | b'"' | b'\\' | b'$' | b'`' | b'}') || *byte == end {
                            break;
                        }
                        self.at += 1;
                    }
                    push_text(&mut parts, Cow::Borrowed(&self.text[from..self.at]), quoted);
                }
            }
        }
        Err(self.fail("a `${` is never closed"))
    }

    /// A `'` inside `"${…}"`. It is only a letter, but bash looks for the next one before it looks for the closing brace, and other
    /// shells do not: what stands between is taken if it means the same to all.
    fn quote_within_quotes(&mut self, parts: &mut Parts<'a>, end: u8) -> Read<()> {
        self.differs = true;
        let from = self.at;
        let rest = &self.bytes[from + 1..];
        let telling = |byte: &u8| matches!(byte, b'\'' | b'"' | b'}' | b'\\' | b'$' | b'`') || *byte == end;
        match rest.iter().position(telling) {
            Some(length) if rest[length] == b'\'' => {
                self.at = from + length + 2;
                push_text(parts, Cow::Borrowed(&self.text[from..self.at]), true);
                Ok(())
            }
            Some(_) | None => Err(self.fail("a quote in an expansion that shells read in different ways")),
        }
    }

    /// The inside of `((…))`, closing brackets included; kept for the substitutions in it.
    pub(super) fn arithmetic_until_double_paren(&mut self) -> Read<Word<'a>> {
        self.deeper(|parser| {
            let start = parser.at;
            let mut parts = Parts::default();
            let mut depth = 0usize;
            loop {
                let from = parser.at;
                while let Some(byte) = parser.bytes.get(parser.at) {
                    if matches!(byte, b'(' | b')' | b'$' | b'`' | b'"' | b'\'' | b'\\' | b';')
                        && *byte != b';'
                    {
                        break;
                    }
                    parser.at += 1;
                }
                if parser.at > from {
                    push_text(&mut parts, Cow::Borrowed(&parser.text[from..parser.at]), true);
                }
                if parser.done() {
                    return Err(parser.fail("`))` is missing"));
                }
                match parser.peek() {
                    b'(' => {
                        depth += 1;
                        parser.at += 1;
                    }
                    b')' if depth > 0 => {
                        depth -= 1;
                        parser.at += 1;
                    }
                    b')' if parser.peek_at(1) == b')' => {
                        let range = start..parser.at;
                        parser.at += 2;
                        return Ok(Word { parts, range });
                    }
                    b')' => return Err(parser.fail("`))` is missing")),
                    b'$' => parser.dollar(&mut parts, true)?,
                    b'`' => parser.backticks(&mut parts, true)?,
                    b'"' => {
                        parser.at += 1;
                        parser.deeper(|parser| parser.double_quoted(&mut parts, Some(b'"')))?;
                    }
                    _ => parser.at += 1,
                }
            }
        })
    }

    /// A substitution in backticks. Inside, a backslash protects backticks, `$` and itself; where there
    /// is one, the inner text is a new one and is read when it is walked.
    pub(super) fn backticks(&mut self, parts: &mut Parts<'a>, quoted: bool) -> Read<()> {
        self.node()?;
        let start = self.at + 1;
        let mut at = start;
        let mut escaped = false;
        loop {
            match self.bytes.get(at) {
                None => return Err(self.fail("a backtick is never closed")),
                Some(b'`') => break,
                Some(b'\\') => {
                    escaped = true;
                    at += 2;
                }
                Some(_) => at += 1,
            }
        }
        if escaped {
            parts.push(Part::Escaped { text: unescape_backticks(&self.text[start..at]), quoted });
            self.at = at + 1;
            return Ok(());
        }
        let script = self.apart(|parser| parser.slice(start..at, Self::whole_list))?;
        self.at = at + 1;
        parts.push(Part::Substitution { script, quoted });
        Ok(())
    }

    fn whole_list(&mut self) -> Read<Script<'a>> {
        let mut script = Script::default();
        self.nested_list(&mut script, &[])?;
        if !self.done() {
            return Err(self.fail("unexpected text in backticks"));
        }
        Ok(script)
    }
}

fn unescape_backticks(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(next) = chars.next() {
        match chars.peek() {
            Some(protected @ ('`' | '$' | '\\')) if next == '\\' => {
                plain.push(*protected);
                chars.next();
            }
            _ => plain.push(next),
        }
    }
    plain
}
