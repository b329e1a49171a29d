//! The log for other programs, a line for each record.

mod csv;

mod ocsf;

use std::io::Write;

use data_encoding::HEXLOWER;
use placet_core::{Json, printable, record::expand};
use placet_store::StoredRecord;
use serde_json::json;

/// A form of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// A JSON object a line.
    Jsonl,
    /// Rows for a spreadsheet.
    Csv,
    /// The same behind a byte order mark, without which some spreadsheets take UTF-8 for something else.
    CsvBom,
    /// Events of the Open Cybersecurity Schema Framework, a JSON object a line.
    Ocsf,
}

impl ExportFormat {
    /// What stands before the first record.
    pub fn heading(self, out: &mut impl Write) -> std::io::Result<()> {
        match self {
            ExportFormat::Csv => csv::heading(out),
            ExportFormat::CsvBom => {
                out.write_all("\u{feff}".as_bytes())?;
                csv::heading(out)
            }
            ExportFormat::Jsonl | ExportFormat::Ocsf => Ok(()),
        }
    }

    /// A record.
    pub fn write(self, out: &mut impl Write, record: &StoredRecord) -> std::io::Result<()> {
        // What cannot be read is still there: a gap would look like a log without it.
        let read = expand(&record.body).unwrap_or(Json::Null);
        let what = read.get("what").and_then(Json::as_object).and_then(|what| what.iter().next());
        match self {
            ExportFormat::Jsonl => {
                let line = json!({
                    "index": record.index,
                    "at": record.at.to_string(),
                    "leaf": HEXLOWER.encode(&record.leaf),
                    "what": read.get("what").unwrap_or(&Json::Null),
                });
                writeln!(out, "{}", printable::json(&line.to_string()))
            }
            ExportFormat::Csv | ExportFormat::CsvBom => csv::row(out, record, what),
            ExportFormat::Ocsf => {
                writeln!(out, "{}", printable::json(&ocsf::event(record, what).to_string()))
            }
        }
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
