//! The YAML of a rule as people see it, and the place in it where something is wrong.

use maud::{Markup, html};
use placet_core::located::Mark;

use crate::pages::part::text::plain;

/// The keys of what a rule looks for.
const CONDITION: [&str; 5] = ["on", "when", "window", "sequence", "approval"];
/// Lines around the one where something is wrong.
const AROUND: usize = 3;

/// `text` without the indentation that all of its lines have, and without the sign of a list before it.
pub fn dedented(text: &str) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    if let Some(first) = lines.first_mut() {
        let at = first.len() - first.trim_start().len();
        if first[at..].starts_with("- ") {
            first.replace_range(at..at + 1, " ");
        }
    }
    let indent = |line: &String| line.len() - line.trim_start_matches(' ').len();
    let least = lines.iter().filter(|line| !line.trim().is_empty()).map(indent).min().unwrap_or(0);
    lines.iter().map(|line| line.get(least..).unwrap_or("").trim_end().to_owned() + "\n").collect()
}

/// Of the source of a rule, what it looks for.
pub fn condition(text: &str) -> String {
    let mut keeps = false;
    let kept = |line: &&str| {
        if line.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
            keeps = CONDITION.iter().any(|key| line.split(':').next() == Some(key));
        }
        keeps && !line.trim().is_empty()
    };
    text.lines().filter(kept).collect::<Vec<_>>().join("\n")
}

/// YAML with its keys held back.
pub fn yaml(text: &str) -> Markup {
    html! {
        pre.cmd {
            @for line in text.lines() {
                @let (blank, key, rest) = keyed(line);
                (blank) @if !key.is_empty() { span.dim { (plain(key)) } } (plain(rest)) "\n"
            }
        }
    }
}

/// A line as the blanks before it, its key, and the rest.
fn keyed(line: &str) -> (&str, &str, &str) {
    let start = line.len() - line.trim_start_matches([' ', '-']).len();
    let (blank, rest) = line.split_at(start);
    let is_key = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.' | '-');
    let end = rest.find(|letter| !is_key(letter)).unwrap_or(rest.len());
    match rest[end..].starts_with(':') && end > 0 {
        true => (blank, &rest[..=end], &rest[end + 1..]),
        false => (blank, "", rest),
    }
}

/// The lines around `mark`, numbered, the word there marked, and what is wrong with it.
pub fn wrong(text: &str, mark: Mark, message: &str) -> Markup {
    let first = mark.line.saturating_sub(AROUND).max(1);
    let lines = text.lines().enumerate().map(|(at, line)| (at + 1, line));
    let width = (mark.line + AROUND).to_string().len();
    html! {
        div.wrong role="alert" {
            p.blocked { b { "Line " (mark.line) ", column " (mark.column) ": " } (crate::pages::part::text::ticked(&plain(message))) }
            pre.cmd.source {
                @for (number, line) in lines.skip(first - 1).take_while(|(number, _)| *number <= mark.line + AROUND) {
                    span.dim { (format!("{number:>width$}  ")) }
                    @if number == mark.line {
                        @let (before, word, after) = at_column(line, mark.column);
                        (plain(before)) mark { (plain(word)) } (plain(after))
                    } @else { (plain(line)) }
                    "\n"
                }
            }
        }
    }
}

/// A line as what stands before the column, the word there, and what follows.
fn at_column(line: &str, column: usize) -> (&str, &str, &str) {
    let start = line.char_indices().nth(column.saturating_sub(1)).map_or(line.len(), |(at, _)| at);
    let (before, rest) = line.split_at(start);
    let end = rest.find(|letter: char| letter.is_whitespace() || matches!(letter, ',' | '}' | ']'));
    // At the end of a line there is no word; what is missing there is marked as a blank.
    let end = end.filter(|end| *end > 0).unwrap_or(rest.len());
    let (word, after) = rest.split_at(end);
    (before, if word.is_empty() { " " } else { word }, after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_condition_is_cut_out_of_the_source() {
        let text = "  - id: a.b\n    title: T\n    when:\n      effect: { verb: read }\n\n    references:\n      - x\n    window: {count: 2}\n";
        let source = dedented(text);
        assert_eq!(source.lines().next(), Some("id: a.b"));
        assert_eq!(condition(&source), "when:\n  effect: { verb: read }\nwindow: {count: 2}");
    }

    #[test]
    fn the_word_that_is_wrong_is_marked() {
        for (line, column, wanted) in [
            ("  verb: wrote", 9, ("  verb: ", "wrote", "")),
            ("  effect: { verb: wrote, x: y }", 19, ("  effect: { verb: ", "wrote", ", x: y }")),
            ("abc", 4, ("abc", " ", "")),
            ("é: ü", 4, ("é: ", "ü", "")),
            ("", 9, ("", " ", "")),
        ] {
            assert_eq!(at_column(line, column), wanted);
        }
        assert_eq!(keyed("    - verb: read"), ("    - ", "verb:", " read"));
        assert_eq!(keyed("- 'rm -rf'"), ("- ", "", "'rm -rf'"));
    }
}
