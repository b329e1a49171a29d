//! Warrants: whether one holds, which no longer do, and which session acts under one. Issuing one takes the key of a root: see `minting.rs`.

use axum::{http::StatusCode, response::Response};
use placet_core::{
    SealedWarrant,
    warrant::{RevocationList, SealedRevocations},
};
use placet_engine::BindError;
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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Binds {
    warrant: String,
    parent: Option<String>,
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

/// `PUT /v1/sessions/{session}/warrant`.
pub async fn bind(asked: Asked) -> Result<Response, Problem> {
    let (binds, by): (Binds, _) = (asked.read()?, asked.approver()?);
    let sealed =
        SealedWarrant::parse(&binds.warrant).map_err(|error| Problem::malformed(error.to_string()))?;
    let session = asked.param("session");
    let bound = asked.server.engine.bind(session, binds.parent.as_deref(), &sealed, &by).await;
    bound.map_err(|error| match error {
        BindError::Store(error) => error.into(),
        BindError::Warrant(why) => not_bound(format!("the warrant does not count: {why}")),
        error @ (BindError::NotNarrowed { .. } | BindError::NoName) => not_bound(error.to_string()),
    })?;
    let name = placet_core::printable::shown(session, 80);
    asked.server.say("warrant bound", &[("session", &name), ("by", &by.name())]);
    Ok(reply(StatusCode::OK, &json!({ "session": session, "has_warrant": true })))
}

/// `DELETE /v1/sessions/{session}/warrant`.
pub async fn unbind(asked: Asked) -> Result<Response, Problem> {
    let (session, by) = (asked.param("session"), asked.approver()?);
    asked.server.engine.unbind(session, &by).await?;
    let name = placet_core::printable::shown(session, 80);
    asked.server.say("warrant taken away", &[("session", &name), ("by", &by.name())]);
    Ok(reply(StatusCode::OK, &json!({ "session": session, "has_warrant": false })))
}

fn not_bound(message: String) -> Problem {
    let remedy = "show a warrant that holds here: /v1/warrants/verify says whether one does";
    Problem::new(StatusCode::CONFLICT, "not_bound", message, remedy)
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
