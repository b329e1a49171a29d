//! A hold as people and programs see it: the card, who has answered, and who must still.

use std::ops::Deref;

use placet_core::{
    Json, Timestamp,
    hold::HoldState,
    quorum::{Needs, Progress},
};
use placet_store::{Hold, StoreError, Vote};
use serde_json::{Value, json};

use crate::{Card, Engine, NotEditable, votes};

/// A hold with everything that is known of it.
#[derive(Clone, Debug, PartialEq)]
pub struct HoldView {
    /// The hold.
    pub hold: Hold,
    /// What a person sees of the call; nothing if that has aged out.
    pub card: Option<Card>,
    /// What several people have said so far, where one is not enough.
    pub votes: Vec<Vote>,
    /// The arguments with which a person let it run, if they changed them.
    pub edited: Option<Json>,
    needs: Option<Needs>,
    now: Timestamp,
}

impl Engine {
    /// What people see of `hold`.
    pub fn view(&self, hold: Hold) -> Result<HoldView, StoreError> {
        let mut view = HoldView::new(hold, Vec::new(), self.now());
        if view.needs.as_ref().is_some_and(|needs| !needs.agree.is_empty()) {
            view.votes = self.look(|ledger| ledger.votes_of(view.hold.id))?;
        }
        if matches!(view.hold.state, HoldState::Approved | HoldState::Redeemed | HoldState::Lapsed) {
            let edited = self.look(|ledger| ledger.hold_edit_get(view.hold.id))?;
            view.edited = edited.and_then(|args| Json::read(&args).ok());
        }
        Ok(view)
    }

    /// What people see of `holds`.
    pub fn views(&self, holds: Vec<Hold>) -> Result<Vec<HoldView>, StoreError> {
        holds.into_iter().map(|hold| self.view(hold)).collect()
    }
}

impl Deref for HoldView {
    type Target = Hold;

    fn deref(&self) -> &Hold {
        &self.hold
    }
}

impl HoldView {
    /// `hold` as it stands at `now`, with what several people have said to it.
    pub fn new(hold: Hold, votes: Vec<Vote>, now: Timestamp) -> Self {
        let card = Card::read(&hold.opened.card);
        let needs = card.as_ref().and_then(Card::needs);
        Self { hold, card, votes, edited: None, needs, now }
    }

    fn after_ms(&self) -> i64 {
        // What has ended stays as it was then.
        let until = if self.hold.state.is_final() { self.hold.since } else { self.now };
        until.ms_since(self.hold.opened.opened)
    }

    /// How far each thing that is needed is met; nothing where any one person may answer.
    pub fn progress(&self) -> Vec<Progress> {
        let progress =
            |needs| votes::progress(needs, &self.hold, self.card.as_ref(), &self.votes, self.after_ms());
        self.needs.as_ref().map(progress).unwrap_or_default()
    }

    /// Who must still agree, in words; empty if nobody in particular.
    pub fn missing(&self) -> String {
        votes::missing(&self.progress())
    }

    /// The groups that are asked by now.
    pub fn addressed(&self) -> Vec<&str> {
        self.needs.as_ref().map(|needs| needs.addressed(self.after_ms())).unwrap_or_default()
    }

    /// Who is asked next, and when.
    pub fn next(&self) -> Option<(&str, Timestamp)> {
        let next = self.needs.as_ref()?.next(self.after_ms())?;
        let at = self.hold.opened.opened.plus_ms(next.after_ms);
        (at < self.hold.opened.deadline).then_some((next.to.as_str(), at))
    }

    /// Whether the host of the call takes other arguments than its own.
    pub fn takes_edits(&self) -> bool {
        self.card.as_ref().is_some_and(Card::takes_edits)
    }

    /// Why nobody can change what it asks for, as far as the hold itself tells.
    pub fn may_be_edited(&self) -> Result<(), NotEditable> {
        NotEditable::of(&self.hold, self.card.as_ref())
    }

    /// The hold as data; `whole` with the card that people see, masked as it was written.
    pub fn as_json(&self, whole: bool) -> Value {
        let (hold, card) = (&self.hold, self.card.as_ref());
        let mut shown = json!({
            "id": hold.id.0,
            "ticket": hold.opened.ticket,
            "state": hold.state,
            "since": hold.since,
            "agent": hold.opened.agent,
            "session": hold.opened.session,
            "opened": hold.opened.opened,
            "deadline": hold.opened.deadline,
            "crisis": hold.opened.crisis,
            "record": hold.opened.record,
            "by": hold.by,
            "reason": hold.reason,
            "about": card.map(Card::about),
            "tool": card.map(Card::tool),
            "edits": self.may_be_edited().is_ok(),
            "edited": self.edited,
            "needs": self.progress(),
            "missing": self.missing(),
            "votes": self.votes.iter().map(vote).collect::<Vec<_>>(),
            "addressed_to": self.addressed(),
            "escalates": self.next().map(|(to, at)| json!({ "to": to, "at": at })),
        });
        if whole {
            shown["card"] =
                card.and_then(|card| serde_json::to_value(card.as_json()).ok()).unwrap_or(Value::Null);
        }
        shown
    }
}

fn vote(vote: &Vote) -> Value {
    json!({
        "by": vote.by,
        "vote": if vote.yes { "approve" } else { "deny" },
        "for": vote.wider,
        "at": vote.at,
        "record": vote.record,
    })
}
