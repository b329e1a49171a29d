//! Who reads the arguments of which program: one look at its name instead of asking everybody in turn.

use std::{iter, sync::LazyLock};

use super::{Call, builtins, databases, files, find, git, interpreters, network, processes, text, wrappers};
use crate::effect::{
    lookup::Lookup,
    shell::{flow::Flow, walk::Walker},
};

/// Reads a call; `None` if it is of another program, or a use of it that the table knows better.
type Reader = fn(&mut Walker<'_>, &Call<'_>) -> Option<Flow>;

/// More names of programs, from tables.
type Tabled = fn() -> Vec<&'static str>;

/// Everybody who knows programs whose arguments have a grammar of their own, in the order in which they are asked, with
/// the names of these programs.
const READERS: [(Reader, &str, Tabled); 10] = [
    (builtins::run, builtins::NAMES, Vec::new),
    (wrappers::run, wrappers::NAMES, wrappers::tabled),
    (text::run, text::NAMES, Vec::new),
    (interpreters::run, interpreters::NAMES, Vec::new),
    (files::run, files::NAMES, Vec::new),
    (find::run, find::NAMES, Vec::new),
    (network::run, network::NAMES, Vec::new),
    (git::run, git::NAMES, Vec::new),
    (databases::run, "", databases::tabled),
    (processes::run, processes::NAMES, Vec::new),
];

/// Who may know a program, a bit for each of [`READERS`].
static KNOWN_TO: LazyLock<Lookup<&'static str, u16>> = LazyLock::new(|| {
    let mut known_to = Lookup::<_, u16>::default();
    for (number, (_, names, tabled)) in READERS.iter().enumerate() {
        for name in names.split_ascii_whitespace().chain(tabled()) {
            *known_to.entry(name).or_default() |= 1 << number;
        }
    }
    known_to
});

/// Lets those read `call` who know its program; `None` if nobody does.
pub(super) fn run(walker: &mut Walker<'_>, call: &Call<'_>) -> Option<Flow> {
    let known_to = |name: &str| KNOWN_TO.get(name).copied().unwrap_or_default();
    let mut left = known_to(call.name);
    // `python3.12` is `python`.
    let stem = call.name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    if stem.len() < call.name.len() {
        left |= known_to(stem);
    }
    iter::from_fn(|| {
        let next = (left != 0).then(|| READERS[left.trailing_zeros() as usize].0);
        left &= left.wrapping_sub(1);
        next
    })
    .find_map(|reader| reader(walker, call))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effect::{Pointer, shell::flow::Arg};

    #[test]
    fn nobody_knows_a_program_that_is_not_listed() {
        let sources = [
            include_str!("builtins.rs"),
            include_str!("wrappers.rs"),
            include_str!("text.rs"),
            include_str!("interpreters.rs"),
            include_str!("files.rs"),
            include_str!("find.rs"),
            include_str!("network.rs"),
            include_str!("git.rs"),
            include_str!("databases.rs"),
            include_str!("processes.rs"),
        ];
        let args = ["-s", "shell", "x"].map(|text| Arg::literal(text, (0, 0)));
        for (number, ((run, ..), source)) in READERS.iter().zip(sources).enumerate() {
            // A name that is matched stands between quotes somewhere.
            for name in source.split('"').filter(|name| !name.contains(char::is_whitespace)) {
                for args in [&args[..0], &args] {
                    let mut walker = Walker::new(Pointer::root(), None, None);
                    let call = Call { name, args, range: (0, 0), stdin: None, overlay: &[] };
                    if run(&mut walker, &call).is_some() {
                        let known_to = KNOWN_TO.get(name).copied().unwrap_or_default();
                        assert!(known_to & 1 << number != 0, "`{name}` is not listed for reader {number}");
                    }
                }
            }
        }
    }
}
