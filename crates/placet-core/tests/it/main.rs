//! What `placet-core` promises, tested at its boundaries.

mod judge;

mod canonical;
mod code;
mod constraint;
mod crisis;
mod differential;
mod digest;
mod empty_holes;
mod grant;
mod hostile;
mod json;
mod patch;
mod path;
mod properties;
mod real_shells;
mod redact;
mod rules;
mod scenarios;
mod sentences;
mod shell_corpus;
mod shell_input;
mod sql;
mod tool_properties;
mod url;
mod warrant;
