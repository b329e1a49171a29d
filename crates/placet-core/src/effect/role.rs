//! What an argument is for: which part of a call it says.

use std::sync::LazyLock;

use serde::{Deserialize, Deserializer, Serialize, de::Error};

use super::{
    lookup::Lookup,
    words::{self, Word},
};
use crate::tool_call::{nearest, suggestion};

/// What an argument is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// What of several things the tool is asked to do.
    Action,
    /// A command for a shell.
    Command,
    /// Code of a programming language.
    Code,
    /// A statement for a database.
    Sql,
    /// A file or directory.
    Path,
    /// An address on the web, or the name of a machine.
    Url,
    /// Who gets a message.
    Recipient,
    /// Where a message can be read by several.
    Channel,
    /// Text for people, which is not looked into.
    Content,
    /// How much money.
    Amount,
    /// Of which currency.
    Currency,
    /// Who gets the money.
    Payee,
    /// When something happens.
    When,
    /// Which device or kind of device.
    Device,
    /// Who gets authority.
    Grantee,
    /// What authority.
    Permission,
    /// Work for another agent, in words.
    Task,
    /// A session, process or terminal.
    Session,
    /// What is typed into a program that is already running.
    Input,
    /// A plain value that says nothing about what would happen: a limit, a format.
    Plain,
    /// A remark about the call, without effect: outside the digest, and never read.
    Ignored,
}

impl Role {
    /// Every role by its word.
    pub const NAMES: [(&'static str, Self); 21] = [
        ("action", Self::Action),
        ("command", Self::Command),
        ("code", Self::Code),
        ("sql", Self::Sql),
        ("path", Self::Path),
        ("url", Self::Url),
        ("recipient", Self::Recipient),
        ("channel", Self::Channel),
        ("content", Self::Content),
        ("amount", Self::Amount),
        ("currency", Self::Currency),
        ("payee", Self::Payee),
        ("when", Self::When),
        ("device", Self::Device),
        ("grantee", Self::Grantee),
        ("permission", Self::Permission),
        ("task", Self::Task),
        ("session", Self::Session),
        ("input", Self::Input),
        ("plain", Self::Plain),
        ("ignored", Self::Ignored),
    ];

    /// The role of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, role)| *role)
    }

    /// Its word, in the tool table and in the configuration.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, role)| *role == self).map_or("", |(name, _)| name)
    }

    /// The role an argument of this name usually has; a guess, which only ever adds to what is read.
    pub fn of_key(key: &str) -> Option<Self> {
        let (one, several);
        // Most keys are one plain word.
        let words = if !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_lowercase()) {
            one = [Word::from(key)];
            &one[..]
        } else {
            several = words::split(key);
            &several
        };
        let last = words.last()?.as_str();
        // `path_id`, `url_count` and the like only point at something.
        if matches!(last, "id" | "ids" | "count" | "limit" | "type" | "format" | "size" | "length" | "offset")
        {
            return (words.len() == 1)
                .then_some(Self::Plain)
                .filter(|_| !matches!(last, "id" | "ids" | "type"));
        }
        let ranked = words.iter().filter_map(|word| BY_WORD.get(word.as_str()));
        ranked.min_by_key(|(rank, _)| *rank).map(|(_, role)| *role)
    }
}

/// Words that name arguments, by role; the first role that has one of the words counts.
const KEYS: &[(Role, &[&str])] = &[
    (Role::Action, &["action", "operation", "op", "method"]),
    (Role::Command, &["command", "commands", "cmd", "cmds", "shell", "bash", "script", "cmdline"]),
    (Role::Sql, &["sql", "statement", "statements"]),
    (Role::Code, &["code", "python", "javascript", "js", "snippet", "expression"]),
    (
        Role::Url,
        &["url", "urls", "uri", "uris", "href", "link", "endpoint", "webhook", "website", "host", "hostname"],
    ),
    (
        Role::Path,
        &[
            "path",
            "paths",
            "file",
            "files",
            "filename",
            "filepath",
            "dir",
            "directory",
            "folder",
            "attachment",
            "attachments",
        ],
    ),
    (Role::Amount, &["amount", "price", "total", "sum", "cents", "quantity", "qty"]),
    (Role::Currency, &["currency", "asset", "coin"]),
    (Role::Payee, &["payee", "iban", "beneficiary", "merchant", "vendor", "wallet"]),
    (
        Role::Recipient,
        &[
            "to",
            "recipient",
            "recipients",
            "cc",
            "bcc",
            "email",
            "emails",
            "mail",
            "phone",
            "attendee",
            "attendees",
            "participant",
            "participants",
            "guests",
            "invitees",
            "receiver",
            "contact",
            "contacts",
        ],
    ),
    (Role::Channel, &["channel", "channels", "chat", "room", "thread", "conversation"]),
    (
        Role::Permission,
        &["role", "roles", "permission", "permissions", "scope", "scopes", "access", "privilege"],
    ),
    (
        Role::Grantee,
        &["grantee", "user", "users", "username", "member", "members", "principal", "collaborator"],
    ),
    (Role::When, &["schedule", "cron", "when", "start", "due", "deadline", "at", "remind", "interval"]),
    (Role::Device, &["entity", "device", "appliance"]),
    (Role::Task, &["prompt", "goal", "task", "tasks", "instructions", "instruction"]),
    (
        Role::Content,
        &[
            "content",
            "text",
            "body",
            "message",
            "subject",
            "title",
            "comment",
            "description",
            "summary",
            "note",
            "html",
        ],
    ),
];

/// The same by word, with the rank of the role.
static BY_WORD: LazyLock<Lookup<&'static str, (usize, Role)>> = LazyLock::new(|| {
    let mut by_word = Lookup::default();
    for (rank, (role, words)) in KEYS.iter().enumerate() {
        for word in *words {
            by_word.entry(*word).or_insert((rank, *role));
        }
    }
    by_word
});

impl<'de> Deserialize<'de> for Role {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Self::named(&name).ok_or_else(|| {
            let names = Self::NAMES.map(|(name, _)| name);
            D::Error::custom(format!(
                "unknown role `{}`{}; the roles are {}",
                crate::json::excerpt(&name),
                suggestion(nearest(&name, &names)),
                names.map(|name| format!("`{name}`")).join(", ")
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_names_have_their_role() {
        for (key, role) in [
            ("to", Role::Recipient),
            ("bccRecipients", Role::Recipient),
            ("file_path", Role::Path),
            ("targetUrl", Role::Url),
            ("cmd", Role::Command),
            ("amount_cents", Role::Amount),
            ("channel_id", Role::Plain),
        ] {
            let found = Role::of_key(key);
            if role == Role::Plain {
                assert_eq!(found, None, "{key}");
            } else {
                assert_eq!(found, Some(role), "{key}");
            }
        }
    }
}
