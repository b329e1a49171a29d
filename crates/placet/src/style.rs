//! How text looks in a terminal: few styles, and none where nobody can see them.

use std::io::Write;

use anstyle::{AnsiColor, Style};
use placet_core::{Verdict, printable, rule::RulePolicy};

/// Headings.
pub const HEADING: Style = Style::new().bold();
/// What matters less.
pub const DIM: Style = Style::new().dimmed();

/// What went well.
pub const GOOD: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Green)));
/// What went wrong.
pub const BAD: Style = Style::new().bold().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Red)));

/// The style of what a rule does.
pub fn policy(policy: RulePolicy) -> Style {
    match policy {
        RulePolicy::LogOnly => DIM,
        RulePolicy::Hold | RulePolicy::AutoBlock => verdict(policy.verdict()),
    }
}

/// The style of a verdict.
pub fn verdict(verdict: Verdict) -> Style {
    let color = match verdict {
        Verdict::Allow => AnsiColor::Green,
        Verdict::Hold => AnsiColor::Yellow,
        Verdict::Block => AnsiColor::Red,
    };
    Style::new().bold().fg_color(Some(color.into()))
}

/// `message` about a place in a file, with the line and, if a column is known, a mark beneath it.
pub fn at_place(file: &str, text: &str, line: usize, column: Option<usize>, message: &str) -> String {
    let shown = printable::shown(text.lines().nth(line.saturating_sub(1)).unwrap_or(""), LINE_SHOWN);
    let margin = " ".repeat(line.to_string().len().max(2));
    let pointer = match column {
        Some(column) if column <= LINE_SHOWN => format!(" {}^", " ".repeat(column.saturating_sub(1))),
        Some(_) | None => String::new(),
    };
    format!("{file}:{line}: {message}\n{margin} |\n{line:>2} | {shown}\n{margin} |{pointer}")
}

/// How much of a line is shown.
const LINE_SHOWN: usize = 160;

/// The word for a verdict.
pub fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Allow => "ALLOW",
        Verdict::Hold => "HOLD",
        Verdict::Block => "BLOCK",
    }
}

/// Data for one line: nothing in it can move the cursor of whoever prints it.
pub fn json(value: &impl serde::Serialize) -> String {
    // Our own types have text for keys, so this cannot fail.
    printable::json(&serde_json::to_string(value).unwrap_or_default()).into_owned()
}

/// Prints an error with its causes, once, at the outermost edge.
pub fn print_error(error: &anyhow::Error) {
    let red = Style::new().bold().fg_color(Some(AnsiColor::Red.into()));
    // Nothing is left to do if even this cannot be written.
    let _ = writeln!(anstream::stderr(), "{red}error{red:#}: {error:#}");
}
