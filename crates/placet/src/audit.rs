//! `placet audit`: is the log what was written, and what does a record say.

use std::{io::Write as _, path::PathBuf, process::ExitCode, time::Instant};

use anyhow::{Context as _, bail};
use clap::{Args, Subcommand};
use data_encoding::BASE64;
use placet_core::{log::SealedCheckpoint, record::expand};
use placet_engine::{Verifier, VerifyError};
use placet_store::wait_for;
use serde_json::json;

use crate::{
    export,
    ground::{list, part, text},
    home::{self, Data, remedied},
    keyring,
    meter::Meter,
    prove, style, tail,
};

#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    after_help = "\
The log is a Merkle tree, hashed as RFC 6962 says. Checkpoints of it are signed by a key that was made on the first run (`audit.key` in the data directory; `audit.pub` is its public half). Keep a checkpoint elsewhere: only that tells whether somebody has put an older copy in place of the whole.

Examples:
  placet audit verify
  placet audit checkpoint > /elsewhere/placet.checkpoint
  placet audit verify --against /elsewhere/placet.checkpoint
  placet audit reseal
  placet audit show 1234
  placet audit search --kind decision --verdict block --since 24h
  placet audit search --text origin --json | jq .index
  placet audit prove 1234 -o 1234.tlog-proof
  placet audit export --format csv --since 7d -o week.csv

Exit codes: 0 the log holds, 6 it or a row beside it does not, 1 it could not be read."
)]
pub struct Audit {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub data: Data,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check the whole log, and name the first record that is not what was written.
    Verify {
        /// A checkpoint that was kept elsewhere.
        #[arg(long, value_name = "FILE")]
        against: Option<PathBuf>,
    },
    /// Seal the data anew after another writer has changed it: what rests on the change is taken back, and everything is stopped
    /// until an operator resumes it.
    Reseal,
    /// Print the last signed checkpoint.
    Checkpoint,
    /// Show a record.
    Show {
        /// Its index, as decisions and `placet tail` give it.
        index: u64,
    },
    /// Find records by what they say, the newest first.
    Search(Box<Search>),
    /// Prove to a stranger that a record is in the log, or that the log has only grown.
    Prove(prove::Prove),
    /// Write the log for other programs.
    Export(export::Export),
}

/// What is looked for. What is not said may be anything.
#[derive(Debug, Args)]
pub struct Search {
    /// Records of this kind, such as `decision`, `hold_step`, `setting`, `sign_in` or `threat`.
    #[arg(long)]
    pub kind: Option<String>,
    /// What was decided or done: `allow`, `hold`, `block` or `observed`.
    #[arg(long)]
    pub verdict: Option<String>,
    /// Of this agent.
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// Of this session.
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// With this tool.
    #[arg(long, value_name = "NAME")]
    pub tool: Option<String>,
    /// Where this rule spoke, or one whose name begins so.
    #[arg(long, value_name = "ID")]
    pub rule: Option<String>,
    /// About the hold with this ticket.
    #[arg(long)]
    pub ticket: Option<String>,
    /// With this text somewhere in it, large or small letters alike.
    #[arg(long)]
    pub text: Option<String>,
    /// No older: `24h`, `2026-03-01` or `2026-03-01T14:30` (UTC).
    #[arg(long, value_name = "WHEN")]
    pub since: Option<String>,
    /// No younger, in the same words.
    #[arg(long, value_name = "WHEN")]
    pub until: Option<String>,
    /// How many.
    #[arg(short = 'n', long, value_name = "COUNT", default_value_t = 50)]
    pub limit: usize,
}

impl Search {
    /// As a query.
    fn query(&self) -> String {
        let words = [
            ("kind", &self.kind),
            ("verdict", &self.verdict),
            ("agent", &self.agent),
            ("session", &self.session),
            ("tool", &self.tool),
            ("rule", &self.rule),
            ("ticket", &self.ticket),
            ("text", &self.text),
            ("since", &self.since),
            ("until", &self.until),
        ];
        let said = words.into_iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
        said.map(|(name, value)| format!("&{name}={}", part(value))).collect()
    }
}

/// The log does not hold.
const BROKEN: u8 = 6;
/// Records that are asked for at once.
const AT_ONCE: usize = 1_000;

/// Runs the command.
pub fn run(arguments: &Audit) -> anyhow::Result<ExitCode> {
    match &arguments.command {
        Command::Verify { against } => verify(arguments, against.as_deref()),
        Command::Reseal => reseal(arguments),
        Command::Checkpoint => {
            let signed = arguments.data.ground()?.consult("/v1/checkpoints", &json!({}))?;
            let (size, text) = (&signed["size"], text(&signed, "text"));
            let mut out = anstream::stdout();
            match arguments.data.json {
                true => writeln!(out, "{}", json!({ "size": size, "checkpoint": text }))?,
                false => write!(out, "{text}")?,
            }
            Ok(ExitCode::SUCCESS)
        }
        Command::Show { index } => show(arguments, *index),
        Command::Search(what) => search(arguments, what),
        Command::Prove(what) => prove::run(what, &arguments.data),
        Command::Export(what) => export::run(what, &arguments.data),
    }
}

fn reseal(arguments: &Audit) -> anyhow::Result<ExitCode> {
    let home = arguments.data.open()?;
    let parts = wait_for(home.engine.reseal(&home.credential()?))?;
    let names: Vec<&str> = parts.iter().map(|part| part.as_str()).collect();
    let mut out = anstream::stdout();
    if arguments.data.json {
        writeln!(out, "{}", json!({ "resealed": names }))?;
    } else if names.is_empty() {
        writeln!(out, "nothing was changed by another writer, so nothing is sealed anew")?;
    } else {
        writeln!(out, "sealed anew; another writer than Placet had changed: {}", names.join(", "))?;
        writeln!(out, "  what rested on that is taken back, and everything is stopped")?;
        writeln!(out, "  look through `placet audit search --kind setting`, then `placet resume`")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn show(arguments: &Audit, index: u64) -> anyhow::Result<ExitCode> {
    let ground = arguments.data.ground()?;
    let told = match ground.look(&format!("/v1/records/{index}"))? {
        Ok(told) => told,
        Err(refusal) if refusal.is_of_nothing() => {
            match ground.get("/v1/records?limit=0")?["size"].as_u64().unwrap_or(0) {
                0 => bail!("there is no record {index}: the log is empty"),
                size => bail!("there is no record {index}; the last is {}", size - 1),
            }
        }
        Err(refusal) => return Err(refusal.into()),
    };
    let body = BASE64.decode(text(&told, "body").as_bytes()).unwrap_or_default();
    expand(&body).with_context(|| format!("record {index}"))?;
    let shown = json!({
        "index": told["index"], "bytes": body.len(), "at": told["at"], "what": told["what"],
    });
    let mut out = anstream::stdout();
    match arguments.data.json {
        true => writeln!(out, "{}", style::json(&shown))?,
        // JSON escapes control characters by itself; the rest is made printable.
        false => {
            let text = serde_json::to_string_pretty(&shown)?;
            for line in text.lines() {
                writeln!(out, "{}", placet_core::printable::shown(line, 10_000))?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn search(arguments: &Audit, what: &Search) -> anyhow::Result<ExitCode> {
    let ground = arguments.data.ground()?;
    let mut out = anstream::stdout();
    let (query, mut left) = (what.query(), what.limit);
    let mut before = ground.get("/v1/records?limit=0")?["size"].as_u64();
    // Each question looks at a bounded part of the log; together they look at all of it.
    while let Some(at) = before.filter(|_| left > 0) {
        let found = ground.get(&format!("/v1/records?before={at}&limit={}{query}", left.min(AT_ONCE)))?;
        for record in list(&found, "records") {
            left -= 1;
            writeln!(out, "{}", tail::line(record, arguments.data.json))?;
        }
        before = found["next"].as_u64();
    }
    if left == what.limit && !arguments.data.json {
        writeln!(out, "nothing of that kind is in the log")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn verify(arguments: &Audit, against: Option<&std::path::Path>) -> anyhow::Result<ExitCode> {
    let (directory, store) = home::log_to_read(&arguments.data)?;
    let (verifier, keys) = home::verifying_keys(&directory)?;
    let against = against.map(keyring::read_text).transpose()?.map(SealedCheckpoint::from_text);
    let checked = Verifier { store: &store, verifier, keys: keys.as_ref(), against };
    let started = Instant::now();
    let mut meter = Meter::new();
    let result = checked.verify(|progress| meter.show(progress));
    meter.clear();
    let took = started.elapsed();
    let mut out = anstream::stdout();
    match result {
        Ok(verified) => {
            if arguments.data.json {
                writeln!(
                    out,
                    "{}",
                    json!({ "holds": true, "verified": verified, "sealed": keys.is_some() })
                )?;
                return Ok(ExitCode::SUCCESS);
            }
            let good = style::GOOD;
            writeln!(
                out,
                "{good}the log holds{good:#}: {} records, {} bytes, in {:.1?}",
                verified.records, verified.bytes, took
            )?;
            match verified.checkpoints {
                0 => writeln!(out, "  no checkpoint is signed yet")?,
                1 => writeln!(out, "  one signed checkpoint fits, over {} records", verified.signed)?,
                many => writeln!(
                    out,
                    "  {many} signed checkpoints fit, the last over {} records",
                    verified.signed
                )?,
            }
            match verified.against {
                Some(size) => {
                    writeln!(out, "  the checkpoint that was kept elsewhere fits, over {size} records")?
                }
                None => writeln!(
                    out,
                    "  that nothing was cut off at the end shows only a checkpoint kept elsewhere: `--against FILE`"
                )?,
            }
            if keys.is_none() {
                writeln!(
                    out,
                    "  checked without the secret key of the log: rows beside it were not checked"
                )?;
            }
            Ok(ExitCode::SUCCESS)
        }
        Err(VerifyError::Store(error)) => Err(remedied(error)),
        Err(error @ VerifyError::Against(_)) => Err(error.into()),
        Err(error) => {
            if arguments.data.json {
                let index = match &error {
                    VerifyError::Record { index, .. } => Some(*index),
                    VerifyError::Short { .. }
                    | VerifyError::Tampered { .. }
                    | VerifyError::Head
                    | VerifyError::Checkpoint { .. }
                    | VerifyError::Against(_)
                    | VerifyError::Stopped
                    | VerifyError::Store(_) => None,
                };
                writeln!(
                    out,
                    "{}",
                    json!({ "holds": false, "record": index, "problem": error.to_string() })
                )?;
            } else {
                let bad = style::BAD;
                match &error {
                    VerifyError::Tampered { .. } => {
                        writeln!(out, "{bad}the data does not hold{bad:#}: {error}")?;
                        writeln!(
                            out,
                            "  the log itself holds; restore a back-up, or take back what was changed with `placet audit reseal`"
                        )?;
                    }
                    VerifyError::Record { .. }
                    | VerifyError::Short { .. }
                    | VerifyError::Head
                    | VerifyError::Checkpoint { .. }
                    | VerifyError::Against(_)
                    | VerifyError::Stopped
                    | VerifyError::Store(_) => {
                        writeln!(out, "{bad}the log does not hold{bad:#}: {error}")?;
                        writeln!(out, "  keep the data directory as it is, and compare with a back-up")?;
                    }
                }
            }
            Ok(ExitCode::from(BROKEN))
        }
    }
}
