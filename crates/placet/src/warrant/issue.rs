//! `placet warrant mint` and `grant`.

use std::{io::Write as _, path::PathBuf, process::ExitCode};

use anyhow::{Context, anyhow, bail};
use clap::Args;
use placet_core::warrant::{
    self, Purpose, Scope, SealedWarrant, Slip, Subject, Terms, WarrantId, narrow, parse_duration,
    pitfalls::pitfalls,
};
use serde_json::json;

use super::{Shared, deliver, given, now};
use crate::keyring;

/// What a link permits, and for whom.
#[derive(Debug, Args)]
pub struct Wish {
    /// The key that signs: a name in the key directory, or a file.
    #[arg(long, value_name = "NAME")]
    key: String,
    /// Who may use it: a public key, a file that holds one, or a name in the key directory.
    #[arg(long, value_name = "KEY", conflicts_with_all = ["agent", "session"])]
    holder: Option<String>,
    /// Instead of a holder, the agent it is bound to; it cannot be passed on.
    #[arg(long, requires = "session")]
    agent: Option<String>,
    /// Instead of a holder, the session it is bound to.
    #[arg(long, requires = "agent")]
    session: Option<String>,
    /// How long it lives, such as `90m`, `1h30m` or `7d`; at most 90 days.
    #[arg(long, value_name = "DURATION")]
    ttl: Option<String>,
    /// A tool that may be called, and what its arguments may be.
    #[arg(long, value_name = "CAPABILITY")]
    allow: Vec<String>,
    /// The same, but a person approves each call.
    #[arg(long, value_name = "CAPABILITY")]
    gate: Vec<String>,
    /// Effects that any tool may have.
    #[arg(long, value_name = "EFFECTS")]
    allow_effects: Vec<String>,
    /// The same, but a person approves each call.
    #[arg(long, value_name = "EFFECTS")]
    gate_effects: Vec<String>,
    /// What every capability is limited to: a verb only on what it is named with, `no VERB` not at all.
    #[arg(long, value_name = "EFFECTS")]
    effects: Vec<String>,
    /// The most calls in all.
    #[arg(long, value_name = "COUNT")]
    max_calls: Option<u64>,
    /// The most calls in any stretch of time, such as `10/1m`.
    #[arg(long)]
    rate: Option<String>,
    /// What a numeric argument may add up to, such as `amount=100.50`.
    #[arg(long, value_name = "NAME=SUM")]
    budget: Vec<String>,
    /// When it may be used, such as `Mo-Fr 08:00-18:00 Europe/Berlin`.
    #[arg(long)]
    hours: Option<String>,
    /// The riskiest call, from 0 to 1.
    #[arg(long, value_name = "RISK")]
    max_risk: Option<f64>,
    /// How many times it may be passed on; 0 for not at all.
    #[arg(long, value_name = "COUNT")]
    max_depth: Option<u64>,
    /// How firmly the agent must be confined, such as `fs=guarded,net=closed`.
    #[arg(long)]
    posture: Option<String>,
    /// The holder may issue warrants to others, and make no calls.
    #[arg(long)]
    issue_only: bool,
    /// Read the terms from a YAML file; options add to them.
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Write it to a file instead of standard output.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

const GRAMMAR: &str = "\
A CAPABILITY is a tool, a colon, and its arguments: `read_file: path under /data, offset?, limit? range 1..500`. A tool alone may have any arguments; once some are named, only those, unless `..` is among them. `name?` may be missing. Constraints: any, is V, in (V, …), not in (V, …), glob, regex, range 1..5, above N, below N, under PATH, url, url_safe, cidr, contains V, subset (V, …), argv(git status|log -n=* ..), length 1..80, and `and`, `or`, `not`, brackets.
EFFECTS are verbs with targets: `send to *.example.com; write under /srv; no delete`.

Nothing that grants has a default.";

#[derive(Debug, Args)]
#[command(after_help = format!("{GRAMMAR}

Examples:
  placet warrant mint --key ops --holder agent.pub --ttl 1h \\
      --allow 'read_file: path under /data/reports, offset?, limit?' \\
      --gate 'terminal: command argv(git status|log|diff)' \\
      --effects 'send to *.example.com; no delete' --max-calls 500 -o nightly.warrant
  placet warrant mint --key ops --file slip.yaml"))]
pub struct Mint {
    #[command(flatten)]
    terms: Wish,
}

#[derive(Debug, Args)]
#[command(after_help = format!("{GRAMMAR}

Example:
  placet warrant grant nightly.warrant --key agent --holder child.pub --ttl 10m --allow 'web_search: query any' -o child.warrant"))]
pub struct Grant {
    /// The warrant to pass on: a file, its line, or `-`.
    warrant: Option<String>,
    #[command(flatten)]
    terms: Wish,
}

/// Issues a warrant.
pub fn mint(arguments: &Mint, shared: &Shared) -> anyhow::Result<ExitCode> {
    let terms = terms(&arguments.terms, shared)?;
    let (id, expires) = (terms.id, terms.expires);
    note_pitfalls(&terms.scope)?;
    let key = keyring::signing_key(&arguments.terms.key, &shared.keys)?;
    let warrant = SealedWarrant::mint(terms, &key)?;
    hand_over(&warrant, id, &expires.to_string(), &arguments.terms, shared)
}

/// Passes a warrant on.
pub fn grant(arguments: &Grant, shared: &Shared) -> anyhow::Result<ExitCode> {
    let parent = given(arguments.warrant.as_deref())?.peek()?;
    let terms = terms(&arguments.terms, shared)?;
    let (id, expires, scope) = (terms.id, terms.expires, terms.scope.clone());
    note_pitfalls(&scope)?;
    let key = keyring::signing_key(&arguments.terms.key, &shared.keys)?;
    let warrant = parent.grant(terms, &key)?;
    for (number, link) in parent.links().iter().enumerate() {
        for widening in narrow::widenings(&scope, &link.scope) {
            writeln!(
                anstream::stderr(),
                "note: {widening} (link {}); every link is asked, so this gains nothing",
                number + 1
            )?;
        }
    }
    hand_over(&warrant, id, &expires.to_string(), &arguments.terms, shared)
}

/// Tells the author where a link permits more than it seems to.
fn note_pitfalls(scope: &Scope) -> anyhow::Result<()> {
    for pitfall in pitfalls(scope) {
        writeln!(anstream::stderr(), "note: {pitfall}")?;
    }
    Ok(())
}

fn hand_over(
    warrant: &SealedWarrant,
    id: WarrantId,
    expires: &str,
    terms: &Wish,
    shared: &Shared,
) -> anyhow::Result<ExitCode> {
    let line = warrant.to_text();
    if shared.json {
        let made = json!({ "id": id.to_string(), "expires": expires, "warrant": line });
        if let Some(file) = &terms.output {
            deliver(&line, Some(file))?;
        }
        deliver(&made.to_string(), None)?;
    } else {
        deliver(&line, terms.output.as_deref())?;
        if let Some(file) = &terms.output {
            writeln!(anstream::stderr(), "wrote `{}`: warrant {id}, until {expires}", file.display())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn terms(given: &Wish, shared: &Shared) -> anyhow::Result<Terms> {
    let slip = match &given.file {
        None => None,
        Some(file) => {
            let text = keyring::read_text(file)?;
            let slip = Slip::read(&text).map_err(|error| {
                let line = text.lines().nth(error.mark.line - 1).unwrap_or("");
                let shown: String = line.chars().map(placet_core::printable::printable).collect();
                let mark = " ".repeat(error.mark.column.saturating_sub(1));
                anyhow!("{}:{error}\n  {shown}\n  {mark}^", file.display())
            })?;
            Some(slip)
        }
    };
    let not_before = now()?;
    let ttl_ms = match (&given.ttl, &slip) {
        (Some(ttl), _) => parse_duration(ttl)
            .with_context(|| format!("`--ttl {ttl}` is no duration; write it like `90m` or `1h30m`"))?,
        (None, Some(Slip { ttl_ms: Some(ttl), .. })) => *ttl,
        (None, _) => bail!("say how long it lives, such as `--ttl 1h`"),
    };
    let holder = given.holder.clone().or_else(|| slip.as_ref().and_then(|slip| slip.holder.clone()));
    let subject = match (&given.agent, &given.session, holder) {
        (Some(agent), Some(session), _) => {
            Subject::Session { agent: agent.clone(), session: session.clone() }
        }
        (_, _, Some(holder)) => Subject::Holder(keyring::public_key(&holder, &shared.keys)?),
        (_, _, None) => bail!("say who may use it, such as `--holder agent.pub`"),
    };
    let purpose = match given.issue_only || slip.as_ref().is_some_and(|slip| slip.issue_only) {
        true => Purpose::Issue,
        false => Purpose::Act,
    };
    let max_depth = given.max_depth.or_else(|| slip.as_ref().and_then(|slip| slip.max_depth));
    let scope = scope(given, slip.map(|slip| slip.scope))?;
    Ok(Terms {
        id: WarrantId::from_bytes(keyring::random()?),
        subject,
        not_before,
        expires: not_before.plus_ms(i64::try_from(ttl_ms).unwrap_or(i64::MAX)),
        purpose,
        max_depth,
        scope,
    })
}

fn scope(given: &Wish, slip: Option<Scope>) -> anyhow::Result<Scope> {
    let wish = warrant::Wish {
        allow: given.allow.clone(),
        gate: given.gate.clone(),
        allow_effects: given.allow_effects.clone(),
        gate_effects: given.gate_effects.clone(),
        effects: given.effects.clone(),
        max_calls: given.max_calls,
        rate: given.rate.clone(),
        budget: given.budget.clone(),
        hours: given.hours.clone(),
        max_risk: given.max_risk,
        posture: given.posture.clone(),
    };
    Ok(wish.scope(slip)?)
}
