//! Users: who they are, and their passwords.

use axum::{http::StatusCode, response::Response};
use placet_engine::{PasswordHash, Role, UserError, WeakPassword};
use serde::Deserialize;
use serde_json::json;
use zeroize::Zeroizing;

use crate::{
    ask::Asked,
    gate,
    problem::{Problem, json as reply},
    sign_in,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AddUser {
    name: String,
    role: String,
    password: Zeroizing<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SetPassword {
    password: Zeroizing<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SetOwnPassword {
    current: Zeroizing<String>,
    password: Zeroizing<String>,
}

/// `GET /v1/users`.
pub async fn list(asked: Asked) -> Result<Response, Problem> {
    let users = asked.server.off(|engine| Ok(engine.users()?)).await?;
    Ok(reply(StatusCode::OK, &json!({ "users": users })))
}

/// `POST /v1/users`.
pub async fn add(asked: Asked) -> Result<Response, Problem> {
    let (wanted, by): (AddUser, _) = (asked.read()?, asked.approver()?);
    let role = Role::parse(&wanted.role)
        .ok_or_else(|| Problem::malformed("`role` is `auditor`, `approver` or `operator`"))?;
    let hash = hash(&asked, wanted.password).await?;
    match asked.server.engine.user_add(&wanted.name, role, hash, &by).await {
        Ok(user) => {
            asked.server.say("user", &[("name", &user.name), ("role", &user.role), ("by", &by.name())]);
            Ok(reply(StatusCode::CREATED, &user))
        }
        Err(UserError::Store(error)) => Err(error.into()),
        Err(error @ UserError::Taken) => {
            let remedy = "choose another name, or set their password";
            Err(Problem::new(StatusCode::CONFLICT, "taken", error.to_string(), remedy))
        }
        Err(error @ (UserError::Name | UserError::Role)) => Err(Problem::malformed(error.to_string())),
    }
}

/// `DELETE /v1/users/{user}`.
pub async fn remove(asked: Asked) -> Result<Response, Problem> {
    let (name, by) = (asked.param("user").to_owned(), asked.approver()?);
    if !asked.server.engine.user_remove(&name, &by).await? {
        return Err(none());
    }
    asked.server.say("user removed", &[("name", &name), ("by", &by.name())]);
    Ok(reply(StatusCode::OK, &json!({ "user": name, "removed": true })))
}

/// `PUT /v1/users/{user}/password`.
pub async fn password(asked: Asked) -> Result<Response, Problem> {
    let (wanted, by): (SetPassword, _) = (asked.read()?, asked.approver()?);
    let name = asked.param("user").to_owned();
    let hash = hash(&asked, wanted.password).await?;
    if !asked.server.engine.user_password(&name, hash, &by).await? {
        return Err(none());
    }
    asked.server.say("password", &[("user", &name), ("by", &by.name())]);
    Ok(reply(StatusCode::OK, &json!({ "user": name, "changed": true })))
}

/// `PUT /v1/me/password`.
pub async fn own_password(asked: Asked) -> Result<Response, Problem> {
    let wanted: SetOwnPassword = asked.read()?;
    let name = asked.caller.as_ref().map(|caller| caller.name().to_owned()).unwrap_or_default();
    // Whoever finds a browser open does not know the password.
    let known = sign_in::check(&asked, name, wanted.current).await?;
    let hash = hash(&asked, wanted.password).await?;
    if !asked.server.engine.own_password(&known, hash).await? {
        return Err(none());
    }
    asked.server.say("password", &[("user", &known.name()), ("by", &known.name())]);
    Ok(reply(StatusCode::OK, &json!({ "user": known.name(), "changed": true })))
}

async fn hash(asked: &Asked, password: Zeroizing<String>) -> Result<PasswordHash, Problem> {
    let place = gate::enter(&asked.server, asked.address())?;
    let hash = move |_: &placet_engine::Engine| {
        PasswordHash::of(&password).map_err(|error| match error {
            WeakPassword::Short | WeakPassword::Long => Problem::malformed(error.to_string()),
            WeakPassword::Failed(_) => Problem::internal(),
        })
    };
    place.work(hash).await
}

fn none() -> Problem {
    Problem::unknown("there is no such user")
}
