//! `placet audit prove`: what a stranger can check without this program, or this log.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Context as _;
use clap::Args;
use data_encoding::{BASE64, HEXLOWER};
use placet_core::log::{Hash, SealedCheckpoint, leaf};
use placet_engine::{ProveError, Prover};
use serde_json::json;

use crate::{
    home::{self, Data, remedied},
    keyring, style,
};

#[derive(Debug, Args)]
#[command(after_help = "\
A proof that a record is in the log is in the form of C2SP `tlog-proof`, with the bytes of the record as its extra data. A proof that the log has only grown between two checkpoints is what C2SP `tlog-witness` asks for. `examples/check_proof.py` checks both, with nothing but the public key of the log (`audit.pub` in the data directory).

Examples:
  placet audit prove 1234 -o 1234.tlog-proof
  placet audit prove 1234 --against /elsewhere/placet.checkpoint
  placet audit prove --from march.checkpoint --to april.checkpoint -o march-to-april.proof
  placet audit prove --first -o first-for-a-witness.proof")]
pub struct Prove {
    /// The index of the record.
    #[arg(required_unless_present_any = ["from", "first"], conflicts_with_all = ["from", "first"])]
    pub index: Option<u64>,
    /// The checkpoint the proof leads to; else the last one.
    #[arg(long, value_name = "CHECKPOINT", conflicts_with_all = ["from", "first"])]
    pub against: Option<PathBuf>,
    /// Prove that the log has only grown since this checkpoint.
    #[arg(long, value_name = "OLD")]
    pub from: Option<PathBuf>,
    /// Make the first submission to a witness, which knows no checkpoint of this log yet.
    #[arg(long, conflicts_with = "from")]
    pub first: bool,
    /// Until this one; else the last one.
    #[arg(long, value_name = "NEW", conflicts_with = "index")]
    pub to: Option<PathBuf>,
    /// Where to write the proof; else standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Runs the command.
pub fn run(arguments: &Prove, data: &Data) -> anyhow::Result<ExitCode> {
    let (directory, store) = home::log_to_read(data)?;
    let (verifier, _) = home::verifying_keys(&directory)?;
    let prover = Prover { store: &store, verifier };
    let checkpoint = |file: Option<&Path>| {
        file.map(keyring::read_text).transpose().map(|text| text.map(SealedCheckpoint::from_text))
    };
    let proved = |error: ProveError| match error {
        ProveError::Store(error) => remedied(error),
        error => anyhow::Error::from(error),
    };
    let hashes = |path: &[Hash]| path.iter().map(|hash| BASE64.encode(hash)).collect::<Vec<_>>();
    let (text, said, as_data) = match (&arguments.from, arguments.index) {
        (None, _) if arguments.first => {
            let (proof, new) = prover.first(checkpoint(arguments.to.as_deref())?).map_err(proved)?;
            let said = format!("the log of {} records begins with an empty one", new.size);
            let data = json!({
                "old": 0, "new": new.size, "hashes": [], "checkpoint": proof.checkpoint.as_str(),
            });
            (proof.to_string(), said, data)
        }
        (Some(from), _) => {
            let old = SealedCheckpoint::from_text(keyring::read_text(from)?);
            let new = checkpoint(arguments.to.as_deref())?;
            let (proof, old, new) = prover.consistency(&old, new).map_err(proved)?;
            let said = format!("the log of {} records begins with the log of {}", new.size, old.size);
            let data = json!({
                "old": old.size, "new": new.size, "hashes": hashes(&proof.path),
                "checkpoint": proof.checkpoint.as_str(),
            });
            (proof.to_string(), said, data)
        }
        (None, index) => {
            let index = index.context("say which record")?;
            let (proof, checkpoint) =
                prover.inclusion(index, checkpoint(arguments.against.as_deref())?).map_err(proved)?;
            let said = format!("record {index} is in the log of {} records", checkpoint.size);
            let data = json!({
                "index": index, "size": checkpoint.size, "record": BASE64.encode(&proof.record),
                "leaf": HEXLOWER.encode(&leaf(&proof.record)), "hashes": hashes(&proof.path),
                "checkpoint": proof.checkpoint.as_str(),
            });
            (proof.to_string(), said, data)
        }
    };
    let text = if data.json { format!("{as_data}\n") } else { text };
    match &arguments.output {
        Some(file) => {
            std::fs::write(file, text).with_context(|| format!("cannot write `{}`", file.display()))?;
            let good = style::GOOD;
            writeln!(anstream::stderr(), "{good}proved{good:#}: {said}")?;
        }
        None => write!(anstream::stdout(), "{text}")?,
    }
    Ok(ExitCode::SUCCESS)
}
