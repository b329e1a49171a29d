//! What a rule must match and what it must not: events that are judged like any others.

use crate::{
    Event, Policy, Timestamp,
    constraint::InvalidConstraint,
    json::{Json, Object},
    located::{Located, LocatedError, Mark, Value},
    rule::{
        Body, Condition, Memory, Rule, RuleSet,
        read::{duration, unknown_key},
    },
};

/// One example: events in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Example {
    /// Whether the rule must match.
    pub wanted: Wanted,
    /// The events, each with how much later than the one before it happens, in milliseconds.
    pub events: Vec<(i64, Event)>,
    /// Where it stands.
    pub mark: Mark,
}

/// What an example shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The rule matches one of the events.
    Match,
    /// It matches none.
    NoMatch,
}

/// An example that does not show what it should.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExampleFailure {
    /// The rule.
    pub rule: String,
    /// Where the example stands.
    pub mark: Mark,
    /// What is wrong, and what to do.
    pub message: String,
}

/// The most events in one example.
const EVENTS_MAX: usize = 10_000;
/// The most examples of one rule.
const EXAMPLES_MAX: usize = 100;

impl Example {
    pub(super) fn read_all(data: &Located) -> Result<Vec<Self>, LocatedError> {
        let mut examples = Vec::new();
        for (key, value) in data.map("examples")? {
            let wanted = match key.name.as_str() {
                "match" => Wanted::Match,
                "no_match" => Wanted::NoMatch,
                _ => return Err(unknown_key(key, &["match", "no_match"], "`examples`")),
            };
            for item in value.list(&key.name)? {
                examples.push(Self::read(item, wanted)?);
            }
        }
        for (wanted, name) in [(Wanted::Match, "match"), (Wanted::NoMatch, "no_match")] {
            if !examples.iter().any(|example| example.wanted == wanted) {
                return Err(data.mark.error(format!("`examples` needs at least one `{name}`")));
            }
        }
        if examples.len() > EXAMPLES_MAX {
            return Err(data.mark.error(format!("more than {EXAMPLES_MAX} examples")));
        }
        Ok(examples)
    }

    /// Its events in one line, for people.
    pub fn line(&self) -> String {
        let mut line = String::new();
        let mut rest = self.events.as_slice();
        while let Some(((_, event), _)) = rest.split_first() {
            let same = rest.iter().take_while(|(_, other)| other == event).count();
            if !line.is_empty() {
                line.push_str("  then  ");
            }
            line.push_str(&event_line(event));
            if same > 1 {
                line.push_str(&format!("  ({same} times)"));
            }
            rest = &rest[same..];
        }
        crate::printable::shown(&line, 200)
    }

    fn read(data: &Located, wanted: Wanted) -> Result<Self, LocatedError> {
        let mut events = Vec::new();
        match &data.value {
            Value::List(list) => {
                for item in list {
                    Self::add(item, &mut events)?;
                }
            }
            _ => Self::add(data, &mut events)?,
        }
        if events.is_empty() {
            return Err(data.mark.error("the example has no events"));
        }
        Ok(Self { wanted, events, mark: data.mark })
    }

    /// A text is a shell command; a map an event, which may say `after` and `repeat`.
    fn add(data: &Located, events: &mut Vec<(i64, Event)>) -> Result<(), LocatedError> {
        let (mut after_ms, mut repeat) = (0, 1);
        let wire = match &data.value {
            Value::Text(command) => command_call(command),
            Value::Map(members) => {
                let mut rest = Vec::new();
                for (key, value) in members {
                    match key.name.as_str() {
                        "after" => after_ms = duration(value, "after")?,
                        "repeat" => repeat = value.count("repeat")?,
                        "command" => {
                            rest.push(("tool".to_owned(), Json::from("terminal")));
                            rest.push(("args".to_owned(), command_args(value.text("command")?)));
                        }
                        _ => rest.push((key.name.clone(), value.to_json())),
                    }
                }
                let object = Object::from_pairs(rest).map_err(|error| data.mark.error(error.to_string()))?;
                Json::Object(object)
            }
            _ => {
                let message = format!("an example is a shell command or an event, not {}", data.kind());
                return Err(data.mark.error(message));
            }
        };
        let event = Event::from_json(&wire).map_err(|error| data.mark.error(error.to_string()))?;
        if repeat == 0 || events.len() as u64 + repeat > EVENTS_MAX as u64 {
            return Err(data.mark.error(format!("an example has 1 to {EVENTS_MAX} events")));
        }
        for _ in 0..repeat {
            events.push((after_ms, event.clone()));
        }
        Ok(())
    }
}

/// An event in one line, for people.
pub fn event_line(event: &Event) -> String {
    match event {
        Event::ToolCall(call) => match (call.tool().as_str(), call.arg("command").and_then(Json::as_str)) {
            ("terminal", Some(command)) => command.to_owned(),
            (tool, _) => format!("{tool} {}", crate::canonical::to_string(call.args())),
        },
        Event::Other(report) => match report.text() {
            Some(text) => format!("{}: {text}", report.kind()),
            None => report.kind().to_string(),
        },
    }
}

fn command_args(command: &str) -> Json {
    let pairs = [("command".to_owned(), Json::from(command))];
    Json::Object(Object::from_pairs(pairs).unwrap_or_default())
}

fn command_call(command: &str) -> Json {
    let pairs = [("tool".to_owned(), Json::from("terminal")), ("args".to_owned(), command_args(command))];
    Json::Object(Object::from_pairs(pairs).unwrap_or_default())
}

impl Rule {
    /// Whether its patterns fit into what a pattern may take.
    pub(super) fn check_patterns(&self) -> Result<(), InvalidConstraint> {
        match &self.body {
            Body::When(condition) | Body::Window(condition, _) => condition.check_patterns(),
            Body::Sequence(sequence) => {
                let steps = sequence.steps.iter().chain(&sequence.without);
                steps.filter_map(|step| step.when.as_ref()).try_for_each(Condition::check_patterns)
            }
        }
    }

    /// Checks its patterns and runs its examples; gives what is wrong with it, and those that do not show what they
    /// should.
    pub fn failures(&self) -> Vec<ExampleFailure> {
        if let Err(error) = self.check_patterns() {
            let message = error.to_string();
            return vec![ExampleFailure { rule: self.id.clone(), mark: self.mark, message }];
        }
        // The one rule alone, and noted only: what it says must not depend on what it does.
        let alone = Rule { policy: super::RulePolicy::LogOnly, ..self.clone() };
        let set = match RuleSet::new(vec![alone]) {
            Ok(set) => set,
            Err(error) => {
                let message = error.to_string();
                return vec![ExampleFailure { rule: self.id.clone(), mark: self.mark, message }];
            }
        };
        let failure = |example: &Example| {
            let matched = matches(&set, example);
            let message = match (example.wanted, matched) {
                (Wanted::Match, Ok(false)) => "should match and does not",
                (Wanted::NoMatch, Ok(true)) => "should not match and does",
                (_, Err(error)) => {
                    let message = format!("the example cannot be judged: {error}");
                    return Some(ExampleFailure { rule: self.id.clone(), mark: example.mark, message });
                }
                (Wanted::Match, Ok(true)) | (Wanted::NoMatch, Ok(false)) => return None,
            };
            let message = format!("the example {message}; change the rule or the example");
            Some(ExampleFailure { rule: self.id.clone(), mark: example.mark, message })
        };
        self.examples.iter().filter_map(failure).collect()
    }
}

fn matches(set: &RuleSet, example: &Example) -> Result<bool, String> {
    let policy = Policy::default();
    let mut memory = Memory::new();
    // Late enough that every window lies after the beginning of time.
    let mut now = Timestamp::MIN.plus_ms(1 << 40);
    for (after_ms, event) in &example.events {
        now = event.at().unwrap_or(now.plus_ms(*after_ms));
        let assessment = match event {
            Event::ToolCall(call) => Some(crate::assess::assess(call, &policy)),
            Event::Other(_) => None,
        };
        let subject = super::Subject::new(event, assessment.as_ref());
        let judged = set.judge(&subject, now, &memory);
        if let Some(error) = judged.errors.first() {
            return Err(error.clone());
        }
        if !judged.matches.is_empty() {
            return Ok(true);
        }
        memory.note(judged.notes, true, event.session(), None);
    }
    Ok(false)
}
