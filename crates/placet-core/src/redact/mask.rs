//! What stands in place of a secret: `«github-token …x9Q»`.

use std::{borrow::Cow, ops::Range, sync::LazyLock};

use super::words::Words;

/// The signs around a mask.
const OPEN: &str = "«";
const CLOSE: &str = "»";

/// Shorter secrets show none of their letters: three of twenty say nothing, three of eight say too much.
const TAIL_FROM: usize = 20;
/// Passwords are made by people: more of them must stay hidden.
const PASSWORD_TAIL_FROM: usize = 40;

/// What a kind of secret may be called, at most so long.
pub const KIND_MAX: usize = 64;

/// The mask of `secret`. Equal secrets of a kind have equal masks.
pub fn mask(kind: &str, secret: &str) -> String {
    let mut mask = String::with_capacity(kind.len() + 32);
    mask.push_str(OPEN);
    mask.push_str(kind);
    let tail = secret.len().checked_sub(3).and_then(|at| secret.get(at..)).unwrap_or("");
    if secret.len() >= TAIL_FROM
        && tail.len() == 3
        && tail.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && secret.len() >= tail_from(kind)
    {
        mask.push_str(" …");
        mask.push_str(tail);
    }
    mask.push_str(CLOSE);
    mask
}

/// The same mask with a number that tells it apart from others that would look the same.
pub fn numbered(mut mask: String, number: u32) -> String {
    mask.truncate(mask.len() - CLOSE.len());
    mask.push_str(" #");
    // The digits from the last on, without room taken for them.
    let mut digits = [0; 10];
    let (mut at, mut rest) = (digits.len(), number);
    while at == digits.len() || rest > 0 {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    mask.push_str(std::str::from_utf8(&digits[at..]).unwrap_or(""));
    mask.push_str(CLOSE);
    mask
}

/// How long a secret must be to show its last letters. Personal data is short and guessable, and the end of a key in PEM or
/// of a signature is the same in many: none of these does.
fn tail_from(kind: &str) -> usize {
    match kind {
        "private-key" | "basic-credentials" | "e-mail" | "phone" | "payment-card" | "iban"
        | "national-id" => usize::MAX,
        _ if has(kind, b"pass") || has(kind, b"cookie") => PASSWORD_TAIL_FROM,
        _ => TAIL_FROM,
    }
}

/// Whether `word` stands in `kind`. For so few letters a search that prepares itself takes longer.
fn has(kind: &str, word: &[u8]) -> bool {
    kind.as_bytes().windows(word.len()).any(|letters| letters == word)
}

/// Whether `text` is one mask.
pub fn is_mask(text: &str) -> bool {
    length_at(text, 0) == Some(text.len())
}

/// The masks in `text`, in order.
pub fn masks(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            // The first of the two bytes of its sign is rare enough.
            let found = memchr::memchr(OPEN.as_bytes()[0], text.as_bytes().get(at..)?)? + at;
            if !text.as_bytes()[found..].starts_with(OPEN.as_bytes()) {
                at = found + 1;
                continue;
            }
            match length_at(text, found) {
                Some(length) => {
                    at = found + length;
                    return Some(found..at);
                }
                None => at = found + OPEN.len(),
            }
        }
    })
}

/// Whether a mask begins where `range` does, and goes on to its end.
pub fn covers(text: &str, range: &Range<usize>) -> bool {
    length_at(text, range.start).is_some_and(|length| range.start + length >= range.end)
}

/// How long the mask is that begins at `at`: a kind, perhaps three letters, perhaps a number.
fn length_at(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?.strip_prefix(OPEN)?;
    let kind = rest
        .bytes()
        .take(KIND_MAX + 1)
        .take_while(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'-')
        .count();
    if kind == 0 || kind > KIND_MAX || !is_kind(&rest[..kind]) {
        return None;
    }
    let mut rest = &rest[kind..];
    if let Some(tail) = rest.strip_prefix(" …") {
        let letters = tail.bytes().take(3).take_while(u8::is_ascii_alphanumeric).count();
        if letters != 3 {
            return None;
        }
        rest = &tail[3..];
    }
    if let Some(number) = rest.strip_prefix(" #") {
        let digits = number.bytes().take(10).take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            return None;
        }
        rest = &number[digits..];
    }
    let rest = rest.strip_prefix(CLOSE)?;
    Some(text.len() - at - rest.len())
}

/// Whether some mask of ours has this kind. A site's own kinds begin with `site-`.
///
/// Who writes `«hunter2»` must not pass it off as a mask.
fn is_kind(kind: &str) -> bool {
    static KINDS: LazyLock<Words> = LazyLock::new(|| Words::new(&[super::kinds()]));
    kind.starts_with("site-") || KINDS.has(kind)
}

/// The name of a site's own pattern as a kind: letters, digits and dashes, in lower case.
pub fn site_kind(id: &str) -> Cow<'static, str> {
    let plain: String = id
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '-' })
        .take(KIND_MAX - 5)
        .collect();
    format!("site-{plain}").into()
}
