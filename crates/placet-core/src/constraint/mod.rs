//! Constraints: what a value may be. Rules and warrants share them.
//!
//! A constraint is typed: 5 is not `"5"`, and asking whether a number lies under a path has no answer. So a check
//! has three results, and [`Check::Mismatch`] is neither yes nor no: `not` of it is a mismatch too, and whoever
//! grants something takes everything but a yes for a refusal. Each check takes time linear in the value, and none
//! looks at a disk, a clock or a network.

mod any_value;

mod exact;

mod one_of;

mod not_one_of;

mod glob;

mod regex;

mod range;

mod under;

mod url;

mod url_safe;

mod cidr;

mod contains;

mod subset;

mod argv;

mod length;

mod all;

mod any;

mod not;

mod data;

mod plain_command;

mod public_address;

mod spelling;

mod web;

use crate::{Json, json::excerpt};

pub use self::{
    all::All,
    any::Any,
    argv::Argv,
    cidr::Cidr,
    contains::Contains,
    exact::Exact,
    glob::Glob,
    length::Length,
    not::Not,
    not_one_of::NotOneOf,
    one_of::OneOf,
    range::{Bound, Range, compare},
    regex::{Anchor, BEYOND_ASCII, Regex},
    spelling::Strictness,
    subset::Subset,
    under::{Under, normal},
    url::Url,
};
pub use data::{OPERATORS, parse};

/// The deepest nesting of `all`, `any` and `not`.
pub const DEPTH_MAX: usize = 16;
/// The most constraints within one.
pub const NODES_MAX: usize = 1024;
/// The most values in one list.
pub const LIST_MAX: usize = 1024;
/// The longest text in a constraint, in bytes.
pub const TEXT_MAX: usize = 4096;

/// What a value may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Constraint {
    /// Anything.
    AnyValue,
    /// Exactly this.
    Exact(Exact),
    /// One of these.
    OneOf(OneOf),
    /// None of these.
    NotOneOf(NotOneOf),
    /// Text of this shape, with wildcards.
    Glob(Glob),
    /// Text that a pattern matches.
    Regex(Regex),
    /// A number between bounds.
    Range(Range),
    /// A path in a directory.
    Under(Under),
    /// A web address of this shape.
    Url(Url),
    /// A web address on the public internet.
    UrlSafe,
    /// A network address in a range.
    Cidr(Cidr),
    /// Text or a list with this in it.
    Contains(Contains),
    /// A list of nothing but these.
    Subset(Subset),
    /// One command: a program, its sub-commands and its flags.
    Argv(Argv),
    /// Text or a list of this length.
    Length(Length),
    /// All of these at once.
    All(All),
    /// At least one of these.
    Any(Any),
    /// Not this.
    Not(Not),
}

/// What came of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// The value is what the constraint says.
    Yes,
    /// It is not.
    No,
    /// The question does not fit the value: it is of another kind, or has more than one reading.
    Mismatch {
        /// What could have been checked, such as `a number`.
        expected: &'static str,
        /// What was there.
        found: &'static str,
    },
}

impl Check {
    /// Yes if `truth`, else no.
    pub fn of(truth: bool) -> Self {
        if truth { Check::Yes } else { Check::No }
    }

    /// Whether it is a yes. Whoever grants something asks this and nothing else.
    pub fn is_yes(self) -> bool {
        self == Check::Yes
    }

    /// `value` is not what could be checked.
    fn mismatch(expected: &'static str, value: &Json) -> Self {
        Check::Mismatch { expected, found: kind(value) }
    }
}

/// The kind of `value` in words.
fn kind(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "true or false",
        Json::Number(_) => "a number",
        Json::String(_) => "text",
        Json::Array(_) => "a list",
        Json::Object(_) => "an object",
    }
}

impl Constraint {
    /// Whether `value` is what this says.
    pub fn check(&self, value: &Json) -> Check {
        match self {
            Self::AnyValue => any_value::check(),
            Self::Exact(exact) => exact.check(value),
            Self::OneOf(one_of) => one_of.check(value),
            Self::NotOneOf(not_one_of) => not_one_of.check(value),
            Self::Range(range) => range.check(value),
            Self::Contains(contains) => contains.check(value),
            Self::Subset(subset) => subset.check(value),
            Self::Argv(argv) => argv.check(value),
            Self::Length(length) => length.check(value),
            Self::All(all) => all.check(|constraint| constraint.check(value)),
            Self::Any(any) => any.check(|constraint| constraint.check(value)),
            Self::Not(not) => not.check(|constraint| constraint.check(value)),
            Self::Glob(_)
            | Self::Regex(_)
            | Self::Under(_)
            | Self::Url(_)
            | Self::UrlSafe
            | Self::Cidr(_) => match value {
                Json::String(text) => self.check_text(text),
                Json::Null | Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_) => {
                    Check::mismatch("text", value)
                }
            },
        }
    }

    /// Whether `text` is what this says: [`check`](Self::check) for a value that is text.
    pub fn check_text(&self, text: &str) -> Check {
        match self {
            Self::AnyValue => any_value::check(),
            Self::Exact(exact) => exact.check_text(text),
            Self::OneOf(one_of) => one_of.check_text(text),
            Self::NotOneOf(not_one_of) => not_one_of.check_text(text),
            Self::Glob(glob) => glob.check_text(text),
            Self::Regex(regex) => regex.check_text(text),
            Self::Range(_) => Check::Mismatch { expected: "a number", found: "text" },
            Self::Under(under) => under.check_text(text),
            Self::Url(url) => url.check_text(text),
            Self::UrlSafe => url_safe::check_text(text),
            Self::Cidr(cidr) => cidr.check_text(text),
            Self::Contains(contains) => contains.check_text(text),
            Self::Subset(_) => Check::Mismatch { expected: "a list", found: "text" },
            Self::Argv(argv) => argv.check_text(text),
            Self::Length(length) => length.check_text(text),
            Self::All(all) => all.check(|constraint| constraint.check_text(text)),
            Self::Any(any) => any.check(|constraint| constraint.check_text(text)),
            Self::Not(not) => not.check(|constraint| constraint.check_text(text)),
        }
    }

    /// What it says, to go on after "is", "must be" or a name: ``under `/srv` ``.
    pub fn describe(&self) -> String {
        match self {
            Self::AnyValue => "anything".to_owned(),
            Self::Exact(exact) => shown(exact.value()),
            Self::OneOf(one_of) => one_of.describe(),
            Self::NotOneOf(not_one_of) => not_one_of.describe(),
            Self::Glob(glob) => format!("like `{}`", excerpt(glob.as_str())),
            Self::Regex(regex) => regex.describe(),
            Self::Range(range) => range.describe(),
            Self::Under(under) => format!("under `{}`", excerpt(under.as_str())),
            Self::Url(url) => format!("an address like `{}`", excerpt(url.as_str())),
            Self::UrlSafe => "an address on the public internet".to_owned(),
            Self::Cidr(cidr) => format!("a network address in `{cidr}`"),
            Self::Contains(contains) => format!("something that contains {}", shown(contains.value())),
            Self::Subset(subset) => subset.describe(),
            Self::Argv(argv) => format!("the command `{}`", excerpt(argv.as_str())),
            Self::Length(length) => length.describe(),
            Self::All(all) => described(all.members(), " and "),
            Self::Any(any) => described(any.members(), " or "),
            Self::Not(not) => format!("not {}", bracketed(not.inner())),
        }
    }

    /// Texts of which at least one occurs, in some mixture of case, in every text that this says yes to, [`BEYOND_ASCII`]
    /// for any character that is not ASCII; none if that is not known. For an index that passes over what cannot match.
    pub fn required_literals(&self) -> Option<Vec<String>> {
        let literals = match self {
            Self::Exact(exact) => vec![exact.value().as_str()?.to_owned()],
            Self::OneOf(one_of) => one_of
                .values()
                .iter()
                .map(|value| value.as_str().map(str::to_owned))
                .collect::<Option<Vec<_>>>()?,
            Self::Glob(glob) => vec![glob.longest_literal()?],
            Self::Regex(regex) => regex.required_literals()?,
            Self::Under(under) => vec![under.longest_name()?.to_owned()],
            Self::Contains(contains) => vec![contains.value().as_str()?.to_owned()],
            Self::All(all) => {
                let known = all.members().iter().filter_map(Self::required_literals);
                known.max_by_key(|literals| literals.iter().map(String::len).min())?
            }
            Self::Any(any) => any
                .members()
                .iter()
                .map(Self::required_literals)
                .collect::<Option<Vec<_>>>()?
                .into_iter()
                .flatten()
                .collect(),
            Self::AnyValue
            | Self::NotOneOf(_)
            | Self::Range(_)
            | Self::Url(_)
            | Self::UrlSafe
            | Self::Cidr(_)
            | Self::Subset(_)
            | Self::Argv(_)
            | Self::Length(_)
            | Self::Not(_) => return None,
        };
        let useful = !literals.is_empty() && literals.iter().all(|literal| !literal.is_empty());
        useful.then_some(literals)
    }

    /// Whether its patterns fit into what a pattern may take.
    pub fn check_patterns(&self) -> Result<(), InvalidConstraint> {
        match self {
            Self::Regex(regex) => regex.check(),
            other => other.members().iter().try_for_each(Self::check_patterns),
        }
    }

    /// How deeply it is nested; a constraint without others in it is 1.
    pub fn depth(&self) -> usize {
        1 + self.members().iter().map(Self::depth).max().unwrap_or(0)
    }

    /// How many constraints it is made of, itself included.
    pub fn nodes(&self) -> usize {
        1 + self.members().iter().map(Self::nodes).sum::<usize>()
    }

    /// The constraints it is made of.
    pub fn members(&self) -> &[Constraint] {
        match self {
            Self::All(all) => all.members(),
            Self::Any(any) => any.members(),
            Self::Not(not) => std::slice::from_ref(not.inner()),
            Self::AnyValue
            | Self::Exact(_)
            | Self::OneOf(_)
            | Self::NotOneOf(_)
            | Self::Glob(_)
            | Self::Regex(_)
            | Self::Range(_)
            | Self::Under(_)
            | Self::Url(_)
            | Self::UrlSafe
            | Self::Cidr(_)
            | Self::Contains(_)
            | Self::Subset(_)
            | Self::Argv(_)
            | Self::Length(_) => &[],
        }
    }
}

/// `value` for people, cut short if it is long.
pub(crate) fn shown(value: &Json) -> String {
    match value {
        Json::String(text) => format!("`{}`", excerpt(text)),
        other => format!("`{}`", excerpt(&crate::canonical::to_string(other))),
    }
}

/// Some of `values`, with how many there are beyond them.
fn listed(values: &[Json]) -> String {
    const SHOWN_MAX: usize = 8;
    let mut list = values.iter().take(SHOWN_MAX).map(shown).collect::<Vec<_>>().join(", ");
    if values.len() > SHOWN_MAX {
        list.push_str(&format!(" and {} more", values.len() - SHOWN_MAX));
    }
    list
}

fn described(members: &[Constraint], link: &str) -> String {
    members.iter().map(bracketed).collect::<Vec<_>>().join(link)
}

fn bracketed(constraint: &Constraint) -> String {
    match constraint {
        Constraint::All(_) | Constraint::Any(_) => format!("({})", constraint.describe()),
        _ => constraint.describe(),
    }
}

/// Why something is not a constraint, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidConstraint(String);

impl InvalidConstraint {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

/// `text`, if it is not longer than a constraint may hold.
fn bounded(text: &str) -> Result<&str, InvalidConstraint> {
    if text.len() > TEXT_MAX {
        return Err(InvalidConstraint::new(format!(
            "text of {} bytes is longer than the {TEXT_MAX} a constraint may hold",
            text.len()
        )));
    }
    Ok(text)
}

/// `value`, if it is not larger than a constraint may hold.
fn bounded_value(value: Json) -> Result<Json, InvalidConstraint> {
    let bytes = crate::canonical::to_string(&value).len();
    if bytes > TEXT_MAX {
        return Err(InvalidConstraint::new(format!(
            "a value of {bytes} bytes is longer than the {TEXT_MAX} a constraint may hold"
        )));
    }
    Ok(value)
}

/// `values`, if there are some and not too many.
fn bounded_list(values: Vec<Json>) -> Result<Vec<Json>, InvalidConstraint> {
    if values.is_empty() {
        return Err(InvalidConstraint::new("the list is empty; name at least one value"));
    }
    if values.len() > LIST_MAX {
        return Err(InvalidConstraint::new(format!(
            "a list of {} values is longer than the {LIST_MAX} allowed",
            values.len()
        )));
    }
    values.into_iter().map(bounded_value).collect()
}

/// `members`, if there are some, not too many, and not too deep.
fn bounded_members(members: Vec<Constraint>) -> Result<Vec<Constraint>, InvalidConstraint> {
    if members.is_empty() {
        return Err(InvalidConstraint::new("nothing to combine; name at least one constraint"));
    }
    if members.iter().map(Constraint::depth).max().unwrap_or(0) >= DEPTH_MAX {
        return Err(InvalidConstraint::new(format!("constraints are nested deeper than {DEPTH_MAX}")));
    }
    if members.iter().map(Constraint::nodes).sum::<usize>() >= NODES_MAX {
        return Err(InvalidConstraint::new(format!("more than {NODES_MAX} constraints in one")));
    }
    Ok(members)
}
