//! Who may do what: users with their roles, and tokens for programs.

use axum::response::Response;
use maud::{Markup, html};
use placet_engine::{Engine, Token, User};

use super::{Said, confirmed, named, page, secret};
use crate::{
    ask::Asked,
    operating,
    pages::{
        frame,
        part::text::{date, escaped, plain},
    },
    problem::Problem,
    users,
};

const PATH: &str = "/settings/people";

/// What roles may do, for people and for programs.
const ROLES: [(&str, &str); 4] = [
    ("agent", "asks for calls, and sees nothing else"),
    ("auditor", "sees everything, and changes nothing"),
    ("approver", "also answers holds, and can stop everything"),
    ("operator", "also changes rules, settings and people"),
];

/// `GET /settings/people`.
pub async fn show(asked: Asked) -> Result<Response, Problem> {
    shown(&asked, &Said::Nothing).await
}

async fn shown(asked: &Asked, said: &Said) -> Result<Response, Problem> {
    let (users, tokens) = asked.server.off(|engine: &Engine| Ok((engine.users()?, engine.tokens()?))).await?;
    let body = html! {
        div.stack {
            section.panel.stack aria-labelledby="users" {
                header { h2 #users { "Users" } span.small.muted { "people, who sign in with a password" } }
                @if users.is_empty() {
                    p.muted { "Nobody yet. Whoever ran Placet first signs in with the link that " code { "placet serve --sign-in" } " prints." }
                } @else { (user_table(asked, &users)) }
                (add_user(asked, said))
            }
            section.panel.stack aria-labelledby="tokens" {
                header { h2 #tokens { "Tokens" } span.small.muted { "programs, which show a secret with each request" } }
                @if tokens.is_empty() {
                    p.muted { "None yet. Agents on this machine need none; others are given one of their own here, bound to the agent they speak for." }
                } @else { (token_table(asked, &tokens)) }
                (make_token(asked, said))
            }
            section.panel aria-labelledby="roles" {
                header { h2 #roles { "What a role may do" } }
                dl.kv { @for (role, about) in ROLES { dt { (role) } dd { (about) } } }
            }
        }
    };
    page(asked, PATH, said, body).await
}

fn user_table(asked: &Asked, users: &[User]) -> Markup {
    html! {
        table.table {
            caption.sr { "Users" }
            thead { tr { th scope="col" { "Name" } th scope="col" { "Role" } th.wide scope="col" { "Added by" } th.wide scope="col" { "Since" } th scope="col" { span.sr { "Change" } } } }
            tbody {
                @for user in users {
                    @let path = format!("{PATH}/users/{}", escaped(&user.name));
                    tr {
                        td { b { (plain(&user.name)) } }
                        td { (user.role.as_str()) }
                        td.wide { (plain(&user.by)) }
                        td.wide.muted { (date(user.created)) }
                        td.ends {
                            details.confirm {
                                summary { "Password…" (named(&user.name)) }
                                form method="post" action={ (path) "/password" } {
                                    (frame::csrf(asked))
                                    label { "Another password for " (plain(&user.name)) input name="password" type="password" autocomplete="new-password" minlength="12" maxlength="1024" required; }
                                    button.btn { "Set it" (named(&user.name)) }
                                }
                            }
                            (confirmed(asked, &format!("{path}/remove"), ("Remove…", &user.name),
                                &format!("{} is signed out at once and can no longer sign in. What they did stays in the log.", plain(&user.name)), "Remove"))
                        }
                    }
                }
            }
        }
    }
}

fn token_table(asked: &Asked, tokens: &[Token]) -> Markup {
    html! {
        table.table {
            caption.sr { "Tokens" }
            thead { tr { th scope="col" { "Name" } th scope="col" { "Role" } th scope="col" { "For agent" } th.wide scope="col" { "Made by" } th.wide scope="col" { "Since" } th scope="col" { span.sr { "Change" } } } }
            tbody {
                @for token in tokens {
                    tr {
                        td { b { (plain(&token.name)) } " " span.small.muted.mono { (plain(&token.id)) } }
                        td { (token.role.as_str()) }
                        td { @match &token.agent { Some(agent) => (plain(agent)), None => span.muted { "any" } } }
                        td.wide { (plain(&token.by)) }
                        td.wide.muted { (date(token.created)) }
                        td.ends {
                            (confirmed(asked, &format!("{PATH}/tokens/{}/revoke", escaped(&token.id)), ("Revoke…", &token.name),
                                "Whatever shows it is refused from then on, at once.", "Revoke"))
                        }
                    }
                }
            }
        }
    }
}

/// A form for somebody or something with a name and a role, which is `else_asked` besides. What was typed and not taken
/// stays.
fn named_form(
    asked: &Asked,
    said: &Said,
    (path, title, button): (&str, &str, &str),
    roles: &[&str],
    else_asked: impl FnOnce(&dyn Fn(&str) -> Option<String>) -> Markup,
) -> Markup {
    let path = format!("{PATH}{path}");
    let again = said.is_about(asked, &path);
    let typed = |name: &str| said.typed(asked, name).filter(|_| again);
    let chosen = typed("role");
    html! {
        details open[again] {
            summary { (title) }
            form.fields method="post" action=(path) {
                (frame::csrf(asked))
                label { "Name" input name="name" value=[typed("name").as_deref().map(plain)] autocomplete="off" autocapitalize="none" maxlength="64" required; }
                label { "Role"
                    select name="role" { @for role in roles { option value=(role) selected[chosen.as_deref() == Some(*role)] { (role) } } }
                }
                (else_asked(&typed))
                div.actions.ends { button.btn.solid { (button) } }
            }
        }
    }
}

fn add_user(asked: &Asked, said: &Said) -> Markup {
    let form = ("/users", "Add a user", "Add");
    named_form(asked, said, form, &["approver", "auditor", "operator"], |_| {
        html! { label { "Password" input name="password" type="password" autocomplete="new-password" minlength="12" maxlength="1024" required; } }
    })
}

fn make_token(asked: &Asked, said: &Said) -> Markup {
    let form = ("/tokens", "Make a token", "Make");
    named_form(asked, said, form, &["agent", "auditor", "approver", "operator"], |typed| {
        html! { label { "For one agent only" input name="agent" value=[typed("agent").as_deref().map(plain)] autocomplete="off" autocapitalize="none" placeholder="any"; } }
    })
}

/// `POST /settings/people/users`.
pub async fn add(asked: Asked) -> Result<Response, Problem> {
    let form = asked.form();
    let added =
        users::add_user(&asked, form.text("name"), form.text("role"), secret(&form, "password")).await;
    let said = Said::of(
        added.map(drop),
        html! { b { (plain(form.text("name"))) } " can sign in now. Tell them their password over a way that you trust." },
    )?;
    shown(&asked, &said).await
}

/// `POST /settings/people/users/{user}/remove`.
pub async fn remove(asked: Asked) -> Result<Response, Problem> {
    users::remove_user(&asked).await?;
    Ok(frame::back_to(PATH))
}

/// `POST /settings/people/users/{user}/password`.
pub async fn password(asked: Asked) -> Result<Response, Problem> {
    let set = users::set_password(&asked, secret(&asked.form(), "password")).await;
    let said = Said::of(
        set,
        html! { b { (plain(asked.param("user"))) } " has another password, and is signed out everywhere." },
    )?;
    shown(&asked, &said).await
}

/// `POST /settings/people/tokens`. The secret is on the page that comes back, and nowhere else.
pub async fn make(asked: Asked) -> Result<Response, Problem> {
    let form = asked.form();
    let agent = Some(form.text("agent")).filter(|agent| !agent.is_empty()).map(str::to_owned);
    let made = operating::make_token(&asked, form.text("name").to_owned(), form.text("role"), agent).await;
    let said = match made {
        Ok((token, secret)) => Said::Done(html! {
            p { b { "The secret of " (plain(&token.name)) ". It is shown this once:" } }
            p { code.once { (secret.as_str()) } }
            p.small.muted { "A program shows it as " code { "Authorization: Bearer …" } ", or reads it from " code { "PLACET_TOKEN" } "." }
        }),
        Err(problem) => Said::of(Err(problem), html! {})?,
    };
    shown(&asked, &said).await
}

/// `POST /settings/people/tokens/{token}/revoke`.
pub async fn revoke(asked: Asked) -> Result<Response, Problem> {
    operating::revoke_token(&asked).await?;
    Ok(frame::back_to(PATH))
}
