//! All holds, a line each: those that wait, and those that are over.

use axum::response::Response;
use maud::{Markup, html};
use placet_core::{Timestamp, hold::HoldState};
use placet_engine::{Engine, HoldView};

use super::{
    frame::{self, Place},
    part::{
        hold::{Story, class, state, time_left},
        text::{ago, empty, number, short},
    },
    sessions,
};
use crate::{ask::Asked, problem::Problem};

/// Rows on a page.
const ROWS: usize = 100;
/// Further back than this, the audit log is the place to look.
const PAGES_MAX: u64 = 100;

/// `GET /holds`.
pub async fn show(asked: Asked) -> Result<Response, Problem> {
    let all = match asked.value("state").as_deref() {
        None | Some("pending") => false,
        Some("all") => true,
        Some(_) => return Err(Problem::malformed("`state` is `pending` or `all`")),
    };
    let page = asked.count("page", 1, PAGES_MAX)?.max(1) as usize;
    let look = move |engine: &Engine| {
        // One more than is shown says whether there are more.
        let mut holds = engine.look(|ledger| ledger.holds_page(!all, (page - 1) * ROWS, ROWS + 1))?;
        let more = holds.len() > ROWS;
        holds.truncate(ROWS);
        let waiting = engine.look(|ledger| ledger.waiting())?;
        Ok((engine.views(holds)?, more, waiting, engine.now()))
    };
    let (holds, more, waiting, now) = asked.server.off(look).await?;
    let to = |page: usize| format!("/holds?state={}&page={page}", if all { "all" } else { "pending" });
    let body = html! {
        div.head {
            h1 { "Holds" }
            nav.switch #which data-live aria-label="Which holds" {
                a href="/holds" aria-current=[(!all).then_some("true")] { "Waiting (" (number(waiting.holds)) ")" }
                a href="/holds?state=all" aria-current=[all.then_some("true")] { "All, the newest first" }
            }
        }
        section.panel #holds data-live {
            @if holds.is_empty() {
                (empty("ask", "No hold here", html! { "Calls that a person was asked about are listed here, with what became of them." }))
            } @else { (table(&holds, now)) }
        }
        p.row.gap-top {
            @if page > 1 { a.btn href=(to(page - 1)) { "Earlier page" } }
            @if more { a.btn href=(to(page + 1)) { "Next page" } }
        }
    };
    frame::page(&asked, Place::Now, "Holds", body).await
}

fn table(holds: &[HoldView], now: Timestamp) -> Markup {
    html! {
        table.table {
            caption.sr { "Holds" }
            thead {
                tr {
                    th scope="col" { "Hold" } th scope="col" { "What it is about" } th.wide scope="col" { "Agent" }
                    th.wide scope="col" { "Session" } th.num scope="col" { "Stands" } th.num.wide scope="col" { "Asked" }
                }
            }
            tbody {
                @for hold in holds {
                    @let (ticket, story) = (hold.opened.ticket.as_str(), Story::of(hold));
                    tr id=(ticket) {
                        td.nowrap { a.mono href={ "/holds/" (ticket) } { (ticket) } }
                        td {
                            (class(hold, story.as_ref())) " "
                            @match &story {
                                Some(story) => (story.about()),
                                None => span.muted { "no longer kept" },
                            }
                        }
                        td.wide { (short(&hold.opened.agent, 40)) }
                        td.wide { a.plain.mono href=(sessions::path(&hold.opened.session)) { (sessions::label(&hold.opened.session, 24)) } }
                        td.num { @if hold.state == HoldState::Pending { (time_left(hold, now)) } @else { (state(hold)) } }
                        td.num.wide { (ago(hold.opened.opened, now)) }
                    }
                }
            }
        }
    }
}
