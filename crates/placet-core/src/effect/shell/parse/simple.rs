//! Simple commands: assignments, words and redirections in any order.

use super::{Parser, Read, SUBSCRIPT_MAX, Stop, is_name, is_name_start};
use crate::effect::shell::dialect::Dialect;
use crate::effect::shell::syntax::{
    Assignment, Command, Form, Item, Link, Part, Parts, Redirect, Stage, Value, Word,
};

/// What the shell takes away before it cuts words.
const CONTINUATION: &str = "\\\n";

/// Words that are more than the name of a program where a command starts.
const RESERVED: &[&str] = &[
    "!", "{", "}", "[[", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function",
    "if", "in", "select", "then", "time", "until", "while", "-p", "--",
];

/// Whether this is a reserved word with a line continuation in it: `cop\⏎roc`. Nobody writes that but to hide it.
fn is_broken_keyword(word: &str) -> bool {
    word.contains(CONTINUATION) && RESERVED.contains(&word.replace(CONTINUATION, "").as_str())
}

impl<'a> Parser<'a> {
    pub(super) fn simple_command(&mut self, redirects: &mut Vec<Redirect<'a>>) -> Read<Command<'a>> {
        let (mut assignments, mut words) = (Vec::new(), Vec::with_capacity(4));
        let start = self.at;
        match self.simple_words(&mut assignments, &mut words, redirects) {
            Ok(Some(function)) => return Ok(function),
            Ok(None) => {}
            Err(Stop) => {
                if !words.is_empty() {
                    let stage = Stage {
                        command: Command::Simple { assignments, words },
                        redirects: std::mem::take(redirects),
                        range: start..self.at.min(self.text.len()),
                    };
                    self.salvaged.push(Item { link: Link::Then, stages: vec![stage], background: false });
                }
                return Err(Stop);
            }
        }
        if words.is_empty() && assignments.is_empty() && redirects.is_empty() {
            self.at = start;
            return Err(self.fail("a command is missing"));
        }
        Ok(Command::Simple { assignments, words })
    }

    /// The words of a simple command, unless it turns out to define a function.
    pub(super) fn simple_words(
        &mut self,
        assignments: &mut Vec<Assignment<'a>>,
        words: &mut Vec<Word<'a>>,
        redirects: &mut Vec<Redirect<'a>>,
    ) -> Read<Option<Command<'a>>> {
        loop {
            self.skip_blanks();
            if self.done() {
                return Ok(None);
            }
            if self.joins_in_brackets(words) {
                // To BusyBox `&&` and `||` are words between `[[` and `]]`, and all else is as in any command.
                let range = self.at..self.at + 2;
                self.at += 2;
                let text = self.text[range.clone()].into();
                words.push(Word { parts: Parts::One(Part::Text { text, quoted: true }), range });
                continue;
            }
            match self.peek() {
                b';' | b'\n' | b')' | b'|' => return Ok(None),
                b'&' if self.peek_at(1) != b'>' || self.only_dash() => return Ok(None),
                b'(' => {
                    let [name] = words.as_slice() else { return Err(self.out_of_place("unexpected `(`")) };
                    let name = &self.text[name.range.clone()];
                    if name.contains(CONTINUATION) {
                        return Err(self.fail("the name of a function that is broken over lines"));
                    }
                    self.at += 1;
                    self.skip_blanks();
                    let only_a_name = assignments.is_empty() && redirects.is_empty() && !name.is_empty();
                    if !self.eat(")") || !only_a_name {
                        return Err(self.out_of_place("unexpected `(`"));
                    }
                    words.clear();
                    return self.function_body(name).map(Some);
                }
                _ => {}
            }
            if self.redirect(redirects)? {
                continue;
            }
            if (words.is_empty() || is_declaration(self.text, words))
                && let Some(assignment) = self.assignment()?
            {
                if words.is_empty() {
                    assignments.push(assignment);
                } else {
                    // `export A=b` is a command with an assignment as its argument: kept as both,
                    // so that the variable is known and the words are complete.
                    words.push(declared_word(&assignment));
                    assignments.push(assignment);
                }
                continue;
            }
            let word = self.word()?;
            if words.is_empty() && is_broken_keyword(&self.text[word.range.clone()]) {
                return Err(self.fail("a reserved word that is broken over lines"));
            }
            words.push(word);
        }
    }

    fn joins_in_brackets(&self, words: &[Word<'a>]) -> bool {
        let is = |word: Option<&Word<'a>>, text: &str| {
            word.is_some_and(|word| self.text[word.range.clone()] == *text)
        };
        self.dialect == Dialect::Busybox
            && (self.starts_with("&&") || self.starts_with("||"))
            && is(words.first(), "[[")
            && !is(words.last(), "]]")
    }

    pub(super) fn name(&mut self) -> Option<&'a str> {
        let start = self.at;
        if !is_name_start(self.peek()) {
            return None;
        }
        self.at += self.bytes[start..].iter().take_while(|byte| is_name(**byte)).count();
        Some(&self.text[start..self.at])
    }

    /// Where the bracket of `a[i]=x` closes, if an assignment it is.
    pub(super) fn subscript_end(&self) -> Option<usize> {
        let mut depth = 0usize;
        let mut quote = None;
        for (ahead, byte) in self.bytes[self.at..].iter().enumerate().take(SUBSCRIPT_MAX) {
            match (quote, byte) {
                (Some(open), _) if open == *byte => quote = None,
                (Some(_), _) => {}
                (None, b'\'' | b'"') => quote = Some(*byte),
                (None, b'[') => depth += 1,
                (None, b']') if depth == 1 => {
                    let end = self.at + ahead;
                    let rest = &self.bytes[end + 1..];
                    return (rest.starts_with(b"=") || rest.starts_with(b"+=")).then_some(end);
                }
                (None, b']') => depth -= 1,
                (None, b'\n') => return None,
                (None, _) => {}
            }
        }
        None
    }

    /// Whether brackets stand here that the shell reads as one word, whatever is in them, and something in them would hide what
    /// follows: `x[ <<E ]` has no here-document, `x[ # ]` no comment.
    fn hides_in_brackets(&self) -> bool {
        let (mut depth, mut quote, mut hides) = (0_usize, None, false);
        let rest = &self.bytes[self.at..];
        for byte in rest.iter().take(SUBSCRIPT_MAX) {
            match (quote, byte) {
                (Some(open), _) if open == *byte => quote = None,
                (Some(_), _) => {}
                (None, b'\'' | b'"') => quote = Some(*byte),
                (None, b'[') => depth += 1,
                (None, b']') if depth == 1 => return hides,
                (None, b']') => depth -= 1,
                // What would make us pass over text that the shell runs.
                (None, byte) => hides |= matches!(byte, b'<' | b'#'),
            }
        }
        // Longer than anybody looks.
        rest.len() > SUBSCRIPT_MAX
    }

    /// Whether a name goes on over the end of a line and becomes an assignment there: `x\\⏎=1` is `x=1`. Nobody writes that
    /// but to hide it.
    fn is_broken_assignment(&self) -> bool {
        let rest = &self.bytes[self.at..];
        let rest = &rest[..rest.len().min(SUBSCRIPT_MAX)];
        if rest.first() == Some(&b'[') {
            let broken = |pair: &[u8]| matches!(pair, [b']', b'\\', b'\n'] | [b'+', b'\\', b'\n']);
            let end = rest.iter().position(|byte| *byte == b' ').unwrap_or(rest.len());
            return rest[..end].windows(3).any(broken);
        }
        let (mut at, mut broken) = (0, false);
        loop {
            match rest.get(at) {
                Some(b'\\') if rest.get(at + 1) == Some(&b'\n') => {
                    broken = true;
                    at += 2;
                }
                Some(byte) if is_name(*byte) || (*byte == b'+' && broken) => at += 1,
                Some(b'+') if rest.get(at + 1..at + 3) == Some(b"\\\n") => at += 1,
                next => return broken && matches!(next, Some(b'=' | b'[')),
            }
        }
    }

    pub(super) fn assignment(&mut self) -> Read<Option<Assignment<'a>>> {
        let start = self.at;
        let Some(name) = self.name() else { return Ok(None) };
        if self.is_broken_assignment() {
            return Err(self.fail("an assignment that is broken over lines"));
        }
        let mut before: Vec<Part<'a>> = Vec::new();
        if self.peek() == b'[' && self.only_bash() {
            let Some(end) = self.subscript_end() else {
                if self.hides_in_brackets() {
                    return Err(
                        self.fail("brackets behind a name, with a here-document or a comment in them")
                    );
                }
                self.at = start;
                return Ok(None);
            };
            let mut subscript = Parts::default();
            self.slice(self.at + 1..end, |parser| parser.double_quoted(&mut subscript, None))?;
            self.at = end + 1;
            before = subscript.into_vec();
            // The element does not matter, but what runs to find it does.
            before.retain(|part| {
                !matches!(part, Part::Text { .. } | Part::Parameter { form: Form::Plain, .. })
            });
        }
        let append = self.peek() == b'+' && self.peek_at(1) == b'=';
        if !append && self.peek() != b'=' {
            self.at = start;
            return Ok(None);
        }
        if (append || self.bytes[self.at - 1] == b']') && !self.only_bash() {
            // A word like any other, and the name of a program.
            self.at = start;
            return Ok(None);
        }
        self.at += 1 + usize::from(append);
        self.node()?;
        if self.peek() == b'(' {
            if !self.only_bash() {
                return Err(self.refuse());
            }
            self.at += 1;
            let mut words = Vec::new();
            loop {
                self.skip_lines()?;
                if self.eat(")") {
                    // What follows without a blank belongs to the same word, and is no command.
                    let ends =
                        self.done() || self.is_separator_at(self.at) || matches!(self.peek(), b'<' | b'>');
                    if !ends {
                        return Err(self.fail("something stands right behind an array"));
                    }
                    return Ok(Some(Assignment { name, append, value: Value::Array(words) }));
                }
                if self.done() || matches!(self.peek(), b';' | b'&' | b'|' | b'<' | b'>' | b'(') {
                    return Err(self.fail("`)` is missing after an array"));
                }
                words.push(self.word()?);
            }
        }
        let mut value = if self.done() || self.is_separator_at(self.at) {
            Word { parts: Parts::default(), range: self.at..self.at }
        } else {
            self.word()?
        };
        if !before.is_empty() {
            before.extend(value.parts.into_vec());
            value.parts = Parts::Many(before);
        }
        Ok(Some(Assignment { name, append, value: Value::Scalar(value) }))
    }
}

/// Whether `words` so far make a command whose further words may be assignments.
fn is_declaration(text: &str, words: &[Word<'_>]) -> bool {
    matches!(&text[words[0].range.clone()], "export" | "declare" | "local" | "readonly" | "typeset" | "alias")
}

fn declared_word<'a>(assignment: &Assignment<'a>) -> Word<'a> {
    let mut parts = Parts::One(Part::Text { text: format!("{}=", assignment.name).into(), quoted: true });
    let mut range = 0..0;
    match &assignment.value {
        Value::Scalar(word) => {
            range = word.range.clone();
            word.parts.iter().cloned().for_each(|part| parts.push(part));
        }
        Value::Array(_) => {}
    }
    Word { parts, range }
}
