//! Warrants that operators issue here, where somebody has given the service a key for that. By default it has none.

use axum::{http::StatusCode, response::Response};
use placet_core::{
    SealedWarrant, Timestamp,
    warrant::{
        LIFE_MS_MAX, PublicKey, Purpose, Scope, SigningKey, Subject, Terms, WarrantId, Wish, parse_duration,
    },
};
use serde::Deserialize;
use serde_json::json;

use crate::{
    ask::Asked,
    problem::{Problem, json as reply},
};

/// The key of a root, and what may be signed with it here.
pub struct Issuer {
    /// The key.
    pub key: SigningKey,
    /// How long a warrant lives at most.
    pub life_ms: i64,
    /// Whether a warrant may leave it open what is called unasked, and with what.
    pub unlimited: bool,
}

/// A warrant that somebody wants.
#[derive(Debug)]
pub struct Order {
    /// The public key of its holder.
    pub holder: Option<String>,
    /// Instead of a holder, the agent.
    pub agent: Option<String>,
    /// Instead of a holder, the session.
    pub session: Option<String>,
    /// How long it lives, such as `1h30m`.
    pub ttl: String,
    /// How often it may be passed on.
    pub max_depth: Option<u64>,
    /// What it permits.
    pub wish: Wish,
}

/// The same as a body, in the words of the command line.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Body {
    holder: Option<String>,
    agent: Option<String>,
    session: Option<String>,
    ttl: String,
    allow: Vec<String>,
    gate: Vec<String>,
    allow_effects: Vec<String>,
    gate_effects: Vec<String>,
    effects: Vec<String>,
    max_calls: Option<u64>,
    rate: Option<String>,
    budget: Vec<String>,
    hours: Option<String>,
    max_risk: Option<f64>,
    max_depth: Option<u64>,
    posture: Option<String>,
}

/// A warrant that was issued.
pub struct Minted {
    /// Its id.
    pub id: WarrantId,
    /// Until when it counts.
    pub expires: Timestamp,
    /// What it permits.
    pub scope: Scope,
    /// Whoever has this text has the warrant.
    pub warrant: SealedWarrant,
}

/// `POST /v1/warrants`.
pub async fn mint(asked: Asked) -> Result<Response, Problem> {
    let body: Body = asked.read()?;
    let minted = issue(&asked, body.order()).await?;
    let permits: Vec<String> =
        minted.scope.capabilities.iter().map(|capability| capability.deed.describe()).collect();
    let notes = placet_core::warrant::pitfalls::pitfalls(&minted.scope);
    let mut shown = json!({
        "id": minted.id.to_string(), "expires": minted.expires, "permits": permits, "warrant": minted.warrant.to_text(),
    });
    if !notes.is_empty() {
        shown["notes"] = json!(notes);
    }
    Ok(reply(StatusCode::CREATED, &shown))
}

/// Issues a warrant: tried, written down, and only then handed over.
pub async fn issue(asked: &Asked, order: Order) -> Result<Minted, Problem> {
    let (issuer, by) = (asked.server.issuer().ok_or_else(no_key)?, asked.approver()?);
    let now = asked.server.engine.now();
    let refuse = |why: String| Problem::new(StatusCode::CONFLICT, "not_issued", why, LIMITS);
    let ttl_ms = parse_duration(&order.ttl)
        .and_then(|ms| i64::try_from(ms).ok())
        .ok_or_else(|| Problem::malformed("`ttl` says how long it lives, such as `90m` or `1h30m`"))?;
    let most = issuer.life_ms.min(LIFE_MS_MAX);
    if ttl_ms > most {
        return Err(refuse(format!(
            "what is issued here lives for at most {}",
            placet_core::warrant::duration(most.unsigned_abs())
        )));
    }
    let (subject, max_depth) = (order.subject()?, order.max_depth);
    let scope = order.wish.scope(None).map_err(|error| Problem::malformed(error.to_string()))?;
    if let Some(capability) = scope.unlimited().filter(|_| !issuer.unlimited) {
        return Err(refuse(format!(
            "this leaves open what is done unasked: {}; say what an argument may be, or gate it",
            capability.deed.describe()
        )));
    }
    let mut id = [0; 16];
    getrandom::fill(&mut id).map_err(|_| Problem::internal())?;
    let id = WarrantId::from_bytes(id);
    let expires = now.plus_ms(ttl_ms);
    let whose = match &subject {
        Subject::Holder(key) => format!("the holder of {key}"),
        Subject::Session { agent, session } => format!("{agent} in session {session}"),
    };
    let terms = Terms {
        id,
        subject,
        not_before: now,
        expires,
        purpose: Purpose::Act,
        max_depth,
        scope: scope.clone(),
    };
    let warrant =
        SealedWarrant::mint(terms, &issuer.key).map_err(|error| Problem::malformed(error.to_string()))?;
    // A root that no longer counts issues nothing that would.
    let snapshot = asked.server.engine.snapshot();
    let (roots, revocations) = (&snapshot.configuration().roots, &snapshot.configuration().revocations);
    if let Err(error) = warrant.open(roots, revocations, now) {
        return Err(refuse(format!("it would not count here: {error}")));
    }
    let permits: Vec<String> =
        scope.capabilities.iter().map(|capability| capability.deed.describe()).collect();
    let after = format!("{id} for {whose} until {expires}: {}", permits.join("; "));
    asked.server.engine.note_change("warrant issued", None, &after, &by).await?;
    asked.server.say("warrant issued", &[("id", &id), ("by", &by.name())]);
    Ok(Minted { id, expires, scope, warrant })
}

const LIMITS: &str = "issue it where the key is: `placet warrant mint`";

/// Nobody has given the service a key.
fn no_key() -> Problem {
    let message = "this service has no key to issue warrants with";
    Problem::new(StatusCode::CONFLICT, "no_issuer", message, LIMITS)
}

impl Order {
    fn subject(&self) -> Result<Subject, Problem> {
        match (&self.holder, &self.agent, &self.session) {
            (Some(holder), None, None) => PublicKey::parse(holder)
                .map(Subject::Holder)
                .map_err(|error| Problem::malformed(format!("`holder` is a public key: {error}"))),
            (None, Some(agent), Some(session)) => {
                Ok(Subject::Session { agent: agent.clone(), session: session.clone() })
            }
            _ => Err(Problem::malformed(
                "say who it is for: the `holder` of a key, or an `agent` in a `session`",
            )),
        }
    }
}

impl Body {
    fn order(self) -> Order {
        let wish = Wish {
            allow: self.allow,
            gate: self.gate,
            allow_effects: self.allow_effects,
            gate_effects: self.gate_effects,
            effects: self.effects,
            max_calls: self.max_calls,
            rate: self.rate,
            budget: self.budget,
            hours: self.hours,
            max_risk: self.max_risk,
            posture: self.posture,
        };
        let Self { holder, agent, session, ttl, max_depth, .. } = self;
        Order { holder, agent, session, ttl, max_depth, wish }
    }
}
