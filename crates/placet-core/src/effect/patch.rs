//! Patches: which files one would touch, without applying it.
//!
//! Two kinds are read: unified diffs, as `diff -u` and `git diff` write them, and the envelope that
//! agents write, `*** Begin Patch`. What else a patch program may accept is a problem, not a guess.

use std::iter::Peekable;
use std::ops::Range;

/// What a patch does to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Creates it.
    Add,
    /// Changes it in place.
    Update,
    /// Removes it.
    Delete,
    /// Moves it, or is where it is moved to.
    Rename,
}

/// A file a patch touches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Touched<'a> {
    /// The path as the patch spells it, without quotes and without the `a/` and `b/` of a diff.
    pub path: &'a str,
    /// What happens to it.
    pub change: Change,
    /// The bytes of the line that says so.
    pub range: Range<usize>,
}

/// What a text says as a patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchRead<'a> {
    /// The files it touches, in order.
    pub touched: Vec<Touched<'a>>,
    /// Why the list may be incomplete, if it may.
    pub problem: Option<&'static str>,
}

/// So many files are listed.
const FILES_MAX: usize = 1_000;

/// The first words of merges and of the older kind of diff, which are not read.
const UNKNOWN_STARTS: [&str; 4] = ["diff --cc ", "diff --combined ", "@@@ ", "***************"];

const NOT_A_PATCH: &str = "not a patch";
/// What is wrong with a patch that touches more files than are listed.
pub const TOO_MANY_FILES: &str = "too many files";
const UNKNOWN_LINE: &str = "a line of the patch is not understood";
const UNKNOWN_KIND: &str = "a kind of patch that is not understood";
const CUT_SHORT: &str = "a hunk is shorter than it says";
const TOO_LONG: &str = "a hunk is longer than it says";
const ESCAPED: &str = "a path is written with escapes";
const NO_PATH: &str = "a path is missing";

/// Reads which files `text` would touch.
///
/// The names on a line within a hunk are content: the counts in its header say how far it goes.
pub fn read(text: &str) -> PatchRead<'_> {
    let mut reader = Reader::default();
    let mut lines = Lines { text, at: 0 }.peekable();
    while let Some(line) = lines.next() {
        if reader.touched.len() > FILES_MAX {
            break;
        }
        if line.text.trim() == "*** Begin Patch" {
            reader.close_section();
            reader.read_envelope(&mut lines);
        } else {
            reader.read_header(line, &mut lines);
        }
    }
    reader.close_section();
    if reader.touched.len() > FILES_MAX {
        reader.touched.truncate(FILES_MAX);
        reader.problem = Some(TOO_MANY_FILES);
    }
    if reader.touched.is_empty() {
        reader.problem.get_or_insert(NOT_A_PATCH);
    }
    PatchRead { touched: reader.touched, problem: reader.problem }
}

#[derive(Clone)]
struct Line<'a> {
    text: &'a str,
    range: Range<usize>,
}

/// The lines of a text and where they are, without their ends.
struct Lines<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        let rest = self.text.get(self.at..).filter(|rest| !rest.is_empty())?;
        let length = rest.find('\n').unwrap_or(rest.len());
        let text = &rest[..length];
        let text = text.strip_suffix('\r').unwrap_or(text);
        let range = self.at..self.at + text.len();
        self.at += length + 1;
        Some(Line { text, range })
    }
}

#[derive(Default)]
struct Reader<'a> {
    touched: Vec<Touched<'a>>,
    problem: Option<&'static str>,
    section: Section<'a>,
    /// Whether the line before belonged to a hunk.
    after_hunk: bool,
}

/// What the header of one file of a diff has said so far.
#[derive(Default)]
struct Section<'a> {
    git: Option<(&'a str, &'a str, Range<usize>)>,
    index: Option<(&'a str, Range<usize>)>,
    old: Option<(&'a str, Range<usize>)>,
    new: Option<(&'a str, Range<usize>)>,
    renamed: bool,
    added: bool,
    deleted: bool,
}

impl<'a> Reader<'a> {
    /// Reads the lines of an envelope, up to its end.
    fn read_envelope(&mut self, lines: &mut Peekable<Lines<'a>>) {
        let mut in_update = false;
        let mut ended = false;
        for line in lines {
            // In the body of an update a space makes a line content; elsewhere it means nothing.
            let text = if in_update { line.text } else { line.text.trim() };
            let Some(header) = text.strip_prefix("***") else { continue };
            let header = header.trim();
            let file = |name: &str| header.strip_prefix(name).map(str::trim);
            if header == "End Patch" {
                ended = true;
                break;
            } else if let Some(path) = file("Add File:") {
                in_update = false;
                self.touch(path, Change::Add, line.range);
            } else if let Some(path) = file("Update File:") {
                in_update = true;
                self.touch(path, Change::Update, line.range);
            } else if let Some(path) = file("Delete File:") {
                in_update = false;
                self.touch(path, Change::Delete, line.range);
            } else if let Some(path) = file("Move to:") {
                match self.touched.last_mut() {
                    Some(moved) if moved.change == Change::Update => moved.change = Change::Rename,
                    Some(_) | None => self.trouble(UNKNOWN_LINE),
                }
                self.touch(path, Change::Rename, line.range);
            } else if !header.starts_with("End of File") && !header.starts_with("Environment ID:") {
                self.trouble(UNKNOWN_LINE);
            }
            if self.touched.len() > FILES_MAX {
                return;
            }
        }
        if !ended {
            self.trouble("the patch has no end");
        }
    }

    /// Reads a line of a unified diff that is outside a hunk, and the hunk if it begins one.
    fn read_header(&mut self, line: Line<'a>, lines: &mut Peekable<Lines<'a>>) {
        let next_starts = |lines: &mut Peekable<Lines<'a>>, start: &str| {
            lines.peek().is_some_and(|line| line.text.starts_with(start))
        };
        let after_hunk = std::mem::take(&mut self.after_hunk);
        let Line { text, range } = line;
        if let Some(names) = text.strip_prefix("diff --git ") {
            self.close_section();
            match git_names(names) {
                Some((old, new)) => self.section.git = Some((old, new, range)),
                None => self.trouble(NO_PATH),
            }
        } else if UNKNOWN_STARTS.iter().any(|start| text.starts_with(start))
            || text.starts_with("*** ") && next_starts(lines, "--- ")
        {
            self.trouble(UNKNOWN_KIND);
        } else if let Some(path) = text.strip_prefix("Index: ") {
            self.close_section();
            self.section.index = Some((path.trim(), range));
        } else if let Some(path) = text.strip_prefix("--- ")
            && (next_starts(lines, "+++ ") || next_starts(lines, "@@ "))
        {
            if self.section.old.is_some() || self.section.new.is_some() {
                self.close_section();
            }
            self.section.old = Some((path, range));
        } else if let Some(path) = text.strip_prefix("+++ ")
            && (self.section.old.is_some() || next_starts(lines, "@@ "))
        {
            if self.section.new.is_some() {
                self.close_section();
            }
            self.section.new = Some((path, range));
        } else if text.starts_with("@@ ") {
            self.read_hunk(text, lines);
        } else if self.section.git.is_some() && !after_hunk {
            self.read_extended(text, range);
        } else if after_hunk && text.starts_with(['+', '-']) && !text.starts_with("-- ") && text != "--" {
            self.trouble(TOO_LONG);
        }
    }

    /// Reads a line that only git writes between a file's name and its hunks.
    fn read_extended(&mut self, text: &'a str, range: Range<usize>) {
        let named = |start: &str| text.strip_prefix(start);
        if let Some(path) = named("rename from ") {
            self.section.renamed = true;
            self.touch(path, Change::Rename, range);
        } else if let Some(path) = named("rename to ") {
            self.section.renamed = true;
            self.touch(path, Change::Rename, range);
        } else if let Some(path) = named("copy to ") {
            self.section.renamed = true;
            self.touch(path, Change::Add, range);
        } else if text.starts_with("new file mode") {
            self.section.added = true;
        } else if text.starts_with("deleted file mode") {
            self.section.deleted = true;
        }
    }

    /// Passes over the lines of a hunk, as many as its header says.
    fn read_hunk(&mut self, header: &str, lines: &mut Peekable<Lines<'a>>) {
        if self.section.old.is_none() && self.section.new.is_none() && self.section.index.is_none() {
            self.trouble(NO_PATH);
        }
        let Some((mut old, mut new)) = hunk_lengths(header) else {
            self.trouble(UNKNOWN_LINE);
            return;
        };
        while old > 0 || new > 0 {
            let Some(line) = lines.peek() else { break };
            match line.text.as_bytes().first() {
                Some(b'+') if new > 0 => new -= 1,
                Some(b'-') if old > 0 => old -= 1,
                Some(b' ' | b'\t') | None if old > 0 && new > 0 => {
                    old -= 1;
                    new -= 1;
                }
                Some(b'\\') => {}
                _ => break,
            }
            lines.next();
        }
        if old > 0 || new > 0 {
            self.trouble(CUT_SHORT);
        }
        self.after_hunk = true;
    }

    /// Lists the files of the section that ends here.
    fn close_section(&mut self) {
        let section = std::mem::take(&mut self.section);
        let Section { git, index, old, new, renamed, added, deleted } = section;
        let old = old.map(|(path, range)| (without_time(path), range));
        let new = new.map(|(path, range)| (without_time(path), range));
        let in_git = git.is_some();
        let prefixed = in_git
            || old.as_ref().is_none_or(|(path, _)| *path == "/dev/null" || has_prefix(path))
                && new.as_ref().is_none_or(|(path, _)| *path == "/dev/null" || has_prefix(path));
        let bare = |path: &'a str| if prefixed { without_prefix(path) } else { path };
        let has_names = old.is_some() || new.is_some();
        match (old, new) {
            (old, new) if renamed => {
                // The names of a rename are listed already; any other is a second story.
                for (path, range) in old.into_iter().chain(new) {
                    if !self
                        .touched
                        .iter()
                        .rev()
                        .take(3)
                        .any(|touched| touched.path == unquoted(bare(path)).0)
                    {
                        self.touch(bare(path), Change::Update, range);
                    }
                }
            }
            (Some(("/dev/null", _)), Some(("/dev/null", _))) => self.trouble(NO_PATH),
            (Some(("/dev/null", _)), Some((path, range))) => self.touch(bare(path), Change::Add, range),
            (Some((path, range)), Some(("/dev/null", _))) => self.touch(bare(path), Change::Delete, range),
            (Some((old, old_range)), Some((new, new_range))) => {
                // Programs differ in which of two names they take.
                if bare(old) != bare(new) {
                    self.touch(bare(old), Change::Update, old_range);
                }
                self.touch(bare(new), Change::Update, new_range);
            }
            (Some((path, range)), None) | (None, Some((path, range))) => {
                self.touch(bare(path), Change::Update, range);
            }
            (None, None) => {}
        }
        let change = match (added, deleted) {
            (true, _) => Change::Add,
            (_, true) => Change::Delete,
            (false, false) => Change::Update,
        };
        if let Some((git_old, git_new, range)) = git
            && !has_names
            && !renamed
        {
            if without_prefix(git_old) != without_prefix(git_new) {
                self.touch(without_prefix(git_old), change, range.clone());
            }
            self.touch(without_prefix(git_new), change, range);
        }
        if let Some((path, range)) = index
            && self.touched.last().is_none_or(|last| last.path != path)
        {
            self.touch(path, Change::Update, range);
        }
    }

    fn touch(&mut self, path: &'a str, change: Change, range: Range<usize>) {
        let (path, escaped) = unquoted(path);
        if escaped {
            self.trouble(ESCAPED);
        }
        if path.is_empty() {
            self.trouble(NO_PATH);
        } else if self.touched.len() <= FILES_MAX {
            self.touched.push(Touched { path, change, range });
        }
    }

    /// Keeps the first problem.
    fn trouble(&mut self, problem: &'static str) {
        self.problem.get_or_insert(problem);
    }
}

/// The two names after `diff --git`: quoted, or the same but for their first directory.
fn git_names(names: &str) -> Option<(&str, &str)> {
    let names = names.trim_end();
    if names.starts_with('"') {
        let end =
            names.match_indices('"').map(|(at, _)| at).skip(1).find(|at| !names[..*at].ends_with('\\'))?;
        return Some((&names[..=end], names[end + 1..].trim()));
    }
    if let Some(at) = names.find(" \"") {
        return Some((&names[..at], names[at..].trim()));
    }
    let middle = names.len() / 2;
    let is_middle = names.as_bytes().get(middle) == Some(&b' ');
    if is_middle && without_prefix(&names[..middle]) == without_prefix(&names[middle + 1..]) {
        return Some((&names[..middle], &names[middle + 1..]));
    }
    names.rsplit_once(" b/").or_else(|| names.rsplit_once(' '))
}

/// How many lines of the old and of the new file a hunk has: `@@ -1,3 +1,4 @@`.
fn hunk_lengths(header: &str) -> Option<(usize, usize)> {
    let (ranges, _) = header.strip_prefix("@@ ")?.split_once(" @@")?;
    let (old, new) = ranges.split_once(' ')?;
    let length = |range: &str| match range.split_once(',') {
        Some((_, length)) => length.parse().ok(),
        None => range.parse::<usize>().ok().map(|_| 1),
    };
    Some((length(old.strip_prefix('-')?)?, length(new.trim().strip_prefix('+')?)?))
}

/// A name without the time stamp that follows a tab.
fn without_time(path: &str) -> &str {
    path.split('\t').next().unwrap_or(path).trim_end()
}

/// The directories that diffs put before the names of the two sides.
const PREFIXES: [&str; 6] = ["a/", "b/", "i/", "w/", "c/", "o/"];

fn has_prefix(path: &str) -> bool {
    let path = path.strip_prefix('"').unwrap_or(path);
    PREFIXES.iter().any(|prefix| path.starts_with(prefix))
}

/// A name without its first directory if that stands for a side of the diff. A quoted name keeps its end.
fn without_prefix(path: &str) -> &str {
    let inner = path.strip_prefix('"').unwrap_or(path);
    PREFIXES.iter().find_map(|prefix| inner.strip_prefix(prefix)).unwrap_or(path)
}

/// A name without its quotes, and whether it holds escapes that hide what it says.
fn unquoted(path: &str) -> (&str, bool) {
    let Some(inner) = path.strip_suffix('"') else { return (path, false) };
    let inner = inner.strip_prefix('"').unwrap_or(inner);
    (inner, inner.contains('\\'))
}
