//! Constraints on the wire: `[operator, …]`.

use super::cbor::{DEPTH_MAX, DecodeError, Reader, Writer};
use crate::{
    Json,
    constraint::{
        All, Anchor, Any, Argv, Bound, Cidr, Constraint, Contains, Exact, Glob, InvalidConstraint, Length,
        Not, NotOneOf, OneOf, Range, Regex, Subset, Under, Url,
    },
};

pub(super) fn write(constraint: &Constraint, to: &mut Writer) {
    match constraint {
        Constraint::AnyValue => drop(to.array(1).uint(0)),
        Constraint::Exact(exact) => drop(to.array(2).uint(1).json(exact.value())),
        Constraint::OneOf(one_of) => write_values(2, one_of.values(), to),
        Constraint::NotOneOf(not_one_of) => write_values(3, not_one_of.values(), to),
        Constraint::Glob(glob) => drop(to.array(2).uint(4).text(glob.as_str())),
        Constraint::Regex(regex) => drop(to.array(2).uint(5).text(regex.as_str())),
        Constraint::Range(range) => {
            to.array(3).uint(6);
            for bound in [range.min(), range.max()] {
                match bound {
                    None => to.null(),
                    Some(bound) => to.array(2).number(bound.number).bool(bound.included),
                };
            }
        }
        Constraint::Under(under) => drop(to.array(2).uint(7).text(under.as_str())),
        Constraint::Url(url) => drop(to.array(2).uint(8).text(url.as_str())),
        Constraint::UrlSafe => drop(to.array(1).uint(9)),
        Constraint::Cidr(cidr) => drop(to.array(2).uint(10).text(&cidr.to_string())),
        Constraint::Contains(contains) => drop(to.array(2).uint(11).json(contains.value())),
        Constraint::Subset(subset) => write_values(12, subset.values(), to),
        Constraint::Argv(argv) => drop(to.array(2).uint(13).text(argv.as_str())),
        Constraint::Length(length) => {
            to.array(3).uint(14).uint(length.min());
            match length.max() {
                None => to.null(),
                Some(max) => to.uint(max),
            };
        }
        Constraint::All(all) => write_members(15, all.members(), to),
        Constraint::Any(any) => write_members(16, any.members(), to),
        Constraint::Not(not) => {
            to.array(2).uint(17);
            write(not.inner(), to);
        }
    }
}

fn write_values(operator: u64, values: &[Json], to: &mut Writer) {
    to.array(2).uint(operator).array(values.len());
    for value in values {
        to.json(value);
    }
}

fn write_members(operator: u64, members: &[Constraint], to: &mut Writer) {
    to.array(2).uint(operator).array(members.len());
    for member in members {
        write(member, to);
    }
}

/// How much work reading constraints may still cause: patterns have to be compiled.
pub(super) struct Budget {
    pub regexes: usize,
}

pub(super) fn read(
    from: &mut Reader<'_>,
    budget: &mut Budget,
    depth: usize,
) -> Result<Constraint, DecodeError> {
    if depth > DEPTH_MAX {
        return from.refuse("constraints are nested too deeply");
    }
    let length = from.array()?;
    let operator = from.uint()?;
    let expected = match operator {
        0 | 9 => 1,
        6 | 14 => 3,
        _ => 2,
    };
    if length != expected {
        return from.refuse("a constraint has the wrong length");
    }
    let made = match operator {
        0 => Ok(Constraint::AnyValue),
        1 => Exact::new(from.json(depth)?).map(Constraint::Exact),
        2 => OneOf::new(read_values(from, depth)?).map(Constraint::OneOf),
        3 => NotOneOf::new(read_values(from, depth)?).map(Constraint::NotOneOf),
        4 => Glob::new(from.text()?).map(Constraint::Glob),
        5 => {
            budget.regexes = match budget.regexes.checked_sub(1) {
                Some(left) => left,
                None => return from.refuse("there are too many patterns"),
            };
            Regex::new(from.text()?, Anchor::Whole).map(Constraint::Regex)
        }
        6 => {
            let (min, max) = (read_bound(from)?, read_bound(from)?);
            Range::new(min, max).map(Constraint::Range)
        }
        7 => Under::new(from.text()?).map(Constraint::Under),
        8 => Url::new(from.text()?).map(Constraint::Url),
        9 => Ok(Constraint::UrlSafe),
        10 => Cidr::new(from.text()?).map(Constraint::Cidr),
        11 => Contains::new(from.json(depth)?).map(Constraint::Contains),
        12 => Subset::new(read_values(from, depth)?).map(Constraint::Subset),
        13 => Argv::new(from.text()?).map(Constraint::Argv),
        14 => {
            let min = from.uint()?;
            let max = if from.is_null() { from.null().map(|()| None)? } else { Some(from.uint()?) };
            Length::new(Some(min), max).map(Constraint::Length)
        }
        15 => All::new(read_members(from, budget, depth)?).map(Constraint::All),
        16 => Any::new(read_members(from, budget, depth)?).map(Constraint::Any),
        17 => Not::new(read(from, budget, depth + 1)?).map(Constraint::Not),
        _ => return from.refuse("a constraint has an unknown operator"),
    };
    made.or_else(|_: InvalidConstraint| from.refuse("a constraint is not valid"))
}

fn read_values(from: &mut Reader<'_>, depth: usize) -> Result<Vec<Json>, DecodeError> {
    let length = from.array()?;
    (0..length).map(|_| from.json(depth + 1)).collect()
}

fn read_members(
    from: &mut Reader<'_>,
    budget: &mut Budget,
    depth: usize,
) -> Result<Vec<Constraint>, DecodeError> {
    let length = from.array()?;
    (0..length).map(|_| read(from, budget, depth + 1)).collect()
}

fn read_bound(from: &mut Reader<'_>) -> Result<Option<Bound>, DecodeError> {
    if from.is_null() {
        return from.null().map(|()| None);
    }
    from.array_of(2)?;
    Ok(Some(Bound { number: from.number()?, included: from.bool()? }))
}
