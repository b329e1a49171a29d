//! `placet tail`: what was decided last, a line each.

use std::{io::Write as _, process::ExitCode, time::Duration};

use clap::Args;
use placet_core::{
    Json, Verdict, printable,
    record::{Sentence, arguments},
};
use serde_json::{Value, json};

use crate::{ground::list, home::Data, operate, style};

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
    let ground = arguments.data.ground()?;
    let mut out = anstream::stdout();
    if !arguments.data.json {
        operate::banner(&ground, &mut out)?;
    }
    let size = ground.get("/v1/records?limit=0")?["size"].as_u64().unwrap_or(0);
    let mut next = size.saturating_sub(arguments.lines as u64);
    loop {
        let told = ground.get(&format!("/v1/records?from={next}&limit={AT_ONCE}"))?;
        let records = list(&told, "records");
        for record in records {
            next = record["index"].as_u64().unwrap_or(next) + 1;
            writeln!(out, "{}", line(record, arguments.data.json))?;
        }
        if records.len() == AT_ONCE {
            continue;
        }
        out.flush()?;
        if !arguments.follow {
            return Ok(ExitCode::SUCCESS);
        }
        std::thread::sleep(LOOK_EVERY);
    }
}

/// A record as one line.
pub fn line(told: &Value, as_json: bool) -> String {
    if as_json {
        return style::json(&json!({
            "index": told["index"], "at": told["at"], "what": told["what"],
        }));
    }
    let read = Json::read(json!({ "what": told["what"] }).to_string().as_str()).unwrap_or(Json::Null);
    let (dim, at) = (style::DIM, told["at"].as_str().unwrap_or(""));
    let time = at.get(11..19).unwrap_or("");
    format!("{dim}{:>6} {time}{dim:#} {}", told["index"].as_u64().unwrap_or(0), words(&read))
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
    let would = match (text(what, "verdict"), text(what, "mode")) {
        (verdict, _) if verdict == text(what, "carried_out") => String::new(),
        (verdict, "observe") => format!(" (observed: {verdict})"),
        // An approval was redeemed, or what was decided on no longer held.
        (verdict, _) => format!(" (decided: {verdict})"),
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
