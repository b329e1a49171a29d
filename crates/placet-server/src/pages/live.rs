//! Tells the script of a page when something has changed: not what, which only pages say, and not more often than anybody
//! could look.

use std::{sync::Arc, time::Duration};

use axum::response::Response;
use placet_store::{HoldId, Waiting};
use serde_json::json;

use crate::{
    Server,
    ask::Asked,
    problem::Problem,
    streaming::{News, Told, streamed},
};

/// What changes nothing for those who answer is told once in so long.
const CALM: Duration = Duration::from_secs(1);
/// New holds that are named.
const NAMED_MAX: i64 = 5;

/// That something has changed, and what waits.
struct Changes {
    waiting: Waiting,
}

/// `GET /live`.
pub async fn live(asked: Asked) -> Result<Response, Problem> {
    let waiting = asked.server.off(|engine| Ok(engine.look(|ledger| ledger.waiting())?)).await?;
    streamed(asked, Changes { waiting })
}

impl News for Changes {
    const LOOK_EVERY: Duration = Duration::from_millis(100);
    const WHAT: &'static str = "pages";

    fn first(&self) -> String {
        // What happened between the page and this is told at once.
        changed(&self.waiting, &[])
    }

    async fn look(&mut self, server: &Arc<Server>, quiet: Duration) -> Option<Told> {
        let before = self.waiting.last_hold;
        let look = move |engine: &placet_engine::Engine| {
            Ok(engine.look(|ledger| {
                let waiting = ledger.waiting()?;
                let mut news = Vec::new();
                for id in before.max(waiting.last_hold - NAMED_MAX) + 1..=waiting.last_hold {
                    let hold = ledger.hold_get(HoldId(id))?.filter(|hold| !hold.state.is_final());
                    news.extend(hold.map(|hold| hold.opened.ticket.to_string()));
                }
                Ok((waiting, news))
            })?)
        };
        let (waiting, news) = server.off(look).await.ok()?;
        let of_holds = (waiting.holds, waiting.last_hold) != (self.waiting.holds, self.waiting.last_hold);
        if !of_holds && quiet < CALM {
            return Some(Told { events: Vec::new(), is_all: false });
        }
        self.waiting = waiting;
        Some(Told { events: vec![changed(&waiting, &news)], is_all: true })
    }
}

fn changed(waiting: &Waiting, news: &[String]) -> String {
    format!("event: changed\ndata: {}\n\n", json!({ "waiting": waiting.holds, "news": news }))
}
