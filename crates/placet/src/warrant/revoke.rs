//! `placet warrant revoke`: lists of what no longer counts.

use std::{io::Write as _, path::PathBuf, process::ExitCode};

use anyhow::{Context, bail};
use clap::Args;
use placet_core::warrant::{RevocationList, SealedRevocations, TrustedKeys, WarrantId};
use serde_json::json;

use super::{Shared, deliver, now, read};
use crate::keyring;

#[derive(Debug, Args)]
#[command(after_help = "\
The list is signed by a root, numbered, and holds what earlier lists held: give the last one with `--list`, and it is continued. Whatever descends from a revoked link falls with it.

Examples:
  placet warrant revoke nightly.warrant --key ops --list revoked -o revoked
  placet warrant revoke --id 00112233445566778899aabbccddeeff --key ops -o revoked
  placet warrant revoke --public-key agent.pub --key ops -o revoked")]
pub struct Revoke {
    /// A warrant whose last link no longer counts: a file, the line itself, or `-`.
    warrant: Option<String>,
    /// The id of a link that no longer counts.
    #[arg(long, value_name = "ID")]
    id: Vec<String>,
    /// A public key whose links no longer count, issued or held.
    #[arg(long, value_name = "KEY")]
    public_key: Vec<String>,
    /// The root that signs: a name in the key directory, or a file.
    #[arg(long, value_name = "NAME")]
    key: String,
    /// The list to continue; a file that is not there yet begins a new one.
    #[arg(long, value_name = "FILE")]
    list: Option<PathBuf>,
    /// Write it to a file instead of standard output.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Runs the command.
pub fn run(arguments: &Revoke, shared: &Shared) -> anyhow::Result<ExitCode> {
    let key = keyring::signing_key(&arguments.key, &shared.keys)?;
    let mut list = match arguments.list.as_deref().filter(|file| file.exists()) {
        None => RevocationList {
            issuer: key.public(),
            number: 0,
            issued: now()?,
            ids: Vec::new(),
            keys: Vec::new(),
        },
        Some(file) => {
            let cannot = || format!("cannot continue the list `{}`", file.display());
            let sealed = SealedRevocations::parse(&keyring::read_text(file)?).with_context(cannot)?;
            // Only our own list can be continued.
            sealed.open(&TrustedKeys::new([key.public()])).with_context(cannot)?
        }
    };
    let before = (list.ids.len(), list.keys.len());
    if let Some(warrant) = &arguments.warrant {
        let warrant = read(warrant)?.peek()?;
        list.ids.extend(warrant.links().last().map(|link| link.head.id));
    }
    for id in &arguments.id {
        list.ids.push(WarrantId::parse(id)?);
    }
    for public in &arguments.public_key {
        list.keys.push(keyring::public_key(public, &shared.keys)?);
    }
    if (list.ids.len(), list.keys.len()) == before {
        bail!("what shall be revoked? name a warrant, an `--id` or a `--public-key`");
    }
    list.number += 1;
    list.issued = now()?;
    let (number, ids, keys) = (list.number, list.ids.len(), list.keys.len());
    let sealed = list.seal(&key).to_text();
    if shared.json {
        if let Some(file) = &arguments.output {
            deliver(&sealed, Some(file))?;
        }
        deliver(&json!({ "number": number, "list": sealed }).to_string(), None)?;
    } else {
        deliver(&sealed, arguments.output.as_deref())?;
        if let Some(file) = &arguments.output {
            let counted = |count: usize, thing: &str| match count {
                1 => format!("1 {thing}"),
                count => format!("{count} {thing}s"),
            };
            let said = format!("revokes {} and {}", counted(ids, "link"), counted(keys, "key"));
            writeln!(anstream::stderr(), "wrote `{}`: list {number} {said}", file.display())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
