//! What every store must do, and what the store of one machine does besides.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

mod place;

#[macro_use]
mod promises;

mod sqlite;
