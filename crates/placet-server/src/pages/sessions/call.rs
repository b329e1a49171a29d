//! A call as a timeline shows it: what was decided, whether it waited, and how it ended.

use placet_core::{Json, Timestamp, hold::HoldState};
use placet_store::Hold;

use crate::pages::part::called::command;

/// A call with how it was decided and how it ended.
pub struct Call {
    /// The record of the decision.
    pub record: u64,
    /// What the record says.
    pub decision: Json,
    /// How it ended, and when that was reported.
    pub outcome: Option<(Json, Timestamp)>,
    /// The hold it waited in.
    pub hold: Option<Hold>,
    /// When it was answered, or nobody had answered in time.
    pub answered: Option<Timestamp>,
    /// Calls like it that are not shown.
    pub folded: Vec<Call>,
    /// When it was decided.
    pub at: Timestamp,
}

impl Call {
    /// A word of the decision.
    pub fn word(&self, key: &str) -> &str {
        self.decision.get(key).and_then(Json::as_str).unwrap_or("")
    }

    /// A text of the call.
    pub fn of(&self, key: &str) -> &str {
        self.decision.get("call").and_then(|call| call.get(key)?.as_str()).unwrap_or("")
    }

    /// The command it runs, if it runs one.
    pub fn command(&self) -> Option<&str> {
        let args = self.decision.get("call")?.get("args")?;
        command(args).map(|(_, text)| text)
    }

    /// What it would do.
    pub fn effects(&self) -> &[Json] {
        let effects = self.decision.get("assessment").and_then(|assessment| assessment.get("effects"));
        effects.and_then(Json::as_array).unwrap_or_default()
    }

    /// Whether it ran as if nobody had anything against it.
    pub fn is_plain(&self) -> bool {
        let ended = self.outcome.as_ref().and_then(|(outcome, _)| outcome.get("outcome")?.as_str());
        self.word("carried_out") == "allow"
            && self.word("verdict") == "allow"
            && self.hold.is_none()
            && matches!(ended, None | Some("ok" | "unknown"))
    }

    /// Whether both ran, and did the same kind of thing.
    pub fn is_like(&self, other: &Call) -> bool {
        let verbs = |call: &Call| -> Vec<String> {
            let verb = |effect: &Json| effect.get("verb").and_then(Json::as_str).map(str::to_owned);
            let mut verbs: Vec<String> = call.effects().iter().filter_map(verb).collect();
            verbs.sort_unstable();
            verbs.dedup();
            verbs
        };
        let program =
            |call: &Call| call.command().and_then(|text| text.split_whitespace().next()).map(str::to_owned);
        self.of("tool") == other.of("tool")
            && program(self) == program(other)
            && self.is_plain()
            && other.is_plain()
            && verbs(self) == verbs(other)
    }

    /// When it stopped waiting for a person, if it did wait, and whether it still does.
    pub fn waited(&self, now: Timestamp) -> Option<(Timestamp, bool)> {
        let hold = self.hold.as_ref()?;
        match hold.state {
            HoldState::Pending => Some((now, true)),
            // An approval that is used later changes the hold once more; the log has the time of the answer.
            _ => Some((self.answered.unwrap_or(hold.since), false)),
        }
    }

    /// From when to when it ran, as far as that was reported.
    pub fn ran(&self) -> Option<(Timestamp, Timestamp)> {
        let (outcome, reported) = self.outcome.as_ref()?;
        let took = outcome.get("duration_ms").and_then(Json::as_u64);
        let start = match took {
            Some(took) => reported.plus_ms(-i64::try_from(took).unwrap_or(i64::MAX)).max(self.at),
            None => self.at,
        };
        Some((start, (*reported).max(start)))
    }

    /// How long it ran, in milliseconds, with all that are folded into it.
    pub fn took_ms(&self) -> Option<i64> {
        let own = self.outcome.as_ref().and_then(|(outcome, _)| outcome.get("duration_ms")?.as_u64());
        let own = own.and_then(|ms| i64::try_from(ms).ok());
        self.folded.iter().filter_map(Call::took_ms).chain(own).reduce(i64::saturating_add)
    }
}
