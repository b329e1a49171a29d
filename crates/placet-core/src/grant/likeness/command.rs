//! The words of a command that may be others: text for people, and the page of a site that is only read.
//!
//! Only a command that any shell reads the same way is looked into: words of plain letters, or in quotes in which nothing is
//! expanded. Of everything else, every byte counts.

use std::ops::Range;

use super::{ANYTHING, site};

/// Programs with the sub-commands that come first, and the flags whose value is text for people.
const TEXT: &[(&[&str], &[&str])] = &[
    (&["git", "commit"], &["-m", "-am", "--message"]),
    (&["git", "tag"], &["-m", "--message"]),
    (&["git", "stash", "push"], &["-m", "--message"]),
    (&["git", "merge"], &["-m", "--message"]),
    (&["gh", "pr", "create"], &["-t", "--title", "-b", "--body"]),
    (&["gh", "pr", "edit"], &["-t", "--title", "-b", "--body"]),
    (&["gh", "pr", "comment"], &["-b", "--body"]),
    (&["gh", "issue", "create"], &["-t", "--title", "-b", "--body"]),
    (&["gh", "issue", "edit"], &["-t", "--title", "-b", "--body"]),
    (&["gh", "issue", "comment"], &["-b", "--body"]),
];

/// Programs that ask a web server for the addresses among their operands.
const ASKING: &[&str] = &["curl", "wget"];

/// One word: where it stands, and what of it a shell hands over.
struct Plain<'t> {
    range: Range<usize>,
    text: &'t str,
    /// Where the text begins that is in quotes, if it does not begin there.
    quoted_from: Option<usize>,
}

/// `text` with what may be another left out; nothing if there is no such part. `only_reads` says that all that is done is to
/// look at addresses.
pub(super) fn without_text(text: &str, only_reads: bool) -> Option<String> {
    let words = words(text)?;
    let mut others: Vec<(Range<usize>, String)> = Vec::new();
    let known = TEXT.iter().find(|(names, _)| {
        names.len() <= words.len()
            && names.iter().zip(&words).all(|(name, word)| word.quoted_from.is_none() && word.text == *name)
    });
    if let Some((names, flags)) = known {
        let mut rest = words.iter().skip(names.len());
        while let Some(word) = rest.next() {
            if word.text == "--" {
                break;
            }
            if flags.contains(&word.text) {
                match rest.next() {
                    // What looks like a flag may be one to some version of the program.
                    Some(value) if !value.text.starts_with('-') => {
                        others.push((value.range.clone(), ANYTHING.to_owned()));
                    }
                    Some(_) | None => return None,
                }
            } else if let Some((flag, _)) = word.text.split_once('=').filter(|(flag, _)| flags.contains(flag))
                && flag.starts_with("--")
            {
                others.push((word.range.start + flag.len() + 1..word.range.end, ANYTHING.to_owned()));
            }
        }
    }
    if only_reads && words.first().is_some_and(|word| ASKING.contains(&word.text)) {
        let pages = words.iter().skip(1).filter_map(|word| Some((word.range.clone(), site(word.text)?)));
        others.extend(pages);
    }
    if others.is_empty() {
        return None;
    }
    let mut whole = String::with_capacity(text.len());
    let mut at = 0;
    for (range, other) in others {
        whole.push_str(&text[at..range.start]);
        whole.push_str(&other);
        at = range.end;
    }
    whole.push_str(&text[at..]);
    Some(whole)
}

/// The words of a command that is nothing but words, each read the same way by every shell.
fn words(text: &str) -> Option<Vec<Plain<'_>>> {
    let bytes = text.as_bytes();
    let mut words = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == b' ' {
            at += 1;
            continue;
        }
        let start = at;
        while bytes.get(at).is_some_and(|byte| is_plain(*byte)) {
            at += 1;
        }
        let mut word = Plain { range: start..at, text: &text[start..at], quoted_from: None };
        // `--flag='text'`, or all of it in quotes.
        if let Some(quote @ (b'\'' | b'"')) = bytes.get(at).copied()
            && (word.text.is_empty() || word.text.ends_with('='))
        {
            let inner = &text[at + 1..];
            let length = inner.bytes().position(|byte| byte == quote)?;
            if inner[..length].bytes().any(|byte| !is_plain_in_quotes(byte)) {
                return None;
            }
            word.quoted_from = Some(at);
            if word.text.is_empty() {
                word.text = &inner[..length];
            }
            at += length + 2;
            word.range = start..at;
        }
        if bytes.get(at).is_some_and(|byte| *byte != b' ') {
            return None;
        }
        words.push(word);
    }
    // What is set before a program says where, and a word in quotes is no keyword.
    let is_program = |word: &Plain<'_>| word.quoted_from.is_none() && !word.text.contains('=');
    words.first().is_some_and(is_program).then_some(words)
}

/// Letters that stand for themselves in every shell, wherever they are.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'-' | b'_' | b'.' | b'/' | b':' | b',' | b'=' | b'@' | b'%' | b'+')
}

/// Bytes that stand for themselves in quotes of either kind.
fn is_plain_in_quotes(byte: u8) -> bool {
    match byte {
        b'$' | b'`' | b'\\' | b'!' | b'"' | b'\'' => false,
        b' '..=b'~' => true,
        // Letters of other scripts; no control character.
        other => other >= 0x80,
    }
}
