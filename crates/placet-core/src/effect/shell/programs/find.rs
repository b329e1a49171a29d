//! `find` and `fd`: what they select, and what they do with it.

use super::Call;
use crate::effect::{
    Effect, Extent, Place, Undo, Verb,
    shell::{
        flow::{Arg, Flow, HOLE, Origin},
        walk::Walker,
    },
};

/// The programs that [`run`] may know.
pub const NAMES: &str = "find gfind fd fdfind";

pub fn run(walker: &mut Walker<'_>, call: &Call<'_>) -> Option<Flow> {
    match call.name {
        "find" | "gfind" => Some(find(walker, call)),
        "fd" | "fdfind" => Some(fd(walker, call)),
        _ => None,
    }
}

fn find(walker: &mut Walker<'_>, call: &Call<'_>) -> Flow {
    let expression_at = call
        .args
        .iter()
        .position(|arg| {
            let text = arg.as_str();
            (text.starts_with('-') && !matches!(text, "-H" | "-L" | "-P" | "-O3" | "-O2" | "-O1"))
                || matches!(text, "(" | ")" | "!" | ",")
        })
        .unwrap_or(call.args.len());
    let mut starts: Vec<&Arg<'_>> =
        call.args[..expression_at].iter().filter(|arg| !arg.as_str().starts_with('-')).collect();
    let here = Arg::literal(".", call.range);
    if starts.is_empty() {
        starts.push(&here);
    }
    let expression = &call.args[expression_at..];
    let selection = Selection::read(expression);
    let found: Vec<Arg<'_>> = starts
        .iter()
        .map(|start| {
            let (_, place) = walker.path_target(start.as_str());
            // What lies anywhere on the machine is as precious as the machine, but files of one name are not all of it.
            if place.broad && selection.specific {
                let text = format!("{}/{HOLE}", start.as_str().trim_end_matches('/'));
                Arg { text: text.into(), known: false, ..(*start).clone() }
            } else if place.broad {
                Arg { known: false, glob: true, ..(*start).clone() }
            } else {
                selection.under(start)
            }
        })
        .collect();
    for start in &starts {
        let (target, _) = walker.path_target(start.as_str());
        let span = walker.span(start.range);
        let mut effect = Effect::new(Verb::Read, target, span).extent(Extent::Several);
        effect.target.sensitivity = crate::effect::Sensitivity::None;
        walker.emit(effect);
        if let Some(name) = selection.name {
            // Looking for keys by name is the first step of taking them.
            let (target, place) =
                walker.path_target(&format!("{}/{name}", start.as_str().trim_end_matches('/')));
            if target.sensitivity == crate::effect::Sensitivity::Credential {
                let span = walker.span(start.range);
                let effect = Effect::new(Verb::Read, target, span).extent(Extent::Several);
                walker.emit(match place.what {
                    Some(what) => effect.words(what),
                    None => effect,
                });
            }
        }
    }
    let mut at = 0;
    while let Some(arg) = expression.get(at) {
        at += 1;
        match arg.as_str() {
            "-delete" => {
                for (start, path) in starts.iter().zip(&found) {
                    delete_found(walker, start, path, &selection, arg.range);
                }
            }
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let end = expression[at..]
                    .iter()
                    .position(|arg| matches!(arg.as_str(), ";" | "+"))
                    .map_or(expression.len(), |length| at + length);
                for path in &found {
                    let command: Vec<Arg<'_>> =
                        expression[at..end].iter().map(|arg| fill(arg, path)).collect();
                    super::run(walker, &command, &[], call.range, None);
                }
                at = (end + 1).min(expression.len());
            }
            "-fprint" | "-fprint0" | "-fls" | "-fprintf" => {
                if let Some(file) = expression.get(at) {
                    walker.write(file, Flow::unknown(Origin::PLAIN), false);
                    at += 1;
                }
            }
            _ => {}
        }
    }
    // What it prints are the paths it found: known by their shape only.
    let text = found.iter().map(|path| format!("{}\n", path.as_str())).collect();
    Flow { text: Some(text), origin: Origin::PLAIN }
}

/// What an expression selects, as far as that matters.
struct Selection<'r> {
    /// The one name or pattern, if there is just one.
    name: Option<&'r str>,
    /// Names a kind of files, rather than everything.
    narrow: bool,
    /// Every file has one of some names, each of which has letters enough to tell it from most others.
    specific: bool,
    /// Only empty files and directories.
    empty: bool,
    negated: bool,
}

impl<'r> Selection<'r> {
    fn read(expression: &'r [Arg<'r>]) -> Self {
        let mut names = Vec::new();
        let mut empty = false;
        let mut negated = false;
        let mut aged = false;
        let mut at = 0;
        while let Some(arg) = expression.get(at) {
            match arg.as_str() {
                "-name" | "-iname" => {
                    names.extend(expression.get(at + 1).map(|arg| arg.as_str()));
                    at += 1;
                }
                "-empty" => empty = true,
                "-mtime" | "-mmin" | "-atime" | "-amin" | "-ctime" | "-cmin" | "-size" | "-newer"
                | "-older" => aged = true,
                "!" | "-not" => negated = true,
                "-exec" | "-execdir" | "-ok" | "-okdir" => break,
                _ => {}
            }
            at += 1;
        }
        let either = has_outer_or(expression);
        let name = match names.as_slice() {
            [name] if !negated && !either => Some(*name),
            _ => None,
        };
        let named = !names.is_empty() && names.iter().all(|name| name.chars().any(char::is_alphanumeric));
        let narrow = (named || aged) && !either;
        let specific = !names.is_empty() && !negated && !either && names.iter().all(|name| tells_apart(name));
        Self { name, narrow, specific, empty, negated }
    }

    /// A path that stands for everything found under `start`.
    fn under<'a>(&self, start: &Arg<'a>) -> Arg<'a> {
        // Files may also be chosen by their age or size.
        let name = self.name.unwrap_or(if self.narrow { "chosen*" } else { "*" });
        let text = format!("{}/{HOLE}/{name}", start.as_str().trim_end_matches('/'));
        Arg { text: text.into(), known: false, glob: true, origin: Origin::PLAIN, range: start.range }
    }
}

/// Whether a pattern for names has at least two letters of its own, outside brackets.
fn tells_apart(pattern: &str) -> bool {
    let mut letters = 0;
    let mut bracket = false;
    for letter in pattern.chars() {
        match letter {
            '[' => bracket = true,
            ']' => bracket = false,
            letter => letters += usize::from(!bracket && letter.is_alphanumeric()),
        }
    }
    letters >= 2
}

/// Whether `-o` stands outside brackets, so that what follows it is chosen by something else.
fn has_outer_or(expression: &[Arg<'_>]) -> bool {
    let mut depth = 0i32;
    expression.iter().any(|arg| {
        match arg.as_str() {
            "(" => depth += 1,
            ")" => depth -= 1,
            "-o" | "-or" | "," => return depth <= 0,
            _ => {}
        }
        false
    })
}

fn delete_found(
    walker: &mut Walker<'_>,
    start: &Arg<'_>,
    path: &Arg<'_>,
    selection: &Selection<'_>,
    range: (usize, usize),
) {
    let (mut target, _) = walker.path_target(path.as_str());
    let (_, start) = walker.path_target(start.as_str());
    target.sensitivity = target.sensitivity.max(start.sensitivity);
    let span = walker.span(range);
    let borrowed = walker.manner.has(crate::effect::Manner::ELEVATED)
        || walker.manner.has(crate::effect::Manner::REMOTE);
    let scratch = target.place == Place::Scratch && !start.broad && !borrowed;
    if !scratch && target.place == Place::Scratch {
        target.place = Place::Machine;
    }
    let outside = walker.root().is_some() && target.place == Place::Machine;
    let few =
        (selection.narrow && !outside || selection.empty && !selection.negated) && !start.broad && !borrowed;
    let (extent, undo) = match (scratch, few) {
        (true, _) => (Extent::Several, Undo::Trivial),
        (false, true) => (Extent::Several, Undo::Possible),
        (false, false) => (Extent::Unbounded, Undo::Impossible),
    };
    walker.emit(Effect::new(Verb::Delete, target, span).extent(extent).undo(undo));
}

fn fill<'a>(arg: &Arg<'a>, path: &Arg<'a>) -> Arg<'a> {
    if !arg.as_str().contains("{}") {
        return arg.clone();
    }
    Arg {
        text: arg.as_str().replace("{}", path.as_str()).into(),
        known: false,
        glob: true,
        origin: arg.origin,
        range: arg.range,
    }
}

fn fd(walker: &mut Walker<'_>, call: &Call<'_>) -> Flow {
    let (target, _) = walker.path_target(".");
    let span = walker.span(call.range);
    walker.emit(Effect::new(Verb::Read, target, span).extent(Extent::Several));
    if let Some(at) =
        call.args.iter().position(|arg| matches!(arg.as_str(), "-x" | "-X" | "--exec" | "--exec-batch"))
    {
        let found = Arg { known: false, glob: true, ..Arg::literal(format!("./{HOLE}/*"), call.range) };
        let mut command: Vec<Arg<'_>> = call.args[at + 1..]
            .iter()
            .take_while(|arg| arg.as_str() != ";")
            .map(|arg| fill(arg, &found))
            .collect();
        if !call.args[at + 1..].iter().any(|arg| arg.as_str().contains('{')) {
            command.push(found);
        }
        super::run(walker, &command, &[], call.range, None);
    }
    Flow::unknown(Origin::PLAIN)
}
