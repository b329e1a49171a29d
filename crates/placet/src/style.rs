//! How text looks in a terminal: few styles, and none where nobody can see them.

use std::io::Write;

use anstyle::{AnsiColor, Style};
use placet_core::Verdict;

/// Headings.
pub const HEADING: Style = Style::new().bold();
/// What matters less.
pub const DIM: Style = Style::new().dimmed();

/// The style of a verdict.
pub fn verdict(verdict: Verdict) -> Style {
    let color = match verdict {
        Verdict::Allow => AnsiColor::Green,
        Verdict::Hold => AnsiColor::Yellow,
        Verdict::Block => AnsiColor::Red,
    };
    Style::new().bold().fg_color(Some(color.into()))
}

/// Prints an error with its causes, once, at the outermost edge.
pub fn print_error(error: &anyhow::Error) {
    let red = Style::new().bold().fg_color(Some(AnsiColor::Red.into()));
    // Nothing is left to do if even this cannot be written.
    let _ = writeln!(anstream::stderr(), "{red}error{red:#}: {error:#}");
}
