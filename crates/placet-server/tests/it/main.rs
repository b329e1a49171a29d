//! The service at its boundary: bytes over real sockets, a real engine over a temporary directory.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

mod agentguard;
mod calls;
mod chat;
mod documents;
mod hermes;
mod hostile;
mod idempotent;
mod names;
mod notify;
mod page_site;
mod pages;
mod pages_audit;
mod pages_settings;
mod pages_warrants;
mod people;
mod proxies;
mod reading;
mod revoked;
mod rig;
mod roles;
mod rules_pages;
mod schemathesis;
mod searching;
mod sign_in;
mod smtp;
mod stopping;
mod stream;
mod sweep;
#[cfg(feature = "opentelemetry")]
mod telemetry;
mod tls;
mod together;
mod verifying;
mod watch_pages;
mod wheels;
