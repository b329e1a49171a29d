//! The service that agents ask and people answer: HTTP over the engine.
//!
//! One table, [`endpoint::ENDPOINTS`], says which paths there are, who may use each, and how it says no; the router is made
//! from it, so there is no path without a row. Whatever goes wrong where an agent asks is a block in that agent's own
//! language. This crate knows HTTP and sockets, and refuses to know SQL, files of configuration and the command line.

mod problem;

mod log;

mod metrics;

mod minting;

mod server;

pub mod endpoint;

mod shown;

mod page_site;

mod form;

mod ask;

mod idempotent;

mod calls;

mod events;

mod holds;

mod chat;

mod watching;

mod reviews;

mod operating;

mod credentials;

mod grants;

mod auditing;

mod searching;

mod verifying;

mod keeper;

mod rules;

mod warrants;

mod gate;

mod sign_in;

mod users;

mod streaming;

mod stream;

pub mod notify;

pub mod outbound;

mod notices;

#[cfg(feature = "opentelemetry")]
mod telemetry;

mod health;

mod agentguard;

mod openapi;

mod pages;

mod unhurried;

mod strict_transport;

mod tls;

mod heard;

mod converse;

mod listen;

mod inside;

pub use chat::Chat;
pub use inside::Inside;
pub use keeper::{DraftError, Edit, Keeper, RuleText};
pub use listen::{Listener, serve};
pub use log::Log;
pub use minting::Issuer;
pub use page_site::{PageSite, is_shared};
pub use server::{Limits, Server, Settings, app};
#[cfg(feature = "opentelemetry")]
pub use telemetry::{Telemetry, TelemetryPace};
pub use tls::{Tls, TlsError};
