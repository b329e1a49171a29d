//! Requests that Placet sends: bounded in time, and to whom they are addressed.

use std::time::Duration;

use ureq::{Agent, config::ConfigBuilder, typestate::AgentScope};

/// How requests are sent, each within `patience`.
pub fn requests(patience: Duration) -> ConfigBuilder<AgentScope> {
    Agent::config_builder()
        .timeout_global(Some(patience))
        // Whoever answers does not choose who is asked.
        .max_redirects(0)
        .max_redirects_will_error(false)
        .http_status_as_error(false)
        // Nothing in the environment does either.
        .proxy(None)
        .user_agent(concat!("placet/", env!("CARGO_PKG_VERSION")))
}
