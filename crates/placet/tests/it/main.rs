//! What the `placet` binary promises whoever runs it.

mod run;
mod service;
mod tools;
mod trial;
mod warrant;

mod assessor;
mod audit;
mod backup;
mod certificate;
mod claims;
mod command_line;
mod config;
mod config_command;
mod decide;
mod demo;
mod docs;
mod doctor;
mod edits;
mod examples;
mod explain;
mod ground;
mod holds;
mod killed;
mod local_trust;
mod notifications;
mod redact;
mod rules;
mod serve;
mod together;
mod user;
