//! Text from outside, fit for a terminal, a log or a page.

/// `letter`, or a mark in its place if it could move the cursor, turn the direction of writing or hide.
pub fn printable(letter: char) -> char {
    match letter {
        '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}'
        | '\u{feff}'
        | '\u{e0000}'..='\u{e007f}' => char::REPLACEMENT_CHARACTER,
        letter if letter.is_control() => char::REPLACEMENT_CHARACTER,
        letter => letter,
    }
}

/// The first `length` letters of `text`, each of them printable, with a sign that there were more.
pub fn shown(text: &str, length: usize) -> String {
    let mut shown: String = text.chars().take(length).map(printable).collect();
    if text.chars().nth(length).is_some() {
        shown.push('…');
    }
    shown
}
