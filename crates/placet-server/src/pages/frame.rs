//! What every page has around it: the navigation with what waits, what must not be forgotten, and who is looking.

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::Response,
};
use flate2::Compression;
use maud::{DOCTYPE, Markup, html};
use placet_core::{Mode, Timestamp};
use placet_engine::{Role, Standing};
use placet_store::Waiting;

use super::{
    assets::{ICON, SCRIPT, STYLE, pack, packed, takes_gzip},
    part::{
        icon::{icon, sheet},
        text::{minute, number, plain, several},
    },
};
use crate::{
    ask::Asked,
    problem::{Problem, of_bytes},
    shown::CSRF_FIELD,
};

/// Where somebody is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "their names are what is in the navigation")]
pub enum Place {
    Now,
    Sessions,
    Agents,
    Threats,
    Reviews,
    Rules,
    Warrants,
    Audit,
    Try,
    Settings,
}

/// The navigation: a place, its name, its path, and whether a gap comes before it.
const PLACES: [(Place, &str, &str, bool); 10] = [
    (Place::Now, "Now", "/", false),
    (Place::Sessions, "Sessions", "/sessions", false),
    (Place::Agents, "Agents", "/agents", false),
    (Place::Threats, "Threats", "/threats", false),
    (Place::Reviews, "Reviews", "/reviews", false),
    (Place::Rules, "Rules", "/rules", true),
    (Place::Warrants, "Warrants", "/warrants", false),
    (Place::Audit, "Audit", "/audit", false),
    (Place::Try, "Try it", "/try", false),
    (Place::Settings, "Settings", "/settings", true),
];

/// Nothing comes from elsewhere, nothing stands in the page that would run, and nobody puts us into a frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'; \
                      require-trusted-types-for 'script'; trusted-types placet";

/// Pages smaller than this are sent as they are.
const PACKED_FROM: usize = 1_400;

/// Whether whoever looks may answer holds.
pub fn may_answer(asked: &Asked) -> bool {
    matches!(role(asked), Some(Role::Approver | Role::Operator))
}

/// Whether whoever looks may change how things run.
pub fn may_run(asked: &Asked) -> bool {
    role(asked) == Some(Role::Operator)
}

fn role(asked: &Asked) -> Option<Role> {
    asked.caller.as_ref().map(placet_engine::Caller::role)
}

/// What every form needs to be meant.
pub fn csrf(asked: &Asked) -> Markup {
    html! {
        @if let Some(value) = asked.shown.csrf_once() {
            input type="hidden" name=(CSRF_FIELD) value=(value);
        }
    }
}

/// A page at `place`.
pub async fn page(asked: &Asked, place: Place, title: &str, body: Markup) -> Result<Response, Problem> {
    page_with(asked, StatusCode::OK, place, title, body).await
}

/// The same with another status.
pub async fn page_with(
    asked: &Asked,
    status: StatusCode,
    place: Place,
    title: &str,
    body: Markup,
) -> Result<Response, Problem> {
    let look =
        |engine: &placet_engine::Engine| Ok((engine.look(|ledger| ledger.waiting())?, engine.standing()?));
    let (waiting, standing) = asked.server.off(look).await?;
    let count = if waiting.holds > 0 { format!("({}) ", waiting.holds) } else { String::new() };
    let whole = document(
        &format!("{count}{title} · Placet"),
        Some(asked.server.engine.now()),
        live_from(asked, place),
        html! {},
        html! {
            a.skip href="#main" { "Skip to content" }
            (sheet())
            div.frame {
                header.rail {
                    a.brand href="/" { (icon("gate")) "Placet" }
                    (navigation(place, &waiting))
                    (foot(asked, &waiting, &standing))
                }
                main #main {
                    (banners(asked, &standing))
                    (body)
                }
            }
            div #toasts role="status" aria-live="polite" {}
        },
    );
    Ok(send(asked, status, whole))
}

/// A page without navigation, for those whom we do not know.
pub fn bare(title: &str, body: Markup) -> Markup {
    bare_with(title, html! {}, body)
}

/// A page without navigation that says something to the browser in its head.
pub fn bare_with(title: &str, head: Markup, body: Markup) -> Markup {
    let body = html! { (sheet()) main.bare #main { (body) } };
    document(&format!("{title} · Placet"), None, None, head, body)
}

/// Where the script finds what is live on a page that a form has brought: that one cannot be asked for again.
fn live_from(asked: &Asked, place: Place) -> Option<&'static str> {
    let path = PLACES.iter().find(|(each, ..)| *each == place).map(|(_, _, path, _)| *path);
    path.filter(|_| !asked.body.is_empty())
}

fn document(
    title: &str,
    now: Option<Timestamp>,
    live_from: Option<&str>,
    head: Markup,
    body: Markup,
) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" data-now=[now.map(Timestamp::as_ms)] data-from=[live_from] {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (plain(title)) }
                link rel="icon" href=(ICON.path);
                link rel="stylesheet" href=(STYLE.path);
                script src=(SCRIPT.path) defer {}
                (head)
            }
            body { (body) }
        }
    }
}

/// A page as a response, packed where that is understood.
pub fn send(asked: &Asked, status: StatusCode, page: Markup) -> Response {
    guarded(match page.0.len() >= PACKED_FROM && takes_gzip(&asked.headers) {
        true => {
            let bytes = pack(page.0.as_bytes(), Compression::fast());
            packed(of_bytes(status, "text/html; charset=utf-8", bytes))
        }
        false => of_bytes(status, "text/html; charset=utf-8", page.0),
    })
}

/// What a browser is told about every page.
pub fn guarded(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    headers.insert("cross-origin-opener-policy", HeaderValue::from_static("same-origin"));
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
    response
}

/// After something was done: to where it can be seen.
pub fn back_to(path: &str) -> Response {
    let mut response = of_bytes(StatusCode::SEE_OTHER, "text/plain; charset=utf-8", "");
    let to = HeaderValue::from_str(own(path)).unwrap_or(HeaderValue::from_static("/"));
    response.headers_mut().insert(header::LOCATION, to);
    guarded(response)
}

/// A path of ours; the first page in place of anything that leads elsewhere.
pub fn own(path: &str) -> &str {
    let leads_elsewhere = path.starts_with("//") || path.contains('\\') || path.contains(char::is_control);
    if path.starts_with('/') && !leads_elsewhere { path } else { "/" }
}

fn navigation(place: Place, waiting: &Waiting) -> Markup {
    html! {
        nav.nav #nav data-live aria-label="Pages" {
            @for (each, name, path, gap) in PLACES {
                a href=(path) class=[gap.then_some("gap")] aria-current=[(each == place).then_some("page")] {
                    (name)
                    @let (count, quiet) = match each {
                        Place::Now => (waiting.holds, false),
                        Place::Threats => (waiting.threats, true),
                        Place::Reviews => (waiting.reviews, true),
                        _ => (0, true),
                    };
                    @if count > 0 {
                        " " span.count.quiet[quiet] { (number(count)) span.sr { " waiting" } }
                    }
                }
            }
        }
    }
}

fn foot(asked: &Asked, waiting: &Waiting, standing: &Standing) -> Markup {
    let own = standing.agents.iter().filter(|(_, mode)| *mode != standing.mode).count();
    let others = match (standing.mode, own) {
        (_, 0) => String::new(),
        (Mode::Enforce, 1) => "but 1 agent is only observed".to_owned(),
        (Mode::Enforce, own) => format!("but {own} agents are only observed"),
        (Mode::Observe, 1) => "but 1 agent is enforced".to_owned(),
        (Mode::Observe, own) => format!("but {own} agents are enforced"),
    };
    html! {
        div.rail-foot #foot data-live {
            p {
                b { @match (&standing.stopped_by, standing.mode) {
                    (Some(_), _) => "Stopped",
                    (None, Mode::Enforce) => "Enforcing",
                    (None, Mode::Observe) => "Only observing",
                } }
                @if !others.is_empty() { br; (others) }
            }
            p {
                b { "Audit log" } br; (several(waiting.records, "record", "records"))
                @if let Some(last) = asked.server.engine.last_verified() {
                    br;
                    @if last.is_intact() { "intact, " (minute(last.at)) } @else { a.blocked href="/audit/check" { "not what was written" } }
                }
            }
            @if let Some(caller) = &asked.caller {
                form method="post" action="/sign-out" {
                    p { b { (plain(caller.name())) } br; (caller.role().as_str()) }
                    (csrf(asked))
                    @if asked.shown.csrf().is_some() { button.link { "Sign out" } }
                }
            }
        }
    }
}

/// What must not be forgotten, wherever somebody looks.
fn banners(asked: &Asked, standing: &Standing) -> Markup {
    let observed: Vec<&str> = standing
        .agents
        .iter()
        .filter(|(_, mode)| *mode == Mode::Observe)
        .map(|(name, _)| name.as_str())
        .collect();
    html! {
        div #banners data-live {
            @if let Some(by) = &standing.stopped_by {
                div.banner.stopped role="status" {
                    (icon("block"))
                    p { b { "Everything is stopped by " (plain(by)) "." } " Every call is blocked until an operator resumes." }
                    @if may_run(asked) {
                        form method="post" action="/resume" { (csrf(asked)) button.btn { "Resume" } }
                    }
                }
            }
            @if let Some(why) = asked.server.refused_configuration().filter(|_| may_run(asked)) {
                div.banner role="status" {
                    (icon("block"))
                    p {
                        b { "The configuration on the disk cannot be used." }
                        " What was in force before stays so, with what you change here. " (plain(why.lines().next().unwrap_or("")))
                    }
                }
            }
            @if standing.mode == Mode::Observe {
                div.banner role="status" {
                    (icon("read"))
                    p {
                        b { "Placet only observes." }
                        " Calls are decided and recorded, and run whatever is decided. Only warrants, the crisis gate and the stop switch stop anything."
                    }
                    a.btn href="/audit?verdict=hold" { "See what would have been held" }
                }
            } @else if !observed.is_empty() {
                div.banner role="status" {
                    (icon("read"))
                    p {
                        b {
                            @for (at, name) in observed.iter().take(3).enumerate() {
                                @if at > 0 { ", " }
                                (plain(name))
                            }
                            @if observed.len() > 3 { " and " (observed.len() - 3) " more" }
                            @if observed.len() == 1 { " is only observed." } @else { " are only observed." }
                        }
                        " What they do is stopped only by a warrant, the crisis gate and the stop switch."
                    }
                }
            }
        }
    }
}
