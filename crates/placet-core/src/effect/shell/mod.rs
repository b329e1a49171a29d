//! What a shell command would do.
//!
//! [`parse`] reads the grammar, the walk follows what would run, and the programs say what each command
//! does to the world. [`interpret`] puts the three together.

pub mod syntax;

pub mod parse;

mod flow;

mod env;

mod expand;

mod walk;

mod wrapping;

mod programs;

pub(super) use expand::names_a_secret;
pub(super) use flow::{Flow, HOLE, Origin, TEXT_MAX, without_holes};
pub(super) use programs::base64;

use crate::effect::{Effect, Pointer, Span, Target, TargetKind, Verb};

/// The effects a text would have in a POSIX shell that is probably meant for a Windows one: what is not even
/// grammar here, and the commands of Windows, are left to the other reading.
pub fn interpret_beside_windows(
    text: &str,
    pointer: Pointer,
    root: Option<&str>,
    directory: Option<&str>,
) -> Vec<Effect> {
    let mut walker = walk::Walker::new(pointer, root, directory);
    walker.beside_windows = true;
    walker.outermost(text);
    walker.finish()
}

/// Whether `name` is a program that is known here.
pub fn knows(name: &str) -> bool {
    programs::knows(name)
}

/// The effects of running `code` of `language`.
pub fn interpret_code(language: &str, code: &str, pointer: Pointer, root: Option<&str>) -> Vec<Effect> {
    let mut walker = walk::Walker::new(pointer, root, None);
    programs::run_whole(&mut walker, language, code);
    walker.finish()
}

/// The effects of running `command` in a POSIX shell, with the working tree at `root`, started in
/// `directory` if that is somewhere else.
pub fn interpret(
    command: &str,
    pointer: Pointer,
    root: Option<&str>,
    directory: Option<&str>,
) -> Vec<Effect> {
    let mut walker = walk::Walker::new(pointer.clone(), root, directory);
    walker.outermost(command);
    let mut effects = walker.finish();
    if effects.is_empty() && !command.trim().is_empty() {
        // An assignment, a comparison or a comment changes nothing outside the shell.
        let span = Span::whole(pointer, command);
        effects.push(Effect::new(Verb::Read, Target::new(TargetKind::Command, "the shell itself"), span));
    }
    effects
}
