//! What the `placet` binary promises whoever runs it.

mod run;
mod tools;

mod command_line;
mod config;
mod decide;
mod docs;
mod explain;
mod warrant;
