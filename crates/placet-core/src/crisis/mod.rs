//! The crisis gate: a person confirms before a message that touches a life is sent.
//!
//! What is said to people about suicide, self-harm or another matter of life and safety, and what calls others in about
//! one, waits for a person, whatever was granted before. Here is what a single call, or a single text, tells: by its
//! words, by its tool, by what the operator has named. What came before in the session is the engine's to remember.

mod addressee;

mod fold;

#[cfg(test)]
mod lists;

mod meaning;

mod openings;

mod phrases;

mod setting;

use std::borrow::Cow;

pub use addressee::{Addressee, Addressees};
pub use fold::Folded;
pub use meaning::{Kind, Language, Sign};
pub use setting::{CrisisPolicy, Off};

use crate::{
    Effect, Finding, Json, Policy, Source, ToolCall, Verdict,
    effect::{TargetKind, Verb, words},
};

/// Why a call is crisis-sensitive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Crisis {
    /// Its words.
    Words(Sign),
    /// Its tool calls for help.
    Tool,
    /// The operator has named its tool, its channel or its recipient.
    Named(String),
    /// Something that was said before in the session.
    Before(Option<Language>),
}

impl Crisis {
    /// In words, as part of a sentence.
    pub fn reason(&self) -> Cow<'static, str> {
        match self {
            Crisis::Words(_) => {
                "it speaks of a life in danger, so a person confirms it before it is sent".into()
            }
            Crisis::Tool => "it calls for help in an emergency, so a person confirms it".into(),
            Crisis::Named(name) => {
                format!("the operator wants a person to confirm everything for `{name}`").into()
            }
            Crisis::Before(_) => {
                "a life in danger was spoken of before in this session, so a person confirms what is sent"
                    .into()
            }
        }
    }

    /// What it has to say in a decision.
    pub fn finding(&self) -> Finding {
        Finding { source: Source::Crisis, verdict: Verdict::Hold, reason: self.reason().into_owned() }
    }

    /// The language it was said in, if that is known.
    pub fn language(&self) -> Option<Language> {
        match self {
            Crisis::Words(sign) => Some(sign.language),
            Crisis::Before(language) => *language,
            Crisis::Tool | Crisis::Named(_) => None,
        }
    }
}

/// Words of a life in danger in `text`.
pub fn in_text(text: &str) -> Option<Sign> {
    phrases::find(&Folded::of(std::iter::once(text)))
}

/// The same in everything that `value` holds, as if it were one text.
pub fn in_json(value: &Json) -> Option<Sign> {
    let mut texts = Vec::with_capacity(8);
    let mut aside = Vec::new();
    // Not by calling itself: how deep others nest is not ours to trust.
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Json::String(text) => texts.push(text.as_str()),
            Json::Array(items) => open.extend(items.iter().rev()),
            Json::Object(object) => {
                // A subject is read before what it is the subject of, wherever it stands; what is not for reading, last.
                let (begin, mut first) = (open.len(), None);
                for (key, value) in object.iter() {
                    match (Place::of(key), value) {
                        (Place::First, _) if first.is_none() => first = Some(value),
                        (Place::Aside, Json::String(text)) => aside.push(text.as_str()),
                        (Place::First | Place::Aside | Place::InTurn, _) => open.push(value),
                    }
                }
                open[begin..].reverse();
                open.extend(first);
            }
            Json::Null | Json::Bool(_) | Json::Number(_) => {}
        }
    }
    texts.extend(aside);
    phrases::find(&Folded::of(texts.iter().copied()))
}

/// Where people read the value of a key.
enum Place {
    First,
    InTurn,
    Aside,
}

impl Place {
    fn of(key: &str) -> Self {
        match key {
            "subject" | "title" | "headline" | "greeting" => Place::First,
            "type" | "format" | "style" | "to" | "cc" | "bcc" | "from" | "channel" | "channel_id"
            | "thread" | "thread_id" | "thread_ts" | "chat_id" | "user" | "user_id" | "phone" | "email"
            | "recipient" | "id" | "when" => Place::Aside,
            _ => Place::InTurn,
        }
    }
}

/// Whether `call`, which would do `effects`, is crisis-sensitive by itself.
pub fn of_call(call: &ToolCall, name: &str, effects: &[Effect], policy: &Policy) -> Option<Crisis> {
    let named = &policy.crisis;
    if let Some(tool) = named.tool(call.tool().as_str(), name) {
        return Some(Crisis::Named(tool.to_owned()));
    }
    if !effects.iter().any(leaves) {
        return None;
    }
    if let Some(sign) = in_json(call.args()) {
        return Some(Crisis::Words(sign));
    }
    if effects.iter().any(is_to_people) {
        if effects.iter().any(is_emergency) || calls_for_help(&words::split(name)) {
            return Some(Crisis::Tool);
        }
        if let Some(whom) = named.whom(|| Addressees::of(call.args(), effects)) {
            return Some(Crisis::Named(whom.to_owned()));
        }
    }
    None
}

/// Whether somebody elsewhere gets to know of it, now or later.
fn leaves(effect: &Effect) -> bool {
    match effect.verb {
        Verb::Send | Verb::Schedule => true,
        Verb::Read => false,
        Verb::Write
        | Verb::Delete
        | Verb::Execute
        | Verb::Spend
        | Verb::Grant
        | Verb::Install
        | Verb::Delegate
        | Verb::Configure
        | Verb::Opaque => effect.target.external(),
    }
}

/// Whether it passes something on to people, or to where people may read it.
pub fn is_to_people(effect: &Effect) -> bool {
    let to_somebody = matches!(effect.target.kind, TargetKind::Person | TargetKind::Channel);
    match effect.verb {
        Verb::Read => false,
        Verb::Send | Verb::Opaque => to_somebody || effect.target.external(),
        Verb::Write
        | Verb::Delete
        | Verb::Execute
        | Verb::Spend
        | Verb::Grant
        | Verb::Install
        | Verb::Schedule
        | Verb::Delegate
        | Verb::Configure => to_somebody,
    }
}

fn is_emergency(effect: &Effect) -> bool {
    effect.words.as_deref() == Some(crate::effect::EMERGENCY_NUMBER)
}

/// What is done to bring others in.
const CONTACTS: &[&str] = &[
    "call", "contact", "notify", "alert", "dispatch", "page", "phone", "dial", "ring", "request", "report",
    "escalate", "send", "message", "text", "reach", "summon", "inform", "email", "sms", "voice", "start",
    "trigger", "create",
];

/// Whom one calls in an emergency.
const HELPERS: &[&str] = &[
    "hotline",
    "helpline",
    "lifeline",
    "ambulance",
    "paramedic",
    "paramedics",
    "police",
    "suicide",
    "safeguarding",
    "911",
    "988",
    "999",
    "112",
    "psychiatrist",
    "guardian",
    "ems",
];

/// The same in two words.
const HELPERS_OF_TWO: &[(&str, &[&str])] = &[
    (
        "emergency",
        &[
            "services",
            "service",
            "contact",
            "contacts",
            "number",
            "responder",
            "responders",
            "call",
            "dispatch",
            "hotline",
        ],
    ),
    (
        "crisis",
        &[
            "line",
            "team",
            "text",
            "counselor",
            "counsellor",
            "hotline",
            "support",
            "responder",
            "escalation",
            "center",
        ],
    ),
    ("welfare", &["check"]),
    ("wellness", &["check"]),
    ("self", &["harm"]),
    ("kin", &["contact", "notification", "notify"]),
    ("of", &["kin"]),
];

/// Whether the name of a tool says that it calls somebody in about a life in danger.
fn calls_for_help(name: &[words::Word<'_>]) -> bool {
    let has = |words: &[&str]| name.iter().any(|word| words.contains(&word.as_str()));
    let of_two = || {
        name.windows(2).any(|pair| {
            HELPERS_OF_TWO
                .iter()
                .any(|(first, seconds)| pair[0] == *first && seconds.contains(&pair[1].as_str()))
        })
    };
    has(CONTACTS) && (has(HELPERS) || of_two())
}

/// Whether the name of a tool says that it calls somebody or brings somebody in: where a life in danger was spoken of, that
/// is about it until a person says otherwise.
pub fn brings_in(name: &str) -> bool {
    const WORDS: &[&str] = &[
        "call",
        "phone",
        "dial",
        "voice",
        "telephony",
        "escalate",
        "escalation",
        "handoff",
        "dispatch",
        "alert",
    ];
    words::split(name).iter().any(|word| WORDS.contains(&word.as_str()))
}

/// Whether the name of a tool says that its results are what people wrote to each other.
pub fn shows_messages(name: &str) -> bool {
    const WORDS: &[&str] = &[
        "mail",
        "mails",
        "email",
        "emails",
        "gmail",
        "outlook",
        "message",
        "messages",
        "inbox",
        "chat",
        "chats",
        "thread",
        "threads",
        "conversation",
        "conversations",
        "dm",
        "dms",
        "sms",
        "ticket",
        "tickets",
        "comment",
        "comments",
        "slack",
        "telegram",
        "discord",
        "whatsapp",
        "signal",
        "teams",
        "reply",
        "replies",
        "voicemail",
        "transcript",
        "imessage",
        "mattermost",
        "zendesk",
        "intercom",
        "channel",
    ];
    words::split(name).iter().any(|word| WORDS.contains(&word.as_str()))
}
