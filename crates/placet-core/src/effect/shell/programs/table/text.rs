//! Reads the text of the program table.
//!
//! A process that asks about one command should not pay for two thousand programs: the names are found first, and
//! the block of a program is read when somebody asks for it.

use std::sync::OnceLock;

use super::{Condition, Line, Names, Pattern, Program, Reader, Template};
use crate::effect::{
    Extent, Manner, Place, Seen, Sensitivity, TargetKind, Undo, Verb, lookup::Lookup,
    shell::programs::options::Signs,
};

/// The lines of one program, read when they are first needed.
#[derive(Debug)]
pub struct Block {
    lines: &'static str,
    /// The number of the first of them.
    first: usize,
    program: OnceLock<Program>,
}

impl Block {
    /// What the block says. The built-in text is checked by a test, so a broken line is a line too few.
    pub fn program(&self) -> &Program {
        self.program.get_or_init(|| self.read().unwrap_or_default())
    }

    /// Reads the block, or says at which line and why it cannot be read.
    pub fn read(&self) -> Result<Program, (usize, String)> {
        let mut program = Program::default();
        for (index, raw) in self.lines.lines().enumerate() {
            read_one(raw, &mut program).map_err(|what| (self.first + index, what))?;
        }
        program.signs = Signs::of(&program.takes);
        Ok(program)
    }
}

/// Finds the blocks of `text` and adds them to `table` under each of their names.
pub fn index(
    text: &'static str,
    table: &mut Lookup<&'static str, &'static Block>,
) -> Result<(), (usize, String)> {
    let mut names: &'static str = "";
    let (mut start, mut at, mut first) = (0, 0, 1);
    let mut finish = |names: &'static str, lines: &'static str, first: usize| {
        if names.is_empty() {
            return Ok(());
        }
        // The table lives as long as the process.
        let block: &'static Block = Box::leak(Box::new(Block { lines, first, program: OnceLock::new() }));
        for name in without_comment(names).split_whitespace() {
            if table.insert(name, block).is_some() {
                return Err((first - 1, format!("`{name}` is in the table twice")));
            }
        }
        Ok(())
    };
    for (number, line) in text.split_inclusive('\n').enumerate() {
        if !line.starts_with([' ', '#', '\n', '\r']) {
            finish(names, &text[start..at], first)?;
            names = line.trim_end();
            start = at + line.len();
            first = number + 2;
        }
        at += line.len();
    }
    finish(names, &text[start..], first)
}

fn read_one(raw: &'static str, program: &mut Program) -> Result<(), String> {
    let line = without_comment(raw).trim();
    if line.is_empty() {
        return Ok(());
    }
    if let Some((before, after)) = line.split_once("=>") {
        program.lines.push(read_line(before, after)?);
        return Ok(());
    }
    let mut words = line.split_whitespace();
    match words.next() {
        Some("takes") => {
            let flags: Vec<&'static str> = words.collect();
            match flags.split_first().and_then(|(first, rest)| Some((first.strip_suffix(':')?, rest))) {
                Some((sub, rest)) => program.takes_after.push((sub, rest.to_vec())),
                None => program.takes.extend(flags),
            }
        }
        Some("dry") => program.dry.extend(words),
        Some("single-dash") => program.single_dash = true,
        Some("short-help") => program.short_help = true,
        Some("quiet") => program.quiet = true,
        Some("verbs") => {
            program.verbs = Some(match words.next() {
                None | Some("here") => Place::Machine,
                Some("away") => Place::Away,
                Some(other) => return Err(format!("`verbs` is `here` or `away`, not `{other}`")),
            });
        }
        other => return Err(format!("unknown word `{}`", other.unwrap_or(""))),
    }
    Ok(())
}

/// The line without a comment; a `#` inside quotes is no comment.
fn without_comment(line: &str) -> &str {
    let mut quoted = false;
    let mut before = ' ';
    for (at, letter) in line.char_indices() {
        match letter {
            '"' => quoted = !quoted,
            '#' if !quoted && before == ' ' => return &line[..at],
            _ => {}
        }
        before = letter;
    }
    line
}

fn read_line(before: &'static str, after: &'static str) -> Result<Line, String> {
    let mut line = Line { words: Vec::new(), begins: 0, conditions: Vec::new(), effects: Vec::new() };
    for token in before.split_whitespace() {
        if token == "@" {
            line.conditions.push(Condition::Operand);
        } else if token == "!@" {
            line.conditions.push(Condition::NoOperand);
        } else if token == "<" {
            line.conditions.push(Condition::Input);
        } else if let Some(flags) = token.strip_prefix('!') {
            line.conditions.push(Condition::NoFlag(read_flags(flags)));
        } else if let Some(words) = token.strip_prefix("..") {
            line.conditions.push(Condition::Anywhere(words.split('|').map(Pattern::new).collect()));
        } else if token.starts_with('-') {
            line.conditions.push(Condition::Flag(read_flags(token)));
        } else {
            line.words.push(token.split('|').map(Pattern::new).collect());
        }
    }
    line.begins = line.words.first().map_or(0, |first| Line::beginnings(first));
    for part in split_effects(after) {
        line.effects.push(read_template(part)?);
    }
    Ok(line)
}

/// Splits at `;`, but not inside quotes.
fn split_effects(text: &'static str) -> Vec<&'static str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut quoted = false;
    for (at, letter) in text.char_indices() {
        match letter {
            '"' => quoted = !quoted,
            ';' if !quoted => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts
}

fn read_flags(text: &'static str) -> Vec<(&'static str, Option<Pattern>)> {
    text.split('|')
        .map(|flag| match flag.split_once('=') {
            Some((name, value)) => (name, Some(Pattern::new(value))),
            None => (flag, None),
        })
        .collect()
}

fn read_template(text: &'static str) -> Result<Template, String> {
    let (text, words) = match text.split_once('"') {
        Some((text, words)) => (text, Some(words.trim_end().trim_end_matches('"'))),
        None => (text, None),
    };
    let mut template = Template {
        verb: None,
        kind: TargetKind::Service,
        names: Names::Whole,
        extent: Extent::One,
        undo: None,
        place: None,
        sensitivity: Sensitivity::None,
        seen: Seen::Certain,
        manner: Manner::PLAIN,
        reader: Reader::Name,
        words,
    };
    let mut nothing = false;
    for token in text.split_whitespace() {
        match token {
            "read" => template.verb = Some(Verb::Read),
            "write" => template.verb = Some(Verb::Write),
            "delete" => template.verb = Some(Verb::Delete),
            "execute" => template.verb = Some(Verb::Execute),
            "send" => template.verb = Some(Verb::Send),
            "spend" => template.verb = Some(Verb::Spend),
            "grant" => template.verb = Some(Verb::Grant),
            "install" => template.verb = Some(Verb::Install),
            "schedule" => template.verb = Some(Verb::Schedule),
            "delegate" => template.verb = Some(Verb::Delegate),
            "configure" => template.verb = Some(Verb::Configure),
            "opaque" => template.verb = Some(Verb::Opaque),
            "nothing" => nothing = true,
            "path" => template.kind = TargetKind::Path,
            "url" => template.kind = TargetKind::Url,
            "host" => template.kind = TargetKind::Host,
            "command" => template.kind = TargetKind::Command,
            "person" => template.kind = TargetKind::Person,
            "channel" => template.kind = TargetKind::Channel,
            "account" => template.kind = TargetKind::Account,
            "table" => template.kind = TargetKind::Table,
            "service" => template.kind = TargetKind::Service,
            "session" => template.kind = TargetKind::Session,
            "several" => template.extent = Extent::Several,
            "all" => template.extent = Extent::Unbounded,
            "trivial" => template.undo = Some(Undo::Trivial),
            "possible" => template.undo = Some(Undo::Possible),
            "lost" => template.undo = Some(Undo::Impossible),
            "scratch" => template.place = Some(Place::Scratch),
            "tree" => template.place = Some(Place::Tree),
            "here" => template.place = Some(Place::Machine),
            "away" => template.place = Some(Place::Away),
            "private" => template.sensitivity = Sensitivity::Private,
            "secret" => template.sensitivity = Sensitivity::Secret,
            "credential" => template.sensitivity = Sensitivity::Credential,
            "system" => template.sensitivity = Sensitivity::System,
            "guard" => template.sensitivity = Sensitivity::Guard,
            "likely" => template.seen = Seen::Likely,
            "guessed" => template.seen = Seen::Guessed,
            "shell" => template.reader = Reader::Shell,
            "sql" => template.reader = Reader::Sql,
            "code" => template.reader = Reader::Code,
            "@*" => template.names = Names::From(1),
            "@last" => template.names = Names::Last,
            selector if selector.starts_with("@-") => template.names = Names::Flag(&selector[1..]),
            selector if selector.starts_with('@') => {
                let (number, from) = match selector[1..].strip_suffix('*') {
                    Some(number) => (number, true),
                    None => (&selector[1..], false),
                };
                let number = number.parse().map_err(|_| format!("unknown selector `{selector}`"))?;
                if number == 0 {
                    return Err("operands are counted from one".to_owned());
                }
                template.names = if from { Names::From(number) } else { Names::One(number) };
            }
            other => match Manner::named(other) {
                Some(manner) => template.manner |= manner,
                None => return Err(format!("unknown word `{other}`")),
            },
        }
    }
    if template.verb.is_none() && template.reader == Reader::Name && !nothing {
        return Err("a verb is missing".to_owned());
    }
    Ok(template)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_line_is_named() {
        for (text, line, what) in [
            ("x\n    y => erase everything", 2, "unknown word `erase`"),
            ("# c\nx y\n    takes -a\n    z => service", 4, "a verb is missing"),
            ("x\n    => read path @0", 2, "operands are counted from one"),
            ("x\n    verbs awya", 2, "`verbs` is `here` or `away`, not `awya`"),
        ] {
            let mut table = Lookup::default();
            index(text, &mut table).unwrap();
            assert_eq!(table["x"].read().unwrap_err(), (line, what.to_owned()), "{text}");
        }
    }

    #[test]
    fn a_name_is_there_once() {
        let mut table = Lookup::default();
        assert_eq!(
            index("x\n    => read service\ny x\n", &mut table).unwrap_err().1,
            "`x` is in the table twice"
        );
    }
}
