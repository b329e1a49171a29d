//! The domain of Placet, pure: values in, value out.
//!
//! A [`ToolCall`] is read into [`Effect`]s, these are weighed into an [`Assessment`], and
//! [`decide`] turns that into a [`Decision`]. Reading order is the order of the modules below.
//!
//! What this crate refuses to know: the clock, randomness, files, sockets, threads, logs, SQL
//! and HTTP. Whatever it needs of those comes in as an argument.

pub mod printable;

mod base64;

mod packed;

mod sought;

pub mod json;

pub mod canonical;

pub mod timestamp;

pub mod nearest;

pub mod tool_call;

pub mod digest;

pub mod tool_definition;

pub mod event;

pub mod effect;

pub mod crisis;

pub mod located;

pub mod yaml;

pub mod constraint;

pub mod assess;

pub mod rule;

pub mod policy;

pub mod warrant;

pub mod decision;

pub mod grant;

pub mod redact;

pub mod explanation;

pub mod mode;

pub mod hold;

pub mod quorum;

pub mod review;

pub mod record;

pub mod log;

pub mod outlook;

pub use assess::Assessment;
pub use decision::{
    Claim, Context, Decision, Finding, Source, Verdict, decide, decide_in, decide_under, decide_with,
    explain_in, note,
};
pub use digest::CallDigest;
pub use effect::Effect;
pub use event::{Event, EventKind};
pub use json::Json;
pub use mode::Mode;
pub use outlook::Outlook;
pub use policy::Policy;
pub use redact::Redactor;
pub use timestamp::Timestamp;
pub use tool_call::{ToolCall, ToolName};
pub use tool_definition::ToolDefinition;
pub use warrant::{Authority, SealedWarrant, Warrant};
