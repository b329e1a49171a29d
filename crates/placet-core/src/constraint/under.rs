//! `under`: the value is an absolute path that is a directory or lies in it, by its letters.

use std::borrow::Cow;

use super::{
    Check, InvalidConstraint, bounded,
    spelling::{Strictness, carelessly_read, is_dots},
};
use crate::{effect, json::excerpt};

/// A path in a directory, or the directory itself.
///
/// `.` and `..` are worked out by the letters alone. A relative path and one with a NUL in it have no answer. A path
/// that is spelled through an alias of the file system, such as `/proc/self/root/etc`, and lies in the directory in one
/// spelling but not in the other, has none either. What grants also asks where a careless reader would arrive, to whom
/// backslashes are slashes and percent signs mean something, and gives no answer to a path that begins with two slashes,
/// which may be on another machine, or that goes through a descriptor or the working directory of a process.
///
/// Letters do not know symbolic links. An adapter that can touch the disk first replaces the path in the call by what
/// it resolves to (`realpath` of the longest part that exists), checks that, and lets the tool act on the resolved
/// path; only then does `under` speak of the file and not of its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Under {
    /// Absolute and normal, without a slash at the end unless it is `/`.
    directory: String,
    strictness: Strictness,
}

impl Under {
    /// Paths in `directory`, for what grants.
    pub fn new(directory: &str) -> Result<Self, InvalidConstraint> {
        Self::with(directory, Strictness::Strict)
    }

    /// Paths in `directory`.
    pub fn with(directory: &str, strictness: Strictness) -> Result<Self, InvalidConstraint> {
        let shown = excerpt(bounded(directory)?);
        match normal(directory) {
            Ok(normal) if aliased(&normal).is_some_and(|other| other != normal) => {
                Err(InvalidConstraint::new(format!(
                    "`{shown}` is another name for `{}`; write that",
                    excerpt(&aliased(&normal).unwrap_or_default())
                )))
            }
            Ok(normal) => Ok(Self { directory: normal.into_owned(), strictness }),
            Err(found) => Err(InvalidConstraint::new(format!(
                "`{shown}` is {found}; write the whole path, such as `/srv/data`"
            ))),
        }
    }

    /// The directory.
    pub fn as_str(&self) -> &str {
        &self.directory
    }

    /// Whether `path`, which must be [`normal`], lies in the directory.
    pub fn holds(&self, path: &str) -> bool {
        let directory = self.directory.as_str();
        directory == "/"
            || path.strip_prefix(directory).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    pub(super) fn check_text(&self, text: &str) -> Check {
        let path = match normal(text) {
            Ok(path) => path,
            Err(found) => return Check::Mismatch { expected: "an absolute path", found },
        };
        let inside = self.holds(&path);
        let several = |found| Check::Mismatch { expected: "a path with one meaning", found };
        if aliased(&path).is_some_and(|other| self.holds(&other) != inside) {
            return several("a path that goes through an alias");
        }
        match self.strictness {
            Strictness::Lenient => Check::of(inside),
            Strictness::Strict => match self.other_meaning(text, &path, inside) {
                Some(found) => several(found),
                None => Check::of(inside),
            },
        }
    }

    /// Why `text`, which is `path` by its letters, may lead out of the directory though it is `inside`, or into it though
    /// it is not.
    fn other_meaning(&self, text: &str, path: &str, inside: bool) -> Option<&'static str> {
        if text.starts_with("//") && !text.starts_with("///") {
            return Some("a path that begins with two slashes");
        }
        if self.directory != "/" && leads_anywhere(path) {
            return Some("a path that goes through a process");
        }
        // Most paths have only one spelling.
        if !text.bytes().any(|byte| matches!(byte, b'\\' | b'%' | b' ' | b';')) {
            return None;
        }
        let careless = carelessly_read(text);
        // What climbs only for some readers arrives somewhere else for each of them.
        let plain_dots = text.split('/').filter(|name| matches!(*name, "." | "..")).count();
        if careless.split('/').filter(|name| is_dots(name)).count() > plain_dots {
            return Some("a path with `.` or `..` that not every program sees");
        }
        match normal(&careless) {
            Ok(other) if self.holds(&other) == inside => None,
            Ok(_) | Err(_) => Some("a path with backslashes or percent signs that may be read in two ways"),
        }
    }

    pub(super) fn longest_name(&self) -> Option<&str> {
        self.directory.split('/').max_by_key(|name| name.len()).filter(|name| !name.is_empty())
    }
}

/// `path` without `.`, `..`, doubled slashes and a slash at the end; what it is instead if it is no absolute path.
pub fn normal(path: &str) -> Result<Cow<'_, str>, &'static str> {
    if path.contains(['\0', effect::path::HOLE]) {
        return Err("a path with a control character");
    }
    let Some(inner) = path.strip_prefix('/') else {
        return Err("a relative path");
    };
    if inner.is_empty() || inner.split('/').all(|part| !matches!(part, "" | "." | "..")) {
        return Ok(Cow::Borrowed(path));
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in inner.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    Ok(Cow::Owned(format!("/{}", parts.join("/"))))
}

/// `path` as the tables of known files spell it, if it begins like something with two names.
fn aliased(path: &str) -> Option<String> {
    let first = path[1..].split('/').next().unwrap_or("");
    let may_be = matches!(first, "private" | "System" | "proc" | "mnt" | "var") || first.len() == 1;
    may_be.then(|| effect::path::join("/", path)).filter(|other| other.starts_with('/'))
}

/// Whether a normal path goes through what some process has open or where it works, which no letters tell.
fn leads_anywhere(path: &str) -> bool {
    if !path.starts_with("/dev/fd") && !path.starts_with("/proc/") {
        return false;
    }
    let mut names = path[1..].split('/');
    matches!(
        (names.next(), names.next(), names.next()),
        (Some("dev"), Some("fd"), _) | (Some("proc"), Some(_), Some("cwd" | "fd" | "map_files" | "task"))
    )
}
