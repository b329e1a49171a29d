//! Anything a host reports: a tool call to be decided, or something that happened.

mod ending;

use std::fmt;

use ending::Ending;
pub use ending::is_error_result;
use serde::{Serialize, Serializer};

use crate::{
    json::{Json, excerpt},
    timestamp::Timestamp,
    tool_call::{FieldError, Fields, ToolCall, ToolCallError, ToolName, nearest, suggestion},
};

/// What a host reports.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// An agent asks to call a tool.
    ToolCall(ToolCall),
    /// Something else happened.
    Other(Report),
}

impl Event {
    /// Reads the object a host sends. Without the key `event` it is a tool call.
    ///
    /// ```
    /// use placet_core::{Event, EventKind, Json};
    ///
    /// let wire = Json::read(r#"{"event": "tool_result", "id": "7", "outcome": "ok"}"#)?;
    /// assert_eq!(Event::from_json(&wire)?.kind(), EventKind::ToolResult);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_json(wire: &Json) -> Result<Self, EventError> {
        let kind = match wire.get("event") {
            None | Some(Json::Null) => EventKind::ToolCall,
            Some(Json::String(word)) => EventKind::parse(word)?,
            Some(other) => {
                return Err(EventError::Field(FieldError::WrongType {
                    key: "event",
                    expected: "a string",
                    found: other.kind(),
                }));
            }
        };
        match kind {
            EventKind::ToolCall => Ok(Event::ToolCall(ToolCall::from_json(wire)?)),
            EventKind::ToolResult
            | EventKind::UserInput
            | EventKind::LlmRequest
            | EventKind::LlmResponse
            | EventKind::SessionStart
            | EventKind::SessionEnd
            | EventKind::SessionReset
            | EventKind::SubagentStart
            | EventKind::SubagentEnd
            | EventKind::Approval => Ok(Event::Other(Report::read(kind, wire)?)),
        }
    }

    /// What kind of event this is.
    pub fn kind(&self) -> EventKind {
        match self {
            Event::ToolCall(_) => EventKind::ToolCall,
            Event::Other(report) => report.kind,
        }
    }

    /// The program the agent lives in; empty if it did not say.
    pub fn host(&self) -> &str {
        match self {
            Event::ToolCall(call) => call.host(),
            Event::Other(report) => report.host(),
        }
    }

    /// The agent; empty if the host did not say.
    pub fn agent(&self) -> &str {
        match self {
            Event::ToolCall(call) => call.agent(),
            Event::Other(report) => report.agent(),
        }
    }

    /// The session; empty if the host did not say.
    pub fn session(&self) -> &str {
        match self {
            Event::ToolCall(call) => call.session(),
            Event::Other(report) => report.session(),
        }
    }

    /// The session that started this one.
    pub fn parent_session(&self) -> Option<&str> {
        match self {
            Event::ToolCall(call) => call.parent_session(),
            Event::Other(report) => report.parent_session(),
        }
    }

    /// When the host says it happened.
    pub fn at(&self) -> Option<Timestamp> {
        match self {
            Event::ToolCall(call) => call.at(),
            Event::Other(report) => report.at(),
        }
    }
}

/// What kind of event something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EventKind {
    /// An agent asks to call a tool.
    ToolCall,
    /// A tool has run, or failed, or was not let run.
    ToolResult,
    /// A person said something to the agent.
    UserInput,
    /// The agent asks its model.
    LlmRequest,
    /// The model answers.
    LlmResponse,
    /// A session begins.
    SessionStart,
    /// A session ends.
    SessionEnd,
    /// A session begins anew under the same name.
    SessionReset,
    /// A sub-agent begins.
    SubagentStart,
    /// A sub-agent ends.
    SubagentEnd,
    /// A person answered a request for approval.
    Approval,
}

impl EventKind {
    /// All kinds.
    pub const ALL: [EventKind; 11] = [
        EventKind::ToolCall,
        EventKind::ToolResult,
        EventKind::UserInput,
        EventKind::LlmRequest,
        EventKind::LlmResponse,
        EventKind::SessionStart,
        EventKind::SessionEnd,
        EventKind::SessionReset,
        EventKind::SubagentStart,
        EventKind::SubagentEnd,
        EventKind::Approval,
    ];

    /// Reads the word for a kind, such as `tool_call`.
    pub fn parse(word: &str) -> Result<Self, UnknownEventKind> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word).ok_or_else(|| UnknownEventKind {
            word: excerpt(word),
            nearest: nearest(word, &Self::ALL.map(Self::as_str)),
        })
    }

    /// The word for this kind.
    pub fn as_str(self) -> &'static str {
        match self {
            EventKind::ToolCall => "tool_call",
            EventKind::ToolResult => "tool_result",
            EventKind::UserInput => "user_input",
            EventKind::LlmRequest => "llm_request",
            EventKind::LlmResponse => "llm_response",
            EventKind::SessionStart => "session_start",
            EventKind::SessionEnd => "session_end",
            EventKind::SessionReset => "session_reset",
            EventKind::SubagentStart => "subagent_start",
            EventKind::SubagentEnd => "subagent_end",
            EventKind::Approval => "approval",
        }
    }
}

impl fmt::Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for EventKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// Something that happened, other than a tool call. Nothing in it is checked: it is what the host
/// says. Host, agent and session are empty where the host did not say.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    kind: EventKind, // Invariant: not `ToolCall`.
    host: String,
    agent: String,
    session: String,
    parent_session: Option<String>,
    user: Option<String>,
    deployment: Option<String>,
    at: Option<Timestamp>,
    id: Option<String>,
    tool: Option<ToolName>,
    text: Option<String>,
    result: Option<Json>,
    ending: Ending,
    duration_ms: Option<u64>,
    approver: Option<String>,
    data: Json,
}

impl Report {
    /// The keys a report may have on the wire.
    const KEYS: &[&str] = &[
        "event",
        "host",
        "agent",
        "session",
        "parent_session",
        "user",
        "deployment",
        "at",
        "id",
        "tool",
        "text",
        "result",
        "outcome",
        "duration_ms",
        "approver",
        "data",
    ];

    fn read(kind: EventKind, wire: &Json) -> Result<Self, EventError> {
        let fields = Fields::of(wire, Self::KEYS)?;
        let outcome = fields.text("outcome")?.map(|word| Outcome::parse(&word)).transpose()?;
        let data = fields.value("data").cloned().unwrap_or(Json::Null);
        let ending = match kind {
            EventKind::ToolResult => Ending::of(outcome, &data, fields.value("result")),
            EventKind::ToolCall
            | EventKind::UserInput
            | EventKind::LlmRequest
            | EventKind::LlmResponse
            | EventKind::SessionStart
            | EventKind::SessionEnd
            | EventKind::SessionReset
            | EventKind::SubagentStart
            | EventKind::SubagentEnd
            | EventKind::Approval => Ending { outcome, ran: None },
        };
        Ok(Self {
            kind,
            host: fields.text("host")?.unwrap_or_default(),
            agent: fields.text("agent")?.unwrap_or_default(),
            session: fields.text("session")?.unwrap_or_default(),
            parent_session: fields.text("parent_session")?,
            user: fields.text("user")?,
            deployment: fields.text("deployment")?,
            at: fields.timestamp("at")?,
            id: fields.text("id")?,
            tool: fields.tool()?,
            text: fields.text("text")?,
            result: fields.value("result").cloned(),
            ending,
            duration_ms: fields.count("duration_ms")?,
            approver: fields.text("approver")?,
            data,
        })
    }

    /// The report with other names of the host, the agent, the sessions, the people, the deployment and the call: what `rename` gives
    /// for one, or the same where it gives nothing.
    #[must_use]
    pub fn renamed(mut self, rename: impl Fn(&str) -> Option<String>) -> Self {
        let named = [&mut self.host, &mut self.agent, &mut self.session];
        let optional = [
            &mut self.id,
            &mut self.deployment,
            &mut self.user,
            &mut self.parent_session,
            &mut self.approver,
        ];
        for name in named.into_iter().chain(optional.into_iter().flatten()) {
            if let Some(other) = rename(name) {
                *name = other;
            }
        }
        self
    }

    /// What kind of event it is; never a tool call.
    pub fn kind(&self) -> EventKind {
        self.kind
    }

    /// The program the agent lives in.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The agent.
    pub fn agent(&self) -> &str {
        &self.agent
    }

    /// The session.
    pub fn session(&self) -> &str {
        &self.session
    }

    /// The session that started this one.
    pub fn parent_session(&self) -> Option<&str> {
        self.parent_session.as_deref()
    }

    /// The person the agent works for.
    pub fn user(&self) -> Option<&str> {
        self.user.as_deref()
    }

    /// Which of several installations of the agent this is.
    pub fn deployment(&self) -> Option<&str> {
        self.deployment.as_deref()
    }

    /// When the host says it happened.
    pub fn at(&self) -> Option<Timestamp> {
        self.at
    }

    /// The host's name for the call this is about.
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// The tool this is about.
    pub fn tool(&self) -> Option<&ToolName> {
        self.tool.as_ref()
    }

    /// What was said.
    pub fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// What a tool gave back.
    pub fn result(&self) -> Option<&Json> {
        self.result.as_ref()
    }

    /// How a call ended: what the host says under `outcome`, or by its own status in `data`, or by an error in the result.
    pub fn outcome(&self) -> Option<Outcome> {
        self.ending.outcome
    }

    /// Whether the tool ran; nothing if the report leaves that open, as one about a call that was cancelled does.
    pub fn ran(&self) -> Option<bool> {
        self.ending.ran
    }

    /// How long a call took, in milliseconds.
    pub fn duration_ms(&self) -> Option<u64> {
        self.duration_ms
    }

    /// Who the host says answered a request for approval.
    pub fn approver(&self) -> Option<&str> {
        self.approver.as_deref()
    }

    /// Whatever else the host had to say; `null` if nothing.
    pub fn data(&self) -> &Json {
        &self.data
    }
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The tool ran and says it succeeded.
    Ok,
    /// The tool ran, or tried to, and failed.
    Error,
    /// The tool was not let run.
    Blocked,
    /// The host does not know.
    Unknown,
}

impl Outcome {
    const ALL: [Outcome; 4] = [Outcome::Ok, Outcome::Error, Outcome::Blocked, Outcome::Unknown];

    /// Reads the word for an outcome, such as `ok`.
    pub fn parse(word: &str) -> Result<Self, UnknownOutcome> {
        Self::ALL.into_iter().find(|outcome| outcome.as_str() == word).ok_or_else(|| UnknownOutcome {
            word: excerpt(word),
            nearest: nearest(word, &Self::ALL.map(Self::as_str)),
        })
    }

    /// The word for this outcome.
    pub fn as_str(self) -> &'static str {
        match self {
            Outcome::Ok => "ok",
            Outcome::Error => "error",
            Outcome::Blocked => "blocked",
            Outcome::Unknown => "unknown",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Outcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// A word that is no kind of event.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("event `{word}` is not known{}", suggestion(*.nearest))]
pub struct UnknownEventKind {
    /// The word, cut short if it is long.
    pub word: String,
    /// The word that was probably meant.
    pub nearest: Option<&'static str>,
}

/// A word that is no outcome.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("outcome `{word}` is none of `ok`, `error`, `blocked`, `unknown`{}", suggestion(*.nearest))]
pub struct UnknownOutcome {
    /// The word, cut short if it is long.
    pub word: String,
    /// The word that was probably meant.
    pub nearest: Option<&'static str>,
}

/// Why an object is not an [`Event`].
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EventError {
    /// It is a tool call that cannot be read.
    #[error(transparent)]
    ToolCall(#[from] ToolCallError),
    /// It says it is an event that we do not know.
    #[error(transparent)]
    UnknownKind(#[from] UnknownEventKind),
    /// It has an outcome that we do not know.
    #[error(transparent)]
    UnknownOutcome(#[from] UnknownOutcome),
    /// A key is wrong.
    #[error(transparent)]
    Field(#[from] FieldError),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(wire: &str) -> Result<Event, String> {
        Event::from_json(&Json::read(wire).unwrap()).map_err(|error| error.to_string())
    }

    fn refused(wire: &str, expected: &str) {
        assert_eq!(read(wire).unwrap_err(), expected, "{wire}");
    }

    #[test]
    fn without_a_kind_it_is_a_tool_call() {
        for wire in
            [r#"{"tool":"ls"}"#, r#"{"tool":"ls","event":null}"#, r#"{"tool":"ls","event":"tool_call"}"#]
        {
            match read(wire).unwrap() {
                Event::ToolCall(call) => assert_eq!(call.tool().as_str(), "ls"),
                Event::Other(report) => panic!("{wire} gave {report:?}"),
            }
        }
    }

    #[test]
    fn every_other_kind_is_a_report() {
        for kind in EventKind::ALL {
            assert_eq!(EventKind::parse(kind.as_str()), Ok(kind));
            if kind != EventKind::ToolCall {
                let event = read(&format!(r#"{{"event":"{kind}","session":"s"}}"#)).unwrap();
                assert!(matches!(event, Event::Other(_)), "{kind}");
                assert_eq!((event.kind(), event.session()), (kind, "s"));
            }
        }
    }

    #[test]
    fn every_key_of_a_report_arrives() {
        let event = read(
            r#"{"event":"tool_result","host":"h","agent":"a","session":"s","parent_session":"q","user":"u",
                "deployment":"p","at":"1970-01-01T00:00:01Z","id":"7","tool":"bash","text":"t","result":[1],
                "outcome":"error","duration_ms":12,"approver":"eve","data":{"k":1}}"#,
        );
        let Ok(Event::Other(report)) = event else { panic!("{event:?}") };
        assert_eq!((report.host(), report.agent(), report.session()), ("h", "a", "s"));
        assert_eq!(report.parent_session(), Some("q"));
        assert_eq!((report.user(), report.deployment()), (Some("u"), Some("p")));
        assert_eq!(report.at().map(Timestamp::as_ms), Some(1000));
        assert_eq!((report.id(), report.tool().map(ToolName::as_str)), (Some("7"), Some("bash")));
        assert_eq!((report.text(), report.approver()), (Some("t"), Some("eve")));
        assert_eq!(report.result(), Some(&Json::from(vec![Json::from(1)])));
        assert_eq!((report.outcome(), report.duration_ms()), (Some(Outcome::Error), Some(12)));
        assert_eq!(report.data().get("k"), Some(&Json::from(1)));
    }

    #[test]
    fn a_wrong_event_says_what_is_wrong() {
        refused("7", "expected an object, found number");
        refused("{}", "key `tool` is missing");
        refused(r#"{"event":7}"#, "key `event` must be a string, found number");
        refused(
            r#"{"event":"tool_reslut"}"#,
            "event `tool_reslut` is not known, did you mean `tool_result`?",
        );
        refused(r#"{"event":"coffee"}"#, "event `coffee` is not known");
        refused(
            r#"{"event":"tool_result","outcom":"ok"}"#,
            "key `outcom` is not known, did you mean `outcome`?",
        );
        refused(
            r#"{"event":"tool_result","outcome":"eror"}"#,
            "outcome `eror` is none of `ok`, `error`, `blocked`, `unknown`, did you mean `error`?",
        );
        refused(
            r#"{"event":"tool_result","duration_ms":-1}"#,
            "key `duration_ms` must be a non-negative integer, found number",
        );
        refused(r#"{"event":"user_input","args":{}}"#, "key `args` is not known");
        refused(r#"{"event":"tool_call","tool":"x","outcome":"ok"}"#, "key `outcome` is not known");
    }
}
