//! Who is told, over what, and what came of it.

use axum::response::Response;
use maud::{Markup, html};
use placet_engine::Engine;
use placet_store::{Notice, NoticeState};

use super::{Said, named, page};
use crate::{
    ask::Asked,
    notices,
    notify::Channels,
    pages::{
        frame,
        part::{
            icon::tag,
            text::{ago, empty, escaped, plain, short},
        },
    },
    problem::Problem,
};

const PATH: &str = "/settings/notifications";
/// Deliveries that are shown.
const LAST: usize = 50;

/// `GET /settings/notifications`.
pub async fn show(asked: Asked) -> Result<Response, Problem> {
    shown(&asked, &Said::Nothing).await
}

async fn shown(asked: &Asked, said: &Said) -> Result<Response, Problem> {
    let channels = asked.server.channels();
    let look = |engine: &Engine| Ok((engine.look(|ledger| ledger.notices(LAST))?, engine.now()));
    let (last, now) = asked.server.off(look).await?;
    let body = html! {
        div.stack {
            section.panel.stack aria-labelledby="channels" {
                header { h2 #channels { "Channels" } }
                @if channels.all.is_empty() {
                    (empty("person", "Nobody is told", html! {
                        "A channel in the configuration tells people of holds and threats where they are: a webhook, Slack, ntfy or e-mail. "
                        code { "[notifications.NAME]" } " adds one; " code { "placet notifications test NAME" } " tries it."
                    }))
                } @else { (table(asked, &channels)) }
            }
            section.panel #deliveries data-live aria-labelledby="last" {
                header { h2 #last { "Last told" } }
                @if last.is_empty() { p.muted { "What is sent over a channel stands here, with what came of it." } }
                @else {
                    table.table {
                        caption.sr { "The last deliveries, the newest first" }
                        thead { tr { th scope="col" { "Channel" } th scope="col" { "Of what" } th scope="col" { "State" } th.num.wide scope="col" { "Tries" } th.num scope="col" { "When" } } }
                        tbody { @for notice in &last { (row(asked, notice, now)) } }
                    }
                }
            }
        }
    };
    page(asked, PATH, said, body).await
}

fn table(asked: &Asked, channels: &Channels) -> Markup {
    html! {
        table.table {
            caption.sr { "Channels" }
            thead { tr { th scope="col" { "Name" } th scope="col" { "Kind" } th.wide scope="col" { "Tells of" } th scope="col" { span.sr { "Try" } } } }
            tbody {
                @for channel in &channels.all {
                    tr {
                        td { b { (plain(&channel.name)) } }
                        td { (channel.kind()) }
                        td.wide.small {
                            @for (at, occasion) in channel.on.iter().enumerate() {
                                @if at > 0 { ", " }
                                (occasion.as_str().replace('_', " "))
                            }
                        }
                        td.ends {
                            @if frame::may_run(asked) {
                                form method="post" action={ (PATH) "/" (escaped(&channel.name)) "/test" } {
                                    (frame::csrf(asked))
                                    button.btn { "Send a test" (named(&format!("over {}", channel.name))) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn row(asked: &Asked, notice: &Notice, now: placet_core::Timestamp) -> Markup {
    let state = match notice.state {
        NoticeState::Waiting => tag("held", "clock", "waiting"),
        NoticeState::Delivered => tag("ok", "allow", "delivered"),
        NoticeState::Moot => tag("muted", "no", "not needed"),
        NoticeState::Dead => tag("blocked", "block", "given up"),
    };
    html! {
        tr id={ "n" (notice.id) } {
            td { (plain(&notice.new.channel)) }
            td { (notice.new.occasion.replace('_', " ")) " " span.mono.small { (short(&notice.new.subject, 40)) } }
            td {
                (state)
                @if let Some(problem) = &notice.problem { p.small.muted { (short(problem, 200)) } }
                @if notice.state == NoticeState::Dead && frame::may_run(asked) {
                    form method="post" action={ "/settings/notices/" (notice.id) "/again" } { (frame::csrf(asked)) button.link { "Send again" (named(&notice.new.subject)) } }
                }
            }
            td.num.wide { (notice.attempts) }
            td.num { (ago(notice.new.made, now)) }
        }
    }
}

/// `POST /settings/notifications/{channel}/test`.
pub async fn test(asked: Asked) -> Result<Response, Problem> {
    let name = plain(asked.param("channel"));
    let said = match notices::try_channel(&asked).await? {
        None => Said::Done(html! { "A test went out over " b { (name) } ". Look whether it has arrived." }),
        Some(why) => {
            let status = axum::http::StatusCode::CONFLICT;
            let message = format!("nothing arrived over {name}: {}", plain(&why));
            Said::Problem(Problem::new(
                status,
                "undelivered",
                message,
                "mend the channel in the configuration",
            ))
        }
    };
    shown(&asked, &said).await
}

/// `POST /settings/notices/{notice}/again`.
pub async fn again(asked: Asked) -> Result<Response, Problem> {
    notices::send_again(&asked).await?;
    Ok(frame::back_to(PATH))
}
