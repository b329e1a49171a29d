//! So many events within a time: counted, told apart, or added up.

use crate::{
    json::{Json, Number},
    located::{Key, Located, LocatedError},
    rule::{
        By, Condition, Subject,
        condition::Field,
        read::{duration, one_word, unknown_key},
    },
};

/// How many events, within what time, of whom.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    /// What is measured, and from where on it matches.
    pub measure: Measure,
    /// How far back, in milliseconds.
    pub within_ms: i64,
    /// Whose events.
    pub by: By,
}

/// What a window measures. The event that is judged counts.
#[derive(Clone, Debug, PartialEq)]
pub enum Measure {
    /// At least so many events.
    Count(u64),
    /// At least so many different values.
    Distinct(Selector, u64),
    /// A sum of at least this, in millionths.
    Sum(Vec<String>, i128),
}

/// What is told apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selector {
    /// The names of what the call acts on.
    Target,
    /// Something the event says.
    Field(Field),
}

/// The keys of a window.
pub(super) const KEYS: &[&str] = &["count", "distinct", "sum", "within", "by"];

/// The largest count.
const COUNT_MAX: u64 = 10_000;
/// Values of one event that are told apart.
const VALUES_MAX: usize = 1_000;

impl Window {
    pub(super) fn read(data: &Located) -> Result<Self, LocatedError> {
        let (mut measure, mut within_ms, mut by) = (None, None, By::Session);
        for (key, value) in data.map("window")? {
            let found = match key.name.as_str() {
                "count" => Measure::Count(count(value, "count")?),
                "distinct" => distinct(value)?,
                "sum" => sum(value)?,
                "within" => {
                    within_ms = Some(duration(value, "within")?);
                    continue;
                }
                "by" => {
                    by = one_word(value, "by")?;
                    continue;
                }
                _ => return Err(unknown_key(key, KEYS, "a window")),
            };
            if measure.replace(found).is_some() {
                return Err(key.mark.error("a window has one of `count`, `distinct` and `sum`"));
            }
        }
        let missing = |what: &str| data.mark.error(format!("`window` needs {what}"));
        Ok(Self {
            measure: measure.ok_or_else(|| missing("`count`, `distinct` or `sum`"))?,
            within_ms: within_ms.ok_or_else(|| missing("`within`, such as `within: 10m`"))?,
            by,
        })
    }

    /// The values of `subject` that are told apart, each once.
    pub(super) fn values(
        selector: &Selector,
        condition: &Condition,
        subject: &Subject<'_>,
    ) -> Result<Vec<String>, String> {
        let mut values: Vec<String> = match selector {
            Selector::Target => {
                let effects = condition.effects(subject);
                effects.into_iter().map(|effect| effect.target.name.clone()).collect()
            }
            Selector::Field(Field::Arg(path)) => {
                subject.arg(path).map(crate::canonical::to_string).into_iter().collect()
            }
            Selector::Field(Field::Text) => subject.texts().iter().map(|text| (*text).to_owned()).collect(),
            Selector::Field(field) => {
                let text = match field {
                    Field::Tool => subject.tool(),
                    Field::Agent => Some(subject.agent()),
                    Field::Host => Some(subject.host()),
                    Field::Session => Some(subject.session()),
                    Field::User => subject.user(),
                    Field::Deployment => subject.deployment(),
                    Field::Cwd => subject.cwd(),
                    Field::Reason => subject.reason(),
                    Field::Description => subject.description(),
                    Field::Outcome => subject.outcome(),
                    Field::Approver => subject.approver(),
                    Field::Arg(_) | Field::Text => None,
                };
                text.map(str::to_owned).into_iter().collect()
            }
        };
        values.sort_unstable();
        values.dedup();
        if values.len() > VALUES_MAX {
            return Err(format!("one event has more than {VALUES_MAX} values to tell apart"));
        }
        Ok(values)
    }

    /// What `subject` adds to a sum, in millionths.
    pub(super) fn amount(path: &[String], subject: &Subject<'_>) -> Result<i128, String> {
        let name = path.join(".");
        match subject.arg(path) {
            Some(Json::Number(number)) => {
                millionths(*number).ok_or_else(|| format!("`arg.{name}` is too large to add up"))
            }
            Some(other) => Err(format!("`arg.{name}` is {}, which cannot be added up", other.kind())),
            None => Err(format!("`arg.{name}` is not there to be added up")),
        }
    }
}

/// A number in millionths, rounded.
fn millionths(number: Number) -> Option<i128> {
    const MILLION: i128 = 1_000_000;
    match number {
        Number::Int(integer) => Some(i128::from(integer) * MILLION),
        Number::Uint(large) => Some(i128::from(large.get()) * MILLION),
        Number::Float(float) => {
            let scaled = float.get() * 1e6;
            (scaled.abs() < 1e30).then_some(scaled.round() as i128)
        }
    }
}

fn count(data: &Located, what: &str) -> Result<u64, LocatedError> {
    match data.count(what)? {
        count @ 1..=COUNT_MAX => Ok(count),
        _ => Err(data.mark.error(format!("`{what}` must be between 1 and {COUNT_MAX}"))),
    }
}

fn distinct(data: &Located) -> Result<Measure, LocatedError> {
    let (mut of, mut least) = (None, None);
    for (key, value) in data.map("distinct")? {
        match key.name.as_str() {
            "of" => of = Some(selector(value)?),
            "count" => least = Some(count(value, "count")?),
            _ => return Err(unknown_key(key, &["of", "count"], "`distinct`")),
        }
    }
    let example = "`distinct` needs `of` and `count`, such as `distinct: {of: target, count: 20}`";
    match (of, least) {
        (Some(of), Some(least)) => Ok(Measure::Distinct(of, least)),
        _ => Err(data.mark.error(example)),
    }
}

fn selector(data: &Located) -> Result<Selector, LocatedError> {
    let name = data.text("of")?;
    if name == "target" {
        return Ok(Selector::Target);
    }
    Field::read(name).map(Selector::Field).ok_or_else(|| {
        let mut known = vec!["target", "arg.NAME"];
        known.extend(Field::NAMED.iter().map(|(_, name)| *name));
        super::read::unknown_word(data.mark, name, "value to tell apart", &known)
    })
}

fn sum(data: &Located) -> Result<Measure, LocatedError> {
    let (mut of, mut least) = (None, None);
    for (key, value) in data.map("sum")? {
        match key.name.as_str() {
            "of" => of = Some(argument(key, value)?),
            "least" => {
                least = match value.value {
                    crate::located::Value::Number(number) => millionths(number),
                    _ => None,
                };
                if least.is_none() {
                    return Err(value.mark.error(format!("`least` must be a number, not {}", value.kind())));
                }
            }
            _ => return Err(unknown_key(key, &["of", "least"], "`sum`")),
        }
    }
    match (of, least) {
        (Some(of), Some(least)) => Ok(Measure::Sum(of, least)),
        _ => {
            let example = "`sum` needs `of` and `least`, such as `sum: {of: arg.amount, least: 1000}`";
            Err(data.mark.error(example))
        }
    }
}

fn argument(_key: &Key, data: &Located) -> Result<Vec<String>, LocatedError> {
    match Field::read(data.text("of")?) {
        Some(Field::Arg(path)) => Ok(path),
        _ => Err(data.mark.error("only an argument can be added up: write `of: arg.NAME`")),
    }
}
