//! What people were asked, and what came of it: who asks too much, what is waved through, what is answered unread.

use std::collections::{HashMap, HashSet};

use placet_core::{Timestamp, record::View};
use placet_store::{EntryKind, Store, StoreError, StoredRecord};
use serde::Serialize;

use crate::{
    Progress,
    engine::look,
    stream::{each_record, records_since},
};

/// How fast people read. Measured for silent reading of prose: 238 words a minute on average (Brysbaert, 2019).
pub const WORDS_PER_MINUTE: u64 = 250;
/// How long a word is, with the space behind it. What stands on a card is seldom prose, so letters are counted.
pub const LETTERS_PER_WORD: u64 = 6;
/// After so many answers alike it is worth a thought whether a person has to be asked.
const ENOUGH: u64 = 3;

/// What was asked and answered in a period.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Attention {
    /// From when.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// All of it.
    pub all: Tally,
    /// By who answered.
    pub approvers: Vec<Tally>,
    /// By who asked.
    pub agents: Vec<Tally>,
    /// By what made it a question: rules and thresholds. A call may have several.
    pub causes: Vec<Tally>,
}

/// What was asked and answered, of one agent, approver or cause.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Whose.
    pub name: String,
    /// Calls that were decided; of an agent, or all.
    pub calls: u64,
    /// Calls that would have been stopped, had they not only been observed.
    pub observed: u64,
    /// How often a person was asked.
    pub prompts: u64,
    /// Yes.
    pub approved: u64,
    /// No.
    pub denied: u64,
    /// Neither, until the time was over or nobody waited any more.
    pub unanswered: u64,
    /// Answers that came faster than anybody can read what was asked.
    pub too_fast: u64,
    /// Half of the answers took no longer.
    pub median_ms: Option<u64>,
    /// Nine of ten answers took no longer.
    pub p90_ms: Option<u64>,
    #[serde(skip)]
    times: Vec<u64>,
}

impl Tally {
    /// Yes or no.
    pub fn answered(&self) -> u64 {
        self.approved + self.denied
    }

    /// Whether the answer is always yes: perhaps nobody has to be asked.
    pub fn always_approved(&self) -> bool {
        self.approved >= ENOUGH && self.denied == 0
    }

    /// Whether the answer is never yes: perhaps it can be blocked.
    pub fn never_approved(&self) -> bool {
        self.denied >= ENOUGH && self.approved == 0
    }

    fn take(&mut self, step: Step, took_ms: u64, too_fast: bool) {
        match step {
            Step::Approve => self.approved += 1,
            Step::Deny => self.denied += 1,
            Step::End => {
                self.unanswered += 1;
                return;
            }
        }
        self.too_fast += u64::from(too_fast);
        self.times.push(took_ms);
    }

    fn close(mut self, name: &str) -> Self {
        name.clone_into(&mut self.name);
        self.times.sort_unstable();
        // The nearest rank: always a time that somebody took.
        let rank = |percent: usize| {
            let at = (self.times.len() * percent).div_ceil(100);
            self.times.get(at.saturating_sub(1)).copied()
        };
        (self.median_ms, self.p90_ms) = (rank(50), rank(90));
        self
    }
}

/// What happened to a question.
#[derive(Clone, Copy)]
enum Step {
    Approve,
    Deny,
    End,
}

/// A question that is open.
struct Prompt {
    at: Timestamp,
    agent: String,
    causes: Vec<String>,
    letters: u64,
}

#[derive(Default)]
struct Counting {
    all: Tally,
    approvers: HashMap<String, Tally>,
    agents: HashMap<String, Tally>,
    causes: HashMap<String, Tally>,
    open: HashMap<String, Prompt>,
    /// Questions to which several people answer, each of whom was counted by their own answer.
    voted: HashSet<String>,
}

impl Attention {
    /// Reads the log from `since` on.
    pub fn read(
        store: &dyn Store,
        since: Option<Timestamp>,
        mut progress: impl FnMut(Progress),
    ) -> Result<Self, StoreError> {
        let range = records_since(store, since)?;
        let total = range.end - range.start;
        let mut counting = Counting::default();
        let first = range.start;
        each_record(store, range, |record| {
            if record.index % 4_096 == 0 {
                progress(Progress { records: record.index - first, total });
            }
            if since.is_none_or(|since| record.at >= since) {
                counting.take(&record, &mut |index| {
                    look(store, |ledger| ledger.record_get(index)).ok().flatten()
                });
            }
            Ok::<_, StoreError>(())
        })?;
        Ok(Self {
            since,
            all: counting.all.close(""),
            approvers: closed(counting.approvers, Tally::answered),
            agents: closed(counting.agents, |agent| agent.prompts),
            causes: closed(counting.causes, |cause| cause.prompts),
        })
    }
}

/// Those with most first.
fn closed(tallies: HashMap<String, Tally>, by: impl Fn(&Tally) -> u64) -> Vec<Tally> {
    let mut all: Vec<Tally> = tallies.into_iter().map(|(name, tally)| tally.close(&name)).collect();
    all.sort_by(|a, b| by(b).cmp(&by(a)).then_with(|| a.name.cmp(&b.name)));
    all
}

impl Counting {
    fn take(&mut self, record: &StoredRecord, recall: &mut dyn FnMut(u64) -> Option<StoredRecord>) {
        match record.kind {
            Some(EntryKind::Decision) => self.decision(record),
            Some(EntryKind::HoldStep) => self.step(record, recall),
            Some(EntryKind::Vote) => self.vote(record, recall),
            _ => {}
        }
    }

    fn decision(&mut self, record: &StoredRecord) {
        let Some(decision) = told(&record.body, "decision") else { return };
        let agent = decision.get("call").map_or("", |call| call.text_of("agent"));
        let tally = entry(&mut self.agents, agent);
        tally.calls += 1;
        self.all.calls += 1;
        let carried_out = decision.text_of("carried_out");
        if carried_out == "allow"
            && decision.text_of("verdict") != "allow"
            && decision.text_of("mode") == "observe"
        {
            tally.observed += 1;
            self.all.observed += 1;
        }
        if carried_out != "hold" {
            return;
        }
        let ticket = decision.text_of("ticket");
        // Who asks again while the question is open does not ask a second time.
        if ticket.is_empty() || self.open.contains_key(ticket) {
            return;
        }
        tally.prompts += 1;
        self.all.prompts += 1;
        let prompt = Prompt::of(record.at, decision);
        for cause in &prompt.causes {
            entry(&mut self.causes, cause).prompts += 1;
        }
        self.open.insert(ticket.to_owned(), prompt);
    }

    fn step(&mut self, record: &StoredRecord, recall: &mut dyn FnMut(u64) -> Option<StoredRecord>) {
        let Some(told_step) = told(&record.body, "hold_step") else { return };
        let step = match told_step.text_of("step") {
            "approve" => Step::Approve,
            "deny" => Step::Deny,
            "expire" | "abandon" => Step::End,
            _ => return,
        };
        let ticket = told_step.text_of("ticket");
        let open = self.open.remove(ticket);
        let Some(prompt) = open.or_else(|| asked_before(told_step, recall)) else { return };
        let took_ms = u64::try_from(record.at.ms_since(prompt.at)).unwrap_or(0);
        let too_fast = took_ms < prompt.reading_ms();
        self.all.take(step, took_ms, too_fast);
        entry(&mut self.agents, &prompt.agent).take(step, took_ms, too_fast);
        for cause in &prompt.causes {
            entry(&mut self.causes, cause).take(step, took_ms, too_fast);
        }
        let by = told_step.get("by").and_then(View::text);
        if let Some(by) = by.filter(|_| !self.voted.remove(ticket)) {
            entry(&mut self.approvers, by).take(step, took_ms, too_fast);
        }
    }

    /// One of several people has answered: that took their time, whatever comes of it.
    fn vote(&mut self, record: &StoredRecord, recall: &mut dyn FnMut(u64) -> Option<StoredRecord>) {
        let Some(vote) = told(&record.body, "vote") else { return };
        let step = if vote.text_of("vote") == "approve" { Step::Approve } else { Step::Deny };
        let ticket = vote.text_of("ticket");
        if !self.open.contains_key(ticket)
            && let Some(prompt) = asked_before(vote, recall)
        {
            self.open.insert(ticket.to_owned(), prompt);
        }
        let Some(prompt) = self.open.get(ticket) else { return };
        let took_ms = u64::try_from(record.at.ms_since(prompt.at)).unwrap_or(0);
        let too_fast = took_ms < prompt.reading_ms();
        entry(&mut self.approvers, vote.text_of("by")).take(step, took_ms, too_fast);
        self.voted.insert(ticket.to_owned());
    }
}

/// The question that a record cites: it may have been asked before the period began.
fn asked_before(cites: View<'_>, recall: &mut dyn FnMut(u64) -> Option<StoredRecord>) -> Option<Prompt> {
    let asked = recall(cites.get("cites")?.number()?)?;
    Some(Prompt::of(asked.at, told(&asked.body, "decision")?))
}

/// What a record tells, if it tells that.
fn told<'a>(body: &'a [u8], kind: &str) -> Option<View<'a>> {
    View::of(body).get("what")?.get(kind)
}

fn entry<'a>(tallies: &'a mut HashMap<String, Tally>, name: &str) -> &'a mut Tally {
    // Most names are known: no copy is made to look them up.
    if !tallies.contains_key(name) {
        tallies.insert(name.to_owned(), Tally::default());
    }
    tallies.get_mut(name).expect("it was put there if it was missing")
}

impl Prompt {
    fn of(at: Timestamp, decision: View<'_>) -> Self {
        let call = decision.get("call");
        let mut causes = Vec::new();
        let mut letters = call.map_or(0, |call| {
            let shown = ["tool", "args", "reason"].into_iter().filter_map(|key| call.get(key));
            shown.map(View::letters).sum::<usize>()
        });
        for finding in decision.get("findings").into_iter().flat_map(View::elements) {
            if finding.text_of("verdict") != "hold" {
                continue;
            }
            letters += finding.text_of("reason").len();
            let Some(source) = finding.get("source") else { continue };
            let cause = match (source.text(), source.only()) {
                (Some("assessment"), _) => threshold(decision.get("assessment")).to_owned(),
                (Some("setting"), _) => "setting: the operator wants to be asked".to_owned(),
                (Some(other), _) => other.to_owned(),
                (None, Some((kind, name))) => format!("{kind}: {}", name.text().unwrap_or("")),
                (None, None) => continue,
            };
            if !causes.contains(&cause) {
                causes.push(cause);
            }
        }
        let agent = call.map_or("", |call| call.text_of("agent")).to_owned();
        Self { at, agent, causes, letters: letters as u64 }
    }

    fn reading_ms(&self) -> u64 {
        self.letters * 60_000 / (LETTERS_PER_WORD * WORDS_PER_MINUTE)
    }
}

/// Which threshold an assessment has crossed, in the order in which they are asked.
fn threshold(assessment: Option<View<'_>>) -> &'static str {
    let Some(assessment) = assessment else { return "threshold: unknown" };
    let opaque = |effects: View<'_>| effects.elements().any(|effect| effect.text_of("verb") == "opaque");
    if assessment.get("crisis_sensitive").is_some_and(View::is_true) {
        "threshold: life and safety"
    } else if assessment.get("effects").is_some_and(opaque) {
        "threshold: cannot be read"
    } else if assessment.text_of("side_effect_class") == "critical" {
        "threshold: critical"
    } else if assessment.text_of("pattern") == "pre_execution_gate" {
        "threshold: risk above `ask_above`"
    } else {
        "threshold: confidence below `confidence_min`"
    }
}
