//! Paths: where a file is, and what its exposure or loss would mean.
//!
//! All by the letters of the path; no disk is asked. What is known about names is in `known.rs`, the
//! spellings of a path are made one in `spell.rs`, its names are kept in `parts.rs`, and `index.rs` finds
//! the rows that fit, or that a wildcard could become by `wild.rs`.

mod index;
mod known;
mod parts;
mod spell;
mod wild;

use std::sync::LazyLock;

use super::{Place, Sensitivity};
use index::{Hit, Index, Name};
use parts::Part;
use spell::Located;

/// Stands for an unknown part of a path, of any length.
pub const HOLE: char = '\u{1a}';

/// What a path says about the file it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The normalised path, for people: `~/…` for the home directory.
    pub name: String,
    /// Where it is, seen from the working directory.
    pub place: Place,
    /// What its exposure or loss would mean.
    pub sensitivity: Sensitivity,
    /// What it is in words, such as "a private SSH key".
    pub what: Option<&'static str>,
    /// Whether it is a whole tree whose loss is a catastrophe: `/`, `/etc`, `~`, `/tmp/*`.
    pub broad: bool,
}

/// What is known about files, and after that what is scratch: most paths are looked up in both.
static ROWS: LazyLock<Index> = LazyLock::new(|| {
    let files = known::FILES.iter().map(|(name, ..)| *name);
    Index::new(files.chain(known::SCRATCH.iter().copied()))
});
static TREES: LazyLock<Index> = LazyLock::new(|| Index::new(known::TREES.iter().copied()));

/// Reads what `path` says, seen from the working directory `cwd`.
///
/// Without a working directory a relative path is in the working tree, unless it climbs out of it.
pub fn classify(path: &str, cwd: Option<&str>) -> Found {
    let mut base = Base::NONE;
    base.read(cwd);
    base.classify(path)
}

/// A working directory, taken apart once for many paths.
pub struct Base<'a> {
    directory: Option<Located<'a>>,
    /// Whether it is a whole tree of its own, and so no working tree.
    broad: bool,
}

impl<'a> Base<'a> {
    const NONE: Self = Self { directory: Some(Located::HERE), broad: false };

    /// The working directory `cwd`, if there is one.
    pub fn new(cwd: Option<&'a str>) -> Self {
        let mut base = Self::NONE;
        base.read(cwd);
        base
    }

    fn read(&mut self, cwd: Option<&'a str>) {
        match (&mut self.directory, cwd) {
            (Some(directory), Some(cwd)) => {
                directory.read(cwd, None);
                self.broad = is_broad(directory, None);
            }
            (directory, _) => *directory = None,
        }
    }

    /// `path` seen from here, in its one spelling.
    pub fn name(&self, path: &str) -> String {
        if path.starts_with(r"\\.\") {
            return path.to_owned();
        }
        Located::new(&spell::plain(path), self.directory.as_ref()).name()
    }

    /// Where the parts of `path` beneath the working tree begin, if it lies there.
    fn tree_at(&self, path: &Located<'_>) -> Option<usize> {
        path.tree_at.filter(|_| !self.broad)
    }

    /// Reads what `path` says, seen from here.
    pub fn classify(&self, path: &str) -> Found {
        if let Some(device) = path.strip_prefix(r"\\.\") {
            return windows_device(path, device);
        }
        let path = spell::plain(path);
        let mut located = Located::HERE;
        located.read(&path, self.directory.as_ref());
        found(&located, self)
    }
}

fn found(located: &Located<'_>, base: &Base<'_>) -> Found {
    let met = Met::new(located, base);
    let weight = met.weight();
    let place = place(located, base, &met, weight);
    let (sensitivity, what) = match weight {
        // What only matters to a project in use does not matter to one that is thrown away.
        Some(Weight { sensitivity: Sensitivity::System, anchored: false, .. }) if place == Place::Scratch => {
            (Sensitivity::None, None)
        }
        Some(Weight { sensitivity: Sensitivity::Secret, what: known::KEY_BY_ENDING, .. })
            if place == Place::Machine =>
        {
            (Sensitivity::Credential, Some(known::KEY_BY_ENDING))
        }
        Some(Weight { sensitivity, what, .. }) => (sensitivity, Some(what).filter(|what| !what.is_empty())),
        None if located.home_at == Some(located.parts.len()) => {
            (Sensitivity::Private, Some("somebody's home directory"))
        }
        None => (Sensitivity::None, None),
    };
    let what = match what {
        Some(_) if sensitivity == Sensitivity::System && is_disk(located) => Some("a disk"),
        what => what,
    };
    let name = located.name();
    let broad = is_broad(located, base.directory.as_ref());
    Found { name, place, sensitivity, what, broad }
}

/// Whether `path` names a disk or a part of one, such as `/dev/sda1` or `\\.\PhysicalDrive0`.
pub fn is_block_device(path: &str) -> bool {
    match path.strip_prefix(r"\\.\") {
        Some(device) => is_windows_disk(device),
        // Most paths are told by their letters alone.
        None if path.starts_with('/') && !path.contains("dev") => false,
        None => is_disk(&Located::new(&spell::plain(path), None)),
    }
}

/// `path` seen from `cwd`, in its one spelling.
pub fn join(cwd: &str, path: &str) -> String {
    Located::new(&spell::plain(path), Some(&Located::new(cwd, None))).name()
}

/// What a row of the table says.
#[derive(Clone, Copy)]
struct Weight {
    sensitivity: Sensitivity,
    what: &'static str,
    anchored: bool,
}

/// The rows that a path meets, as far as they matter.
#[derive(Default)]
struct Met {
    /// The first row that says where it begins, and the first that begins anywhere.
    anchored: Option<Hit>,
    floating: Option<Hit>,
    /// The worst row that a wildcard could become.
    guessed: Option<Hit>,
    /// Whether the path is scratch, and whether it is unless it is a part of the system.
    scratch: bool,
    scratch_outside_system: bool,
}

impl Met {
    fn new(path: &Located<'_>, base: &Base<'_>) -> Self {
        let tree_at = base.tree_at(path);
        let mut met = Self::default();
        ROWS.each(path, |hit| match hit.row.checked_sub(known::FILES.len()) {
            None => met.weigh(hit),
            Some(_) if hit.guessed => {}
            Some(row) => match known::SCRATCH[row].as_bytes() {
                [b'.', ..] => {
                    met.scratch |= tree_at.is_some_and(|tree_at| !is_source(&path.parts[tree_at..hit.at]));
                }
                [b'*', ..] => met.scratch_outside_system |= tree_at.is_none_or(|tree_at| hit.at >= tree_at),
                // A tree that is worked on is work, wherever it lies.
                _ => met.scratch |= path.is_absolute() && tree_at.is_none(),
            },
        });
        met
    }

    fn weigh(&mut self, hit: Hit) {
        let best = match hit {
            Hit { guessed: true, .. } => &mut self.guessed,
            Hit { anchored: true, .. } => &mut self.anchored,
            Hit { .. } => &mut self.floating,
        };
        let better = best.is_none_or(|best| {
            if hit.guessed { (loss(&hit), best.row) > (loss(&best), hit.row) } else { hit.row < best.row }
        });
        if better {
            *best = Some(hit);
        }
    }

    /// What the table says about the path: the first row that fits, or a worse one that a wildcard in the path
    /// could become.
    fn weight(&self) -> Option<Weight> {
        let certain = match (self.anchored, self.floating) {
            (Some(anchored), Some(floating)) if loss(&floating) == 0 => Some(anchored),
            (Some(anchored), Some(floating)) if loss(&anchored) == 0 => Some(floating),
            (Some(anchored), Some(floating)) => {
                Some(if anchored.row < floating.row { anchored } else { floating })
            }
            (anchored, floating) => anchored.or(floating),
        };
        let hit = match (certain, self.guessed) {
            (Some(certain), Some(guessed)) if loss(&guessed) > loss(&certain) => guessed,
            (certain, guessed) => certain.or(guessed)?,
        };
        let (_, sensitivity, what) = known::FILES[hit.row];
        Some(Weight { sensitivity, what, anchored: hit.anchored })
    }
}

/// What a wildcard counts for. Secrets come before the system: a caller forgives reading the latter.
fn loss(hit: &Hit) -> u8 {
    match known::FILES[hit.row].1 {
        Sensitivity::None => 0,
        Sensitivity::Private => 1,
        Sensitivity::System => 2,
        Sensitivity::Secret => 3,
        Sensitivity::Credential => 4,
        Sensitivity::Guard => 5,
    }
}

fn place(path: &Located<'_>, base: &Base<'_>, met: &Met, weight: Option<Weight>) -> Place {
    if path.is_away() {
        return Place::Away;
    }
    if path.unsure {
        return Place::Machine;
    }
    let in_system = || {
        path.slash_at.is_some()
            && (path.parts.first().is_some_and(|top| top.text == "usr")
                || weight.is_some_and(|weight| weight.anchored && weight.sensitivity == Sensitivity::System))
    };
    if met.scratch || met.scratch_outside_system && !in_system() {
        Place::Scratch
    } else if base.tree_at(path).is_some() {
        Place::Tree
    } else {
        Place::Machine
    }
}

/// Whether one of `parts` is where people keep their work.
fn is_source(parts: &[Part<'_>]) -> bool {
    parts.iter().any(|part| known::SOURCES.contains(&part.text))
}

fn is_broad(path: &Located<'_>, cwd: Option<&Located<'_>>) -> bool {
    if path.parts.last().is_some_and(Part::is_whole_wildcard) {
        return is_broad(&path.clone().without_wild_end(), cwd);
    }
    // What holds the working directory holds its neighbours too.
    path.is_top() || TREES.any(path) || cwd.is_some_and(|cwd| path.is_above(cwd))
}

fn is_disk(path: &Located<'_>) -> bool {
    let (Some(0), [dev, rest @ ..]) = (path.slash_at, &path.parts[..]) else { return false };
    if dev.text != "dev" {
        return false;
    }
    match rest {
        [name] => known::DISKS.iter().any(|disk| is_numbered(path, name, disk)),
        [directory, ..] => known::DISK_DIRECTORIES.iter().any(|known| {
            directory.text == *known || known.ends_with('*') && is_numbered(path, directory, known)
        }),
        [] => false,
    }
}

/// Whether `part` is `pattern` with some short text in the place of its `*`, or a wildcard that could be.
fn is_numbered(path: &Located<'_>, part: &Part<'_>, pattern: &'static str) -> bool {
    let stem = pattern.trim_end_matches('*');
    if part.is_any() {
        return true;
    }
    match part.text.strip_prefix(stem) {
        Some(rest) => {
            let rest = rest.trim_start_matches(|letter: char| letter.is_ascii_alphanumeric());
            part.text.len() > stem.len() && part.text.len() < 20 && (rest.is_empty() || part.wild)
        }
        None if part.text.contains(HOLE) => false,
        None => path.wild(part).is_some_and(|wild| Name::new(pattern).could_be(part.text, wild, true)),
    }
}

fn windows_device(path: &str, device: &str) -> Found {
    let what = if is_windows_disk(device) { "a disk" } else { "a device" };
    Found {
        name: path.to_owned(),
        place: Place::Machine,
        sensitivity: Sensitivity::System,
        what: Some(what),
        broad: is_windows_disk(device),
    }
}

fn is_windows_disk(device: &str) -> bool {
    let starts = |name: &str| device.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
    starts("PhysicalDrive")
        || starts("Harddisk")
        || starts("CdRom")
        || matches!(device.as_bytes(), [_, b':', ..])
}
