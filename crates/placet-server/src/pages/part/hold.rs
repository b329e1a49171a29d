//! A hold as a card: what will happen if somebody says yes, what runs, and the answers.

use maud::{Markup, html};
use placet_core::{Assessment, Finding, Json, Timestamp, explanation::Fact, hold::HoldState};
use placet_engine::{Card, HoldView};

use crate::{ask::Asked, pages::frame};

use super::{
    called::Called,
    icon::{boxed, icon},
    text::{left, plain, short},
    told,
};

/// Who looks at a hold.
pub struct Reader {
    /// What their forms need; nothing if they may not answer.
    pub csrf: Option<Markup>,
    /// Where they are, and come back to once they have answered.
    pub from: String,
}

/// Whoever looks, and where they come back to.
pub fn reader(asked: &Asked, from: &str) -> Reader {
    Reader { csrf: frame::may_answer(asked).then(|| frame::csrf(asked)), from: from.to_owned() }
}

/// The state a hold is in, for the script: it is shown anew when this changes.
pub fn version(hold: &HoldView) -> String {
    format!("{}-{}-{}", hold.state, hold.since.as_ms(), hold.votes.len())
}

/// What a card says of its call, read once.
pub struct Story<'a> {
    /// The card.
    pub card: &'a Card,
    /// How the call was assessed; nothing of a card that was too long.
    pub assessment: Option<Assessment>,
    /// Who spoke.
    pub findings: Vec<Finding>,
}

impl<'a> Story<'a> {
    /// What is told of `hold`; nothing if that has aged out.
    pub fn of(hold: &'a HoldView) -> Option<Self> {
        let card = hold.card.as_ref()?;
        Some(Self { card, assessment: card.assessment(), findings: card.findings() })
    }

    /// What will happen, in a sentence.
    pub fn about(&self) -> String {
        match &self.assessment {
            Some(assessment) if assessment.requires_human || assessment.crisis_sensitive => {
                told::about(assessment)
            }
            // Somebody else asks, and says why.
            _ => crate::pages::refused::sentence(&plain(self.card.about())),
        }
    }

    /// The call.
    pub fn called(&self) -> Called<'a> {
        let marked = self.assessment.as_ref().zip(self.card.args());
        let marked = marked.map(|(assessment, args)| assessment.marked(args)).unwrap_or_default();
        Called { tool: self.card.tool(), args: self.card.args(), marked }
    }
}

/// A hold as a card in a list.
pub fn card(hold: &HoldView, now: Timestamp, reader: &Reader) -> Markup {
    let ticket = hold.opened.ticket.as_str();
    let story = Story::of(hold);
    let (shown, is_whole) = story.as_ref().map_or_else(Default::default, |story| story.called().cut());
    html! {
        article.hold id=(ticket) data-hold data-v=(version(hold)) aria-labelledby={ (ticket) "-t" } tabindex="-1" {
            (fuse(hold, now))
            div.top {
                (class(hold, story.as_ref()))
                a.plain.mono href={ "/holds/" (ticket) } { (ticket) }
                (who(hold))
                (time_left(hold, now))
            }
            @match &story {
                None => p.muted id={ (ticket) "-t" } { "What it was about is no longer kept. Record " (hold.opened.record) " has the decision." },
                Some(story) => {
                    div.yes {
                        small { "If you approve" }
                        h2 id={ (ticket) "-t" } { a.plain href={ "/holds/" (ticket) } { (story.about()) } }
                    }
                    (shown)
                    (facts(hold, story))
                    (claim(story.card))
                }
            }
            (people(hold))
            (answers(hold, reader, is_whole))
        }
    }
}

/// The time that is left, as a fuse above a card.
pub fn fuse(hold: &HoldView, now: Timestamp) -> Markup {
    let (whole, rest) = times(hold, now);
    html! {
        @if hold.state == HoldState::Pending {
            svg class={ "fuse" @if rest < 60_000 { " soon" } } viewBox="0 0 100 3" preserveAspectRatio="none" aria-hidden="true" {
                rect width=(rest * 100 / whole) height="3" {}
            }
        }
    }
}

fn times(hold: &HoldView, now: Timestamp) -> (i64, i64) {
    let whole = hold.opened.deadline.ms_since(hold.opened.opened).max(1);
    (whole, hold.opened.deadline.ms_since(now).clamp(0, whole))
}

/// The same in words, counted down by the script; or how it ended.
pub fn time_left(hold: &HoldView, now: Timestamp) -> Markup {
    let (whole, rest) = times(hold, now);
    let deadline = hold.opened.deadline.as_ms();
    html! {
        @if hold.state == HoldState::Pending {
            span class={ "left" @if rest < 60_000 { " soon" } } role="timer" data-deadline=(deadline) data-whole=(whole) {
                (icon("clock")) " "
                span.words {
                    @if rest == 0 { "expired" } @else { (left(rest)) @if rest < 60_000 { ", then denied" } @else { " left" } }
                }
            }
        } @else {
            span.left { (state(hold)) }
        }
    }
}

/// Where a hold stands, as a word with its shape.
pub fn state(hold: &HoldView) -> Markup {
    let (colour, shape) = match hold.state {
        HoldState::Pending => ("held", "ask"),
        HoldState::Approved | HoldState::Redeemed => ("ok", "allow"),
        _ => ("blocked", "block"),
    };
    super::icon::tag(colour, shape, &hold.state.to_string())
}

/// What kind of call it is, the worst first.
pub fn class(hold: &HoldView, story: Option<&Story<'_>>) -> Markup {
    match story.and_then(|story| story.assessment.as_ref()) {
        _ if hold.opened.crisis => boxed("blocked", "care", "Crisis"),
        Some(assessment) => told::class(assessment.side_effect_class),
        None => boxed("held", "ask", "Held"),
    }
}

fn who(hold: &HoldView) -> Markup {
    let (agent, session) = (&hold.opened.agent, &hold.opened.session);
    html! {
        span {
            @if agent.is_empty() { "an agent without a name" } @else { (short(agent, 60)) }
            " in " a.plain.mono href=(crate::pages::sessions::path(session)) { (crate::pages::sessions::label(session, 40)) }
        }
    }
}

/// What should weigh.
pub fn facts(hold: &HoldView, story: &Story<'_>) -> Markup {
    let any = |fact: Fact| {
        story
            .assessment
            .as_ref()
            .is_some_and(|one| one.effects.iter().any(|effect| effect.facts().contains(&fact)))
    };
    html! {
        ul.facts {
            @if hold.opened.crisis { li.hard { (icon("care")) "Somebody’s life may be at stake" } }
            @if any(Fact::ForGood) { li.hard { (icon("no-undo")) "Cannot be undone" } }
            @if any(Fact::Everything) { li.hard { (icon("many")) "As much as there is, not one thing" } }
            @if any(Fact::WithSecret) { li.hard { (icon("external")) "A secret goes along" } }
            @if any(Fact::Outside) { li { (icon("external")) "Acts outside this machine" } }
            @if let Some(assessment) = &story.assessment { li { (told::risk(assessment)) } }
            li { (told::asked_by(&story.findings)) }
        }
    }
}

/// What the agent says it wants it for.
pub fn claim(card: &Card) -> Markup {
    let reason = card.call("reason").and_then(Json::as_str).unwrap_or("");
    html! {
        @if !reason.is_empty() {
            p.claim { b { "The agent claims: " } q { (plain(reason)) } }
        }
    }
}

/// Who has answered, and who must still.
fn people(hold: &HoldView) -> Markup {
    let missing = hold.missing();
    html! {
        @if hold.state == HoldState::Pending && (!hold.votes.is_empty() || !missing.is_empty()) {
            p.small {
                (icon("person")) " "
                @for vote in &hold.votes { (plain(&vote.by)) @if vote.yes { " approved. " } @else { " denied. " } }
                @if !missing.is_empty() { "Still needed: " (plain(&missing)) "." }
            }
        }
    }
}

/// The answers, to a call that is shown as a whole or in part. A crisis is answered with care: by no single key, and never for more than this one call.
fn answers(hold: &HoldView, reader: &Reader, is_whole: bool) -> Markup {
    let ticket = hold.opened.ticket.as_str();
    let crisis = hold.opened.crisis;
    html! {
        @if let (HoldState::Pending, Some(csrf)) = (hold.state, &reader.csrf) {
            form.actions method="post" action={ "/holds/" (ticket) } {
                (csrf)
                input type="hidden" name="from" value=(reader.from);
                @if is_whole {
                    button.btn.solid name="answer" value="approve" data-key=[(!crisis).then_some("a")] {
                        (icon("yes"))
                        @if crisis { "Approve this message" } @else { "Approve once " kbd { "a" } }
                    }
                    @if !crisis { a.btn href={ "/holds/" (ticket) "?wider=1#scope" } { "Approve for…" } }
                } @else {
                    // Nobody says yes to what they have not seen.
                    a.btn.solid href={ "/holds/" (ticket) } { (icon("read")) "Read all of it, then answer" }
                }
                button.btn name="answer" value="deny" data-key=[(!crisis).then_some("d")] {
                    (icon("no")) "Deny" @if !crisis { " " kbd { "d" } }
                }
                a.btn.bare.last href={ "/holds/" (ticket) } { "Details" }
            }
        }
    }
}
