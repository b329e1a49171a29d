//! What a piece of code would do.
//!
//! Python and JavaScript (with TypeScript) are cut into tokens and followed statement by statement: values are kept as
//! far as they can be known, names are followed through imports, aliases and lookups by text, and each call that
//! matters is read as the command it amounts to. `os.remove(p)` is `rm p`, `requests.post(u, data=d)` is
//! `curl --data-raw d u`. So code and commands are judged alike, and what a program does is written down once.
//!
//! Other languages are read by their words, in [`lexical`].

mod sign;

mod token;

mod python_tokens;

mod javascript_tokens;

mod literal;

mod value;

mod arguments;

mod reader;

mod expression;

mod collection;

mod binding;

mod python;

mod javascript;

mod names;

mod table;

mod attached;

mod slots;

mod calls;

mod methods;

mod special;

mod special_calls;

mod data;

mod process;

mod web;

mod evaluate;

pub mod lexical;

pub(in crate::effect) use self::value::Text;
use super::{
    Effect,
    shell::{Flow, Origin},
};
use crate::json::Object;

/// Bytes of a text, first and one past the last.
pub(in crate::effect) type Range = (usize, usize);

/// The languages that are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Python, with the lines of a notebook.
    Python,
    /// JavaScript and TypeScript.
    JavaScript,
}

impl Language {
    /// The language that a host or a shell calls `name`.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "python" | "python3" | "py" | "ipython" | "jupyter" => Some(Self::Python),
            "javascript" | "js" | "typescript" | "ts" | "node" | "nodejs" | "jsx" | "tsx" | "deno"
            | "bun" => Some(Self::JavaScript),
            _ => None,
        }
    }
}

/// How a command is started.
#[derive(Clone, Debug, Default)]
pub(in crate::effect) struct How<'a> {
    /// Where, if not where the code runs.
    pub directory: Option<Text<'a>>,
    /// With what to read.
    pub stdin: Option<Flow>,
    /// In a process of its own: what it sets and where it goes is forgotten afterwards.
    pub apart: bool,
    /// How deep in the code that stands.
    pub depth: u32,
}

/// What code can do things to. Whoever implements it knows what a command or a file is.
pub(in crate::effect) trait World {
    /// Runs a program with its arguments; gives what it prints.
    fn command(&mut self, words: &[Text<'_>], how: How<'_>, at: Range) -> Flow;
    /// Runs a text in a shell; gives what it prints.
    fn shell(&mut self, script: &Text<'_>, how: How<'_>, at: Range) -> Flow;
    /// Reads a file; gives what it holds.
    fn read(&mut self, path: &Text<'_>, at: Range) -> Flow;
    /// Writes a file.
    fn write(&mut self, path: &Text<'_>, content: Flow, append: bool, at: Range);
    /// Notes what a file that is being written holds.
    fn fill(&mut self, path: &Text<'_>, content: Flow);
    /// Runs statements in a database.
    fn statement(&mut self, text: &Text<'_>, at: Range);
    /// Runs code of a language.
    fn code(&mut self, language: &str, text: &Text<'_>, depth: u32, at: Range);
    /// Calls a tool of the host.
    fn tool(&mut self, name: &str, args: Object, at: Range);
    /// Runs code of which only the origin is known.
    fn run_unseen(&mut self, origin: Origin, at: Range);
    /// Lets the other end of a connection run commands.
    fn remote_control(&mut self, host: &str, at: Range);
    /// Does something else; where it was read is filled in.
    fn emit(&mut self, effect: Effect, at: Range);
}

/// What was found of the code as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::effect) struct Reading {
    /// Whether all it calls is known, so that there is nothing else it could do.
    pub all_known: bool,
}

/// Follows `code`, which stands `depth` deep in other code, and does to `world` what it would do.
pub(in crate::effect) fn read(language: Language, code: &str, depth: u32, world: &mut dyn World) -> Reading {
    let mut reader = reader::Reader::new(language, code, world);
    reader.depth = depth;
    reader.follow();
    Reading { all_known: reader.all_known }
}
