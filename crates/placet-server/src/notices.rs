//! Over HTTP: what people were told, what could not be, and whether a channel works.

use axum::{http::StatusCode, response::Response};
use placet_store::NoticeState;
use serde_json::{Value, json};

use crate::{
    ask::Asked,
    notify::of_notice,
    problem::{Problem, json as reply},
};

/// As many as are listed, and looked through for those that were given up.
const LISTED: u64 = 200;
const LISTED_MAX: u64 = 1_000;
const SOUGHT: usize = 100_000;

/// `GET /v1/notifications`.
pub async fn list(asked: Asked) -> Result<Response, Problem> {
    let channels = asked.server.channels();
    let names: Vec<Value> =
        channels.all.iter().map(|one| json!({ "name": one.name, "kind": one.kind() })).collect();
    let limit = asked.count("limit", LISTED, LISTED_MAX)? as usize;
    let dead = match asked.value("state").as_deref() {
        None | Some("all") => false,
        Some("dead") => true,
        Some(_) => return Err(Problem::malformed("`state` is `dead` or `all`")),
    };
    let sought = if dead { SOUGHT } else { limit };
    let notices = asked.server.off(move |engine| Ok(engine.look(|ledger| ledger.notices(sought))?)).await?;
    let wanted = notices.iter().filter(|notice| !dead || notice.state == NoticeState::Dead);
    let notices: Vec<Value> = wanted.take(limit).map(of_notice).collect();
    Ok(reply(StatusCode::OK, &json!({ "channels": names, "notices": notices })))
}

/// `POST /v1/notifications/{channel}/test`.
pub async fn test(asked: Asked) -> Result<Response, Problem> {
    let problem = try_channel(&asked).await?;
    let shown =
        json!({ "channel": asked.param("channel"), "delivered": problem.is_none(), "problem": problem });
    Ok(reply(StatusCode::OK, &shown))
}

/// Sends a test over the channel that the path names, and gives why it did not arrive, if it did not.
pub async fn try_channel(asked: &Asked) -> Result<Option<String>, Problem> {
    let (name, channels) = (asked.param("channel").to_owned(), asked.server.channels());
    let sent = asked.server.off(move |engine| {
        let channel = channels.get(&name).ok_or_else(|| Problem::unknown("there is no such channel"))?;
        Ok(channels.test(channel, engine.now()))
    });
    Ok(sent.await?.err().map(|why| why.why().to_owned()))
}

/// `POST /v1/notices/{notice}/retry`.
pub async fn retry(asked: Asked) -> Result<Response, Problem> {
    let id = send_again(&asked).await?;
    Ok(reply(StatusCode::OK, &json!({ "id": id, "state": "waiting" })))
}

/// Sends again the notice that the path names.
pub async fn send_again(asked: &Asked) -> Result<i64, Problem> {
    let none = || Problem::unknown("there is no such notice that was given up");
    let id: i64 = asked.param("notice").parse().map_err(|_| none())?;
    match asked.server.engine.notice_retry(id).await? {
        true => Ok(id),
        false => Err(none()),
    }
}
