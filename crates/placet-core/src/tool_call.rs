//! What an agent asks: one call of one tool.

use std::fmt;

use serde::{Serialize, Serializer};

pub(crate) use crate::nearest::nearest;
use crate::{
    json::{Json, Object, excerpt},
    timestamp::{InvalidTimestamp, Timestamp},
};

/// One call of one tool, as a host reports it, before anybody has judged it.
///
/// Who asks (host, agent, session, user) are handles for routing, never authority. The reason is
/// the agent's own claim. Host, agent and session are empty where the host did not say.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    id: Option<String>,
    tool: ToolName,
    args: Json, // Invariant: an object.
    host: String,
    agent: String,
    deployment: Option<String>,
    user: Option<String>,
    session: String,
    parent_session: Option<String>,
    cwd: Option<String>,
    at: Option<Timestamp>,
    description: Option<String>,
    schema: Option<Json>,
    annotations: Option<Json>,
    reason: Option<String>,
}

impl ToolCall {
    /// The keys a call may have on the wire.
    const KEYS: &[&str] = &[
        "tool",
        "args",
        "id",
        "description",
        "schema",
        "annotations",
        "cwd",
        "host",
        "agent",
        "deployment",
        "user",
        "session",
        "parent_session",
        "at",
        "reason",
        "event",
    ];

    /// A call of `tool` with `args`, of which nothing else is known.
    pub fn new(tool: ToolName, args: Object) -> Self {
        Self {
            id: None,
            tool,
            args: Json::Object(args),
            host: String::new(),
            agent: String::new(),
            deployment: None,
            user: None,
            session: String::new(),
            parent_session: None,
            cwd: None,
            at: None,
            description: None,
            schema: None,
            annotations: None,
            reason: None,
        }
    }

    /// Reads the object a host sends. Only `tool` is required; `null` is as good as absent; a key
    /// we do not know is refused, since whoever sent it meant something by it.
    ///
    /// ```
    /// use placet_core::{Json, ToolCall};
    ///
    /// let wire = Json::read(r#"{"tool": "bash", "args": {"command": "ls"}, "cwd": "/srv"}"#)?;
    /// let call = ToolCall::from_json(&wire)?;
    /// assert_eq!(call.tool().as_str(), "bash");
    /// assert_eq!(call.cwd(), Some("/srv"));
    ///
    /// let slip = Json::read(r#"{"tool": "bash", "arg": {}}"#)?;
    /// assert_eq!(
    ///     ToolCall::from_json(&slip).unwrap_err().to_string(),
    ///     "key `arg` is not known, did you mean `args`?",
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_json(wire: &Json) -> Result<Self, ToolCallError> {
        let fields = Fields::of(wire, Self::KEYS)?;
        if let Some(event) = fields.text("event")?.filter(|event| event != "tool_call") {
            return Err(ToolCallError::OtherEvent { event: excerpt(&event) });
        }
        Ok(Self {
            id: fields.text("id")?,
            tool: fields.tool()?.ok_or(FieldError::Missing { key: "tool" })?,
            args: Json::Object(fields.object("args")?.cloned().unwrap_or_default()),
            host: fields.text("host")?.unwrap_or_default(),
            agent: fields.text("agent")?.unwrap_or_default(),
            deployment: fields.text("deployment")?,
            user: fields.text("user")?,
            session: fields.text("session")?.unwrap_or_default(),
            parent_session: fields.text("parent_session")?,
            cwd: fields.text("cwd")?,
            at: fields.timestamp("at")?,
            description: fields.text("description")?,
            schema: fields.object("schema")?.cloned().map(Json::Object),
            annotations: fields.object("annotations")?.cloned().map(Json::Object),
            reason: fields.text("reason")?,
        })
    }

    /// The host's name for this call, by which it reports the outcome.
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// The tool.
    pub fn tool(&self) -> &ToolName {
        &self.tool
    }

    /// The arguments: always an object.
    pub fn args(&self) -> &Json {
        &self.args
    }

    /// The arguments by name, in order.
    pub fn args_object(&self) -> &Object {
        self.args.as_object().expect("a call is only ever made with an object")
    }

    /// The argument `name`.
    pub fn arg(&self, name: &str) -> Option<&Json> {
        self.args.get(name)
    }

    /// The program the agent lives in.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The agent that asks.
    pub fn agent(&self) -> &str {
        &self.agent
    }

    /// Which of several installations of the agent this is.
    pub fn deployment(&self) -> Option<&str> {
        self.deployment.as_deref()
    }

    /// The person the agent works for.
    pub fn user(&self) -> Option<&str> {
        self.user.as_deref()
    }

    /// The session in which it asks.
    pub fn session(&self) -> &str {
        &self.session
    }

    /// The session that started this one, if the agent is a sub-agent.
    pub fn parent_session(&self) -> Option<&str> {
        self.parent_session.as_deref()
    }

    /// The directory that relative paths start from.
    pub fn cwd(&self) -> Option<&str> {
        self.cwd.as_deref()
    }

    /// When the host says the agent asked.
    pub fn at(&self) -> Option<Timestamp> {
        self.at
    }

    /// What the tool says about itself. Untrusted.
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// The JSON schema of the arguments: an object. Untrusted.
    pub fn schema(&self) -> Option<&Json> {
        self.schema.as_ref()
    }

    /// What an MCP tool says of its own effects, such as `destructiveHint`: an object. Untrusted: it raises, and never lowers.
    pub fn annotations(&self) -> Option<&Json> {
        self.annotations.as_ref()
    }

    /// Why the agent says it asks: an untrusted claim, outside the digest.
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    /// The call with other names of the host, the agent, the deployment, the person, the sessions and the call itself: what `rename`
    /// gives for one, or the same where it gives nothing.
    #[must_use]
    pub fn renamed(mut self, rename: impl Fn(&str) -> Option<String>) -> Self {
        let named = [&mut self.host, &mut self.agent, &mut self.session];
        let optional = [&mut self.id, &mut self.deployment, &mut self.user, &mut self.parent_session];
        for name in named.into_iter().chain(optional.into_iter().flatten()) {
            if let Some(other) = rename(name) {
                *name = other;
            }
        }
        self
    }

    /// The same call with other arguments.
    #[must_use]
    pub fn with_args(self, args: Object) -> Self {
        Self { args: Json::Object(args), ..self }
    }

    /// This call, with the host's name for it.
    #[must_use]
    pub fn with_id(self, id: impl Into<String>) -> Self {
        Self { id: Some(id.into()), ..self }
    }

    /// This call, from `host`.
    #[must_use]
    pub fn with_host(self, host: impl Into<String>) -> Self {
        Self { host: host.into(), ..self }
    }

    /// This call, by `agent`.
    #[must_use]
    pub fn with_agent(self, agent: impl Into<String>) -> Self {
        Self { agent: agent.into(), ..self }
    }

    /// This call, from the installation `deployment`.
    #[must_use]
    pub fn with_deployment(self, deployment: impl Into<String>) -> Self {
        Self { deployment: Some(deployment.into()), ..self }
    }

    /// This call, on behalf of `user`.
    #[must_use]
    pub fn with_user(self, user: impl Into<String>) -> Self {
        Self { user: Some(user.into()), ..self }
    }

    /// This call, in `session`.
    #[must_use]
    pub fn with_session(self, session: impl Into<String>) -> Self {
        Self { session: session.into(), ..self }
    }

    /// This call, in a session that `parent_session` started.
    #[must_use]
    pub fn with_parent_session(self, parent_session: impl Into<String>) -> Self {
        Self { parent_session: Some(parent_session.into()), ..self }
    }

    /// This call, in the directory `cwd`.
    #[must_use]
    pub fn with_cwd(self, cwd: impl Into<String>) -> Self {
        Self { cwd: Some(cwd.into()), ..self }
    }

    /// This call, asked at `at`.
    #[must_use]
    pub fn with_at(self, at: Timestamp) -> Self {
        Self { at: Some(at), ..self }
    }

    /// This call, of a tool that describes itself as `description`.
    #[must_use]
    pub fn with_description(self, description: impl Into<String>) -> Self {
        Self { description: Some(description.into()), ..self }
    }

    /// This call, of a tool whose arguments follow `schema`.
    #[must_use]
    pub fn with_schema(self, schema: Object) -> Self {
        Self { schema: Some(Json::Object(schema)), ..self }
    }

    /// This call, of a tool that says this of its own effects.
    #[must_use]
    pub fn with_annotations(self, annotations: Object) -> Self {
        Self { annotations: Some(Json::Object(annotations)), ..self }
    }

    /// This call, for which the agent gives `reason`.
    #[must_use]
    pub fn with_reason(self, reason: impl Into<String>) -> Self {
        Self { reason: Some(reason.into()), ..self }
    }
}

/// The name an agent calls a tool by, such as `read_file`.
///
/// Invariant: 1 to 256 bytes of letters and digits of any script and `_`, `-`, `.`, `/`, `:`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ToolName(String);

impl ToolName {
    /// The longest name, in bytes.
    pub const BYTES_MAX: usize = 256;

    /// Reads a name.
    pub fn parse(raw: &str) -> Result<Self, InvalidToolName> {
        if raw.is_empty() {
            return Err(InvalidToolName::Empty);
        }
        if raw.len() > Self::BYTES_MAX {
            return Err(InvalidToolName::TooLong { bytes: raw.len() });
        }
        let allowed = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | ':');
        match raw.chars().find(|&c| !allowed(c)) {
            Some(character) => Err(InvalidToolName::Character { name: excerpt(raw), character }),
            None => Ok(Self(raw.to_owned())),
        }
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for ToolName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

/// Why something is not a [`ToolName`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidToolName {
    /// There is nothing in it.
    #[error("a tool name must not be empty")]
    Empty,
    /// It is too long.
    #[error("tool name of {bytes} bytes is longer than the {max} allowed", max = ToolName::BYTES_MAX)]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// It has a character that names do not have.
    #[error(
        "tool name `{name}` has the character `{shown}`, allowed are letters, digits and `_` `-` `.` `/` `:`",
        shown = character.escape_debug()
    )]
    Character {
        /// The name, cut short if it is long.
        name: String,
        /// The first such character.
        character: char,
    },
}

/// Why an object is not a [`ToolCall`].
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ToolCallError {
    /// A key is wrong.
    #[error(transparent)]
    Field(#[from] FieldError),
    /// It says it is some other event.
    #[error("event `{event}` is not a tool call")]
    OtherEvent {
        /// What it says it is, cut short if it is long.
        event: String,
    },
}

/// What is wrong with a key of an object that a host sent.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FieldError {
    /// It is not an object at all.
    #[error("expected an object, found {found}")]
    NotAnObject {
        /// What it is.
        found: &'static str,
    },
    /// The key must be there and is not.
    #[error("key `{key}` is missing")]
    Missing {
        /// The key.
        key: &'static str,
    },
    /// The key is none of ours.
    #[error("key `{key}` is not known{}", suggestion(*.nearest))]
    Unknown {
        /// The key, cut short if it is long.
        key: String,
        /// The key that was probably meant.
        nearest: Option<&'static str>,
    },
    /// The value is of another type.
    #[error("key `{key}` must be {expected}, found {found}")]
    WrongType {
        /// The key.
        key: &'static str,
        /// What it must be.
        expected: &'static str,
        /// What it is.
        found: &'static str,
    },
    /// The value is not a tool name.
    #[error("key `{key}` is not a tool name")]
    Tool {
        /// The key.
        key: &'static str,
        /// Why.
        source: InvalidToolName,
    },
    /// The value is not a time.
    #[error("key `{key}` is not a time")]
    Time {
        /// The key.
        key: &'static str,
        /// Why.
        source: InvalidTimestamp,
    },
}

/// An object from the wire whose keys are all known.
pub(crate) struct Fields<'a>(&'a Object);

impl<'a> Fields<'a> {
    /// Refuses what is not an object or has a key that is not in `known`.
    pub(crate) fn of(wire: &'a Json, known: &[&'static str]) -> Result<Self, FieldError> {
        let object = wire.as_object().ok_or(FieldError::NotAnObject { found: wire.kind() })?;
        match object.iter().map(|(key, _)| key).find(|key| !known.contains(key)) {
            Some(key) => Err(FieldError::Unknown { key: excerpt(key), nearest: nearest(key, known) }),
            None => Ok(Self(object)),
        }
    }

    /// The value of `key`, unless it is absent or `null`.
    pub(crate) fn value(&self, key: &str) -> Option<&'a Json> {
        self.0.get(key).filter(|value| !value.is_null())
    }

    /// The string at `key`.
    pub(crate) fn text(&self, key: &'static str) -> Result<Option<String>, FieldError> {
        self.typed(key, "a string", |value| value.as_str().map(str::to_owned))
    }

    /// The object at `key`.
    pub(crate) fn object(&self, key: &'static str) -> Result<Option<&'a Object>, FieldError> {
        self.typed(key, "an object", Json::as_object)
    }

    /// The non-negative integer at `key`.
    pub(crate) fn count(&self, key: &'static str) -> Result<Option<u64>, FieldError> {
        self.typed(key, "a non-negative integer", Json::as_u64)
    }

    /// The tool name at `tool`.
    pub(crate) fn tool(&self) -> Result<Option<ToolName>, FieldError> {
        let named =
            |raw: String| ToolName::parse(&raw).map_err(|source| FieldError::Tool { key: "tool", source });
        self.text("tool")?.map(named).transpose()
    }

    /// The instant at `key`.
    pub(crate) fn timestamp(&self, key: &'static str) -> Result<Option<Timestamp>, FieldError> {
        let read = |value| Timestamp::from_json(value).map_err(|source| FieldError::Time { key, source });
        self.value(key).map(read).transpose()
    }

    fn typed<T>(
        &self,
        key: &'static str,
        expected: &'static str,
        read: impl FnOnce(&'a Json) -> Option<T>,
    ) -> Result<Option<T>, FieldError> {
        let Some(value) = self.value(key) else { return Ok(None) };
        match read(value) {
            Some(read) => Ok(Some(read)),
            None => Err(FieldError::WrongType { key, expected, found: value.kind() }),
        }
    }
}

/// The end of a message about an unknown word: which one was probably meant.
pub(crate) fn suggestion(nearest: Option<&str>) -> String {
    nearest.map(|nearest| format!(", did you mean `{nearest}`?")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::error::Error;

    use super::*;

    /// The whole chain of a refusal, or the call as debug text.
    fn read(wire: &str) -> Result<ToolCall, String> {
        ToolCall::from_json(&Json::read(wire).unwrap()).map_err(|error| {
            let mut chain = error.to_string();
            let mut cause = error.source();
            while let Some(next) = cause {
                chain.push_str(&format!(": {next}"));
                cause = next.source();
            }
            chain
        })
    }

    fn refused(wire: &str, expected: &str) {
        assert_eq!(read(wire).unwrap_err(), expected, "{wire}");
    }

    #[test]
    fn every_key_arrives() {
        let call = read(
            r#"{"tool":"fs/read","args":{"path":"a"},"id":"1","description":"d","schema":{"type":"object"},
                "cwd":"/srv","host":"h","agent":"a","deployment":"p","user":"u","session":"s",
                "parent_session":"q","at":0,"reason":"r","event":"tool_call"}"#,
        )
        .unwrap();
        let args = Object::from_pairs([("path", Json::from("a"))]).unwrap();
        let expected = ToolCall::new(ToolName::parse("fs/read").unwrap(), args)
            .with_id("1")
            .with_description("d")
            .with_schema(Object::from_pairs([("type", Json::from("object"))]).unwrap())
            .with_cwd("/srv")
            .with_host("h")
            .with_agent("a")
            .with_deployment("p")
            .with_user("u")
            .with_session("s")
            .with_parent_session("q")
            .with_at(Timestamp::from_ms(0).unwrap())
            .with_reason("r");
        assert_eq!(call, expected);
        assert_eq!(call.id(), Some("1"));
        assert_eq!(call.tool().as_str(), "fs/read");
        assert_eq!(call.arg("path"), Some(&Json::from("a")));
        assert_eq!(call.args_object().len(), 1);
        assert_eq!((call.host(), call.agent(), call.session()), ("h", "a", "s"));
        assert_eq!(
            (call.deployment(), call.user(), call.parent_session()),
            (Some("p"), Some("u"), Some("q"))
        );
        assert_eq!((call.cwd(), call.description(), call.reason()), (Some("/srv"), Some("d"), Some("r")));
        assert_eq!(call.at().map(Timestamp::as_ms), Some(0));
        assert_eq!(call.schema().and_then(|schema| schema.get("type")), Some(&Json::from("object")));
    }

    #[test]
    fn only_the_tool_is_required_and_null_is_absent() {
        let bare = read(r#"{"tool":"ls"}"#).unwrap();
        assert_eq!(bare, ToolCall::new(ToolName::parse("ls").unwrap(), Object::default()));
        let keys = ToolCall::KEYS.iter().filter(|key| **key != "tool");
        let nulls: String = keys.map(|key| format!(r#","{key}":null"#)).collect();
        assert_eq!(read(&format!(r#"{{"tool":"ls"{nulls}}}"#)), Ok(bare));
    }

    #[test]
    fn a_wrong_object_says_what_is_wrong() {
        refused("[]", "expected an object, found array");
        refused("{}", "key `tool` is missing");
        refused(r#"{"tool":null}"#, "key `tool` is missing");
        refused(r#"{"tool":7}"#, "key `tool` must be a string, found number");
        refused(r#"{"tool":"x","args":"ls"}"#, "key `args` must be an object, found string");
        refused(r#"{"tool":"x","cwd":["/"]}"#, "key `cwd` must be a string, found array");
        refused(r#"{"tool":"x","schema":true}"#, "key `schema` must be an object, found boolean");
        refused(r#"{"tool":"x","event":"tool_result"}"#, "event `tool_result` is not a tool call");
        refused(
            r#"{"tool":"x","at":"noon"}"#,
            "key `at` is not a time: `noon` is not a time such as `2026-03-01T12:00:00Z`",
        );
        refused(
            r#"{"tool":"rm -rf"}"#,
            "key `tool` is not a tool name: tool name `rm -rf` has the character ` `, \
             allowed are letters, digits and `_` `-` `.` `/` `:`",
        );
    }

    #[test]
    fn an_unknown_key_names_the_one_that_was_meant() {
        refused(r#"{"tool":"x","arsg":{}}"#, "key `arsg` is not known, did you mean `args`?");
        refused(r#"{"tol":"x"}"#, "key `tol` is not known, did you mean `tool`?");
        refused(
            r#"{"tool":"x","parentsession":"s"}"#,
            "key `parentsession` is not known, did you mean `parent_session`?",
        );
        refused(r#"{"tool":"x","permissions":{}}"#, "key `permissions` is not known");
        refused(r#"{"tool":"x","a\nb":1}"#, "key `a\u{FFFD}b` is not known");
        let long = "args".repeat(100);
        refused(&format!(r#"{{"tool":"x","{long}":1}}"#), &format!("key `{}…` is not known", &long[..64]));
    }

    #[test]
    fn tool_names_are_letters_digits_and_a_few_signs() {
        let longest = "x".repeat(256);
        for name in ["read_file", "mcp__fs__read", "fs/read.v2", "a:b-c", "läsa", "读取", "7", &longest] {
            assert_eq!(ToolName::parse(name).unwrap().to_string(), name);
        }
        assert_eq!(ToolName::parse(""), Err(InvalidToolName::Empty));
        assert_eq!(ToolName::parse(&"é".repeat(129)), Err(InvalidToolName::TooLong { bytes: 258 }));
        for (name, culprit) in [
            ("a b", ' '),
            ("a\u{a0}b", '\u{a0}'),
            ("a\n", '\n'),
            ("a\u{0}", '\0'),
            ("a\u{200b}b", '\u{200b}'),
            ("a\u{202e}b", '\u{202e}'),
            ("a;b", ';'),
            ("a`b", '`'),
        ] {
            match ToolName::parse(name) {
                Err(InvalidToolName::Character { character, .. }) => assert_eq!(character, culprit),
                other => panic!("{name:?} gave {other:?}"),
            }
        }
    }
}
