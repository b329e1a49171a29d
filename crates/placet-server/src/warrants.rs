//! Warrants: whether one holds, and which no longer do. Issuing one takes the key of a root: see `minting.rs`.

use axum::{http::StatusCode, response::Response};
use placet_core::{
    SealedWarrant,
    warrant::{RevocationList, SealedRevocations},
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    ask::Asked,
    keeper::{self, Edit},
    problem::{Problem, json as reply},
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Shows {
    warrant: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Revokes {
    list: String,
}

/// `POST /v1/warrants/verify`.
pub async fn verify(asked: Asked) -> Result<Response, Problem> {
    let shows: Shows = asked.read()?;
    let sealed =
        SealedWarrant::parse(&shows.warrant).map_err(|error| Problem::malformed(error.to_string()))?;
    let check = move |engine: &placet_engine::Engine| {
        let unchecked = sealed.peek().map_err(|error| Problem::malformed(error.to_string()))?;
        let links: Vec<Value> =
            unchecked.links().iter().filter_map(|link| serde_json::to_value(link.to_json()).ok()).collect();
        let snapshot = engine.snapshot();
        let configuration = snapshot.configuration();
        let opened = sealed.open(&configuration.roots, &configuration.revocations, engine.now());
        let why = opened.as_ref().err().map(ToString::to_string);
        Ok(json!({ "holds": opened.is_ok(), "why": why, "links": links }))
    };
    Ok(reply(StatusCode::OK, &asked.server.off(check).await?))
}

/// `POST /v1/warrants/revoke`: takes a list that a root has signed.
pub async fn revoke(asked: Asked) -> Result<Response, Problem> {
    let revokes: Revokes = asked.read()?;
    let list = take_up(&asked, revokes.list).await?;
    let shown = json!({
        "issuer": list.issuer.to_string(), "number": list.number,
        "ids": list.ids.iter().map(ToString::to_string).collect::<Vec<_>>(), "keys": list.keys.len(),
    });
    Ok(reply(StatusCode::OK, &shown))
}

/// Takes up a list that a root has signed.
pub async fn take_up(asked: &Asked, text: String) -> Result<RevocationList, Problem> {
    let roots = asked.server.engine.snapshot();
    let list = SealedRevocations::parse(&text)
        .and_then(|sealed| sealed.open(&roots.configuration().roots))
        .map_err(|error| Problem::malformed(error.to_string()))?;
    let after = format!(
        "list {} of {}: {} links, {} keys",
        list.number,
        list.issuer,
        list.ids.len(),
        list.keys.len()
    );
    let edit = Edit::Revocations { issuer: list.issuer.to_string(), list: text };
    keeper::edit(asked, edit, "revocations", None, &after).await?;
    Ok(list)
}
