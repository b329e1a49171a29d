//! What a shell command would do.
//!
//! [`parse`] reads the grammar, the walk follows what would run, and the programs say what each command
//! does to the world. [`interpret`] puts the three together.

pub mod syntax;

pub mod parse;

mod flow;

pub mod dialect;

mod env;

mod expand;

mod walk;

mod wrapping;

mod programs;

pub(super) use expand::names_a_secret;
pub(super) use flow::{Flow, HOLE, Origin, TEXT_MAX, without_holes};
pub(super) use programs::base64;

use dialect::{Dialect, Shell};

use crate::effect::{Effect, Pointer, Span, Target, TargetKind, Verb};

/// The effects a text would have in a POSIX shell that is probably meant for a Windows one: what is not even
/// grammar here, and the commands of Windows, are left to the other reading.
pub fn interpret_beside_windows(
    text: &str,
    pointer: Pointer,
    root: Option<&str>,
    directory: Option<&str>,
) -> Vec<Effect> {
    every_reading(Shell::Unknown, |shell, assumed| {
        let mut walker = walk::Walker::new(pointer.clone(), root, directory).of_shell(shell, assumed);
        walker.beside_windows = true;
        walker.outermost(text);
        walker
    })
}

/// Whether `name` is a program that is known here.
pub fn knows(name: &str) -> bool {
    programs::knows(name)
}

/// The effects of running `code` of `language`.
pub fn interpret_code(language: &str, code: &str, pointer: Pointer, root: Option<&str>) -> Vec<Effect> {
    every_reading(Shell::Unknown, |shell, assumed| {
        let mut walker = walk::Walker::new(pointer.clone(), root, None).of_shell(shell, assumed);
        programs::run_whole(&mut walker, language, code);
        walker
    })
}

/// The effects of running `command` in some POSIX shell, with the working tree at `root`, started in
/// `directory` if that is somewhere else.
pub fn interpret(
    command: &str,
    pointer: Pointer,
    root: Option<&str>,
    directory: Option<&str>,
) -> Vec<Effect> {
    interpret_in(Shell::Unknown, command, pointer, root, directory)
}

/// The same in a shell of which more may be known.
pub fn interpret_in(
    shell: Shell,
    command: &str,
    pointer: Pointer,
    root: Option<&str>,
    directory: Option<&str>,
) -> Vec<Effect> {
    let mut effects = every_reading(shell, |shell, assumed| {
        let mut walker = walk::Walker::new(pointer.clone(), root, directory).of_shell(shell, assumed);
        walker.outermost(command);
        walker
    });
    if effects.is_empty() && !command.trim().is_empty() {
        // An assignment, a comparison or a comment changes nothing outside the shell.
        let span = Span::whole(pointer, command);
        effects.push(Effect::new(Verb::Read, Target::new(TargetKind::Command, "the shell itself"), span));
    }
    effects
}

/// The longest list of effects to which those of other readings are added one by one.
const COMPARED_MAX: usize = 500;

/// What is found when text for a shell that is not known is read for bash; and where others would read it differently, for each of them too.
fn every_reading<'c>(shell: Shell, walk: impl Fn(Shell, Dialect) -> walk::Walker<'c>) -> Vec<Effect> {
    let walker = walk(shell, Dialect::Bash);
    let differed = walker.differed;
    let mut effects = walker.finish();
    if differed {
        for assumed in [Dialect::Dash, Dialect::Busybox] {
            for effect in walk(shell, assumed).finish() {
                if effects.len() > COMPARED_MAX {
                    let why = "a long script that shells read in different ways";
                    effects.push(Effect::cut(why, effect.because));
                    return effects;
                }
                if !effects.contains(&effect) {
                    effects.push(effect);
                }
            }
        }
    }
    effects
}
