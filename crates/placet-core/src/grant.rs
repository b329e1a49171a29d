//! Grants: what a wider approval leaves behind. A grant is a small warrant for one agent in one session; it lifts the holds
//! that rules and thresholds would make of calls like the one that was approved.
//!
//! Like it is: the same tool in the same place, no effect that it had not (the same verb, on exactly the same path, host or
//! name), no higher risk, and the same arguments but for what is known to be of no matter ([`likeness`]). A grant lifts no block, nothing
//! that touches life and safety, nothing that a warrant or the operator wants asked each time, and not the hold of an open threat.

mod index;

mod likeness;

use std::fmt;

pub use index::Grants;

use crate::{
    Claim, Decision, Effect, Finding, Json, Source, Timestamp, ToolCall, ToolName, Verdict, Warrant,
    assess::Score,
    constraint::{Constraint, Exact},
    json::{Number, Object},
    warrant::{
        About, Argument, Authority, Capability, Counters, Deed, Held, Limits, Posture, Reach, Scope, Subject,
        TargetPattern, Tier, VERBS, host_of, parse_duration,
    },
};

/// No grant lasts longer, whatever its scope.
pub const LIFE_MS_MAX: i64 = 24 * 60 * 60 * 1_000;

/// How much wider than the one call an approval is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wider {
    /// Until the session ends, and a day at most.
    Session,
    /// For so many milliseconds.
    For(u64),
    /// So many times, within a day.
    Times(u64),
}

/// A text that says no scope.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no scope; say `session`, a time such as `10m` (a day at most), or a number of times such as `5x`"
)]
pub struct InvalidScope(String);

impl Wider {
    /// Reads `session`, `10m` or `5x`.
    pub fn parse(text: &str) -> Result<Self, InvalidScope> {
        let wrong = || InvalidScope(crate::json::excerpt(text));
        if text == "session" {
            return Ok(Wider::Session);
        }
        if let Some(times) = text.strip_suffix('x') {
            let times = times.parse().ok().filter(|times| (1..=10_000).contains(times));
            return times.map(Wider::Times).ok_or_else(wrong);
        }
        let ms = parse_duration(text).filter(|ms| (1..=LIFE_MS_MAX.unsigned_abs()).contains(ms));
        ms.map(Wider::For).ok_or_else(wrong)
    }

    /// Until when a grant of this scope lasts that is given at `now`.
    pub fn expires(self, now: Timestamp) -> Timestamp {
        match self {
            Wider::For(ms) => now.plus_ms(i64::try_from(ms).unwrap_or(LIFE_MS_MAX).min(LIFE_MS_MAX)),
            Wider::Session | Wider::Times(_) => now.plus_ms(LIFE_MS_MAX),
        }
    }
}

impl fmt::Display for Wider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Wider::Session => f.write_str("session"),
            Wider::For(ms) => f.write_str(&crate::warrant::duration(*ms)),
            Wider::Times(times) => write!(f, "{times}x"),
        }
    }
}

/// Why only the call itself can be approved.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotGrantable {
    /// It touches life and safety.
    #[error("it touches life and safety; each such message is approved by itself")]
    Crisis,
    /// Somebody wants to be asked each time.
    #[error("{0} wants to be asked each time")]
    Gated(&'static str),
    /// A threat is open.
    #[error("the session has an open threat; look at that first: `placet threats list`")]
    Threat,
    /// Nobody could name the session later.
    #[error("the call names no session and no agent to give it to")]
    Nobody,
    /// It cannot be told what else would be like it.
    #[error("what it {0} is not known exactly, so nothing can be said to be like it")]
    Vague(String),
    /// What is kept of the call is gone or not what was kept.
    #[error("what is kept of the call does not say enough")]
    Unreadable,
}

/// What calls like a held one may do. The call is `call` and `assessment` as its card shows them: masked.
pub fn scope(card: &Json, wider: Wider) -> Result<Scope, NotGrantable> {
    let assessment = card.get("assessment").ok_or(NotGrantable::Unreadable)?;
    if assessment.get("crisis_sensitive").and_then(Json::as_bool) != Some(false) {
        return Err(NotGrantable::Crisis);
    }
    let findings = card.get("findings").and_then(Json::as_array).ok_or(NotGrantable::Unreadable)?;
    for finding in
        findings.iter().filter(|finding| finding.get("verdict").and_then(Json::as_str) == Some("hold"))
    {
        let source = finding.get("source").ok_or(NotGrantable::Unreadable)?;
        match source.as_str() {
            Some("assessment") => {}
            Some("warrant") => return Err(NotGrantable::Gated("the warrant")),
            Some("setting") => return Err(NotGrantable::Gated("the operator")),
            None if source.get("rule").is_some() => {}
            None if source.get("threat").is_some() => return Err(NotGrantable::Threat),
            Some(_) | None => return Err(NotGrantable::Unreadable),
        }
    }
    let call = card.get("call").ok_or(NotGrantable::Unreadable)?;
    let text = |key: &str| call.get(key).and_then(Json::as_str).unwrap_or("");
    if text("agent").is_empty() || !crate::hold::can_come_back(text("session")) {
        return Err(NotGrantable::Nobody);
    }
    let effects = reach(assessment)?;
    let (call, likeness) = likeness_of(card)?;
    let (tool, arguments) = (call.tool().clone(), the_same(&likeness)?);
    let max_risk = assessment.get("risk_score").and_then(score).ok_or(NotGrantable::Unreadable)?;
    let max_calls = if let Wider::Times(times) = wider { Some(times) } else { None };
    Ok(Scope {
        capabilities: vec![Capability {
            tier: Tier::Always,
            deed: Deed::Tool { tool, arguments, open: false },
        }],
        effects,
        limits: Limits { max_calls, max_risk: Some(max_risk), ..Limits::default() },
        posture: Posture::OPEN,
    })
}

/// What a held call has in common with others like it: its tool, what it does to what, and everything that a grant for it
/// would ask of a call. Nothing if it touches life and safety, for each of those is answered by itself, if what is kept of it
/// is masked or cut, for nobody can tell then what is the same, or if its card is gone.
pub fn shape(card: &Json) -> Option<String> {
    let assessment = card.get("assessment")?;
    if assessment.get("crisis_sensitive").and_then(Json::as_bool) != Some(false) {
        return None;
    }
    let (call, likeness) = likeness_of(card).ok()?;
    the_same(&likeness).ok()?;
    let effect = |effect: &Json| {
        let target = effect.get("target")?;
        let of = |key: &str| target.get(key).and_then(Json::as_str).unwrap_or("");
        // By what a grant knows it: of an address its host, for its path counts with the arguments.
        let name = match of("kind") {
            "url" | "host" => host_of(of("name")).unwrap_or_else(|| of("name").into()),
            _ => of("name").into(),
        };
        Some(format!("{:?} {:?} {:?} {name:?}", effect.get("verb")?.as_str()?, of("kind"), of("place")))
    };
    let effects = assessment.get("effects")?.as_array()?;
    let mut effects: Vec<String> = effects.iter().map(effect).collect::<Option<_>>()?;
    effects.sort();
    effects.dedup();
    let likeness = crate::canonical::to_string(&Json::Object(likeness));
    Some(format!("{:?} {} {likeness}", call.tool().as_str(), effects.join(" ")))
}

/// The call of a card, and everything of it that must be the same in a call like it.
fn likeness_of(card: &Json) -> Result<(ToolCall, Object), NotGrantable> {
    let held = || {
        let shown = card.get("call")?;
        let text = |key: &str| shown.get(key).and_then(Json::as_str);
        let tool = ToolName::parse(text("tool")?).ok()?;
        let mut call = ToolCall::new(tool, shown.get("args")?.as_object()?.clone());
        if let Some(host) = text("host") {
            call = call.with_host(host);
        }
        if let Some(deployment) = text("deployment") {
            call = call.with_deployment(deployment);
        }
        if let Some(cwd) = text("cwd") {
            call = call.with_cwd(cwd);
        }
        let effects = crate::canonical::to_string(card.get("assessment")?.get("effects")?);
        let effects: Vec<Effect> = serde_json::from_str(&effects).ok()?;
        let likeness = likeness::of(&call, &effects);
        Some((call, likeness))
    };
    held().ok_or(NotGrantable::Unreadable)
}

/// The effects of the call as limits: each verb only where it was, every other verb nowhere.
fn reach(assessment: &Json) -> Result<Vec<Reach>, NotGrantable> {
    let mut reach: Vec<Reach> =
        VERBS.iter().map(|(verb, _)| Reach { verb: *verb, targets: Vec::new() }).collect();
    for effect in assessment.get("effects").and_then(Json::as_array).ok_or(NotGrantable::Unreadable)? {
        let word = effect.get("verb").and_then(Json::as_str).unwrap_or("");
        let target = effect.get("target").ok_or(NotGrantable::Unreadable)?;
        let of = |key: &str| target.get(key).and_then(Json::as_str).unwrap_or("");
        let place = VERBS.iter().position(|(_, known)| *known == word);
        let pattern = pattern(of("kind"), of("name"));
        let (Some(place), Some(pattern)) = (place, pattern) else {
            let what = crate::printable::shown(of("name"), 60);
            return Err(NotGrantable::Vague(format!("{word}s, {what},")));
        };
        if let Some(reach) = reach.get_mut(place).filter(|reach| !reach.targets.contains(&pattern)) {
            reach.targets.push(pattern);
        }
    }
    Ok(reach)
}

/// Exactly this target; nothing if its name does not say which it is.
fn pattern(kind: &str, name: &str) -> Option<TargetPattern> {
    // A mask, an ellipsis or a wildcard stands for many.
    if name.is_empty() || name.contains(['«', '»', '…', '*', '?', '$']) {
        return None;
    }
    let (about, name) = match kind {
        "path" => (About::Path, name.starts_with('/').then(|| name.to_owned())?),
        "url" | "host" => (About::Host, host_of(name)?.into_owned()),
        "command" | "person" | "channel" | "account" | "table" | "service" | "session" => {
            (About::Name, name.to_owned())
        }
        _ => return None,
    };
    let exact = Exact::new(Json::String(name)).ok()?;
    Some(TargetPattern { about, constraint: Constraint::Exact(exact) })
}

/// Exactly what counts of a call.
fn the_same(likeness: &Object) -> Result<Vec<Argument>, NotGrantable> {
    let masked = |value: &Json| crate::canonical::to_string(value).contains(['«', '…']);
    let vague = |name: &str| NotGrantable::Vague(format!("is given as `{}`", crate::json::excerpt(name)));
    let exact = |(name, value): (&str, &Json)| {
        let parts = value.as_object().into_iter().flat_map(Object::iter);
        if let Some((part, _)) =
            parts.into_iter().find(|(part, value)| masked(&Json::from(*part)) || masked(value))
        {
            return Err(vague(part));
        }
        let constraint = Exact::new(value.clone()).map(Constraint::Exact).map_err(|_| vague(name))?;
        Ok(Argument { name: name.to_owned(), optional: false, constraint })
    };
    let mut arguments = likeness.iter().map(exact).collect::<Result<Vec<_>, _>>()?;
    arguments.sort_by(|a, b| (a.name.len(), &a.name).cmp(&(b.name.len(), &b.name)));
    Ok(arguments)
}

fn score(value: &Json) -> Option<Score> {
    match value {
        Json::Number(Number::Float(number)) => Score::parse(number.get()).ok(),
        other => other.as_u64().and_then(|whole| Score::parse(whole as f64).ok()),
    }
}

/// What a grant newly permits, as sentences.
pub fn sentences(scope: &Scope) -> Vec<String> {
    let mut says: Vec<String> =
        scope.capabilities.iter().map(|capability| calls_of(&capability.deed)).collect();
    let may: Vec<String> =
        scope.effects.iter().filter(|reach| !reach.targets.is_empty()).map(Reach::describe).collect();
    says.push(match may.is_empty() {
        true => "that have no effect at all".to_owned(),
        false => format!("that do nothing but {}", may.join("; ")),
    });
    says.extend(scope.limits.describe());
    says
}

/// Which calls a grant is for, as a sentence.
fn calls_of(deed: &Deed) -> String {
    let Deed::Tool { tool, arguments, .. } = deed else { return format!("calls of {}", deed.describe()) };
    let counted = |name: &str| {
        let argument = arguments.iter().find(|argument| argument.name == name)?;
        let Constraint::Exact(exact) = &argument.constraint else { return None };
        Some(likeness::describe(exact.value())).filter(|counted| !counted.is_empty())
    };
    let mut says = format!("calls of {tool}");
    if let Some(arguments) = counted(likeness::ARGUMENTS) {
        says.push_str(&format!(", where {arguments}"));
    }
    if let Some(place) = counted(likeness::PLACE) {
        says.push_str(&format!("; made where {place}"));
    }
    says
}

/// A grant in force.
#[derive(Clone, Debug)]
pub struct Grant {
    /// The warrant it is, opened.
    pub warrant: Warrant,
    /// Who gave it.
    pub by: String,
}

/// That a grant permits a call which would be held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lift {
    finding: Finding,
    claims: Vec<Claim>,
}

impl Lift {
    /// The first of `grants` that lifts the hold of `decision` on `call`, but for those with the ids in `except`.
    pub fn find(
        decision: &Decision,
        call: &ToolCall,
        (grants, except): (&Grants, &[String]),
        counters: &dyn Counters,
        now: Timestamp,
    ) -> Option<Self> {
        let assessment = decision.assessment.as_ref()?;
        let liftable = |finding: &Finding| finding.verdict == Verdict::Allow || can_lift(&finding.source);
        if decision.verdict != Verdict::Hold
            || assessment.crisis_sensitive
            || !decision.findings.iter().all(liftable)
        {
            return None;
        }
        let mut grants = grants.that_could(&assessment.effects).peekable();
        // Most calls are covered by none, and nobody need look at what they say.
        grants.peek()?;
        let asked = ToolCall::new(call.tool().clone(), likeness::of(call, &assessment.effects))
            .with_agent(call.agent())
            .with_session(call.session());
        grants.find_map(|grant| {
            let warrant = &grant.warrant;
            // Only what was given to a session by an approval is a grant.
            let head = &warrant.last().head;
            let excepted = !except.is_empty() && except.contains(&head.id.to_string());
            if excepted || !matches!(head.subject, Subject::Session { .. }) {
                return None;
            }
            let authority = Authority { warrant, held: Held::Taken, posture: Posture::OPEN, counters, now };
            let said = authority.ask(&asked, assessment);
            (said.finding.verdict == Verdict::Allow).then(|| {
                let id = warrant.last().head.id.to_string();
                let reason = format!("{} has granted calls like this one", grant.by);
                let finding = Finding { source: Source::Grant(id), verdict: Verdict::Allow, reason };
                Lift { finding, claims: said.claims }
            })
        })
    }

    /// The id of the grant.
    pub fn grant(&self) -> &str {
        if let Source::Grant(id) = &self.finding.source { id } else { "" }
    }

    /// `decision` with its holds lifted.
    pub fn apply(&self, decision: &Decision) -> Decision {
        let mut findings = decision.findings.clone();
        for finding in findings.iter_mut().filter(|finding| finding.verdict == Verdict::Hold) {
            finding.verdict = Verdict::Allow;
        }
        findings.push(self.finding.clone());
        let of = Decision::of(findings, decision.digest, decision.assessment.clone());
        let claims = decision.claims.iter().chain(&self.claims).cloned().collect();
        Decision { claims, notes: decision.notes.clone(), ..of }
    }
}

/// Whether a hold that `source` asks for can be lifted by a grant.
fn can_lift(source: &Source) -> bool {
    match source {
        Source::Assessment | Source::Rule(_) => true,
        Source::Setting
        | Source::Warrant
        | Source::Input
        | Source::KillSwitch
        | Source::Threat(_)
        | Source::Store
        | Source::Assessor
        | Source::Crisis
        | Source::Grant(_) => false,
    }
}
