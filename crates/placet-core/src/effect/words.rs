//! The words a name is made of, whatever style and alphabet it is written in.

/// Splits `getUnreadMail`, `get_unread_mail`, `mail.get-unread` and `GETUnreadMail2` into lower-case words.
/// Letters that only look like Latin ones are folded, so that a name cannot hide behind them.
pub fn split(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let letters: Vec<char> = name.chars().take(256).map(fold).collect();
    for (at, &letter) in letters.iter().enumerate() {
        if !letter.is_alphanumeric() {
            finish(&mut word, &mut words);
            continue;
        }
        let before = at.checked_sub(1).and_then(|at| letters.get(at)).copied().unwrap_or(' ');
        let after = letters.get(at + 1).copied().unwrap_or(' ');
        let starts = letter.is_uppercase()
            && (before.is_lowercase() || before.is_uppercase() && after.is_lowercase())
            || letter.is_ascii_digit() != before.is_ascii_digit() && before.is_alphanumeric();
        if starts {
            finish(&mut word, &mut words);
        }
        word.extend(letter.to_lowercase());
    }
    finish(&mut word, &mut words);
    words
}

fn finish(word: &mut String, words: &mut Vec<String>) {
    if !word.is_empty() {
        words.push(std::mem::take(word));
    }
}

/// The Latin letter that `letter` looks like, or itself.
fn fold(letter: char) -> char {
    match letter {
        // Full-width forms.
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(letter as u32 - 0xfee0).unwrap_or(letter),
        // Cyrillic and Greek look-alikes.
        'а' => 'a',
        'с' => 'c',
        'е' => 'e',
        'һ' => 'h',
        'і' => 'i',
        'ј' => 'j',
        'ӏ' => 'l',
        'о' => 'o',
        'р' => 'p',
        'ѕ' => 's',
        'х' => 'x',
        'у' => 'y',
        'ԁ' => 'd',
        'ԛ' => 'q',
        'ԝ' => 'w',
        'ո' => 'n',
        'м' => 'm',
        'т' => 't',
        'А' => 'A',
        'В' => 'B',
        'С' => 'C',
        'Е' => 'E',
        'Н' => 'H',
        'І' => 'I',
        'К' => 'K',
        'М' => 'M',
        'О' => 'O',
        'Р' => 'P',
        'Ѕ' => 'S',
        'Т' => 'T',
        'Х' => 'X',
        'У' => 'Y',
        'α' => 'a',
        'ο' => 'o',
        'ν' => 'v',
        'ρ' => 'p',
        'τ' => 't',
        'υ' => 'u',
        'ι' => 'i',
        'κ' => 'k',
        'ε' => 'e',
        'Α' => 'A',
        'Β' => 'B',
        'Ε' => 'E',
        'Η' => 'H',
        'Ι' => 'I',
        'Κ' => 'K',
        'Μ' => 'M',
        'Ν' => 'N',
        'Ο' => 'O',
        'Ρ' => 'P',
        'Τ' => 'T',
        'Χ' => 'X',
        'Υ' => 'Y',
        'Ζ' => 'Z',
        // Letters with marks: what people type without them.
        'à' | 'á' | 'â' | 'ã' | 'å' => 'a',
        'ä' => 'a',
        'ç' => 'c',
        'è' | 'é' | 'ê' | 'ë' => 'e',
        'ì' | 'í' | 'î' | 'ï' | 'ı' => 'i',
        'ñ' => 'n',
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' | 'ø' => 'o',
        'ù' | 'ú' | 'û' | 'ü' => 'u',
        'ý' | 'ÿ' => 'y',
        'ß' => 's',
        other => other,
    }
}

/// The plain form of an English verb: `deletes` and `deleting` are `delete` as far as a list can tell.
pub fn stems(word: &str) -> impl Iterator<Item = String> + use<> {
    let mut stems = vec![word.to_owned()];
    if let Some(stem) = word.strip_suffix("ies") {
        stems.push(format!("{stem}y"));
    }
    if let Some(stem) = word.strip_suffix("es") {
        stems.push(stem.to_owned());
    }
    if let Some(stem) = word.strip_suffix('s') {
        stems.push(stem.to_owned());
    }
    if let Some(stem) = word.strip_suffix("ing") {
        stems.push(stem.to_owned());
        stems.push(format!("{stem}e"));
    }
    stems.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_however_they_are_written() {
        for name in [
            "getUnreadMail",
            "get_unread_mail",
            "GetUnreadMail",
            "get-unread-mail",
            "get.unread/mail",
            "GET_UNREAD_MAIL",
        ] {
            assert_eq!(split(name), ["get", "unread", "mail"], "{name}");
        }
        assert_eq!(split("parseHTTPUrl2"), ["parse", "http", "url", "2"]);
        assert_eq!(split("ｄｅｌｅｔｅ_file"), ["delete", "file"]);
        assert_eq!(split("dеlеtе"), ["delete"]);
        assert_eq!(split("löschen"), ["loschen"]);
    }
}
