//! The statements of Python.

use std::borrow::Cow;

use super::{
    How,
    arguments::Arguments,
    names::module_name,
    reader::Reader,
    sign,
    token::Kind,
    value::{Text, Value, concatenated},
};
use crate::effect::shell::Origin;

impl<'a> Reader<'a, '_> {
    /// Follows the statements in tokens `at..end`, line after line.
    pub(super) fn python_statements(&mut self, mut at: usize, end: usize) {
        let end = end.min(self.tokens.len());
        // The indentation of the first line is the outermost; deeper lines may be left out or repeated.
        let base = match self.tokens.get(at) {
            Some(token) if token.kind == Kind::Line => token.extra,
            _ => 0,
        };
        let before = self.sometimes;
        let mut line = at;
        while at < end && !self.stopped {
            let token = self.tokens[at];
            match token.kind {
                Kind::Line => {
                    line = at;
                    self.widen(at);
                    self.sometimes = before || token.extra > base;
                    at += 1;
                }
                Kind::Shell => {
                    self.notebook(at);
                    at += 1;
                }
                Kind::Operator if matches!(token.sign, b';' | b':') => at += 1,
                _ => at = self.python_statement(at, line, end).max(at + 1),
            }
        }
        self.sometimes = before;
    }

    /// One past the block that the line at `line` opens.
    fn block_end(&self, line: usize, end: usize) -> usize {
        match self.tokens.get(line) {
            Some(token) if token.kind == Kind::Line => (token.link as usize).min(end),
            _ => end,
        }
    }

    fn python_statement(&mut self, at: usize, line: usize, end: usize) -> usize {
        match self.sign(at, end) {
            b'@' => self.decorator(at, end),
            sign::IMPORT => self.import_statement(at + 1, end),
            sign::FROM => self.import_from(at + 1, end),
            sign::DEF => self.definition(at + 1, line, end),
            sign::CLASS => {
                // Bases and keywords are expressions; the body is followed as it stands.
                let mut next = at + 2;
                if self.is(next, end, b'(') {
                    let close = self.partner(next, end);
                    self.followed(next);
                    self.arguments(next + 1, close);
                    next = close + 1;
                }
                next
            }
            sign::FOR => {
                self.forget_in_loop(at, self.block_end(line, end));
                self.sometimes = true;
                self.bind_loop(at + 1, end)
            }
            sign::WHILE => {
                self.forget_in_loop(at, self.block_end(line, end));
                self.sometimes = true;
                self.expression(at + 1, end).1
            }
            sign::IF | sign::ELIF => {
                let (_, next) = self.expression(at + 1, end);
                self.narrow(at + 1, next, self.block_end(line, end));
                next
            }
            sign::WITH => self.with_statement(at + 1, end),
            sign::RETURN | sign::YIELD => {
                let (value, next) = self.tuple(at + 1, end);
                self.passes_on(&value);
                let before = self.returned.take();
                self.returned = Some(match before {
                    Some(before) => before.or(value),
                    None => value,
                });
                next
            }
            sign::RAISE => {
                let (_, next) = self.tuple(at + 1, end);
                match self.is(next, end, sign::FROM) {
                    true => self.expression(next + 1, end).1,
                    false => next,
                }
            }
            sign::AWAIT | sign::ASSERT | sign::DEL => self.tuple(at + 1, end).1,
            sign::ASYNC
            | sign::ELSE
            | sign::TRY
            | sign::FINALLY
            | sign::PASS
            | sign::BREAK
            | sign::CONTINUE => at + 1,
            sign::EXCEPT => {
                let (_, next) = self.expression(at + 1, end);
                if self.is(next, end, sign::AS) {
                    self.set(self.word(next + 1), Value::Unknown(Origin::PLAIN));
                    return next + 2;
                }
                next
            }
            sign::GLOBAL | sign::NONLOCAL => {
                let mut next = at + 1;
                while next < end && !matches!(self.kind(next), Some(Kind::Line)) && !self.is(next, end, b';')
                {
                    next += 1;
                }
                next
            }
            _ => match self.kind(at + 1) {
                Some(Kind::Text | Kind::Template | Kind::Name) => self.old_statement(at, end),
                _ => self.assignment(at, end),
            },
        }
    }

    /// `print "text"` and `exec code` of Python 2, or anything else.
    fn old_statement(&mut self, at: usize, end: usize) -> usize {
        match (self.word(at), self.kind(at + 1)) {
            ("print", Some(Kind::Text | Kind::Template)) => self.tuple(at + 1, end).1,
            ("exec", _) => {
                let (value, next) = self.expression(at + 1, end);
                let range = self.range(at, next);
                self.call_named("exec", None, &Arguments::of(vec![value]), range);
                next
            }
            _ => self.assignment(at, end),
        }
    }

    /// `!command`, `%pip install`, `%%bash` and the rest of the cell.
    fn notebook(&mut self, at: usize) {
        let (start, end) = self.range(at, at + 1);
        let text: &'a str = self.source.get(start..end).unwrap_or("");
        let place = self.place((start, end));
        if !self.counts() {
            return;
        }
        if let Some(command) = text.strip_prefix('!') {
            let command = command.trim_start_matches('!');
            self.world.shell(&Text::plain(command), How::default(), place);
            return;
        }
        let magic = text.trim_start_matches('%');
        let (word, rest) = magic.split_once(char::is_whitespace).unwrap_or((magic, ""));
        match word {
            "bash" | "sh" | "script" | "zsh" | "system" | "sx" | "cmd" if text.starts_with("%%") => {
                let body = text.split_once('\n').map_or("", |(_, body)| body);
                self.world.shell(&Text::plain(body), How::default(), place);
            }
            "pip" | "conda" | "cd" | "ls" | "cp" | "mv" | "rm" | "mkdir" | "rmdir" | "cat" => {
                self.world.shell(&Text::plain(magic.lines().next().unwrap_or("")), How::default(), place);
            }
            "system" | "sx" | "sc" => {
                self.world.shell(&Text::plain(rest), How::default(), place);
            }
            "matplotlib" | "load_ext" | "autoreload" | "config" | "env" | "who" | "whos" | "pwd"
            | "reset" | "precision" => {}
            "time" | "timeit" | "capture" | "prun" | "python" | "python3" | "pypy" => {
                self.nested(rest, (start, end))
            }
            "writefile" | "file" => {
                let name = rest.split_whitespace().next_back().unwrap_or("");
                let name =
                    rest.lines().next().and_then(|line| line.split_whitespace().next_back()).unwrap_or(name);
                let body = rest.split_once('\n').map_or("", |(_, body)| body);
                let content = Text::plain(body).flow();
                self.world.write(&Text::plain(name), content, rest.starts_with("-a"), place);
            }
            "sql" => self.world.statement(&Text::plain(rest), place),
            "html" | "HTML" | "markdown" | "latex" | "svg" => {}
            _ => self.opaque("a magic command of a notebook that nobody here knows", (start, end)),
        }
    }

    fn decorator(&mut self, at: usize, end: usize) -> usize {
        let (value, next) = self.expression(at + 1, end);
        let range = self.range(at, next);
        // `@exec` calls it with whatever follows.
        if let Value::Name(_) = &value {
            let function = Arguments::of(vec![value]);
            self.callbacks("", &function, &Value::Unknown(Origin::PLAIN), range);
        }
        next
    }

    /// `import a.b as c, d`.
    fn import_statement(&mut self, mut at: usize, end: usize) -> usize {
        while at < end && self.kind(at) == Some(Kind::Name) {
            let first = self.word(at);
            let (module, mut next) = self.dotted(at, end);
            self.imported(&module);
            if self.is(next, end, sign::AS) {
                let alias = self.word(next + 1);
                let module = module_name(self.language, &module).to_owned();
                if self.counts() {
                    self.declare(alias, Value::Name(Cow::Owned(module)));
                }
                next += 2;
            } else if self.counts() {
                let root = module_name(self.language, first);
                if root == first {
                    self.names.remove(first);
                } else {
                    self.names.insert(Cow::Borrowed(first), Value::Name(Cow::Owned(root.to_owned())));
                }
            }
            at = next;
            if !self.is(at, end, b',') {
                break;
            }
            at += 1;
        }
        at
    }

    /// `from a.b import c as d, e`.
    fn import_from(&mut self, at: usize, end: usize) -> usize {
        let mut start = at;
        while self.is(start, end, b'.') || self.is(start, end, sign::SPREAD) {
            start += 1;
        }
        let (module, next) = self.dotted(start, end);
        let relative = start > at;
        if !self.is(next, end, sign::IMPORT) {
            return next;
        }
        self.imported(if relative { "." } else { &module });
        let module = module_name(self.language, &module).to_owned();
        let mut at = next + 1;
        let bracket = self.is(at, end, b'(');
        let end = if bracket { self.partner(at, end) } else { end };
        self.followed(at);
        at += usize::from(bracket);
        while at < end {
            match self.kind(at) {
                Some(Kind::Name) => {
                    let name = self.word(at);
                    let (alias, next) = match self.is(at + 1, end, sign::AS) {
                        true => (self.word(at + 2), at + 3),
                        false => (name, at + 1),
                    };
                    let full = match relative {
                        true => [".", &module, ".", name].concat(),
                        false => [&module, ".", name].concat(),
                    };
                    if self.counts() {
                        self.declare(alias, Value::Name(Cow::Owned(full)));
                    }
                    at = next;
                }
                Some(Kind::Operator) if self.is(at, end, b'*') => {
                    self.star(&module);
                    at += 1;
                }
                Some(Kind::Operator) if self.is(at, end, b',') => at += 1,
                _ => break,
            }
        }
        at + usize::from(bracket)
    }

    /// `from os import *`: the names that matter.
    fn star(&mut self, module: &str) {
        const OF_HERMES: &[&str] =
            &["terminal", "read_file", "write_file", "search_files", "patch", "web_search", "web_extract"];
        if !self.counts() {
            return;
        }
        let listed: Vec<&'static str> = match module {
            "hermes_tools" => OF_HERMES.to_vec(),
            "os" => {
                std::iter::once("environ").chain(super::table::of(self.language).members(module)).collect()
            }
            module => super::table::of(self.language).members(module).collect(),
        };
        for name in listed {
            self.declare(name, Value::Name(Cow::Owned([module, ".", name].concat())));
        }
    }

    /// A module is loaded; one that nobody here knows runs its own code.
    pub(super) fn imported(&mut self, module: &str) {
        let module = module_name(self.language, module);
        if self.counts()
            && !super::table::of(self.language).is_pure(module)
            && !KNOWN_MODULES.contains(&module.split('.').next().unwrap_or(module))
        {
            self.all_known = false;
        }
    }

    fn dotted(&self, at: usize, end: usize) -> (Cow<'a, str>, usize) {
        let mut next = at;
        if self.kind(next) == Some(Kind::Name) && next < end && !self.is(next, end, sign::IMPORT) {
            next += 1;
            while self.is(next, end, b'.') && self.kind(next + 1) == Some(Kind::Name) {
                next += 2;
            }
        }
        let (start, stop) = self.range(at, next);
        let text: &'a str = if next > at { self.source.get(start..stop).unwrap_or("") } else { "" };
        // Only spaces within it make it longer than its letters, and there are seldom any.
        match text.bytes().any(|byte| byte <= b' ' || !byte.is_ascii()) && text.contains(char::is_whitespace)
        {
            true => (Cow::Owned(text.split_whitespace().collect()), next),
            false => (Cow::Borrowed(text), next),
        }
    }

    /// `def name(parameters) -> type: body`.
    fn definition(&mut self, at: usize, line: usize, end: usize) -> usize {
        let name = self.word(at);
        let mut open = at + 1;
        if self.is(open, end, b'[') {
            // Parameters of types: what bounds them is worked out when somebody asks for it.
            let close = self.partner(open, end);
            self.followed(open);
            self.values(open + 1, close);
            open = close + 1;
        }
        if !self.is(open, end, b'(') {
            return open;
        }
        let close = self.partner(open, end);
        self.followed(open);
        let mut colon = close + 1;
        if self.is(colon, end, sign::ARROW) {
            colon = self.expression(colon + 1, end).1;
        }
        let stop = self.block_end(line, end);
        let body = (colon + 1).min(stop);
        if self.counts() {
            let function = self.define((open + 1, close), (body, stop.max(body)), false);
            if let Value::Function(index) = function {
                self.declare(name, Value::Function(index));
            }
        }
        stop.max(colon)
    }

    /// `x, y in values`: binds the names to what the values are; gives what follows.
    pub(super) fn bind_loop(&mut self, at: usize, end: usize) -> usize {
        let mut within = at;
        while within < end && !self.is(within, end, sign::IN) && self.kind(within) != Some(Kind::Line) {
            within = if self.kind(within) == Some(Kind::Open) {
                self.partner(within, end) + 1
            } else {
                within + 1
            };
        }
        if !self.is(within, end, sign::IN) {
            return within;
        }
        let (values, next) = self.tuple(within + 1, end);
        self.target(at, within);
        // `enumerate` and `items` give pairs of which the last is the value.
        let element = values.element();
        self.bind(at, within, &element);
        next
    }

    /// `with a as b, c as d:`
    fn with_statement(&mut self, mut at: usize, end: usize) -> usize {
        let bracket = self.is(at, end, b'(') && {
            let close = self.partner(at, end);
            self.is(close + 1, end, b':')
        };
        if bracket {
            self.followed(at);
        }
        at += usize::from(bracket);
        loop {
            let (value, next) = self.expression(at, end);
            let next = next.max(at + 1);
            at = next;
            if self.is(at, end, sign::AS) {
                let target = at + 1;
                let stop = match self.kind(target) {
                    Some(Kind::Open) => self.partner(target, end) + 1,
                    _ => target + 1,
                };
                self.target(target, stop.min(end));
                self.bind(target, stop.min(end), &value);
                at = stop;
            }
            if !self.is(at, end, b',') || self.stopped {
                return at;
            }
            at += 1;
        }
    }

    /// Follows what runs to find the place that a loop or a `with` sets, such as `a[f()]`.
    fn target(&mut self, at: usize, end: usize) {
        if (at..end).any(|place| self.kind(place) == Some(Kind::Open)) {
            self.tuple(at, end);
        }
    }

    /// An expression, or several between commas as one value.
    fn tuple(&mut self, at: usize, end: usize) -> (Value<'a>, usize) {
        let mut value = Value::Nothing;
        let next = self.tuple_into(&mut value, at, end);
        (value, next)
    }

    /// The same, with the value written where it is wanted.
    fn tuple_into(&mut self, value: &mut Value<'a>, at: usize, end: usize) -> usize {
        let mut next = self.expression_into(value, at, end);
        if !self.is(next, end, b',') {
            return next;
        }
        let mut items = vec![std::mem::take(value)];
        while self.is(next, end, b',') && !self.stopped {
            let (item, after) = self.expression(next + 1, end);
            let is_last = after == next + 1;
            next = after;
            if is_last {
                break;
            }
            items.push(item);
        }
        self.passes_all_on(&items);
        *value = Value::list(items);
        next
    }

    /// `a = b = expression`, `a += expression`, `a: type = expression`, or an expression alone.
    fn assignment(&mut self, at: usize, end: usize) -> usize {
        // A name that is set has no value of its own.
        let mut value = Value::Nothing;
        let mut next = match self.kind(at) == Some(Kind::Name) && self.is(at + 1, end, b'=') {
            true => at + 1,
            false => self.tuple_into(&mut value, at, end),
        };
        if self.is(next, end, b':')
            && !self.is(next + 1, end, b':')
            && self.kind(next + 1) == Some(Kind::Name)
        {
            // An annotation.
            let (_, after) = self.expression(next + 1, end);
            if !self.is(after, end, b'=') {
                return after.max(next + 1);
            }
            next = after;
        }
        match self.sign(next, end) {
            b'=' => {
                let mut targets = vec![(at, next)];
                let mut value;
                loop {
                    let start = next + 1;
                    (value, next) = self.tuple(start, end);
                    if !self.is(next, end, b'=') || self.stopped || targets.len() > 16 {
                        break;
                    }
                    targets.push((start, next));
                }
                for (start, stop) in targets {
                    self.assign(start, stop, value.clone());
                }
                next
            }
            sign::ADD_SET => {
                let (more, after) = self.tuple(next + 1, end);
                let value = concatenated(&value, &more);
                if let Value::Text(text) = &value {
                    let length = text.text.len();
                    self.copies(length);
                }
                self.assign(at, next, value);
                after
            }
            sign::SUBTRACT_SET
            | sign::MULTIPLY_SET
            | sign::DIVIDE_SET
            | sign::REMAINDER_SET
            | sign::OR_SET
            | sign::AND_SET
            | sign::FLOOR_SET
            | sign::POWER_SET
            | sign::XOR_SET
            | sign::SHIFT_RIGHT_SET
            | sign::SHIFT_LEFT_SET
            | sign::AT_SET => {
                let (more, after) = self.tuple(next + 1, end);
                let value = Value::Unknown(value.origin().and(more.origin()));
                self.assign(at, next, value);
                after
            }
            _ => next,
        }
    }
}

/// Modules whose calls are in the table, or that the table tells apart by name.
const KNOWN_MODULES: &[&str] = &[
    "ctypes",
    "pty",
    "paramiko",
    "fabric",
    "invoke",
    "smtplib",
    "ftplib",
    "telnetlib",
    "webbrowser",
    "runpy",
    "importlib",
    "imp",
    "psutil",
    "send2trash",
    "pexpect",
    "hermes_tools",
    "pip",
    "docker",
    "stripe",
    "cloudpickle",
    "dill",
    "marshal",
    "joblib",
    "wget",
    "urllib2",
    "urllib3",
    "sh",
    "cffi",
    "zipfile",
    "tarfile",
    "mmap",
    "readline",
    "code",
];
