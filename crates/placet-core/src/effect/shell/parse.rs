//! A parser for POSIX shell and the bash that agents write.
//!
//! Total and bounded: any text gives a script, and what could not be read is said in
//! [`Parsed::problem`] together with where reading stopped. The published parsers abort, hang or lose
//! commands on hostile input (see `docs/adr/0001-own-shell-parser.md`), so this one is ours.

mod expansion;

mod word;

use std::{borrow::Cow, ops::Range};

use super::syntax::*;

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
}

/// A longer subscript is not looked for, so that looking in vain stays cheap.
const SUBSCRIPT_MAX: usize = 1024;

/// Reads `text` as a shell script.
pub fn parse(text: &str, budget: Budget) -> Parsed<'_> {
    let mut parser = Parser::new(text, budget);
    let script = parser.script_until_end();
    Parsed { script, problem: parser.problem }
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
    fn new(text: &'a str, budget: Budget) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            at: 0,
            depth: 0,
            nodes: 0,
            budget,
            problem: None,
            pending: Vec::new(),
            bodies: Vec::new(),
            salvaged: Vec::new(),
        }
    }

    fn script_until_end(&mut self) -> Script<'a> {
        if self.bytes.len() > self.budget.bytes_max {
            self.problem = Some(Problem { what: "the script is too long to read", at: 0, budget: true });
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
            self.problem = Some(Problem { what, at: self.at.min(self.bytes.len()), budget: false });
        }
        Stop
    }

    fn node(&mut self) -> Read<()> {
        self.nodes += 1;
        if self.nodes > self.budget.nodes_max {
            if self.problem.is_none() {
                self.problem = Some(Problem {
                    what: "the script has too many parts to read",
                    at: self.at,
                    budget: true,
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

    /// Blanks, comments and line continuations, but no new lines.
    fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                b' ' | b'\t' | b'\r' if !self.done() => self.at += 1,
                b'\\' if self.peek_at(1) == b'\n' => self.at += 2,
                b'#' if self.at == 0 || is_separator(self.bytes[self.at - 1]) => {
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
    fn keyword(&self) -> Option<&'static str> {
        const WORDS: [&str; 16] = [
            "then", "else", "elif", "fi", "do", "done", "esac", "}", "if", "while", "until", "for", "case",
            "select", "function", "{",
        ];
        WORDS.into_iter().find(|word| self.at_word(word))
    }

    /// Whether exactly `word` stands here, ended by a blank or an operator.
    fn at_word(&self, word: &str) -> bool {
        self.starts_with(word)
            && match self.bytes.get(self.at + word.len()) {
                None => true,
                Some(next) => is_separator(*next) || matches!(next, b'<' | b'>'),
            }
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
            if self.at_word("time") {
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
            b'(' if self.peek_at(1) == b'(' => {
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
            b'[' if self.at_word("[[") => return self.test_command(),
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
            Some(_) => Err(self.fail("a reserved word where a command should start")),
            None if self.at_word("coproc") => {
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

    fn expect_word(&mut self, word: &'static str, otherwise: &'static str) -> Read<()> {
        self.skip_lines()?;
        if self.at_word(word) {
            self.at += word.len();
            Ok(())
        } else {
            Err(self.fail(otherwise))
        }
    }

    fn do_body(&mut self) -> Read<Script<'a>> {
        self.skip_lines()?;
        if self.at_word("{") {
            self.at += 1;
            return self.enclosed("}");
        }
        self.expect_word("do", "`do` is missing")?;
        let mut body = Script::default();
        self.nested_list(&mut body, &["done"])?;
        if self.expect_word("done", "`done` is missing").is_err() {
            self.salvage(&mut body);
            return Err(Stop);
        }
        Ok(body)
    }

    fn if_command(&mut self) -> Read<Command<'a>> {
        self.at += 2;
        let mut branches = Vec::new();
        let otherwise = self.if_branches(&mut branches);
        match otherwise {
            Ok(otherwise) => Ok(Command::If { branches, otherwise }),
            Err(Stop) => {
                for (mut condition, mut body) in branches {
                    self.salvage(&mut condition);
                    self.salvage(&mut body);
                }
                Err(Stop)
            }
        }
    }

    fn if_branches(&mut self, branches: &mut Vec<(Script<'a>, Script<'a>)>) -> Read<Option<Script<'a>>> {
        loop {
            let mut condition = Script::default();
            self.nested_list(&mut condition, &["then"])?;
            branches.push((condition, Script::default()));
            self.expect_word("then", "`then` is missing")?;
            let mut body = Script::default();
            self.nested_list(&mut body, &["elif", "else", "fi"])?;
            if let Some(last) = branches.last_mut() {
                last.1 = body;
            }
            if self.at_word("elif") {
                self.at += 4;
                self.node()?;
                continue;
            }
            let mut otherwise = None;
            if self.at_word("else") {
                self.at += 4;
                let mut body = Script::default();
                self.nested_list(&mut body, &["fi"])?;
                otherwise = Some(body);
            }
            if self.expect_word("fi", "`fi` is missing").is_err() {
                if let Some(mut body) = otherwise {
                    self.salvage(&mut body);
                }
                return Err(Stop);
            }
            return Ok(otherwise);
        }
    }

    fn for_command(&mut self) -> Read<Command<'a>> {
        self.at += if self.at_word("for") { 3 } else { 6 };
        self.skip_blanks();
        if self.starts_with("((") {
            self.at += 2;
            let start = self.at;
            let header = self.arithmetic_until_double_paren()?;
            let inner = &self.text[start..self.at.saturating_sub(2).max(start)];
            let endless =
                inner.split(';').nth(1).is_none_or(|middle| matches!(middle.trim(), "" | "1" | "true"));
            self.skip_blanks();
            if self.peek() == b';' {
                self.at += 1;
            }
            return Ok(Command::ForArithmetic { header, endless, body: self.do_body()? });
        }
        let Some(name) = self.name() else {
            return Err(self.fail("`for` needs the name of a variable"));
        };
        self.skip_lines()?;
        let mut words = None;
        if self.at_word("in") {
            self.at += 2;
            words = Some(self.words_until_line_end()?);
        }
        self.skip_blanks();
        if self.peek() == b';' {
            self.at += 1;
        }
        Ok(Command::For { name, words, body: self.do_body()? })
    }

    fn words_until_line_end(&mut self) -> Read<Vec<Word<'a>>> {
        let mut words = Vec::new();
        loop {
            self.skip_blanks();
            if self.done() || matches!(self.peek(), b';' | b'\n' | b'&' | b'|' | b')') {
                return Ok(words);
            }
            words.push(self.word()?);
        }
    }

    fn case_command(&mut self) -> Read<Command<'a>> {
        self.at += 4;
        self.skip_lines()?;
        let word = self.word()?;
        self.expect_word("in", "`in` is missing after `case`")?;
        let mut arms = Vec::new();
        loop {
            self.skip_lines()?;
            if self.at_word("esac") {
                self.at += 4;
                return Ok(Command::Case { word, arms });
            }
            if self.done() {
                return Err(self.fail("`esac` is missing"));
            }
            self.node()?;
            if self.peek() == b'(' {
                self.at += 1;
            }
            let mut patterns = Vec::new();
            loop {
                self.skip_lines()?;
                patterns.push(self.word()?);
                self.skip_lines()?;
                if self.peek() != b'|' {
                    break;
                }
                self.at += 1;
            }
            if !self.eat(")") {
                return Err(self.fail("`)` is missing after a case pattern"));
            }
            let mut body = Script::default();
            let result = self.nested_list(&mut body, &[";;", "esac"]);
            arms.push((patterns, body));
            if result.is_err() || self.done() {
                for (_, mut body) in arms {
                    self.salvage(&mut body);
                }
                return Err(self.fail("`esac` is missing"));
            }
            if !self.eat(";;&") && !self.eat(";;") {
                self.eat(";&");
            }
        }
    }

    fn function_command(&mut self) -> Read<Command<'a>> {
        self.at += "function".len();
        self.skip_blanks();
        let start = self.at;
        while !self.done() && !is_separator(self.peek()) {
            self.at += 1;
        }
        let name = &self.text[start..self.at];
        if name.is_empty() {
            return Err(self.fail("`function` needs a name"));
        }
        self.skip_blanks();
        if self.peek() == b'(' && self.peek_at(1) == b')' {
            self.at += 2;
        }
        self.function_body(name)
    }

    fn function_body(&mut self, name: &'a str) -> Read<Command<'a>> {
        self.skip_lines()?;
        if self.done() {
            return Err(self.fail("a function needs a body"));
        }
        let body = self.deeper(Self::stage)?;
        Ok(Command::Function { name, source: &self.text[body.range.clone()], body: Box::new(body) })
    }

    fn test_command(&mut self) -> Read<Command<'a>> {
        self.at += 2;
        let mut words = Vec::new();
        let mut after_match = false;
        loop {
            self.skip_lines()?;
            if self.done() {
                return Err(self.fail("`]]` is missing"));
            }
            if self.at_word("]]") {
                self.at += 2;
                return Ok(Command::Test(words));
            }
            if after_match {
                words.push(self.pattern_word()?);
                after_match = false;
                continue;
            }
            match self.peek() {
                b'(' | b')' | b'<' | b'>' => self.at += 1,
                b'&' | b'|' => self.at += 1,
                b';' => return Err(self.fail("`;` inside `[[ ]]`")),
                _ => {
                    let word = self.word()?;
                    after_match = self.text[word.range.clone()] == *"=~";
                    words.push(word);
                }
            }
            self.node()?;
        }
    }

    fn try_arithmetic_command(&mut self) -> Option<Command<'a>> {
        let (at, nodes, problem) = (self.at, self.nodes, self.problem);
        let salvaged = self.salvaged.len();
        self.at += 2;
        match self.arithmetic_until_double_paren() {
            Ok(word) => Some(Command::Arithmetic(word)),
            Err(Stop) => {
                // `((` may also open two subshells. The work is not forgotten, so that trying twice
                // at every level cannot add up beyond the budget.
                self.at = at;
                self.nodes = nodes.max(self.nodes);
                self.problem = problem;
                self.salvaged.truncate(salvaged);
                None
            }
        }
    }

    fn simple_command(&mut self, redirects: &mut Vec<Redirect<'a>>) -> Read<Command<'a>> {
        let (mut assignments, mut words) = (Vec::new(), Vec::new());
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
    fn simple_words(
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
            match self.peek() {
                b';' | b'\n' | b')' | b'|' => return Ok(None),
                b'&' if self.peek_at(1) != b'>' => return Ok(None),
                b'(' => {
                    let [name] = words.as_slice() else { return Err(self.fail("unexpected `(`")) };
                    let name = &self.text[name.range.clone()];
                    self.at += 1;
                    self.skip_blanks();
                    if !self.eat(")") || name.is_empty() || !assignments.is_empty() {
                        return Err(self.fail("unexpected `(`"));
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
            words.push(self.word()?);
        }
    }

    fn name(&mut self) -> Option<&'a str> {
        let start = self.at;
        if !is_name_start(self.peek()) {
            return None;
        }
        while is_name(self.peek()) && !self.done() {
            self.at += 1;
        }
        Some(&self.text[start..self.at])
    }

    /// Where the bracket of `a[i]=x` closes, if an assignment it is.
    fn subscript_end(&self) -> Option<usize> {
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

    fn assignment(&mut self) -> Read<Option<Assignment<'a>>> {
        let start = self.at;
        let Some(name) = self.name() else { return Ok(None) };
        let mut subscript = Vec::new();
        if self.peek() == b'[' {
            let Some(end) = self.subscript_end() else {
                self.at = start;
                return Ok(None);
            };
            self.slice(self.at + 1..end, |parser| parser.double_quoted(&mut subscript, None))?;
            self.at = end + 1;
            // The element does not matter, but what runs to find it does.
            subscript.retain(|part| {
                !matches!(part, Part::Text { .. } | Part::Parameter { form: Form::Plain, .. })
            });
        }
        let append = self.peek() == b'+' && self.peek_at(1) == b'=';
        if !append && self.peek() != b'=' {
            self.at = start;
            return Ok(None);
        }
        self.at += 1 + usize::from(append);
        self.node()?;
        if self.peek() == b'(' {
            self.at += 1;
            let mut words = Vec::new();
            loop {
                self.skip_lines()?;
                if self.eat(")") {
                    return Ok(Some(Assignment { name, append, value: Value::Array(words) }));
                }
                if self.done() || matches!(self.peek(), b';' | b'&' | b'|' | b'<' | b'>' | b'(') {
                    return Err(self.fail("`)` is missing after an array"));
                }
                words.push(self.word()?);
            }
        }
        let mut value = if self.done() || is_separator(self.peek()) {
            Word { parts: Vec::new(), range: self.at..self.at }
        } else {
            self.word()?
        };
        value.parts.splice(..0, subscript);
        Ok(Some(Assignment { name, append, value: Value::Scalar(value) }))
    }

    // Redirections.

    fn redirects(&mut self, redirects: &mut Vec<Redirect<'a>>) -> Read<()> {
        loop {
            self.skip_blanks();
            if self.done() || !self.redirect(redirects)? {
                return Ok(());
            }
        }
    }

    fn redirect(&mut self, redirects: &mut Vec<Redirect<'a>>) -> Read<bool> {
        let start = self.at;
        let mut fd = None;
        if self.peek().is_ascii_digit() {
            let mut number = 0u32;
            while self.peek().is_ascii_digit() && !self.done() {
                number = number.saturating_mul(10).saturating_add(u32::from(self.peek() - b'0'));
                self.at += 1;
            }
            fd = Some(Fd::Number(number));
        } else if self.peek() == b'{' {
            self.at += 1;
            let name = self.name();
            match name {
                Some(name) if self.peek() == b'}' => {
                    self.at += 1;
                    fd = Some(Fd::Named(name));
                }
                _ => {
                    self.at = start;
                    return Ok(false);
                }
            }
        }
        const OPERATORS: [(&str, RedirectKind); 13] = [
            ("<<<", RedirectKind::HereString),
            ("<<-", RedirectKind::HereDoc),
            ("<<", RedirectKind::HereDoc),
            ("<&", RedirectKind::DupRead),
            ("<>", RedirectKind::ReadWrite),
            ("<", RedirectKind::Read),
            (">>", RedirectKind::Append),
            (">&", RedirectKind::DupWrite),
            (">|", RedirectKind::Write),
            (">", RedirectKind::Write),
            ("&>>", RedirectKind::AppendBoth),
            ("&>", RedirectKind::WriteBoth),
            // Closes the table so that no operator is a prefix of a later one.
            ("\0", RedirectKind::Read),
        ];
        if !matches!(self.peek(), b'<' | b'>' | b'&')
            || (self.peek() == b'&' && fd.is_some())
            || (matches!(self.peek(), b'<' | b'>') && self.peek_at(1) == b'(' && fd.is_none())
        {
            self.at = start;
            return Ok(false);
        }
        let Some((operator, kind)) = OPERATORS.into_iter().find(|(operator, _)| self.starts_with(operator))
        else {
            self.at = start;
            return Ok(false);
        };
        self.node()?;
        self.at += operator.len();
        if kind == RedirectKind::HereDoc {
            self.announce_here_doc(redirects, fd, operator == "<<-")?;
            return Ok(true);
        }
        self.skip_blanks();
        if self.done() || matches!(self.peek(), b'\n' | b';' | b'|' | b'&' | b')') {
            return Err(self.fail("a redirection without a target"));
        }
        let target = self.word()?;
        redirects.push(Redirect { fd, kind, target });
        Ok(true)
    }

    // Here-documents: the body follows the line, so the redirection first holds an index.

    fn announce_here_doc(
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
                b'$' if self.peek_at(1) == b'\'' => {
                    quoted = true;
                    delimiter.push_str(&self.ansi_c_quoted()?);
                }
                b'$' if self.peek_at(1) == b'"' => self.at += 1,
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
                byte if is_separator(byte) || matches!(byte, b'<' | b'>') => break,
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
        let index = self.bodies.len();
        self.bodies.push(None);
        self.pending.push(Pending { index, delimiter: delimiter.into(), quoted, strip_tabs });
        // The range marks which body belongs here until `fill_here_docs` puts it in.
        let target = Word { parts: Vec::new(), range: index..usize::MAX };
        redirects.push(Redirect { fd, kind: RedirectKind::HereDoc, target });
        Ok(())
    }

    fn delimiter_in_double_quotes(&mut self, delimiter: &mut String) -> Read<()> {
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
    fn apart<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        let pending = std::mem::take(&mut self.pending);
        let result = self.deeper(read);
        self.pending = pending;
        result
    }

    fn here_doc_bodies(&mut self) -> Read<()> {
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
                Word { parts: vec![Part::Text { text, quoted: true }], range: start..end }
            } else {
                self.here_doc_word(start..end)?
            };
            self.bodies[pending.index] = Some(word);
        }
        Ok(())
    }

    /// The line of a here-document that starts at `start`, and where it ends. Unless the delimiter is quoted, a
    /// backslash before the new line joins it with the next.
    fn here_doc_line(&self, start: usize, quoted: bool) -> (usize, Cow<'a, str>) {
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
    fn here_doc_word(&mut self, range: Range<usize>) -> Read<Word<'a>> {
        let mut parts = Vec::new();
        self.slice(range.clone(), |parser| parser.double_quoted(&mut parts, None))?;
        Ok(Word { parts, range })
    }

    /// Reads within `range` only, then stands again where it stood.
    fn slice<T>(&mut self, range: Range<usize>, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        let (text, bytes, after) = (self.text, self.bytes, self.at);
        self.text = &text[..range.end];
        self.bytes = &bytes[..range.end];
        self.at = range.start;
        let result = self.deeper(read);
        (self.text, self.bytes, self.at) = (text, bytes, after);
        result
    }

    fn fill_here_docs(&mut self, script: &mut Script<'a>) {
        if !self.bodies.is_empty() {
            let mut bodies = std::mem::take(&mut self.bodies);
            fill_script(script, &mut bodies);
        }
    }
}

/// Whether `words` so far make a command whose further words may be assignments.
fn is_declaration(text: &str, words: &[Word<'_>]) -> bool {
    matches!(&text[words[0].range.clone()], "export" | "declare" | "local" | "readonly" | "typeset" | "alias")
}

fn declared_word<'a>(assignment: &Assignment<'a>) -> Word<'a> {
    let mut parts = vec![Part::Text { text: format!("{}=", assignment.name).into(), quoted: true }];
    let mut range = 0..0;
    match &assignment.value {
        Value::Scalar(word) => {
            range = word.range.clone();
            parts.extend(word.parts.iter().cloned());
        }
        Value::Array(_) => {}
    }
    Word { parts, range }
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

/// Whether `byte` ends an unquoted word. (`<` and `>` do too, but not after a keyword.)
fn is_separator(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b';' | b'&' | b'|' | b'(' | b')')
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
