//! Rules and thresholds: what is in force, what a draft would match, and changes of both.

use axum::{http::StatusCode, response::Response};
use placet_core::{
    Context, Event, Finding, Json, Policy, Source, Verdict, explain_in, note,
    policy::{RuleSetting, Thresholds},
    record::expand,
    rule::{self, Memory, NearMatch, Rule, RulePolicy, RuleSet},
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    ask::Asked,
    keeper::{self, Edit, RuleText},
    problem::{Problem, json as reply},
};

/// The longest text of a rule: it stands in the log with each change.
pub const TEXT_MAX: usize = 16 << 10;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SetPolicy {
    policy: String,
}

/// `GET /v1/rules`.
pub async fn list(asked: Asked) -> Result<Response, Problem> {
    let snapshot = asked.server.engine.snapshot();
    let configuration = snapshot.configuration();
    let rules: Vec<Value> = configuration.rules.rules().iter().map(as_json).collect();
    let off: Vec<&String> = configuration
        .policy
        .rules
        .iter()
        .filter(|(_, setting)| **setting == RuleSetting::Off)
        .map(|(id, _)| id)
        .collect();
    let refused = asked.server.refused_configuration();
    Ok(reply(StatusCode::OK, &json!({ "rules": rules, "off": off, "refused": refused })))
}

/// `GET /v1/rules/{rule}`.
pub async fn show(asked: Asked) -> Result<Response, Problem> {
    shown(&asked, asked.param("rule").to_owned(), StatusCode::OK).await
}

async fn shown(asked: &Asked, id: String, status: StatusCode) -> Result<Response, Problem> {
    let snapshot = asked.server.engine.snapshot();
    let configuration = snapshot.configuration();
    let written = written(asked, &id).await?;
    let rule = configuration.rules.get(&id);
    if rule.is_none() && written.is_none() {
        return Err(none());
    }
    let mut shown = rule.map_or_else(|| json!({ "id": id }), as_json);
    shown["in_force"] = rule.is_some().into();
    if let Some(why) = asked.server.refused_configuration() {
        shown["refused"] = why.into();
    }
    if let Some(written) = written {
        shown["from"] = written.from.into();
        shown["own"] = written.own.into();
        shown["text"] = written.text.into();
    }
    Ok(reply(status, &shown))
}

/// `POST /v1/rules`.
pub async fn create(asked: Asked) -> Result<Response, Problem> {
    let Written { text } = asked.read()?;
    let id = add(&asked, text).await?;
    shown(&asked, id, StatusCode::CREATED).await
}

/// Adds the one rule in `text`; gives its id.
pub async fn add(asked: &Asked, text: String) -> Result<String, Problem> {
    let id = one(&text)?;
    if written(asked, &id).await?.is_some() {
        let message = format!("there is a rule `{id}` already");
        return Err(Problem::new(StatusCode::CONFLICT, "taken", message, "choose another id, or change it"));
    }
    let (key, after) = (format!("rule:{id}"), text.clone());
    keeper::edit(asked, Edit::PutRule { id: id.clone(), text }, &key, None, &after).await?;
    Ok(id)
}

/// `PUT /v1/rules/{rule}`.
pub async fn change(asked: Asked) -> Result<Response, Problem> {
    let Written { text } = asked.read()?;
    let id = asked.param("rule").to_owned();
    put(&asked, &id, text).await?;
    shown(&asked, id, StatusCode::OK).await
}

/// Changes the rule `id` to the one in `text`.
pub async fn put(asked: &Asked, id: &str, text: String) -> Result<(), Problem> {
    let before = own(asked, id).await?;
    if one(&text)? != id {
        return Err(Problem::malformed("the text is of a rule with another id"));
    }
    let (key, after) = (format!("rule:{id}"), text.clone());
    keeper::edit(asked, Edit::PutRule { id: id.to_owned(), text }, &key, Some(&before), &after).await
}

/// `DELETE /v1/rules/{rule}`.
pub async fn remove(asked: Asked) -> Result<Response, Problem> {
    let id = asked.param("rule").to_owned();
    take_away(&asked, &id).await?;
    Ok(reply(StatusCode::OK, &json!({ "id": id, "removed": true })))
}

/// Removes the rule `id`.
pub async fn take_away(asked: &Asked, id: &str) -> Result<(), Problem> {
    let before = own(asked, id).await?;
    let key = format!("rule:{id}");
    keeper::edit(asked, Edit::RemoveRule { id: id.to_owned() }, &key, Some(&before), "removed").await
}

/// `PUT /v1/rules/{rule}/policy`.
pub async fn set(asked: Asked) -> Result<Response, Problem> {
    let wanted: SetPolicy = asked.read()?;
    let id = asked.param("rule").to_owned();
    set_policy(&asked, &id, &wanted.policy).await?;
    shown(&asked, id, StatusCode::OK).await
}

/// Gives the rule `id` the policy that `word` says; `off` for none, `default` for what it says itself.
pub async fn set_policy(asked: &Asked, id: &str, word: &str) -> Result<(), Problem> {
    let setting = match (word, RulePolicy::parse(word)) {
        ("off", _) => Some(RuleSetting::Off),
        ("default", _) => None,
        (_, Some(policy)) => Some(RuleSetting::Policy(policy)),
        (_, None) => {
            let message = "`policy` is `off`, `log_only`, `hold`, `auto_block` or `default`";
            return Err(Problem::malformed(message));
        }
    };
    keeper::of(asked)?;
    if written(asked, id).await?.is_none() {
        return Err(none());
    }
    let before = {
        let snapshot = asked.server.engine.snapshot();
        snapshot.configuration().rules.get(id).map_or("off", |rule| rule.policy.as_str())
    };
    let (key, edit) = (format!("rule:{id}:policy"), Edit::SetRule { id: id.to_owned(), setting });
    keeper::edit(asked, edit, &key, Some(before), word).await
}

/// The rule `id` as it is written; nothing if nobody here knows.
pub async fn written(asked: &Asked, id: &str) -> Result<Option<RuleText>, Problem> {
    let keeper = asked.server.keeper.get().map(std::sync::Arc::clone);
    let id = id.to_owned();
    let look = move |_: &placet_engine::Engine| match keeper {
        Some(keeper) => keeper.rule(&id).map_err(keeper::unreadable),
        None => Ok(None),
    };
    asked.server.off(look).await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Try {
    text: String,
    #[serde(default)]
    call: Option<Value>,
    #[serde(default)]
    record: Option<u64>,
}

/// `POST /v1/rules/try`: what a draft says of a call, and whether its own examples hold. Nothing changes.
pub async fn trial(asked: Asked) -> Result<Response, Problem> {
    let wanted: Try = asked.read()?;
    if wanted.text.len() > TEXT_MAX {
        return Err(too_long());
    }
    let tried = move |engine: &placet_engine::Engine| {
        let pack = rule::read(&wanted.text)
            .map_err(|error| Problem::malformed(format!("line {}: {}", error.mark.line, error.message)))?;
        let failures: Vec<String> =
            pack.rules.iter().flat_map(Rule::failures).map(|failure| failure.message).collect();
        let event = match (wanted.call, wanted.record) {
            (Some(_), Some(_)) => return Err(Problem::malformed("`call` or `record`, not both")),
            (Some(call), None) => Some(call.to_string()),
            (None, Some(index)) => Some(call_of(engine, index)?),
            (None, None) => None,
        };
        let Some(event) = event else { return Ok(json!({ "failures": failures })) };
        let Tried { matched, verdict, without, .. } = try_on(engine, pack.rules, &event)?;
        Ok(json!({ "failures": failures, "matched": matched, "verdict": verdict, "without_it": without }))
    };
    Ok(reply(StatusCode::OK, &asked.server.off(tried).await?))
}

/// What rules say of one event.
pub struct Tried {
    /// Those that matched.
    pub matched: Vec<Finding>,
    /// Those that would have matched but for one thing.
    pub near: Vec<NearMatch>,
    /// What would be decided.
    pub verdict: Verdict,
    /// What would be decided without them.
    pub without: Verdict,
}

/// What `rules` alone say of the event on the wire, by the assessment of a default policy and with nothing before it.
pub fn try_on(engine: &placet_engine::Engine, rules: Vec<Rule>, event: &str) -> Result<Tried, Problem> {
    let rules = RuleSet::new(rules).map_err(|error| Problem::malformed(error.to_string()))?;
    let wire = Json::read(event).map_err(|error| Problem::malformed(error.to_string()))?;
    let event = Event::from_json(&wire).map_err(|error| Problem::malformed(error.to_string()))?;
    let (policy, memory) = (Policy::default(), Memory::new());
    let context =
        Context { policy: &policy, rules: &rules, history: &memory, now: engine.now(), authority: None };
    let (decision, near) = match &event {
        Event::ToolCall(call) => {
            let (decision, hearing) = explain_in(call, &context);
            (decision, hearing.near)
        }
        Event::Other(report) => (note(report, &context), Vec::new()),
    };
    let (matched, others): (Vec<Finding>, Vec<Finding>) =
        decision.findings.into_iter().partition(|finding| matches!(finding.source, Source::Rule(_)));
    let without = others.iter().map(|finding| finding.verdict).max().unwrap_or(Verdict::Allow);
    Ok(Tried { matched, near, verdict: decision.verdict, without })
}

/// The call of a decision in the log, masked as it stands there.
pub fn call_of(engine: &placet_engine::Engine, index: u64) -> Result<String, Problem> {
    let none = || Problem::unknown("there is no decision with this number");
    let record = engine.look(|ledger| ledger.record_get(index.min(i64::MAX as u64)))?.ok_or_else(none)?;
    let read = expand(&record.body).unwrap_or(Json::Null);
    let call = read.get("what").and_then(|what| what.get("decision")?.get("call")).ok_or_else(none)?;
    Ok(placet_core::canonical::to_string(call))
}

/// `GET /v1/thresholds`.
pub async fn thresholds(asked: Asked) -> Result<Response, Problem> {
    Ok(reply(StatusCode::OK, &thresholds_now(&asked)))
}

fn thresholds_now(asked: &Asked) -> Value {
    let snapshot = asked.server.engine.snapshot();
    let Thresholds { run_below, ask_above, confidence_min } = snapshot.configuration().policy.thresholds;
    let mut shown =
        json!({ "run_below": run_below, "ask_above": ask_above, "confidence_min": confidence_min });
    if let Some(why) = asked.server.refused_configuration() {
        shown["refused"] = why.into();
    }
    shown
}

/// `PUT /v1/thresholds`: `null` for what the configuration says.
pub async fn set_thresholds(asked: Asked) -> Result<Response, Problem> {
    change_thresholds(&asked, asked.read()?).await?;
    thresholds(asked).await
}

/// Sets when a person is asked; nothing for what the configuration says.
pub async fn change_thresholds(asked: &Asked, wanted: Option<Thresholds>) -> Result<(), Problem> {
    let before = thresholds_now(asked).to_string();
    let after = match wanted {
        None => "as the configuration says".to_owned(),
        Some(Thresholds { run_below, ask_above, confidence_min }) => {
            json!({ "run_below": run_below, "ask_above": ask_above, "confidence_min": confidence_min })
                .to_string()
        }
    };
    keeper::edit(asked, Edit::Thresholds(wanted), "thresholds", Some(&before), &after).await
}

fn as_json(rule: &Rule) -> Value {
    json!({
        "id": rule.id, "title": rule.title, "why": rule.why, "severity": rule.severity, "policy": rule.policy,
    })
}

pub fn none() -> Problem {
    Problem::unknown("there is no such rule")
}

fn too_long() -> Problem {
    Problem::malformed(format!("the text of a rule has up to {TEXT_MAX} bytes"))
}

/// The text of a rule that can be changed here.
async fn own(asked: &Asked, id: &str) -> Result<String, Problem> {
    keeper::of(asked)?;
    match written(asked, id).await? {
        Some(written) if written.own => Ok(written.text),
        Some(written) => {
            let message = format!("this rule stands in `{}`, and is not changed here", written.from);
            let remedy = "set its policy, or switch it off and write one of your own";
            Err(Problem::new(StatusCode::CONFLICT, "not_own", message, remedy))
        }
        None => Err(none()),
    }
}

/// The id of the one rule in `text`.
fn one(text: &str) -> Result<String, Problem> {
    if text.len() > TEXT_MAX {
        return Err(too_long());
    }
    let pack = rule::read(text)
        .map_err(|error| Problem::malformed(format!("line {}: {}", error.mark.line, error.message)))?;
    match pack.rules.as_slice() {
        [rule] => Ok(rule.id.clone()),
        _ => Err(Problem::malformed("the text has one rule")),
    }
}
