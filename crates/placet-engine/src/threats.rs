//! Threats: what the match of a rule leaves behind for people.

use std::sync::{Arc, atomic::Ordering};

use placet_core::{
    Finding, Json, Source, Timestamp,
    record::{ThreatStep, What, expand},
    rule::{Match, RulePolicy, Severity},
};
use placet_store::{Hold, Ledger, Part, Raised, StoreError, StoredRecord, Threat, ThreatState, transact};

use crate::{Approver, AuditKeys, Engine, Snapshot, engine::Shared};

/// What stands for a rule where rows are not those that were sealed.
const TAMPERED: &str = "placet.tampered";
/// What stands for a rule where a call ran that nobody had let through.
const UNGOVERNED: &str = "placet.ungoverned";

/// What stands for a rule where more calls wait for people than may.
const TOO_MANY_HOLDS: &str = "placet.too_many_holds";

impl Engine {
    /// Says that somebody has seen a threat, or has dealt with it. False if it stands there already.
    pub async fn threat_change(
        &self,
        id: i64,
        state: ThreatState,
        by: &Approver,
    ) -> Result<bool, StoreError> {
        let (shared, by) = (Arc::clone(&self.shared), by.name().to_owned());
        let run = move |ledger: &mut dyn Ledger| {
            let Some(threat) = ledger.threat_get(id)? else { return Ok(false) };
            if !ledger.threat_change(id, state)? {
                return Ok(false);
            }
            record(&shared, ledger, &threat, state, &by)?;
            Ok(true)
        };
        let changed = transact(&*self.shared.store, run).await?;
        self.shared.grown.store(true, Ordering::SeqCst);
        Ok(changed)
    }
}

/// A threat, and what led to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Story {
    /// The threat.
    pub threat: Threat,
    /// What happened in its session, oldest first: each record in which its rule spoke, and what came just before the
    /// first of them.
    pub events: Vec<Told>,
    /// What waits for a person in that session.
    pub pending: Vec<Hold>,
}

/// A record of a story.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// The record.
    pub record: StoredRecord,
    /// What it tells.
    pub what: Json,
    /// Whether the rule spoke.
    pub matched: bool,
}

/// Records of a session that are looked through for a story.
const LOOKED_THROUGH: usize = 2_000;
/// Of what came before the first match, so much is told.
const BEFORE: usize = 10;

impl Engine {
    /// A threat with what led to it and what waits because of it; nothing if there is none.
    pub fn threat_story(&self, id: i64) -> Result<Option<Story>, StoreError> {
        self.look(|ledger| {
            let Some(threat) = ledger.threat_get(id)? else { return Ok(None) };
            let (mut records, pending) = match threat.session.as_str() {
                // Whoever names no session shares none.
                "" => (Vec::new(), Vec::new()),
                session => {
                    let records = ledger.records_of_session(session, LOOKED_THROUGH)?;
                    (records, ledger.holds_pending_of(session)?)
                }
            };
            if !records.iter().any(|record| record.index == threat.record) {
                records.extend(ledger.record_get(threat.record)?);
                records.sort_by_key(|record| record.index);
            }
            let mut events: Vec<Told> = records.into_iter().map(|record| told(record, &threat)).collect();
            let first = events.iter().position(|told| told.matched).unwrap_or(events.len());
            let mut place = 0;
            events.retain(|told| {
                place += 1;
                told.matched || (first.saturating_sub(BEFORE)..first).contains(&(place - 1))
            });
            Ok(Some(Story { threat, events, pending }))
        })
    }
}

fn told(record: StoredRecord, threat: &Threat) -> Told {
    let read = expand(&record.body).unwrap_or(Json::Null);
    let what = read.get("what").cloned().unwrap_or(Json::Null);
    let findings = ["decision", "outcome"].into_iter().find_map(|kind| what.get(kind)?.get("findings"));
    let spoke = |finding: &Json| {
        finding.get("source").and_then(|source| source.get("rule")?.as_str()) == Some(threat.rule.as_str())
    };
    let spoke = findings.and_then(Json::as_array).unwrap_or_default().iter().any(spoke);
    Told { matched: spoke || record.index == threat.record, record, what }
}

/// Writes that somebody has changed where a threat stands.
pub(crate) fn record(
    shared: &Shared,
    ledger: &mut dyn Ledger,
    threat: &Threat,
    state: ThreatState,
    by: &str,
) -> Result<(), StoreError> {
    let step = ThreatStep {
        rule: &threat.rule,
        session: &threat.session,
        state: state.as_str(),
        cites: Some(threat.record),
        by: Some(by),
    };
    shared.keys.record(ledger, shared.clock.now(), &threat.session, What::Threat(step))?;
    Ok(())
}

/// Leaves behind for people what rules found, and says so in the log if it is news. What is only noted and of little
/// weight stands in the record of the event, and nowhere else.
pub(crate) fn raise(
    shared: &Shared,
    snapshot: &Snapshot,
    ledger: &mut dyn Ledger,
    findings: &[Finding],
    (session, now, cites): (&str, Timestamp, u64),
) -> Result<(), StoreError> {
    for finding in findings {
        let Source::Rule(id) = &finding.source else { continue };
        let Some(rule) = snapshot.configuration.rules.get(id) else { continue };
        if rule.policy == RulePolicy::LogOnly && rule.severity < Severity::Medium {
            continue;
        }
        let seen = Match {
            rule: rule.id.clone(),
            title: rule.title.clone(),
            severity: rule.severity,
            policy: rule.policy,
        };
        raise_one(&shared.keys, ledger, &seen, (session, now, cites))?;
    }
    Ok(())
}

/// A call ran that nobody had let through: whatever stands between this agent and its tools was passed by. Its later
/// calls are decided as ever; the ones that do not come to us cannot be stopped here.
pub(crate) fn raise_ungoverned(
    shared: &Shared,
    ledger: &mut dyn Ledger,
    about: (&str, Timestamp, u64),
) -> Result<(), StoreError> {
    let seen = Match {
        rule: UNGOVERNED.to_owned(),
        title: "A call ran that nobody had let through".to_owned(),
        severity: Severity::High,
        policy: RulePolicy::LogOnly,
    };
    raise_one(&shared.keys, ledger, &seen, about)
}

/// How much of one caller waits for people already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TooMuch {
    /// So many calls of its session.
    OfSession(u64),
    /// So many calls of its agent.
    OfAgent(u64),
}

impl std::fmt::Display for TooMuch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::OfSession(count) => {
                write!(
                    f,
                    "{count} calls of this session wait for a person already; ask no more until some are answered"
                )
            }
            Self::OfAgent(count) => {
                write!(
                    f,
                    "{count} calls of this agent wait for a person already; ask no more until some are answered"
                )
            }
        }
    }
}

/// More was asked of people than they could look through. One threat, however often: of the session, or of the agent where
/// its sessions ask too much together.
pub(crate) fn raise_too_many_holds(
    shared: &Shared,
    ledger: &mut dyn Ledger,
    why: TooMuch,
    (session, agent): (&str, &str),
    (now, record): (Timestamp, u64),
) -> Result<(), StoreError> {
    let (rule, title, session) = match why {
        TooMuch::OfSession(_) => {
            (TOO_MANY_HOLDS.to_owned(), "More calls wait for a person than may".to_owned(), session)
        }
        TooMuch::OfAgent(_) => {
            let title = format!("More calls of agent `{agent}` wait for a person than may");
            (format!("{TOO_MANY_HOLDS}:{agent}"), title, "")
        }
    };
    let seen = Match { rule, title, severity: Severity::High, policy: RulePolicy::LogOnly };
    raise_one(&shared.keys, ledger, &seen, (session, now, record))
}

/// Why a call does not run that rests on `part`.
pub(crate) fn tampered(part: Part) -> String {
    format!(
        "another writer than Placet has changed the database ({}), and nothing that rests on it counts; an operator must run `placet audit verify`",
        part.as_str()
    )
}

/// The database was changed by another writer, and a call was refused for it.
pub(crate) fn raise_tampered(
    keys: &AuditKeys,
    ledger: &mut dyn Ledger,
    about: (&str, Timestamp, u64),
) -> Result<(), StoreError> {
    let seen = Match {
        rule: TAMPERED.to_owned(),
        title: "Another writer than Placet has changed the database".to_owned(),
        severity: Severity::Critical,
        policy: RulePolicy::LogOnly,
    };
    raise_one(keys, ledger, &seen, about)
}

/// Leaves one of them behind, and says so in the log if it is news.
pub(crate) fn raise_one(
    keys: &AuditKeys,
    ledger: &mut dyn Ledger,
    seen: &Match,
    (session, now, cites): (&str, Timestamp, u64),
) -> Result<(), StoreError> {
    match ledger.threat_raise(seen, session, now, cites)? {
        Raised::Again => {}
        Raised::New | Raised::Reopened => {
            let state = ThreatState::Open.as_str();
            let step = ThreatStep { rule: &seen.rule, session, state, cites: Some(cites), by: None };
            keys.record(ledger, now, session, What::Threat(step))?;
        }
    }
    Ok(())
}
