//! `[telemetry]`: where spans and metrics go. Nowhere, unless it says so.

use serde::Deserialize;

use super::Config;

/// Where spans and metrics go.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TelemetrySettings {
    /// The beginning of the collector's addresses, as in `http://127.0.0.1:4318`.
    pub endpoint: Option<String>,
}

impl TelemetrySettings {
    /// What is wrong with it, in words.
    pub fn problem(&self) -> Option<String> {
        let endpoint = self.endpoint.as_ref()?;
        let rest = ["https://", "http://"].iter().find_map(|start| endpoint.strip_prefix(start));
        match rest.is_some_and(|rest| !rest.is_empty() && !rest.contains(['?', '#', '@', ' '])) {
            true => None,
            false => Some(format!(
                "`endpoint` of `[telemetry]` is `{}`; write it as `http://127.0.0.1:4318`",
                endpoint.escape_debug()
            )),
        }
    }
}

impl Config {
    /// Where spans and metrics go, if they go anywhere. Refused where this program cannot send them: nobody should wait for
    /// what never comes.
    pub fn collector(&self) -> anyhow::Result<Option<&str>> {
        match &self.telemetry.endpoint {
            Some(_) if !cfg!(feature = "opentelemetry") => anyhow::bail!(
                "`endpoint` of `[telemetry]` is set, and this `placet` was built without OpenTelemetry\n  \
                 build it with `cargo build --release --features opentelemetry`, or take the key out"
            ),
            endpoint => Ok(endpoint.as_deref()),
        }
    }
}
