//! The kill switch, with a question before it.

use axum::response::Response;
use maud::html;

use super::{
    frame::{self, Place},
    part::icon::icon,
};
use crate::{ask::Asked, operating, problem::Problem};

/// `GET /stop`.
pub async fn show(asked: Asked) -> Result<Response, Problem> {
    let body = html! {
        div.head { h1 { "Stop everything?" } }
        form.panel.stack.narrow method="post" action="/stop" {
            (frame::csrf(&asked))
            p { "From that moment every call of every agent is blocked, and whoever waits for a person is told so. Nothing that already runs is ended." }
            p.muted { "Only an operator can resume." }
            div.actions {
                button.btn.stop { (icon("block")) "Stop everything" }
                a.btn href="/" { "Leave it running" }
            }
        }
    };
    frame::page(&asked, Place::Now, "Stop everything", body).await
}

/// `POST /stop`.
pub async fn stop(asked: Asked) -> Result<Response, Problem> {
    operating::stop_all(asked).await?;
    Ok(frame::back_to("/"))
}

/// `POST /resume`.
pub async fn resume(asked: Asked) -> Result<Response, Problem> {
    operating::resume(asked).await?;
    Ok(frame::back_to("/"))
}
