//! The configuration file: TOML, every key known, every error with its place.

use std::path::Path;

use anyhow::{Context, bail};
use placet_core::Policy;
use serde::de::DeserializeOwned;

use crate::style;

/// Reads the policy from `file`, or gives the defaults.
pub fn load(file: Option<&Path>) -> anyhow::Result<Policy> {
    let Some(file) = file else { return Ok(Policy::default()) };
    let text = std::fs::read_to_string(file)
        .with_context(|| format!("cannot read the configuration `{}`", file.display()))?;
    let policy: Policy = read_toml(file, &text)?;
    if let Some(problem) = policy.problem() {
        bail!("{}: {problem}", file.display());
    }
    Ok(policy)
}

/// Reads the text of `file` as TOML. An error shows the line it is in.
pub fn read_toml<T: DeserializeOwned>(file: &Path, text: &str) -> anyhow::Result<T> {
    match toml::from_str(text) {
        Ok(value) => Ok(value),
        Err(error) => {
            let start = error.span().map_or(0, |span| span.start.min(text.len()));
            let line = text.get(..start).unwrap_or("").matches('\n').count() + 1;
            let what = plain_words(error.message());
            bail!("{}", style::at_place(&file.display().to_string(), text, line, None, &what));
        }
    }
}

/// The parser's message in the words of somebody who writes configuration.
fn plain_words(message: &str) -> String {
    message
        .replace("unknown field", "unknown key")
        .replace("unknown variant", "unknown value")
        .replace("expected f64", "expected a number")
        .replace("floating point", "number")
}
