//! What programs do, as a list that people can read and extend.
//!
//! The `*.table` files beside this one are its text. A block starts at the left margin with the names
//! of a program; its indented lines say how its arguments are read and what each use of it does:
//!
//! ```text
//! kubectl k
//!     takes -n --namespace --context       # flags with a value
//!     get|describe|logs => read service
//!     delete --all|-A   => delete service all lost "deletes everything of that kind"
//!     delete            => delete service lost
//!     verbs away                           # what no line names is read by its verb
//! ```
//!
//! `takes push: -o` names flags that have a value only after that sub-command.
//!
//! The first line that matches counts. Before `=>`: words are sub-commands in order (`*` matches any
//! letters), a flag must be there (`--flag=value` with that value), `!--flag` must not, `..word` stands
//! anywhere among the operands, `@` asks for an operand more and `!@` for none, `<` for something on its standard
//! input. After it: a verb, a kind
//! of target, which argument names the target (`@1`, `@2*`, `@*`, `@last`, `@--flag`), and what is special:
//! `several all`, `trivial lost`, `scratch here away`, a sensitivity, a circumstance, `likely guessed`,
//! `shell` or `sql` or `code` (the argument is read as such), and `"words for people"`.

mod text;

use std::sync::LazyLock;

use text::Block;

use super::{
    Call,
    options::{Options, Signs, Style, Takes, bit},
};
use crate::effect::{
    Effect, Extent, Manner, Place, Seen, Sensitivity, Target, TargetKind, Undo, Verb,
    act::Act,
    lookup::Lookup,
    shell::{
        flow::{Arg, Flow, Origin},
        walk::Walker,
    },
    verbs::{self, Context},
};

const TEXTS: &[(&str, &str)] = &[
    ("utilities.table", include_str!("utilities.table")),
    ("development.table", include_str!("development.table")),
    ("packages.table", include_str!("packages.table")),
    ("containers.table", include_str!("containers.table")),
    ("cloud.table", include_str!("cloud.table")),
    ("infrastructure.table", include_str!("infrastructure.table")),
    ("databases.table", include_str!("databases.table")),
    ("system.table", include_str!("system.table")),
    ("storage.table", include_str!("storage.table")),
    ("secrets.table", include_str!("secrets.table")),
];

/// The programs by each of their names.
static TABLE: LazyLock<Lookup<&'static str, &'static Block>> = LazyLock::new(|| {
    let mut table = Lookup::with_capacity_and_hasher(4096, Default::default());
    for (_, text) in TEXTS {
        // Checked by a test: the text is part of the program.
        let _ = text::index(text, &mut table);
    }
    table
});

/// What is known of a program.
#[derive(Debug, Default)]
struct Program {
    takes: Vec<&'static str>,
    /// Of these.
    signs: Signs,
    /// Flags with a value after one sub-command only.
    takes_after: Vec<(&'static str, Vec<&'static str>)>,
    single_dash: bool,
    /// Flags that make any use harmless, besides the usual ones.
    dry: Vec<&'static str>,
    /// Whether `-h` asks for help here.
    short_help: bool,
    lines: Vec<Line>,
    /// Read what no line names by its verb: where such targets are.
    verbs: Option<Place>,
    /// The output says nothing of what was read.
    quiet: bool,
}

#[derive(Debug)]
struct Line {
    words: Vec<Vec<Pattern>>,
    /// The letters that the first of these may begin with, a bit for each: most lines are of another sub-command.
    begins: u128,
    conditions: Vec<Condition>,
    effects: Vec<Template>,
}

/// A word in which `*` stands for any letters.
#[derive(Clone, Copy, Debug)]
struct Pattern {
    text: &'static str,
    star: bool,
}

impl Pattern {
    fn new(text: &'static str) -> Self {
        Self { text, star: text.contains('*') }
    }

    fn matches(self, text: &str) -> bool {
        if self.star { glob(self.text, text) } else { self.text == text }
    }
}

#[derive(Debug)]
enum Condition {
    /// One of these flags, with its value where one is given.
    Flag(Vec<(&'static str, Option<Pattern>)>),
    NoFlag(Vec<(&'static str, Option<Pattern>)>),
    Anywhere(Vec<Pattern>),
    Operand,
    NoOperand,
    /// Something comes on its standard input.
    Input,
}

#[derive(Clone, Debug)]
struct Template {
    verb: Option<Verb>,
    kind: TargetKind,
    names: Names,
    extent: Extent,
    undo: Option<Undo>,
    place: Option<Place>,
    sensitivity: Sensitivity,
    seen: Seen,
    manner: Manner,
    reader: Reader,
    words: Option<&'static str>,
}

/// Which arguments name the targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Names {
    /// The use itself, such as `kubectl delete pod`.
    Whole,
    /// The operand of that number, from one.
    One(usize),
    /// That operand and all after it.
    From(usize),
    Last,
    /// The value of a flag.
    Flag(&'static str),
}

/// How an argument is read further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reader {
    Name,
    Shell,
    Sql,
    Code,
}

/// The names of all programs in it.
#[cfg(test)]
pub fn names() -> impl Iterator<Item = &'static str> {
    TABLE.keys().copied()
}

/// Reads a call of a program in the table; `None` if it is not there.
pub fn run(walker: &mut Walker<'_>, call: &Call<'_>) -> Option<Flow> {
    let program = TABLE.get(call.name)?.program();
    let style = if program.single_dash { Style::Single } else { Style::Gnu };
    let longer: Vec<&'static str>;
    let mut takes = Takes::known(&program.takes, program.signs);
    if !program.takes_after.is_empty() {
        let (_, at) = Options::leading(call.args, &program.takes);
        let sub = call.args.get(at).map_or("", Arg::as_str);
        if let Some((_, more)) = program.takes_after.iter().find(|(word, _)| *word == sub) {
            longer = program.takes.iter().chain(more).copied().collect();
            takes = Takes::of(&longer);
        }
    }
    let options = Options::read_known(call.args, takes, style);
    if is_harmless(program, &options) && !passes_on(call, &options) {
        harmless(walker, call);
        return Some(Flow::unknown(Origin::PLAIN));
    }
    let line =
        program.lines.iter().find_map(|line| Some((line, line.matches(&options, call.stdin.is_some())?)));
    let mut origin = Origin::PLAIN;
    let before = walker.effects.len();
    match line {
        Some((line, used)) => {
            for template in &line.effects {
                origin = origin.and(template.apply(walker, call, &options, used));
            }
        }
        None => match program.verbs {
            Some(place) => by_verb(walker, call, &options, place),
            None => super::unknown_use(walker, call),
        },
    }
    let leaves = |effect: &Effect| effect.verb != Verb::Read && effect.target.external();
    if walker.effects[before..].iter().any(leaves) {
        super::hands_over_secrets(walker, call);
    }
    if let Some(stdin) = &call.stdin {
        origin = origin.and(stdin.origin);
    }
    Some(Flow::unknown(if program.quiet { Origin::PLAIN } else { origin }))
}

fn harmless(walker: &mut Walker<'_>, call: &Call<'_>) {
    let span = walker.span(call.range);
    let target = Target::new(TargetKind::Command, call.name);
    walker.emit(Effect::new(Verb::Read, target, span).words("only shows what it would do, or help"));
}

/// Whether a flag may belong to what the program runs rather than to the program.
fn passes_on(call: &Call<'_>, options: &Options<'_>) -> bool {
    let first = |at: usize| options.operands.get(at).map_or("", |arg| arg.as_str());
    match call.name {
        "awk" | "gawk" | "mawk" | "nawk" | "make" | "gmake" | "just" | "rake" => !options.operands.is_empty(),
        "docker" | "podman" | "nerdctl" | "kubectl" | "k" | "oc" | "docker-compose" => {
            matches!(first(0), "run" | "exec") && options.operands.len() > 1
                || matches!(first(1), "run" | "exec") && options.operands.len() > 2
        }
        _ => false,
    }
}

/// Whether help or a dry run was asked for. The last word on it counts.
fn is_harmless(program: &Program, options: &Options<'_>) -> bool {
    let mut harmless = false;
    // `--dry-run false`: a word of its own may be meant for the flag.
    if options.operands.iter().any(|arg| matches!(arg.as_str(), "false" | "False" | "no" | "none")) {
        return false;
    }
    for (flag, value) in &options.flags {
        let name = flag.trim_start_matches('-');
        let off = || {
            const OFF: [&str; 8] = ["", "0", "f", "n", "no", "off", "none", "false"];
            value.as_ref().is_some_and(|value| OFF.iter().any(|off| value.as_str().eq_ignore_ascii_case(off)))
        };
        let dry = matches!(
            name,
            "dry-run"
                | "dryrun"
                | "dryRun"
                | "dry_run"
                | "what-if"
                | "whatif"
                | "WhatIf"
                | "simulate"
                | "preview-only"
                | "just-print"
        ) || program.dry.contains(flag)
            || value.as_ref().is_some_and(|value| {
                program.dry.iter().any(|dry| {
                    dry.split_once('=')
                        .is_some_and(|(name, wanted)| name == *flag && wanted == value.as_str())
                })
            });
        if dry {
            harmless = !off();
        } else if name == "no-dry-run" {
            harmless = off();
        } else if value.is_none() && matches!(*flag, "--help" | "--version")
            || (*flag == "-help" && program.single_dash)
            || (*flag == "-h" && program.short_help)
        {
            return true;
        }
    }
    let asks = |arg: &&Arg<'_>| match arg.as_str() {
        "help" => true,
        "version" => options.operands.len() == 1,
        _ => false,
    };
    harmless || options.operands.first().is_some_and(asks)
}

impl Line {
    /// The letters that a word of `alternatives` may begin with; every one if a star does.
    fn beginnings(alternatives: &[Pattern]) -> u128 {
        let of = |pattern: &Pattern| match pattern.text.as_bytes().first() {
            None | Some(b'*') => u128::MAX,
            Some(letter) => bit(*letter),
        };
        alternatives.iter().map(of).fold(0, |all, one| all | one)
    }

    /// How many operands the sub-commands used up, if the line matches.
    fn matches(&self, options: &Options<'_>, input: bool) -> Option<usize> {
        if options.operands.len() < self.words.len() {
            return None;
        }
        let letter = options.operands.first().and_then(|arg| arg.as_str().bytes().next());
        if !self.words.is_empty() && letter.is_some_and(|letter| self.begins & bit(letter) == 0) {
            return None;
        }
        let words_match = self
            .words
            .iter()
            .zip(&options.operands)
            .all(|(alternatives, arg)| alternatives.iter().any(|word| word.matches(arg.as_str())));
        if !words_match {
            return None;
        }
        let used = self.words.len();
        self.conditions
            .iter()
            .all(|condition| match condition {
                Condition::Flag(flags) => has_flag(options, flags),
                Condition::NoFlag(flags) => !has_flag(options, flags),
                Condition::Anywhere(words) => options.operands[used..]
                    .iter()
                    .any(|arg| words.iter().any(|word| word.matches(arg.as_str()))),
                Condition::Operand => options.operands.len() > used,
                Condition::NoOperand => options.operands.len() == used,
                Condition::Input => input,
            })
            .then_some(used)
    }
}

fn has_flag(options: &Options<'_>, flags: &[(&'static str, Option<Pattern>)]) -> bool {
    flags.iter().any(|(name, wanted)| match wanted {
        None => options.flags.iter().any(|(flag, value)| {
            (flag == name || (flag.len() >= 5 && name.starts_with("--") && name.starts_with(flag)))
                && !value.as_ref().is_some_and(|value| matches!(value.as_str(), "false" | "False"))
        }),
        Some(wanted) => options.values(&[name]).any(|value| wanted.matches(value.as_str())),
    })
}

impl Template {
    fn apply(&self, walker: &mut Walker<'_>, call: &Call<'_>, options: &Options<'_>, used: usize) -> Origin {
        let rest = &options.operands[used.min(options.operands.len())..];
        let mut origin = Origin::PLAIN;
        let values: Vec<&Arg<'_>>;
        let named = match self.names {
            Names::Whole => &[],
            Names::One(number) => rest.get(number - 1..number).unwrap_or_default(),
            Names::From(number) => rest.get(number - 1..).unwrap_or_default(),
            Names::Last => &rest[rest.len().saturating_sub(1)..],
            Names::Flag(name) => {
                values = options.values(&[name]).collect();
                &values
            }
        };
        match self.reader {
            Reader::Name => {}
            Reader::Shell => {
                for arg in named {
                    super::interpreters::run_code(walker, arg, call);
                }
                return origin;
            }
            Reader::Sql => {
                for arg in named {
                    super::databases::run_sql(walker, arg.as_str(), arg.known, arg.range);
                }
                return origin;
            }
            Reader::Code => {
                for arg in named {
                    super::foreign::run_foreign(walker, call.name, arg);
                }
                return origin;
            }
        }
        let Some(verb) = self.verb else { return origin };
        if named.is_empty() {
            if self.names == Names::Whole || !matches!(self.kind, TargetKind::Path) {
                let name = whole_name(call, options);
                self.emit(walker, verb, Target::new(self.kind, name), call.range, true);
            } else if verb == Verb::Read {
                let (target, _) = walker.path_target(".");
                self.emit(walker, verb, target, call.range, true);
            }
        }
        for arg in named {
            if self.kind == TargetKind::Path {
                let before = walker.effects.len();
                match verb {
                    Verb::Read => {
                        origin = origin.and(walker.read(arg).origin);
                        self.qualify(&mut walker.effects[before..]);
                        continue;
                    }
                    Verb::Write if self.undo.is_none() => {
                        let content = call.stdin.clone().unwrap_or_else(|| Flow::unknown(Origin::PLAIN));
                        walker.write(arg, content, false);
                        self.qualify(&mut walker.effects[before..]);
                        continue;
                    }
                    Verb::Delete if self.undo.is_none() => {
                        super::files::delete(walker, arg, self.extent != Extent::One);
                        self.qualify(&mut walker.effects[before..]);
                        continue;
                    }
                    _ => {
                        let (target, _) = walker.path_target(arg.as_str());
                        self.emit(walker, verb, target, arg.range, arg.known);
                    }
                }
            } else if matches!(self.kind, TargetKind::Host | TargetKind::Url) {
                self.emit(walker, verb, super::network::host_target(arg.as_str()), arg.range, arg.known);
            } else {
                self.emit(walker, verb, Target::new(self.kind, arg.as_str()), arg.range, arg.known);
            }
        }
        origin
    }

    /// Adds what the line says to effects that were read from a path.
    fn qualify(&self, effects: &mut [Effect]) {
        for effect in effects {
            effect.target.sensitivity = effect.target.sensitivity.max(self.sensitivity);
            effect.manner |= self.manner;
            effect.seen = effect.seen.max(self.seen);
            if let Some(place) = self.place {
                effect.target.place = place;
            }
            if let Some(words) = self.words {
                effect.words = Some(words.into());
            }
        }
    }

    fn emit(&self, walker: &mut Walker<'_>, verb: Verb, target: Target, range: (usize, usize), known: bool) {
        let mut target = target.with(self.sensitivity);
        if let Some(place) = self.place {
            target.place = place;
        }
        let span = walker.span(range);
        let mut effect =
            Effect::new(verb, target, span).extent(self.extent).seen(self.seen).manner(self.manner);
        if !known {
            effect = effect.seen(Seen::Likely);
        }
        if let Some(undo) = self.undo {
            effect = effect.undo(undo);
        }
        if let Some(words) = self.words {
            effect = effect.words(words);
        }
        walker.emit(effect);
    }
}

/// `kubectl delete pod web`, cut to a length people read.
fn whole_name(call: &Call<'_>, options: &Options<'_>) -> String {
    let mut name = String::from(call.name);
    for arg in options.operands.iter().take(4) {
        name.push(' ');
        match arg.as_str() {
            short if short.len() <= 60 => name.push_str(short),
            long => name.extend(long.chars().take(60)),
        }
    }
    name
}

/// What the verb in a sub-command says, for uses that no line names.
fn by_verb(walker: &mut Walker<'_>, call: &Call<'_>, options: &Options<'_>, place: Place) {
    let tokens =
        options.operands.iter().take(4).flat_map(|arg| arg.as_str().split([':', '-', '_', '.', '/']));
    let said = tokens.into_iter().find_map(|token| verbs::of(&token.to_ascii_lowercase(), Context::Program));
    let act = said.unwrap_or(Act::CHANGE);
    let target = Target::new(TargetKind::Service, whole_name(call, options)).at(place).with(act.sensitivity);
    let span = walker.span(call.range);
    let mut effect = Effect::new(act.verb, target, span).undo(act.undo).seen(Seen::Likely);
    if act == Act::DISRUPT {
        effect = effect.words("interrupts something that is running");
    }
    walker.emit(effect);
}

/// Whether `text` has the form of `pattern`, where `*` stands for any letters.
fn glob(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(start) else { return false };
    let mut rest = rest;
    while let Some((middle, more)) = rest.split_once('*') {
        let Some(at) = text.find(middle) else { return false };
        text = &text[at + middle.len()..];
        rest = more;
    }
    text.len() >= rest.len() && text.ends_with(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_table_can_be_read() {
        let mut table = Lookup::default();
        for (file, text) in TEXTS {
            text::index(text, &mut table).unwrap_or_else(|(line, what)| panic!("{file}:{line}: {what}"));
        }
        assert!(table.len() > 300, "only {} programs", table.len());
        for (name, block) in table {
            block.read().unwrap_or_else(|(line, what)| panic!("{name}, line {line} of its file: {what}"));
        }
    }

    #[test]
    fn patterns_match_whole_words() {
        assert!(glob("delete-*", "delete-bucket"));
        assert!(glob("*:NoExecute", "key=v:NoExecute"));
        assert!(!glob("*:NoExecute", "key=v:NoExecute-"));
        assert!(!glob("rm", "rmm"));
    }
}
