//! A command is read a second time with nothing in the place of what is not known.
//!
//! A variable that is not set, or a substitution that prints nothing, leaves the rest of its word: `git cl$x'ean' -fdx` is
//! `git clean -fdx`. What a path or an address may become with a hole in it is judged where paths and addresses are.

use std::borrow::Cow;

use super::{Walker, is_declaration};
use crate::{
    assess,
    effect::{
        Effect, Seen, TargetKind, Verb,
        shell::{
            env::Env,
            flow::{Arg, Flow, HOLE, has_hole},
            programs,
            syntax::{Form, Part, Word},
        },
    },
};

/// Programs that only print, compare or move: no word of theirs changes what they do.
const INDIFFERENT: &[&str] = &[
    "echo", "printf", "test", "[", "[[", ":", "true", "false", "cd", "pushd", "popd", "shift", "return",
    "exit",
];

/// A command as it is when holes are empty, and what there was before it ran.
pub(super) struct Emptied<'a> {
    arguments: Vec<Arg<'a>>,
    env: Env,
    stdin: Option<Flow>,
}

impl Walker<'_> {
    /// The second reading of a command, if there is one that differs.
    pub(super) fn emptied<'a>(
        &mut self,
        words: &[Word<'_>],
        arguments: &[Arg<'a>],
        stdin: &Option<Flow>,
    ) -> Option<Emptied<'a>> {
        if self.reads_emptied || arguments.iter().all(|arg| arg.known) {
            return None;
        }
        let name = arguments[0].as_str();
        if INDIFFERENT.contains(&name) && !self.env.functions.contains_key(name) {
            return None;
        }
        let emptied = emptied_arguments(words, arguments)?;
        let copied =
            self.env.size() + stdin.as_ref().and_then(|flow| flow.text.as_ref()).map_or(0, String::len);
        self.may_copy(copied).then(|| Emptied {
            arguments: emptied,
            env: self.env.clone(),
            stdin: stdin.clone(),
        })
    }

    /// Walks the second reading after the first, whose effects begin at `first`. What it finds besides counts if it weighs.
    pub(super) fn run_emptied(
        &mut self,
        emptied: Emptied<'_>,
        overlay: &[(&str, Flow)],
        range: (usize, usize),
        first: usize,
    ) {
        let Emptied { arguments, env, stdin } = emptied;
        let after = std::mem::replace(&mut self.env, env);
        let (steps, looks, second) = (self.steps, self.looks, self.effects.len());
        let (exhausted, overflowed) = (self.exhausted, self.overflowed);
        self.reads_emptied = true;
        if is_declaration(&arguments) {
            self.declared_by_text(&[], &arguments, range);
        }
        programs::command(self, &arguments, overlay, range, stdin);
        self.reads_emptied = false;
        (self.steps, self.looks, self.env) = (steps, looks, after);
        (self.exhausted, self.overflowed) = (exhausted, overflowed);
        for effect in self.effects.split_off(second.min(self.effects.len())) {
            if assess::weighs(&effect) && !self.effects[first..].iter().any(|before| covers(before, &effect))
            {
                self.effects.push(as_possibility(effect));
            }
        }
    }
}

/// Whether `before` says all that `effect` would add.
fn covers(before: &Effect, effect: &Effect) -> bool {
    if before.verb != effect.verb {
        return false;
    }
    effect.verb == Verb::Opaque
        || before.target.kind == effect.target.kind
            && before.target.sensitivity >= effect.target.sensitivity
            && before.target.place >= effect.target.place
            && before.extent >= effect.extent
            && before.undo >= effect.undo
            && before.manner.has(effect.manner)
}

/// The effect as one that only may happen: the name of a path keeps a sign that not all of the command is known.
fn as_possibility(mut effect: Effect) -> Effect {
    if effect.target.kind == TargetKind::Path && !effect.target.name.contains('…') {
        effect.target.name.push('…');
    }
    effect.seen(Seen::Likely)
}

/// The arguments with nothing in their holes; `None` if no hole may be empty.
fn emptied_arguments<'a>(words: &[Word<'_>], arguments: &[Arg<'a>]) -> Option<Vec<Arg<'a>>> {
    let mut emptied = Vec::with_capacity(arguments.len());
    let mut differs = false;
    for (at, arg) in arguments.iter().enumerate() {
        if !has_hole(arg.as_str()) {
            emptied.push(arg.clone());
        } else if arg.as_str().chars().all(|letter| letter == HOLE) {
            let word = words.iter().find(|word| (word.range.start, word.range.end) == arg.range);
            // Between two options it is the value of the first.
            let is_option = |at: Option<usize>| {
                at.and_then(|at| arguments.get(at)).is_some_and(|arg| arg.as_str().starts_with('-'))
            };
            let is_value = is_option(at.checked_sub(1)) && is_option(Some(at + 1));
            match !is_value && word.is_some_and(vanishes) {
                true => differs = true,
                false => emptied.push(arg.clone()),
            }
        } else {
            let text = emptied_text(arg.as_str());
            differs |= text.len() < arg.text.len();
            emptied.push(Arg { known: !has_hole(&text), text: Cow::Owned(text), ..arg.clone() });
        }
    }
    (differs && !emptied.is_empty()).then_some(emptied)
}

/// Whether a word that is nothing but holes is no argument at all when they are empty.
fn vanishes(word: &Word<'_>) -> bool {
    // `"$@"` of no arguments is none, although it is quoted.
    let listed = word.parts.iter().any(is_list);
    word.parts.iter().all(|part| match part {
        Part::Text { text, quoted } => !quoted || listed && text.is_empty(),
        Part::Parameter { quoted, .. } => !quoted || is_list(part),
        Part::Substitution { quoted, .. } | Part::Escaped { quoted, .. } => !quoted,
        Part::Arithmetic(_) | Part::Process { .. } => false,
    })
}

/// Whether it is `$@` or `${name[@]}`.
fn is_list(part: &Part<'_>) -> bool {
    match part {
        Part::Parameter { name: "@", .. } => true,
        Part::Parameter { form: Form::Other(index), .. } => {
            matches!(&*index.parts, [Part::Text { text, .. }] if text == "[@]")
        }
        Part::Parameter { .. }
        | Part::Text { .. }
        | Part::Substitution { .. }
        | Part::Escaped { .. }
        | Part::Arithmetic(_)
        | Part::Process { .. } => false,
    }
}

/// `text` without the holes that may be empty and then let what stands beside them be another word. A hole that stands for a
/// whole name in a path or an address stays, and in code one that is not within a name.
fn emptied_text(text: &str) -> String {
    let is_code = text.contains(char::is_whitespace);
    let in_name =
        |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
    let is_edge = |letter: Option<char>| {
        letter.is_none_or(|letter| matches!(letter, '/' | '\\' | ':' | '@' | '=' | ','))
    };
    let mut emptied = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(HOLE) {
        emptied.push_str(&rest[..at]);
        let after = rest[at..].trim_start_matches(HOLE);
        let (before, next) = (emptied.chars().next_back(), after.chars().next());
        let stays = match is_code {
            true => !(in_name(before) && in_name(next)),
            false => is_edge(before) && is_edge(next),
        };
        if stays {
            emptied.push(HOLE);
        }
        rest = after;
    }
    emptied.push_str(rest);
    emptied
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hole_within_a_name_may_be_empty_and_one_that_is_a_name_is_not() {
        for (text, emptied) in [
            ("cl?ean", "clean"),
            ("?--force", "--force"),
            ("--force?", "--force"),
            ("--fo??rce", "--force"),
            ("out?.txt", "out.txt"),
            ("/tmp/?", "/tmp/?"),
            ("?/etc/x", "?/etc/x"),
            ("image:?", "image:?"),
            ("--name=?", "--name=?"),
            ("https://?/x", "https://?/x"),
            ("import os; os.sys?tem('x')", "import os; os.system('x')"),
            ("delete from t where id=?", "delete from t where id=?"),
            ("cd ? && rm -rf ?/*", "cd ? && rm -rf ?/*"),
        ] {
            let with_holes = |text: &str| text.replace('?', &HOLE.to_string());
            assert_eq!(emptied_text(&with_holes(text)), with_holes(emptied), "{text}");
        }
    }
}
