//! Threats: what the match of a rule leaves behind for people.

use std::sync::{Arc, atomic::Ordering};

use placet_core::{
    Finding, Source, Timestamp,
    record::{ThreatStep, What},
    rule::{Match, RulePolicy, Severity},
};
use placet_store::{Ledger, Raised, StoreError, Threat, ThreatState, transact};

use crate::{Approver, Engine, Snapshot, engine::Shared};

/// What stands for a rule where a call ran that nobody had let through.
const UNGOVERNED: &str = "placet.ungoverned";

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
        raise_one(shared, ledger, &seen, (session, now, cites))?;
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
    raise_one(shared, ledger, &seen, about)
}

fn raise_one(
    shared: &Shared,
    ledger: &mut dyn Ledger,
    seen: &Match,
    (session, now, cites): (&str, Timestamp, u64),
) -> Result<(), StoreError> {
    match ledger.threat_raise(seen, session, now, cites)? {
        Raised::Again => {}
        Raised::New | Raised::Reopened => {
            let state = ThreatState::Open.as_str();
            let step = ThreatStep { rule: &seen.rule, session, state, cites: Some(cites), by: None };
            shared.keys.record(ledger, now, session, What::Threat(step))?;
        }
    }
    Ok(())
}
