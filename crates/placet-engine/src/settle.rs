//! The transaction of a call: what the decision rests on is checked again, then everything is written at once.

use placet_core::{
    Claim, Decision, Finding, Source, Timestamp, Verdict,
    assess::Pattern,
    hold::{Comeback, HoldEvent, HoldState, Ticket, can_come_back},
    json::Object,
    log::Hash,
    record::{HoldStep, Opened, What},
    rule::{History, HistoryError, RulePolicy, Subject, Taken, Track},
    warrant::{Approval, SealedApproval},
};
use placet_store::{EntryKind, Hold, HoldChange, Ledger, NewHold, Part, Sighting, StoreError};
use std::{cell::RefCell, sync::Arc};

use crate::{
    Answer, CarryOver, Held,
    answer::sentence,
    card, sessions,
    submit::{Attempt, Prepared, stop},
    threats::{self, TooMuch},
    votes,
};

/// What became of a call in its transaction.
pub(crate) enum Settled {
    /// Something the decision rests on has changed; nothing was written.
    Stale,
    /// The question was let go without an answer; the call is decided as if it came now. Nothing was written.
    Anew,
    /// A person has let it run with these arguments only; it is decided with them. Nothing was written.
    Edited { attempt: Attempt, args: Object },
    /// There is an answer.
    Done(Answer),
    /// A person is asked, until then.
    Held(Held, Timestamp),
}

/// What releases a call that a person has let run.
enum Release {
    /// An approval that was signed and kept, and what is used up with it.
    Kept { once: String },
    /// The answer itself, in the transaction that takes it. It is never written down, so nobody can show it again.
    Given,
}

/// Tickets are as short as they can be: this long, and longer only when one is taken.
const TICKET_LENGTHS: std::ops::RangeInclusive<usize> = 4..=12;

impl Prepared {
    /// Checks, and writes, by what is in force.
    pub(crate) fn settle_call(
        &self,
        ledger: &mut dyn Ledger,
        given: Option<&Approval>,
    ) -> Result<Settled, StoreError> {
        let mut stricter = self.weigh(ledger)?;
        let lifted = self.lift(ledger, &mut stricter)?;
        let (decision, masked) = match &stricter {
            Some((decision, masked)) => (decision, masked),
            None => (&*self.decision, &*self.masked),
        };
        let verdict = self.carry_out(decision);

        if let Some(attempt) = &self.again
            && verdict != Verdict::Block
        {
            return self.come_back(ledger, attempt, (decision, masked), given);
        }
        let known = match verdict == Verdict::Hold && self.may_come_back {
            true => ledger.hold_of_call(&self.token)?,
            false => None,
        };
        let known = match known {
            Some(hold) if self.has_outgrown(ledger, &hold, masked)? => {
                self.free(ledger, &hold)?;
                None
            }
            known => known,
        };
        let meets = known
            .as_ref()
            .map_or(Comeback::New, |hold| Comeback::of(hold.state, hold.since, hold.redeem_until, self.now));
        // A no is for the call, not for the one hold that it answered.
        let is_new = verdict == Verdict::Hold && matches!(meets, Comeback::New | Comeback::Lapsed);
        let denied = if is_new { self.denied_before(ledger)? } else { None };
        let (known, meets) = match denied {
            Some(denied) => (Some(denied), Comeback::DeniedAlready),
            None => (known, meets),
        };
        if let Some(hold) = known.as_ref().filter(|_| meets == Comeback::Redeem)
            && let Some(args) = ledger.hold_edit_get(hold.id)?
        {
            return self.as_edited(ledger, hold, &args, masked);
        }
        let runs = verdict == Verdict::Allow || meets == Comeback::Redeem;
        if runs && !self.claims_hold(ledger, decision)? {
            return Ok(Settled::Stale);
        }
        self.seen(ledger, verdict)?;
        self.remember_crisis(ledger)?;
        if lifted && verdict == Verdict::Allow {
            self.let_go(ledger)?;
        }
        let ticket = match (&known, meets) {
            (Some(hold), Comeback::Join | Comeback::Redeem | Comeback::DeniedAlready) => {
                Some(hold.opened.ticket.clone())
            }
            _ => None,
        };
        match (verdict, known, meets) {
            (Verdict::Hold, Some(hold), Comeback::Redeem) => {
                let release = match self.release(ledger, &hold, None)? {
                    Ok(release) => release,
                    Err(reason) => return self.refuse(ledger, masked, reason),
                };
                let body = self.encode(masked, ticket.as_ref(), Some(Verdict::Allow));
                let record = self.append(ledger, &body)?;
                self.redeem(ledger, &hold, &release)?;
                self.use_up(ledger, decision)?;
                self.note(ledger, decision, true)?;
                Ok(Settled::Done(Answer::allowed(record)))
            }
            (Verdict::Hold, Some(hold), Comeback::Join) => {
                let record = self.write(ledger, masked, ticket.as_ref(), stricter.is_some())?;
                self.note(ledger, decision, false)?;
                Ok(Settled::Held(self.held(&hold.opened.ticket, masked, record), hold.opened.deadline))
            }
            (Verdict::Hold, Some(hold), Comeback::DeniedAlready) => {
                let record = self.write(ledger, masked, ticket.as_ref(), stricter.is_some())?;
                self.note(ledger, decision, false)?;
                Ok(Settled::Done(Answer::denied(&hold.opened.ticket, hold.reason.as_deref(), record)))
            }
            (
                Verdict::Hold,
                hold,
                Comeback::New
                | Comeback::Lapsed
                | Comeback::Redeem
                | Comeback::Join
                | Comeback::DeniedAlready,
            ) => {
                if let Some(hold) = hold.filter(|hold| hold.state == HoldState::Approved) {
                    let keys = &self.shared.keys;
                    crate::timekeeper::step(ledger, keys, &hold, HoldEvent::Lapse, self.now)?;
                }
                if let Some(reason) = self.asks_too_much(ledger)? {
                    return self.not_held(ledger, masked, reason);
                }
                let held = self.open_hold(ledger, masked)?;
                self.note(ledger, decision, false)?;
                Ok(Settled::Held(held, self.deadline))
            }
            (Verdict::Allow, ..) => {
                let record = self.write(ledger, masked, None, stricter.is_some())?;
                if decision.assessment.as_ref().is_some_and(|a| a.pattern == Pattern::PostExecutionReview) {
                    ledger.review_put(record, self.masked_call.session(), self.now)?;
                }
                self.use_up(ledger, decision)?;
                self.note(ledger, decision, true)?;
                let observed = (decision.verdict != Verdict::Allow).then(|| sentence(&masked.reasons));
                Ok(Settled::Done(Answer::Allow { args: None, changed: None, record, observed }))
            }
            (Verdict::Block, ..) => {
                let record = self.write(ledger, masked, None, stricter.is_some())?;
                self.note(ledger, decision, false)?;
                let speaking = masked.findings.iter().filter(|finding| finding.verdict == Verdict::Block);
                let reasons: Vec<String> = speaking.map(|finding| finding.reason.clone()).collect();
                Ok(Settled::Done(Answer::blocked(&reasons, record)))
            }
        }
    }

    /// Whether what the decision rests on was swapped. Rules, keys and revocations are swapped whole; whoever decided by
    /// the old ones decides again.
    pub(crate) fn is_stale(&self, ledger: &mut dyn Ledger) -> Result<bool, StoreError> {
        let swapped = !Arc::ptr_eq(&self.shared.snapshot().configuration, &self.snapshot.configuration);
        Ok(swapped || ledger.settings_version()? != self.snapshot.settings.version)
    }

    /// What the transaction adds to the decision, and to the same without secrets, if it adds anything.
    pub(crate) fn weigh(&self, ledger: &mut dyn Ledger) -> Result<Option<(Decision, Decision)>, StoreError> {
        let mut stricter: Option<(Decision, Decision)> = None;
        self.refuse_tampered(ledger, &mut stricter)?;
        self.judge_again(ledger, &mut stricter)?;
        self.weigh_threats(ledger, &mut stricter)?;
        self.weigh_crisis(ledger, &mut stricter)?;
        self.refuse_replay(ledger, &mut stricter)?;
        Ok(stricter)
    }

    /// Lets rules speak again if what they remember has changed since they spoke.
    fn judge_again(
        &self,
        ledger: &mut dyn Ledger,
        stricter: &mut Option<(Decision, Decision)>,
    ) -> Result<(), StoreError> {
        let mut changed: Vec<&str> = Vec::new();
        for (track, version) in &self.seen {
            if ledger.shelf_version(track)? != *version && !changed.contains(&track.rule.as_str()) {
                changed.push(&track.rule);
            }
        }
        if changed.is_empty() {
            return Ok(());
        }
        let Some(assessment) = self.decision.assessment.as_ref() else { return Ok(()) };
        let judged = self.snapshot.configuration.rules.judge_only(
            &changed,
            &Subject::call(&self.call, assessment),
            self.now,
            &Exact { ledger: RefCell::new(ledger), keys: &self.shared.keys },
        );
        let is_old = |finding: &&Finding| match &finding.source {
            Source::Rule(id) => changed.contains(&id.as_str()),
            _ => false,
        };
        if self.decision.findings.iter().filter(is_old).eq(judged.findings.iter()) {
            return Ok(());
        }
        let again = |decision: &Decision| {
            let others = decision.findings.iter().filter(|finding| !is_old(finding)).cloned();
            let findings = others.chain(judged.findings.iter().cloned()).collect();
            let of = Decision::of(findings, decision.digest, decision.assessment.clone());
            // What was said on the way in still counts: a decision made anew is never milder.
            let verdict = of.verdict.max(decision.verdict);
            let reasons = if verdict == of.verdict { of.reasons } else { decision.reasons.clone() };
            Decision {
                verdict,
                reasons,
                findings: of.findings,
                claims: decision.claims.clone(),
                digest: decision.digest,
                assessment: decision.assessment.clone(),
                notes: decision.notes.clone(),
            }
        };
        *stricter = Some((again(&self.decision), again(&self.masked)));
        Ok(())
    }

    /// Lets the open threats of the session speak.
    fn weigh_threats(
        &self,
        ledger: &mut dyn Ledger,
        stricter: &mut Option<(Decision, Decision)>,
    ) -> Result<(), StoreError> {
        // One such name stands for the sessions of many, who have nothing to do with each other.
        let shared = !can_come_back(self.call.session());
        if self.snapshot.configuration.carry_over == CarryOver::Nothing || shared {
            return Ok(());
        }
        for threat in ledger.threats_open_of(self.call.session())? {
            if threat.policy == RulePolicy::LogOnly {
                continue;
            }
            let (decision, masked) =
                stricter.get_or_insert_with(|| ((*self.decision).clone(), (*self.masked).clone()));
            for decision in [decision, masked] {
                decision.findings.push(Finding {
                    source: Source::Threat(threat.rule.clone()),
                    verdict: threat.policy.verdict(),
                    reason: format!(
                        "nobody has looked yet at what this session did before: {}",
                        threat.title
                    ),
                });
                let of = Decision::of(std::mem::take(&mut decision.findings), None, None);
                (decision.verdict, decision.reasons, decision.findings) =
                    (of.verdict, of.reasons, of.findings);
            }
        }
        Ok(())
    }

    /// Lets no call run that rests on rows which are not those that were sealed.
    fn refuse_tampered(
        &self,
        ledger: &mut dyn Ledger,
        stricter: &mut Option<(Decision, Decision)>,
    ) -> Result<(), StoreError> {
        let claims = &self.decision.claims;
        let counts = claims.iter().any(|claim| matches!(claim, Claim::Count { key, .. } if !of_rule(key)));
        let proves = claims.iter().any(|claim| matches!(claim, Claim::Once { .. }));
        let bound = self.snapshot.any_bound();
        let family = bound || self.snapshot.any_session_stopped();
        let rests_on = [
            (Part::WarrantCounters, counts),
            (Part::Proofs, proves),
            (Part::BoundSessions, bound),
            (Part::ChildSessions, family),
            (Part::GrantsInForce, self.snapshot.any_granted()),
            (Part::OpenThreats, self.snapshot.configuration.carry_over != CarryOver::Nothing),
        ];
        for (part, _) in rests_on.into_iter().filter(|(_, rests)| *rests) {
            if !ledger.part_holds(part)? {
                let (decision, masked) =
                    stricter.get_or_insert_with(|| ((*self.decision).clone(), (*self.masked).clone()));
                for decision in [decision, masked] {
                    stop(decision, Source::Store, threats::tampered(part));
                }
            }
        }
        Ok(())
    }

    /// Lets nobody show the same proof twice.
    fn refuse_replay(
        &self,
        ledger: &mut dyn Ledger,
        stricter: &mut Option<(Decision, Decision)>,
    ) -> Result<(), StoreError> {
        for claim in &self.decision.claims {
            if let Claim::Once { key } = claim
                && ledger.once_used(key)?
            {
                let (decision, masked) =
                    stricter.get_or_insert_with(|| ((*self.decision).clone(), (*self.masked).clone()));
                for decision in [decision, masked] {
                    let reason = "the proof of possession was used before".to_owned();
                    stop(decision, Source::Warrant, reason);
                }
            }
        }
        Ok(())
    }

    /// Whether what a warrant counts still has room for this call.
    fn claims_hold(&self, ledger: &mut dyn Ledger, decision: &Decision) -> Result<bool, StoreError> {
        for claim in &decision.claims {
            if let Claim::Count { key, adds, limit, .. } = claim
                && !of_rule(key)
                && ledger.counter_get(key)?.checked_add(*adds).is_none_or(|sum| sum > *limit)
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Uses up what the decision claims.
    fn use_up(&self, ledger: &mut dyn Ledger, decision: &Decision) -> Result<(), StoreError> {
        for claim in &decision.claims {
            match claim {
                Claim::Count { key, adds, ends, .. } if !of_rule(key) => match ends {
                    Some(ends) => ledger.counter_add_until(key, *adds, *ends)?,
                    None => ledger.counter_add(key, *adds)?,
                },
                Claim::Once { key } => {
                    if !ledger.once_use(key, self.now)? {
                        return Err(refused("a proof was used before"));
                    }
                }
                Claim::Count { .. } | Claim::Version { .. } => {}
            }
        }
        Ok(())
    }

    /// The session was seen.
    pub(crate) fn seen(&self, ledger: &mut dyn Ledger, verdict: Verdict) -> Result<(), StoreError> {
        let call = &self.masked_call;
        let learned = ledger.session_seen(&Sighting {
            session: call.session(),
            agent: call.agent(),
            host: call.host(),
            parent: call.parent_session(),
            user: call.user(),
            deployment: call.deployment(),
            at: self.now,
            verdict: Some(verdict),
        })?;
        if learned { sessions::family_changed(ledger) } else { Ok(()) }
    }

    /// Writes the record, and what rules found.
    fn write(
        &self,
        ledger: &mut dyn Ledger,
        masked: &Decision,
        ticket: Option<&Ticket>,
        changed: bool,
    ) -> Result<u64, StoreError> {
        match &self.ready {
            Some(ready) if !changed && ticket.is_none() => self.write_body(ledger, masked, ready),
            _ => self.write_body(ledger, masked, &self.encode(masked, ticket, None)),
        }
    }

    fn write_body(
        &self,
        ledger: &mut dyn Ledger,
        masked: &Decision,
        body: &(Vec<u8>, Hash),
    ) -> Result<u64, StoreError> {
        let record = self.append(ledger, body)?;
        let session = self.call.session();
        if masked.findings.iter().any(|finding| finding.source == Source::Store) {
            threats::raise_tampered(&self.shared.keys, ledger, (session, self.now, record))?;
        }
        threats::raise(&self.shared, &self.snapshot, ledger, &masked.findings, (session, self.now, record))?;
        Ok(record)
    }

    pub(crate) fn append(
        &self,
        ledger: &mut dyn Ledger,
        (body, hash): &(Vec<u8>, Hash),
    ) -> Result<u64, StoreError> {
        let whose = (self.call.session(), self.call.id());
        self.shared.keys.append(ledger, EntryKind::Decision, self.now, whose, (body, *hash))
    }

    /// Says no to a call whose approval does not count, and records it.
    pub(crate) fn refuse(
        &self,
        ledger: &mut dyn Ledger,
        masked: &Decision,
        reason: String,
    ) -> Result<Settled, StoreError> {
        let mut refused = masked.clone();
        stop(&mut refused, Source::Input, reason);
        let record = self.write(ledger, &refused, None, true)?;
        Ok(Settled::Done(Answer::blocked(&refused.reasons, record)))
    }

    /// Remembers what rules want remembered. `happened` says whether the call runs.
    fn note(&self, ledger: &mut dyn Ledger, decision: &Decision, happened: bool) -> Result<(), StoreError> {
        // A call that comes back was counted when it came first.
        let first = self.again.is_none();
        for note in &decision.notes {
            let due = if note.what.needs_to_happen() { happened } else { first };
            if due {
                ledger.note_put(note)?;
            }
        }
        Ok(())
    }

    fn held(&self, ticket: &Ticket, masked: &Decision, record: u64) -> Held {
        Held {
            ticket: ticket.clone(),
            about: card::about(masked),
            may_come_back: self.may_come_back,
            record,
            crisis: None,
        }
    }

    /// The hold of this very call to which a person said no a short while ago, though another waited for that answer.
    fn denied_before(&self, ledger: &mut dyn Ledger) -> Result<Option<Hold>, StoreError> {
        if !can_come_back(self.call.session()) {
            // One name stands for many, of whom each asks for itself.
            return Ok(None);
        }
        let denied = ledger.hold_denied_of_call(&self.token)?;
        let holds = |hold: &Hold| {
            Comeback::of(hold.state, hold.since, hold.redeem_until, self.now) == Comeback::DeniedAlready
        };
        Ok(denied.filter(holds))
    }

    /// Why no further hold is opened for this caller: people would look through none of so many.
    fn asks_too_much(&self, ledger: &mut dyn Ledger) -> Result<Option<TooMuch>, StoreError> {
        let (session, agent) = (self.masked_call.session(), self.masked_call.agent());
        let (of_session, of_agent) = ledger.holds_pending_count(session, agent)?;
        let most = &self.snapshot.configuration.policy.holds;
        // One name of a session that stands for many is counted by agent only.
        let session = Some(session).filter(|session| can_come_back(session));
        Ok(match session {
            Some(_) if of_session >= most.pending_of_session.get() => Some(TooMuch::OfSession(of_session)),
            Some(_) | None if of_agent >= most.pending_of_agent.get() => Some(TooMuch::OfAgent(of_agent)),
            Some(_) | None => None,
        })
    }

    /// Blocks a call that would wait for a person who is asked too much already.
    fn not_held(
        &self,
        ledger: &mut dyn Ledger,
        masked: &Decision,
        why: TooMuch,
    ) -> Result<Settled, StoreError> {
        let mut refused = masked.clone();
        stop(&mut refused, Source::Setting, why.to_string());
        let record = self.write(ledger, &refused, None, true)?;
        let (session, agent) = (self.masked_call.session(), self.masked_call.agent());
        threats::raise_too_many_holds(&self.shared, ledger, why, (session, agent), (self.now, record))?;
        self.note(ledger, masked, false)?;
        Ok(Settled::Done(Answer::blocked(&refused.reasons, record)))
    }

    fn open_hold(&self, ledger: &mut dyn Ledger, masked: &Decision) -> Result<Held, StoreError> {
        let chance = getrandom::u64().map_err(|error| {
            StoreError::new(placet_store::Fault::Other, format!("no random bytes: {error}"))
        })?;
        let needs = self.needs(masked);
        let mut hold = NewHold {
            ticket: Ticket::from_bits(chance, *TICKET_LENGTHS.start()),
            digest: self.token,
            agent: self.masked_call.agent().to_owned(),
            session: self.masked_call.session().to_owned(),
            record: ledger.log_size()?,
            opened: self.now,
            deadline: self.deadline,
            inline_only: !self.may_come_back,
            crisis: masked.assessment.as_ref().is_some_and(|assessment| assessment.crisis_sensitive),
            card: card::write(&self.masked_call, masked, needs.as_ref(), self.edits),
        };
        for length in TICKET_LENGTHS {
            hold.ticket = Ticket::from_bits(chance, length);
            if let Some(id) = ledger.hold_open(&hold)? {
                let opened = Opened {
                    deadline: hold.deadline,
                    inline_only: hold.inline_only,
                    crisis: hold.crisis,
                    card: card::hash(&hold.card),
                };
                let body = self.encode_opening(masked, Some(&hold.ticket), None, Some(opened));
                let record = self.write_body(ledger, masked, &body)?;
                if let Some(needs) = &needs {
                    let first = votes::plan(&self.shared.keys, ledger, (id, &hold), needs)?;
                    first.into_iter().for_each(|first| self.shared.due_at(first));
                }
                return Ok(self.held(&hold.ticket, masked, record));
            }
        }
        Err(StoreError::new(placet_store::Fault::Other, "there is no ticket left"))
    }

    /// What releases a hold: an approval that was given here, for this call, is in time and was not used.
    fn release(
        &self,
        ledger: &mut dyn Ledger,
        hold: &Hold,
        given: Option<&Approval>,
    ) -> Result<Result<Release, String>, StoreError> {
        let ticket = &hold.opened.ticket;
        let does_not_count = |error| Ok(Err(format!("the approval of {ticket} does not count: {error}")));
        // The answer may be younger than our look at the clock.
        let now = self.now.max(hold.since);
        if let Some(approval) = given {
            return match approval.check(&self.token, now) {
                Ok(()) => Ok(Ok(Release::Given)),
                Err(error) => does_not_count(error),
            };
        }
        let Some(bytes) = &hold.approval else {
            return Ok(Err(format!("nobody has signed the approval of {ticket}")));
        };
        let sealed = SealedApproval::from_bytes(bytes.as_slice());
        let approval = match self.shared.keys.open_approval(&sealed, &self.token, now) {
            Ok(approval) => approval,
            Err(error) => return does_not_count(error),
        };
        let once = once(&approval);
        if ledger.once_used(&once)? {
            return Ok(Err(format!("the approval of {ticket} was used before")));
        }
        if !ledger.part_holds(Part::ApprovedHolds)? || !ledger.hold_is_listed(hold)? {
            let about = (self.call.session(), self.now, hold.opened.record);
            threats::raise_tampered(&self.shared.keys, ledger, about)?;
            return Ok(Err(threats::tampered(Part::ApprovedHolds)));
        }
        Ok(Ok(Release::Kept { once }))
    }

    fn redeem(&self, ledger: &mut dyn Ledger, hold: &Hold, release: &Release) -> Result<(), StoreError> {
        let state = hold.state.step(HoldEvent::Redeem).map_err(|error| refused(&error.to_string()))?;
        let change = HoldChange {
            state,
            since: self.now,
            by: None,
            reason: None,
            redeem_until: hold.redeem_until,
            approval: None,
        };
        ledger.hold_change(hold.id, &change)?;
        // Whatever is done to the row later: the approval was used.
        if let Release::Kept { once } = release
            && !ledger.once_use(once, self.now)?
        {
            return Err(refused("the approval was used before"));
        }
        let step = HoldStep {
            ticket: &hold.opened.ticket,
            cites: hold.opened.record,
            step: HoldEvent::Redeem,
            by: None,
            reason: None,
            via: None,
            edit: None,
        };
        self.shared.keys.record(ledger, self.now, self.call.session(), What::HoldStep(step))?;
        Ok(())
    }

    /// The call was waiting, and something happened to its hold.
    fn come_back(
        &self,
        ledger: &mut dyn Ledger,
        Attempt { ticket, record }: &Attempt,
        (decision, masked): (&Decision, &Decision),
        given: Option<&Approval>,
    ) -> Result<Settled, StoreError> {
        let Some(hold) = ledger.hold_by_ticket(ticket)? else {
            return Err(StoreError::new(placet_store::Fault::Corrupt, "a hold is gone"));
        };
        // What runs is this attempt: its host tells by this record how it ended.
        let record = *record;
        let answer = match hold.state {
            HoldState::Pending => {
                let held = self.held(ticket, &self.masked, record);
                return Ok(Settled::Held(held, hold.opened.deadline));
            }
            HoldState::Approved if self.now >= hold.redeem_until => Answer::expired(ticket, record),
            HoldState::Approved => {
                if !self.edited
                    && let Some(args) = ledger.hold_edit_get(hold.id)?
                {
                    return self.as_edited(ledger, &hold, &args, masked);
                }
                // What a person has made of it asks for that itself.
                if !self.edited && self.has_outgrown(ledger, &hold, masked)? {
                    if self.may_come_back {
                        return Ok(Settled::Anew);
                    }
                    let reason = format!("more people must agree by now than were asked ({ticket})");
                    return self.refuse(ledger, masked, reason);
                }
                if !self.claims_hold(ledger, decision)? {
                    return Ok(Settled::Stale);
                }
                let release = match self.release(ledger, &hold, given)? {
                    Ok(release) => release,
                    Err(reason) => return self.refuse(ledger, &self.masked, reason),
                };
                let answer = match self.edited {
                    true => match self.allow_edited(ledger, ticket, masked)? {
                        Ok(answer) => answer,
                        Err(reason) => return self.refuse(ledger, masked, reason),
                    },
                    false => Answer::allowed(record),
                };
                self.redeem(ledger, &hold, &release)?;
                self.use_up(ledger, decision)?;
                self.note(ledger, decision, true)?;
                answer
            }
            HoldState::Denied => Answer::denied(ticket, hold.reason.as_deref(), record),
            HoldState::Expired | HoldState::Lapsed => Answer::expired(ticket, record),
            HoldState::Abandoned if self.may_come_back && !self.is_over(ledger)? => {
                return Ok(Settled::Anew);
            }
            HoldState::Abandoned => Answer::abandoned(ticket, record),
            HoldState::Redeemed => Answer::used_up(ticket, record),
        };
        Ok(Settled::Done(answer))
    }

    /// Whether the session of the call has ended.
    fn is_over(&self, ledger: &mut dyn Ledger) -> Result<bool, StoreError> {
        let session = ledger.session_get(self.call.session())?;
        Ok(session.is_none_or(|session| session.ended.is_some()))
    }
}

/// What redeeming an approval uses up.
fn once(approval: &Approval) -> String {
    match approval.claim() {
        Claim::Once { key } => key,
        Claim::Count { key, .. } | Claim::Version { key, .. } => key,
    }
}

fn refused(detail: &str) -> StoreError {
    StoreError::new(placet_store::Fault::Refused, detail)
}

/// What rules count is remembered by notes, not by counters.
fn of_rule(key: &str) -> bool {
    key.starts_with("rule:")
}

/// The history as the transaction sees it.
pub(crate) struct Exact<'a> {
    pub ledger: RefCell<&'a mut dyn Ledger>,
    pub keys: &'a crate::AuditKeys,
}

impl Exact<'_> {
    fn shelf(&self, track: &Track) -> Result<placet_core::rule::Shelf, HistoryError> {
        self.ledger.borrow_mut().shelf_get(track).map_err(|error| HistoryError(error.to_string()))
    }
}

impl History for Exact<'_> {
    fn count(&self, track: &Track, since: Timestamp) -> Result<u64, HistoryError> {
        self.shelf(track).map(|shelf| shelf.count(since))
    }

    fn distinct(&self, track: &Track, since: Timestamp, values: &[String]) -> Result<u64, HistoryError> {
        let hidden: Vec<String> = values.iter().map(|value| self.keys.hide(value)).collect();
        self.shelf(track).map(|shelf| shelf.distinct(since, &hidden))
    }

    fn sum(&self, track: &Track, since: Timestamp) -> Result<i128, HistoryError> {
        self.shelf(track).map(|shelf| shelf.sum(since))
    }

    fn steps(&self, track: &Track, since: Timestamp) -> Result<Vec<Taken>, HistoryError> {
        self.shelf(track).map(|shelf| shelf.steps(since))
    }
}
