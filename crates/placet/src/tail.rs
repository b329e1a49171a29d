//! `placet tail`: what was decided last, a line each.

use std::{io::Write as _, process::ExitCode, time::Duration};

use clap::Args;
use placet_core::{
    Json, Verdict, printable,
    record::{Sentence, arguments, expand},
};
use placet_store::{Store as _, StoredRecord};
use serde_json::json;

use crate::{
    home::{Data, remedied},
    operate, style,
};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  placet tail
  placet tail -n 100 --follow
  placet tail --json | jq 'select(.what.decision.verdict == \"block\")'")]
pub struct Tail {
    /// How many records to begin with.
    #[arg(short = 'n', long, value_name = "COUNT", default_value_t = 20)]
    pub lines: usize,
    /// Go on as more is recorded.
    #[arg(short, long)]
    pub follow: bool,
    #[command(flatten)]
    pub data: Data,
}

/// How often we look for more.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// Records that are read at once.
const AT_ONCE: usize = 1_000;

/// Runs the command.
pub fn run(arguments: &Tail) -> anyhow::Result<ExitCode> {
    let home = arguments.data.open()?;
    let mut out = anstream::stdout();
    if !arguments.data.json {
        operate::banner(&home, &mut out)?;
    }
    let size = home.engine.look(|ledger| ledger.log_size()).map_err(remedied)?;
    let mut next = size.saturating_sub(arguments.lines as u64);
    let mut version = None;
    loop {
        let now = Some(home.store.others_version().map_err(remedied)?);
        if now != version {
            version = now;
            loop {
                let records =
                    home.engine.look(|ledger| ledger.records_from(next, AT_ONCE)).map_err(remedied)?;
                for record in &records {
                    next = record.index + 1;
                    writeln!(out, "{}", line(record, arguments.data.json))?;
                }
                if records.len() < AT_ONCE {
                    break;
                }
            }
            out.flush()?;
        }
        if !arguments.follow {
            return Ok(ExitCode::SUCCESS);
        }
        std::thread::sleep(LOOK_EVERY);
    }
}

/// A record as one line.
pub fn line(record: &StoredRecord, as_json: bool) -> String {
    let read = expand(&record.body).unwrap_or(Json::Null);
    if as_json {
        return style::json(&json!({
            "index": record.index,
            "at": record.at.to_string(),
            "what": read.get("what").and_then(|what| serde_json::to_value(what).ok()),
        }));
    }
    let (dim, at) = (style::DIM, record.at.to_string());
    let time = at.get(11..19).unwrap_or("");
    format!("{dim}{:>6} {time}{dim:#} {}", record.index, words(&read))
}

fn text<'a>(json: &'a Json, key: &str) -> &'a str {
    json.get(key).and_then(Json::as_str).unwrap_or("")
}

/// What a record says, in a line.
fn words(read: &Json) -> String {
    if let Some(decided) = read.get("what").and_then(|what| what.get("decision")) {
        return decision(decided);
    }
    let Sentence { about, words } = Sentence::of(read);
    format!("{about:<6} {words}")
}

fn decision(what: &Json) -> String {
    let verdict = match text(what, "carried_out") {
        "allow" => Verdict::Allow,
        "hold" => Verdict::Hold,
        _ => Verdict::Block,
    };
    let colour = style::verdict(verdict);
    let call = what.get("call").unwrap_or(&Json::Null);
    let would = match text(what, "verdict") == text(what, "carried_out") {
        true => String::new(),
        false => format!(" (observed: {})", text(what, "verdict")),
    };
    let ticket =
        what.get("ticket").and_then(Json::as_str).map(|ticket| format!(" {ticket}")).unwrap_or_default();
    format!(
        "{colour}{:<6}{colour:#} {:<14} {:<10} {:<14} {}{would}{ticket}",
        style::word(verdict).to_lowercase(),
        printable::shown(text(call, "agent"), 14),
        printable::shown(text(call, "session"), 10),
        printable::shown(text(call, "tool"), 14),
        arguments(call.get("args")),
    )
}
