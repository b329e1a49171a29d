//! A parser for POSIX shell and the bash that agents write.
//!
//! Total and bounded: any text gives a script, and what could not be read is said in
//! [`Parsed::problem`] together with where reading stopped. The published parsers abort, hang or lose
//! commands on hostile input (see `docs/adr/0001-own-shell-parser.md`), so this one is ours.

mod compound;

mod simple;

mod redirect;

mod here_doc;

mod word;

mod expansion;

use std::borrow::Cow;

use super::{dialect::Dialect, syntax::*};

/// How much a parser may do before it gives up.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// The longest script.
    pub bytes_max: usize,
    /// The deepest nesting.
    pub depth_max: u32,
    /// The most words, commands and expansions together.
    pub nodes_max: u32,
}

impl Default for Budget {
    fn default() -> Self {
        Self { bytes_max: 1 << 20, depth_max: 64, nodes_max: 50_000 }
    }
}

/// A script, with what could not be read of it.
#[derive(Debug)]
pub struct Parsed<'a> {
    /// What was understood; complete unless there is a problem.
    pub script: Script<'a>,
    /// Why reading stopped early, and at which byte.
    pub problem: Option<Problem>,
    /// Whether another shell would read something of it differently.
    pub differs: bool,
}

/// Why reading stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Problem {
    /// In words.
    pub what: &'static str,
    /// The byte at which it was noticed.
    pub at: usize,
    /// Whether a budget ran out rather than the grammar.
    pub budget: bool,
    /// Whether the shell is known to refuse what stands here, and with it all that follows.
    pub refused: bool,
}

/// What is said of `then` without `if` and the like, which no shell runs.
pub const MISPLACED: &str = "a reserved word where a command should start";

/// A longer subscript is not looked for, so that looking in vain stays cheap.
const SUBSCRIPT_MAX: usize = 1024;

/// Reads `text` as a script for bash.
pub fn parse(text: &str, budget: Budget) -> Parsed<'_> {
    parse_as(text, budget, Dialect::Bash)
}

/// Reads `text` as a script for one shell.
pub fn parse_as(text: &str, budget: Budget, dialect: Dialect) -> Parsed<'_> {
    let mut parser = Parser::new(text, budget, dialect);
    let script = parser.script_until_end();
    Parsed { script, problem: parser.problem, differs: parser.differs }
}

/// Reading has stopped; the problem is kept in the parser.
struct Stop;
type Read<T> = Result<T, Stop>;

struct Parser<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    depth: u32,
    nodes: u32,
    budget: Budget,
    problem: Option<Problem>,
    dialect: Dialect,
    differs: bool,
    /// Where a command may begin although no blank stands before it: the start of the text, or right behind `<&-`.
    fresh: usize,
    /// Here-documents announced on this line, whose bodies follow the next new line.
    pending: Vec<Pending<'a>>,
    /// Bodies already read, in the order they were announced.
    bodies: Vec<Option<Word<'a>>>,
    /// Complete commands inside something that was never completed: they still count.
    salvaged: Vec<Item<'a>>,
}

struct Pending<'a> {
    index: usize,
    delimiter: Cow<'a, str>,
    quoted: bool,
    strip_tabs: bool,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, budget: Budget, dialect: Dialect) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            at: 0,
            depth: 0,
            nodes: 0,
            budget,
            problem: None,
            dialect,
            differs: false,
            fresh: 0,
            pending: Vec::new(),
            bodies: Vec::new(),
            salvaged: Vec::new(),
        }
    }

    fn script_until_end(&mut self) -> Script<'a> {
        if self.bytes.len() > self.budget.bytes_max {
            let what = "the script is too long to read";
            self.problem = Some(Problem { what, at: 0, budget: true, refused: false });
            let end = floor_char_boundary(self.text, self.budget.bytes_max);
            self.text = &self.text[..end];
            self.bytes = self.text.as_bytes();
        }
        let mut script = Script::default();
        // An error stops the innermost list; whatever was complete before it is kept.
        let _ = self.list(&mut script, &[]);
        if self.problem.is_none() && self.at < self.bytes.len() {
            self.fail("a closing word or bracket without its opening one");
        }
        script.items.append(&mut self.salvaged);
        self.fill_here_docs(&mut script);
        script
    }

    // Budgets and failures.

    fn fail(&mut self, what: &'static str) -> Stop {
        if self.problem.is_none() {
            let at = self.at.min(self.bytes.len());
            self.problem = Some(Problem { what, at, budget: false, refused: false });
        }
        Stop
    }

    /// Notes that not all shells read what stands here alike; gives whether this one is bash.
    fn only_bash(&mut self) -> bool {
        self.differs = true;
        self.dialect == Dialect::Bash
    }

    /// Notes that dash reads what stands here unlike the others; gives whether this one is dash.
    fn only_dash(&mut self) -> bool {
        self.differs = true;
        self.dialect == Dialect::Dash
    }

    /// What stands here is in no shell's grammar. Where bash would have read it, another shell refuses it.
    fn out_of_place(&mut self, what: &'static str) -> Stop {
        match self.dialect {
            Dialect::Bash => self.fail(what),
            Dialect::Dash | Dialect::Busybox => self.refuse(),
        }
    }

    /// What stands here is not in the grammar of this shell, which stops reading.
    fn refuse(&mut self) -> Stop {
        let stop = self.fail("the shell refuses this");
        if let Some(problem) = &mut self.problem {
            problem.refused = !problem.budget && problem.at == self.at.min(self.bytes.len());
        }
        stop
    }

    fn node(&mut self) -> Read<()> {
        self.nodes += 1;
        if self.nodes > self.budget.nodes_max {
            if self.problem.is_none() {
                self.problem = Some(Problem {
                    what: "the script has too many parts to read",
                    at: self.at,
                    budget: true,
                    refused: false,
                });
            }
            return Err(Stop);
        }
        Ok(())
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth >= self.budget.depth_max {
            if self.problem.is_none() {
                self.problem = Some(Problem {
                    what: "the script is nested too deeply to read",
                    at: self.at,
                    budget: true,
                    refused: false,
                });
            }
            return Err(Stop);
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    // Looking at bytes.

    fn peek(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    fn peek_at(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn done(&self) -> bool {
        self.at >= self.bytes.len()
    }

    fn starts_with(&self, what: &str) -> bool {
        self.bytes[self.at.min(self.bytes.len())..].starts_with(what.as_bytes())
    }

    fn eat(&mut self, what: &str) -> bool {
        let found = self.starts_with(what);
        if found {
            self.at += what.len();
        }
        found
    }

    /// Whether an unquoted word ends at `at`. A carriage return is a letter like any other, but at the end of a line, where
    /// files from elsewhere have one.
    fn is_separator_at(&self, at: usize) -> bool {
        match self.bytes.get(at) {
            Some(b'\r') => matches!(self.bytes.get(at + 1), None | Some(b'\n')),
            Some(byte) => is_separator(*byte),
            None => false,
        }
    }

    /// Whether a line continuation stands at `at`. The shell takes it away before anything else.
    fn is_continued_at(&self, at: usize) -> bool {
        self.bytes.get(at..at + 2) == Some(b"\\\n")
    }

    /// Blanks, comments and line continuations, but no new lines.
    fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                b' ' | b'\t' if !self.done() => self.at += 1,
                b'\r' if self.is_separator_at(self.at) => self.at += 1,
                b'\\' if self.peek_at(1) == b'\n' => self.at += 2,
                b'#' if self.at == self.fresh || is_separator(self.bytes[self.at - 1]) => {
                    while !self.done() && self.peek() != b'\n' {
                        self.at += 1;
                    }
                }
                _ => return,
            }
        }
    }

    /// Blanks and new lines, reading here-document bodies on the way.
    fn skip_lines(&mut self) -> Read<()> {
        loop {
            self.skip_blanks();
            if self.peek() == b'\n' && !self.done() {
                self.newline()?;
            } else {
                return Ok(());
            }
        }
    }

    fn newline(&mut self) -> Read<()> {
        self.at += 1;
        if self.pending.is_empty() { Ok(()) } else { self.here_doc_bodies() }
    }

    /// The reserved word or operator at this place, if a command could start here.
    fn keyword(&mut self) -> Option<&'static str> {
        let words: &[&str] = match self.peek() {
            b'c' => &["case"],
            b'd' => &["do", "done"],
            b'e' => &["else", "elif", "esac"],
            b'f' => &["fi", "for", "function"],
            b'i' => &["if"],
            b's' => &["select"],
            b't' => &["then"],
            b'u' => &["until"],
            b'w' => &["while"],
            b'{' => &["{"],
            b'}' => &["}"],
            _ => return None,
        };
        let word = words.iter().copied().find(|word| self.at_word(word))?;
        match word {
            "function" if self.only_dash() => None,
            "select" if !self.only_bash() => None,
            _ => Some(word),
        }
    }

    /// Whether exactly `word` stands here, ended by a blank or an operator.
    fn at_word(&self, word: &str) -> bool {
        // Where it ends tells most others apart. The shell takes line continuations away before it looks for the end.
        let mut end = self.at + word.len();
        while self.is_continued_at(end) {
            end += 2;
        }
        let ends = match self.bytes.get(end) {
            None => true,
            Some(next) => self.is_separator_at(end) || matches!(next, b'<' | b'>'),
        };
        ends && self.starts_with(word)
    }

    // Lists and pipelines.

    /// Reads commands until one of `ends` (a reserved word, `)` or `;;`) stands here, or the text ends.
    fn list(&mut self, script: &mut Script<'a>, ends: &[&str]) -> Read<()> {
        let mut link = Link::Then;
        loop {
            self.skip_lines()?;
            if self.done() || self.at_end(ends) {
                return if link == Link::Then {
                    Ok(())
                } else {
                    Err(self.fail("a command is missing after an operator"))
                };
            }
            self.node()?;
            let mut item = Item { link, stages: Vec::with_capacity(1), background: false };
            let result = self.pipeline(&mut item.stages);
            if !item.stages.is_empty() {
                script.items.push(item);
            }
            result?;
            self.skip_blanks();
            link = Link::Then;
            match self.peek() {
                _ if self.done() => return Ok(()),
                b'&' if self.eat("&&") => link = Link::And,
                b'|' if self.eat("||") => link = Link::Or,
                b'&' => {
                    self.at += 1;
                    // `&!` is one operator to zsh; elsewhere a `!` changes nothing about what runs.
                    self.eat("!");
                    if let Some(last) = script.items.last_mut() {
                        last.background = true;
                    }
                }
                b';' if self.peek_at(1) == b';' || self.peek_at(1) == b'&' => {
                    return if self.at_end(ends) { Ok(()) } else { Err(self.fail("`;;` outside a case")) };
                }
                b';' => self.at += 1,
                b'\n' => self.newline()?,
                _ if self.at_end(ends) => return Ok(()),
                _ => return Err(self.fail("unexpected text after a command")),
            }
        }
    }

    /// A list inside something; if that something is never completed, its commands are salvaged.
    fn nested_list(&mut self, script: &mut Script<'a>, ends: &[&str]) -> Read<()> {
        let result = self.list(script, ends);
        if result.is_err() {
            self.salvage(script);
        }
        result
    }

    fn salvage(&mut self, script: &mut Script<'a>) {
        self.salvaged.append(&mut script.items);
    }

    fn at_end(&self, ends: &[&str]) -> bool {
        ends.iter().any(|end| match *end {
            ")" => self.peek() == b')' && !self.done(),
            ";;" => self.starts_with(";;") || self.starts_with(";&"),
            word => self.at_word(word),
        })
    }

    fn pipeline(&mut self, stages: &mut Vec<Stage<'a>>) -> Read<()> {
        loop {
            self.skip_blanks();
            // `!` and `time` change nothing about what runs.
            while self.at_word("!") || (self.peek() == b'!' && self.peek_at(1) == b'(') {
                self.at += 1;
                self.skip_blanks();
            }
            if self.at_word("time") && self.only_bash() {
                let before = self.at;
                self.at += 4;
                self.skip_blanks();
                while self.at_word("-p") || self.at_word("--") {
                    self.at += 2;
                    self.skip_blanks();
                }
                if self.done() || matches!(self.peek(), b';' | b'\n' | b'&' | b'|' | b')') {
                    self.at = before;
                } else {
                    continue;
                }
            }
            let stage = self.deeper(Self::stage)?;
            stages.push(stage);
            self.skip_blanks();
            if self.peek() != b'|' || self.peek_at(1) == b'|' {
                return Ok(());
            }
            self.at += 1;
            if self.peek() == b'&' {
                if !self.only_bash() {
                    return Err(self.refuse());
                }
                self.at += 1;
            }
            self.skip_lines()?;
            if self.done() {
                return Err(self.fail("a command is missing after `|`"));
            }
        }
    }

    // Commands.

    fn stage(&mut self) -> Read<Stage<'a>> {
        self.node()?;
        let start = self.at;
        let mut redirects = Vec::new();
        let command = self.command(&mut redirects)?;
        if !matches!(command, Command::Simple { .. }) {
            self.redirects(&mut redirects)?;
        }
        let end = self.trimmed_end(start);
        Ok(Stage { command, redirects, range: start..end })
    }

    fn trimmed_end(&self, start: usize) -> usize {
        let mut end = self.at;
        while end > start && matches!(self.bytes[end - 1], b' ' | b'\t' | b'\n' | b'\r') {
            end -= 1;
        }
        end
    }

    fn command(&mut self, redirects: &mut Vec<Redirect<'a>>) -> Read<Command<'a>> {
        match self.peek() {
            b'(' if self.peek_at(1) == b'(' && self.only_bash() => {
                if let Some(command) = self.try_arithmetic_command() {
                    return Ok(command);
                }
                self.at += 1;
                let body = self.enclosed(")")?;
                return Ok(Command::Subshell(body));
            }
            b'(' => {
                self.at += 1;
                let body = self.enclosed(")")?;
                return Ok(Command::Subshell(body));
            }
            b'[' if self.at_word("[[") && self.only_bash() => return self.test_command(),
            _ => {}
        }
        match self.keyword() {
            Some("{") => {
                self.at += 1;
                Ok(Command::Group(self.enclosed("}")?))
            }
            Some("if") => self.if_command(),
            Some("while" | "until") => {
                self.at += 5;
                let mut condition = Script::default();
                self.nested_list(&mut condition, &["do"])?;
                match self.do_body() {
                    Ok(body) => Ok(Command::While { condition, body }),
                    Err(Stop) => {
                        self.salvage(&mut condition);
                        Err(Stop)
                    }
                }
            }
            Some("for" | "select") => self.for_command(),
            Some("case") => self.case_command(),
            Some("function") => self.function_command(),
            Some(_) => Err(self.out_of_place(MISPLACED)),
            None if self.at_word("coproc") && self.only_bash() => {
                self.at += "coproc".len();
                self.skip_blanks();
                // `coproc NAME { …; }` names itself; `coproc command` does not.
                let before = self.at;
                if let Some(name) = self.name() {
                    self.skip_blanks();
                    if !(matches!(self.peek(), b'{' | b'(') || self.keyword().is_some()) || name.is_empty() {
                        self.at = before;
                    }
                }
                self.deeper(|parser| parser.command(redirects))
            }
            None => self.simple_command(redirects),
        }
    }

    /// What stands between an opening bracket, already read, and `end`.
    fn enclosed(&mut self, end: &'static str) -> Read<Script<'a>> {
        let mut script = Script::default();
        self.nested_list(&mut script, &[end])?;
        if !self.eat(end) {
            self.salvage(&mut script);
            return Err(self.fail(if end == ")" {
                "a `(` is never closed"
            } else {
                "a `{` is never closed"
            }));
        }
        Ok(script)
    }
}

/// Whether `byte` ends an unquoted word. (`<` and `>` do too, but not after a keyword.)
const fn is_separator(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')')
}

fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn floor_char_boundary(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
