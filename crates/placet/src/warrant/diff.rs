//! `placet warrant diff`: what one warrant permits that another does not.

use std::{io::Write as _, path::PathBuf, process::ExitCode};

use clap::Args;
use placet_core::{
    Policy, ToolCall, Verdict, canonical,
    warrant::{Link, Posture, Reach, Scope, UncheckedWarrant, narrow, witness},
};
use serde_json::{Value, json};

use super::{Shared, explain::ask, read};
use crate::config;

#[derive(Debug, Args)]
#[command(after_help = "\
Each difference comes with a call that shows it, where one can be thought of.

Example:
  placet warrant diff old.warrant new.warrant")]
pub struct Diff {
    /// A file, the line itself, or `-`.
    before: String,
    /// The same.
    after: String,
    /// The configuration, which may say what a tool does.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

/// One thing that one warrant permits and the other does not.
struct Difference {
    words: String,
    /// The other permits it too, once a person approves.
    asks: bool,
    witness: Option<ToolCall>,
}

/// Runs the command.
pub fn run(arguments: &Diff, shared: &Shared) -> anyhow::Result<ExitCode> {
    let before = read(&arguments.before)?.peek()?;
    let after = read(&arguments.after)?.peek()?;
    let policy = config::load(arguments.config.as_deref())?;
    let more = beyond(&after, &before, &policy);
    let less = beyond(&before, &after, &policy);
    let other = other_differences(&before, &after);
    let mut out = anstream::stdout();
    if shared.json {
        let list = |all: &[Difference]| -> Vec<Value> {
            let one = |one: &Difference| {
                let witness = one.witness.as_ref().map(|call| {
                    json!({ "tool": call.tool().as_str(), "args": serde_json::to_value(call.args()).unwrap_or_default() })
                });
                json!({ "words": one.words, "asks": one.asks, "witness": witness })
            };
            all.iter().map(one).collect()
        };
        writeln!(out, "{:#}", json!({ "more": list(&more), "less": list(&less), "other": other }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let titles = [
        (["newly permits", "no longer asks about"], &more),
        (["no longer permits", "now asks about"], &less),
    ];
    for ([title, about], all) in titles {
        for difference in all {
            let title = if difference.asks { about } else { title };
            writeln!(out, "{title} {}", printable(&difference.words))?;
            if let Some(call) = &difference.witness {
                writeln!(out, "  such as {} {}", call.tool(), printable(&canonical::to_string(call.args())))?;
            }
        }
    }
    for line in &other {
        writeln!(out, "{line}")?;
    }
    if more.is_empty() && less.is_empty() && other.is_empty() {
        writeln!(out, "no difference was found")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn printable(text: &str) -> String {
    text.chars().map(placet_core::printable::printable).collect()
}

/// How freely the whole chain permits `call`.
fn verdict(links: &[Link], call: &ToolCall, policy: &Policy) -> Verdict {
    ask(links, call, policy).iter().map(|said| said.verdict).max().unwrap_or(Verdict::Block)
}

/// What `one` permits beyond `other`: by the capabilities of its last link, since the links before it can only take away.
fn beyond(one: &UncheckedWarrant, other: &UncheckedWarrant, policy: &Policy) -> Vec<Difference> {
    let mut found = Vec::new();
    let Some(last) = one.links().last() else { return found };
    for capability in &last.scope.capabilities {
        let calls = witness::calls(capability);
        let own: Vec<&ToolCall> =
            calls.iter().filter(|call| verdict(one.links(), call, policy) != Verdict::Block).collect();
        let new =
            own.iter().find(|call| verdict(other.links(), call, policy) > verdict(one.links(), call, policy));
        if let Some(call) = new {
            let asks = verdict(other.links(), call, policy) == Verdict::Hold;
            found.push(Difference { words: capability.describe(), asks, witness: Some((*call).clone()) });
            continue;
        }
        // No call comes to mind; the shapes may still differ.
        let only = Scope { capabilities: vec![capability.clone()], ..last.scope.clone() };
        let wider = |link: &Link| !narrow::widenings(&only, &link.scope).is_empty();
        if calls.is_empty() && other.links().iter().any(wider) {
            found.push(Difference { words: capability.describe(), asks: false, witness: None });
        }
    }
    found
}

/// What else differs: time, limits, effects, confinement.
fn other_differences(before: &UncheckedWarrant, after: &UncheckedWarrant) -> Vec<String> {
    let mut lines = Vec::new();
    let expiry = |warrant: &UncheckedWarrant| warrant.links().iter().map(|link| link.head.expires).min();
    if let (Some(old), Some(new)) = (expiry(before), expiry(after))
        && old != new
    {
        lines.push(format!("expires {new} instead of {old}"));
    }
    let all = |warrant: &UncheckedWarrant, of: fn(&Link) -> Vec<String>| -> Vec<String> {
        warrant.links().iter().flat_map(of).collect()
    };
    let effects = |link: &Link| link.scope.effects.iter().map(Reach::describe_limit).collect();
    let limits = |link: &Link| link.scope.limits.describe();
    let confinement = |link: &Link| match link.scope.posture {
        Posture::OPEN => Vec::new(),
        posture => vec![posture.describe()],
    };
    let said = [
        ("effects", all(before, effects), all(after, effects)),
        ("limits", all(before, limits), all(after, limits)),
        ("confinement", all(before, confinement), all(after, confinement)),
    ];
    for (name, old, new) in said {
        if old != new {
            let text =
                |list: Vec<String>| if list.is_empty() { "not limited".to_owned() } else { list.join("; ") };
            lines.push(format!("{name}: {} instead of {}", printable(&text(new)), printable(&text(old))));
        }
    }
    lines
}
