//! What effects may reach: verbs, and the targets they may touch.

use std::{borrow::Cow, net::IpAddr};

use super::{
    cbor::{DecodeError, Reader, Writer},
    wire::{self, Budget},
};
use crate::{
    Effect,
    constraint::Constraint,
    effect::{Manner, TargetKind, Verb},
};

/// A verb with the targets it may touch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reach {
    /// The verb. Never [`Verb::Opaque`]: what cannot be read is never within reach.
    pub verb: Verb,
    /// What it may touch; empty for nothing.
    pub targets: Vec<TargetPattern>,
}

impl Reach {
    /// Whether it says what may be touched.
    pub fn is_limited(&self) -> bool {
        self.targets.iter().all(|target| target.about != About::Anything)
    }
}

/// Some targets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetPattern {
    /// What the constraint is about.
    pub about: About,
    /// What is true of it.
    pub constraint: Constraint,
}

/// Which value of a target a constraint is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum About {
    /// Nothing in particular: every target will do.
    Anything,
    /// The path of a file.
    Path,
    /// The host of an address, in lower case.
    Host,
    /// The name of whatever else: a program, a person, a table.
    Name,
}

/// The verbs as they are numbered on the wire.
pub(crate) const VERBS: &[(Verb, &str)] = &[
    (Verb::Read, "read"),
    (Verb::Write, "write"),
    (Verb::Delete, "delete"),
    (Verb::Execute, "execute"),
    (Verb::Send, "send"),
    (Verb::Spend, "spend"),
    (Verb::Grant, "grant"),
    (Verb::Install, "install"),
    (Verb::Schedule, "schedule"),
    (Verb::Delegate, "delegate"),
    (Verb::Configure, "configure"),
];

/// The word for `verb` in the grammar of slips.
pub(super) fn word(verb: Verb) -> &'static str {
    VERBS.iter().find(|(own, _)| *own == verb).map_or("opaque", |(_, word)| word)
}

impl Reach {
    /// Whether `effect`, which must have this verb, touches only what it may.
    pub fn covers(&self, effect: &Effect) -> bool {
        self.verb == effect.verb && self.targets.iter().any(|target| target.covers(effect))
    }

    /// What may be done, in words: ``send to hosts like `*.example.com` ``.
    pub fn describe(&self) -> String {
        self.described("")
    }

    /// The same where other verbs are free: ``send only to hosts like `*.example.com` ``.
    pub fn describe_limit(&self) -> String {
        self.described("only ")
    }

    fn described(&self, only: &str) -> String {
        if self.targets.is_empty() {
            return format!("no {}", word(self.verb));
        }
        let to = match self.verb {
            Verb::Send | Verb::Grant | Verb::Delegate => "to ",
            _ => "",
        };
        let targets: Vec<String> = self.targets.iter().map(TargetPattern::describe).collect();
        format!("{} {only}{to}{}", word(self.verb), targets.join(" or "))
    }

    pub(super) fn write(&self, to: &mut Writer) {
        let verb = VERBS.iter().position(|(verb, _)| *verb == self.verb).unwrap_or(VERBS.len());
        to.array(2).uint(verb as u64).array(self.targets.len());
        for target in &self.targets {
            let about = match target.about {
                About::Anything => 0,
                About::Path => 1,
                About::Host => 2,
                About::Name => 3,
            };
            to.array(2).uint(about);
            wire::write(&target.constraint, to);
        }
    }

    pub(super) fn read(from: &mut Reader<'_>, budget: &mut Budget) -> Result<Self, DecodeError> {
        from.array_of(2)?;
        let verb = usize::try_from(from.uint()?).ok().and_then(|number| VERBS.get(number));
        let Some((verb, _)) = verb else { return from.refuse("a verb is not known") };
        let mut targets = Vec::new();
        for _ in 0..from.array()? {
            from.array_of(2)?;
            let about = match from.uint()? {
                0 => About::Anything,
                1 => About::Path,
                2 => About::Host,
                3 => About::Name,
                _ => return from.refuse("a kind of target is not known"),
            };
            let constraint = wire::read(from, budget, 0)?;
            if about == About::Anything && constraint != Constraint::AnyValue {
                return from.refuse("a constraint is about nothing");
            }
            targets.push(TargetPattern { about, constraint });
        }
        Ok(Self { verb: *verb, targets })
    }
}

impl TargetPattern {
    /// Every target.
    pub const ANYTHING: Self = Self { about: About::Anything, constraint: Constraint::AnyValue };

    fn covers(&self, effect: &Effect) -> bool {
        let target = &effect.target;
        match self.about {
            About::Anything => true,
            About::Path => {
                target.kind == TargetKind::Path
                    && (self.constraint == Constraint::AnyValue
                        || !may_climb(&target.name) && self.constraint.check_text(&target.name).is_yes())
            }
            About::Host => {
                matches!(target.kind, TargetKind::Url | TargetKind::Host)
                    && !effect.manner.has(Manner::HIDDEN)
                    && host_of(&target.name).is_some_and(|host| self.constraint.check_text(&host).is_yes())
            }
            About::Name => match target.kind {
                TargetKind::Command
                | TargetKind::Person
                | TargetKind::Channel
                | TargetKind::Account
                | TargetKind::Table
                | TargetKind::Service
                | TargetKind::Session => self.constraint.check_text(&target.name).is_yes(),
                TargetKind::Path | TargetKind::Url | TargetKind::Host | TargetKind::Unknown => false,
            },
        }
    }

    /// In words.
    pub fn describe(&self) -> String {
        match self.about {
            About::Anything => "anything".to_owned(),
            About::Path => described_as("file", &self.constraint),
            About::Host => described_as("host", &self.constraint),
            About::Name => format!("what is called {}", self.constraint.describe()),
        }
    }
}

/// Things of a kind that `constraint` is true of: ``files under `/srv` ``, ``the host `example.com` ``.
fn described_as(thing: &str, constraint: &Constraint) -> String {
    match constraint {
        Constraint::Under(_) | Constraint::Glob(_) => format!("{thing}s {}", constraint.describe()),
        Constraint::Exact(_) => format!("the {thing} {}", constraint.describe()),
        Constraint::Cidr(network) => format!("{thing}s in `{network}`"),
        other => format!("any {thing} that is {}", other.describe()),
    }
}

/// Whether a path as it was read may lead out of the directories that it names: a part of it is not known (`/srv/$X`,
/// which is `/srv/…` here), or a wildcard in it may stand for `..`, as some shells let `.?` and `@(..)` do.
fn may_climb(path: &str) -> bool {
    let may_be_dots = |part: &str| {
        let is_wild =
            part.contains(['*', '?']) && part.chars().all(|letter| matches!(letter, '.' | '*' | '?'));
        part.starts_with('.') && (is_wild || part.contains('['))
    };
    let has_pattern = ["@(", "+(", "*(", "?(", "!("].iter().any(|pattern| path.contains(pattern));
    path.contains('…') || has_pattern || path.split('/').any(may_be_dots)
}

/// The host in the name of an address, in lower case. Nothing if it is not plain to see.
pub(crate) fn host_of(name: &str) -> Option<Cow<'_, str>> {
    let after = name.split_once("://").map_or(name, |(_, after)| after);
    let authority = &after[..after.find(['/', '?', '#']).unwrap_or(after.len())];
    if authority.contains('\\') {
        return None;
    }
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let host = match host.strip_prefix('[') {
        Some(inner) => inner.split_once(']')?.0,
        None if host.matches(':').count() == 1 => host.split_once(':')?.0,
        None => host,
    };
    let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '.' | '_');
    let is_host = !host.is_empty() && host.chars().all(plain) || host.parse::<IpAddr>().is_ok();
    if !is_host {
        return None;
    }
    let host = host.strip_suffix('.').unwrap_or(host);
    if host.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Some(Cow::Owned(host.to_ascii_lowercase()));
    }
    Some(Cow::Borrowed(host))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_found_where_they_are_plain() {
        for (name, host) in [
            ("https://API.Example.com:8443/x?y", Some("api.example.com")),
            ("example.com", Some("example.com")),
            ("git@example.com:repo.git", Some("example.com")),
            ("…@example.com", Some("example.com")),
            ("[2001:db8::1]:22", Some("2001:db8::1")),
            ("http://10.0.0.1/", Some("10.0.0.1")),
            ("another machine", None),
            ("https://…/x", None),
            ("https://a\\@b/", None),
            ("a,b", None),
            ("", None),
        ] {
            assert_eq!(host_of(name).as_deref(), host, "{name}");
        }
    }
}
