//! Rows for a spreadsheet, quoted as RFC 4180 says. What an agent has written must not become a formula there.

use std::io::Write;

use placet_core::{Json, printable};
use placet_store::StoredRecord;

use super::{rules_and_reasons, text};

const COLUMNS: [&str; 20] = [
    "index",
    "at",
    "kind",
    "agent",
    "host",
    "session",
    "user",
    "tool",
    "arguments",
    "verdict",
    "carried_out",
    "mode",
    "class",
    "risk",
    "rules",
    "reasons",
    "ticket",
    "cites",
    "by",
    "said",
];

pub fn heading(out: &mut impl Write) -> std::io::Result<()> {
    write!(out, "{}\r\n", COLUMNS.join(","))
}

pub fn row(out: &mut impl Write, record: &StoredRecord, what: Option<(&str, &Json)>) -> std::io::Result<()> {
    let (kind, what) = what.unwrap_or(("unreadable", &Json::Null));
    let call = what.get("call").unwrap_or(what);
    let assessment = what.get("assessment").unwrap_or(&Json::Null);
    let (rules, reasons) = rules_and_reasons(what);
    let json = |value: Option<&Json>| value.map(|value| serde_json::to_string(value).unwrap_or_default());
    let said = ["step", "vote", "to", "reason", "note", "outcome", "key", "after", "state", "ungoverned"]
        .into_iter()
        .map(|key| text(what, key));
    let cells: [&str; 20] = [
        &record.index.to_string(),
        &record.at.to_string(),
        kind,
        text(call, "agent"),
        text(call, "host"),
        text(call, "session"),
        text(call, "user"),
        text(call, "tool"),
        &json(call.get("args")).unwrap_or_default(),
        text(what, "verdict"),
        text(what, "carried_out"),
        text(what, "mode"),
        text(assessment, "side_effect_class"),
        &json(assessment.get("risk_score")).unwrap_or_default(),
        &if rules.is_empty() { text(what, "rule").to_owned() } else { rules.join(" ") },
        &reasons.join("; "),
        text(what, "ticket"),
        &json(what.get("cites")).unwrap_or_default(),
        text(what, "by"),
        &said.filter(|said| !said.is_empty()).collect::<Vec<_>>().join(" "),
    ];
    let row: Vec<String> = cells.into_iter().map(cell).collect();
    write!(out, "{}\r\n", row.join(","))
}

/// A cell that is text, whatever it begins with.
fn cell(text: &str) -> String {
    // Some programs pass over blanks before they look for a formula, and take full-width signs for the usual ones.
    let first = text.trim_start_matches([' ', '\u{a0}', '\u{feff}', '\u{3000}']).chars().next();
    let formula =
        matches!(first, Some('=' | '+' | '-' | '@' | '\t' | '\r' | '\n' | '＝' | '＋' | '－' | '＠'));
    let plain: String = text
        .chars()
        .map(|letter| if letter == '\n' { letter } else { printable::printable(letter) })
        .collect();
    let text = if formula { format!("'{plain}") } else { plain };
    match text.contains([',', '"', '\r', '\n', ';', '\t']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::cell;

    #[test]
    fn no_cell_is_a_formula() {
        for (text, written) in [
            ("ls -la", "ls -la"),
            ("=HYPERLINK(1)", "'=HYPERLINK(1)"),
            ("+1", "'+1"),
            ("-rf", "'-rf"),
            ("@SUM(1)", "'@SUM(1)"),
            ("\t=1", "'\u{fffd}=1"),
            ("\r=1", "'\u{fffd}=1"),
            ("  =1", "'  =1"),
            ("＝1", "'＝1"),
            ("a,b", "\"a,b\""),
            ("say \"hi\"", "\"say \"\"hi\"\"\""),
            ("=\"x\"", "\"'=\"\"x\"\"\""),
            ("a\nb", "\"a\nb\""),
            ("a\u{9b}b", "a\u{fffd}b"),
        ] {
            assert_eq!(cell(text), written, "{text:?}");
        }
    }
}
