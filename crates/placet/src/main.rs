//! The one binary: translates the command line in, makes one call, translates the answer out.

mod called;

mod cli;

mod config;

mod assessor;

mod configuration_files;

mod home;

mod ask;

mod holds;

mod grants;

mod tail;

mod sessions;

mod audit;

mod prove;

mod export;

mod report;

mod coverage;

mod since;

mod meter;

mod threats;

mod reviews;

mod operate;

mod certificate;

mod edits;

mod serve;

mod doctor;

mod notifications;

mod backup;

mod demo;

mod socket;

mod ground;

mod telling;

mod token;

mod credential;

mod user;

mod decide;

mod explain;

mod lines;

mod redact;

mod rulebook;

mod key;
mod rules;

mod keyring;

mod loopback;

mod trusted_path;

mod page_identity;

mod style;

mod warrant;

mod tools;

use std::process::ExitCode;

use clap::Parser;

use cli::{Cli, Command};

#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = match cli.command {
        Command::Decide(arguments) => decide::run(&arguments),
        Command::Ask(arguments) => ask::run(&arguments),
        Command::Holds(arguments) => holds::run(&arguments),
        Command::Grants(arguments) => grants::run(&arguments),
        Command::Tail(arguments) => tail::run(&arguments),
        Command::Sessions(arguments) => sessions::run(&arguments),
        Command::Agents(arguments) => sessions::agents(&arguments),
        Command::Report(arguments) => report::run(&arguments),
        Command::Coverage(arguments) => coverage::run(&arguments),
        Command::Audit(arguments) => audit::run(&arguments),
        Command::Threats(arguments) => threats::run(&arguments),
        Command::Reviews(arguments) => reviews::run(&arguments),
        Command::Mode(arguments) => operate::mode(&arguments),
        Command::StopAll(arguments) => operate::stop_all(&arguments),
        Command::Resume(arguments) => operate::resume(&arguments),
        Command::Serve(arguments) => serve::run(&arguments),
        Command::Token(arguments) => token::run(&arguments),
        Command::User(arguments) => user::run(&arguments),
        Command::Credential(arguments) => credential::run(&arguments),
        Command::Config(arguments) => config::run(&arguments),
        Command::Doctor(arguments) => doctor::run(&arguments),
        Command::Notifications(arguments) => notifications::run(&arguments),
        Command::Demo(arguments) => demo::run(&arguments),
        Command::Backup(arguments) => backup::back_up(&arguments),
        Command::Restore(arguments) => backup::restore(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Rules(arguments) => rules::run(&arguments),
        Command::Redact(arguments) => redact::run(&arguments),
        Command::Key(arguments) => key::run(&arguments),
        Command::Warrant(arguments) => warrant::run(&arguments),
        Command::Tools(arguments) => tools::run(&arguments),
        Command::Completions { shell } => cli::completions(shell),
    };
    match result {
        Ok(code) => code,
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            style::print_error(&error);
            ExitCode::FAILURE
        }
    }
}

/// `placet decide | head` is not a failure.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
        .any(|cause| cause.kind() == std::io::ErrorKind::BrokenPipe)
}
