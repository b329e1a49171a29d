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

/// JSON in which every letter that could move the cursor, turn the direction of writing or hide is escaped. It says the
/// same to whoever reads it as JSON.
pub fn json(text: &str) -> std::borrow::Cow<'_, str> {
    // Outside of its strings, JSON has no such letters but new lines between values.
    let hides = |letter: char| letter != '\n' && printable(letter) != letter;
    if !text.chars().any(hides) {
        return text.into();
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        match hides(letter) {
            false => escaped.push(letter),
            true => {
                let mut units = [0; 2];
                for unit in letter.encode_utf16(&mut units) {
                    escaped.push_str(&format!("\\u{unit:04x}"));
                }
            }
        }
    }
    escaped.into()
}

/// The first `length` letters of `text`, each of them printable, with a sign that there were more.
pub fn shown(text: &str, length: usize) -> String {
    let mut shown: String = text.chars().take(length).map(printable).collect();
    if text.chars().nth(length).is_some() {
        shown.push('…');
    }
    shown
}
