//! Credentials: the secrets of people who answer on this machine.

use axum::{http::StatusCode, response::Response};
use placet_engine::{Credential, TakeBackError};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    ask::Asked,
    problem::{Problem, json as reply},
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Add {
    name: String,
}

/// `GET /v1/credentials`.
pub async fn list(asked: Asked) -> Result<Response, Problem> {
    let names = asked.server.off(|engine| Ok(engine.credentials()?)).await?;
    let shown: Vec<Value> = names.iter().map(|name| json!({ "name": name })).collect();
    Ok(reply(StatusCode::OK, &json!({ "credentials": shown })))
}

/// `POST /v1/credentials`.
pub async fn add(asked: Asked) -> Result<Response, Problem> {
    let (wanted, by): (Add, _) = (asked.read()?, asked.approver()?);
    let mut secret = [0; 32];
    getrandom::fill(&mut secret).map_err(|_| Problem::internal())?;
    let made =
        Credential::new(&wanted.name, secret).map_err(|error| Problem::malformed(error.to_string()))?;
    asked.server.engine.admit(&made, Some(&by)).await?;
    asked.server.say("credential", &[("name", &made.name()), ("by", &by.name())]);
    let shown = json!({ "name": made.name(), "secret": made.to_secret_text().as_str() });
    Ok(reply(StatusCode::CREATED, &shown))
}

/// `DELETE /v1/credentials/{name}`.
pub async fn revoke(asked: Asked) -> Result<Response, Problem> {
    let (name, by) = (asked.param("name"), asked.approver()?);
    match asked.server.engine.credential_revoke(name, &by).await {
        Ok(true) => {}
        Ok(false) => return Err(Problem::unknown("there is no such credential")),
        Err(TakeBackError::Store(error)) => return Err(error.into()),
        Err(error @ TakeBackError::LastOne) => {
            let remedy = "give somebody else the role `operator` first";
            return Err(Problem::new(StatusCode::CONFLICT, "last_one", error.to_string(), remedy));
        }
    }
    asked.server.say("credential taken back", &[("name", &name), ("by", &by.name())]);
    Ok(reply(StatusCode::OK, &json!({ "name": name, "revoked": true })))
}
