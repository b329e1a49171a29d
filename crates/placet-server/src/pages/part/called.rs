//! What will run, in full and readable: a command as a command, a patch as a diff, a message as text, the rest as a tree.

use maud::{Markup, html};
use placet_core::{
    Json,
    explanation::{Marked, Piece},
};

use super::{
    json::tree,
    text::{plain, short},
};

/// In a list, so many letters of a text are shown; the page of the hold has all of it.
const LETTERS_IN_LIST: usize = 600;
/// In a list, so many arguments and lines of a patch are shown.
const ROWS_IN_LIST: usize = 14;
/// Arguments with these names are commands, the first that is there.
const COMMANDS: [&str; 4] = ["command", "cmd", "script", "code"];
/// These are messages.
const MESSAGES: [&str; 6] = ["message", "text", "body", "content", "html", "reply"];
/// These are patches.
const PATCHES: [&str; 3] = ["patch", "diff", "input"];

/// The argument that is a command: its name, and its text.
pub fn command(args: &Json) -> Option<(&'static str, &str)> {
    COMMANDS.iter().find_map(|name| Some((*name, args.get(name)?.as_str()?)))
}

/// A call as it is shown: the name of its tool, its arguments without secrets, and the words that weigh.
pub struct Called<'a> {
    pub tool: &'a str,
    pub args: Option<&'a Json>,
    pub marked: Vec<Marked>,
}

impl Called<'_> {
    /// All of it.
    pub fn whole(&self) -> Markup {
        self.show(true)
    }

    /// What a list has room for, and whether that is all of it.
    pub fn cut(&self) -> (Markup, bool) {
        (self.show(false), self.fits())
    }

    /// Whether a list has room for all of it.
    fn fits(&self) -> bool {
        let Some(members) = self.args.and_then(Json::as_object) else { return true };
        let fits = |value: &Json| match value {
            Json::String(text) if is_patch(text) => text.lines().nth(ROWS_IN_LIST).is_none(),
            Json::String(text) => text.chars().nth(LETTERS_IN_LIST).is_none(),
            value => written(value).chars().nth(LETTERS_IN_LIST / 2).is_none(),
        };
        // One of them stands by itself.
        members.iter().count() <= ROWS_IN_LIST + 1 && members.iter().all(|(_, value)| fits(value))
    }

    fn show(&self, whole: bool) -> Markup {
        let members: Vec<(&str, &Json)> =
            self.args.and_then(Json::as_object).into_iter().flat_map(|members| members.iter()).collect();
        let find = |names: &[&str]| {
            names.iter().find_map(|wanted| {
                let (name, value) = members.iter().find(|(name, _)| name == wanted)?;
                value.as_str().map(|text| (*name, text))
            })
        };
        let main = if let Some((name, text)) = find(&PATCHES).filter(|(_, text)| is_patch(text)) {
            Some((name, diff(self.tool, text, whole)))
        } else if let Some((name, text)) = find(&COMMANDS) {
            let shown = self.text(name, text, whole);
            Some((name, html! { pre.cmd { span.dim { (short(self.tool, 60)) "  $ " } (shown) } }))
        } else {
            let message =
                |(name, text)| (name, html! { blockquote.cmd.msg { (self.text(name, text, whole)) } });
            find(&MESSAGES).map(message)
        };
        let main_name = main.as_ref().map(|(name, _)| *name);
        // These say the name of the tool themselves.
        let is_named = main_name.is_some_and(|name| COMMANDS.contains(&name) || PATCHES.contains(&name));
        let rest: Vec<_> = members.iter().filter(|(name, _)| Some(*name) != main_name).collect();
        html! {
            @if !rest.is_empty() || !is_named {
                dl.cmd.kv.mono {
                    @if !is_named { dt { (short(self.tool, 80)) } dd {} }
                    @for (name, value) in rest.iter().take(if whole { usize::MAX } else { ROWS_IN_LIST }) {
                        dt { (plain(name)) }
                        dd {
                            @match value {
                                Json::String(text) if is_patch(text) => (diff("", text, whole)),
                                Json::String(text) => (self.text(name, text, whole)),
                                value if whole => (tree(value)),
                                value => (short(&written(value), LETTERS_IN_LIST / 2)),
                            }
                        }
                    }
                }
            }
            @if let Some((_, shown)) = main { (shown) }
            @if !whole && !self.fits() { p.small.muted { "This is not all of it." } }
        }
    }

    /// The text of an argument, its words marked where they weigh.
    fn text(&self, name: &str, text: &str, whole: bool) -> Markup {
        let pointer = format!("/{}", name.replace('~', "~0").replace('/', "~1"));
        let of_it = self.marked.iter().find(|marked| marked.pointer.as_str() == pointer);
        let pieces = of_it.map_or(&[][..], |marked| marked.pieces.as_slice());
        if pieces.is_empty() {
            return html! { (cut(text, whole)) };
        }
        pieces_of(pieces, whole)
    }
}

/// Pieces of a text, marked.
pub fn pieces_of(pieces: &[Piece], whole: bool) -> Markup {
    let mut left = if whole { usize::MAX } else { LETTERS_IN_LIST };
    let shown = pieces.iter().map_while(|piece| {
        let shown = (left > 0).then(|| (piece, cut_to(&piece.text, left)));
        left = left.saturating_sub(piece.text.chars().count());
        shown
    });
    html! {
        @for (piece, text) in shown {
            @if piece.secret { span.secret { (text) } }
            @else if piece.marked {
                @let numbers: Vec<String> = piece.effects.iter().map(usize::to_string).collect();
                mark data-n=[(!numbers.is_empty()).then(|| numbers.join(", "))] { (text) }
            }
            @else { (text) }
        }
    }
}

/// A value on one line.
fn written(value: &Json) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

fn cut(text: &str, whole: bool) -> String {
    cut_to(text, if whole { usize::MAX } else { LETTERS_IN_LIST })
}

fn cut_to(text: &str, letters: usize) -> String {
    match text.char_indices().nth(letters) {
        Some((end, _)) => format!("{}…", plain(&text[..end])),
        None => plain(text),
    }
}

fn is_patch(text: &str) -> bool {
    text.starts_with("*** Begin Patch")
        || text.starts_with("diff --git ")
        || (text.starts_with("--- ") && text.contains("\n+++ "))
}

fn diff(tool: &str, text: &str, whole: bool) -> Markup {
    let lines = if whole { usize::MAX } else { ROWS_IN_LIST };
    html! {
        pre.cmd.diff {
            @if !tool.is_empty() { span.dim { (short(tool, 60)) } }
            @for line in text.lines().take(lines) {
                @let kind = match line.as_bytes().first() {
                    Some(b'+') if !line.starts_with("+++") => "ins",
                    Some(b'-') if !line.starts_with("---") => "del",
                    Some(b'@' | b'*' | b'-' | b'+') => "dim",
                    _ => "",
                };
                span class=[(!kind.is_empty()).then_some(kind)] { (plain(line)) }
            }
            @if text.lines().nth(lines).is_some() { "…" }
        }
    }
}
