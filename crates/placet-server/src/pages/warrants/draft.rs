//! Drafting a warrant: what it would permit, as sentences, and the command that mints it where the key of the root is; or,
//! where the service was given a key, issuing it here.

use axum::response::Response;
use maud::{Markup, html};
use placet_core::warrant::{LIFE_MS_MAX, Scope, Wish, WishError, duration, parse_duration};

use super::show::permits;
use crate::{
    ask::Asked,
    form::Form,
    minting::{self, Order},
    pages::{
        frame::{self, Place},
        part::{
            icon::icon,
            text::{date, plain},
        },
        refused::sentence,
    },
    problem::Problem,
};

/// The fields with several lines: the option, its label, and an example.
const LISTS: [(&str, &str, &str); 6] = [
    ("allow", "May call, a tool a line", "read_file: path under /data/reports, offset?, limit?"),
    ("gate", "May call once a person approved the call", "terminal: command argv(git push|tag ..)"),
    ("allow-effects", "Any tool may", "read under /data; send to *.example.com"),
    ("gate-effects", "Any tool may, once a person approved", "write under /srv/site"),
    ("effects", "All of that only so far", "send to *.example.com; no delete"),
    ("budget", "Numbers add up to at most", "amount=100.50"),
];

/// The fields of one line.
const TEXTS: [(&str, &str, &str); 10] = [
    ("key", "Signed by the key", "ops"),
    ("holder", "For the holder of the key", "agent.pub"),
    ("agent", "or for the agent", "nightly"),
    ("session", "in the session", "s-81c2"),
    ("ttl", "Lives for", "1h"),
    ("max-calls", "Calls in all", "500"),
    ("rate", "Calls in a time", "10/1m"),
    ("hours", "Only at", "Mo-Fr 08:00-18:00 Europe/Berlin"),
    ("max-risk", "Risk at most", "0.60"),
    ("max-depth", "Passed on at most", "0"),
];

/// A field that is wrong, and why.
type Wrong = (&'static str, String);

/// `GET /warrants/draft`: a form that changes nothing, so that a draft can be kept as a link.
pub async fn show(asked: Asked) -> Result<Response, Problem> {
    let form = Form::read(asked.query.as_bytes());
    page(&asked, &form, None).await
}

/// `POST /warrants/mint`.
pub async fn mint(asked: Asked) -> Result<Response, Problem> {
    let form = asked.form();
    let order = match order(&form) {
        Ok(order) => order,
        // The page says where.
        Err(_) => return page(&asked, &form, None).await,
    };
    let minted = match minting::issue(&asked, order).await {
        Ok(minted) => minted,
        Err(problem) if matches!(problem.code, "malformed" | "not_issued" | "no_issuer") => {
            return page(&asked, &form, Some(&problem)).await;
        }
        Err(problem) => return Err(problem),
    };
    let body = html! {
        div.head { h1 { "A warrant was issued" } a.btn.bare href="/warrants" { "All warrants" } }
        section.panel.stack {
            p { b { "Copy it now." } " It is shown this once, and whoever has it and the key it names can act under it." }
            label { "The warrant " code { (minted.id) }
                textarea.mono rows="6" readonly spellcheck="false" { (minted.warrant.to_text()) }
            }
            p.small.muted { "It counts until " (date(minted.expires)) ". That you issued it, and what it permits, is in the log." }
            (permits(&minted.scope))
            p.actions { a.btn href="/warrants/draft" { "Draft another" } }
        }
    };
    frame::page(&asked, Place::Warrants, "A warrant was issued", body).await
}

async fn page(asked: &Asked, form: &Form, refused: Option<&Problem>) -> Result<Response, Problem> {
    let begun = LISTS.iter().any(|(name, _, _)| !form.text(name).is_empty());
    let drafted = begun.then(|| drafted(form));
    let issuer = asked.server.issuer();
    let issues = issuer.is_some() && frame::may_run(asked);
    let wrong = |name: &str| match &drafted {
        Some(Err((field, why))) if *field == name => Some(why.as_str()),
        _ => None,
    };
    let body = html! {
        div.head { h1 { "Draft a warrant" } a.btn.bare href="/warrants" { "All warrants" } }
        div.cols.half {
            form.panel.stack method="get" action="/warrants/draft" data-preview {
                @for (name, label, example) in LISTS {
                    label { (label)
                        textarea.mono name=(name) rows=(lines(form.text(name)).count().max(1)) placeholder=(example) spellcheck="false" aria-invalid=[wrong(name).map(|_| "true")] { (form.text(name)) }
                        @if let Some(why) = wrong(name) { pre.blocked.small role="alert" { (plain(why)) } }
                    }
                }
                div.fields {
                    @for (name, label, example) in TEXTS {
                        label { (label)
                            input.mono name=(name) value=(form.text(name)) placeholder=(example) autocapitalize="none" spellcheck="false" aria-invalid=[wrong(name).map(|_| "true")];
                            @if let Some(why) = wrong(name) { span.blocked.small role="alert" { (plain(why)) } }
                        }
                    }
                }
                div.actions { button.btn.solid { "Show what it permits" } }
            }
            div.stack {
                section.panel.stack #preview data-live aria-labelledby="permits" aria-live="polite" {
                    header { h2 #permits { "What it would permit" } }
                    @match &drafted {
                        None => p.muted { "Say what may be called. Nothing that grants has a default." },
                        Some(Err(("", why))) => p.blocked role="alert" { (icon("block")) " " (plain(&sentence(why))) },
                        Some(Err((field, _))) => p.blocked { (icon("block")) " The field " code { (field) } " is not right yet." },
                        Some(Ok(scope)) => (permits(scope)),
                    }
                }
                div #mint data-live {
                    @if let Some(problem) = refused {
                        p.blocked role="alert" { (icon("block")) " " (plain(&sentence(&problem.message))) }
                    }
                    @if let Some(Ok(_)) = &drafted {
                        @if issues { (issue_form(asked, form)) }
                        section.panel.stack aria-labelledby="command" {
                            header { h2 #command { @if issues { "Or where the key is" } @else { "How to mint it" } } }
                            @match missing(form, true) {
                                Some(what) => p.muted { (what) },
                                None => {
                                    p { "Run this where the key of the root is:" }
                                    pre.cmd { (plain(&command(form))) }
                                }
                            }
                        }
                    }
                }
                section.panel.stack {
                    @match &issuer {
                        Some(issuer) => {
                            header { h2 { "Who can issue here" } }
                            p.small.muted {
                                "Somebody has given this service the key of a root, so operators can issue warrants here: for at most " (duration(issuer.life_ms.unsigned_abs()))
                                @if issuer.unlimited { ", of any reach" } @else { ", each limited in what is called unasked" }
                                ". Every one is in the log under the name of who issued it. Agents cannot reach this."
                            }
                        }
                        None => {
                            header { h2 { "Why not here?" } }
                            p.small.muted {
                                "Placet checks warrants and holds no key that could issue one. Whoever takes over this service, or this browser, can so far block agents and answer holds, each in the log under a name; "
                                "they cannot write themselves an authority that outlives them. The key stays where you keep it."
                            }
                            p.small.muted { "Who wants it otherwise names a key of a root as " code { "warrants.issuer" } " in the configuration; then operators can issue warrants on this page." }
                        }
                    }
                }
            }
        }
    };
    frame::page(asked, Place::Warrants, "Draft a warrant", body).await
}

/// To issue what is drafted.
fn issue_form(asked: &Asked, form: &Form) -> Markup {
    let names = LISTS.iter().chain(&TEXTS).map(|(name, _, _)| *name);
    html! {
        form.panel.stack method="post" action="/warrants/mint" aria-labelledby="issue" {
            (frame::csrf(asked))
            header { h2 #issue { "Issue it here" } }
            @for name in names { input type="hidden" name=(name) value=(form.text(name)); }
            @match missing(form, false) {
                Some(what) => p.muted { (what) },
                None => {
                    p.small.muted { "It counts from now on, and is shown to you once." }
                    div.actions { button.btn.solid { (icon("gate")) "Issue this warrant" } }
                }
            }
        }
    }
}

/// What the form asks for.
fn order(form: &Form) -> Result<Order, Wrong> {
    drafted(form)?;
    let text = |name: &str| Some(form.text(name)).filter(|text| !text.is_empty()).map(str::to_owned);
    Ok(Order {
        holder: text("holder"),
        agent: text("agent"),
        session: text("session"),
        ttl: form.text("ttl").to_owned(),
        max_depth: count(form, "max-depth")?,
        wish: wish(form)?,
    })
}

fn count(form: &Form, name: &'static str) -> Result<Option<u64>, Wrong> {
    match form.text(name) {
        "" => Ok(None),
        text => text.parse().map(Some).map_err(|_| (name, "it is a whole number".to_owned())),
    }
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty())
}

fn drafted(form: &Form) -> Result<Scope, Wrong> {
    count(form, "max-depth")?;
    if let Some(ttl) = Some(form.text("ttl")).filter(|ttl| !ttl.is_empty()) {
        match parse_duration(ttl) {
            None => return Err(("ttl", "write it like `90m` or `1h30m`".to_owned())),
            Some(ms) if i64::try_from(ms).is_ok_and(|ms| ms <= LIFE_MS_MAX) => {}
            Some(_) => return Err(("ttl", "a warrant lives for at most 90 days".to_owned())),
        }
    }
    wish(form)?.scope(None).map_err(|error| match &error {
        WishError::Nothing => ("", "nothing is allowed yet; name a tool or an effect".to_owned()),
        WishError::Line { option, line, error } => (*option, error.pointing_at(line)),
        WishError::Value { option, what } => (*option, what.clone()),
    })
}

/// What it is to permit.
fn wish(form: &Form) -> Result<Wish, Wrong> {
    let list = |name: &str| lines(form.text(name)).map(str::to_owned).collect::<Vec<_>>();
    let text = |name: &str| Some(form.text(name)).filter(|text| !text.is_empty()).map(str::to_owned);
    let risk = text("max-risk")
        .map(|text| text.parse::<f64>().map_err(|_| ("max-risk", "it is a number from 0 to 1".to_owned())));
    Ok(Wish {
        allow: list("allow"),
        gate: list("gate"),
        allow_effects: list("allow-effects"),
        gate_effects: list("gate-effects"),
        effects: list("effects"),
        max_calls: count(form, "max-calls")?,
        rate: text("rate"),
        budget: list("budget"),
        hours: text("hours"),
        max_risk: risk.transpose()?,
        posture: None,
    })
}

/// What is still to be said; the command needs a key besides.
fn missing(form: &Form, with_key: bool) -> Option<&'static str> {
    let has = |name: &str| !form.text(name).is_empty();
    match () {
        () if with_key && !has("key") => Some("Name the key that signs it."),
        () if !has("ttl") => Some("Say how long it lives."),
        () if has("holder") && (has("agent") || has("session")) => {
            Some("It is for the holder of a key, or for an agent in a session, not for both.")
        }
        () if !(has("holder") || has("agent") && has("session")) => {
            Some("Say who it is for: the holder of a key, or an agent in a session.")
        }
        () => None,
    }
}

/// The command, a line for each option.
fn command(form: &Form) -> String {
    let texts = TEXTS.iter().map(|(name, _, _)| *name).map(|name| (name, vec![form.text(name)]));
    let lists = LISTS.iter().map(|(name, _, _)| (*name, lines(form.text(name)).collect()));
    let mut command = "placet warrant mint".to_owned();
    for (name, values) in texts.chain(lists) {
        for value in values.into_iter().filter(|value| !value.is_empty()) {
            command += &format!(" \\\n  --{name}={}", quoted(value));
        }
    }
    command
}

/// A word of a shell that is `text`, whatever stands in it.
fn quoted(text: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./:@%+,=".contains(letter);
    match !text.is_empty() && text.chars().all(plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_says_what_the_form_does() {
        let form = Form::read(b"key=ops&holder=agent.pub&ttl=1h&allow=read_file%3A+path+under+%2Fdata%0D%0Aweb_search&max-calls=5&effects=no+delete");
        assert_eq!(
            command(&form),
            "placet warrant mint \\\n  --key=ops \\\n  --holder=agent.pub \\\n  --ttl=1h \\\n  --max-calls=5 \\\n  \
             --allow='read_file: path under /data' \\\n  --allow=web_search \\\n  --effects='no delete'"
        );
        assert_eq!(quoted("it's $(rm)"), r"'it'\''s $(rm)'");
        assert!(missing(&form, true).is_none() && drafted(&form).is_ok());
        for (query, field) in [
            ("allow=read_file%3A+path+undr+%2F", "allow"),
            ("allow=x&ttl=soon", "ttl"),
            ("allow=x&ttl=91d", "ttl"),
            ("allow=x&max-calls=-1", "max-calls"),
            ("allow=x&max-risk=2", "max-risk"),
            ("allow=x&rate=often", "rate"),
            ("allow=x&hours=never", "hours"),
            ("effects=no+delete", ""),
        ] {
            assert_eq!(drafted(&Form::read(query.as_bytes())).unwrap_err().0, field, "{query}");
        }
    }
}
