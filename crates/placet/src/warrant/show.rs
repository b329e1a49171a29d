//! `placet warrant show` and `verify`.

use std::{fmt::Write as _, io::Write as _, path::PathBuf, process::ExitCode};

use clap::Args;
use placet_core::{
    Timestamp,
    effect::readable,
    warrant::{Link, OpenWarrantError, Posture, Purpose, Subject, Tier, UncheckedWarrant, duration},
};
use serde_json::{Value, json};

use super::{Shared, given, now, revocations};
use crate::{keyring, style};

/// The warrant does not hold.
const REFUSED: u8 = 5;

#[derive(Debug, Args)]
#[command(after_help = "\
Without `--roots` no signature is checked, and the page says so.

Examples:
  placet warrant show nightly.warrant
  placet warrant show nightly.warrant --roots ops.pub --json | jq .links[0].capabilities")]
pub struct Show {
    /// A file, the line itself, or `-`.
    warrant: Option<String>,
    /// The keys whose word counts: public keys, files or names.
    #[arg(long, value_name = "KEY")]
    roots: Vec<String>,
    /// Lists of what was revoked.
    #[arg(long, value_name = "FILE")]
    revocations: Vec<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Exit codes: 0 it holds, 5 it does not, 1 something failed.

Example:
  placet warrant verify nightly.warrant --roots ops.pub --revocations revoked")]
pub struct Verify {
    /// A file, the line itself, or `-`.
    warrant: Option<String>,
    /// The keys whose word counts: public keys, files or names.
    #[arg(long, value_name = "KEY", required = true)]
    roots: Vec<String>,
    /// Lists of what was revoked.
    #[arg(long, value_name = "FILE")]
    revocations: Vec<PathBuf>,
}

/// Shows a warrant.
pub fn show(arguments: &Show, shared: &Shared) -> anyhow::Result<ExitCode> {
    let sealed = given(arguments.warrant.as_deref())?;
    let warrant = sealed.peek()?;
    let now = now()?;
    let checked = match arguments.roots.is_empty() {
        true => None,
        false => {
            let roots = keyring::trusted_keys(&arguments.roots, &shared.keys)?;
            Some(sealed.open(&roots, &revocations(&arguments.revocations, &roots)?, now).map(drop))
        }
    };
    let mut out = anstream::stdout();
    if shared.json {
        let links: Vec<Value> = warrant
            .links()
            .iter()
            .map(|link| serde_json::to_value(link.to_json()))
            .collect::<Result<_, _>>()?;
        let state = match &checked {
            None => json!("unchecked"),
            Some(Ok(())) => json!("holds"),
            Some(Err(error)) => json!(chain_of(error)),
        };
        writeln!(out, "{:#}", json!({ "state": state, "links": links }))?;
    } else {
        let known = keyring::list(&shared.keys).unwrap_or_default();
        out.write_all(page(&warrant, checked.as_ref(), now, &known).as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Checks a warrant.
pub fn verify(arguments: &Verify, shared: &Shared) -> anyhow::Result<ExitCode> {
    let sealed = given(arguments.warrant.as_deref())?;
    let roots = keyring::trusted_keys(&arguments.roots, &shared.keys)?;
    let opened = sealed.open(&roots, &revocations(&arguments.revocations, &roots)?, now()?);
    let mut out = anstream::stdout();
    match (&opened, shared.json) {
        (Ok(warrant), true) => {
            let ids: Vec<String> = warrant.links().iter().map(|link| link.head.id.to_string()).collect();
            let expires = warrant.last().head.expires.to_string();
            writeln!(out, "{}", json!({ "holds": true, "links": ids, "expires": expires }))?;
        }
        (Err(error), true) => writeln!(out, "{}", json!({ "holds": false, "reason": chain_of(error) }))?,
        (Ok(warrant), false) => {
            let count = warrant.links().len();
            let links = if count == 1 { "1 link".to_owned() } else { format!("{count} links") };
            writeln!(out, "the warrant holds: {links}, until {}", warrant.last().head.expires)?;
        }
        (Err(error), false) => writeln!(out, "the warrant does not hold: {}", chain_of(error))?,
    }
    Ok(if opened.is_ok() { ExitCode::SUCCESS } else { ExitCode::from(REFUSED) })
}

/// An error with its causes, in one line.
fn chain_of(error: &OpenWarrantError) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        let _ = write!(text, ": {inner}");
        cause = inner.source();
    }
    text
}

fn page(
    warrant: &UncheckedWarrant,
    checked: Option<&Result<(), OpenWarrantError>>,
    now: Timestamp,
    known: &[(String, placet_core::warrant::PublicKey)],
) -> String {
    let mut page = String::from("\n");
    let (bold, dim) = (style::HEADING, style::DIM);
    let state = match checked {
        None => "not checked: name the trusted roots with `--roots` to check its signatures".to_owned(),
        Some(Ok(())) => "it holds".to_owned(),
        Some(Err(error)) => format!("it does not hold: {}", chain_of(error)),
    };
    let links = warrant.links();
    let count = if links.len() == 1 { "1 link".to_owned() } else { format!("{} links", links.len()) };
    let _ = writeln!(page, "  {bold}Warrant{bold:#}  {count}; {state}");
    if links.len() > 1 {
        let _ = writeln!(page, "  {dim}A call must be permitted by every link.{dim:#}");
    }
    for (number, link) in links.iter().enumerate() {
        let _ = writeln!(page, "\n  {bold}Link {}{bold:#}  {}", number + 1, link.head.id);
        link_page(&mut page, link, now, known);
    }
    page.push('\n');
    page
}

fn link_page(
    page: &mut String,
    link: &Link,
    now: Timestamp,
    known: &[(String, placet_core::warrant::PublicKey)],
) {
    let head = &link.head;
    let _ = writeln!(page, "    from    {}", keyring::known_as(&head.issuer, known));
    let _ = match &head.subject {
        Subject::Holder(key) => writeln!(page, "    to      {}", keyring::known_as(key, known)),
        Subject::Session { agent, session } => {
            writeln!(page, "    to      agent `{}` in session `{}`", readable(agent), readable(session))
        }
    };
    let left = match head.expires.ms_since(now) {
        left if left > 0 => format!("{} left", rounded(left.unsigned_abs())),
        _ => "expired".to_owned(),
    };
    let _ = writeln!(page, "    until   {} ({left})", head.expires);
    if head.purpose == Purpose::Issue {
        let _ = writeln!(page, "    the holder may issue warrants to others, and make no calls");
    }
    if let Some(depth) = head.max_depth {
        let _ = match depth {
            0 => writeln!(page, "    it may not be passed on"),
            depth => writeln!(page, "    it may be passed on {depth} times"),
        };
    }
    for (tier, title) in [(Tier::Always, "may"), (Tier::Gated, "asks")] {
        for (index, capability) in
            link.scope.capabilities.iter().filter(|capability| capability.tier == tier).enumerate()
        {
            let lead = if index == 0 { title } else { "" };
            let _ = writeln!(page, "    {lead:<7} {}", readable_line(&capability.deed.describe()));
        }
    }
    for (index, reach) in link.scope.effects.iter().enumerate() {
        let lead = if index == 0 { "effects" } else { "" };
        let _ = writeln!(page, "    {lead:<7} {}", readable_line(&reach.describe_limit()));
    }
    for (index, limit) in link.scope.limits.describe().iter().enumerate() {
        let lead = if index == 0 { "limits" } else { "" };
        let _ = writeln!(page, "    {lead:<7} {limit}");
    }
    if link.scope.posture != Posture::OPEN {
        let _ = writeln!(page, "    needs   a confinement of at least {}", link.scope.posture.describe());
    }
}

/// A line without anything that could move the cursor.
fn readable_line(text: &str) -> String {
    text.chars().map(placet_core::printable::printable).collect()
}

/// A duration in whole units that a person would use.
fn rounded(ms: u64) -> String {
    const MINUTE: u64 = 60_000;
    match ms {
        ms if ms >= 48 * 60 * MINUTE => duration(ms / (24 * 60 * MINUTE) * (24 * 60 * MINUTE)),
        ms if ms >= 120 * MINUTE => duration(ms / (60 * MINUTE) * (60 * MINUTE)),
        ms if ms >= MINUTE => duration(ms / MINUTE * MINUTE),
        ms => duration(ms / 1000 * 1000),
    }
}
