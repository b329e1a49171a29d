//! One hold: everything that somebody needs to know before they answer, and the answer.

use axum::response::Response;
use maud::{Markup, html};
use placet_core::{Json, Timestamp, grant::Wider, hold::HoldState};
use placet_engine::{Card, Engine, HoldName, HoldView, NotEditable, Preview};

use super::{
    answer::others_like,
    edit,
    frame::{self, Place},
    part::{
        called::command,
        hold::{Reader, Story, claim, class, facts, fuse, reader, state, time_left, version},
        icon::icon,
        json::tree,
        text::{clock, date, plain, short, ticked},
        told,
    },
    sessions::{self, Axis, Row, of_records},
};
use crate::{ask::Asked, holds, problem::Problem};

/// How far an approval may reach: its word, as the form says it and as people read it.
const SCOPES: [(&str, &str, &str); 3] = [
    ("5x", "times", "The next 5 calls like this"),
    ("session", "session", "Calls like this in this session"),
    ("1h", "until", "Calls like this for an hour"),
];
/// Records of its session that stand before it.
const EARLIER: usize = 12;

struct Seen {
    hold: HoldView,
    scopes: Vec<(&'static str, &'static str, &'static str, Result<Preview, String>)>,
    alike: Vec<HoldView>,
    before: Option<String>,
    after: Option<String>,
    place: Option<(u64, u64)>,
    /// Why its arguments cannot be changed, if they cannot.
    editable: Result<(), NotEditable>,
    /// Whether more than this call is to be approved.
    wider: bool,
    /// What its session did before.
    earlier: Vec<Row>,
    now: Timestamp,
}

/// `GET /holds/{hold}`.
pub async fn show(asked: Asked) -> Result<Response, Problem> {
    let name = HoldName::parse(asked.param("hold")).map_err(|_| holds::none())?;
    let mut seen = asked.server.off(move |engine| see(engine, &name)).await?.ok_or_else(holds::none)?;
    seen.wider = asked.value("wider").is_some();
    let ticket = seen.hold.opened.ticket.to_string();
    let reader = reader(&asked, &format!("/holds/{ticket}"));
    frame::page(&asked, Place::Now, &ticket, body(&seen, &reader)).await
}

fn see(engine: &Engine, name: &HoldName) -> Result<Option<Seen>, Problem> {
    let Some(hold) = engine.hold(name)? else { return Ok(None) };
    let (place, waiting) = engine.look(|ledger| Ok((ledger.hold_place(hold.id)?, ledger.waiting()?)))?;
    let (number, before, after) =
        place.map_or((None, None, None), |place| (Some(place.number), place.before, place.after));
    let (before, after) = (before.map(|ticket| ticket.to_string()), after.map(|ticket| ticket.to_string()));
    let place = number.map(|number| (number, waiting.holds));
    let alike = others_like(engine, name, &hold)?;
    let mut scopes = Vec::new();
    if hold.state == HoldState::Pending && !hold.opened.crisis {
        for (word, kind, words) in SCOPES {
            let Ok(wider) = Wider::parse(word) else { continue };
            scopes.push((word, kind, words, engine.preview(name, wider).map_err(|error| error.to_string())));
        }
    }
    let earlier = match hold.opened.session.as_str() {
        "" => Vec::new(),
        session => {
            let before = hold.opened.record;
            let records = engine.look(|ledger| ledger.records_of_session_before(session, before, EARLIER))?;
            of_records(engine, &hold.opened.session, &records, &[])?
        }
    };
    let editable = engine.editable(&hold);
    let (hold, alike) = (engine.view(hold)?, engine.views(alike)?);
    let now = engine.now();
    Ok(Some(Seen { hold, scopes, alike, before, after, place, editable, wider: false, earlier, now }))
}

fn body(seen: &Seen, reader: &Reader) -> Markup {
    let hold = &seen.hold;
    let story = Story::of(hold);
    html! {
        div.head #step data-live {
            p.row.small {
                a href="/" { "Now" }
                @if let Some((at, of)) = seen.place { span.muted { (at) " of " (of) " waiting" } }
            }
            @if let Some(before) = &seen.before { a.btn.bare href={ "/holds/" (before) } data-key="k" { "Previous " kbd { "k" } } }
            @if let Some(after) = &seen.after { a.btn.bare href={ "/holds/" (after) } data-key="j" { "Next " kbd { "j" } } }
        }
        div.cols {
            div.stack {
                (first(hold, story.as_ref(), seen.now))
                @if let Some(story) = &story { (what_runs(story)) (why(story)) }
                (before_this(seen))
            }
            div.stack {
                (answer_form(seen, reader))
                (edit_form(seen, reader))
                (together(seen, reader))
                (who_asks(hold))
                (who_agrees(hold))
            }
        }
    }
}

fn what_runs(story: &Story<'_>) -> Markup {
    html! {
        section.panel aria-labelledby="run" {
            header {
                h2 #run { "What will run" }
                @if let Some(cwd) = text(story.card, "cwd") { span.small.muted { "in " code { (plain(cwd)) } } }
            }
            (story.called().whole())
            @if let Some(assessment) = &story.assessment {
                h3 { "In words" }
                (told::in_words(assessment))
            }
        }
    }
}

fn why(story: &Story<'_>) -> Markup {
    html! {
        section.panel aria-labelledby="why" {
            header {
                h2 #why { "Why it asks" }
                @if let Some(assessment) = &story.assessment { span.small.muted { "confidence " (assessment.confidence) } }
            }
            @if let Some(assessment) = &story.assessment { (told::factors(assessment)) }
            h3 { "Who spoke" }
            (told::who_spoke(&story.findings))
        }
    }
}

fn before_this(seen: &Seen) -> Markup {
    let session = &seen.hold.opened.session;
    let from = seen.earlier.first().map_or(seen.now, |row| row.at);
    let axis = Axis { from, until: seen.hold.opened.opened, now: seen.now, user: None };
    html! {
        @if !session.is_empty() {
            section aria-labelledby="before" {
                div.row { h2.grow #before { "The session before this" } a.small href=(sessions::path(session)) { "Whole session" } }
                @if seen.earlier.is_empty() {
                    p.small.muted { "Nothing: this is the first thing it asked for." }
                } @else {
                    ol.panel.time.brief.gap-top aria-label="The session before this" {
                        @for row in &seen.earlier { (axis.row(row)) }
                    }
                }
            }
        }
    }
}

fn text<'a>(card: &'a Card, key: &str) -> Option<&'a str> {
    card.call(key).and_then(Json::as_str).filter(|text| !text.is_empty())
}

fn first(hold: &HoldView, story: Option<&Story<'_>>, now: Timestamp) -> Markup {
    html! {
        article.hold #hold data-live data-v=(version(hold)) {
            (fuse(hold, now))
            div.top {
                (class(hold, story))
                span.mono { (hold.opened.ticket) }
                span { "asked at " (clock(hold.opened.opened)) " by " b { (agent(hold)) } }
                (time_left(hold, now))
            }
            @match story {
                None => p { "What it was about is no longer kept. Record " a href={ "/audit/" (hold.opened.record) } { (hold.opened.record) } " has the decision." },
                Some(story) => {
                    div.yes.big {
                        small { @if hold.state == HoldState::Pending { "If you approve" } @else { "What was asked" } }
                        h1 { (story.about()) }
                    }
                    (facts(hold, story))
                }
            }
        }
    }
}

fn agent(hold: &HoldView) -> String {
    let agent = &hold.opened.agent;
    if agent.is_empty() { "an agent without a name".to_owned() } else { short(agent, 80) }
}

fn answer_form(seen: &Seen, reader: &Reader) -> Markup {
    let hold = &seen.hold;
    let ticket = hold.opened.ticket.as_str();
    let crisis = hold.opened.crisis;
    html! {
        div #answer data-live data-hold data-v=(version(hold)) {
            @match (&reader.csrf, hold.state) {
                (Some(csrf), HoldState::Pending) => {
                    // Enter in the reason sends this form, so it denies; in the other one it would approve.
                    form #deny method="post" action={ "/holds/" (ticket) } { (csrf) input type="hidden" name="from" value=(reader.from); }
                    form.panel.stack method="post" action={ "/holds/" (ticket) } aria-labelledby="answer-title" {
                        (no_default())
                        (csrf)
                        input type="hidden" name="from" value=(reader.from);
                        header { h2 #answer-title { "Your answer" } span.small.muted { "until " (clock(hold.opened.deadline)) } }
                        p.small.muted {
                            @if crisis { "Read it as the person would who gets it. " }
                            "Approving releases exactly this call, once. Unanswered, it is denied."
                        }
                        div.actions.dock {
                            button.btn.solid name="answer" value="approve" data-key=[(!crisis).then_some("a")] {
                                (icon("yes"))
                                @if crisis { "Approve this message" } @else { "Approve once " kbd { "a" } }
                            }
                            button.btn form="deny" name="answer" value="deny" data-key=[(!crisis).then_some("d")] {
                                (icon("no")) "Deny" @if !crisis { " " kbd { "d" } }
                            }
                        }
                        label { "If you deny, the agent reads" input form="deny" name="reason" maxlength="500" autocomplete="off" placeholder="Why not, or what to do instead"; }
                        @if !crisis { (scopes(seen)) }
                    }
                }
                (None, HoldState::Pending) => section.panel {
                    header { h2 { "Waiting for an answer" } }
                    p.muted { "Your role reads and does not answer." }
                },
                (_, _) => (ended(hold)),
            }
        }
    }
}

/// To change what will run, where its host takes that.
fn edit_form(seen: &Seen, reader: &Reader) -> Markup {
    let hold = &seen.hold;
    html! {
        div #edit data-live data-v=(version(hold)) {
            @if let (Some(csrf), HoldState::Pending, Some(args)) = (&reader.csrf, hold.state, hold.card.as_ref().and_then(Card::args)) {
                @match &seen.editable {
                    Ok(()) => details.panel.scope {
                        summary { "Change it, then approve" }
                        (edit::form(hold.opened.ticket.as_str(), csrf, &edit::Fields::of(args)))
                    },
                    Err(NotEditable::Hidden | NotEditable::Several) if hold.takes_edits() => {
                        p.small.muted { @if let Err(why) = &seen.editable { "It cannot be changed: " (why) "." } }
                    },
                    Err(_) => {},
                }
            }
        }
    }
}

/// Enter in a field takes the first button of a form: one that does nothing, where the others answer.
fn no_default() -> Markup {
    html! { button type="submit" disabled hidden {} }
}

fn ended(hold: &HoldView) -> Markup {
    html! {
        section.panel {
            header { h2 { "How it ended" } (state(hold)) }
            dl.kv {
                @if let Some(by) = &hold.by { dt { "By" } dd { (plain(by)) } }
                dt { "At" } dd { (date(hold.since)) }
                @if let Some(reason) = &hold.reason { dt { "They said" } dd { (plain(reason)) } }
                @if let Some(args) = &hold.edited {
                    dt { "They changed it to" }
                    dd {
                        @match command(args) {
                            Some((_, text)) if args.as_object().is_some_and(|args| args.len() == 1) => code.pre { (plain(text)) },
                            _ => (tree(args)),
                        }
                    }
                }
                dt { "Record" } dd { a href={ "/audit/" (hold.opened.record) } { (hold.opened.record) } }
            }
        }
    }
}

/// What a wider approval would newly permit, before its button.
fn scopes(seen: &Seen) -> Markup {
    let possible: Vec<_> = seen
        .scopes
        .iter()
        .filter_map(|(word, kind, words, preview)| Some((word, kind, words, preview.as_ref().ok()?)))
        .collect();
    html! {
        @if let Some((_, _, _, Err(why))) = seen.scopes.iter().find(|(_, _, _, preview)| preview.is_err()) {
            @if possible.is_empty() { p.small.muted { "Only this call can be approved: " (plain(why)) "." } }
        }
        @if !possible.is_empty() {
            details.scope #scope open[seen.wider] {
                summary { "Approve more than this call" }
                fieldset.choice {
                    legend.sr { "How far the approval reaches" }
                    @for (at, (word, kind, words, _)) in possible.iter().enumerate() {
                        label { input type="radio" name="scope" value=(word) data-kind=(kind) checked[at == 0]; (words) }
                    }
                }
                @for (_, kind, _, preview) in &possible {
                    div class={ "permits-" (kind) } {
                        b { "Newly permitted, unasked, until " (date(preview.until)) }
                        ul {
                            @for line in &preview.permits { li { (icon("yes")) span { (ticked(&plain(line))) } } }
                            @if !preview.witness.is_empty() {
                                li { (icon("yes")) span { "for instance " code { (plain(&preview.witness)) } } }
                            }
                            li { (icon("no")) span { "Anything riskier than this, anything else, other agents and sessions: they ask as before." } }
                        }
                    }
                }
                button.btn name="answer" value="scope" { "Approve this wider scope" }
            }
        }
    }
}

/// Others like it, every one of them listed, answered in one go.
fn together(seen: &Seen, reader: &Reader) -> Markup {
    let ticket = seen.hold.opened.ticket.as_str();
    html! {
        @let listed: Vec<&str> = seen.alike.iter().map(|hold| hold.opened.ticket.as_str()).collect();
        div #alike data-live data-v={ (listed.join(" ")) "." } {
            @if let (Some(csrf), false) = (&reader.csrf, seen.alike.is_empty() || seen.hold.state != HoldState::Pending) {
                form.panel.stack method="post" action={ "/holds/" (ticket) "/alike" } aria-labelledby="alike-title" {
                    (no_default())
                    (csrf)
                    header { h2 #alike-title { "Alike, and waiting too" } span.small.muted { (seen.alike.len()) } }
                    ul.lines.small {
                        @for hold in &seen.alike {
                            @let one = hold.opened.ticket.as_str();
                            li {
                                div.grow.stack {
                                    div.row {
                                        label.pickone { input type="checkbox" name="with" value=(one) checked; span.mono { (one) } }
                                        span.grow.muted { (agent(hold)) " in " (short(&hold.opened.session, 24)) }
                                        a href={ "/holds/" (one) } { "Details" span.sr { " of " (one) } }
                                    }
                                    @match Story::of(hold) {
                                        Some(story) => (story.called().whole()),
                                        None => p.muted { "What it was about is no longer kept." },
                                    }
                                }
                            }
                        }
                    }
                    div.actions {
                        button.btn name="answer" value="approve" { "Approve this and those chosen" }
                        button.btn name="answer" value="deny" { "Deny this and those chosen" }
                    }
                }
            }
        }
    }
}

fn who_asks(hold: &HoldView) -> Markup {
    let card = hold.card.as_ref();
    let of = |key: &str| card.and_then(|card| text(card, key));
    let session = &hold.opened.session;
    html! {
        section.panel aria-labelledby="who" {
            header { h2 #who { "Who asks" } }
            dl.kv {
                dt { "Agent" } dd { (agent(hold)) @if let Some(host) = of("host") { ", " (short(host, 80)) } }
                @if !session.is_empty() { dt { "Session" } dd { a.mono href=(sessions::path(session)) { (short(session, 80)) } } }
                @if let Some(parent) = of("parent_session") { dt { "Started by" } dd { a.mono href=(sessions::path(parent)) { (short(parent, 80)) } } }
                @if let Some(user) = of("user") { dt { "For" } dd { (short(user, 120)) } }
                @if let Some(deployment) = of("deployment") { dt { "Deployment" } dd { (short(deployment, 120)) } }
                dt { "Record" } dd { a href={ "/audit/" (hold.opened.record) } { (hold.opened.record) } }
            }
            @if let Some(card) = card {
                @if text(card, "reason").is_some() {
                    h3 { "Its claimed reason" }
                    (claim(card))
                    p.small.muted { "A claim by the agent, not checked." }
                }
            }
        }
    }
}

fn who_agrees(hold: &HoldView) -> Markup {
    let progress = hold.progress();
    html! {
        div #agree data-live {
            @if !progress.is_empty() || hold.next().is_some() || !hold.addressed().is_empty() {
                section.panel aria-labelledby="also" {
                    header {
                        h2 #also { "Who must agree" }
                        @if let Some(need) = progress.first() {
                            span.small.muted { (need.approved.len()) " of " (need.approve) }
                        }
                    }
                    ul.lines {
                        @for vote in &hold.votes {
                            li {
                                @if vote.yes { span.ok { (icon("allow")) } } @else { span.blocked { (icon("block")) } }
                                span.grow { (plain(&vote.by)) @if vote.yes { " approved" } @else { " denied" } }
                                span.small.muted { (clock(vote.at)) }
                            }
                        }
                        @for need in progress.iter().filter(|need| need.missing > 0 && hold.state == HoldState::Pending) {
                            li {
                                span.held { (icon("person")) }
                                span.grow {
                                    (need.missing) " more"
                                    @if let Some(who) = &need.who { " of " b { (plain(who)) } }
                                    @if !need.could.is_empty() { ": " (plain(&need.could.join(", "))) }
                                }
                            }
                        }
                        @for group in hold.addressed() { li { span { (icon("person")) } span.grow { b { (plain(group)) } " is asked" } } }
                        @if let Some((to, at)) = hold.next() { li { span { (icon("clock")) } span.grow { b { (plain(to)) } " is asked too at " (clock(at)) } } }
                    }
                }
            }
        }
    }
}
