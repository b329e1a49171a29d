//! Names that hosts choose: of sessions, agents, people and calls. They are kept, shown and searched for, so a secret in one is
//! masked before anything else is done with it, and the masked name is the name from then on.

use std::borrow::Cow;

use placet_core::{Redactor, ToolCall, event::Report};

use crate::{AuditKeys, Engine, Voice};

/// Digits behind a masked name that tell it apart from others.
const DIGITS: usize = 16;

impl AuditKeys {
    /// `name` without the secrets in it; `name` itself if there are none. Different names stay different: a masked one ends with
    /// digits that only the key of the log can make.
    pub(crate) fn name<'n>(&self, name: &'n str) -> Cow<'n, str> {
        match Redactor::builtin().redact_name(name) {
            Cow::Borrowed(name) => Cow::Borrowed(name),
            Cow::Owned(masked) => {
                let digits = self.hide(&format!("name\0{name}"));
                Cow::Owned(format!("{masked} #{}", &digits[..DIGITS.min(digits.len())]))
            }
        }
    }

    /// The other name, if it is another.
    fn other_name(&self, name: &str) -> Option<String> {
        match self.name(name) {
            Cow::Borrowed(_) => None,
            Cow::Owned(other) => Some(other),
        }
    }

    /// `call` with its names masked.
    pub(crate) fn name_call(&self, call: ToolCall) -> ToolCall {
        call.renamed(|name| self.other_name(name))
    }

    /// `report` with its names masked.
    pub(crate) fn name_report(&self, report: Report) -> Report {
        report.renamed(|name| self.other_name(name))
    }

    /// `voice` with the name of its agent masked.
    pub(crate) fn name_voice(&self, voice: Voice) -> Voice {
        match voice {
            Voice::One(agent) => Voice::One(self.name(&agent).into_owned()),
            Voice::All => Voice::All,
            Voice::Tokenless => Voice::Tokenless,
        }
    }
}

impl Engine {
    /// The name under which a session, an agent, a person or a call is known here that a host calls `name`.
    pub fn name<'n>(&self, name: &'n str) -> Cow<'n, str> {
        self.shared.keys.name(name)
    }
}
