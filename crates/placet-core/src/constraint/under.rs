//! `under`: the value is an absolute path that is a directory or lies in it, by its letters.

use std::borrow::Cow;

use super::{Check, InvalidConstraint, bounded};
use crate::{effect, json::excerpt};

/// A path in a directory, or the directory itself.
///
/// `.` and `..` are worked out by the letters alone. A relative path and one with a NUL in it have no answer. A path
/// that is spelled through an alias of the file system, such as `/proc/self/root/etc`, and lies in the directory in one
/// spelling but not in the other, has none either.
///
/// Letters do not know symbolic links. An adapter that can touch the disk first replaces the path in the call by what
/// it resolves to (`realpath` of the longest part that exists), checks that, and lets the tool act on the resolved
/// path; only then does `under` speak of the file and not of its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Under(String); // Invariant: absolute and normal, without a slash at the end unless it is `/`.

impl Under {
    /// Paths in `directory`.
    pub fn new(directory: &str) -> Result<Self, InvalidConstraint> {
        let shown = excerpt(bounded(directory)?);
        match normal(directory) {
            Ok(normal) if aliased(&normal).is_some_and(|other| other != normal) => {
                Err(InvalidConstraint::new(format!(
                    "`{shown}` is another name for `{}`; write that",
                    excerpt(&aliased(&normal).unwrap_or_default())
                )))
            }
            Ok(normal) => Ok(Self(normal.into_owned())),
            Err(found) => Err(InvalidConstraint::new(format!(
                "`{shown}` is {found}; write the whole path, such as `/srv/data`"
            ))),
        }
    }

    /// The directory.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether `path`, which must be [`normal`], lies in the directory.
    pub fn holds(&self, path: &str) -> bool {
        self.0 == "/"
            || path.strip_prefix(self.0.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    pub(super) fn check_text(&self, text: &str) -> Check {
        let path = match normal(text) {
            Ok(path) => path,
            Err(found) => return Check::Mismatch { expected: "an absolute path", found },
        };
        let inside = self.holds(&path);
        match aliased(&path) {
            Some(other) if self.holds(&other) != inside => Check::Mismatch {
                expected: "a path with one meaning",
                found: "a path that goes through an alias",
            },
            Some(_) | None => Check::of(inside),
        }
    }

    pub(super) fn longest_name(&self) -> Option<&str> {
        self.0.split('/').max_by_key(|name| name.len()).filter(|name| !name.is_empty())
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
