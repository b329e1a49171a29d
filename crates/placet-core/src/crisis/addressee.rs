//! Whom a message is to, and in which thread: as far as arguments and results tell, and spelled so that it can be compared.

use std::collections::BTreeSet;

use crate::{
    Effect, Json, canonical,
    effect::{TargetKind, Verb, words},
};

/// Addressees kept of one call or result.
const ADDRESSEES_MAX: usize = 200;
/// How deep in a result messages are looked for.
const DEPTH_MAX: usize = 16;

/// Somebody or some place that messages go to, as it is compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Addressee(String);

impl Addressee {
    /// `Ann <ann@Example.org>`, `slack:#Support` and `+49 (30) 1234` as they are compared; nothing if there is nothing.
    pub fn of(written: &str) -> Option<Self> {
        let written = written.trim();
        let mailbox = written.rsplit_once('<').map_or(written, |(_, mailbox)| mailbox.trim_end_matches('>'));
        let mailbox =
            mailbox.strip_prefix("mailto:").or_else(|| mailbox.strip_prefix("tel:")).unwrap_or(mailbox);
        let handle = match mailbox.rsplit_once(':') {
            // `telegram:123`, but not `https://…`, a time or an address of machines.
            Some((platform, handle))
                if !platform.is_empty()
                    && platform.chars().all(|sign| sign.is_ascii_alphabetic() || sign == '_')
                    && !handle.starts_with("//") =>
            {
                handle
            }
            Some(_) | None => mailbox,
        };
        let handle = handle.trim_start_matches(['#', '@']).to_lowercase();
        let is_number = handle
            .chars()
            .all(|sign| sign.is_ascii_digit() || matches!(sign, ' ' | '-' | '(' | ')' | '+' | '.' | '/'));
        let compared: String = match is_number && handle.chars().any(|sign| sign.is_ascii_digit()) {
            true => handle.chars().filter(char::is_ascii_digit).collect(),
            false => handle.split_whitespace().collect::<Vec<_>>().join(" "),
        };
        (!compared.is_empty()).then_some(Self(compared))
    }

    /// As it is compared.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Everybody, and every thread, that a call or a result names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Addressees(BTreeSet<Addressee>);

impl Addressees {
    /// Of a call: what its arguments name, and what its effects reach.
    pub fn of(args: &Json, effects: &[Effect]) -> Self {
        let mut addressees = Self::default();
        addressees.read(args);
        for effect in effects {
            let to_somebody = matches!(effect.target.kind, TargetKind::Person | TargetKind::Channel);
            // What nobody is named by has the name of its tool.
            if effect.verb == Verb::Send && to_somebody && !effect.because.pointer.as_str().is_empty() {
                addressees.add(&effect.target.name);
            }
        }
        addressees
    }

    /// Of a result or of what a person said: whoever is named beside words of a life in danger.
    pub fn beside_words(value: &Json) -> Self {
        let mut addressees = Self::default();
        let mut open = vec![(value, 0)];
        while let Some((value, depth)) = open.pop() {
            if depth > DEPTH_MAX {
                continue;
            }
            match value {
                Json::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
                Json::Object(object) => {
                    // The innermost object that holds the words is the message; what is around it is a list of them.
                    let inner = object.iter().map(|(_, value)| value).filter(|value| {
                        matches!(value, Json::Object(_) | Json::Array(_)) && super::in_json(value).is_some()
                    });
                    let before = open.len();
                    open.extend(inner.map(|value| (value, depth + 1)));
                    if super::in_json(value).is_some() {
                        addressees.read_keys(value);
                    }
                    if open.len() - before > ADDRESSEES_MAX {
                        open.truncate(before + ADDRESSEES_MAX);
                    }
                }
                Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
            }
        }
        addressees
    }

    /// Whether nobody is named.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether this one is among them.
    pub fn has(&self, addressee: &Addressee) -> bool {
        self.0.contains(addressee)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Addressee> {
        self.0.iter()
    }

    /// Mail addresses in a text.
    pub fn in_text(text: &str) -> Self {
        let mut addressees = Self::default();
        let borders =
            |sign: char| sign.is_whitespace() || matches!(sign, '<' | '>' | '(' | ')' | '"' | ',' | ';');
        for word in text.split(borders).filter(|word| word.contains('@')) {
            let word = word.trim_end_matches(['.', ':', '!', '?']);
            if word.split_once('@').is_some_and(|(name, domain)| !name.is_empty() && domain.contains('.')) {
                addressees.add(word);
            }
        }
        addressees
    }

    /// Adds whom `written` names.
    pub fn add(&mut self, written: &str) {
        for one in written.split([',', ';', '\n']) {
            if self.0.len() < ADDRESSEES_MAX
                && let Some(addressee) = Addressee::of(one)
            {
                self.0.insert(addressee);
            }
        }
    }

    /// What `value` and all within it name.
    fn read(&mut self, value: &Json) {
        let mut open = vec![(value, false)];
        while let Some((value, named)) = open.pop() {
            match value {
                Json::Object(object) => {
                    open.extend(
                        object.iter().map(|(key, value)| {
                            (value, named && !says_something(key) || names_somebody(key))
                        }),
                    );
                }
                Json::Array(items) => open.extend(items.iter().map(|item| (item, named))),
                Json::String(text) if named => self.add(text),
                Json::Number(_) if named => self.add(&canonical::to_string(value)),
                Json::String(_) | Json::Number(_) | Json::Null | Json::Bool(_) => {}
            }
        }
    }

    /// What the keys of one object name, not what is within others.
    fn read_keys(&mut self, value: &Json) {
        for (key, value) in value.as_object().into_iter().flat_map(|object| object.iter()) {
            if !names_somebody(key) {
                continue;
            }
            match value {
                Json::String(text) => self.add(text),
                Json::Number(_) => self.add(&canonical::to_string(value)),
                Json::Array(items) => items.iter().filter_map(Json::as_str).for_each(|text| self.add(text)),
                // `from: { name, address }`
                Json::Object(object) => {
                    object.iter().filter_map(|(_, value)| value.as_str()).for_each(|text| self.add(text))
                }
                Json::Null | Json::Bool(_) => {}
            }
        }
    }
}

/// Whether an argument or field of this name says who, or in which thread.
fn names_somebody(key: &str) -> bool {
    const WORDS: &[&str] = &[
        "to",
        "recipient",
        "recipients",
        "cc",
        "bcc",
        "email",
        "emails",
        "phone",
        "number",
        "contact",
        "contacts",
        "channel",
        "channels",
        "chat",
        "room",
        "thread",
        "conversation",
        "user",
        "username",
        "member",
        "from",
        "sender",
        "author",
        "reply",
        "ticket",
        "case",
        "customer",
        "patient",
        "client",
        "caller",
        "receiver",
        "participant",
        "participants",
        "attendee",
        "attendees",
        "handle",
        "peer",
        "target",
        "jid",
    ];
    let words = words::split(key);
    !tell_something(&words) && words.iter().any(|word| WORDS.contains(&word.as_str()))
}

/// Whether a field of this name holds what is said, not to whom.
fn says_something(key: &str) -> bool {
    tell_something(&words::split(key))
}

/// The same, of the words of a name.
fn tell_something(words: &[words::Word<'_>]) -> bool {
    const WORDS: &[&str] = &[
        "text", "body", "message", "subject", "content", "title", "count", "type", "markdown", "html", "all",
    ];
    // `message_id` names a thread.
    words.last().is_some_and(|last| WORDS.contains(&last.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_addressee_is_the_same_however_it_is_written() {
        for (written, compared) in [
            ("Ann <Ann@Example.org>", "ann@example.org"),
            ("mailto:ann@example.org", "ann@example.org"),
            ("slack:#Support", "support"),
            ("#support", "support"),
            ("+49 (30) 12-34", "49301234"),
            ("tel:+49301234", "49301234"),
            ("telegram:12345", "12345"),
            ("https://example.org/a", "https://example.org/a"),
        ] {
            assert_eq!(Addressee::of(written).unwrap().as_str(), compared, "{written}");
        }
        assert_eq!(Addressee::of(" # "), None);
    }

    fn all(addressees: &Addressees) -> Vec<&str> {
        addressees.iter().map(Addressee::as_str).collect()
    }

    #[test]
    fn arguments_name_whom_and_where() {
        let args = Json::read(
            r#"{"to":["Ann <ann@example.org>","bob@example.org"],"thread_id":77,"body":"to: eve@example.org","options":{"reply_to":"m-1"}}"#,
        );
        assert_eq!(
            all(&Addressees::of(&args.unwrap(), &[])),
            ["77", "ann@example.org", "bob@example.org", "m-1"]
        );
    }

    #[test]
    fn of_a_list_of_messages_only_those_count_that_say_it() {
        let result = Json::read(
            r#"{"account":{"user":"me"},"messages":[
                {"from":{"name":"Ann","address":"ann@example.org"},"thread_id":"t1","text":"I want to die"},
                {"from":"bob@example.org","thread_id":"t2","text":"lunch?"}]}"#,
        );
        assert_eq!(all(&Addressees::beside_words(&result.unwrap())), ["ann", "ann@example.org", "t1"]);
    }
}
