//! Icons: one sheet of shapes, 16 by 16, drawn with the colour of the text beside them.

use maud::{Markup, PreEscaped, html};
use placet_core::Verdict;

/// Every icon, as its name and what is drawn.
const ICONS: &[(&str, &str)] = &[
    ("gate", r#"<path d="M2 1.5v13M14 1.5v13"/><path d="m5 8.2 2.1 2.1L11 5.8"/>"#),
    ("allow", r#"<circle cx="8" cy="8" r="6.2"/><path d="m5.3 8.2 1.9 1.9 3.5-4"/>"#),
    ("ask", r#"<path d="M8 1.2 14.8 8 8 14.8 1.2 8z"/><path d="M6.7 6.2v3.6M9.3 6.2v3.6"/>"#),
    ("block", r#"<path d="M5.3 1.5h5.4l3.8 3.8v5.4l-3.8 3.8H5.3l-3.8-3.8V5.3z"/><path d="M5 8h6"/>"#),
    (
        "critical",
        r#"<path fill="currentColor" fill-opacity=".16" d="M5.3 1.5h5.4l3.8 3.8v5.4l-3.8 3.8H5.3l-3.8-3.8V5.3z"/><path d="M8 4.6v4M8 11.2v.1"/>"#,
    ),
    ("external", r#"<path d="M6.5 3H3v10h10V9.5M9.5 2.5h4v4M13.2 2.8 7.5 8.5"/>"#),
    ("local", r#"<path d="M2.5 3.5h11v7h-11zM5.5 13.5h5"/>"#),
    (
        "read",
        r#"<path d="M1.2 8S3.6 3.5 8 3.5 14.8 8 14.8 8 12.4 12.5 8 12.5 1.2 8 1.2 8z"/><circle cx="8" cy="8" r="1.8"/>"#,
    ),
    ("no-undo", r#"<path d="M3 6.5h6.5a3.5 3.5 0 0 1 0 7H6M5.8 3.5l-3 3 3 3M13.5 2l-11 12.5"/>"#),
    ("many", r#"<path d="M2.5 6.5h8v7h-8zM5.5 6.3V2.5h8v7h-2.8"/>"#),
    ("clock", r#"<circle cx="8" cy="8" r="6.2"/><path d="M8 4.5V8l2.3 1.5"/>"#),
    ("person", r#"<circle cx="8" cy="5" r="2.7"/><path d="M2.8 14c.4-3 2.5-4.5 5.2-4.5s4.8 1.5 5.2 4.5"/>"#),
    (
        "care",
        r#"<circle cx="8" cy="8" r="6.2"/><circle cx="8" cy="8" r="2.5"/><path d="m3.7 3.7 2.5 2.5M12.3 3.7 9.8 6.2M3.7 12.3l2.5-2.5M12.3 12.3 9.8 9.8"/>"#,
    ),
    ("threat", r#"<path d="M8 1.8 14.8 14H1.2z"/><path d="M8 6.2v3.6M8 12v.1"/>"#),
    ("branch", r#"<path d="M3.5 2v7.5h8M9 6.8l2.8 2.7L9 12.2"/>"#),
    ("yes", r#"<path d="m3 8.5 3.3 3.3L13 4.5"/>"#),
    ("no", r#"<path d="m4 4 8 8M12 4l-8 8"/>"#),
    ("model", r#"<path d="M8 1.8 9.7 6.3 14.2 8 9.7 9.7 8 14.2 6.3 9.7 1.8 8l4.5-1.7z"/>"#),
];

/// All of them, once in each page.
pub fn sheet() -> Markup {
    html! {
        svg.sr aria-hidden="true" focusable="false" {
            @for (name, drawn) in ICONS {
                symbol id=(name) viewBox="0 0 16 16" { (PreEscaped(drawn)) }
            }
            pattern #wait width="6" height="6" patternUnits="userSpaceOnUse" {
                path.hatch d="M0 6 6 0M-1 1l2-2M5 7l2-2" {}
            }
        }
    }
}

/// The icon of this name. A word stands beside it, so that nobody has to see it.
pub fn icon(name: &str) -> Markup {
    html! { svg.icon aria-hidden="true" { use href={ "#" (name) } {} } }
}

/// A word with its shape, in a colour: `tag("held", "ask", "hold")`.
pub fn tag(colour: &str, shape: &str, word: &str) -> Markup {
    html! { span class={ "tag " (colour) } { (icon(shape)) (word) } }
}

/// The same in a box.
pub fn boxed(colour: &str, shape: &str, word: &str) -> Markup {
    html! { span class={ "tag box " (colour) } { (icon(shape)) (word) } }
}

/// What was decided, as a word with its shape.
pub fn verdict(verdict: Verdict) -> Markup {
    match verdict {
        Verdict::Allow => tag("ok", "allow", "allow"),
        Verdict::Hold => tag("held", "ask", "hold"),
        Verdict::Block => tag("blocked", "block", "block"),
    }
}
