//! The command line.

use std::{path::PathBuf, process::ExitCode};

use clap::{Args, CommandFactory, Parser, Subcommand};

/// A firewall for the tool calls of AI agents.
///
/// Placet understands what a tool call would do, says how risky that is and why, and decides whether it may run.
#[derive(Debug, Parser)]
#[command(name = "placet", version, arg_required_else_help = true, after_help = EXAMPLES)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

const EXAMPLES: &str = "\
Examples:
  placet explain -- 'curl -s https://get.example.sh | sudo bash'
  placet explain --tool write_file --args '{\"path\":\"~/.bashrc\",\"content\":\"…\"}'
  placet decide < calls.jsonl
  placet redact --text < build.log
  placet tools show send_message

Exit codes: 0 done, 1 something failed, 2 the command line is wrong; `decide` and `redact` also 3, some line could not be read.";

#[derive(Debug, Subcommand)]
#[allow(clippy::large_enum_variant, reason = "there is one of it, for as long as the program runs")]
pub enum Command {
    /// Decide on calls, one JSON object a line, and print one decision a line.
    Decide(Decide),
    /// Submit one call for real: decide, record, and wait for a person if one must be asked.
    Ask(crate::ask::Ask),
    /// List, show, watch and answer the calls that wait for a person.
    Holds(crate::holds::Holds),
    /// See what wider approvals have left behind, and take it back.
    Grants(crate::grants::Grants),
    /// Print what was decided last, and go on as more is.
    Tail(crate::tail::Tail),
    /// List sessions, or show what happened in one.
    Sessions(crate::sessions::Sessions),
    /// List agents.
    Agents(crate::sessions::Agents),
    /// List what rules found, show what led to it, and say that somebody has looked.
    Threats(crate::threats::Threats),
    /// See what ran because it is easily undone, and say that you have looked.
    Reviews(crate::reviews::Reviews),
    /// Say what people were asked, what they answered, and what asks too much.
    Report(crate::report::Report),
    /// State what was decided, and what ran without a decision.
    Coverage(crate::coverage::CoverageOf),
    /// Check the audit log, search it, show or prove a record of it, or export it.
    Audit(crate::audit::Audit),
    /// Show or set whether decisions are enforced or only observed.
    Mode(crate::operate::ModeOf),
    /// Stop everything: from now on every call is blocked.
    StopAll(crate::operate::Operate),
    /// Let calls be decided again after `stop-all`.
    Resume(crate::operate::Operate),
    /// Serve: decide on the calls of agents over HTTP, and let people answer.
    Serve(crate::serve::Serve),
    /// Make, list and revoke the tokens that programs and people show to `placet serve`.
    Token(crate::token::Token),
    /// Add, list, change and remove the people who sign in to `placet serve`.
    User(crate::user::User),
    /// List, make and take back the credentials of people who answer on this machine.
    Credential(crate::credential::Credential),
    /// Write the configuration to begin with, and say what is set and where.
    Config(crate::config::ConfigOf),
    /// Say what is configured, what is enforced and how surely, what is not, and what to do about it.
    Doctor(crate::doctor::Doctor),
    /// List what people were told, send it again, and test a channel.
    Notifications(crate::notifications::Notifications),
    /// Watch a small scripted agent ask for three things: one is allowed, one held, one blocked.
    Demo(crate::demo::Demo),
    /// Write the data into one file, while the service runs.
    Backup(crate::backup::Backup),
    /// Put a back-up into an empty data directory, once its log is verified.
    Restore(crate::backup::Restore),
    /// Explain to a person what a call would do, how risky it is and why.
    Explain(Explain),
    /// Check, test, list, show, draft and try rules.
    Rules(Rules),
    /// Mask secrets in text, one JSON value a line, or plain text.
    Redact(Redact),
    /// Make and list the keys that sign and hold warrants.
    Key(crate::key::Key),
    /// Issue, pass on, check and explain warrants: what an agent may touch, for how long, and nothing else.
    Warrant(crate::warrant::Warrant),
    /// Say which tools are known, and how a tool would be read.
    #[command(subcommand)]
    Tools(Tools),
    /// Print a completion script for your shell.
    #[command(
        after_help = "Example:\n  placet completions bash > ~/.local/share/bash-completion/completions/placet"
    )]
    Completions {
        /// Which shell.
        shell: clap_complete::Shell,
    },
}

#[derive(Debug, Args)]
#[command(after_help = "\
A line is an object with `tool` and `args`, and optionally `id`, `description`, `schema`, `annotations`, `cwd`, `host`, `agent`, `deployment`, `user`, `session`, `parent_session`, `at`, `reason` and `event`. A line that cannot be read gets the verdict `block` with the reason, and the run goes on.

Examples:
  echo '{\"tool\":\"terminal\",\"args\":{\"command\":\"git log\"}}' | placet decide
  placet decide calls.jsonl --config placet.toml
  placet decide --warrant nightly.warrant --roots ops.pub < calls.jsonl

With a warrant, what it does not permit is blocked. That the caller holds it is not proved here; a line on standard error says so. Counters begin at zero with each run.

Exit codes: 0 every line was read, 3 some line could not be read, 1 input, output or configuration failed.")]
pub struct Decide {
    /// The file to read; standard input if none or `-`.
    pub file: Option<PathBuf>,
    /// Thresholds, and settings for single tools and rules.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    #[command(flatten)]
    pub rules: RuleSources,
    /// The warrant under which the calls are made: a file or its line; else that of `PLACET_WARRANT`.
    #[arg(long, value_name = "WARRANT")]
    pub warrant: Option<String>,
    /// The keys whose word counts: public keys, files or names in the key directory.
    #[arg(long, value_name = "KEY")]
    pub roots: Vec<String>,
    /// Lists of what was revoked.
    #[arg(long, value_name = "FILE")]
    pub revocations: Vec<PathBuf>,
}

/// Which rules are in force.
#[derive(Clone, Debug, Args)]
pub struct RuleSources {
    /// Your own rules: a file, or a directory of `.yaml` files; may be given several times.
    #[arg(long = "rules", value_name = "PATH")]
    pub own: Vec<PathBuf>,
    /// Leave out the rules that come with Placet.
    #[arg(long)]
    pub no_builtin_rules: bool,
}

#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    after_help = "\
Examples:
  placet rules list
  placet rules show destructive.whole-machine
  placet rules new team.no-friday-deploys > rules/team.yaml
  placet rules check rules/
  placet rules try rules/team.yaml < calls.jsonl

Exit codes: 0 all is well, 1 a rule is wrong or an example fails, 2 the command line is wrong."
)]
pub struct Rules {
    #[command(subcommand)]
    pub command: RulesCommand,
}

#[derive(Debug, Subcommand)]
pub enum RulesCommand {
    /// Read rules and run their examples; say where one is wrong and what to do.
    Check {
        /// Files or directories; the built-in rules if none.
        paths: Vec<PathBuf>,
        /// Print the result as data.
        #[arg(long)]
        json: bool,
    },
    /// Run the examples of rules, and say for each rule how they went.
    Test {
        /// Files or directories; the built-in rules if none.
        paths: Vec<PathBuf>,
        /// Print the result as data.
        #[arg(long)]
        json: bool,
    },
    /// List the rules in force.
    List {
        #[command(flatten)]
        rules: RuleSources,
        /// Settings for single rules.
        #[arg(long, value_name = "FILE")]
        config: Option<PathBuf>,
        /// Print the list as data.
        #[arg(long)]
        json: bool,
    },
    /// Show one rule: what it looks for, why, and its examples.
    Show {
        /// Its id.
        id: String,
        #[command(flatten)]
        rules: RuleSources,
        /// Print it as data.
        #[arg(long)]
        json: bool,
    },
    /// Print a commented rule to start from.
    New {
        /// The id of the new rule, such as `team.no-friday-deploys`.
        name: String,
    },
    /// Show what a draft would match among calls, one JSON object a line.
    Try {
        /// The file with the draft.
        file: PathBuf,
        /// The calls; standard input if none or `-`.
        calls: Option<PathBuf>,
        /// Print the matches as data, one a line.
        #[arg(long)]
        json: bool,
    },
    /// Print the JSON schema of rules, for editors.
    Schema,
}

#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    after_help = "\
Examples:
  placet explain -- 'rm -rf build && make'
  placet explain --cwd /srv/app -- git push --force origin main
  placet explain --tool write_file --args '{\"path\":\".github/workflows/ci.yml\",\"content\":\"…\"}'
  placet explain --json -- 'terraform destroy' | jq .verdict"
)]
pub struct Explain {
    #[command(flatten)]
    pub call: crate::called::Called,
    /// Thresholds and settings for single tools.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    #[command(flatten)]
    pub rules: RuleSources,
    /// Print the same as data.
    #[arg(long)]
    pub json: bool,
    /// Exit with 0 for allow, 4 for hold and 5 for block.
    #[arg(long)]
    pub exit_code: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
A line is a JSON value. In all of its strings secrets are masked by what they are, as in «github-token …x9Q»; nothing else changes. A line that cannot be read is reported by its number, and «unreadable» stands in its place.

Examples:
  echo '\"export DB_PASSWORD=hunter2-and-more\"' | placet redact
  journalctl -u shop | placet redact --text
  placet redact --json results.jsonl

Exit codes: 0 every line was read, 3 some line could not be read, 1 input, output or patterns failed.")]
pub struct Redact {
    /// The file to read; standard input if none or `-`.
    pub file: Option<PathBuf>,
    /// Read plain text instead of JSON.
    #[arg(long)]
    pub text: bool,
    /// Mask what these patterns find too: TOML in the format of gitleaks.
    #[arg(long, value_name = "FILE")]
    pub patterns: Option<PathBuf>,
    /// Mask personal data too: e-mail addresses, telephone numbers, payment cards, accounts, identity numbers, public IP addresses.
    #[arg(long)]
    pub personal: bool,
    /// List what was found in place of the text: what kind and where, never the secret.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Subcommand)]
#[command(after_help = "\
Examples:
  placet tools list hermes
  placet tools show mcp__github__create_issue
  placet tools read tools.json --config placet.toml")]
pub enum Tools {
    /// List the tools of hosts and MCP servers that are known, by how they are read.
    List(ToolsList),
    /// Show how the calls of one tool are read.
    Show(ToolsShow),
    /// Read a file of tool definitions, and say how each would be read.
    Read(ToolsRead),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  placet tools list
  placet tools list claude-code
  placet tools list --json | jq -r '.[] | select(.reads_as == \"shell\") | .tool'")]
pub struct ToolsList {
    /// Only those of this host or server.
    #[arg(value_name = "SOURCE")]
    pub source: Option<String>,
    /// Print the same as data.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  placet tools show send_message
  placet tools show mcp__corp-files__write_file --config placet.toml")]
pub struct ToolsShow {
    /// The name the host calls it by.
    pub name: String,
    /// Thresholds and settings for single tools.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Print the same as data.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
A file holds the result of an MCP server's `tools/list`, an array of such definitions, or a single one. What a tool says of itself is \
believed only where it makes the judgement stricter.

Examples:
  placet tools read tools.json
  some-client tools/list | placet tools read -
  placet tools read tools.json --json | jq -r '.[] | select(.verdict == \"hold\") | .tool'")]
pub struct ToolsRead {
    /// The file to read; standard input if `-`.
    pub file: PathBuf,
    /// Thresholds and settings for single tools.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Print the same as data.
    #[arg(long)]
    pub json: bool,
}

/// Prints a completion script.
pub fn completions(shell: clap_complete::Shell) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "placet", &mut script);
    std::io::Write::write_all(&mut std::io::stdout(), &script)?;
    Ok(ExitCode::SUCCESS)
}
