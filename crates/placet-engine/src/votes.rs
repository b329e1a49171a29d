//! Several people answer one hold: whose word counts, what it comes to, and who is asked when nobody answers.
//!
//! What a hold needs stands in the record of its decision, and what somebody said in a record of its own. Both are sealed,
//! and both are read again before an answer counts: changing a row makes nobody agree.

use data_encoding::HEXLOWER;
use placet_core::{
    Json, Timestamp,
    grant::Wider,
    hold::HoldEvent,
    log::leaf,
    quorum::{Needs, Progress, Tally, Voice},
    record::{Escalated, Voted, What, expand},
};
use placet_store::{EntryKind, Hold, HoldId, Ledger, NewHold, StoreError, StoredRecord, Vote};

use subtle::ConstantTimeEq as _;

use crate::{
    AnswerError, Approver, AuditKeys, Card, NotEditable, Ruling, auditor::Filed, engine::Shared,
    submit::first_half,
};

/// What an answer comes to.
pub(crate) enum Heard {
    /// More people must be heard.
    More,
    /// That is enough.
    Enough {
        /// Who agreed on it.
        by: Vec<String>,
        /// How much wider than the one call each of them went; nothing if somebody meant that alone.
        wider: Vec<Wider>,
    },
}

impl Heard {
    /// The answer of one person, where that is enough.
    pub fn one(ruling: &Ruling, by: &Approver) -> Self {
        let wider = match ruling {
            Ruling::ApproveFor(wider) => vec![*wider],
            Ruling::Approve | Ruling::ApproveEdited(_) | Ruling::Deny { .. } => Vec::new(),
        };
        Heard::Enough { by: vec![by.name().to_owned()], wider }
    }
}

/// The decision that opened a hold, as it was written then.
pub(crate) struct Opening {
    /// What it takes to release the call, where one answer of anybody is not enough.
    pub needs: Option<Needs>,
    /// The rules that spoke.
    pub rules: Vec<String>,
}

/// How `hold` was opened, unless its record is not what was written.
pub(crate) fn opening(
    keys: &AuditKeys,
    ledger: &mut dyn Ledger,
    hold: &Hold,
) -> Result<Result<Opening, AnswerError>, StoreError> {
    let opened = &hold.opened;
    let read = sealed(keys, ledger, opened.record, EntryKind::Decision)?;
    let opening = read.as_ref().and_then(|(at, read)| {
        let decided = read.get("what")?.get("decision")?;
        if !is_as_opened(hold, *at, decided)? {
            return None;
        }
        let needs = match decided.get("needs") {
            None => None,
            Some(needs) => Some(Needs::from_json(needs)?),
        };
        let findings = decided.get("findings").and_then(Json::as_array).unwrap_or_default();
        let rule = |finding: &Json| finding.get("source")?.get("rule")?.as_str().map(str::to_owned);
        Some(Opening { needs, rules: findings.iter().filter_map(rule).collect() })
    });
    Ok(opening.ok_or_else(|| AnswerError::Damaged { ticket: opened.ticket.clone() }))
}

/// Whether a row says what the record of the decision that opened the hold says. What is not in the row is none of its
/// business: no approver answers for another call than the one that was shown.
fn is_as_opened(hold: &Hold, at: Timestamp, decided: &Json) -> Option<bool> {
    let NewHold { ticket, digest, agent, session, record: _, opened, deadline, inline_only, crisis, card } =
        &hold.opened;
    let (call, as_opened) = (decided.get("call")?, decided.get("opened")?);
    let text = |json: &Json, key: &str| json.get(key).and_then(Json::as_str).unwrap_or_default().to_owned();
    let is_true = |key: &str| as_opened.get(key).and_then(Json::as_bool).unwrap_or_default();
    // What people saw of a hold goes when that has ended long ago; then no answer is taken any more.
    let shown = (card.is_empty() && hold.state.is_final())
        || text(as_opened, "card") == HEXLOWER.encode(&crate::card::hash(card));
    Some(
        text(decided, "ticket") == ticket.as_str()
            && text(decided, "digest") == HEXLOWER.encode(&first_half(digest))
            && text(call, "agent") == *agent
            && text(call, "session") == *session
            && at == *opened
            && Timestamp::parse(as_opened.get("deadline")?.as_str()?).ok()? == *deadline
            && is_true("inline_only") == *inline_only
            && is_true("crisis") == *crisis
            && shown,
    )
}

/// What `hold` needs, where that was written and still stands as it was.
pub(crate) fn needs(
    keys: &AuditKeys,
    ledger: &mut dyn Ledger,
    hold: &Hold,
) -> Result<Option<Needs>, StoreError> {
    Ok(opening(keys, ledger, hold)?.ok().and_then(|opening| opening.needs))
}

/// The record at `index`, if it is of this kind and stands where and as it was written.
fn sealed(
    keys: &AuditKeys,
    ledger: &mut dyn Ledger,
    index: u64,
    kind: EntryKind,
) -> Result<Option<(Timestamp, Json)>, StoreError> {
    let Some(StoredRecord { at, session, call, body, seal, .. }) = ledger.record_get(index)? else {
        return Ok(None);
    };
    let session = session.map(|number| ledger.session_name(number)).transpose()?.flatten();
    let filed = Filed { kind: kind as u8, at, session: session.as_deref(), call: call.as_deref() };
    let whole = keys.seal(index, &filed, &leaf(&body)).as_slice().ct_eq(&seal);
    Ok(if bool::from(whole) { expand(&body).ok().map(|read| (at, read)) } else { None })
}

/// What was said to a hold, as far as it was said.
fn said(keys: &AuditKeys, ledger: &mut dyn Ledger, hold: &Hold) -> Result<Vec<Vote>, StoreError> {
    let mut said = Vec::new();
    for vote in ledger.votes_of(hold.id)? {
        let read = sealed(keys, ledger, vote.record, EntryKind::Vote)?;
        let voted = read.as_ref().and_then(|(_, read)| read.get("what")?.get("vote"));
        let text = |key: &str| voted.and_then(|voted| voted.get(key)?.as_str());
        let word = if vote.yes { HoldEvent::Approve } else { HoldEvent::Deny };
        let as_written = text("ticket") == Some(hold.opened.ticket.as_str())
            && text("by") == Some(vote.by.as_str())
            && text("vote") == Some(word.as_str())
            && text("wider") == vote.wider.as_deref()
            && read.as_ref().is_some_and(|(at, _)| *at == vote.at);
        if as_written {
            said.push(vote);
        }
    }
    Ok(said)
}

/// The same as voices: who, what, and how long after the question was put.
pub(crate) fn voices<'v>(hold: &Hold, votes: &'v [Vote]) -> impl Iterator<Item = Voice<'v>> {
    let opened = hold.opened.opened;
    votes.iter().map(move |vote| Voice { by: &vote.by, yes: vote.yes, after_ms: vote.at.ms_since(opened) })
}

/// Takes what one of several people says to a hold that needs more than one answer of anybody.
pub(crate) fn hear(
    shared: &Shared,
    ledger: &mut dyn Ledger,
    (hold, needs): (&Hold, &Needs),
    ruling: &Ruling,
    (by, reason): (&Approver, Option<&str>),
    now: Timestamp,
) -> Result<Result<Heard, AnswerError>, StoreError> {
    let ticket = &hold.opened.ticket;
    let after_ms = now.ms_since(hold.opened.opened);
    let refuse = |error| Ok(Err(error));
    let card = Card::read(&hold.opened.card);
    if let Some(user) = requester(card.as_ref()).filter(|user| user.eq_ignore_ascii_case(by.name())) {
        return refuse(AnswerError::OwnWork { ticket: ticket.clone(), user: user.to_owned() });
    }
    if !needs.may_answer(by.name(), after_ms) {
        let asked = needs.addressed(after_ms).join(", ");
        return refuse(AnswerError::NotAsked { ticket: ticket.clone(), by: by.name().to_owned(), asked });
    }
    let (yes, wider) = match ruling {
        Ruling::Approve => (true, None),
        // Each of them would have to say yes to the same change.
        Ruling::ApproveEdited(_) => {
            return refuse(AnswerError::NotEditable { ticket: ticket.clone(), why: NotEditable::Several });
        }
        Ruling::ApproveFor(wider) => {
            // Who cannot give it need not be told by the last one.
            if let Err(error) = crate::grants::scope(hold, *wider) {
                return refuse(error);
            }
            (true, Some(wider.to_string()))
        }
        Ruling::Deny { .. } => (false, None),
    };
    let mut votes = said(&shared.keys, ledger, hold)?;
    if votes.iter().any(|vote| vote.by == by.name() && vote.yes == yes && vote.wider == wider) {
        let missing = missing(&progress(needs, hold, card.as_ref(), &votes, after_ms));
        return refuse(AnswerError::AlreadyVoted {
            ticket: ticket.clone(),
            by: by.name().to_owned(),
            missing,
        });
    }
    let voted = Voted {
        ticket,
        cites: hold.opened.record,
        by: by.name(),
        vote: if yes { HoldEvent::Approve } else { HoldEvent::Deny },
        wider: wider.as_deref(),
        reason,
        via: by.via.as_deref(),
    };
    let record = shared.keys.record(ledger, now, &hold.opened.session, What::Vote(voted))?;
    let vote = Vote { hold: hold.id, by: by.name().to_owned(), yes, wider, at: now, record };
    ledger.vote_put(&vote)?;
    votes.retain(|other| other.by != vote.by);
    votes.push(vote);
    let agreed = match needs.tally(voices(hold, &votes)) {
        Tally::Open => return Ok(Ok(Heard::More)),
        Tally::Approved => true,
        Tally::Denied => false,
    };
    let agreed: Vec<Vote> = votes.into_iter().filter(|vote| vote.yes == agreed).collect();
    let wider: Option<Vec<Wider>> =
        agreed.iter().map(|vote| Wider::parse(vote.wider.as_deref()?).ok()).collect();
    let by = agreed.into_iter().map(|vote| vote.by).collect();
    Ok(Ok(Heard::Enough { by, wider: wider.unwrap_or_default() }))
}

/// How far each thing that a hold needs is met, so long after the question was put.
pub(crate) fn progress(
    needs: &Needs,
    hold: &Hold,
    card: Option<&Card>,
    votes: &[Vote],
    after_ms: i64,
) -> Vec<Progress> {
    let mut progress = needs.progress(voices(hold, votes), after_ms);
    // Whoever asks is not waited for.
    let asks = [requester(card), Some(hold.opened.agent.as_str())];
    let asks = |name: &str| asks.iter().flatten().any(|one| one.eq_ignore_ascii_case(name));
    progress.iter_mut().for_each(|need| need.could.retain(|name| !asks(name)));
    progress
}

/// Who must still agree, in words.
pub(crate) fn missing(progress: &[Progress]) -> String {
    progress.iter().filter_map(Progress::words).collect::<Vec<_>>().join(", and ")
}

/// The person for whom the call is made, if it says so.
fn requester(card: Option<&Card>) -> Option<&str> {
    card?.call("user")?.as_str()
}

/// Says that those who are due are asked about a hold from now on, each once.
pub(crate) fn escalate(
    keys: &AuditKeys,
    ledger: &mut dyn Ledger,
    hold: &Hold,
    needs: &Needs,
    now: Timestamp,
) -> Result<(), StoreError> {
    let after_ms = now.ms_since(hold.opened.opened);
    for (asked, step) in needs.then.iter().zip(0..) {
        if asked.after_ms > 0 && asked.after_ms <= after_ms && ledger.escalation_done(hold.id, step)? {
            say(keys, ledger, &hold.opened, asked, now)?;
        }
    }
    Ok(())
}

fn say(
    keys: &AuditKeys,
    ledger: &mut dyn Ledger,
    hold: &NewHold,
    asked: &placet_core::quorum::Asked,
    now: Timestamp,
) -> Result<(), StoreError> {
    let escalated =
        Escalated { ticket: &hold.ticket, cites: hold.record, to: &asked.to, people: &asked.people };
    keys.record(ledger, now, &hold.session, What::HoldEscalated(escalated)).map(|_| ())
}

/// Keeps in mind who is to be asked about a hold that was just opened, and asks those who are asked at once. Gives when
/// the first of the others is.
pub(crate) fn plan(
    keys: &AuditKeys,
    ledger: &mut dyn Ledger,
    (id, opened): (HoldId, &NewHold),
    needs: &Needs,
) -> Result<Option<Timestamp>, StoreError> {
    let mut first: Option<Timestamp> = None;
    for (asked, step) in needs.then.iter().zip(0..) {
        let due = opened.opened.plus_ms(asked.after_ms);
        if asked.after_ms == 0 {
            say(keys, ledger, opened, asked, opened.opened)?;
        } else if due < opened.deadline {
            ledger.escalation_put(&placet_store::Escalation { hold: id, step, due })?;
            first = Some(first.map_or(due, |first| first.min(due)));
        }
    }
    Ok(first)
}

/// Asks those who are due about holds that nobody has answered.
pub(crate) fn escalate_due(
    keys: &AuditKeys,
    ledger: &mut dyn Ledger,
    now: Timestamp,
    limit: usize,
) -> Result<usize, StoreError> {
    let due = ledger.escalations_due(now, limit)?;
    for step in &due {
        if let Some(hold) = ledger.hold_get(step.hold)?
            && let Some(needs) = self::needs(keys, ledger, &hold)?
        {
            escalate(keys, ledger, &hold, &needs, now)?;
        }
        // Whatever else it was, it is not due any more.
        ledger.escalation_done(step.hold, step.step)?;
    }
    Ok(due.len())
}
