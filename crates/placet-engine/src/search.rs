//! Finding records: from the newest back, a bounded stretch of the log at a time.

use placet_core::{
    Timestamp,
    record::{Needle, View},
    warrant::parse_duration,
};
use placet_store::{EntryKind, Ledger, StoreError, StoredRecord};

use crate::{Engine, engine::look};

/// Records that are read at once.
const AT_ONCE: usize = 512;
/// Records that are looked at for one question.
pub const SEARCHED_MAX: u64 = 20_000;
/// Bytes that are looked at for one question.
const BYTES_MAX: usize = 64 << 20;
/// The longest text that is looked for.
const TEXT_MAX: usize = 1024;
const DAY_MS: i64 = 24 * 60 * 60 * 1_000;
/// After so many records in a row that are too old, all that are left are. Clocks jump, but not for long.
const OLDER_MAX: usize = 1_000;

/// What is looked for. What is not said may be anything.
#[derive(Clone, Debug, Default)]
pub struct Search {
    /// What kind of record.
    pub kind: Option<EntryKind>,
    /// Whose.
    pub agent: Option<String>,
    /// Of which session.
    pub session: Option<String>,
    /// With which tool.
    pub tool: Option<String>,
    /// What was decided and done.
    pub done: Option<Done>,
    /// The rule that spoke, or all whose names begin so and then have a dot.
    pub rule: Option<String>,
    /// The ticket of the hold it is about.
    pub ticket: Option<String>,
    /// A text that stands somewhere in the record, large or small letters alike.
    pub text: Option<String>,
    /// No older than this.
    pub since: Option<Timestamp>,
    /// No younger than this.
    pub until: Option<Timestamp>,
}

/// What was done about a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Done {
    /// It was let through.
    Allow,
    /// A person was asked, or would have been, had it not only been observed.
    Hold,
    /// It was stopped, or would have been.
    Block,
    /// It was let through, and would not have been, had it not only been observed.
    Observed,
}

impl Done {
    /// Each with its word.
    pub const ALL: [(Self, &'static str); 4] =
        [(Done::Allow, "allow"), (Done::Hold, "hold"), (Done::Block, "block"), (Done::Observed, "observed")];

    /// The one with this word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(_, name)| *name == word).map(|(done, _)| done)
    }
}

/// What was found, the newest first.
#[derive(Clone, Debug)]
pub struct Found {
    /// The records.
    pub records: Vec<StoredRecord>,
    /// How many were looked at.
    pub looked: u64,
    /// Where to go on, before this record; nothing if the log was searched to its beginning.
    pub next: Option<u64>,
    /// How many records the log has.
    pub size: u64,
}

impl Search {
    /// Whether anything is looked for.
    pub fn is_empty(&self) -> bool {
        let Self { kind, agent, session, tool, done, rule, ticket, text, since, until } = self;
        let texts = [agent, session, tool, rule, ticket, text];
        texts.iter().all(|text| text.is_none())
            && (kind.is_none() && done.is_none() && since.is_none() && until.is_none())
    }
}

/// Why something cannot be looked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SearchError {
    /// It is too long.
    #[error("`{0}` has up to {TEXT_MAX} bytes")]
    Long(&'static str),
    /// There is no such kind of record.
    #[error("`kind` is one of `{}`", EntryKind::ALL.map(|(_, word)| word).join("`, `"))]
    Kind,
    /// There is no such verdict.
    #[error("`verdict` is `allow`, `hold`, `block` or `observed`")]
    Verdict,
    /// It is no time.
    #[error(
        "`{0}` is a time such as `2026-03-01T14:30:00Z`, `2026-03-01T14:30` (UTC) or `2026-03-01`, or how long ago, such as `24h`"
    )]
    Time(&'static str),
}

impl Search {
    /// What is looked for by the words that `value` gives for each name, at `now`. What is empty looks for nothing.
    pub fn read(now: Timestamp, value: impl Fn(&'static str) -> Option<String>) -> Result<Self, SearchError> {
        let text = |name: &'static str| {
            let value = value(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
            match value {
                Some(value) if value.len() > TEXT_MAX => Err(SearchError::Long(name)),
                value => Ok(value),
            }
        };
        let time = |name: &'static str, end_of_day: bool| {
            let read = |text: String| time_of(&text, now, end_of_day).ok_or(SearchError::Time(name));
            text(name)?.map(read).transpose()
        };
        let kind = text("kind")?.map(|word| EntryKind::parse(&word).ok_or(SearchError::Kind));
        let done = text("verdict")?.map(|word| Done::parse(&word).ok_or(SearchError::Verdict));
        Ok(Self {
            kind: kind.transpose()?,
            agent: text("agent")?,
            session: text("session")?,
            tool: text("tool")?,
            done: done.transpose()?,
            rule: text("rule")?,
            ticket: text("ticket")?,
            text: text("text")?,
            since: time("since", false)?,
            until: time("until", true)?,
        })
    }
}

/// A time as people write it, or how long before `now`; without a zone it is UTC, and a day alone is all of it.
pub fn time_of(text: &str, now: Timestamp, end_of_day: bool) -> Option<Timestamp> {
    if let Some(ms) = parse_duration(text) {
        return Some(now.plus_ms(-i64::try_from(ms).ok()?));
    }
    match text.len() {
        10 => {
            let day = Timestamp::parse(&format!("{text}T00:00:00Z")).ok()?;
            Some(if end_of_day { day.plus_ms(DAY_MS - 1) } else { day })
        }
        16 => Timestamp::parse(&format!("{text}:00Z")).ok(),
        19 => Timestamp::parse(&format!("{text}Z")).ok(),
        _ => Timestamp::parse(text).ok(),
    }
}

impl Engine {
    /// Looks for up to `limit` records before record `before`, or the end of the log. However long the log is, the work is
    /// bounded: what was not found by then is looked for from [`Found::next`] on.
    pub fn search(&self, search: &Search, before: Option<u64>, limit: usize) -> Result<Found, StoreError> {
        let needle = match search.text.as_deref().map(Needle::new) {
            Some(None) => return Err(StoreError::new(placet_store::Fault::Other, "the text is too long")),
            needle => needle.flatten(),
        };
        let size = self.look(|ledger| ledger.log_size())?;
        let mut at = before.unwrap_or(size).min(size);
        if let Some(until) = search.until.filter(|_| search.session.is_none()) {
            at = at.min(self.first_after(until, at)?.saturating_add(OLDER_MAX as u64));
        }
        let mut found = Found { records: Vec::new(), looked: 0, next: None, size };
        let (mut bytes, mut older) = (0, 0);
        loop {
            let store = &*self.shared.store;
            let records = look(store, |ledger| match &search.session {
                None => ledger.records_before(at, AT_ONCE),
                Some(session) => {
                    let mut records = ledger.records_of_session_before(session, at, AT_ONCE)?;
                    records.reverse();
                    Ok(records)
                }
            })?;
            if records.is_empty() {
                return Ok(found);
            }
            for record in records {
                at = record.index;
                found.looked += 1;
                bytes += record.body.len();
                older = if search.since.is_some_and(|since| record.at < since) { older + 1 } else { 0 };
                if older >= OLDER_MAX {
                    return Ok(found);
                }
                let meant = older == 0
                    && search.until.is_none_or(|until| record.at <= until)
                    && search.kind.is_none_or(|kind| record.kind == Some(kind))
                    && needle.as_ref().is_none_or(|needle| needle.is_in(View::of(&record.body)))
                    && look(store, |ledger| search.fits(ledger, &record))?;
                if meant {
                    found.records.push(record);
                }
                if found.records.len() >= limit || found.looked >= SEARCHED_MAX || bytes >= BYTES_MAX {
                    found.next = Some(at).filter(|at| *at > 0);
                    return Ok(found);
                }
            }
        }
    }

    /// The first record before `end` that is younger than `until`, if time only went forward.
    fn first_after(&self, until: Timestamp, end: u64) -> Result<u64, StoreError> {
        self.look(|ledger| {
            let (mut low, mut high) = (0, end);
            while low < high {
                let middle = low + (high - low) / 2;
                match ledger.record_get(middle)? {
                    Some(record) if record.at > until => high = middle,
                    Some(_) | None => low = middle + 1,
                }
            }
            Ok(low)
        })
    }
}

impl Search {
    /// Whether what the record says, or the decision that it cites, is what is looked for.
    fn fits(&self, ledger: &mut dyn Ledger, record: &StoredRecord) -> Result<bool, StoreError> {
        let Self { agent, tool, done, rule, ticket, .. } = self;
        if agent.is_none() && tool.is_none() && done.is_none() && rule.is_none() && ticket.is_none() {
            return Ok(true);
        }
        let Some((kind, told)) = View::of(&record.body).get("what").and_then(View::only) else {
            return Ok(false);
        };
        if let Some(done) = done
            && !(kind == "decision" && done.is_of(told))
        {
            return Ok(false);
        }
        if ticket.as_ref().is_some_and(|ticket| !told.text_of("ticket").eq_ignore_ascii_case(ticket)) {
            return Ok(false);
        }
        if self.names(kind, told) {
            return Ok(true);
        }
        // Who answers a hold says nothing of whose it is; the decision does.
        let Some(cites) = told.get("cites").and_then(View::number) else { return Ok(false) };
        let Some(cited) = ledger.record_get(cites.min(i64::MAX as u64))? else { return Ok(false) };
        let decided = View::of(&cited.body).get("what").and_then(|what| what.get("decision"));
        Ok(decided.is_some_and(|decided| self.names("decision", decided)))
    }

    /// Whether it is by the agent, with the tool and of the rule that are looked for.
    fn names(&self, kind: &str, told: View<'_>) -> bool {
        let call = if kind == "decision" { told.get("call") } else { Some(told) };
        let is = |wanted: &Option<String>, key: &str| {
            wanted.as_ref().is_none_or(|wanted| call.is_some_and(|call| call.text_of(key) == wanted))
        };
        is(&self.agent, "agent")
            && is(&self.tool, "tool")
            && self.rule.as_ref().is_none_or(|rule| spoke(kind, told, rule))
    }
}

/// Whether a rule spoke, or one whose name begins so.
fn spoke(kind: &str, told: View<'_>, wanted: &str) -> bool {
    let is =
        |rule: &str| rule.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    match kind {
        "threat" => is(told.text_of("rule")),
        "setting" => told
            .text_of("key")
            .strip_prefix("rule:")
            .is_some_and(|key| is(key) || key.strip_suffix(":policy").is_some_and(is)),
        _ => told
            .get("findings")
            .into_iter()
            .flat_map(View::elements)
            .filter_map(|finding| finding.get("source")?.get("rule")?.text())
            .any(is),
    }
}

impl Done {
    fn is_of(self, decision: View<'_>) -> bool {
        let (verdict, carried_out) = (decision.text_of("verdict"), decision.text_of("carried_out"));
        match self {
            Done::Allow => carried_out == "allow",
            Done::Hold => carried_out == "hold" || verdict == "hold",
            Done::Block => carried_out == "block" || verdict == "block",
            Done::Observed => {
                carried_out == "allow" && verdict != "allow" && decision.text_of("mode") == "observe"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_read_as_people_write_it() {
        let now = Timestamp::parse("2026-03-02T12:00:00Z").unwrap();
        for (text, end_of_day, expected) in [
            ("2026-03-01T14:30:00Z", false, "2026-03-01T14:30:00Z"),
            ("2026-03-01T14:30:00+02:00", false, "2026-03-01T12:30:00Z"),
            ("2026-03-01T14:30", true, "2026-03-01T14:30:00Z"),
            ("2026-03-01T14:30:05", true, "2026-03-01T14:30:05Z"),
            ("2026-03-01", false, "2026-03-01T00:00:00Z"),
            ("2026-03-01", true, "2026-03-01T23:59:59.999Z"),
            ("90m", false, "2026-03-02T10:30:00Z"),
        ] {
            let expected = Timestamp::parse(expected).unwrap();
            assert_eq!(time_of(text, now, end_of_day), Some(expected), "{text}");
        }
        for text in ["yesterday", "2026-13-01", "2026-3-1", "14:30", "2026-03-01T14:30 ", "10\u{e9}456789"] {
            assert_eq!(time_of(text, now, false), None, "{text}");
        }
    }
}
