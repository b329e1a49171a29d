//! Constraints as data: how they stand in YAML and JSON.
//!
//! A plain value means itself and a list one of its values. A map names operators; several in one map must all hold.

use super::{
    All, Anchor, Any, Argv, Bound, Cidr, Constraint, Contains, DEPTH_MAX, Exact, Glob, InvalidConstraint,
    Length, Not, NotOneOf, OneOf, Range, Regex, Strictness, Subset, Under, Url,
};
use crate::{
    Json,
    json::{Number, Object, excerpt},
    located::{Key, Located, LocatedError, Value, nearest},
};

/// The operators by the names they have in data.
pub const OPERATORS: &[&str] = &[
    "all",
    "any",
    "any_value",
    "argv",
    "cidr",
    "contains",
    "exact",
    "glob",
    "length",
    "not",
    "not_one_of",
    "one_of",
    "range",
    "regex",
    "subset",
    "under",
    "url",
    "url_safe",
];

/// Reads a constraint. `anchor` says how much of a text a `regex` must match, and so whether it grants or watches.
pub fn parse(data: &Located, anchor: Anchor) -> Result<Constraint, LocatedError> {
    read(data, anchor, 1)
}

fn read(data: &Located, anchor: Anchor, depth: usize) -> Result<Constraint, LocatedError> {
    if depth > DEPTH_MAX {
        return Err(data.mark.error(format!("constraints are nested deeper than {DEPTH_MAX}")));
    }
    let at = |error: InvalidConstraint| data.mark.error(error.to_string());
    match &data.value {
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) | Value::Pattern { .. } => {
            Exact::new(data.to_json()).map(Constraint::Exact).map_err(at)
        }
        Value::List(_) => OneOf::new(values(data, "a list")?).map(Constraint::OneOf).map_err(at),
        Value::Map(members) => match members.as_slice() {
            [] => Err(data.mark.error("an empty map says nothing; write `any_value: true` for anything")),
            [(key, value)] => operator(key, value, anchor, depth),
            several => {
                let all = several
                    .iter()
                    .map(|(key, value)| operator(key, value, anchor, depth + 1))
                    .collect::<Result<Vec<_>, _>>()?;
                All::new(all).map(Constraint::All).map_err(at)
            }
        },
    }
}

fn operator(key: &Key, data: &Located, anchor: Anchor, depth: usize) -> Result<Constraint, LocatedError> {
    let name = key.name.as_str();
    let at = |error: InvalidConstraint| data.mark.error(error.to_string());
    let members = || -> Result<Vec<Constraint>, LocatedError> {
        data.list(name)?.iter().map(|member| read(member, anchor, depth + 1)).collect()
    };
    match name {
        "any_value" => yes(data, name).map(|()| Constraint::AnyValue),
        "url_safe" => yes(data, name).map(|()| Constraint::UrlSafe),
        "exact" => Exact::new(data.to_json()).map(Constraint::Exact).map_err(at),
        "one_of" => OneOf::new(values(data, name)?).map(Constraint::OneOf).map_err(at),
        "not_one_of" => NotOneOf::new(values(data, name)?).map(Constraint::NotOneOf).map_err(at),
        "subset" => Subset::new(values(data, name)?).map(Constraint::Subset).map_err(at),
        "contains" => Contains::new(data.to_json()).map(Constraint::Contains).map_err(at),
        "glob" => Glob::with(data.text(name)?, strictness(anchor)).map(Constraint::Glob).map_err(at),
        "regex" => match &data.value {
            Value::Pattern { source, literals } if anchor == Anchor::Part => {
                Ok(Constraint::Regex(Regex::made_ready(source, literals.clone())))
            }
            _ => Regex::new(data.text(name)?, anchor).map(Constraint::Regex).map_err(at),
        },
        "under" => Under::with(data.text(name)?, strictness(anchor)).map(Constraint::Under).map_err(at),
        "url" => Url::with(data.text(name)?, strictness(anchor)).map(Constraint::Url).map_err(at),
        "cidr" => Cidr::new(data.text(name)?).map(Constraint::Cidr).map_err(at),
        "argv" => Argv::new(data.text(name)?).map(Constraint::Argv).map_err(at),
        "range" => range(data),
        "length" => length(data),
        "all" => All::new(members()?).map(Constraint::All).map_err(at),
        "any" => Any::new(members()?).map(Constraint::Any).map_err(at),
        "not" => Not::new(read(data, anchor, depth + 1)?).map(Constraint::Not).map_err(at),
        other => Err(unknown(key, other, OPERATORS, "operator")),
    }
}

/// What looks for a part of a text watches; what wants the whole of it grants.
fn strictness(anchor: Anchor) -> Strictness {
    match anchor {
        Anchor::Whole => Strictness::Strict,
        Anchor::Part => Strictness::Lenient,
    }
}

fn unknown(key: &Key, name: &str, known: &[&str], what: &str) -> LocatedError {
    let shown = excerpt(name);
    key.mark.error(match nearest(name, known) {
        Some(near) => format!("unknown {what} `{shown}`, did you mean `{near}`?"),
        None => format!("unknown {what} `{shown}`; there are `{}`", known.join("`, `")),
    })
}

fn yes(data: &Located, name: &str) -> Result<(), LocatedError> {
    match data.truth(name)? {
        true => Ok(()),
        false => Err(data.mark.error(format!("`{name}` can only be true; use `not` for the opposite"))),
    }
}

fn values(data: &Located, name: &str) -> Result<Vec<Json>, LocatedError> {
    Ok(data.list(name)?.iter().map(Located::to_json).collect())
}

fn range(data: &Located) -> Result<Constraint, LocatedError> {
    let (mut min, mut max) = (None, None);
    for (key, value) in data.map("range")? {
        let Value::Number(number) = value.value else {
            return Err(value.mark.error(format!("`{}` must be a number, not {}", key.name, value.kind())));
        };
        let (end, bound) = match key.name.as_str() {
            "min" => (&mut min, Bound::at(number)),
            "above" => (&mut min, Bound::beyond(number)),
            "max" => (&mut max, Bound::at(number)),
            "below" => (&mut max, Bound::beyond(number)),
            other => return Err(unknown(key, other, &["above", "below", "max", "min"], "bound")),
        };
        if end.replace(bound).is_some() {
            return Err(key.mark.error("the same end twice; keep one of the two"));
        }
    }
    Range::new(min, max).map(Constraint::Range).map_err(|error| data.mark.error(error.to_string()))
}

fn length(data: &Located) -> Result<Constraint, LocatedError> {
    let (mut min, mut max) = (None, None);
    for (key, value) in data.map("length")? {
        match key.name.as_str() {
            "min" => min = Some(value.count("min")?),
            "max" => max = Some(value.count("max")?),
            other => return Err(unknown(key, other, &["max", "min"], "bound")),
        }
    }
    Length::new(min, max).map(Constraint::Length).map_err(|error| data.mark.error(error.to_string()))
}

impl Constraint {
    /// The constraint as data: what [`parse`] reads back.
    pub fn to_json(&self) -> Json {
        let (name, value) = match self {
            Self::AnyValue => ("any_value", Json::Bool(true)),
            Self::UrlSafe => ("url_safe", Json::Bool(true)),
            Self::Exact(exact) => ("exact", exact.value().clone()),
            Self::OneOf(one_of) => ("one_of", Json::Array(one_of.values().to_vec())),
            Self::NotOneOf(not_one_of) => ("not_one_of", Json::Array(not_one_of.values().to_vec())),
            Self::Subset(subset) => ("subset", Json::Array(subset.values().to_vec())),
            Self::Contains(contains) => ("contains", contains.value().clone()),
            Self::Glob(glob) => ("glob", glob.as_str().into()),
            Self::Regex(regex) => ("regex", regex.as_str().into()),
            Self::Under(under) => ("under", under.as_str().into()),
            Self::Url(url) => ("url", url.as_str().into()),
            Self::Cidr(cidr) => ("cidr", cidr.to_string().into()),
            Self::Argv(argv) => ("argv", argv.as_str().into()),
            Self::Range(range) => {
                let min =
                    range.min().map(|bound| (if bound.included { "min" } else { "above" }, bound.number));
                let max =
                    range.max().map(|bound| (if bound.included { "max" } else { "below" }, bound.number));
                ("range", object(min.into_iter().chain(max).map(|(name, number)| (name, number.into()))))
            }
            Self::Length(length) => {
                let min = (length.min() > 0 || length.max().is_none()).then_some(("min", length.min()));
                let max = length.max().map(|max| ("max", max));
                let ends = min.into_iter().chain(max);
                ("length", object(ends.map(|(name, count)| (name, Number::from(count).into()))))
            }
            Self::All(all) => ("all", Json::Array(all.members().iter().map(Self::to_json).collect())),
            Self::Any(any) => ("any", Json::Array(any.members().iter().map(Self::to_json).collect())),
            Self::Not(not) => ("not", not.inner().to_json()),
        };
        object([(name, value)])
    }
}

fn object<'n>(pairs: impl IntoIterator<Item = (&'n str, Json)>) -> Json {
    Json::Object(Object::from_pairs(pairs).unwrap_or_default())
}
