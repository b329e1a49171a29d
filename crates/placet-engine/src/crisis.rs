//! The crisis gate where calls meet: what was said of a life in danger in a session, and what follows for what is sent
//! afterwards.

use placet_core::{
    Decision, EventKind, Json, Timestamp, ToolCall, Verdict,
    assess::{HumanImpact, Pattern},
    crisis::{self, Addressees, Crisis, Language, Off},
    event::Report,
    hold::can_come_back,
    mode::CrisisGate,
    record::{Spoken, What},
    warrant::Approval,
};
use placet_store::{CrisisMark, Ledger, Part, StoreError};

use crate::{Answer, Comfort, Held, engine::Shared, settle::Settled, submit::Prepared};

/// Stands for everybody: a life in danger was spoken of, and nobody knows by whom.
const EVERYBODY: &str = "*";
/// Stands for whoever got a message that names nobody.
const SOMEBODY: &str = "?";
/// How many sessions a line of descent may have.
const ANCESTORS_MAX: usize = 32;
/// How long it is remembered of an agent whose calls name no session.
const WITHOUT_SESSION_MS: i64 = 24 * 60 * 60 * 1_000;

impl Prepared {
    /// What follows from `decision` in the mode this call is decided in.
    pub fn carry_out(&self, decision: &Decision) -> Verdict {
        let watches = self.snapshot.configuration().policy.crisis.is_off(Off::InObserveMode);
        self.mode().carry_out(decision, if watches { CrisisGate::Watches } else { CrisisGate::Stops })
    }

    /// Checks and writes, and adds what is said of a message that touches life and safety. `given` is the approval that
    /// the transaction itself gives.
    pub fn settle(&self, ledger: &mut dyn Ledger, given: Option<&Approval>) -> Result<Settled, StoreError> {
        // What a transaction did that came to nothing is done once more.
        self.freed().clear();
        if self.is_stale(ledger)? {
            return Ok(Settled::Stale);
        }
        // Who may not ask is told nothing else.
        if let Some(reason) = self.voice.refuses(ledger, &self.call, &self.snapshot)? {
            return Ok(Settled::Done(Answer::refused(&reason)));
        }
        Ok(match self.settle_call(ledger, given)? {
            Settled::Stale => Settled::Stale,
            Settled::Anew => Settled::Anew,
            Settled::Edited { attempt, args } => Settled::Edited { attempt, args },
            Settled::Done(answer) if answer.is_allow() => Settled::Done(answer),
            Settled::Done(answer) => Settled::Done(answer.telling(self.told(ledger)?.as_ref())),
            Settled::Held(held, deadline) => {
                Settled::Held(Held { crisis: self.told(ledger)?, ..held }, deadline)
            }
        })
    }

    /// What is said of this call if it touches life and safety.
    fn told(&self, ledger: &mut dyn Ledger) -> Result<Option<Comfort>, StoreError> {
        let by_itself =
            self.decision.assessment.as_ref().is_some_and(|assessment| assessment.crisis_sensitive);
        let before = self.spoken_before(ledger)?;
        if !by_itself && before.is_none() {
            return Ok(None);
        }
        let language = crisis::in_json(self.call.args()).map(|sign| sign.language).or(before.flatten());
        Ok(Some(Comfort { text: self.snapshot.configuration().policy.crisis.told(language) }))
    }

    /// Lets what was said before in the session speak.
    pub fn weigh_crisis(
        &self,
        ledger: &mut dyn Ledger,
        stricter: &mut Option<(Decision, Decision)>,
    ) -> Result<(), StoreError> {
        if self.decision.assessment.as_ref().is_none_or(|assessment| assessment.crisis_sensitive) {
            return Ok(());
        }
        let Some(language) = self.spoken_before(ledger)? else { return Ok(()) };
        let crisis = Crisis::Before(language);
        let (decision, masked) =
            stricter.get_or_insert_with(|| ((*self.decision).clone(), (*self.masked).clone()));
        for decision in [decision, masked] {
            if let Some(assessment) = &mut decision.assessment {
                assessment.crisis_sensitive = true;
                assessment.requires_human = true;
                assessment.human_impact = HumanImpact::Critical;
                assessment.pattern = Pattern::PreExecutionGate;
                assessment.reasons.push(crisis.reason().into_owned());
            }
            decision.findings.insert(0, crisis.finding());
            let of = Decision::of(std::mem::take(&mut decision.findings), None, None);
            (decision.verdict, decision.reasons, decision.findings) = (of.verdict, of.reasons, of.findings);
        }
        Ok(())
    }

    /// Whether this call goes to somebody with whom a life in danger was spoken of in its session, and the language.
    fn spoken_before(&self, ledger: &mut dyn Ledger) -> Result<Option<Option<Language>>, StoreError> {
        let Some(assessment) = &self.decision.assessment else { return Ok(None) };
        if !assessment.effects.iter().any(crisis::is_to_people) {
            return Ok(None);
        }
        // Where marks were changed, there may have been one for every addressee.
        if !ledger.part_holds(Part::Crisis)? {
            return Ok(Some(None));
        }
        if !ledger.crisis_is_marked()? {
            return Ok(None);
        }
        let who = Who::of(&self.call);
        let mut marks = Vec::new();
        for (scope, since) in who.scopes(ledger, self.now)? {
            marks.extend(ledger.crisis_marks(&scope, since)?);
        }
        if marks.is_empty() {
            return Ok(None);
        }
        let whom = Addressees::of(self.call.args(), &assessment.effects);
        let keys: Vec<String> = whom.iter().map(|one| self.shared.keys.hide(one.as_str())).collect();
        let anybody = whom.is_empty() || crisis::brings_in(self.call.tool().as_str());
        let meant = |mark: &&CrisisMark| anybody || mark.mark == EVERYBODY || keys.contains(&mark.mark);
        let language = |mark: &CrisisMark| mark.language.as_deref().and_then(Language::named);
        Ok(marks.iter().find(meant).map(language))
    }

    /// What speaks of a life in danger is remembered, with whomever it goes to.
    pub fn remember_crisis(&self, ledger: &mut dyn Ledger) -> Result<(), StoreError> {
        let Some(assessment) =
            self.decision.assessment.as_ref().filter(|assessment| assessment.crisis_sensitive)
        else {
            return Ok(());
        };
        // What is gated by its tool or by name alone says nothing of anybody.
        let Some(sign) = crisis::in_json(self.call.args()) else { return Ok(()) };
        let whom = Addressees::of(self.call.args(), &assessment.effects);
        let who = Who::of(&self.call);
        let unnamed = whom.is_empty().then(|| SOMEBODY.to_owned());
        let marks = whom.iter().map(|one| self.shared.keys.hide(one.as_str())).chain(unnamed);
        who.mark(ledger, marks, sign.language, self.now).map(|_| ())
    }
}

/// Remembers if a person speaks of a life in danger: to the agent, or in a message it has read.
pub(crate) fn take_note(
    shared: &Shared,
    ledger: &mut dyn Ledger,
    report: &Report,
    now: Timestamp,
) -> Result<(), StoreError> {
    let Some((sign, whom)) = spoken(report) else { return Ok(()) };
    let who = Who {
        host: report.host(),
        agent: report.agent(),
        session: report.session(),
        parent: report.parent_session(),
    };
    let anybody = whom.is_empty().then(|| EVERYBODY.to_owned());
    let marks = whom.iter().map(|one| shared.keys.hide(one.as_str())).chain(anybody);
    if who.mark(ledger, marks, sign.language, now)? {
        let with = (!whom.is_empty()).then_some(whom.iter().count() as u64);
        let spoken = Spoken {
            session: report.session(),
            told_by: report.kind().as_str(),
            language: sign.language.code(),
            with,
        };
        shared.keys.record(ledger, now, report.session(), What::Crisis(spoken))?;
    }
    Ok(())
}

/// Words of a life in danger that a person has written, and who that may be; nobody if it cannot be told.
fn spoken(report: &Report) -> Option<(crisis::Sign, Addressees)> {
    match report.kind() {
        EventKind::UserInput => {
            let sign = report.text().and_then(crisis::in_text)?;
            let mut whom = Addressees::of(report.data(), &[]);
            if !whom.is_empty() {
                report.user().into_iter().for_each(|user| whom.add(user));
            }
            Some((sign, whom))
        }
        EventKind::ToolResult => {
            if report.tool().is_some_and(|tool| !crisis::shows_messages(tool.as_str())) {
                return None;
            }
            let inside = report.result().and_then(Json::as_str).or(report.text());
            let read = inside.and_then(|text| Json::read(text).ok());
            let result = read.as_ref().or(report.result());
            let signed =
                result.and_then(|result| Some((crisis::in_json(result)?, Addressees::beside_words(result))));
            let (sign, whom) = match signed {
                Some((sign, whom)) => (sign, whom),
                None => (report.text().and_then(crisis::in_text)?, Addressees::default()),
            };
            Some((sign, if whom.is_empty() { Addressees::in_text(inside.unwrap_or("")) } else { whom }))
        }
        EventKind::ToolCall
        | EventKind::LlmRequest
        | EventKind::LlmResponse
        | EventKind::SessionStart
        | EventKind::SessionEnd
        | EventKind::SessionReset
        | EventKind::SubagentStart
        | EventKind::SubagentEnd
        | EventKind::Approval => None,
    }
}

/// In whose name something was said.
struct Who<'a> {
    host: &'a str,
    agent: &'a str,
    session: &'a str,
    parent: Option<&'a str>,
}

impl<'a> Who<'a> {
    fn of(call: &'a ToolCall) -> Self {
        let (host, agent, session) = (call.host(), call.agent(), call.session());
        Self { host, agent, session, parent: call.parent_session() }
    }

    /// Where it is remembered: the session, and those that started it, so that what one of them hears counts for all.
    fn scopes(
        &self,
        ledger: &mut dyn Ledger,
        now: Timestamp,
    ) -> Result<Vec<(String, Timestamp)>, StoreError> {
        if !can_come_back(self.session) {
            let scope = format!("a:{}:{} {}", self.host.len(), self.host, self.agent);
            return Ok(vec![(scope, now.plus_ms(-WITHOUT_SESSION_MS))]);
        }
        let always = Timestamp::MIN;
        let mut scopes = vec![(format!("s:{}", self.session), always)];
        let known = ledger.session_get(self.session)?.and_then(|session| session.parent);
        for parent in [known.as_deref(), self.parent].into_iter().flatten() {
            let mut next = Some(parent.to_owned());
            while let Some(session) = next.filter(|session| !session.is_empty()) {
                let scope = (format!("s:{session}"), always);
                if scopes.len() > ANCESTORS_MAX || scopes.contains(&scope) {
                    break;
                }
                scopes.push(scope);
                next = ledger.session_get(&session)?.and_then(|session| session.parent);
            }
        }
        Ok(scopes)
    }

    /// Remembers it. True if that is news.
    fn mark(
        &self,
        ledger: &mut dyn Ledger,
        marks: impl Iterator<Item = String>,
        language: Language,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let scopes = self.scopes(ledger, now)?;
        let mut news = false;
        for mark in marks {
            let mark = CrisisMark { mark, language: Some(language.code().to_owned()) };
            for (scope, _) in &scopes {
                news |= ledger.crisis_mark(scope, &mark, now)?;
            }
        }
        Ok(news)
    }
}
