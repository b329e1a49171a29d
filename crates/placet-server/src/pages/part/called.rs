//! What will run, in full and readable: a command as a command, a patch as a diff, a message as text, the rest as a tree.

use maud::{Markup, html};
use placet_core::Json;
use placet_engine::Card;

use super::{
    json::tree,
    text::{plain, short},
};

/// In a list, so many letters of a text are shown; the page of the hold has all of it.
const LETTERS_IN_LIST: usize = 600;
/// Arguments with these names are commands, the first that is there.
const COMMANDS: [&str; 4] = ["command", "cmd", "script", "code"];
/// These are messages.
const MESSAGES: [&str; 6] = ["message", "text", "body", "content", "html", "reply"];
/// These are patches.
const PATCHES: [&str; 3] = ["patch", "diff", "input"];

/// The arguments of a call; `whole`, or what a list has room for.
pub fn called(card: &Card, whole: bool) -> Markup {
    let Some(args) = card.args() else { return html! {} };
    let members: Vec<(&str, &Json)> =
        args.as_object().into_iter().flat_map(|members| members.iter()).collect();
    let text = |names: &[&str]| {
        names.iter().find_map(|wanted| {
            let (name, value) = members.iter().find(|(name, _)| name == wanted)?;
            value.as_str().map(|text| (*name, text))
        })
    };
    let main = if let Some((name, text)) = text(&PATCHES).filter(|(_, text)| is_patch(text)) {
        Some((name, diff(text, whole)))
    } else if let Some((name, text)) = text(&COMMANDS) {
        Some((name, command(card, name, text, whole)))
    } else {
        text(&MESSAGES).map(|(name, text)| (name, html! { blockquote.cmd.msg { (cut(text, whole)) } }))
    };
    let main_name = main.as_ref().map(|(name, _)| *name);
    let rest: Vec<_> = members.iter().filter(|(name, _)| Some(*name) != main_name).collect();
    html! {
        @if !rest.is_empty() {
            dl.cmd.kv.mono {
                @for (name, value) in rest.iter().take(if whole { usize::MAX } else { 8 }) {
                    dt { (plain(name)) }
                    dd {
                        @match value {
                            Json::String(text) if is_patch(text) => (diff(text, whole)),
                            Json::String(text) => (cut(text, whole)),
                            value if whole => (tree(value)),
                            value => (short(&serde_json::to_string(value).unwrap_or_default(), LETTERS_IN_LIST / 2)),
                        }
                    }
                }
            }
        }
        @if let Some((_, shown)) = main { (shown) }
    }
}

fn command(_card: &Card, _name: &str, text: &str, whole: bool) -> Markup {
    html! { pre.cmd { span.dim { "$ " } (cut(text, whole)) } }
}

fn cut(text: &str, whole: bool) -> String {
    match text.char_indices().nth(LETTERS_IN_LIST) {
        Some((end, _)) if !whole => format!("{}…", plain(&text[..end])),
        _ => plain(text),
    }
}

fn is_patch(text: &str) -> bool {
    text.starts_with("*** Begin Patch")
        || text.starts_with("diff --git ")
        || (text.starts_with("--- ") && text.contains("\n+++ "))
}

fn diff(text: &str, whole: bool) -> Markup {
    let lines = if whole { usize::MAX } else { 14 };
    html! {
        pre.cmd.diff {
            @for line in text.lines().take(lines) {
                @let kind = match line.as_bytes().first() {
                    Some(b'+') if !line.starts_with("+++") => "ins",
                    Some(b'-') if !line.starts_with("---") => "del",
                    Some(b'@' | b'*' | b'-' | b'+') => "dim",
                    _ => "",
                };
                span class=[(!kind.is_empty()).then_some(kind)] { (plain(line)) "\n" }
            }
            @if text.lines().nth(lines).is_some() { "…" }
        }
    }
}
