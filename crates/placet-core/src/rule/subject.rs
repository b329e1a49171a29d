//! What a rule looks at: an event, and for a call what it would do.

use std::cell::OnceCell;

use crate::{Assessment, Effect, Event, Json, ToolCall};

/// An event with what is known about it.
pub struct Subject<'a> {
    event: EventRef<'a>,
    assessment: Option<&'a Assessment>,
    texts: OnceCell<Vec<&'a str>>,
}

#[derive(Clone, Copy)]
enum EventRef<'a> {
    Call(&'a ToolCall),
    Report(&'a crate::event::Report),
}

impl<'a> Subject<'a> {
    /// `event`, assessed if it is a call.
    pub fn new(event: &'a Event, assessment: Option<&'a Assessment>) -> Self {
        let event = match event {
            Event::ToolCall(call) => EventRef::Call(call),
            Event::Other(report) => EventRef::Report(report),
        };
        Self { event, assessment, texts: OnceCell::new() }
    }

    /// `call`, with its assessment.
    pub fn call(call: &'a ToolCall, assessment: &'a Assessment) -> Self {
        Self { event: EventRef::Call(call), assessment: Some(assessment), texts: OnceCell::new() }
    }

    /// Something that happened.
    pub fn report(report: &'a crate::event::Report) -> Self {
        Self { event: EventRef::Report(report), assessment: None, texts: OnceCell::new() }
    }

    /// What kind of event it is.
    pub fn kind(&self) -> crate::EventKind {
        match self.event {
            EventRef::Call(_) => crate::EventKind::ToolCall,
            EventRef::Report(report) => report.kind(),
        }
    }

    /// What the call would do; nothing for other events.
    pub fn effects(&self) -> &'a [Effect] {
        self.assessment.map_or(&[], |assessment| &assessment.effects)
    }

    /// How the call was assessed.
    pub fn assessment(&self) -> Option<&'a Assessment> {
        self.assessment
    }

    /// The tool, if there is one.
    pub fn tool(&self) -> Option<&'a str> {
        match self.event {
            EventRef::Call(call) => Some(call.tool().as_str()),
            EventRef::Report(report) => report.tool().map(crate::ToolName::as_str),
        }
    }

    /// The program the agent lives in.
    pub fn host(&self) -> &'a str {
        match self.event {
            EventRef::Call(call) => call.host(),
            EventRef::Report(report) => report.host(),
        }
    }

    /// The agent.
    pub fn agent(&self) -> &'a str {
        match self.event {
            EventRef::Call(call) => call.agent(),
            EventRef::Report(report) => report.agent(),
        }
    }

    /// The session.
    pub fn session(&self) -> &'a str {
        match self.event {
            EventRef::Call(call) => call.session(),
            EventRef::Report(report) => report.session(),
        }
    }

    /// The user.
    pub fn user(&self) -> Option<&'a str> {
        match self.event {
            EventRef::Call(call) => call.user(),
            EventRef::Report(report) => report.user(),
        }
    }

    /// The deployment.
    pub fn deployment(&self) -> Option<&'a str> {
        match self.event {
            EventRef::Call(call) => call.deployment(),
            EventRef::Report(report) => report.deployment(),
        }
    }

    /// The working directory of a call.
    pub fn cwd(&self) -> Option<&'a str> {
        match self.event {
            EventRef::Call(call) => call.cwd(),
            EventRef::Report(_) => None,
        }
    }

    /// The agent's own reason for a call.
    pub fn reason(&self) -> Option<&'a str> {
        match self.event {
            EventRef::Call(call) => call.reason(),
            EventRef::Report(_) => None,
        }
    }

    /// What the tool says of itself.
    pub fn description(&self) -> Option<&'a str> {
        match self.event {
            EventRef::Call(call) => call.description(),
            EventRef::Report(_) => None,
        }
    }

    /// How a call ended.
    pub fn outcome(&self) -> Option<&'static str> {
        match self.event {
            EventRef::Call(_) => None,
            EventRef::Report(report) => report.outcome().map(crate::event::Outcome::as_str),
        }
    }

    /// Who answered a request for approval.
    pub fn approver(&self) -> Option<&'a str> {
        match self.event {
            EventRef::Call(_) => None,
            EventRef::Report(report) => report.approver(),
        }
    }

    /// The argument at a path such as `options.force`.
    pub fn arg(&self, path: &[String]) -> Option<&'a Json> {
        let EventRef::Call(call) = self.event else { return None };
        let mut value = call.args();
        for name in path {
            value = match value {
                Json::Array(elements) => elements.get(name.parse::<usize>().ok()?)?,
                other => other.get(name)?,
            };
        }
        Some(value)
    }

    /// Every text in it: the arguments of a call; what was said; what a tool gave back.
    pub fn texts(&self) -> &[&'a str] {
        self.texts.get_or_init(|| {
            let mut texts = Vec::new();
            match self.event {
                EventRef::Call(call) => gather(call.args(), &mut texts),
                EventRef::Report(report) => {
                    texts.extend(report.text());
                    if let Some(result) = report.result() {
                        gather(result, &mut texts);
                    }
                    gather(report.data(), &mut texts);
                }
            }
            texts
        })
    }
}

fn gather<'a>(value: &'a Json, texts: &mut Vec<&'a str>) {
    match value {
        Json::String(text) => texts.push(text),
        Json::Array(elements) => elements.iter().for_each(|element| gather(element, texts)),
        Json::Object(object) => object.iter().for_each(|(_, value)| gather(value, texts)),
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}
