//! The words of slips: how a capability or a limit on effects is written in one line.
//!
//! ```text
//! capability  = tool [ ": " [ argument { "," argument } ] ]
//! argument    = ".." | name "?" [ constraint ] | name constraint
//! constraint  = both { "or" both }          both = one { "and" one }
//! one         = "(" constraint ")" | "not" one | operator
//! operator    = "any" | "is" value | "in" list | "not in" list | "subset" list | "contains" value
//!             | "glob" word | "regex" word | "under" word | "url" word | "url_safe" | "cidr" word
//!             | "argv" "(" … ")" | "range" bounds | "above" number | "below" number | "length" bounds
//! list        = "(" value { "," value } ")"  bounds = number ".." [ number ] | ".." number
//! effects     = clause { ";" clause }
//! clause      = "no" verb | verb [ "to" | "on" | "in" | "from" | "at" ] target { ( "," | "or" ) target }
//! target      = "anything" | "under" word | "path" one | "host" one | "name" one | path | host
//! ```
//!
//! A word ends at a blank, a comma, a semicolon or a bracket; in quotes it may hold anything. A value in quotes is text;
//! without them `5`, `true` and `null` are what they are in JSON, and anything else is text.

use std::ops::Range as Bytes;

use super::{
    limits::{Amount, Budget, Rate, parse_duration},
    reach::{About, Reach, TargetPattern, VERBS},
    scope::{Argument, Capability, Deed, Tier},
};
use crate::{
    Json, ToolName,
    constraint::{
        self, All, Anchor, Any, Argv, Bound, Cidr, Constraint, Contains, Exact, Glob, InvalidConstraint,
        Length, Not, NotOneOf, OneOf, Range, Regex, Subset, Under, Url,
    },
    json::{Number, excerpt},
    located::nearest,
};

/// The longest line.
const LINE_MAX: usize = 64 * 1024;

const OPERATORS: &[&str] = &[
    "above", "any", "argv", "below", "cidr", "contains", "glob", "in", "is", "length", "not", "range",
    "regex", "subset", "under", "url", "url_safe",
];

/// What is wrong with a line, and which of its words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct GrammarError {
    /// What, and what to do.
    pub message: String,
    /// The bytes of the word.
    pub at: Bytes<usize>,
}

impl GrammarError {
    /// The line with a mark under the word, for people.
    pub fn pointing_at(&self, line: &str) -> String {
        let shown: String = line.chars().map(crate::printable::printable).collect();
        let column = line.get(..self.at.start).map_or(0, |before| before.chars().count());
        let width = line.get(self.at.clone()).map_or(1, |word| word.chars().count()).max(1);
        format!("{}\n  {shown}\n  {}{}", self.message, " ".repeat(column), "^".repeat(width))
    }
}

/// Reads a capability.
pub fn capability(line: &str, tier: Tier) -> Result<Capability, GrammarError> {
    let mut words = Words::of(line)?;
    let end = line.find(": ").or_else(|| line.trim_end().ends_with(':').then(|| line.trim_end().len() - 1));
    let name = &line[..end.unwrap_or(line.len())];
    let from = name.len() - name.trim_start().len();
    let at = from..from + name.trim().len();
    let tool = ToolName::parse(name.trim()).map_err(|error| GrammarError {
        message: match name.trim().contains(' ') {
            true => "a colon and a blank must follow the tool, as in `read_file: path under /srv`".to_owned(),
            false => error.to_string(),
        },
        at: at.clone(),
    })?;
    let Some(end) = end else {
        return Ok(Capability { tier, deed: Deed::Tool { tool, arguments: Vec::new(), open: true } });
    };
    words.at = end + 1;
    let (arguments, open) = words.arguments()?;
    Ok(Capability { tier, deed: Deed::Tool { tool, arguments, open } })
}

/// Reads effects: what a verb may touch, or that it may touch nothing.
pub fn effects(line: &str) -> Result<Vec<Reach>, GrammarError> {
    let mut words = Words::of(line)?;
    let mut clauses = Vec::new();
    loop {
        clauses.push(words.clause()?);
        words.blanks();
        if !words.eat(';') {
            break;
        }
        words.blanks();
        if words.rest().is_empty() {
            break;
        }
    }
    words.end("`;` or the end")?;
    Ok(clauses)
}

/// Reads effects of which each touches something: a capability of its own.
pub fn effect_capability(line: &str, tier: Tier) -> Result<Capability, GrammarError> {
    let reach = effects(line)?;
    match reach.iter().find(|reach| reach.targets.is_empty()) {
        Some(_) => Err(GrammarError {
            message: "`no` forbids, and here is said what is allowed; put it in `--effects`".to_owned(),
            at: line.find("no ").map_or(0..line.len(), |at| at..at + 2),
        }),
        None => Ok(Capability { tier, deed: Deed::Effects(reach) }),
    }
}

/// Reads `10/1m`: so many calls in so long.
pub fn rate(text: &str) -> Result<Rate, GrammarError> {
    let wrong = || GrammarError {
        message: format!("`{}` is no rate; write it like `10/1m` for ten calls a minute", excerpt(text)),
        at: 0..text.len(),
    };
    let (count, per) = text.split_once('/').ok_or_else(wrong)?;
    let count = count.trim().parse().map_err(|_| wrong())?;
    let per = per.trim();
    let per = if per.starts_with(|letter: char| letter.is_ascii_digit()) {
        per.to_owned()
    } else {
        format!("1{per}")
    };
    let per_ms = parse_duration(&per).filter(|ms| *ms > 0).ok_or_else(wrong)?;
    Ok(Rate { count, per_ms })
}

/// Reads `amount=100.50`: what an argument may add up to.
pub fn budget(text: &str) -> Result<Budget, GrammarError> {
    let wrong = || GrammarError {
        message: format!("`{}` is no budget; write it like `amount=100.50`", excerpt(text)),
        at: 0..text.len(),
    };
    let (argument, most) = text.split_once('=').ok_or_else(wrong)?;
    let most = Amount::parse(most.trim()).ok_or_else(wrong)?;
    let argument = argument.trim();
    if argument.is_empty() {
        return Err(wrong());
    }
    Ok(Budget { argument: argument.to_owned(), most })
}

struct Words<'t> {
    line: &'t str,
    at: usize,
    depth: usize,
}

/// A word, and whether it stood in quotes.
struct Word {
    text: String,
    quoted: bool,
    at: Bytes<usize>,
}

/// `1..5`, either end of which may be missing.
struct Bounds {
    min: Option<Number>,
    max: Option<Number>,
    at: Bytes<usize>,
}

impl<'t> Words<'t> {
    fn of(line: &'t str) -> Result<Self, GrammarError> {
        if line.len() > LINE_MAX {
            return Err(GrammarError { message: format!("a line may have {LINE_MAX} bytes"), at: 0..1 });
        }
        Ok(Self { line, at: 0, depth: 0 })
    }

    fn rest(&self) -> &'t str {
        &self.line[self.at..]
    }

    fn blanks(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn eat(&mut self, letter: char) -> bool {
        self.blanks();
        let found = self.rest().starts_with(letter);
        if found {
            self.at += letter.len_utf8();
        }
        found
    }

    /// Whether the next word is `word`, unquoted; then it is taken.
    fn eat_word(&mut self, word: &str) -> bool {
        self.blanks();
        let found = self.rest().starts_with(word)
            && self.rest()[word.len()..].chars().next().is_none_or(|after| ends_word(after) || after == '(');
        if found {
            self.at += word.len();
        }
        found
    }

    fn fail<T>(&self, at: Bytes<usize>, message: impl Into<String>) -> Result<T, GrammarError> {
        Err(GrammarError { message: message.into(), at })
    }

    /// The bytes of what comes next, to point at.
    fn here(&self) -> Bytes<usize> {
        let rest = self.rest();
        let length = rest.find(ends_word).filter(|length| *length > 0);
        let length = length.unwrap_or_else(|| rest.chars().next().map_or(0, char::len_utf8));
        let whole = if rest.find(ends_word).is_none() { rest.len() } else { length };
        self.at..self.at + whole
    }

    fn end(&mut self, expected: &str) -> Result<(), GrammarError> {
        self.blanks();
        match self.rest() {
            "" => Ok(()),
            _ => self.fail(self.here(), format!("here {expected} is expected")),
        }
    }

    fn word(&mut self, what: &str) -> Result<Word, GrammarError> {
        self.blanks();
        let from = self.at;
        let Some(first) = self.rest().chars().next() else {
            return self.fail(from..from, format!("here {what} is missing"));
        };
        if first == '"' || first == '\'' {
            return self.quoted(first);
        }
        let length = self.rest().find(ends_word).unwrap_or(self.rest().len());
        if length == 0 {
            return self.fail(self.here(), format!("here {what} is missing"));
        }
        let text = self.rest()[..length].to_owned();
        self.at += length;
        Ok(Word { text, quoted: false, at: from..self.at })
    }

    /// Text in quotes. In double ones a backslash takes the meaning from what follows it; in single ones nothing does.
    fn quoted(&mut self, quote: char) -> Result<Word, GrammarError> {
        let from = self.at;
        let mut text = String::new();
        let mut letters = self.rest().char_indices().skip(1);
        while let Some((offset, letter)) = letters.next() {
            if letter == quote {
                self.at = from + offset + 1;
                return Ok(Word { text, quoted: true, at: from..self.at });
            }
            if letter == '\\' && quote == '"' {
                match letters.next() {
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, 't')) => text.push('\t'),
                    Some((_, letter)) => text.push(letter),
                    None => break,
                }
            } else {
                text.push(letter);
            }
        }
        self.fail(from..self.line.len(), "this quotation has no end")
    }

    fn value(&mut self) -> Result<(Json, Bytes<usize>), GrammarError> {
        let word = self.word("a value")?;
        let value = match word.text.as_str() {
            _ if word.quoted => Json::from(word.text),
            "true" | "false" | "null" => Json::read(&word.text).unwrap_or(Json::Null),
            text => match Json::read(text) {
                Ok(number @ Json::Number(_)) => number,
                Ok(_) | Err(_) => Json::from(text),
            },
        };
        Ok((value, word.at))
    }

    fn list(&mut self) -> Result<Vec<Json>, GrammarError> {
        self.blanks();
        if !self.eat('(') {
            return self.fail(self.here(), "here a list such as `(a, b)` is missing");
        }
        let mut values = Vec::new();
        loop {
            values.push(self.value()?.0);
            if self.eat(')') {
                return Ok(values);
            }
            if !self.eat(',') {
                self.blanks();
                return self.fail(self.here(), "here `,` or `)` is expected");
            }
        }
    }

    fn number(&self, word: &str, at: &Bytes<usize>) -> Result<Number, GrammarError> {
        match Json::read(word) {
            Ok(Json::Number(number)) => Ok(number),
            Ok(_) | Err(_) => self.fail(at.clone(), format!("`{}` is no number", excerpt(word))),
        }
    }

    /// `1..5`, `1..` or `..5`.
    fn bounds(&mut self) -> Result<Bounds, GrammarError> {
        let word = self.word("bounds such as `1..5`")?;
        let Some((low, high)) = word.text.split_once("..") else {
            return self.fail(word.at, "bounds are written like `1..5`, `1..` or `..5`");
        };
        let end = |text: &str| match text {
            "" => Ok(None),
            text => self.number(text, &word.at).map(Some),
        };
        Ok(Bounds { min: end(low)?, max: end(high)?, at: word.at.clone() })
    }

    fn arguments(&mut self) -> Result<(Vec<Argument>, bool), GrammarError> {
        let mut arguments: Vec<Argument> = Vec::new();
        let mut open = false;
        self.blanks();
        if self.rest().is_empty() {
            return Ok((arguments, open));
        }
        loop {
            let word = self.word("the name of an argument")?;
            if word.text == ".." && !word.quoted {
                open = true;
            } else {
                let argument = self.argument(&word)?;
                if arguments.iter().any(|other| other.name == argument.name) {
                    return self.fail(word.at, format!("`{}` is named twice", excerpt(&argument.name)));
                }
                arguments.push(argument);
            }
            if !self.eat(',') {
                break;
            }
        }
        self.end("`,`, `and`, `or` or the end")?;
        arguments.sort_by(|a, b| super::cbor::text_order(&a.name, &b.name));
        Ok((arguments, open))
    }

    fn argument(&mut self, word: &Word) -> Result<Argument, GrammarError> {
        let (name, optional) = match word.text.strip_suffix('?') {
            Some(name) if !word.quoted => (name, true),
            Some(_) | None => (word.text.as_str(), word.quoted && self.eat('?')),
        };
        let name = name.to_owned();
        self.blanks();
        if self.rest().is_empty() || self.rest().starts_with(',') {
            if optional {
                return Ok(Argument { name, optional, constraint: Constraint::AnyValue });
            }
            let shown = excerpt(&name);
            return self.fail(
                word.at.clone(),
                format!("say what `{shown}` may be, such as `{shown} under /srv`, or `{shown} any`"),
            );
        }
        let constraint = self.constraint()?;
        Ok(Argument { name, optional, constraint })
    }

    fn constraint(&mut self) -> Result<Constraint, GrammarError> {
        let from = self.at;
        self.depth += 1;
        if self.depth > constraint::DEPTH_MAX {
            return self.fail(self.here(), "brackets are nested too deeply");
        }
        let mut choices = vec![self.conjunction()?];
        while self.eat_word("or") {
            choices.push(self.conjunction()?);
        }
        self.depth -= 1;
        if choices.len() == 1 {
            return Ok(choices.swap_remove(0));
        }
        self.made(from..self.at, Any::new(choices).map(Constraint::Any))
    }

    fn conjunction(&mut self) -> Result<Constraint, GrammarError> {
        let from = self.at;
        let mut members = vec![self.one()?];
        while self.eat_word("and") {
            members.push(self.one()?);
        }
        if members.len() == 1 {
            return Ok(members.swap_remove(0));
        }
        self.made(from..self.at, All::new(members).map(Constraint::All))
    }

    fn made(
        &self,
        at: Bytes<usize>,
        made: Result<Constraint, InvalidConstraint>,
    ) -> Result<Constraint, GrammarError> {
        made.or_else(|error| self.fail(at, error.to_string()))
    }

    fn one(&mut self) -> Result<Constraint, GrammarError> {
        self.blanks();
        let from = self.at;
        if self.eat('(') {
            let inner = self.constraint()?;
            if !self.eat(')') {
                self.blanks();
                return self.fail(self.here(), "here `)` is missing");
            }
            return Ok(inner);
        }
        if self.eat_word("not") {
            if self.eat_word("in") {
                let made = NotOneOf::new(self.list()?).map(Constraint::NotOneOf);
                return self.made(from..self.at, made);
            }
            self.depth += 1;
            if self.depth > constraint::DEPTH_MAX {
                return self.fail(from..self.at, "`not` is nested too deeply");
            }
            let inner = self.one()?;
            self.depth -= 1;
            return self.made(from..self.at, Not::new(inner).map(Constraint::Not));
        }
        if self.eat('=') {
            let (value, at) = self.value()?;
            return self.made(at, Exact::new(value).map(Constraint::Exact));
        }
        let operator = self.word("a constraint such as `under /srv` or `any`")?;
        self.operator(&operator)
    }

    fn operator(&mut self, operator: &Word) -> Result<Constraint, GrammarError> {
        let from = operator.at.start;
        match operator.text.as_str() {
            "any" => Ok(Constraint::AnyValue),
            "url_safe" => Ok(Constraint::UrlSafe),
            "is" => {
                let (value, at) = self.value()?;
                self.made(at, Exact::new(value).map(Constraint::Exact))
            }
            "contains" => {
                let (value, at) = self.value()?;
                self.made(at, Contains::new(value).map(Constraint::Contains))
            }
            "in" => {
                let made = OneOf::new(self.list()?).map(Constraint::OneOf);
                self.made(from..self.at, made)
            }
            "subset" => {
                let made = Subset::new(self.list()?).map(Constraint::Subset);
                self.made(from..self.at, made)
            }
            "glob" => self.by_word("a shape such as `*.txt`", |word| Glob::new(word).map(Constraint::Glob)),
            "regex" => self.by_word("a pattern in quotes", |word| {
                Regex::new(word, Anchor::Whole).map(Constraint::Regex)
            }),
            "under" => self.by_word("a path such as `/srv`", |word| Under::new(word).map(Constraint::Under)),
            "url" => self.by_word("an address such as `https://example.com/**`", |word| {
                Url::new(word).map(Constraint::Url)
            }),
            "cidr" => {
                self.by_word("addresses such as `10.0.0.0/8`", |word| Cidr::new(word).map(Constraint::Cidr))
            }
            "argv" => self.argv(),
            "range" => {
                let Bounds { min, max, at } = self.bounds()?;
                self.made(at, Range::new(min.map(Bound::at), max.map(Bound::at)).map(Constraint::Range))
            }
            "above" | "below" => {
                let word = self.word("a number")?;
                let bound = Some(Bound::beyond(self.number(&word.text, &word.at)?));
                let range = match operator.text.as_str() {
                    "above" => Range::new(bound, None),
                    _ => Range::new(None, bound),
                };
                self.made(word.at, range.map(Constraint::Range))
            }
            "length" => {
                let Bounds { min, max, at } = self.bounds()?;
                let whole = |number: Option<Number>| match number.map(Number::as_u64) {
                    Some(None) => self.fail(at.clone(), "a length is a whole number that is not negative"),
                    Some(Some(number)) => Ok(Some(number)),
                    None => Ok(None),
                };
                let made = Length::new(whole(min)?, whole(max)?).map(Constraint::Length);
                self.made(at.clone(), made)
            }
            other => {
                let shown = excerpt(other);
                let message = match nearest(other, OPERATORS) {
                    Some(near) => format!("`{shown}` is no constraint, did you mean `{near}`?"),
                    None => format!("`{shown}` is no constraint; there are `{}`", OPERATORS.join("`, `")),
                };
                self.fail(operator.at.clone(), message)
            }
        }
    }

    fn by_word(
        &mut self,
        what: &str,
        make: impl FnOnce(&str) -> Result<Constraint, InvalidConstraint>,
    ) -> Result<Constraint, GrammarError> {
        let word = self.word(what)?;
        self.made(word.at, make(&word.text))
    }

    /// `argv( … )`: everything up to the bracket.
    fn argv(&mut self) -> Result<Constraint, GrammarError> {
        self.blanks();
        let from = self.at;
        if !self.eat('(') {
            return self
                .fail(self.here(), "here a command in brackets is missing, as in `argv(git status|log)`");
        }
        let Some(length) = self.rest().find(')') else {
            return self.fail(from..self.line.len(), "this bracket has no end");
        };
        let shape = &self.rest()[..length];
        let at = self.at..self.at + length.max(1);
        self.at += length + 1;
        self.made(at, Argv::new(shape.trim()).map(Constraint::Argv))
    }

    fn clause(&mut self) -> Result<Reach, GrammarError> {
        let first = self.word("a verb such as `send`, or `no`")?;
        if first.text == "no" {
            let verb = self.word("a verb")?;
            return Ok(Reach { verb: self.verb(&verb)?, targets: Vec::new() });
        }
        let verb = self.verb(&first)?;
        for preposition in ["to", "on", "in", "from", "at"] {
            if self.eat_word(preposition) {
                break;
            }
        }
        let mut targets = vec![self.target()?];
        while self.eat(',') || self.eat_word("or") {
            targets.push(self.target()?);
        }
        Ok(Reach { verb, targets })
    }

    fn verb(&self, word: &Word) -> Result<crate::effect::Verb, GrammarError> {
        if let Some((verb, _)) = VERBS.iter().find(|(_, name)| *name == word.text) {
            return Ok(*verb);
        }
        let names: Vec<&str> = VERBS.iter().map(|(_, name)| *name).collect();
        let shown = excerpt(&word.text);
        let message = match nearest(&word.text, &names) {
            Some(near) => format!("`{shown}` is no verb, did you mean `{near}`?"),
            None => format!("`{shown}` is no verb; there are `{}`", names.join("`, `")),
        };
        self.fail(word.at.clone(), message)
    }

    fn target(&mut self) -> Result<TargetPattern, GrammarError> {
        self.blanks();
        for (word, about) in [("path", About::Path), ("host", About::Host), ("name", About::Name)] {
            if self.eat_word(word) {
                return Ok(TargetPattern { about, constraint: self.one()? });
            }
        }
        if self.eat_word("anything") {
            return Ok(TargetPattern::ANYTHING);
        }
        if self.eat_word("under") {
            let constraint =
                self.by_word("a path such as `/srv`", |word| Under::new(word).map(Constraint::Under))?;
            return Ok(TargetPattern { about: About::Path, constraint });
        }
        let word = self.word("a target such as `*.example.com`, `under /srv` or `anything`")?;
        let text = word.text.as_str();
        if text.starts_with('/') {
            let path = constraint::normal(text).map_or_else(|_| text.to_owned(), |path| path.into_owned());
            let constraint = self.made(word.at, Exact::new(path).map(Constraint::Exact))?;
            return Ok(TargetPattern { about: About::Path, constraint });
        }
        let lower = text.to_ascii_lowercase();
        let is_host = |text: &str| {
            text.contains('.')
                && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'))
        };
        let made = if let Ok(cidr) = Cidr::new(text) {
            Ok(Constraint::Cidr(cidr))
        } else if lower.strip_prefix("*.").is_some_and(|rest| is_host(&format!(".{rest}"))) {
            Glob::new(&lower).map(Constraint::Glob)
        } else if is_host(text) || text == "localhost" {
            Exact::new(lower.as_str()).map(Constraint::Exact)
        } else {
            return self.fail(
                word.at,
                format!(
                    "`{}` is no target; write a host such as `*.example.com`, `under /srv`, `name is …` or `anything`",
                    excerpt(text)
                ),
            );
        };
        Ok(TargetPattern { about: About::Host, constraint: self.made(word.at, made)? })
    }
}

/// Whether an unquoted word ends before `letter`.
fn ends_word(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, ',' | ';' | '(' | ')')
}
