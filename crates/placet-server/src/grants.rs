//! Grants: what wider approvals have left behind, and what one would.

use axum::{http::StatusCode, response::Response};
use placet_core::{Assessment, json::Object};
use placet_engine::{EditPreview, Engine, GrantState, HoldName, grant_permits};
use placet_store::StoredGrant;
use serde_json::{Value, json};

use crate::{
    ask::Asked,
    holds::{self, Wanted},
    problem::{Problem, json as reply},
};

/// Grants that are looked through for those in force.
const SEARCHED_MAX: usize = 10_000;

/// `GET /v1/grants`.
pub async fn list(asked: Asked) -> Result<Response, Problem> {
    let limit = asked.count("limit", 100, holds::LIST_MAX)? as usize;
    let all = match asked.value("state").as_deref() {
        None | Some("in_force") => false,
        Some("all") => true,
        Some(_) => return Err(Problem::malformed("`state` is `in_force` or `all`")),
    };
    let look = move |engine: &Engine| {
        let now = engine.now();
        let searched = if all { limit } else { SEARCHED_MAX };
        let mut grants = engine.look(|ledger| ledger.grants(searched))?;
        grants.retain(|grant| all || GrantState::of(grant, now) == GrantState::InForce);
        grants.truncate(limit);
        Ok(grants.iter().map(|grant| as_json(engine, grant)).collect::<Vec<_>>())
    };
    let grants = asked.server.off(look).await?;
    Ok(reply(StatusCode::OK, &json!({ "grants": grants })))
}

/// `GET /v1/grants/{grant}`.
pub async fn show(asked: Asked) -> Result<Response, Problem> {
    let shown = asked.server.off(found(&asked, true)).await?.ok_or_else(none)?;
    Ok(reply(StatusCode::OK, &shown))
}

/// `DELETE /v1/grants/{grant}`.
pub async fn revoke(asked: Asked) -> Result<Response, Problem> {
    take_back(&asked).await?;
    let shown = asked.server.off(found(&asked, false)).await?.ok_or_else(none)?;
    Ok(reply(StatusCode::OK, &shown))
}

/// Takes back the grant that the path names.
pub async fn take_back(asked: &Asked) -> Result<(), Problem> {
    let (id, by) = (asked.param("grant"), asked.approver()?);
    if !asked.server.engine.revoke_grant(id, &by).await? {
        return match asked.server.off(found(asked, false)).await? {
            None => Err(none()),
            Some(_) => {
                let message = "this grant was taken back already";
                Err(Problem::new(StatusCode::CONFLICT, "already_revoked", message, "nothing is left to do"))
            }
        };
    }
    asked.server.say("grant revoked", &[("id", &id), ("by", &by.name())]);
    Ok(())
}

/// `POST /v1/holds/{hold}/preview`.
pub async fn preview(asked: Asked) -> Result<Response, Problem> {
    let name = HoldName::parse(asked.param("hold")).map_err(|_| holds::none())?;
    let wider = match holds::Wanted::read(&asked)? {
        Wanted { wider: Some(wider), .. } => wider,
        Wanted { args: Some(args), .. } => return preview_edit(&asked, &name, &args).await,
        Wanted { wider: None, args: None } => {
            return Err(Problem::malformed("say `for` what else, or with which `args`"));
        }
    };
    let preview = asked.server.off(move |engine| Ok(engine.preview(&name, wider))).await?;
    let preview = preview.map_err(holds::refused)?;
    let shown = json!({ "permits": preview.permits, "until": preview.until, "witness": preview.witness });
    Ok(reply(StatusCode::OK, &shown))
}

/// What a held call would do with other arguments.
async fn preview_edit(asked: &Asked, name: &HoldName, args: &Object) -> Result<Response, Problem> {
    let preview = asked.server.engine.preview_edit(name, args).await.map_err(holds::refused)?;
    let EditPreview { decision, before, refused, .. } = &preview;
    let risk = |assessment: Option<&Assessment>| assessment.map(|assessment| assessment.risk_score);
    let shown = json!({
        "verdict": decision.verdict, "reasons": decision.reasons, "assessment": decision.assessment,
        "risk_before": risk(before.as_ref()), "risk_after": risk(decision.assessment.as_ref()),
        "newly": preview.newly(), "no_longer": preview.no_longer(),
        "refused": refused.as_ref().map(ToString::to_string),
    });
    Ok(reply(StatusCode::OK, &shown))
}

fn none() -> Problem {
    Problem::unknown("there is no such grant")
}

fn found(asked: &Asked, whole: bool) -> impl FnOnce(&Engine) -> Result<Option<Value>, Problem> + use<> {
    let id = asked.param("grant").to_owned();
    move |engine| {
        let Some(grant) = engine.look(|ledger| ledger.grant_get(&id))? else { return Ok(None) };
        let mut shown = as_json(engine, &grant);
        if whole {
            shown["used"] = engine.grant_used(&grant)?.into();
        }
        Ok(Some(shown))
    }
}

fn as_json(engine: &Engine, grant: &StoredGrant) -> Value {
    json!({
        "id": grant.id, "agent": grant.agent, "session": grant.session, "ticket": grant.ticket,
        "cites": grant.cites, "by": grant.by, "given": grant.given, "expires": grant.expires,
        "revoked_by": grant.revoked_by, "state": GrantState::of(grant, engine.now()),
        "permits": grant_permits(grant),
    })
}
