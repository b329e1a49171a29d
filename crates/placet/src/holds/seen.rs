//! A hold, as it was told.

use anyhow::Context as _;
use placet_core::{
    Timestamp,
    hold::{HoldState, Ticket},
};
use placet_engine::Card;
use serde_json::Value;

use crate::ground::{list, text};

/// A hold with everything that people see of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    pub id: i64,
    pub ticket: Ticket,
    pub state: HoldState,
    pub deadline: Timestamp,
    pub crisis: bool,
    /// What a person sees of the call; nothing if that has aged out.
    pub card: Option<Card>,
    /// All that was told.
    pub told: Value,
}

impl Seen {
    /// What `told` tells.
    pub fn read(told: Value) -> anyhow::Result<Self> {
        let seen = || {
            Some(Self {
                id: told["id"].as_i64()?,
                ticket: Ticket::parse(text(&told, "ticket")).ok()?,
                state: HoldState::parse(text(&told, "state"))?,
                deadline: Timestamp::parse(text(&told, "deadline")).ok()?,
                crisis: told["crisis"].as_bool()?,
                card: told["card"]
                    .is_object()
                    .then(|| Card::read(told["card"].to_string().as_bytes()))
                    .flatten(),
                told: told.clone(),
            })
        };
        seen().context("a hold was told in words that say nothing here; is the service of another version?")
    }

    /// The same of many.
    pub fn all(told: &[Value]) -> anyhow::Result<Vec<Self>> {
        told.iter().cloned().map(Self::read).collect()
    }

    /// A text of it; empty if there is none.
    pub fn text(&self, key: &str) -> &str {
        text(&self.told, key)
    }

    /// A list of it.
    pub fn list(&self, key: &str) -> &[Value] {
        list(&self.told, key)
    }

    /// The groups that are asked by now.
    pub fn addressed(&self) -> String {
        let groups: Vec<&str> = self.list("addressed_to").iter().filter_map(Value::as_str).collect();
        groups.join(", ")
    }
}
