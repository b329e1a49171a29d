//! A hold as a card: what will happen if somebody says yes, what runs, and the answers.

use maud::{Markup, html};
use placet_core::{Json, Timestamp, hold::HoldState};
use placet_engine::{Card, HoldView};

use super::{
    called::called,
    icon::{boxed, icon},
    text::{escaped, left, meter, plain, short},
    told,
};

/// Who looks at a hold.
pub struct Reader {
    /// What their forms need; nothing if they may not answer.
    pub csrf: Option<Markup>,
    /// Where they are, and come back to once they have answered.
    pub from: String,
}

/// The state a hold is in, for the script: it is shown anew when this changes.
pub fn version(hold: &HoldView) -> String {
    format!("{}-{}-{}", hold.state, hold.since.as_ms(), hold.votes.len())
}

/// A hold as a card in a list.
pub fn card(hold: &HoldView, now: Timestamp, reader: &Reader) -> Markup {
    let ticket = hold.opened.ticket.as_str();
    html! {
        article.hold id=(ticket) data-hold data-v=(version(hold)) aria-labelledby={ (ticket) "-t" } tabindex="-1" {
            (fuse(hold, now))
            div.top {
                (class(hold))
                a.plain.mono href={ "/holds/" (ticket) } { (ticket) }
                (who(hold))
                (time_left(hold, now))
            }
            @match &hold.card {
                None => p.muted { "What it was about is no longer kept. Record " (hold.opened.record) " has the decision." },
                Some(card) => {
                    div.yes {
                        small { "If you approve" }
                        h2 id={ (ticket) "-t" } { a.plain href={ "/holds/" (ticket) } { (told::about(card)) } }
                    }
                    div { p.small.muted { code { (short(card.tool(), 80)) } } (called(card, false)) }
                    (facts(hold, card))
                    (claim(card))
                }
            }
            (people(hold))
            (answers(hold, reader, false))
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
pub fn class(hold: &HoldView) -> Markup {
    if hold.opened.crisis {
        return boxed("blocked", "care", "Crisis");
    }
    match hold.card.as_ref().map(|card| told::assessed(card, "side_effect_class")) {
        Some("critical") => boxed("blocked", "critical", "Critical"),
        Some("external") => boxed("held", "external", "External"),
        Some("read_only" | "none") => boxed("held", "read", "Reading"),
        _ => boxed("held", "local", "Local"),
    }
}

fn who(hold: &HoldView) -> Markup {
    let (agent, session) = (&hold.opened.agent, &hold.opened.session);
    html! {
        span {
            @if agent.is_empty() { "an agent without a name" } @else { (short(agent, 60)) }
            @if !session.is_empty() {
                " in " a.plain.mono href={ "/sessions/" (escaped(session)) } { (short(session, 40)) }
            }
        }
    }
}

/// What should weigh.
pub fn facts(hold: &HoldView, card: &Card) -> Markup {
    let effects = told::effects(card);
    let any = |is: &dyn Fn(&told::Told<'_>) -> bool| effects.iter().any(|(_, _, effect)| is(effect));
    html! {
        ul.facts {
            @if hold.opened.crisis { li.hard { (icon("care")) "Somebody’s life may be at stake" } }
            @if !told::is_reversible(card) { li.hard { (icon("no-undo")) "Cannot be undone" } }
            @if any(&|effect| effect.is_unbounded()) { li.hard { (icon("many")) "As much as there is, not one thing" } }
            @if any(&|effect| effect.is_away()) { li { (icon("external")) "Acts outside this machine" } }
            @if let Some(risk) = told::risk(card) {
                li { "Risk " (risk / 100) "." (format!("{:02}", risk % 100)) " " (meter(risk, risk >= 60, true)) }
            }
            li { (told::asked_by(card)) }
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

/// The answers. A crisis is answered with care: by no single key, and never for more than this one call.
pub fn answers(hold: &HoldView, reader: &Reader, on_page: bool) -> Markup {
    let ticket = hold.opened.ticket.as_str();
    let crisis = hold.opened.crisis;
    html! {
        @if let (HoldState::Pending, Some(csrf)) = (hold.state, &reader.csrf) {
            form.actions method="post" action={ "/holds/" (ticket) } {
                (csrf)
                input type="hidden" name="from" value=(reader.from);
                button.btn.solid name="answer" value="approve" data-key=[(!crisis).then_some("a")] {
                    (icon("yes"))
                    @if crisis { "Approve this message" } @else { "Approve once " kbd { "a" } }
                }
                @if !crisis && !on_page { a.btn href={ "/holds/" (ticket) "#scope" } { "Approve for…" } }
                button.btn name="answer" value="deny" data-key=[(!crisis).then_some("d")] {
                    (icon("no")) "Deny" @if !crisis { " " kbd { "d" } }
                }
                @if !on_page { a.btn.bare.last href={ "/holds/" (ticket) } { "Details" } }
            }
        }
    }
}
