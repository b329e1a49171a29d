//! `placet audit`: is the log what was written, and what does a record say.

use std::{io::Write as _, path::PathBuf, process::ExitCode, time::Instant};

use anyhow::{Context as _, bail};
use clap::{Args, Subcommand};
use placet_core::{Json, log::SealedCheckpoint, record::expand};
use placet_engine::{Verifier, VerifyError};
use serde_json::json;

use crate::{
    export,
    home::{self, Data, remedied},
    keyring,
    meter::Meter,
    prove, style,
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
  placet audit show 1234
  placet audit prove 1234 -o 1234.tlog-proof
  placet audit export --format csv --since 7d -o week.csv

Exit codes: 0 the log holds, 6 it does not, 1 it could not be read."
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
    /// Print the last signed checkpoint.
    Checkpoint,
    /// Show a record.
    Show {
        /// Its index, as decisions and `placet tail` give it.
        index: u64,
    },
    /// Prove to a stranger that a record is in the log, or that the log has only grown.
    Prove(prove::Prove),
    /// Write the log for other programs.
    Export(export::Export),
}

/// The log does not hold.
const BROKEN: u8 = 6;

/// Runs the command.
pub fn run(arguments: &Audit) -> anyhow::Result<ExitCode> {
    match &arguments.command {
        Command::Verify { against } => verify(arguments, against.as_deref()),
        Command::Checkpoint => {
            let home = arguments.data.open()?;
            placet_store::wait_for(home.engine.checkpoint()).map_err(remedied)?;
            let last = home.engine.look(|ledger| ledger.checkpoint_last()).map_err(remedied)?;
            let Some((size, text)) = last else { bail!("the log is empty; there is nothing to sign yet") };
            let mut out = anstream::stdout();
            match arguments.data.json {
                true => writeln!(out, "{}", json!({ "size": size, "checkpoint": text }))?,
                false => write!(out, "{text}")?,
            }
            Ok(ExitCode::SUCCESS)
        }
        Command::Show { index } => show(arguments, *index),
        Command::Prove(what) => prove::run(what, &arguments.data),
        Command::Export(what) => export::run(what, &arguments.data),
    }
}

fn show(arguments: &Audit, index: u64) -> anyhow::Result<ExitCode> {
    let home = arguments.data.open()?;
    let (record, size) =
        home.engine.look(|ledger| Ok((ledger.record_get(index)?, ledger.log_size()?))).map_err(remedied)?;
    let Some(record) = record else {
        match size {
            0 => bail!("there is no record {index}: the log is empty"),
            size => bail!("there is no record {index}; the last is {}", size - 1),
        }
    };
    let read = expand(&record.body).with_context(|| format!("record {index}"))?;
    let shown = json!({
        "index": record.index,
        "bytes": record.body.len(),
        "at": record.at.to_string(),
        "what": read.get("what").unwrap_or(&Json::Null),
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
                writeln!(out, "  checked without the secret key of the log")?;
            }
            Ok(ExitCode::SUCCESS)
        }
        Err(VerifyError::Store(error)) => Err(remedied(error)),
        Err(error) => {
            if arguments.data.json {
                let index = match &error {
                    VerifyError::Record { index, .. } => Some(*index),
                    VerifyError::Short { .. }
                    | VerifyError::Head
                    | VerifyError::Checkpoint { .. }
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
                writeln!(out, "{bad}the log does not hold{bad:#}: {error}")?;
                writeln!(out, "  keep the data directory as it is, and compare with a back-up")?;
            }
            Ok(ExitCode::from(BROKEN))
        }
    }
}
