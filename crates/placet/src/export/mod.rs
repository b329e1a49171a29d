//! `placet audit export`: the log for other programs, a line each, in as much memory for a million as for one.

mod csv;

mod ocsf;

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::PathBuf,
    process::ExitCode,
};

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use data_encoding::HEXLOWER;
use placet_core::{Json, printable, record::expand};
use placet_engine::{Progress, each_record, records_since};
use placet_store::StoredRecord;
use serde_json::json;

use crate::{
    home::{self, Data, remedied},
    meter::Meter,
    since::Since,
};

#[derive(Debug, Args)]
#[command(after_help = "\
`jsonl` has everything, with the hash of each record. `csv` has a row for each record; a cell that a spreadsheet would take for a formula begins with an apostrophe. `ocsf` has events of the Open Cybersecurity Schema Framework 1.9.0: calls, their outcomes, answers and settings as API Activity (6003), threats as Detection Finding (2004).

Examples:
  placet audit export --since 24h -o today.jsonl
  placet audit export --format csv > log.csv
  placet audit export --format ocsf --since 2026-03-01T00:00:00Z | gzip > march.json.gz")]
pub struct Export {
    /// In which form.
    #[arg(long, value_enum, default_value_t = Format::Jsonl)]
    pub format: Format,
    /// From when: how long ago, or a time.
    #[arg(long, value_name = "TIME", default_value = "start")]
    pub since: Since,
    /// Where to write it; else standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// A form of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A JSON object a line.
    Jsonl,
    /// Rows for a spreadsheet.
    Csv,
    /// Events of the Open Cybersecurity Schema Framework, a JSON object a line.
    Ocsf,
}

/// Runs the command.
pub fn run(arguments: &Export, data: &Data) -> anyhow::Result<ExitCode> {
    let (_, store) = home::log_to_read(data)?;
    let range = records_since(&store, arguments.since.0).map_err(remedied)?;
    let out: Box<dyn Write> = match &arguments.output {
        Some(file) => {
            Box::new(File::create(file).with_context(|| format!("cannot write `{}`", file.display()))?)
        }
        None => Box::new(std::io::stdout().lock()),
    };
    let mut out = BufWriter::with_capacity(1 << 16, out);
    if arguments.format == Format::Csv {
        csv::heading(&mut out)?;
    }
    let (first, total) = (range.start, range.end - range.start);
    let mut meter = Meter::new();
    let result = each_record(&store, range, |record| {
        meter.show(Progress { records: record.index - first, total });
        if arguments.since.0.is_some_and(|since| record.at < since) {
            return Ok::<_, anyhow::Error>(());
        }
        write(&mut out, arguments.format, &record)?;
        Ok(())
    });
    meter.clear();
    result?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn write(out: &mut impl Write, format: Format, record: &StoredRecord) -> std::io::Result<()> {
    // What cannot be read is still there: a gap would look like a log without it.
    let read = expand(&record.body).unwrap_or(Json::Null);
    let what = read.get("what").and_then(Json::as_object).and_then(|what| what.iter().next());
    match format {
        Format::Jsonl => {
            let line = json!({
                "index": record.index,
                "at": record.at.to_string(),
                "leaf": HEXLOWER.encode(&record.leaf),
                "what": read.get("what").unwrap_or(&Json::Null),
            });
            writeln!(out, "{}", printable::json(&line.to_string()))
        }
        Format::Csv => csv::row(out, record, what),
        Format::Ocsf => writeln!(out, "{}", printable::json(&ocsf::event(record, what).to_string())),
    }
}

/// The text under `key`.
fn text<'a>(json: &'a Json, key: &str) -> &'a str {
    json.get(key).and_then(Json::as_str).unwrap_or("")
}

/// What the findings of a decision say that its verdict rests on: the rules that spoke, and why.
fn rules_and_reasons(what: &Json) -> (Vec<&str>, Vec<&str>) {
    let findings = what.get("findings").and_then(Json::as_array).unwrap_or_default();
    let rules = findings.iter().filter_map(|finding| finding.get("source")?.get("rule")?.as_str()).collect();
    let strictest = text(what, "verdict");
    let speaking = findings.iter().filter(|finding| text(finding, "verdict") == strictest);
    (rules, speaking.map(|finding| text(finding, "reason")).collect())
}
