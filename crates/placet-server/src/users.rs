//! Users: who they are, and their passwords.

use axum::{http::StatusCode, response::Response};
use placet_engine::{PasswordHash, Role, User, UserError, WeakPassword};
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
struct SetRole {
    role: String,
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
    let wanted: AddUser = asked.read()?;
    let user = add_user(&asked, &wanted.name, &wanted.role, wanted.password).await?;
    Ok(reply(StatusCode::CREATED, &user))
}

/// Adds a user.
pub async fn add_user(
    asked: &Asked,
    name: &str,
    role: &str,
    password: Zeroizing<String>,
) -> Result<User, Problem> {
    let by = asked.approver()?;
    let role = Role::parse(role).ok_or_else(no_role)?;
    let hash = hash(asked, password).await?;
    let user = asked.server.engine.user_add(name, role, hash, &by).await.map_err(|error| match error {
        UserError::Store(error) => error.into(),
        error @ UserError::Taken => {
            let remedy = "choose another name, or set their password";
            Problem::new(StatusCode::CONFLICT, "taken", error.to_string(), remedy)
        }
        error @ (UserError::Name | UserError::Role) => Problem::malformed(error.to_string()),
    })?;
    asked.server.say("user", &[("name", &user.name), ("role", &user.role), ("by", &by.name())]);
    Ok(user)
}

/// `DELETE /v1/users/{user}`.
pub async fn remove(asked: Asked) -> Result<Response, Problem> {
    remove_user(&asked).await?;
    Ok(reply(StatusCode::OK, &json!({ "user": asked.param("user"), "removed": true })))
}

/// Removes the user that the path names.
pub async fn remove_user(asked: &Asked) -> Result<(), Problem> {
    let (name, by) = (asked.param("user"), asked.approver()?);
    if !asked.server.engine.user_remove(name, &by).await? {
        return Err(none());
    }
    asked.server.say("user removed", &[("name", &name), ("by", &by.name())]);
    Ok(())
}

/// `PUT /v1/users/{user}/password`.
pub async fn password(asked: Asked) -> Result<Response, Problem> {
    let wanted: SetPassword = asked.read()?;
    set_password(&asked, wanted.password).await?;
    Ok(reply(StatusCode::OK, &json!({ "user": asked.param("user"), "changed": true })))
}

/// Gives the user that the path names another password.
pub async fn set_password(asked: &Asked, password: Zeroizing<String>) -> Result<(), Problem> {
    let (name, by) = (asked.param("user"), asked.approver()?);
    let hash = hash(asked, password).await?;
    if !asked.server.engine.user_password(name, hash, &by).await? {
        return Err(none());
    }
    asked.server.say("password", &[("user", &name), ("by", &by.name())]);
    Ok(())
}

/// `PUT /v1/users/{user}/role`.
pub async fn role(asked: Asked) -> Result<Response, Problem> {
    let wanted: SetRole = asked.read()?;
    let role = set_role(&asked, &wanted.role).await?;
    Ok(reply(StatusCode::OK, &json!({ "user": asked.param("user"), "role": role })))
}

/// Gives the user that the path names another role.
pub async fn set_role(asked: &Asked, role: &str) -> Result<Role, Problem> {
    let (name, by) = (asked.param("user"), asked.approver()?);
    let role = Role::parse(role).ok_or_else(no_role)?;
    let set = asked.server.engine.user_role(name, role, &by).await.map_err(|error| match error {
        UserError::Store(error) => error.into(),
        error @ (UserError::Name | UserError::Role | UserError::Taken) => {
            Problem::malformed(error.to_string())
        }
    });
    if !set? {
        return Err(none());
    }
    asked.server.say("role", &[("user", &name), ("role", &role), ("by", &by.name())]);
    Ok(role)
}

/// `PUT /v1/me/password`.
pub async fn own_password(asked: Asked) -> Result<Response, Problem> {
    let wanted: SetOwnPassword = asked.read()?;
    let name = set_own_password(&asked, wanted.current, wanted.password).await?;
    Ok(reply(StatusCode::OK, &json!({ "user": name, "changed": true })))
}

/// Gives the caller another password. Their name.
pub async fn set_own_password(
    asked: &Asked,
    current: Zeroizing<String>,
    password: Zeroizing<String>,
) -> Result<String, Problem> {
    let name = asked.caller.as_ref().map(|caller| caller.name().to_owned()).unwrap_or_default();
    // Whoever finds a browser open does not know the password.
    let known = sign_in::check(asked, name, current).await?;
    let hash = hash(asked, password).await?;
    if !asked.server.engine.own_password(&known, hash).await? {
        return Err(none());
    }
    asked.server.say("password", &[("user", &known.name()), ("by", &known.name())]);
    Ok(known.name().to_owned())
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

fn no_role() -> Problem {
    Problem::malformed("`role` is `auditor`, `approver` or `operator`")
}

fn none() -> Problem {
    Problem::unknown("there is no such user")
}
