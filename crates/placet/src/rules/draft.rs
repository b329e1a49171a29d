//! `placet rules new`: a commented rule to start from.

use std::{io::Write as _, process::ExitCode};

use anyhow::{Context, bail};
use placet_core::rule;

const DRAFT: &str = include_str!("draft.yaml");

/// Prints a rule called `name`.
pub fn print(name: &str) -> anyhow::Result<ExitCode> {
    let draft = DRAFT.replace("ID", name);
    // The draft itself is right, so whatever is wrong is the name.
    if let Err(error) = rule::read(&draft) {
        bail!("{}", error.message);
    }
    anstream::stdout().write_all(draft.as_bytes()).context("cannot write the rule")?;
    Ok(ExitCode::SUCCESS)
}
