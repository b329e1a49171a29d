//! Events in an order within a time.

use crate::{
    EventKind,
    located::{Located, LocatedError},
    rule::{
        By, Condition, Kinds, Subject,
        read::{duration, kinds, one_word, unknown_key},
    },
};

/// Steps in order. Each but the last must have been allowed; one call may take several of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Sequence {
    /// The steps.
    pub steps: Vec<Step>,
    /// What must not come between the first and the last.
    pub without: Option<Step>,
    /// From the first to the last, in milliseconds.
    pub within_ms: i64,
    /// Whose events.
    pub by: By,
}

/// One step.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Of which kinds of event.
    pub on: Kinds,
    /// What it asks; nothing for any event of the kind.
    pub when: Option<Condition>,
}

/// The keys of a sequence.
pub(super) const KEYS: &[&str] = &["within", "by", "steps", "without"];
/// The most steps.
const STEPS_MAX: usize = 8;

impl Step {
    fn read(data: &Located, what: &str, on: Kinds) -> Result<Self, LocatedError> {
        let members = data.map(what)?;
        let own = members.iter().find(|(key, _)| key.name == "on");
        let on = own.map_or(Ok(on), |(_, value)| kinds(value))?;
        if own.is_some() && members.len() == 1 {
            return Ok(Self { on, when: None });
        }
        Ok(Self { on, when: Some(Condition::read_besides(data, what, &["on"])?) })
    }

    /// Whether `subject` is this step.
    pub fn holds(&self, subject: &Subject<'_>) -> bool {
        self.on.has(subject.kind()) && self.when.as_ref().is_none_or(|when| when.holds(subject))
    }
}

impl Sequence {
    pub(super) fn read(data: &Located, on: Kinds) -> Result<Self, LocatedError> {
        let (mut steps, mut without, mut within_ms, mut by) = (None, None, None, By::Session);
        for (key, value) in data.map("sequence")? {
            match key.name.as_str() {
                "within" => within_ms = Some(duration(value, "within")?),
                "by" => by = one_word(value, "by")?,
                "without" => without = Some(Step::read(value, "without", on)?),
                "steps" => {
                    let list = value.list("steps")?;
                    if !(2..=STEPS_MAX).contains(&list.len()) {
                        let message = format!("`steps` must be 2 to {STEPS_MAX}, not {}", list.len());
                        return Err(value.mark.error(message));
                    }
                    let read = |step| Step::read(step, "steps", on);
                    steps = Some(list.iter().map(read).collect::<Result<Vec<_>, _>>()?);
                }
                _ => return Err(unknown_key(key, KEYS, "a sequence")),
            }
        }
        let missing = |what: &str| data.mark.error(format!("`sequence` needs {what}"));
        Ok(Self {
            steps: steps.ok_or_else(|| missing("`steps`"))?,
            without,
            within_ms: within_ms.ok_or_else(|| missing("`within`, such as `within: 10m`"))?,
            by,
        })
    }

    /// Every kind of event that matters to it.
    pub fn kinds(&self) -> Kinds {
        self.steps.iter().chain(&self.without).fold(Kinds::default(), |all, step| all.or(step.on))
    }

    /// Which steps `subject` takes, one bit each.
    pub(super) fn steps_of(&self, subject: &Subject<'_>) -> u8 {
        let held = self.steps.iter().enumerate().filter(|(_, step)| step.holds(subject));
        held.fold(0, |steps, (number, _)| steps | 1 << number)
    }

    /// Whether `subject` breaks it off.
    pub(super) fn breaks(&self, subject: &Subject<'_>) -> bool {
        self.without.as_ref().is_some_and(|without| without.holds(subject))
    }

    /// How many steps were taken in order, by what came `before` (oldest first) and by `now`; all of them means a match.
    pub(super) fn reached(&self, before: impl IntoIterator<Item = Taken>, now: u8) -> usize {
        let last = self.steps.len() - 1;
        let mut next = 0;
        for taken in before {
            match taken {
                Taken::Break => next = 0,
                Taken::Steps(steps) => {
                    // What was complete before may be completed again by another last step.
                    while next < last && steps & (1 << next) != 0 {
                        next += 1;
                    }
                }
            }
        }
        while next <= last && now & (1 << next) != 0 {
            next += 1;
        }
        next
    }
}

/// What an earlier event did to a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// It took these steps, one bit each.
    Steps(u8),
    /// It broke it off.
    Break,
}

/// Which kinds a rule looks at if it does not say.
pub(super) fn usual_kinds() -> Kinds {
    Kinds::default().with(EventKind::ToolCall)
}
