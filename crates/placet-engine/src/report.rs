//! What hosts report besides calls: results, what people said, sessions that begin and end.

use std::sync::{Arc, atomic::Ordering};

use placet_core::{
    Context, EventKind, Finding, Redactor, Timestamp,
    event::{Outcome, Report},
    hold::{HoldState, Ticket},
    note,
    record::{Ended, Ungoverned, View, What, compact, expand},
    redact::Moves,
};
use placet_store::{Happening, Ledger, Sighting, Store, StoreError};
use serde::Serialize;

use crate::{
    Engine, crisis,
    engine::{Shared, look},
    sessions, settle, stopped, threats,
};

/// What became of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Noted {
    /// What rules said.
    pub findings: Vec<Finding>,
    /// The decision on the call that has ended, if there was one.
    pub cites: Option<u64>,
    /// Whether a call has ended on which nobody had decided.
    pub ungoverned: bool,
}

/// A report as it is kept. Masked already.
#[derive(Serialize)]
struct Kept<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<placet_core::Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<Outcome>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_tokens: Option<u64>,
}

/// Under which names hosts say how many tokens a model has read and written.
const TOKENS: [&[&str]; 2] = [&["input_tokens", "prompt_tokens"], &["output_tokens", "completion_tokens"]];
/// More than that is no number of tokens.
const TOKENS_MAX: u64 = 1 << 30;

/// How many tokens a model has read and written, where the host says so: in `data`, or in `data.usage`.
fn tokens(report: &Report) -> [Option<u64>; 2] {
    let said = report.data();
    let usage = said.get("usage").unwrap_or(said);
    let number = |name: &&str| usage.get(name)?.as_u64().filter(|count| *count <= TOKENS_MAX);
    TOKENS.map(|names| names.iter().find_map(number))
}

/// The counter of a session's tokens.
fn tokens_key(session: &str) -> String {
    format!("tokens {session}")
}

impl Engine {
    /// How many tokens models have read and written in a session, as far as its host says so.
    pub fn tokens_of(&self, session: &str) -> Result<u64, StoreError> {
        let session = self.name(session);
        self.look(|ledger| ledger.counter_get(&tokens_key(&session)))
    }

    /// Takes note of something that happened.
    pub async fn report(&self, report: Report) -> Result<Noted, StoreError> {
        let shared = Arc::clone(&self.shared);
        let report = shared.keys.name_report(report);
        let run = move |ledger: &mut dyn Ledger| take_note(&shared, ledger, &report);
        let noted = self.shared.transact_waking(run).await?;
        self.shared.grown.store(true, Ordering::SeqCst);
        Ok(noted)
    }

    /// Takes note of something that happened, if whoever says so may; nothing otherwise.
    pub(crate) async fn report_if(
        &self,
        report: Report,
        may: impl Fn(&mut dyn Ledger, &Report) -> Result<bool, StoreError> + Send + 'static,
    ) -> Result<Option<Noted>, StoreError> {
        let shared = Arc::clone(&self.shared);
        let report = shared.keys.name_report(report);
        let run = move |ledger: &mut dyn Ledger| match may(ledger, &report)? {
            true => take_note(&shared, ledger, &report).map(|(noted, ended)| (Some(noted), ended)),
            false => Ok((None, Vec::new())),
        };
        let noted = self.shared.transact_waking(run).await?;
        self.shared.grown.store(true, Ordering::SeqCst);
        Ok(noted)
    }
}

/// Whether a call was decided, or is known already to have run without that.
pub fn is_accounted_for(store: &dyn Store, session: &str, id: &str) -> Result<bool, StoreError> {
    look(store, |ledger| {
        Ok(ledger.decision_of(session, id)?.is_some() || ledger.once_used(&ungoverned_key(session, id))?)
    })
}

/// What is remembered of an ungoverned call.
fn ungoverned_key(session: &str, id: &str) -> String {
    format!("ungoverned {} {session} {id}", session.len())
}

fn take_note(
    shared: &Shared,
    ledger: &mut dyn Ledger,
    report: &Report,
) -> Result<(Noted, Vec<Ticket>), StoreError> {
    let (snapshot, now) = (shared.snapshot(), shared.clock.now());
    let configuration = snapshot.configuration();
    let learned = ledger.session_seen(&Sighting {
        session: report.session(),
        agent: report.agent(),
        host: report.host(),
        parent: report.parent_session(),
        user: report.user(),
        deployment: report.deployment(),
        at: now,
        verdict: None,
    })?;
    if learned {
        sessions::family_changed(ledger)?;
    }
    let mut decision = {
        let history = settle::Exact { ledger: std::cell::RefCell::new(&mut *ledger), keys: &shared.keys };
        let context = Context {
            policy: &configuration.policy,
            rules: &configuration.rules,
            history: &history,
            now,
            authority: None,
        };
        note(report, &context)
    };
    shared.keys.hide_values(&mut decision.notes);
    for written in &decision.notes {
        ledger.note_put(written)?;
    }
    let masked = Redactor::builtin().record().decision_moved(&Moves::default(), decision);
    let record = ledger.log_size()?;
    let (cites, ungoverned) = outcome(shared, ledger, report, &masked.findings, now)?;
    keep(ledger, report, now)?;
    crisis::take_note(shared, ledger, report, now)?;
    if ungoverned {
        threats::raise_ungoverned(shared, ledger, (report.session(), now, record))?;
    }
    threats::raise(shared, &snapshot, ledger, &masked.findings, (report.session(), now, record))?;
    let ended = match report.kind() {
        EventKind::SessionEnd | EventKind::SessionReset | EventKind::SubagentEnd => {
            stopped::end(shared, ledger, report.session())?
        }
        EventKind::ToolCall
        | EventKind::ToolResult
        | EventKind::UserInput
        | EventKind::LlmRequest
        | EventKind::LlmResponse
        | EventKind::SessionStart
        | EventKind::SubagentStart
        | EventKind::Approval => Vec::new(),
    };
    Ok((Noted { findings: masked.findings, cites, ungoverned }, ended))
}

/// Writes how a call ended, citing the decision on it.
fn outcome(
    shared: &Shared,
    ledger: &mut dyn Ledger,
    report: &Report,
    findings: &[Finding],
    now: Timestamp,
) -> Result<(Option<u64>, bool), StoreError> {
    if report.kind() != EventKind::ToolResult {
        return Ok((None, false));
    }
    let cites = match report.id() {
        Some(id) => ledger.decision_of(report.session(), id)?,
        None => None,
    };
    let outcome = report.outcome().unwrap_or(Outcome::Unknown);
    // A report that leaves open whether the call ran is no proof that it did.
    let ran = report.ran() == Some(true);
    let ungoverned = match cites {
        Some(cites) if ran && !was_let_through(ledger, cites)? => Some(Ungoverned::Against),
        None if ran && !may_be_decided(ledger, report)? => Some(Ungoverned::Undecided),
        Some(_) | None => None,
    };
    // Whoever reports the same call again tells nothing new.
    let ungoverned = match (ungoverned, report.id()) {
        (Some(why), Some(id)) => ledger.once_use(&ungoverned_key(report.session(), id), now)?.then_some(why),
        (why, _) => why,
    };
    let ended = Ended {
        cites,
        id: report.id(),
        session: report.session(),
        tool: report.tool().map(placet_core::ToolName::as_str),
        outcome,
        duration_ms: report.duration_ms(),
        ungoverned,
        agent: ungoverned.map(|_| report.agent()),
        host: ungoverned.map(|_| report.host()),
        findings,
    };
    let record = shared.keys.record(ledger, now, report.session(), What::Outcome(ended))?;
    if let Some(cites) = cites {
        ledger.review_outcome(cites, record)?;
    }
    Ok((cites, ungoverned.is_some()))
}

/// Among how many records of a session a decision is looked for that names no call.
const NAMELESS_RECORDS: usize = 256;

/// Whether a report that names no call may be about one that was decided: a call of the same tool, in the same session, that had
/// no name either. Calls that scripts make in Hermes have none.
fn may_be_decided(ledger: &mut dyn Ledger, report: &Report) -> Result<bool, StoreError> {
    if report.id().is_some() {
        return Ok(false);
    }
    let tool = report.tool().map_or("", placet_core::ToolName::as_str);
    let records = ledger.records_of_session(report.session(), NAMELESS_RECORDS)?;
    Ok(records.iter().any(|record| {
        let decided = View::of(&record.body).get("what").and_then(|what| what.get("decision"));
        let call = decided.and_then(|decided| decided.get("call"));
        call.is_some_and(|call| call.text_of("tool") == tool && call.text_of("id").is_empty())
    }))
}

/// Whether the call of this decision was let through, at once or by an approval.
fn was_let_through(ledger: &mut dyn Ledger, decision: u64) -> Result<bool, StoreError> {
    let Some(record) = ledger.record_get(decision)? else { return Ok(false) };
    let read = expand(&record.body).ok();
    let decided = read.as_ref().and_then(|read| read.get("what")?.get("decision"));
    let text = |key: &str| decided.and_then(|decided| decided.get(key)?.as_str());
    if text("carried_out") == Some("allow") {
        return Ok(true);
    }
    let ticket = text("ticket").and_then(|ticket| Ticket::parse(ticket).ok());
    let hold = ticket.map(|ticket| ledger.hold_by_ticket(&ticket)).transpose()?.flatten();
    Ok(hold.is_some_and(|hold| hold.state == HoldState::Redeemed))
}

fn keep(ledger: &mut dyn Ledger, report: &Report, now: Timestamp) -> Result<(), StoreError> {
    let mut masking = Redactor::builtin().record();
    let [input_tokens, output_tokens] = tokens(report);
    let used = input_tokens.unwrap_or(0) + output_tokens.unwrap_or(0);
    if used > 0 && !report.session().is_empty() {
        ledger.counter_add(&tokens_key(report.session()), used)?;
    }
    let kept = Kept {
        id: report.id(),
        tool: report.tool().map(placet_core::ToolName::as_str),
        text: report.text().map(|text| masking.text(text).into_owned()),
        result: report.result().map(|result| masking.json(result).into_owned()),
        outcome: report.outcome(),
        duration_ms: report.duration_ms(),
        input_tokens,
        output_tokens,
    };
    ledger.happening_put(&Happening {
        id: 0,
        at: now,
        kind: report.kind().as_str().to_owned(),
        session: report.session().to_owned(),
        body: compact(&kept),
    })
}
