//! What the `placet` binary promises whoever runs it.

mod run;
mod tools;
mod warrant;

mod assessor;
mod audit;
mod certificate;
mod command_line;
mod config;
mod decide;
mod docs;
mod edits;
mod explain;
mod holds;
mod killed;
mod redact;
mod rules;
mod serve;
mod together;
mod user;
