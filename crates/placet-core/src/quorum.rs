//! How many people must agree to a held call, who they are, and whom to ask when nobody answers.
//!
//! A [`Threshold`] is what an operator or a rule writes: so many of that group must say yes, so many no's end it. When a call
//! is held, everything that was written about it becomes its [`Needs`], with the people of each group by name: what was
//! asked for when the question was put is what counts, whatever is written later.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::{
    Decision, Json, Policy, Source, Verdict, assess::SideEffectClass, json::excerpt, nearest::nearest,
    policy::Span, rule::RuleSet,
};

/// No question needs more people.
const PEOPLE_MAX: u32 = 100;

/// How many of whom must say yes, and how many no's end it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Threshold {
    /// So many people must say yes.
    #[serde(default = "one")]
    pub approve: u32,
    /// So many no's end it.
    #[serde(default = "one")]
    pub deny: u32,
    /// The group they belong to; anybody who may answer if none is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub who: Option<String>,
}

fn one() -> u32 {
    1
}

impl Threshold {
    /// What is wrong with it among these groups, in words; `whose` says where it stands.
    pub fn problem(&self, groups: &Groups, whose: &str) -> Option<String> {
        for (key, count) in [("approve", self.approve), ("deny", self.deny)] {
            if !(1..=PEOPLE_MAX).contains(&count) {
                return Some(format!("`{key}` of {whose} is {count}; it must be from 1 to {PEOPLE_MAX}"));
            }
            let Some(who) = &self.who else { continue };
            let Some(people) = groups.get(who) else { return Some(no_group(groups, who, whose)) };
            let shown = people.iter().collect::<BTreeSet<_>>().len();
            if count as usize > shown {
                return Some(format!(
                    "`{key}` of {whose} is {count}, and `{who}` has {shown}; it could never be reached"
                ));
            }
        }
        None
    }
}

/// People by the name of their group.
pub type Groups = BTreeMap<String, Vec<String>>;

/// Whom to ask when nobody answers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Escalation {
    /// How long each group has before the next is asked too.
    pub after: Option<Span>,
    /// The groups, in the order in which they are asked.
    pub to: Vec<String>,
    /// The group that is asked at once where a call touches life and safety.
    pub crisis: Option<String>,
}

/// What is wrong with what `policy` says of groups and who must agree, in words.
pub fn problem(policy: &Policy) -> Option<String> {
    let groups = &policy.groups;
    let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '.' | '@' | '_');
    for (name, people) in groups {
        let shown = excerpt(name);
        if people.is_empty() {
            return Some(format!("`{shown}` of `[groups]` has nobody in it"));
        }
        let wrong = |person: &&String| {
            person.is_empty() || person.len() > 64 || !person.chars().all(plain) || name.len() > 64
        };
        if let Some(person) = people.iter().find(wrong) {
            return Some(format!(
                "`{}` in `{shown}` of `[groups]` is no name; names have up to 64 letters, digits, `-`, `.`, `_` and `@`",
                excerpt(person)
            ));
        }
    }
    for (of, threshold) in &policy.approval {
        if let Some(problem) = threshold.problem(groups, &format!("`[approval.{}]`", excerpt(of))) {
            return Some(problem);
        }
    }
    let escalation = &policy.escalation;
    let unknown = escalation.to.iter().chain(&escalation.crisis).find(|name| !groups.contains_key(*name));
    match (unknown, escalation.after, escalation.to.is_empty()) {
        (Some(name), ..) => Some(no_group(groups, name, "`[escalation]`")),
        (None, Some(_), true) => Some("`[escalation]` says `after`, and not to whom: add `to`".to_owned()),
        (None, None, false) => Some("`[escalation]` says `to`, and not when: add `after`".to_owned()),
        (None, Some(_), false) | (None, None, true) => None,
    }
}

fn no_group(groups: &Groups, name: &str, whose: &str) -> String {
    let known: Vec<&str> = groups.keys().map(String::as_str).collect();
    let meant = nearest(name, &known).map(|near| format!(", did you mean `{near}`?"));
    let meant = meant.unwrap_or_else(|| "; name its people in `[groups]`".to_owned());
    format!("{whose} names the group `{}`, which there is not{meant}", excerpt(name))
}

/// What is wrong with what `policy` and `rules` say of one another: a group that is not there, a rule that is not.
pub fn problem_among(policy: &Policy, rules: &RuleSet) -> Option<String> {
    for rule in rules.rules() {
        let whose = format!("`approval` of the rule `{}`", rule.id);
        if let Some(problem) =
            rule.approval.as_ref().and_then(|threshold| threshold.problem(&policy.groups, &whose))
        {
            return Some(problem);
        }
    }
    let known = || rules.rules().iter().map(|rule| rule.id.as_str()).chain(CLASSES.map(|(_, name)| name));
    let unknown = policy.approval.keys().find(|of| !known().any(|name| name == of.as_str()))?;
    let meant =
        nearest(unknown, &known().collect::<Vec<_>>()).map(|near| format!(", did you mean `{near}`?"));
    let meant = meant.unwrap_or_else(|| "; `placet rules list` shows the rules".to_owned());
    Some(format!("`[approval.\"{}\"]` names no class and no rule{meant}", excerpt(unknown)))
}

/// The classes by their names on the wire.
const CLASSES: [(SideEffectClass, &str); 4] = [
    (SideEffectClass::ReadOnly, "read_only"),
    (SideEffectClass::LocalReversible, "local_reversible"),
    (SideEffectClass::External, "external"),
    (SideEffectClass::Critical, "critical"),
];

/// What must happen before a held call may run, as it was asked for when the question was put.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Needs {
    /// Each of these must be met.
    pub agree: Vec<Need>,
    /// Who is asked besides, and when.
    pub then: Vec<Asked>,
}

/// So many of these people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Need {
    /// So many must say yes.
    pub approve: u32,
    /// So many no's end it.
    pub deny: u32,
    /// The group; anybody who may answer if none is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub who: Option<String>,
    /// Who was in it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub people: Vec<String>,
}

/// A group that is asked after a time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Asked {
    /// The group.
    pub to: String,
    /// Who was in it.
    pub people: Vec<String>,
    /// How long after the question was put, in milliseconds.
    pub after_ms: i64,
}

/// What somebody said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Voice<'a> {
    /// Who.
    pub by: &'a str,
    /// Whether it was a yes.
    pub yes: bool,
    /// How long after the question was put, in milliseconds.
    pub after_ms: i64,
}

/// What voices come to together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tally {
    /// More must be heard.
    Open,
    /// Enough have said yes.
    Approved,
    /// Enough have said no.
    Denied,
}

/// How far one need is met.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Progress {
    /// So many must say yes.
    pub approve: u32,
    /// So many no's end it.
    pub deny: u32,
    /// The group; anybody who may answer if none is named.
    pub who: Option<String>,
    /// Who said yes.
    pub approved: Vec<String>,
    /// Who said no.
    pub denied: Vec<String>,
    /// How many must still say yes.
    pub missing: u32,
    /// Who could: of a group those who have not said yes; empty where anybody may.
    pub could: Vec<String>,
}

impl Needs {
    /// What a call needs that `decision` holds; nothing if any one person may release it and nobody else is to be asked.
    pub fn of(decision: &Decision, policy: &Policy, rules: &RuleSet) -> Option<Self> {
        let escalation = &policy.escalation;
        // Most have written nothing of the kind.
        let nothing = policy.approval.is_empty() && *escalation == Escalation::default();
        if nothing && !rules.want_approval() {
            return None;
        }
        let mut needs = Needs::default();
        let class = decision.assessment.as_ref().map(|assessment| assessment.side_effect_class);
        let class = CLASSES.iter().find(|(known, _)| Some(*known) == class).map(|(_, name)| *name);
        needs.add(class.and_then(|class| policy.approval.get(class)), &policy.groups);
        for finding in decision.findings.iter().filter(|finding| finding.verdict == Verdict::Hold) {
            let (Source::Rule(id) | Source::Threat(id)) = &finding.source else { continue };
            needs.add(policy.approval.get(id), &policy.groups);
            needs.add(rules.get(id).and_then(|rule| rule.approval.as_ref()), &policy.groups);
        }
        let asked = |to: &String, after_ms| {
            let people = policy.groups.get(to).cloned().unwrap_or_default();
            Asked { to: to.clone(), people, after_ms }
        };
        let crisis = decision.assessment.as_ref().is_some_and(|assessment| assessment.crisis_sensitive);
        needs.then.extend(escalation.crisis.iter().filter(|_| crisis).map(|to| asked(to, 0)));
        if let Some(after) = escalation.after {
            let steps = escalation
                .to
                .iter()
                .zip(1..)
                .filter(|(to, _)| !(crisis && escalation.crisis.as_ref() == Some(to)));
            needs.then.extend(steps.map(|(to, step)| asked(to, after.as_ms().saturating_mul(step))));
        }
        (needs != Needs::default()).then_some(needs)
    }

    /// Adds what is asked for: of the same people, the stricter of both.
    fn add(&mut self, threshold: Option<&Threshold>, groups: &Groups) {
        let Some(Threshold { approve, deny, who }) = threshold else { return };
        match self.agree.iter_mut().find(|need| need.who == *who) {
            Some(need) => {
                need.approve = need.approve.max(*approve);
                need.deny = need.deny.min(*deny);
            }
            None => {
                // A group that is not there has nobody in it, and nobody can say yes.
                let people = who.as_ref().and_then(|who| groups.get(who)).cloned().unwrap_or_default();
                self.agree.push(Need { approve: *approve, deny: *deny, who: who.clone(), people });
            }
        }
    }

    /// Whether whoever met these has met those too.
    pub fn cover(&self, other: &Needs) -> bool {
        other.agree.iter().all(|need| {
            self.agree
                .iter()
                .any(|own| own.who == need.who && own.approve >= need.approve && own.deny <= need.deny)
        })
    }

    /// Those who are asked `after_ms` after the question was put: the groups, by name.
    pub fn addressed(&self, after_ms: i64) -> Vec<&str> {
        let first = self.agree.iter().filter_map(|need| need.who.as_deref());
        let then = self.then.iter().filter(|asked| asked.after_ms <= after_ms);
        let mut all: Vec<&str> = Vec::new();
        for name in first.chain(then.map(|asked| asked.to.as_str())) {
            if !all.contains(&name) {
                all.push(name);
            }
        }
        all
    }

    /// Who is asked next, `after_ms` after the question was put.
    pub fn next(&self, after_ms: i64) -> Option<&Asked> {
        self.then.iter().filter(|asked| asked.after_ms > after_ms).min_by_key(|asked| asked.after_ms)
    }

    /// Whether what `by` says counts, so long after the question was put.
    pub fn may_answer(&self, by: &str, after_ms: i64) -> bool {
        self.agree.is_empty() || self.agree.iter().any(|need| self.counts(need, by, after_ms))
    }

    fn counts(&self, need: &Need, by: &str, after_ms: i64) -> bool {
        let among = |people: &[String]| people.iter().any(|person| person == by);
        let asked_since = self.then.iter().any(|asked| asked.after_ms <= after_ms && among(&asked.people));
        need.who.is_none() || among(&need.people) || asked_since
    }

    /// What `voices` come to together. Of somebody who spoke twice, the last word counts.
    pub fn tally<'v>(&self, voices: impl IntoIterator<Item = Voice<'v>>) -> Tally {
        let progress = self.progress(voices, 0);
        if progress.iter().any(|need| need.denied.len() >= need.deny as usize) {
            return Tally::Denied;
        }
        match progress.iter().all(|need| need.missing == 0) {
            true => Tally::Approved,
            false => Tally::Open,
        }
    }

    /// How far each need is met, so long after the question was put.
    pub fn progress<'v>(&self, voices: impl IntoIterator<Item = Voice<'v>>, after_ms: i64) -> Vec<Progress> {
        let mut last: Vec<Voice<'v>> = Vec::new();
        for voice in voices {
            // Nobody becomes two people by the case of a letter.
            last.retain(|other| !other.by.eq_ignore_ascii_case(voice.by));
            last.push(voice);
        }
        let said = |need: &Need, yes: bool| -> Vec<String> {
            let counts = last.iter().filter(|voice| voice.yes == yes);
            let counts = counts.filter(|voice| self.counts(need, voice.by, voice.after_ms));
            counts.map(|voice| voice.by.to_owned()).collect()
        };
        self.agree
            .iter()
            .map(|need| {
                let (approved, denied) = (said(need, true), said(need, false));
                let asked = self.then.iter().filter(|asked| asked.after_ms <= after_ms);
                let people = need.people.iter().chain(asked.flat_map(|asked| &asked.people));
                let mut could: Vec<String> = Vec::new();
                for person in people.filter(|_| need.who.is_some()) {
                    if !approved.contains(person) && !could.contains(person) {
                        could.push(person.clone());
                    }
                }
                Progress {
                    approve: need.approve,
                    deny: need.deny,
                    who: need.who.clone(),
                    missing: need.approve.saturating_sub(approved.len().try_into().unwrap_or(u32::MAX)),
                    approved,
                    denied,
                    could,
                }
            })
            .collect()
    }

    /// Reads what a record or a card says; nothing if it does not say all of it.
    pub fn from_json(json: &Json) -> Option<Self> {
        let list = |json: &Json, key: &str| json.get(key).and_then(Json::as_array).map(<[Json]>::to_vec);
        let text = |json: &Json, key: &str| Some(json.get(key)?.as_str()?.to_owned());
        let count = |json: &Json, key: &str| u32::try_from(json.get(key)?.as_u64()?).ok();
        let people = |json: &Json| match list(json, "people") {
            None => Some(Vec::new()),
            Some(people) => people.iter().map(|name| name.as_str().map(str::to_owned)).collect(),
        };
        let need = |json: &Json| {
            Some(Need {
                approve: count(json, "approve")?,
                deny: count(json, "deny")?,
                who: text(json, "who"),
                people: people(json)?,
            })
        };
        let asked = |json: &Json| {
            let after_ms = i64::try_from(json.get("after_ms")?.as_u64()?).ok()?;
            Some(Asked { to: text(json, "to")?, people: people(json)?, after_ms })
        };
        Some(Self {
            agree: list(json, "agree")?.iter().map(need).collect::<Option<_>>()?,
            then: list(json, "then")?.iter().map(asked).collect::<Option<_>>()?,
        })
    }
}

impl Progress {
    /// What is still missing, in words; nothing if nothing is.
    pub fn words(&self) -> Option<String> {
        let more = if self.approved.is_empty() { "" } else { "more " };
        let missing = self.missing;
        let of = match (&self.who, self.could.as_slice()) {
            (None, _) if missing == 1 => "person".to_owned(),
            (None, _) => "people".to_owned(),
            (Some(who), []) => format!("of {who}"),
            (Some(who), could) => format!("of {who} ({})", could.join(", ")),
        };
        (missing > 0).then(|| format!("{missing} {more}{of}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Json, ToolCall, decide};

    const GROUPS: &str = "[groups]\nops = [\"ana\", \"li\"]\non_call = [\"zoe\"]\n";

    fn policy(text: &str) -> Policy {
        toml::from_str(&format!("{GROUPS}{text}")).unwrap()
    }

    #[test]
    fn what_could_never_be_met_is_said_at_once() {
        for (text, said) in [
            ("[approval.critical]\nwho = \"opps\"", "did you mean `ops`?"),
            ("[approval.critical]\nwho = \"finance\"", "name its people in `[groups]`"),
            ("[approval.critical]\napprove = 3\nwho = \"ops\"", "it could never be reached"),
            ("[approval.critical]\ndeny = 0", "it must be from 1 to 100"),
            ("[escalation]\nafter = \"10m\"", "add `to`"),
            ("[escalation]\nto = [\"ops\"]", "add `after`"),
            ("[escalation]\ncrisis = \"oncall\"", "did you mean `on_call`?"),
        ] {
            let problem = policy(text).problem().unwrap_or_default();
            assert!(problem.contains(said), "{text}: {problem}");
        }
        let nobody: Policy = toml::from_str("[groups]\nops = []").unwrap();
        assert!(nobody.problem().unwrap_or_default().contains("has nobody in it"));
        let twice = Policy {
            groups: Groups::from([("ops".to_owned(), vec!["ana".to_owned(); 2])]),
            ..policy("[approval.critical]\napprove = 2\nwho = \"ops\"")
        };
        assert!(twice.problem().unwrap_or_default().contains("`ops` has 1"));
        let unknown = problem_among(&policy("[approval.crtical]\nwho = \"ops\""), &RuleSet::default());
        assert!(unknown.unwrap_or_default().contains("did you mean `critical`?"));
    }

    fn held(crisis: bool) -> Decision {
        let wire = r#"{"tool":"terminal","args":{"command":"git push --force origin main"}}"#;
        let call = ToolCall::from_json(&Json::read(wire).unwrap()).unwrap();
        let mut decision = decide(&call, &Policy::default());
        decision.assessment.as_mut().unwrap().crisis_sensitive = crisis;
        decision
    }

    #[test]
    fn what_touches_life_and_safety_is_for_its_group_at_once() {
        let policy =
            policy("[escalation]\nafter = \"10m\"\nto = [\"ops\", \"on_call\"]\ncrisis = \"on_call\"");
        let rules = RuleSet::default();
        let crisis = Needs::of(&held(true), &policy, &rules).unwrap();
        assert_eq!(crisis.addressed(0), ["on_call"]);
        assert_eq!(crisis.addressed(600_000), ["on_call", "ops"]);
        assert_eq!(crisis.next(600_000), None);
        let other = Needs::of(&held(false), &policy, &rules).unwrap();
        assert_eq!(other.addressed(0), Vec::<&str>::new());
        assert_eq!(other.next(0).map(|asked| asked.to.as_str()), Some("ops"));
        assert!(other.may_answer("anybody", 0));
        assert_eq!(Needs::of(&held(true), &Policy::default(), &rules), None);
    }

    #[test]
    fn what_is_written_is_read_back() {
        let policy = policy(
            "[approval.critical]\napprove = 2\nwho = \"ops\"\n[escalation]\nafter = \"10m\"\nto = [\"on_call\"]",
        );
        let needs = Needs::of(&held(false), &policy, &RuleSet::default()).unwrap();
        let read = crate::record::expand(&crate::record::compact(&needs)).unwrap();
        assert_eq!(Needs::from_json(&read), Some(needs));
        assert_eq!(Needs::from_json(&Json::read(r#"{"agree":[{"approve":2}],"then":[]}"#).unwrap()), None);
    }

    #[test]
    fn a_voice_counts_by_when_it_was_heard_and_nobody_is_two() {
        let policy = policy(
            "[approval.critical]\napprove = 2\nwho = \"ops\"\n[escalation]\nafter = \"10m\"\nto = [\"on_call\"]",
        );
        let needs = Needs::of(&held(false), &policy, &RuleSet::default()).unwrap();
        let voice = |by, yes, after_ms| Voice { by, yes, after_ms };
        for (voices, tally) in [
            (vec![voice("ana", true, 0)], Tally::Open),
            (vec![voice("ana", true, 0), voice("ana", true, 1)], Tally::Open),
            (vec![voice("ana", true, 0), voice("ANA", true, 1)], Tally::Open),
            (vec![voice("ana", true, 0), voice("li", true, 1)], Tally::Approved),
            (vec![voice("ana", true, 0), voice("zoe", true, 599_999)], Tally::Open),
            (vec![voice("ana", true, 0), voice("zoe", true, 600_000)], Tally::Approved),
            (vec![voice("ana", true, 0), voice("li", false, 1)], Tally::Denied),
            (vec![voice("zoe", false, 1)], Tally::Open),
            (vec![voice("ana", false, 0), voice("ana", true, 1)], Tally::Open),
        ] {
            assert_eq!(needs.tally(voices.clone()), tally, "{voices:?}");
        }
    }
}
