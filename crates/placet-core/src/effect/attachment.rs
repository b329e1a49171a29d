//! Files that go along with a message. Agent hosts attach a file whose name stands in the text behind the word `MEDIA:` (Hermes,
//! OpenClaw), and some message tools take files in arguments that are not named after files.

use std::ops::Range;

use super::{
    Effect, Role, Seen, Span,
    act::Act,
    asked::{Asked, Leaf},
    shape, words,
};

/// Names of files that are read in one text. A text with more is not read to its end.
const NAMES_MAX: usize = 64;
/// Marks that are looked behind in one text.
const MARKS_MAX: usize = 1_024;
/// Behind a mark, this many bytes of the line are read: no host takes a longer name.
const LINE_MAX: usize = 8_192;
/// The word that hosts look for, in any case.
const MARK: &str = "media:";
/// Words of argument names under which message tools take a file or an address.
const ARGUMENTS: &[&str] = &[
    "media",
    "image",
    "images",
    "photo",
    "photos",
    "picture",
    "video",
    "audio",
    "voice",
    "document",
    "animation",
    "gif",
    "sticker",
    "thumbnail",
];
/// Where Hermes attaches a file whose plain name stands in the text, without the word.
const PLAIN_NAMES: &[&str] = &["weixin", "wechat"];

/// The files that a message takes along besides those that are read in every tool.
pub fn read(asked: &Asked<'_>, seen: Seen, effects: &mut Vec<Effect>) {
    let plain = || asked.leaves.iter().any(goes_where_plain_names_count);
    for leaf in &asked.leaves {
        let Some(text) = leaf.text() else { continue };
        if leaf.role() == Some(Role::Content) {
            in_text(asked, leaf, text, seen, effects);
            if text.contains(['/', '\\']) && plain() {
                let before = effects.len();
                for range in plain_names(text).take(NAMES_MAX) {
                    effects.push(file(asked, leaf, text, range, seen.max(Seen::Likely)));
                }
                full(asked, effects, Some(before));
            }
        } else if leaf.told.is_none()
            && leaf.usual != Some(Role::Path)
            && may_be_relative(text)
            && takes_a_file(leaf.key)
        {
            effects.push(file(asked, leaf, text, 0..text.len(), seen.max(Seen::Likely)));
        }
    }
}

/// Whether all of a text can be the name of a file. What looks like a path or an address wherever it stands is read in every tool.
fn may_be_relative(text: &str) -> bool {
    // A name with blanks has a directory before it; a sentence has none.
    let named = || text.contains(['/', '\\']) || text.contains('.') && !text.contains(char::is_whitespace);
    text.len() < 4_096 && named() && !text.contains('\n') && !shape::is_address(text)
}

/// The files that are named in one text.
pub fn in_text(asked: &Asked<'_>, leaf: &Leaf<'_>, text: &str, seen: Seen, effects: &mut Vec<Effect>) {
    let (before, mut marks) = (effects.len(), 0);
    for from in marks_in(text) {
        marks += 1;
        let room = NAMES_MAX - (effects.len() - before);
        if marks > MARKS_MAX || room == 0 {
            break;
        }
        let names = names_behind(text, from).into_iter().take(room);
        effects.extend(names.map(|range| file(asked, leaf, text, range, seen)));
    }
    full(asked, effects, if marks > MARKS_MAX { None } else { Some(before) });
}

/// Says that more files may be named than were read, if there were more marks or names than are looked at.
fn full(asked: &Asked<'_>, effects: &mut Vec<Effect>, before: Option<usize>) {
    if before.is_none_or(|before| effects.len() - before >= NAMES_MAX) {
        effects.push(Effect::cut("more attachments than can be looked at", asked.nowhere()));
    }
}

fn file(asked: &Asked<'_>, leaf: &Leaf<'_>, text: &str, range: Range<usize>, seen: Seen) -> Effect {
    let because = Span::new(leaf.pointer(), range.clone());
    let name = &text[range];
    let path = shape::strip_scheme(name, "file://").map_or(name, |path| path.trim_start_matches("localhost"));
    Effect { because, ..shape::path_effect(asked, leaf, path, Act::MESSAGE, seen) }
}

fn takes_a_file(key: &str) -> bool {
    let words = words::split(key);
    // `media_type`, `image_id`, `voice_name` say something about one.
    let about =
        ["id", "type", "name", "format", "size", "width", "height", "count", "text", "caption", "mime"];
    words.iter().any(|word| ARGUMENTS.contains(&word.as_str()))
        && !words.last().is_some_and(|last| about.contains(&last.as_str()))
}

fn goes_where_plain_names_count(leaf: &Leaf<'_>) -> bool {
    let addressed = matches!(leaf.role(), Some(Role::Recipient | Role::Channel));
    let text = leaf.text().filter(|_| addressed).unwrap_or("").trim_start();
    PLAIN_NAMES.iter().any(|name| shape::strip_scheme(text, name).is_some())
}

/// Where the word stands: the first byte behind each.
fn marks_in(text: &str) -> impl Iterator<Item = usize> {
    let bytes = text.as_bytes();
    text.match_indices(':').map(|(at, _)| at + 1).filter(move |end| {
        let start = end.checked_sub(MARK.len());
        start.is_some_and(|start| bytes[start..*end].eq_ignore_ascii_case(MARK.as_bytes()))
    })
}

/// The names behind the word that ends at `from`. Hosts do not agree on where a name ends, nor on which ones they take: with spaces,
/// in quotes, several on a line, below a directory. Each reading counts.
fn names_behind(text: &str, from: usize) -> Vec<Range<usize>> {
    let rest = &text[from..];
    // The name may stand on the next line.
    let start = from + (rest.len() - rest.trim_start().len());
    let end = text.floor_char_boundary(start.saturating_add(LINE_MAX).min(text.len()));
    let line = text[start..end].lines().next().unwrap_or("");
    let mut names = Vec::new();
    if let Some(quote) = line.chars().next().filter(|first| matches!(first, '`' | '"' | '\'')) {
        let inside = line[1..].find(quote).map(|end| start + 1..start + 1 + end);
        names.extend(inside.filter(|range| !range.is_empty()));
    }
    let words = line.split(char::is_whitespace).scan(start, |at, word| {
        let range = *at..*at + word.len();
        // Spaces are of one byte, or of more.
        let space = text[range.end..].chars().next().map_or(0, char::len_utf8);
        *at = range.end + space;
        Some(range)
    });
    let mut whole = true;
    for (place, range) in words.filter(|range| !range.is_empty()).enumerate() {
        let word = bare(text, range.clone());
        let name = &text[word.clone()];
        let is_name = match place {
            0 => is_file_name(name),
            _ => is_rooted(name),
        };
        if is_name {
            names.push(word.clone());
        } else if place == 0 {
            whole = false;
        }
        // A name with spaces goes on as far as there are parts of a path.
        if place > 0 && whole && (has_extension(name) || name.contains(['/', '\\'])) {
            names.push(bare(text, start..range.end));
        }
    }
    names
}

/// The range without the signs that stand around names in sentences.
fn bare(text: &str, range: Range<usize>) -> Range<usize> {
    let name = &text[range.clone()];
    let inner = name.trim_start_matches(['`', '"', '\'', '(', '[', '{', '<']);
    let start = range.end - inner.len();
    let inner =
        inner.trim_end_matches(['`', '"', '\'', ')', ']', '}', '>', ',', '.', ';', ':', '!', '?', '\\']);
    start..start + inner.len()
}

/// Whether a name is rooted somewhere: `/x`, `~/x`, `./x`, `C:\x`, `file:///x`.
fn is_rooted(name: &str) -> bool {
    let drive = name.as_bytes();
    let drive = drive.len() > 2 && drive[0].is_ascii_alphabetic() && drive[1] == b':';
    name.len() > 1 && ["/", "~", "./", "../", "\\\\"].iter().any(|start| name.starts_with(start))
        || drive && name[2..].starts_with(['/', '\\'])
        || shape::strip_scheme(name, "file:").is_some()
}

/// Whether the first word behind the mark can be a file.
fn is_file_name(name: &str) -> bool {
    is_rooted(name)
        || !shape::is_address(name) && (name.contains(['/', '\\']) || has_extension(name) || is_hidden(name))
}

fn has_extension(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty()
            && (1..=10).contains(&extension.len())
            && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

fn is_hidden(name: &str) -> bool {
    name.strip_prefix('.').is_some_and(|rest| rest.starts_with(|letter: char| letter.is_ascii_alphanumeric()))
}

/// Names of files that stand in a text by themselves: rooted, and with an extension.
fn plain_names(text: &str) -> impl Iterator<Item = Range<usize>> {
    let base = text.as_ptr() as usize;
    let words = text.split(char::is_whitespace).filter(|word| !word.is_empty());
    let ranges = words.map(move |word| {
        let start = word.as_ptr() as usize - base;
        bare(text, start..start + word.len())
    });
    ranges.filter(|range| {
        let name = &text[range.clone()];
        is_rooted(name) && has_extension(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found_in(text: &str) -> Vec<&str> {
        marks_in(text).flat_map(|from| names_behind(text, from)).map(|range| &text[range]).collect()
    }

    #[test]
    fn names_behind_the_word_are_found_in_every_spelling() {
        for (text, expected) in [
            ("MEDIA:/srv/shop/plot.png", &["/srv/shop/plot.png"][..]),
            ("Here you are.\nMEDIA: ~/.ssh/id_rsa", &["~/.ssh/id_rsa"]),
            ("MEDIA:\n  /etc/hosts", &["/etc/hosts"]),
            ("xmedia:/a/b", &["/a/b"]),
            ("Media:`/a b/c.txt`", &["/a b/c.txt", "/a", "/a b/c.txt"]),
            ("MEDIA:\"/a b/c\" and more", &["/a b/c", "/a"]),
            ("MEDIA:/a/b.png, MEDIA:/a/c.png.", &["/a/b.png", "/a/c.png"]),
            ("MEDIA:/a.png /b/.ssh/id", &["/a.png", "/b/.ssh/id"]),
            ("MEDIA:/my files/key.pem is it", &["/my", "/my files/key.pem"]),
            ("MEDIA:file:///home/ann/x", &["file:///home/ann/x"]),
            ("MEDIA:C:\\x\\y.txt", &["C:\\x\\y.txt"]),
            ("MEDIA:secrets/id_rsa", &["secrets/id_rsa"]),
            ("MEDIA:.env", &[".env"]),
            ("MEDIA:plot.png", &["plot.png"]),
            ("(MEDIA:/a/b)", &["/a/b"]),
        ] {
            let found = found_in(text);
            for name in expected {
                assert!(found.contains(name), "{text}: {found:?}");
            }
        }
        for text in [
            "We spoke to the media: they liked it",
            "MEDIA: https://cdn.example.org/a.png",
            "media:",
            "immediate: yes",
            "MEDIA:\u{a0}",
        ] {
            let found = found_in(text);
            assert!(found.is_empty(), "{text}: {found:?}");
        }
    }

    #[test]
    fn plain_names_are_rooted_and_have_an_extension() {
        let text = "See /srv/report.pdf, ~/x.json and https://x.example/y.png or and/or notes.txt";
        let found: Vec<&str> = plain_names(text).map(|range| &text[range]).collect();
        assert_eq!(found, ["/srv/report.pdf", "~/x.json"]);
    }

    #[test]
    fn arguments_that_take_a_file_are_told_from_those_about_one() {
        for key in ["media", "mediaUrl", "photo", "voice_file"] {
            assert!(takes_a_file(key), "{key}");
        }
        for key in ["media_type", "imageId", "text", "voice_name"] {
            assert!(!takes_a_file(key), "{key}");
        }
    }
}
