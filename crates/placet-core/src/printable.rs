//! Text from outside, fit for a terminal, a log or a page.

/// `letter`, or a mark in its place if it could move the cursor, turn the direction of writing or hide.
pub fn printable(letter: char) -> char {
    match letter {
        '\u{ad}'
        | '\u{61c}'
        | '\u{115f}'..='\u{1160}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}'
        | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{e0000}'..='\u{e01ef}' => char::REPLACEMENT_CHARACTER,
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
