//! JSON as a tree that can be read.

use maud::{Markup, html};
use placet_core::Json;

use super::text::plain;

/// Deeper than this, a value is shown as one line.
const DEPTH_MAX: usize = 12;
/// Of a long list, so many are shown: more than a card or a record can hold.
const MEMBERS_MAX: usize = 50_000;

/// `value` as a tree.
pub fn tree(value: &Json) -> Markup {
    at(value, 0)
}

fn at(value: &Json, depth: usize) -> Markup {
    html! {
        @match value {
            Json::Object(members) if depth < DEPTH_MAX && members.iter().next().is_some() => {
                dl.tree {
                    @for (name, value) in members.iter().take(MEMBERS_MAX) {
                        div.deep[is_deep(value)] { dt { (plain(name)) } dd { (at(value, depth + 1)) } }
                    }
                }
                (more(members.iter().count()))
            }
            Json::Array(elements) if depth < DEPTH_MAX && !elements.is_empty() => {
                ol.tree {
                    @for value in elements.iter().take(MEMBERS_MAX) { li { (at(value, depth + 1)) } }
                }
                (more(elements.len()))
            }
            Json::String(text) => span.text { (plain(text)) },
            other => code { (plain(&serde_json::to_string(other).unwrap_or_default())) },
        }
    }
}

/// Whether a value stands below its name, not beside it.
fn is_deep(value: &Json) -> bool {
    match value {
        Json::Object(members) => members.iter().next().is_some(),
        Json::Array(elements) => !elements.is_empty(),
        _ => false,
    }
}

fn more(members: usize) -> Markup {
    html! {
        @if members > MEMBERS_MAX { p.small.muted { "and " (members - MEMBERS_MAX) " more" } }
    }
}
