//! What happened in a session, put together from the log and from what its host reports: in its order, one row for each
//! call with how it was decided and how it ended.

use placet_core::{
    Json, Timestamp,
    hold::Ticket,
    record::{View, expand},
};
use placet_engine::Engine;
use placet_store::{EntryKind, Happening, Ledger, Session, StoreError, StoredRecord, Threat};

use super::call::Call;

/// Records on one page.
const RECORDS: usize = 200;
/// Of those that were stopped, so many on one page, and so many records are looked through for them.
const STOPPED: usize = 100;
const LOOKED_THROUGH: usize = 5_000;
/// How calls ended is looked for among so many records that follow a page.
const AFTERWARDS: usize = 100;
/// What a host reports on one page.
const HAPPENINGS: usize = 300;
/// Sub-agents on one page, and records of each.
const SUBS: usize = 30;
const RECORDS_OF_SUB: usize = 60;
/// Threats among which those of a session are looked for.
const THREATS: usize = 1_000;

/// What of a session somebody wants to see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Show {
    /// All of it.
    Everything,
    /// What was held or blocked, or would have been.
    Stopped,
    /// The sessions it started.
    Subs,
}

/// Which part of a session.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// What of it.
    pub show: Show,
    /// Only what stands in the log before this record.
    pub before: Option<u64>,
    /// Whether alike calls stay apart.
    pub every: bool,
}

/// A part of a session.
pub struct Timeline {
    /// The session.
    pub session: Session,
    /// Tokens, as far as its host reports them.
    pub tokens: u64,
    /// What happened, oldest first.
    pub rows: Vec<Row>,
    /// When this part began, and when it ended.
    pub from: Timestamp,
    /// See above.
    pub until: Timestamp,
    /// There is more before this record.
    pub older: Option<u64>,
    /// Whether there are sub-sessions that are not shown.
    pub more_subs: bool,
    /// Whether its host has reported more in this time than is shown.
    pub more_said: bool,
}

/// Something that happened.
pub struct Row {
    /// Tells it from others.
    pub id: String,
    /// When.
    pub at: Timestamp,
    /// What.
    pub what: What,
    /// Whether it is what is looked for.
    pub matched: bool,
}

/// What happened.
pub enum What {
    /// A call.
    Call(Box<Call>),
    /// A rule found something, or somebody has looked at it: its state, its rule, who, and the threat.
    Threat(String, String, Option<String>, Option<Box<Threat>>),
    /// Somebody or something spoke.
    Said(Said),
    /// Another session was started.
    Sub(Box<Sub>),
    /// Something else, with its icon.
    Note(&'static str, String),
}

/// What somebody or something said.
pub struct Said {
    /// The word for it on the wire.
    pub kind: String,
    /// What.
    pub text: String,
    /// Tokens that were read and written.
    pub tokens: Option<(u64, u64)>,
    /// How long it took.
    pub took_ms: Option<i64>,
}

/// A session that this one started.
pub struct Sub {
    /// The session.
    pub session: Session,
    /// What happened in it.
    pub rows: Vec<Row>,
    /// Whether there is more.
    pub more: bool,
}

impl Row {
    /// When what it shows was over, as far as that is known.
    pub fn end(&self, now: Timestamp) -> Timestamp {
        match &self.what {
            What::Call(call) => {
                let last = call.folded.last().unwrap_or(call);
                last.waited(now)
                    .map_or(last.at, |(end, _)| end)
                    .max(last.ran().map_or(last.at, |(_, end)| end))
            }
            What::Sub(sub) => sub.session.last_seen,
            What::Said(_) | What::Threat(..) | What::Note(..) => self.at,
        }
    }
}

/// Reads a part of a session; nothing if there is no such session.
pub fn read(engine: &Engine, id: &str, part: Part) -> Result<Option<Timeline>, StoreError> {
    let now = engine.now();
    let tokens = engine.tokens_of(id)?;
    engine.look(|ledger| {
        let Some(session) = ledger.session_get(id)? else { return Ok(None) };
        let (records, older) = stretch(ledger, id, part)?;
        let threats: Vec<Threat> = match records.iter().any(|record| record.kind == Some(EntryKind::Threat)) {
            true => {
                ledger.threats(true, THREATS)?.into_iter().filter(|threat| threat.session == id).collect()
            }
            false => Vec::new(),
        };
        let after = match (part.before, records.last()) {
            (Some(_), Some(last)) => ledger.records_of_session_from(id, last.index + 1, AFTERWARDS)?,
            _ => Vec::new(),
        };
        let mut rows = rows_of(ledger, &records, &after, &threats)?;
        // What happened between two pages belongs to the older one.
        let from = match (older, records.first()) {
            (Some(_), Some(first)) => first.at,
            _ => session.first_seen,
        };
        let newer = part.before.map(|before| ledger.record_get(before)).transpose()?.flatten();
        let until = newer.map_or(Timestamp::MAX, |newer| newer.at);
        let mut more_said = false;
        if part.show == Show::Everything {
            let mut happened = ledger.happenings_between(id, from, until, HAPPENINGS + 1)?;
            more_said = happened.len() > HAPPENINGS;
            happened.truncate(HAPPENINGS);
            rows.extend(happened.iter().filter_map(of_happening));
        }
        let mut more_subs = false;
        if part.show != Show::Stopped {
            let all = ledger.sessions_under(id, SUBS * 10)?;
            let known = all.len();
            let mut subs: Vec<Session> = match part.show {
                Show::Subs => all,
                _ => all.into_iter().filter(|sub| (from..until).contains(&sub.first_seen)).collect(),
            };
            more_subs = subs.len() > SUBS || known == SUBS * 10;
            subs.truncate(SUBS);
            for sub in subs {
                rows.push(of_sub(ledger, sub, part.every)?);
            }
        }
        rows.sort_by_key(|row| row.at);
        if !part.every {
            rows = fold(rows);
        }
        let from = rows.first().map_or(from, |row| row.at);
        let until = rows.iter().map(|row| row.end(now)).max().unwrap_or(from).max(from);
        Ok(Some(Timeline { session, tokens, rows, from, until, older, more_subs, more_said }))
    })
}

/// Some records of a session as rows, of which those with `matched` are what is looked for.
pub fn of_records(
    engine: &Engine,
    session: &str,
    records: &[StoredRecord],
    matched: &[u64],
) -> Result<Vec<Row>, StoreError> {
    let mut rows = engine.look(|ledger| {
        let threats = ledger.threats(true, THREATS)?;
        let threats: Vec<Threat> = threats.into_iter().filter(|threat| threat.session == session).collect();
        rows_of(ledger, records, &[], &threats)
    })?;
    for row in &mut rows {
        row.matched = matched.iter().any(|index| row.id == format!("r{index}"));
    }
    Ok(rows)
}

/// The records that are shown, and where the page before them ends.
fn stretch(
    ledger: &mut dyn Ledger,
    id: &str,
    part: Part,
) -> Result<(Vec<StoredRecord>, Option<u64>), StoreError> {
    let mut before = part.before.unwrap_or(u64::MAX);
    match part.show {
        Show::Subs => Ok((Vec::new(), None)),
        Show::Everything => {
            let mut records = ledger.records_of_session_before(id, before, RECORDS + 1)?;
            let more = records.len() > RECORDS;
            if more {
                records.remove(0);
            }
            let older = records.first().filter(|_| more).map(|first| first.index);
            Ok((records, older))
        }
        Show::Stopped => {
            let (mut stopped, mut looked) = (Vec::new(), 0);
            loop {
                let records = ledger.records_of_session_before(id, before, 1_000)?;
                let Some(first) = records.first() else { break };
                (before, looked) = (first.index, looked + records.len());
                let whole = records.len() == 1_000;
                let mut kept: Vec<_> = records.into_iter().filter(was_stopped).collect();
                kept.append(&mut stopped);
                stopped = kept;
                if !whole {
                    break;
                }
                if stopped.len() >= STOPPED || looked >= LOOKED_THROUGH {
                    return Ok((stopped, Some(before)));
                }
            }
            Ok((stopped, None))
        }
    }
}

fn was_stopped(record: &StoredRecord) -> bool {
    let told = View::of(&record.body).get("what").and_then(View::only).map(|(_, told)| told);
    let Some(told) = told else { return false };
    match record.kind {
        Some(EntryKind::Decision) => {
            told.text_of("carried_out") != "allow" || told.text_of("verdict") != "allow"
        }
        Some(EntryKind::Outcome) => told.get("ungoverned").is_some(),
        Some(EntryKind::Threat) => true,
        _ => false,
    }
}

fn rows_of(
    ledger: &mut dyn Ledger,
    records: &[StoredRecord],
    after: &[StoredRecord],
    threats: &[Threat],
) -> Result<Vec<Row>, StoreError> {
    let mut rows: Vec<Row> = Vec::with_capacity(records.len());
    for record in records {
        let read = expand(&record.body).unwrap_or(Json::Null);
        let what = read.get("what").and_then(Json::as_object).and_then(|what| what.iter().next());
        let Some((kind, told)) = what else { continue };
        let text = |key: &str| told.get(key).and_then(Json::as_str).unwrap_or("");
        let by = Some(text("by")).filter(|by| !by.is_empty());
        let what = match kind {
            "decision" => match call(ledger, record, told, &mut rows)? {
                Some(call) => What::Call(Box::new(call)),
                None => continue,
            },
            "hold_step" => {
                ended(&mut rows, record, kind, told);
                continue;
            }
            "outcome" => {
                ended(&mut rows, record, kind, told);
                match text("ungoverned") {
                    "" => continue,
                    "against" => What::Note(
                        "block",
                        format!("{} ran though it had not been let through", text("tool")),
                    ),
                    _ => What::Note("block", format!("{} ran and nobody had been asked", text("tool"))),
                }
            }
            "threat" => {
                let known = threats.iter().find(|threat| threat.rule == text("rule")).cloned();
                What::Threat(
                    text("state").to_owned(),
                    text("rule").to_owned(),
                    by.map(str::to_owned),
                    known.map(Box::new),
                )
            }
            "session_warrant" => match told.get("warrants").and_then(Json::as_array) {
                Some([.., last]) => {
                    let by = by.unwrap_or("an operator");
                    What::Note(
                        "gate",
                        format!("Acts under warrant {} from now on, by {by}", last.as_str().unwrap_or("")),
                    )
                }
                _ => What::Note(
                    "gate",
                    format!("Its warrant was taken away by {}", by.unwrap_or("an operator")),
                ),
            },
            "grant" => {
                let did = if text("step") == "revoke" || text("step") == "revoked" {
                    "taken back"
                } else {
                    "given"
                };
                What::Note("yes", format!("Grant {} {did} by {}", text("grant"), text("by")))
            }
            "vote" => {
                let said = if text("vote") == "approve" { "approved" } else { "denied" };
                What::Note("person", format!("{} {said}, one of several who are asked", text("by")))
            }
            "hold_escalated" => {
                What::Note("clock", format!("Nobody had answered: {} is asked too", text("to")))
            }
            "crisis" => What::Note(
                "care",
                "A life in danger was spoken of: what is sent is confirmed by a person".to_owned(),
            ),
            // Where a hold stands is shown with its call.
            _ => continue,
        };
        rows.push(Row { id: format!("r{}", record.index), at: record.at, what, matched: false });
    }
    for record in after {
        let read = expand(&record.body).unwrap_or(Json::Null);
        for kind in ["outcome", "hold_step"] {
            if let Some(told) = read.get("what").and_then(|what| what.get(kind)) {
                ended(&mut rows, record, kind, told);
            }
        }
    }
    Ok(rows)
}

/// A decision; nothing if it is that of a call asked again while it waits, or after it was approved.
fn call(
    ledger: &mut dyn Ledger,
    record: &StoredRecord,
    told: &Json,
    rows: &mut [Row],
) -> Result<Option<Call>, StoreError> {
    let ticket = told.get("ticket").and_then(Json::as_str).and_then(|text| Ticket::parse(text).ok());
    let hold = ticket.map(|ticket| ledger.hold_by_ticket(&ticket)).transpose()?.flatten();
    if let Some(hold) = &hold
        && told.get("carried_out").and_then(Json::as_str) == Some("hold")
    {
        let same = |row: &Row| matches!(&row.what, What::Call(call) if call.hold.as_ref().is_some_and(|other| other.id == hold.id));
        if rows.iter().any(same) {
            return Ok(None);
        }
    }
    // One that was let through by an approval waited before, in a row of its own.
    let hold = hold.filter(|_| told.get("carried_out").and_then(Json::as_str) != Some("allow"));
    Ok(Some(Call {
        record: record.index,
        decision: told.clone(),
        outcome: None,
        hold,
        answered: None,
        folded: Vec::new(),
        at: record.at,
    }))
}

/// A call has ended, or was answered: its row says so, if it is there.
fn ended(rows: &mut [Row], record: &StoredRecord, kind: &str, told: &Json) {
    let Some(cites) = told.get("cites").and_then(Json::as_u64) else { return };
    for row in rows.iter_mut().rev() {
        if let What::Call(call) = &mut row.what
            && call.record == cites
        {
            match (kind, told.get("step").and_then(Json::as_str)) {
                ("outcome", _) => call.outcome = Some((told.clone(), record.at)),
                (_, Some("approve" | "deny" | "expire" | "abandon")) => call.answered = Some(record.at),
                _ => {}
            }
            return;
        }
    }
}

fn of_happening(happening: &Happening) -> Option<Row> {
    // Results stand with their calls.
    if happening.kind == "tool_result" {
        return None;
    }
    let read = expand(&happening.body).unwrap_or(Json::Null);
    let number = |key: &str| read.get(key).and_then(Json::as_u64);
    let tokens = match (number("input_tokens"), number("output_tokens")) {
        (None, None) => None,
        (input, output) => Some((input.unwrap_or(0), output.unwrap_or(0))),
    };
    let said = Said {
        kind: happening.kind.clone(),
        text: read.get("text").and_then(Json::as_str).unwrap_or("").to_owned(),
        tokens,
        took_ms: number("duration_ms").and_then(|ms| i64::try_from(ms).ok()),
    };
    Some(Row { id: format!("h{}", happening.id), at: happening.at, what: What::Said(said), matched: false })
}

fn of_sub(ledger: &mut dyn Ledger, sub: Session, every: bool) -> Result<Row, StoreError> {
    let records = ledger.records_of_session_before(&sub.id, u64::MAX, RECORDS_OF_SUB)?;
    let mut rows = rows_of(ledger, &records, &[], &[])?;
    for deeper in ledger.sessions_under(&sub.id, SUBS)? {
        let (id, at) = (format!("s{}", deeper.number), deeper.first_seen);
        let what = What::Sub(Box::new(Sub { session: deeper, rows: Vec::new(), more: false }));
        rows.push(Row { id, at, what, matched: false });
    }
    rows.sort_by_key(|row| row.at);
    if !every {
        rows = fold(rows);
    }
    let (id, at, more) = (format!("s{}", sub.number), sub.first_seen, records.len() == RECORDS_OF_SUB);
    let what = What::Sub(Box::new(Sub { session: sub, rows, more }));
    Ok(Row { id, at, what, matched: false })
}

/// Makes one row of alike calls that ran one after the other, and that nobody had anything against.
fn fold(rows: Vec<Row>) -> Vec<Row> {
    let mut folded: Vec<Row> = Vec::with_capacity(rows.len());
    for row in rows {
        match (folded.last_mut().map(|last| &mut last.what), row.what) {
            (Some(What::Call(last)), What::Call(call)) if last.is_like(&call) => last.folded.push(*call),
            (_, what) => folded.push(Row { what, ..row }),
        }
    }
    folded
}
