//! The spellings of a path: `~`, `$HOME`, `%TEMP%`, `file://`, `C:\`, `..` and their kin, made one.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::HOLE;
use super::index::Name;
use super::parts::{Class, Part, Parts};
use super::wild::Wild;

/// A path taken apart: where it begins, and its parts without `.` and `..`.
#[derive(Clone)]
pub(super) struct Located<'a> {
    root: Root<'a>,
    /// How often a relative path leaves the directory it began in.
    climbs: usize,
    /// The parts beneath the root.
    pub parts: Parts<'a>,
    /// What those of them that hold wildcards could become.
    wilds: Vec<Wild>,
    /// Where the parts beneath `/` begin.
    pub slash_at: Option<usize>,
    /// Where the parts beneath `/` may begin.
    pub maybe_slash_at: Option<usize>,
    /// Where the parts beneath somebody's home directory begin.
    pub home_at: Option<usize>,
    /// Where the parts beneath the home directory may begin.
    pub maybe_home_at: Option<usize>,
    /// Where the parts beneath a Windows drive begin.
    pub drive_at: Option<usize>,
    /// Where the parts beneath the working directory begin, if the path lies there.
    pub tree_at: Option<usize>,
    /// Whether nobody can say where the path ends up.
    pub unsure: bool,
}

/// Where a path begins.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Root<'a> {
    /// `/`.
    Slash,
    /// `~`, or `~user`.
    Home(&'a str),
    /// `C:`.
    Drive(char),
    /// `\\server\share`.
    Share,
    /// The working directory.
    Relative,
    /// A hole.
    Unknown,
}

const WILD_PARTS_FRONT: usize = 4;
const WILD_PARTS_BACK: usize = 64;

/// Variables whose usual value is known, by the names that shells and Windows give them.
const VARIABLES: &[(&str, &str)] = &[
    ("HOME", "~"),
    ("USERPROFILE", "~"),
    ("HOMEPATH", "~"),
    ("HOMEDRIVE%%HOMEPATH", "~"),
    ("TMPDIR", "/tmp"),
    ("TEMP", "~/AppData/Local/Temp"),
    ("TMP", "~/AppData/Local/Temp"),
    ("APPDATA", "~/AppData/Roaming"),
    ("LOCALAPPDATA", "~/AppData/Local"),
    ("XDG_CONFIG_HOME", "~/.config"),
    ("XDG_DATA_HOME", "~/.local/share"),
    ("XDG_STATE_HOME", "~/.local/state"),
    ("XDG_CACHE_HOME", "~/.cache"),
    ("XDG_RUNTIME_DIR", "/run/user/0"),
    ("CARGO_HOME", "~/.cargo"),
    ("GNUPGHOME", "~/.gnupg"),
    ("ZDOTDIR", "~"),
    ("KUBECONFIG", "~/.kube/config"),
    ("DOCKER_CONFIG", "~/.docker"),
    ("CLAUDE_CONFIG_DIR", "~/.claude"),
    ("CODEX_HOME", "~/.codex"),
    ("HERMES_HOME", "~/.hermes"),
    ("PWD", "."),
    ("CLAUDE_PROJECT_DIR", "."),
    ("WINDIR", "C:/Windows"),
    ("SYSTEMROOT", "C:/Windows"),
    ("SYSTEMDRIVE", "C:/"),
    ("PROGRAMFILES", "C:/Program Files"),
    ("PROGRAMFILES(X86)", "C:/Program Files (x86)"),
    ("PROGRAMDATA", "C:/ProgramData"),
    ("ALLUSERSPROFILE", "C:/ProgramData"),
    ("PUBLIC", "C:/Users/Public"),
];

impl<'a> Located<'a> {
    /// The working directory, or what [`Self::read`] begins with.
    pub(super) const HERE: Self = Self {
        root: Root::Relative,
        climbs: 0,
        parts: Parts::NONE,
        wilds: Vec::new(),
        slash_at: None,
        maybe_slash_at: None,
        home_at: None,
        maybe_home_at: None,
        drive_at: None,
        tree_at: None,
        unsure: false,
    };

    /// Takes `path` apart, seen from `cwd`.
    #[inline]
    pub(super) fn new(path: &'a str, cwd: Option<&Located<'a>>) -> Self {
        let mut located = Self::HERE;
        located.read(path, cwd);
        located
    }

    /// Takes `path` apart in place, which spares a copy of much that is empty.
    pub(super) fn read(&mut self, path: &'a str, cwd: Option<&Located<'a>>) {
        let cwd = cwd.filter(|cwd| cwd.is_absolute());
        self.walk(path, cwd);
        self.fold(cwd);
        self.read_wildcards();
        self.home_at = self.find_home();
        self.slash_at = (self.root == Root::Slash).then_some(0);
        (self.maybe_slash_at, self.maybe_home_at) = match self.root {
            Root::Relative if self.climbs > 2 => (Some(0), Some(0)),
            Root::Relative => (None, Some(0)),
            Root::Unknown => (Some(1), Some(1)),
            Root::Slash | Root::Home(_) | Root::Drive(_) | Root::Share => (None, None),
        };
        self.drive_at = match self.root {
            Root::Drive(_) => Some(0),
            // An administrative share, `\\server\C$`, is a drive.
            Root::Share if self.text(1).ends_with('$') => Some(2),
            Root::Slash | Root::Home(_) | Root::Share | Root::Relative | Root::Unknown => None,
        };
        self.tree_at = match cwd {
            Some(cwd) => self.beneath(cwd),
            None => (self.root == Root::Relative && self.climbs == 0).then_some(0),
        };
    }

    /// The path without the wildcards at its end that stand for whole names: `/etc/*` is `/etc`.
    pub(super) fn without_wild_end(mut self) -> Self {
        while self.parts.last().is_some_and(Part::is_whole_wildcard) {
            self.parts.pop();
        }
        self
    }

    /// Whether the path is the top of something: `/`, a home directory, a drive, a share.
    pub(super) fn is_top(&self) -> bool {
        let length = self.parts.len();
        match self.root {
            Root::Slash | Root::Home(_) | Root::Drive(_) => length == 0 || self.home_at == Some(length),
            Root::Share => length <= 2,
            Root::Relative => self.climbs > 0 && length == 0,
            Root::Unknown => false,
        }
    }

    /// Whether `inner` lies beneath this path.
    pub(super) fn is_above(&self, inner: &Located<'_>) -> bool {
        self.is_absolute() && inner.parts.len() > self.parts.len() && inner.beneath(self).is_some()
    }

    /// Whether the path is on another machine.
    pub(super) fn is_away(&self) -> bool {
        self.root == Root::Share && self.parts.first().is_some_and(|server| !is_local(server.text))
    }

    /// Whether the path begins at a known root.
    pub(super) fn is_absolute(&self) -> bool {
        !matches!(self.root, Root::Relative | Root::Unknown)
    }

    /// The path in its one spelling.
    pub(super) fn name(&self) -> String {
        let length = self.parts.iter().map(|part| part.text.len() + 1).sum::<usize>() + 4 + self.climbs * 3;
        let mut name = String::with_capacity(length);
        let mut separator = '/';
        match self.root {
            Root::Slash => name.push('/'),
            Root::Home(user) => {
                let _ = write!(name, "~{user}");
                if !self.parts.is_empty() {
                    name.push('/');
                }
            }
            Root::Drive(letter) => {
                name.push(letter);
                name.push_str(":/");
            }
            Root::Share => {
                separator = '\\';
                name.push_str("\\\\");
            }
            // A name that would be read as a beginning of its own.
            Root::Relative if self.climbs == 0 && self.text(0).starts_with(['~', '$', '%', HOLE]) => {
                name.push_str("./");
            }
            Root::Relative if self.climbs == 0 && self.text(0).contains(':') => name.push_str("./"),
            Root::Relative => (0..self.climbs).for_each(|_| name.push_str("../")),
            Root::Unknown => {}
        }
        for (number, part) in self.parts.iter().enumerate() {
            if number > 0 {
                name.push(separator);
            }
            name.push_str(part.text);
        }
        if self.climbs > 0 && self.parts.is_empty() {
            name.pop();
        }
        if name.is_empty() {
            name.push('.');
        }
        name
    }
}

/// How a path is taken apart.
impl<'a> Located<'a> {
    /// Goes along `path` from where it begins.
    fn walk(&mut self, path: &'a str, cwd: Option<&Located<'a>>) {
        match path.as_bytes() {
            // Within a path that begins with `/`, a backslash is a letter.
            [b'/', ..] => {
                self.root = Root::Slash;
                self.along(path, Class::SLASH);
            }
            [b'\\' | b'~' | b'$' | b'%', ..] | [_, b':', ..] => self.walk_from_root(path, cwd),
            _ if path.starts_with(HOLE) => self.walk_from_root(path, cwd),
            _ => {
                self.begin_at(cwd);
                self.along(path, Class::SEPARATOR);
            }
        }
    }

    /// Goes along a `path` that probably says where it begins, by other means than `/`.
    fn walk_from_root(&mut self, path: &'a str, cwd: Option<&Located<'a>>) {
        let end = path.bytes().position(|byte| matches!(byte, b'/' | b'\\')).unwrap_or(path.len());
        let (first, mut rest) = path.split_at(end);
        if path.starts_with(r"\\") {
            self.root = Root::Share;
        } else if path.starts_with('\\') {
            self.root = Root::Drive('C');
        } else if first == "~+" {
            self.begin_at(cwd);
        } else if first == "~-" || first.starts_with(HOLE) {
            // Nobody knows where it lies.
            self.root = Root::Unknown;
            self.parts.push(Part::new(first));
        } else if let Some(user) = first.strip_prefix('~') {
            self.root = Root::Home(user);
        } else if is_drive(first) {
            let letter = first.chars().next().unwrap_or('C').to_ascii_uppercase();
            self.root = Root::Drive(letter);
        } else if let Some(value) = variable(first) {
            self.walk(value, cwd);
        } else {
            self.begin_at(cwd);
            rest = path;
        }
        self.along(rest, Class::SEPARATOR);
    }

    /// Begins in the working directory.
    fn begin_at(&mut self, cwd: Option<&Located<'a>>) {
        if let Some(cwd) = cwd {
            self.root = cwd.root;
            self.parts.extend(&cwd.parts);
            self.wilds.clone_from(&cwd.wilds);
            self.unsure = cwd.unsure;
        }
    }

    /// Goes along what stands between the separators of `path`.
    fn along(&mut self, path: &'a str, separators: Class) {
        let mut start = 0;
        let mut seen = Class::NONE;
        for (at, byte) in path.bytes().enumerate() {
            let class = Class::of(byte);
            if class.is(separators) {
                self.enter(&path[start..at], seen);
                start = at + 1;
                seen = Class::NONE;
            } else {
                seen = seen.and(class);
            }
        }
        self.enter(&path[start..], seen);
    }

    /// Goes to `name`, whose letters are of the classes `seen`.
    fn enter(&mut self, name: &'a str, seen: Class) {
        match name {
            "" | "." => {}
            ".." => self.up(),
            name if matches!(self.root, Root::Drive(_) | Root::Share) => {
                self.parts.push(windows_part(name));
            }
            name => self.parts.push(Part::of(name, seen)),
        }
    }

    // Few paths go up: kept out of the loop over the others.
    #[inline(never)]
    fn up(&mut self) {
        if self.parts.last().is_some_and(|part| part.text == ".." || part.wild && part.text.contains(HOLE)) {
            // Nobody knows how far down a hole goes, so nobody knows where up leads.
            self.parts.push(Part::new(".."));
            self.unsure = true;
            return;
        }
        match self.root {
            Root::Share if self.parts.len() <= 2 => {}
            Root::Home(_) if self.parts.is_empty() => {
                self.root = Root::Slash;
                self.parts.push(Part::new("home"));
            }
            Root::Relative if self.parts.is_empty() => self.climbs += 1,
            Root::Slash | Root::Home(_) | Root::Drive(_) | Root::Share | Root::Relative | Root::Unknown => {
                self.parts.pop();
            }
        }
    }

    /// Takes away the beginnings that name the same place twice, such as `/private/etc`.
    fn fold(&mut self, cwd: Option<&Located<'a>>) {
        // Each is one of these words or one letter.
        if !matches!(self.text(0).as_bytes(), [b'p' | b'S' | b'm' | b'v', ..] | [_]) {
            return;
        }
        let mut skip = 0;
        while self.root == Root::Slash {
            match (self.text(skip), self.text(skip + 1), self.text(skip + 2)) {
                ("private", "etc" | "tmp" | "var", _) => skip += 1,
                ("System", "Volumes", "Data") => skip += 3,
                ("proc", _, "root") => skip += 3,
                ("proc", _, "cwd") => {
                    let rest = std::mem::replace(self, Self::HERE).parts;
                    self.begin_at(cwd);
                    rest[skip + 3..].iter().for_each(|part| self.along(part.text, Class::NONE));
                    return;
                }
                ("mnt", drive, _) if let Some(letter) = drive_letter(drive) => {
                    self.root = Root::Drive(letter);
                    skip += 2;
                }
                (drive, top, _)
                    if let Some(letter) = drive_letter(drive)
                        && is_windows_top(top) =>
                {
                    self.root = Root::Drive(letter);
                    skip += 1;
                }
                ("var", "run", _) => {
                    skip += 1;
                    break;
                }
                _ => break,
            }
        }
        self.parts.remove_first(skip);
    }

    fn text(&self, at: usize) -> &'a str {
        self.parts.get(at).map_or("", |part| part.text)
    }

    /// Reads the wildcards near either end. A longer run of them fits no file.
    fn read_wildcards(&mut self) {
        let length = self.parts.len();
        let (front, back) = self.parts.split_at_mut(WILD_PARTS_FRONT.min(length));
        let last = back.iter_mut().rev().filter(|part| part.wild).take(WILD_PARTS_BACK);
        for part in front.iter_mut().filter(|part| part.wild).chain(last) {
            if part.becomes.is_none() {
                part.becomes = u16::try_from(self.wilds.len()).ok();
                self.wilds.push(Wild::new(part.text));
            }
        }
    }

    /// What `part` of this path could become, if it holds wildcards and not too many others do.
    pub(super) fn wild(&self, part: &Part<'_>) -> Option<&Wild> {
        self.wilds.get(usize::from(part.becomes?))
    }

    /// Whether a row that says where it begins may begin at part `at`.
    pub(super) fn is_anchor(&self, at: usize) -> bool {
        [self.slash_at, self.home_at, self.drive_at, self.maybe_slash_at, self.maybe_home_at]
            .contains(&Some(at))
    }

    fn find_home(&self) -> Option<usize> {
        let is = |part: &Part<'_>, name: &'static str| match part.wild {
            false => name.eq_ignore_ascii_case(part.text),
            true => {
                let could_be = |wild| Name::new(name).could_be(part.text, wild, true);
                !part.is_any() && self.wild(part).is_some_and(could_be)
            }
        };
        let parts = &self.parts[..];
        // Such names begin with one of these letters, or with a wildcard.
        let may_be = |top: &Part<'_>| {
            top.wild
                || matches!(
                    top.text.as_bytes(),
                    [b'H' | b'h' | b'U' | b'u' | b'R' | b'r' | b'V' | b'v' | b'D' | b'd', ..]
                )
        };
        match (self.root, parts) {
            (Root::Home(_), _) => Some(0),
            (_, [top, ..]) if !may_be(top) => None,
            (Root::Slash, [top, _, ..]) if is(top, "home") || is(top, "Users") => Some(2),
            (Root::Slash, [top, ..]) if is(top, "root") => Some(1),
            (Root::Slash, [top, next, ..]) if is(top, "var") && is(next, "root") => Some(2),
            (Root::Drive(_), [top, _, ..]) if is(top, "Users") || is(top, "Documents and Settings") => {
                Some(2)
            }
            (Root::Slash | Root::Drive(_) | Root::Share | Root::Relative | Root::Unknown, _) => None,
        }
    }

    /// Where the parts beneath `outer` begin, if this is it or lies in it.
    pub(super) fn beneath(&self, outer: &Located<'_>) -> Option<usize> {
        let (mine, theirs) = match (self.root, outer.root, self.home_at, outer.home_at) {
            // `~` is taken to be the home directory that the other path is in.
            (Root::Home(""), _, Some(mine), Some(theirs)) | (_, Root::Home(""), Some(mine), Some(theirs)) => {
                (mine, theirs)
            }
            _ if self.root == outer.root => (0, 0),
            _ => return None,
        };
        let same = |mine: &Part<'_>, theirs: &Part<'_>| match self.root {
            // What was taken from there.
            _ if std::ptr::eq(mine.text, theirs.text) => true,
            Root::Drive(_) => mine.text.eq_ignore_ascii_case(theirs.text),
            Root::Slash | Root::Home(_) | Root::Share | Root::Relative | Root::Unknown => {
                mine.text == theirs.text
            }
        };
        let (inner, outer) = (self.parts.get(mine..)?, outer.parts.get(theirs..)?);
        let inside =
            inner.len() >= outer.len() && inner.iter().zip(outer).all(|(mine, theirs)| same(mine, theirs));
        inside.then_some(mine + outer.len())
    }
}

/// Windows ignores dots and spaces after a name, and `::$DATA` names the file itself.
// Few paths are of Windows: kept out of the loop over the others.
#[inline(never)]
fn windows_part(name: &str) -> Part<'_> {
    let name = name.find("::$").map_or(name, |at| &name[..at]);
    match name.trim_end_matches(['.', ' ']) {
        "" => Part::new(name),
        trimmed => Part::new(trimmed),
    }
}

/// The spelling that holds no encoding: a `file:` address becomes the path it names, and the `\\?\` of
/// Windows goes.
pub(super) fn plain(path: &str) -> Cow<'_, str> {
    let is_file = path.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:"));
    if !is_file {
        return match path.strip_prefix(r"\\?\").or_else(|| path.strip_prefix("//?/")) {
            Some(rest) => match rest.strip_prefix(r"UNC\") {
                Some(share) => Cow::Owned(format!(r"\\{share}")),
                None => Cow::Borrowed(rest),
            },
            None => Cow::Borrowed(path),
        };
    }
    let rest = &path[5..];
    let rest = match rest.strip_prefix("//") {
        Some(rest) if rest.starts_with(['/', '~', '.', '$', '%']) => rest,
        Some(rest) => match rest.find('/') {
            Some(at) if is_local(&rest[..at]) || is_drive(&rest[..at]) => {
                if is_drive(&rest[..at]) {
                    rest
                } else {
                    &rest[at..]
                }
            }
            _ => return Cow::Owned(format!(r"\\{}", percent_decoded(rest))),
        },
        None => rest,
    };
    // `file:///C:/…` has one slash too many.
    let rest = match rest.strip_prefix('/') {
        Some(after) if after.get(..2).is_some_and(is_drive) => after,
        _ => rest,
    };
    percent_decoded(rest)
}

fn percent_decoded(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return Cow::Borrowed(text);
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let code = match after {
            [high, low, ..] if byte == b'%' => hex(*high).zip(hex(*low)),
            _ => None,
        };
        match code {
            Some((high, low)) => {
                bytes.push(high << 4 | low);
                rest = &after[2..];
            }
            None => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

fn is_local(server: &str) -> bool {
    server.is_empty()
        || ["localhost", "127.0.0.1", ".", "?", "wsl$", "wsl.localhost"]
            .iter()
            .any(|name| server.eq_ignore_ascii_case(name))
}

fn is_drive(text: &str) -> bool {
    matches!(text.as_bytes(), [letter, b':'] if letter.is_ascii_alphabetic())
}

fn drive_letter(name: &str) -> Option<char> {
    match name.as_bytes() {
        [letter] if letter.is_ascii_alphabetic() => Some(char::from(letter.to_ascii_uppercase())),
        _ => None,
    }
}

fn is_windows_top(name: &str) -> bool {
    ["Users", "Windows", "Program Files", "Program Files (x86)", "ProgramData"]
        .iter()
        .any(|top| name.eq_ignore_ascii_case(top))
}

/// The usual value of the variable that `part` consists of.
fn variable(part: &str) -> Option<&'static str> {
    let name = match part.as_bytes() {
        [b'$', b'{', .., b'}'] => &part[2..part.len() - 1],
        [b'$', ..] => &part[1..],
        [b'%', .., b'%'] if part.len() > 2 => &part[1..part.len() - 1],
        _ => return None,
    };
    let name = match name.get(..4) {
        Some(prefix) if prefix.eq_ignore_ascii_case("env:") => &name[4..],
        _ => name,
    };
    VARIABLES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| *value)
}
