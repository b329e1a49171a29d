//! `placet audit export`: the log for other programs, a line each, in as much memory for a million as for one.

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::PathBuf,
    process::ExitCode,
};

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use placet_engine::{ExportFormat, Progress, each_record, records_since};

use crate::{
    home::{self, Data, remedied},
    meter::Meter,
    since::Since,
};

#[derive(Debug, Args)]
#[command(after_help = "\
`jsonl` has everything, with the hash of each record. `csv` has a row for each record; a cell that a spreadsheet would take for a formula begins with an apostrophe. `csv-bom` is the same behind a byte order mark, for spreadsheets that take UTF-8 for something else without one. `ocsf` has events of the Open Cybersecurity Schema Framework 1.9.0: calls, their outcomes, answers and settings as API Activity (6003), threats as Detection Finding (2004).

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
    /// The same behind a byte order mark.
    CsvBom,
    /// Events of the Open Cybersecurity Schema Framework, a JSON object a line.
    Ocsf,
}

impl From<Format> for ExportFormat {
    fn from(format: Format) -> Self {
        match format {
            Format::Jsonl => ExportFormat::Jsonl,
            Format::Csv => ExportFormat::Csv,
            Format::CsvBom => ExportFormat::CsvBom,
            Format::Ocsf => ExportFormat::Ocsf,
        }
    }
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
    let format = ExportFormat::from(arguments.format);
    format.heading(&mut out)?;
    let (first, total) = (range.start, range.end - range.start);
    let mut meter = Meter::new();
    let result = each_record(&store, range, |record| {
        meter.show(Progress { records: record.index - first, total });
        if arguments.since.0.is_some_and(|since| record.at < since) {
            return Ok::<_, anyhow::Error>(());
        }
        format.write(&mut out, &record)?;
        Ok(())
    });
    meter.clear();
    result?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
