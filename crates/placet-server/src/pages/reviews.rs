//! Reviews: calls that ran because they are easily undone, for people to look at afterwards.

use axum::response::Response;
use maud::{Markup, html};
use placet_core::{Json, Timestamp};
use placet_engine::{Engine, ReviewView, Which};
use placet_store::ReviewState;

use super::{
    frame::{self, Place},
    part::{
        called,
        icon::{icon, tag},
        json::tree,
        text::{ago, date, empty, escaped, number, plain, short, ticked},
    },
    refused::sentence,
    sessions,
};
use crate::{ask::Asked, problem::Problem, reviews::NOTE_MAX};

/// Reviews on one page.
const ON_PAGE: usize = 50;

/// `GET /reviews`.
pub async fn list(asked: Asked) -> Result<Response, Problem> {
    let done = match asked.value("state").as_deref() {
        None | Some("" | "waiting") => false,
        Some("done") => true,
        Some(_) => return Err(Problem::malformed("`state` is `waiting` or `done`")),
    };
    let session = asked.value("session").filter(|session| !session.is_empty());
    let before = asked.count("before", i64::MAX as u64, i64::MAX as u64)?;
    let wanted = session.clone();
    let look = move |engine: &Engine| {
        let reviews = match done {
            true => engine.reviews_done(before, ON_PAGE + 1)?,
            false => engine.reviews(wanted.as_deref(), false, ON_PAGE + 1)?,
        };
        Ok((reviews, engine.look(|ledger| ledger.waiting())?.reviews, engine.now()))
    };
    let (mut reviews, waiting, now) = asked.server.off(look).await?;
    let more = reviews.len() > ON_PAGE;
    reviews.truncate(ON_PAGE);
    let body = html! {
        div.head {
            h1 #heading data-live {
                @match (&session, waiting) {
                    (Some(session), _) => { "Reviews of session " span.mono { (short(session, 40)) } }
                    (None, 0) => "Nothing to look at",
                    (None, 1) => "1 call to look at",
                    (None, count) => { (number(count)) " calls to look at" }
                }
            }
            nav.switch aria-label="Show" {
                a href="/reviews" aria-current=[(!done).then_some("true")] { "Waiting" }
                a href="/reviews?state=done" aria-current=[done.then_some("true")] { "Done" }
            }
        }
        @if frame::may_answer(&asked) && !done && !reviews.is_empty() {
            @if let Some(session) = &session { (all_of(&asked, session)) }
        }
        div #reviews data-live {
            @if reviews.is_empty() {
                (empty("read", if done { "Nobody has looked at any yet" } else { "Nothing to look at" }, html! {
                    "Calls that run without asking because they are easily undone appear here, so that somebody sees what they did."
                }))
            } @else {
                section.panel {
                    table.table {
                        caption.sr { @if done { "Reviews that are done, the newest first" } @else { "Reviews that wait, the oldest first" } }
                        thead { tr {
                            th scope="col" { "What it did" } th.wide scope="col" { "Agent" } th.wide scope="col" { "Session" }
                            th scope="col" { "State" } th.num scope="col" { "Ran" }
                        } }
                        tbody { @for review in &reviews { (line(review, now)) } }
                    }
                }
            }
        }
        nav.row.small.gap-top aria-label="More reviews" {
            @if let Some(last) = reviews.last().filter(|_| more) {
                @if done { a.btn href={ "/reviews?state=done&before=" (last.review.record) } { "Older" } }
                @else { span.muted { "More come up as these are done." } }
            }
            @if session.is_some() { a href="/reviews" { "Of all sessions" } }
        }
    };
    frame::page(&asked, Place::Reviews, "Reviews", body).await
}

fn line(review: &ReviewView, now: Timestamp) -> Markup {
    let happened = review.happened();
    let session = &review.review.session;
    html! {
        tr id={ "v" (review.review.record) } {
            td {
                a href={ "/reviews/" (review.review.record) } { (short(&sentence(happened.first().map_or("Did nothing that is known", String::as_str)), 160)) }
                @if happened.len() > 1 { " " span.small.muted { "and " (happened.len() - 1) " more" } }
                br; span.small.muted.mono { (short(text(review, "tool"), 80)) @if let Some(command) = command(review) { ": " (short(command, 160)) } }
            }
            td.wide { (sessions::name(text(review, "agent"))) }
            td.wide { @if !session.is_empty() { a.plain.mono href={ "/reviews?session=" (escaped(session)) } { (short(session, 40)) } } }
            td.nowrap { (state(review.review.state)) @if let Some(by) = &review.review.by { br; span.small.muted { "by " (short(by, 40)) } } }
            td.num { (ago(review.review.at, now)) }
        }
    }
}

fn text<'a>(review: &'a ReviewView, key: &str) -> &'a str {
    review.call(key).and_then(Json::as_str).unwrap_or("")
}

/// The command it ran, if it ran one.
fn command(review: &ReviewView) -> Option<&str> {
    let args = review.call("args")?;
    called::command(args).map(|(_, text)| text)
}

fn state(state: ReviewState) -> Markup {
    match state {
        ReviewState::Waiting => tag("muted", "clock", "waiting"),
        ReviewState::Overdue => tag("held", "threat", "overdue"),
        ReviewState::Done => tag("ok", "allow", "done"),
    }
}

fn all_of(asked: &Asked, session: &str) -> Markup {
    html! {
        form.panel.row method="post" action="/reviews/done" {
            (frame::csrf(asked))
            input type="hidden" name="session" value=(session);
            label.grow { "A note for all of them" input name="note" maxlength=(NOTE_MAX) autocomplete="off" placeholder="Optional"; }
            button.btn { (icon("yes")) "All of this session are fine" }
        }
    }
}

/// `GET /reviews/{review}`.
pub async fn show(asked: Asked) -> Result<Response, Problem> {
    let id = named(&asked)?;
    let look = move |engine: &Engine| Ok((engine.review(id)?, engine.now()));
    let (review, now) = asked.server.off(look).await?;
    let review = review.ok_or_else(none)?;
    let title = format!("Review {id}");
    frame::page(&asked, Place::Reviews, &title, whole(&asked, &review, now)).await
}

fn whole(asked: &Asked, view: &ReviewView, now: Timestamp) -> Markup {
    let review = &view.review;
    let open = review.state != ReviewState::Done;
    let happened = view.happened();
    html! {
        div.head {
            p.row.small { a href="/reviews" { "Reviews" } }
        }
        div.cols {
            div.stack {
                section.panel.stack {
                    p.row { (state(review.state)) span.small.muted { "ran " (ago(review.at, now)) " ago" @if let Some(outcome) = view.outcome() { ", " (plain(outcome)) } } }
                    div.yes {
                        small { "What it did" }
                        h1 { (short(&sentence(happened.first().map_or("nothing that is known", String::as_str)), 400)) }
                    }
                    @if happened.len() > 1 {
                        ul.bullets { @for one in happened.iter().skip(1).take(50) { li { (plain(&sentence(one))) } } }
                    }
                }
                section.panel aria-labelledby="undo" {
                    header { h2 #undo { "How to undo it" } }
                    ul.bullets { @for one in view.undo().iter().take(50) { li { (ticked(&plain(&sentence(one)))) } } }
                    p.small.muted.gap-top { "Placet keeps no copy of what was there before." }
                }
                section.panel aria-labelledby="ran" {
                    header { h2 #ran { "What ran" } span.small.muted { code { (short(text(view, "tool"), 120)) } @if !text(view, "cwd").is_empty() { " in " code { (short(text(view, "cwd"), 200)) } } } }
                    @match view.call("args") {
                        Some(args) => div.cmd.tree { (tree(args)) },
                        None => p.muted { "Its arguments are not known." },
                    }
                }
            }
            div.stack {
                @if open && frame::may_answer(asked) {
                    form.panel.stack method="post" action={ "/reviews/" (review.record) "/done" } {
                        (frame::csrf(asked))
                        header { h2 { "You have looked" } }
                        label { "A note" input name="note" maxlength=(NOTE_MAX) autocomplete="off" placeholder="Optional"; }
                        div.actions.dock { button.btn.solid { (icon("yes")) "Done" } }
                    }
                }
                @if !open {
                    section.panel {
                        header { h2 { "Somebody has looked" } }
                        dl.kv {
                            @if let Some(by) = &review.by { dt { "By" } dd { (plain(by)) } }
                            @if let Some(note) = &review.note { dt { "Note" } dd { (plain(note)) } }
                        }
                    }
                }
                section.panel {
                    header { h2 { "Who asked" } }
                    dl.kv {
                        dt { "Agent" } dd { (sessions::name(text(view, "agent"))) }
                        @if !review.session.is_empty() {
                            dt { "Session" } dd { a.mono href=(sessions::path(&review.session)) { (sessions::label(&review.session, 80)) } }
                            dt { "Others" } dd { a href={ "/reviews?session=" (escaped(&review.session)) } { "All that wait in this session" } }
                        }
                        @if !text(view, "user").is_empty() { dt { "For" } dd { (short(text(view, "user"), 120)) } }
                        dt { "At" } dd { (date(review.at)) }
                        dt { "Record" } dd { a href={ "/audit/" (review.record) } { (review.record) } }
                    }
                }
            }
        }
    }
}

fn named(asked: &Asked) -> Result<u64, Problem> {
    asked.param("review").parse().ok().filter(|id| *id <= i64::MAX as u64).ok_or_else(none)
}

fn none() -> Problem {
    Problem::unknown("there is no such review")
}

fn note(asked: &Asked) -> Result<Option<String>, Problem> {
    let form = asked.form();
    match form.text("note") {
        "" => Ok(None),
        note if note.len() > NOTE_MAX => {
            Err(Problem::malformed(format!("a note has up to {NOTE_MAX} bytes")))
        }
        note => Ok(Some(note.to_owned())),
    }
}

/// `POST /reviews/{review}/done`.
pub async fn done(asked: Asked) -> Result<Response, Problem> {
    let (id, note, by) = (named(&asked)?, note(&asked)?, asked.approver()?);
    asked.server.off(move |engine| Ok(engine.review(id)?)).await?.ok_or_else(none)?;
    asked.server.engine.review_done(Which::These(vec![id]), note.as_deref(), &by).await?;
    Ok(frame::back_to("/reviews"))
}

/// `POST /reviews/done`.
pub async fn all_done(asked: Asked) -> Result<Response, Problem> {
    let (note, by, form) = (note(&asked)?, asked.approver()?, asked.form());
    let session = form.get("session").filter(|session| !session.is_empty());
    // From a page, all means all of one session: nobody has read the rest.
    let session = session.ok_or_else(|| Problem::malformed("which session is meant?"))?;
    asked.server.engine.review_done(Which::All(Some(session.to_owned())), note.as_deref(), &by).await?;
    Ok(frame::back_to("/reviews"))
}
