//! What a rule asks of one event.
//!
//! A map of conditions must hold as a whole; `any`, `all` and `not` combine maps. What is absent, or of another type
//! than a condition asks about, does not fulfil it, and so fulfils its `not`.

use crate::{
    Assessment,
    assess::{HumanImpact, SideEffectClass},
    constraint::{Anchor, Check, Constraint, InvalidConstraint, parse},
    json::{Json, excerpt},
    located::{Key, Located, LocatedError},
    rule::{
        EffectPattern, Subject,
        read::{unknown_key, words},
    },
};

use super::effect_pattern::{Word, Words};

/// The deepest nesting of conditions.
const DEPTH_MAX: usize = 16;

/// What a rule asks.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// All of these.
    All(Vec<Condition>),
    /// One of these.
    Any(Vec<Condition>),
    /// Not this.
    Not(Box<Condition>),
    /// Some effect of the call is like this.
    Effect(Box<EffectPattern>),
    /// Something the event says is like this.
    Field(Field, Box<Constraint>),
    /// The assessment of the call is like this.
    Assessment(Box<AssessmentPattern>),
}

/// Something an event says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Field {
    /// The tool.
    Tool,
    /// An argument, by its path.
    Arg(Vec<String>),
    /// Any text among the arguments, the result, or what was said.
    Text,
    /// The agent.
    Agent,
    /// The program the agent lives in.
    Host,
    /// The user.
    User,
    /// The deployment.
    Deployment,
    /// The session.
    Session,
    /// The working directory.
    Cwd,
    /// The agent's own reason.
    Reason,
    /// What the tool says of itself.
    Description,
    /// How a call ended.
    Outcome,
    /// Who answered.
    Approver,
}

impl Field {
    /// The fields with a fixed name. Arguments are `arg.` and their path.
    pub(super) const NAMED: [(Field, &'static str); 12] = [
        (Field::Tool, "tool"),
        (Field::Text, "text"),
        (Field::Agent, "agent"),
        (Field::Host, "host"),
        (Field::User, "user"),
        (Field::Deployment, "deployment"),
        (Field::Session, "session"),
        (Field::Cwd, "cwd"),
        (Field::Reason, "reason"),
        (Field::Description, "description"),
        (Field::Outcome, "outcome"),
        (Field::Approver, "approver"),
    ];

    pub(super) fn read(name: &str) -> Option<Self> {
        if let Some(path) = name.strip_prefix("arg.") {
            let path: Vec<String> = path.split('.').map(str::to_owned).collect();
            return path.iter().all(|part| !part.is_empty()).then_some(Field::Arg(path));
        }
        Self::NAMED.into_iter().find(|(_, known)| *known == name).map(|(field, _)| field)
    }

    /// Its name.
    pub fn name(&self) -> String {
        match self {
            Field::Arg(path) => format!("arg.{}", path.join(".")),
            named => {
                let known = Self::NAMED.into_iter().find(|(field, _)| field == named);
                known.map_or("", |(_, name)| name).to_owned()
            }
        }
    }

    fn check(&self, constraint: &Constraint, subject: &Subject<'_>) -> Check {
        let absent = Check::Mismatch { expected: "a value", found: "nothing" };
        let text = |text: Option<&str>| text.map_or(absent, |text| constraint.check_text(text));
        let named = |text: &str| if text.is_empty() { absent } else { constraint.check_text(text) };
        match self {
            Field::Tool => text(subject.tool()),
            Field::Arg(path) => subject.arg(path).map_or(absent, |value| constraint.check(value)),
            Field::Text => Check::of(subject.texts().iter().any(|text| constraint.check_text(text).is_yes())),
            Field::Agent => named(subject.agent()),
            Field::Host => named(subject.host()),
            Field::Session => named(subject.session()),
            Field::User => text(subject.user()),
            Field::Deployment => text(subject.deployment()),
            Field::Cwd => text(subject.cwd()),
            Field::Reason => text(subject.reason()),
            Field::Description => text(subject.description()),
            Field::Outcome => text(subject.outcome()),
            Field::Approver => text(subject.approver()),
        }
    }
}

/// What a rule asks of the assessment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AssessmentPattern {
    pub(super) risk: Option<Constraint>,
    pub(super) confidence: Option<Constraint>,
    pub(super) class: Words<SideEffectClass>,
    pub(super) human_impact: Words<HumanImpact>,
    pub(super) requires_human: Option<bool>,
    pub(super) reversible: Option<bool>,
    pub(super) crisis_sensitive: Option<bool>,
}

macro_rules! words_of {
    ($kind:ty: $($word:ident $name:literal),+) => {
        impl Word for $kind {
            const ALL: &'static [(Self, &'static str)] = &[$((Self::$word, $name)),+];
            fn number(self) -> u16 {
                self as u16
            }
        }
    };
}

words_of!(SideEffectClass: ReadOnly "read_only", LocalReversible "local_reversible", External "external",
    Critical "critical");
words_of!(HumanImpact: None "none", Administrative "administrative", Critical "critical");

pub(super) const ASSESSMENT_KEYS: &[&str] =
    &["risk", "confidence", "class", "human_impact", "requires_human", "reversible", "crisis_sensitive"];

impl AssessmentPattern {
    fn read(data: &Located) -> Result<Self, LocatedError> {
        let mut pattern = Self::default();
        for (key, value) in data.map("assessment")? {
            match key.name.as_str() {
                "risk" => pattern.risk = Some(parse(value, Anchor::Part)?),
                "confidence" => pattern.confidence = Some(parse(value, Anchor::Part)?),
                "class" => pattern.class = words(value, "class")?,
                "human_impact" => pattern.human_impact = words(value, "human_impact")?,
                "requires_human" => pattern.requires_human = Some(value.truth("requires_human")?),
                "reversible" => pattern.reversible = Some(value.truth("reversible")?),
                "crisis_sensitive" => pattern.crisis_sensitive = Some(value.truth("crisis_sensitive")?),
                _ => return Err(unknown_key(key, ASSESSMENT_KEYS, "an assessment")),
            }
        }
        if pattern == Self::default() {
            return Err(data.mark.error("an empty `assessment` says nothing; ask for `risk` or `class`"));
        }
        Ok(pattern)
    }

    fn fits(&self, assessment: &Assessment) -> bool {
        let score = |wanted: &Option<Constraint>, score: crate::assess::Score| {
            let number = Json::Number(
                crate::json::Number::from_f64(f64::from(score.as_hundredths()) / 100.0)
                    .unwrap_or(crate::json::Number::Int(0)),
            );
            wanted.as_ref().is_none_or(|wanted| wanted.check(&number).is_yes())
        };
        let same = |wanted: Option<bool>, found: bool| wanted.is_none_or(|wanted| wanted == found);
        score(&self.risk, assessment.risk_score)
            && score(&self.confidence, assessment.confidence)
            && self.class.fits(assessment.side_effect_class)
            && self.human_impact.fits(assessment.human_impact)
            && same(self.requires_human, assessment.requires_human)
            && same(self.reversible, assessment.reversible)
            && same(self.crisis_sensitive, assessment.crisis_sensitive)
    }
}

/// The keys a condition may have, besides `arg.` and a path.
pub(super) fn keys() -> Vec<&'static str> {
    let mut keys = vec!["effect", "assessment", "all", "any", "not", "arg.NAME"];
    keys.extend(Field::NAMED.iter().map(|(_, name)| *name));
    keys
}

impl Condition {
    /// Reads a map of conditions that must all hold.
    pub(super) fn read(data: &Located, what: &str) -> Result<Self, LocatedError> {
        Self::map(data, what, &[], 1)
    }

    /// The same, but for the keys in `besides`, which are somebody else's.
    pub(super) fn read_besides(data: &Located, what: &str, besides: &[&str]) -> Result<Self, LocatedError> {
        Self::map(data, what, besides, 1)
    }

    fn map(data: &Located, what: &str, besides: &[&str], depth: usize) -> Result<Self, LocatedError> {
        if depth > DEPTH_MAX {
            return Err(data.mark.error(format!("conditions are nested deeper than {DEPTH_MAX}")));
        }
        let mut all = Vec::new();
        for (key, value) in data.map(what)? {
            if !besides.contains(&key.name.as_str()) {
                all.push(Self::one(key, value, depth)?);
            }
        }
        match all.len() {
            0 => Err(data.mark.error(format!("`{what}` asks for nothing; name at least one condition"))),
            1 => Ok(all.remove(0)),
            _ => Ok(Condition::All(all)),
        }
    }

    fn one(key: &Key, value: &Located, depth: usize) -> Result<Self, LocatedError> {
        let list = |what: &str| -> Result<Vec<Condition>, LocatedError> {
            let list = value.list(what)?;
            if list.is_empty() {
                return Err(value.mark.error(format!("`{what}` is empty; name at least one condition")));
            }
            list.iter().map(|member| Self::map(member, what, &[], depth + 1)).collect()
        };
        match key.name.as_str() {
            "effect" => Ok(Condition::Effect(Box::new(EffectPattern::read(value)?))),
            "assessment" => Ok(Condition::Assessment(Box::new(AssessmentPattern::read(value)?))),
            "all" => Ok(Condition::All(list("all")?)),
            "any" => Ok(Condition::Any(list("any")?)),
            "not" => Ok(Condition::Not(Box::new(Self::map(value, "not", &[], depth + 1)?))),
            name => match Field::read(name) {
                Some(field) => Ok(Condition::Field(field, Box::new(parse(value, Anchor::Part)?))),
                None => Err(unknown_key(key, &keys(), "a condition")),
            },
        }
    }

    /// Whether the event is like this.
    pub fn holds(&self, subject: &Subject<'_>) -> bool {
        match self {
            Condition::All(all) => all.iter().all(|condition| condition.holds(subject)),
            Condition::Any(any) => any.iter().any(|condition| condition.holds(subject)),
            Condition::Not(not) => !not.holds(subject),
            Condition::Effect(pattern) => subject.effects().iter().any(|effect| pattern.fits(effect)),
            Condition::Field(field, constraint) => field.check(constraint, subject).is_yes(),
            Condition::Assessment(pattern) => {
                subject.assessment().is_some_and(|assessment| pattern.fits(assessment))
            }
        }
    }

    /// Whether its patterns fit into what a pattern may take.
    pub(super) fn check_patterns(&self) -> Result<(), InvalidConstraint> {
        match self {
            Condition::All(members) | Condition::Any(members) => {
                members.iter().try_for_each(Condition::check_patterns)
            }
            Condition::Not(not) => not.check_patterns(),
            Condition::Effect(pattern) => pattern.name.as_ref().map_or(Ok(()), Constraint::check_patterns),
            Condition::Field(_, constraint) => constraint.check_patterns(),
            // Scores are numbers, which no pattern matches.
            Condition::Assessment(_) => Ok(()),
        }
    }

    /// The effects that some part of it is about; all of them if none is.
    pub(super) fn effects<'s>(&self, subject: &Subject<'s>) -> Vec<&'s crate::Effect> {
        let mut patterns = Vec::new();
        self.patterns(&mut patterns);
        let wanted = |effect: &&crate::Effect| {
            patterns.is_empty() || patterns.iter().any(|pattern| pattern.fits(effect))
        };
        subject.effects().iter().filter(wanted).collect()
    }

    fn patterns<'c>(&'c self, patterns: &mut Vec<&'c EffectPattern>) {
        match self {
            Condition::Effect(pattern) => patterns.push(pattern),
            Condition::All(members) | Condition::Any(members) => {
                members.iter().for_each(|member| member.patterns(patterns));
            }
            Condition::Not(_) | Condition::Field(..) | Condition::Assessment(_) => {}
        }
    }

    /// The parts of it that hold and those that do not, as far as they can be told apart.
    pub(super) fn parts(&self) -> &[Condition] {
        match self {
            Condition::All(all) => all,
            other => std::slice::from_ref(other),
        }
    }

    /// In words.
    pub fn describe(&self) -> String {
        let joined = |members: &[Condition], link: &str| {
            members.iter().map(Condition::describe).collect::<Vec<_>>().join(link)
        };
        match self {
            Condition::All(all) => joined(all, " and "),
            Condition::Any(any) => format!("({})", joined(any, " or ")),
            Condition::Not(not) => format!("not ({})", not.describe()),
            Condition::Effect(pattern) => format!("an effect with {}", pattern.describe()),
            Condition::Field(field, constraint) => {
                format!("`{}` is {}", excerpt(&field.name()), constraint.describe())
            }
            Condition::Assessment(_) => "an assessment as the rule asks for".to_owned(),
        }
    }
}
