//! Rules of one's own: written, checked, tried, kept and removed. What was typed is never lost.

use axum::{http::StatusCode, response::Response};
use maud::{Markup, html};
use placet_core::{
    located::{LocatedError, Mark},
    rule::{self, Rule},
};

use super::{
    show::{Trial, came, examples, in_words, try_fields, try_form},
    source,
};
use crate::{
    ask::Asked,
    pages::{
        frame::{self, Place},
        part::{
            icon::tag,
            text::{escaped, plain, ticked},
        },
        refused::sentence,
    },
    problem::Problem,
    rules,
};

/// What somebody starts from.
const DRAFT: &str = include_str!("draft.yaml");

/// What is wrong with a draft.
enum Wrong {
    /// At a place of it.
    At(LocatedError),
    /// As a whole.
    Whole(Problem),
}

/// A draft that somebody works on.
struct Draft {
    /// The rule it replaces; nothing if it is new.
    of: Option<String>,
    text: String,
    checked: Option<Result<Rule, Wrong>>,
    trial: Option<Trial>,
}

/// `GET /new-rule`.
pub async fn new(asked: Asked) -> Result<Response, Problem> {
    let draft = Draft { of: None, text: DRAFT.to_owned(), checked: None, trial: None };
    page(&asked, StatusCode::OK, &draft).await
}

/// `POST /new-rule`.
pub async fn create(asked: Asked) -> Result<Response, Problem> {
    done(asked, None).await
}

/// `GET /rules/{rule}/edit`.
pub async fn edit(asked: Asked) -> Result<Response, Problem> {
    let id = asked.param("rule").to_owned();
    let written = rules::written(&asked, &id).await?.filter(|written| written.own);
    let text = written.ok_or_else(rules::none)?.text;
    page(&asked, StatusCode::OK, &Draft { of: Some(id), text, checked: None, trial: None }).await
}

/// `POST /rules/{rule}`.
pub async fn change(asked: Asked) -> Result<Response, Problem> {
    let id = asked.param("rule").to_owned();
    done(asked, Some(id)).await
}

/// `POST /rules/{rule}/remove`.
pub async fn remove(asked: Asked) -> Result<Response, Problem> {
    let id = asked.param("rule").to_owned();
    if asked.form().text("sure") != "yes" {
        return Err(Problem::malformed("say that you are sure: the rule goes, and what it says with it"));
    }
    rules::take_away(&asked, &id).await?;
    Ok(frame::back_to("/rules"))
}

async fn done(asked: Asked, of: Option<String>) -> Result<Response, Problem> {
    let form = asked.form();
    // Browsers end lines their own way.
    let text = form.get("text").unwrap_or("").replace("\r\n", "\n");
    let mut draft = Draft { of, text, checked: None, trial: None };
    let checked = check(&asked, &draft.text).await?;
    if let (Ok(rule), true) = (&checked, form.text("do") == "try") {
        draft.trial = Some(try_form(&asked, &form, rule.clone()).await);
    }
    if let (Ok(rule), true) = (&checked, form.text("do") == "save") {
        let kept = match &draft.of {
            None => rules::add(&asked, draft.text.clone()).await.map(|_| ()),
            Some(id) => rules::put(&asked, id, draft.text.clone()).await,
        };
        match kept {
            Ok(()) => return Ok(frame::back_to(&format!("/rules/{}", escaped(&rule.id)))),
            Err(problem) => draft.checked = Some(Err(Wrong::Whole(problem))),
        }
    }
    let status = match (&checked, &draft.checked) {
        (_, Some(Err(Wrong::Whole(problem)))) => problem.status,
        (Err(_), _) => StatusCode::BAD_REQUEST,
        (Ok(_), _) => StatusCode::OK,
    };
    draft.checked.get_or_insert(checked);
    page(&asked, status, &draft).await
}

/// The rule in `text`, its examples run.
async fn check(asked: &Asked, text: &str) -> Result<Result<Rule, Wrong>, Problem> {
    if text.len() > rules::TEXT_MAX {
        let message = format!("the text of a rule has up to {} bytes", rules::TEXT_MAX);
        return Ok(Err(Wrong::Whole(Problem::malformed(message))));
    }
    let text = text.to_owned();
    let work = move |_: &placet_engine::Engine| {
        let mut pack = match rule::read(&text) {
            Ok(pack) => pack,
            Err(error) => return Ok(Err(Wrong::At(error))),
        };
        if let Some(second) = pack.rules.get(1) {
            return Ok(Err(Wrong::At(second.mark.error("one rule at a time; this is the second"))));
        }
        let Some(rule) = pack.rules.pop() else {
            return Ok(Err(Wrong::At(Mark::START.error("there is no rule"))));
        };
        let failure = rule.failures().into_iter().next();
        Ok(match failure {
            Some(failure) => Err(Wrong::At(failure.mark.error(failure.message))),
            None => Ok(rule),
        })
    };
    asked.server.off(work).await
}

async fn page(asked: &Asked, status: StatusCode, draft: &Draft) -> Result<Response, Problem> {
    let title = draft.of.as_ref().map_or_else(|| "New rule".to_owned(), |id| format!("Edit {id}"));
    frame::page_with(asked, status, Place::Rules, &title, body(asked, draft, &title)).await
}

fn body(asked: &Asked, draft: &Draft, title: &str) -> Markup {
    let action = match &draft.of {
        None => "/new-rule".to_owned(),
        Some(id) => format!("/rules/{}", escaped(id)),
    };
    let (call, record) = draft.trial.as_ref().map_or(("", ""), |trial| (&*trial.call, &*trial.record));
    html! {
        div.head {
            h1 { (plain(title)) }
            a.btn href={ @match &draft.of { None => "/rules", Some(id) => { "/rules/" (escaped(id)) } } } { "Back" }
        }
        div.cols.half {
            form.panel.stack method="post" action=(action) {
                (frame::csrf(asked))
                label {
                    "The rule, as YAML"
                    textarea.mono.source name="text" rows="28" spellcheck="false" autocapitalize="off" wrap="off" required { "\n" (plain(&draft.text)) }
                }
                div.row {
                    button.btn.solid name="do" value="save" { "Save" }
                    button.btn name="do" value="check" { "Check" }
                    span.small.muted { "saved only if its examples hold" }
                }
                div {
                    h2.minor { "Try it before you save it" }
                    div.stack {
                        (try_fields(call, record))
                        div.row { button.btn name="do" value="try" { "Try" } }
                    }
                }
            }
            div.stack {
                @match &draft.checked {
                    None => (hints()),
                    Some(Err(Wrong::At(error))) => section.panel {
                        header { h2 { "Not yet right" } }
                        (source::wrong(&draft.text, error.mark, &error.message))
                    },
                    Some(Err(Wrong::Whole(problem))) => section.panel role="alert" {
                        header { h2 { "Not saved" } }
                        p.blocked { (ticked(&sentence(&plain(&problem.message)))) }
                    },
                    Some(Ok(rule)) => {
                        @if let Some(trial) = &draft.trial {
                            section.panel #tried { header { h2 { "What it says" } } (came(rule, trial)) }
                        }
                        section.panel {
                            header { h2 { "What it looks for" } (tag("ok", "yes", "can be saved")) }
                            (in_words(rule))
                        }
                        (examples(rule, &[]))
                    },
                }
                @if let Some(id) = &draft.of {
                    form.panel.stack method="post" action={ "/rules/" (escaped(id)) "/remove" } {
                        header { h2 { "Remove it" } }
                        (frame::csrf(asked))
                        label.pickone { input type="checkbox" name="sure" value="yes" required; "This rule goes, and its policy with it. The log keeps what it found." }
                        div.row { button.btn.stop { "Remove" } }
                    }
                }
            }
        }
    }
}

fn hints() -> Markup {
    html! {
        section.panel {
            header { h2 { "How a rule is written" } }
            ul.bullets {
                li { "Everything under " code { "when" } " must hold at once; " code { "any" } ", " code { "all" } " and " code { "not" } " combine." }
                li { "Ask what a call does (" code { "effect" } ") rather than how it is spelled: one rule then covers every tool." }
                li { code { "window" } " counts events, " code { "sequence" } " wants them in an order." }
                li { "Examples are run before the rule is saved: what it must match, and what it must not." }
            }
            p.small.muted.gap-top { "Begin with " code { "policy: log_only" } ", look at what it matches, then let it hold." }
        }
    }
}
