//! Plain commands: text that every shell reads as the same one command.
//!
//! A grammar of its own, far smaller than that of any shell, so that it can be written down and read the same by others:
//! what is not in it is no plain command, whether a shell at hand would expand it or not.

use std::borrow::Cow;

/// The longest command, in bytes.
const BYTES_MAX: usize = 1 << 16;

/// Words that are no program where a command begins.
const RESERVED: &[&str] = &[
    "case",
    "coproc",
    "do",
    "done",
    "elif",
    "else",
    "esac",
    "fi",
    "for",
    "foreach",
    "function",
    "if",
    "in",
    "nocorrect",
    "noglob",
    "repeat",
    "select",
    "then",
    "time",
    "until",
    "while",
];

/// The words of `text`, or what it is instead of a plain command.
///
/// ```text
/// command = *(blank / LF) word *(1*blank word) *(blank / LF)
/// blank   = SP / HTAB
/// word    = 1*(bare / single / double)
/// bare    = ALPHA / DIGIT / one of _ - . , / : + @ % = ~
/// single  = ' *(any but ') '       ; no backslash before the last quote
/// double  = " *(any but " $ ` \ !) "
/// ```
///
/// A `~` stands only after a bare letter, digit or one of `_-.`, and a bare `=` only where the word has text before it. The first word is no
/// assignment: a name, then `=` or `+=`; and none of the [reserved](RESERVED) words. No character is a control character but HTAB and LF, and those stand in quotes or between
/// words.
pub(super) fn words_of(text: &str) -> Result<Vec<Cow<'_, str>>, &'static str> {
    if text.len() > BYTES_MAX {
        return Err("a command that is too long");
    }
    if text.contains(|letter: char| letter.is_control() && !matches!(letter, '\n' | '\t')) {
        return Err("a command with control characters");
    }
    let text = text.trim_matches([' ', '\t', '\n']);
    if text.is_empty() {
        return Err("no command");
    }
    let mut words = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (word, after) = word_of(rest)?;
        let written = &rest[..rest.len() - after.len()];
        if words.is_empty() && is_assignment(written) {
            return Err("a command with an assignment");
        }
        if words.is_empty() && RESERVED.contains(&written) {
            return Err("a command with something before it");
        }
        words.push(word);
        rest = after.trim_start_matches([' ', '\t']);
    }
    Ok(words)
}

/// The word that `text` begins with, and what follows it.
fn word_of(text: &str) -> Result<(Cow<'_, str>, &str), &'static str> {
    let is_end = |letter: char| matches!(letter, ' ' | '\t');
    let bare_end = text.find(|letter: char| !is_bare(letter)).unwrap_or(text.len());
    let (bare, after) = text.split_at(bare_end);
    check_bare(bare, true)?;
    if after.is_empty() || after.starts_with(is_end) {
        return Ok((Cow::Borrowed(bare), after));
    }
    let mut word = bare.to_owned();
    let mut rest = after;
    while let Some(first) = rest.chars().next().filter(|first| !is_end(*first)) {
        match first {
            '\'' | '"' => {
                let (inner, after) = rest[1..].split_once(first).ok_or("a command with an open quote")?;
                check_quoted(inner, first)?;
                word.push_str(inner);
                rest = after;
            }
            letter if is_bare(letter) => {
                let end = rest.find(|letter: char| !is_bare(letter)).unwrap_or(rest.len());
                check_bare(&rest[..end], word.is_empty())?;
                word.push_str(&rest[..end]);
                rest = &rest[end..];
            }
            letter => return Err(other_than_a_word(letter)),
        }
    }
    Ok((Cow::Owned(word), rest))
}

fn is_bare(letter: char) -> bool {
    letter.is_ascii_alphanumeric()
        || matches!(letter, '_' | '-' | '.' | ',' | '/' | ':' | '+' | '@' | '%' | '=' | '~')
}

/// Whether letters outside quotes, which begin a word or go on with it, mean themselves.
fn check_bare(bare: &str, begins: bool) -> Result<(), &'static str> {
    // zsh puts the file of a program for `=program`, also after empty quotes.
    if begins && bare.starts_with('=') {
        return Err("a command with an expansion");
    }
    // A home directory stands at the beginning, after `=` and after `:`, and some shells know more places.
    let is_plain_before = |at: usize| {
        let before = bare[..at].chars().next_back();
        before.is_some_and(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.'))
    };
    match bare.match_indices('~').all(|(at, _)| is_plain_before(at)) {
        true => Ok(()),
        false => Err("a command with an expansion"),
    }
}

fn check_quoted(inner: &str, quote: char) -> Result<(), &'static str> {
    // fish reads `\'` as a quote within the text.
    if quote == '\'' && inner.ends_with('\\') {
        return Err("a command with a backslash before a quote");
    }
    if quote == '"' && inner.contains(['$', '`', '\\', '!']) {
        return Err("a command with an expansion");
    }
    Ok(())
}

/// Whether a word as written sets a variable.
fn is_assignment(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else { return false };
    let name = name.strip_suffix('+').unwrap_or(name);
    name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// What it is called that `letter`, outside quotes, makes of a command.
fn other_than_a_word(letter: char) -> &'static str {
    match letter {
        ';' | '\n' => "several commands",
        '|' => "a pipeline",
        '&' => "several commands or one in the background",
        '<' | '>' => "a command with a redirection",
        '(' | ')' => "a compound command",
        '$' | '`' | '!' | '{' | '}' | '^' => "a command with an expansion",
        '*' | '?' | '[' | ']' => "a command with a wildcard",
        '#' => "a command with a comment",
        '\\' => "a command with a backslash outside quotes",
        _ => "a command with characters that need quotes",
    }
}
