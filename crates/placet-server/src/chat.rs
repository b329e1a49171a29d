//! Answers from a chat, where the operator has opted in: signed by the chat, fresh, used once, from a sender who is named
//! in the configuration as a user who may answer. Never about life and safety, and never more than the one call.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Mutex, PoisonError},
};

use axum::{
    http::{StatusCode, header},
    response::Response,
};
use data_encoding::HEXLOWER_PERMISSIVE;
use hmac::{Hmac, KeyInit as _, Mac as _};
use placet_engine::{HoldName, Ruling};
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::Sha256;
use zeroize::Zeroizing;

use crate::{
    ask::Asked,
    holds,
    problem::{Problem, json as reply},
};

/// How far the clock of a chat may be from ours.
const FRESH_SECONDS: i64 = 5 * 60;
/// Requests that are remembered, so that none counts twice.
const REMEMBERED_MAX: usize = 10_000;
/// What the buttons of our messages are called.
pub const APPROVE: &str = "placet_approve";
pub const DENY: &str = "placet_deny";

/// Who may answer from a chat, and what it signs with.
pub struct Chat {
    secret: Zeroizing<String>,
    /// The user that each sender is here.
    senders: BTreeMap<String, String>,
    used: Mutex<HashMap<[u8; 32], i64>>,
}

impl Chat {
    /// A chat that signs with `secret`, and whose senders are these users.
    pub fn new(secret: &str, senders: BTreeMap<String, String>) -> Self {
        Self { secret: Zeroizing::new(secret.to_owned()), senders, used: Mutex::default() }
    }

    /// Whether the chat has sent these bytes, just now, and for the first time.
    fn check(&self, asked: &Asked) -> Result<(), Problem> {
        let line = |names: [&str; 2]| {
            let value = names.iter().find_map(|name| asked.headers.get(*name))?;
            value.to_str().ok().map(str::trim)
        };
        let refused = |message: &str| {
            let remedy = "sign `v0:TIME:BODY` with the secret of `[chat]`, within five minutes";
            Problem::new(StatusCode::UNAUTHORIZED, "bad_signature", message, remedy)
        };
        let stamp = line(["x-slack-request-timestamp", "placet-timestamp"]);
        let signature = line(["x-slack-signature", "placet-signature"]);
        let (Some(stamp), Some(signature)) = (stamp, signature) else {
            return Err(refused("the request is not signed"));
        };
        let bytes =
            signature.strip_prefix("v0=").and_then(|hex| HEXLOWER_PERMISSIVE.decode(hex.as_bytes()).ok());
        let signed: [u8; 32] = bytes.and_then(|bytes| bytes.try_into().ok()).unwrap_or_default();
        let mut mac =
            Hmac::<Sha256>::new_from_slice(self.secret.as_bytes()).map_err(|_| Problem::internal())?;
        mac.update(format!("v0:{stamp}:").as_bytes());
        mac.update(&asked.body);
        // Compared in the same time, whatever it is.
        if mac.verify_slice(&signed).is_err() {
            return Err(refused("the signature is not that of the chat"));
        }
        let now = asked.server.engine.now().as_ms() / 1_000;
        let at: i64 = stamp.parse().map_err(|_| refused("the time is none"))?;
        if now.saturating_sub(at).saturating_abs() > FRESH_SECONDS {
            return Err(refused("the request is too old, or from the future"));
        }
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.retain(|_, at| now.saturating_sub(*at) <= 2 * FRESH_SECONDS);
        if used.contains_key(&signed) {
            return Err(refused("the request was used already"));
        }
        if used.len() >= REMEMBERED_MAX {
            let status = StatusCode::SERVICE_UNAVAILABLE;
            return Err(Problem::new(status, "busy", "too many answers from the chat", "try again later"));
        }
        used.insert(signed, at.max(now));
        Ok(())
    }
}

/// What a sender says.
struct Said {
    sender: String,
    hold: String,
    ruling: Ruling,
}

/// The plain form, for whichever program stands between a chat and Placet.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Plain {
    sender: String,
    hold: String,
    answer: String,
    reason: Option<String>,
}

/// `POST /v1/chat`.
pub async fn answer(asked: Asked) -> Result<Response, Problem> {
    let Some(chat) = asked.server.chat() else {
        return Err(Problem::unknown("nothing is answered from a chat here"));
    };
    chat.check(&asked)?;
    let Said { sender, hold, ruling } = said(&asked)?;
    let refused = |message: &str| {
        let remedy = "answer it in the pages, or with `placet holds`";
        Problem::new(StatusCode::FORBIDDEN, "not_by_chat", message, remedy)
    };
    let Some(user) = chat.senders.get(&sender) else {
        return Err(refused("this sender may not answer from the chat"));
    };
    let (user, name) = (user.clone(), HoldName::parse(&hold).map_err(|_| holds::none())?);
    let by = asked.server.off(move |engine| Ok(engine.in_chat(&user, &sender)?)).await?;
    let by = by.ok_or_else(|| refused("the user that this sender is here may not answer"))?;
    let hold = holds::rule_as(&asked, name, ruling, &by).await?;
    let seen = asked.server.off(move |engine| Ok(engine.view(hold)?)).await?;
    let told = json!({ "ticket": seen.opened.ticket, "state": seen.state, "by": by.name() });
    Ok(reply(StatusCode::OK, &told))
}

/// What a request says: as Slack sends what was clicked, or plainly.
fn said(asked: &Asked) -> Result<Said, Problem> {
    let kind = asked.headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or("");
    // Not by the look of the body: what somebody writes in a chat may look like a form.
    if kind.to_ascii_lowercase().starts_with("application/x-www-form-urlencoded") {
        return clicked(asked.form().text("payload"));
    }
    let Plain { sender, hold, answer, reason } = asked.read()?;
    let ruling = match (answer.as_str(), reason) {
        ("approve", None) => Ruling::Approve,
        ("approve", Some(_)) => return Err(Problem::malformed("only a no has a `reason`")),
        ("deny", Some(reason)) if reason.len() > holds::REASON_MAX => {
            return Err(Problem::malformed(format!("a reason has up to {} bytes", holds::REASON_MAX)));
        }
        ("deny", reason) => Ruling::Deny { reason },
        _ => return Err(Problem::malformed("`answer` is `approve` or `deny`")),
    };
    Ok(Said { sender, hold, ruling })
}

/// A click on one button of a message of ours.
fn clicked(payload: &str) -> Result<Said, Problem> {
    let malformed = || Problem::malformed("the payload is no click on a button of Placet");
    let read: Value = serde_json::from_str(payload).map_err(|_| malformed())?;
    let [action] = read["actions"].as_array().map(Vec::as_slice).unwrap_or_default() else {
        return Err(malformed());
    };
    let ruling = match (read["type"].as_str(), action["action_id"].as_str()) {
        (Some("block_actions"), Some(APPROVE)) => Ruling::Approve,
        (Some("block_actions"), Some(DENY)) => Ruling::Deny { reason: None },
        _ => return Err(malformed()),
    };
    let text = |value: &Value| value.as_str().map(str::to_owned).ok_or_else(malformed);
    Ok(Said { sender: text(&read["user"]["id"])?, hold: text(&action["value"])?, ruling })
}

impl std::fmt::Debug for Chat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Chat").field("senders", &self.senders.len()).finish_non_exhaustive()
    }
}
