//! Compound commands: conditions, loops, cases, functions, tests.

use super::{Parser, Read, Stop};
use crate::effect::shell::syntax::{Command, Script, Word};

impl<'a> Parser<'a> {
    pub(super) fn expect_word(&mut self, word: &'static str, otherwise: &'static str) -> Read<()> {
        self.skip_lines()?;
        if self.at_word(word) {
            self.at += word.len();
            Ok(())
        } else {
            Err(self.fail(otherwise))
        }
    }

    pub(super) fn do_body(&mut self) -> Read<Script<'a>> {
        self.skip_lines()?;
        if self.at_word("{") {
            if !self.only_bash() {
                return Err(self.refuse());
            }
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

    pub(super) fn if_command(&mut self) -> Read<Command<'a>> {
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

    pub(super) fn if_branches(
        &mut self,
        branches: &mut Vec<(Script<'a>, Script<'a>)>,
    ) -> Read<Option<Script<'a>>> {
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

    pub(super) fn for_command(&mut self) -> Read<Command<'a>> {
        self.at += if self.at_word("for") { 3 } else { 6 };
        self.skip_blanks();
        if self.starts_with("((") {
            if !self.only_bash() {
                return Err(self.refuse());
            }
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

    pub(super) fn words_until_line_end(&mut self) -> Read<Vec<Word<'a>>> {
        let mut words = Vec::new();
        loop {
            self.skip_blanks();
            if self.done() || matches!(self.peek(), b';' | b'\n' | b'&' | b'|' | b')') {
                return Ok(words);
            }
            words.push(self.word()?);
        }
    }

    pub(super) fn case_command(&mut self) -> Read<Command<'a>> {
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

    pub(super) fn function_command(&mut self) -> Read<Command<'a>> {
        self.at += "function".len();
        self.skip_blanks();
        let start = self.at;
        while !self.done() && !self.is_separator_at(self.at) {
            self.at += 1;
        }
        let name = &self.text[start..self.at];
        if name.is_empty() {
            return Err(self.fail("`function` needs a name"));
        }
        if name.contains('\\') {
            return Err(self.fail("the name of a function that is not written plainly"));
        }
        self.skip_blanks();
        if self.peek() == b'(' && self.peek_at(1) == b')' {
            self.at += 2;
        }
        self.function_body(name)
    }

    pub(super) fn function_body(&mut self, name: &'a str) -> Read<Command<'a>> {
        self.skip_lines()?;
        if self.done() {
            return Err(self.fail("a function needs a body"));
        }
        let body = self.deeper(Self::stage)?;
        Ok(Command::Function { name, source: &self.text[body.range.clone()], body: Box::new(body) })
    }

    pub(super) fn test_command(&mut self) -> Read<Command<'a>> {
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

    pub(super) fn try_arithmetic_command(&mut self) -> Option<Command<'a>> {
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
}
