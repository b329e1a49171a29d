//! Changing a held call before it is approved: what somebody writes is decided again and shown, and only then approved.

use axum::{http::StatusCode, response::Response};
use maud::{Markup, html};
use placet_core::{Assessment, Json, assess::Score, canonical, json::Object};
use placet_engine::{AnswerError, EditPreview, HoldName, Ruling};

use super::{
    frame::{self, Place},
    part::{
        called::{Called, command},
        icon::icon,
        text::{escaped, plain, ticked},
        told,
    },
    refused::sentence,
};
use crate::{ask::Asked, holds, problem::Problem};

/// The arguments of a call as somebody can write them: its command, and the others as JSON.
#[derive(Clone, Debug, Default)]
pub struct Fields {
    command: Option<(String, String)>,
    rest: Option<String>,
}

impl Fields {
    /// The fields for `args`.
    pub fn of(args: &Json) -> Self {
        // What a browser would change on the way stands in JSON, where it is spelled out.
        let command = command(args).filter(|(_, text)| plain(text) == *text);
        let name = command.map(|(name, _)| name);
        let members = args.as_object().into_iter().flat_map(Object::iter);
        let rest: Vec<(String, Json)> = members
            .filter(|(key, _)| Some(*key) != name)
            .map(|(key, value)| (key.to_owned(), value.clone()))
            .collect();
        let rest = match rest.is_empty() && name.is_some() {
            true => None,
            false => Object::from_pairs(rest).ok().map(|rest| written(&Json::Object(rest))),
        };
        Self { command: command.map(|(name, text)| (name.to_owned(), text.to_owned())), rest }
    }

    /// What somebody has written, into the fields for `args`.
    fn filled(asked: &Asked, args: &Json) -> Self {
        let form = asked.form();
        // Browsers end lines in two letters.
        let text = |name: &str| form.get(name).map(|text| text.replace("\r\n", "\n"));
        let empty = Self::of(args);
        Self {
            command: empty.command.map(|(name, was)| (name, text("command").unwrap_or(was))),
            rest: empty.rest.map(|was| text("rest").unwrap_or(was)),
        }
    }

    /// The arguments that they say.
    fn args(&self) -> Result<Object, String> {
        let rest = match self.rest.as_deref().map(str::trim) {
            None | Some("") => Object::default(),
            Some(text) => match Json::read(text).map_err(|error| error.to_string())? {
                Json::Object(rest) => rest,
                other => return Err(format!("arguments are an object, not {}", other.kind())),
            },
        };
        let Some((name, text)) = &self.command else { return Ok(rest) };
        let named = [(name.clone(), Json::from(text.as_str()))];
        let rest = rest.iter().map(|(key, value)| (key.to_owned(), value.clone()));
        Object::from_pairs(rest.chain(named)).map_err(|error| error.to_string())
    }
}

fn written(args: &Json) -> String {
    serde_json::to_string_pretty(args).unwrap_or_default()
}

/// The form to change a call with. It only leads to what that would do.
pub fn form(ticket: &str, csrf: &Markup, fields: &Fields) -> Markup {
    html! {
        form.stack.gap-top method="post" action={ "/holds/" (ticket) "/edit" } {
            (csrf)
            @if let Some((name, text)) = &fields.command {
                label { (plain(name)) textarea.mono name="command" rows="4" spellcheck="false" autocapitalize="off" { "\n" (text) } }
            }
            @if let Some(rest) = &fields.rest {
                label {
                    @if fields.command.is_some() { "Other arguments, as JSON" } @else { "Arguments, as JSON" }
                    textarea.mono name="rest" rows="8" spellcheck="false" autocapitalize="off" { "\n" (rest) }
                }
            }
            p.small.muted { "What you write is decided again, and shown to you before it is approved. The agent is told that a person changed it." }
            div.actions { button.btn name="do" value="look" { "See what that would do" } }
        }
    }
}

/// `POST /holds/{hold}/edit`.
pub async fn edit(asked: Asked) -> Result<Response, Problem> {
    let name = HoldName::parse(asked.param("hold")).map_err(|_| holds::none())?;
    let named = name.clone();
    let hold = asked.server.off(move |engine| Ok(engine.hold(&named)?)).await?.ok_or_else(holds::none)?;
    let card = placet_engine::Card::read(&hold.opened.card);
    let Some(was) = card.as_ref().and_then(placet_engine::Card::args) else {
        return Ok(back(&asked));
    };
    let form = asked.form();
    let approves = form.text("do") == "approve";
    // What is approved is what was shown, letter for letter.
    let fields = match approves.then(|| Json::read(form.text("args")).ok()).flatten() {
        Some(args) => Fields::of(&args),
        None => Fields::filled(&asked, was),
    };
    let args = match fields.args() {
        Ok(args) => args,
        Err(wrong) => return page(&asked, &fields, Err(&wrong)).await,
    };
    let preview = match asked.server.engine.preview_edit(&name, &args).await {
        Ok(preview) => preview,
        Err(error @ AnswerError::NotEditable { .. }) => {
            return page(&asked, &fields, Err(&error.to_string())).await;
        }
        Err(error) => return Err(holds::refused(error)),
    };
    if !approves || preview.refused.is_some() || form.text("seen") != seen(&preview) {
        return page(&asked, &fields, Ok(&preview)).await;
    }
    match holds::rule(&asked, name, Ruling::ApproveEdited(args)).await {
        Err(problem) if problem.code == "already_resolved" => Ok(back(&asked)),
        Err(problem) if matches!(problem.code, "edit_blocked" | "not_editable" | "outdated") => {
            page(&asked, &fields, Err(&problem.message)).await
        }
        answered => answered.map(|_| back(&asked)),
    }
}

fn back(asked: &Asked) -> Response {
    frame::back_to(&format!("/holds/{}", escaped(asked.param("hold"))))
}

/// What was shown of it, in short: nobody approves what has become something else meanwhile.
fn seen(preview: &EditPreview) -> String {
    let decision = &preview.decision;
    let risk = decision.assessment.as_ref().map(|assessment| assessment.risk_score.to_string());
    let verdict = format!("{:?}", decision.verdict);
    format!("{verdict} {} {}", risk.unwrap_or_default(), decision.findings.len())
}

async fn page(asked: &Asked, fields: &Fields, came: Result<&EditPreview, &str>) -> Result<Response, Problem> {
    let ticket = plain(asked.param("hold"));
    let refused = match came {
        Ok(preview) => preview.refused.as_ref().map(ToString::to_string),
        Err(wrong) => Some(wrong.to_owned()),
    };
    let csrf = frame::csrf(asked);
    let body = html! {
        div.head {
            h1 { "Change it, then approve" }
            a.btn.bare href={ "/holds/" (escaped(&ticket)) } { "Back to " (ticket) }
        }
        @if let Some(why) = &refused {
            div.banner.stopped role="alert" { (icon("block")) p { b { "Not like that. " } (ticked(&plain(&sentence(why)))) " It waits as before." } }
        }
        div.cols {
            div.stack { @if let Ok(preview) = came { (changed(preview)) } }
            div.stack {
                @if let (Ok(preview), None) = (came, &refused) { (confirm(&ticket, &csrf, preview)) }
                section.panel aria-labelledby="change" {
                    header { h2 #change { "Change it" @if came.is_ok() && refused.is_none() { " again" } } }
                    (form(&ticket, &csrf, fields))
                }
            }
        }
    };
    let status = if refused.is_some() { StatusCode::CONFLICT } else { StatusCode::OK };
    frame::page_with(asked, status, Place::Now, &format!("Change {ticket}"), body).await
}

fn confirm(ticket: &str, csrf: &Markup, preview: &EditPreview) -> Markup {
    html! {
        form.panel.stack method="post" action={ "/holds/" (ticket) "/edit" } aria-labelledby="confirm" {
            (csrf)
            input type="hidden" name="args" value=(canonical::to_string(preview.call.args()));
            input type="hidden" name="seen" value=(seen(preview));
            header { h2 #confirm { "Your answer" } }
            p.small.muted { "Approving releases the call as it stands here, once. What the agent asked for does not run." }
            div.actions.dock {
                button.btn.solid name="do" value="approve" { (icon("yes")) "Approve it like this" }
                a.btn href={ "/holds/" (ticket) } { "Leave it as it was" }
            }
        }
    }
}

/// What it would do now, and what is different.
fn changed(preview: &EditPreview) -> Markup {
    let (decision, call, refused) = (&preview.decision, &preview.call, preview.refused.is_some());
    html! {
        @if let Some(assessment) = &decision.assessment {
            section.panel aria-labelledby="different" {
                header { h2 #different { "What is different" } }
                (differences(preview, assessment))
            }
            section.panel aria-labelledby="run" {
                header { h2 #run { @if refused { "What would run" } @else { "What will run" } } @if let Some(cwd) = call.cwd() { span.small.muted { "in " code { (plain(cwd)) } } } }
                div.yes { small { @if refused { "If it ran" } @else { "If you approve" } } h2 { (told::about(assessment)) } }
                (Called { tool: call.tool().as_str(), args: Some(call.args()), marked: assessment.marked(call.args()) }.whole())
                h3 { "In words" }
                (told::in_words(assessment))
            }
            section.panel aria-labelledby="why" {
                header { h2 #why { "How it is weighed" } }
                (told::factors(assessment))
                h3 { "Who spoke" }
                (told::who_spoke(&decision.findings))
            }
        }
    }
}

fn differences(preview: &EditPreview, assessment: &Assessment) -> Markup {
    let (newly, no_longer) = (preview.newly(), preview.no_longer());
    let after = assessment.risk_score;
    let before = preview.before.as_ref().map(|before| before.risk_score);
    html! {
        ul.lines {
            @if let Some(before) = before { li { (risk(before, after)) } }
            @for line in &newly { li { span.held { (icon("threat")) } span.grow { "New: it " (plain(line)) } } }
            @for line in &no_longer { li { span.muted { (icon("no")) } span.grow.muted { "No longer: it " (plain(line)) } } }
            @if newly.is_empty() && no_longer.is_empty() { li { span.grow.muted { "It does the same to the same." } } }
        }
    }
}

fn risk(before: Score, after: Score) -> Markup {
    html! {
        @match after.cmp(&before) {
            std::cmp::Ordering::Greater => { span.blocked { (icon("no-undo")) } span.grow { b { "It is riskier: " (after) } ", and was " (before) } },
            std::cmp::Ordering::Less => { span.ok { (icon("yes")) } span.grow { "It is less risky: " (after) ", and was " (before) } },
            std::cmp::Ordering::Equal => span.grow { "The risk stays " (after) },
        }
    }
}
