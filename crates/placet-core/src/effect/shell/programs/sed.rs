//! The commands of `sed` that reach beyond the text: `e` runs, `r` reads, `w` writes.

/// What a script does besides editing.
#[derive(Debug, PartialEq, Eq)]
pub enum Reach {
    /// Runs this, or what it has edited if that is empty.
    Runs(String),
    /// Reads this file.
    Reads(String),
    /// Writes this file.
    Writes(String),
    /// More than is listed.
    More,
}

/// What one script is listed to do before giving up.
const REACH_MAX: usize = 256;

/// Reads a script, one command after the other.
pub fn read(script: &str) -> Vec<Reach> {
    let mut found = Vec::new();
    for line in script.lines() {
        let mut rest = line;
        while !rest.is_empty() {
            if found.len() >= REACH_MAX {
                found.push(Reach::More);
                return found;
            }
            rest = command(rest.trim_start_matches([' ', '\t', ';', '{', '}']), &mut found);
        }
    }
    found
}

/// Reads one command; gives what follows it on the line.
fn command<'a>(text: &'a str, found: &mut Vec<Reach>) -> &'a str {
    let text = after_addresses(text);
    let Some(name) = text.chars().next() else { return "" };
    let rest = &text[name.len_utf8()..];
    let argument = || rest.trim().to_owned();
    match name {
        'e' => found.push(Reach::Runs(argument())),
        'r' | 'R' => found.push(Reach::Reads(argument())),
        'w' | 'W' => found.push(Reach::Writes(argument())),
        's' | 'y' => return after_substitution(rest, found),
        // Text, labels and comments go to the end of the line.
        'a' | 'i' | 'c' | '#' | ':' => {}
        _ => return rest.split_once([';', '}']).map_or("", |(_, rest)| rest),
    }
    ""
}

/// `1,$`, `/re/I`, `\\cREc`, `2~3`, `!`
fn after_addresses(text: &str) -> &str {
    let mut text = text;
    loop {
        let before = text;
        text = text.trim_start_matches(|letter: char| letter.is_ascii_digit() || " \t,~$!+".contains(letter));
        let (open, start) = match text.as_bytes() {
            [b'/', ..] => ('/', 1),
            [b'\\', _, ..] => (
                text[1..].chars().next().unwrap_or('/'),
                1 + text[1..].chars().next().map_or(1, char::len_utf8),
            ),
            _ => return text,
        };
        match closing(&text[start..], open) {
            Some(end) => text = text[start + end..].trim_start_matches(['I', 'M']),
            None => return "",
        }
        if text.len() == before.len() {
            return text;
        }
    }
}

/// One past the next unescaped `close`.
fn closing(text: &str, close: char) -> Option<usize> {
    let mut escaped = false;
    for (at, letter) in text.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            letter if letter == close => return Some(at + letter.len_utf8()),
            _ => {}
        }
    }
    None
}

/// The rest of `s/…/…/flags`.
fn after_substitution<'a>(text: &'a str, found: &mut Vec<Reach>) -> &'a str {
    let Some(delimiter) = text.chars().next() else { return "" };
    let mut rest = &text[delimiter.len_utf8()..];
    for _ in 0..2 {
        match closing(rest, delimiter) {
            Some(end) => rest = &rest[end..],
            None => return "",
        }
    }
    let flags = rest.find([';', '}']).map_or(rest, |end| &rest[..end]);
    for (at, flag) in flags.char_indices() {
        match flag {
            'e' => found.push(Reach::Runs(String::new())),
            'w' => {
                found.push(Reach::Writes(rest[at + 1..].trim().to_owned()));
                return "";
            }
            _ => {}
        }
    }
    rest[flags.len()..].trim_start_matches([';', '}'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_reaches_beyond_the_text_is_found() {
        let runs = |text: &str| Reach::Runs(text.to_owned());
        assert_eq!(read("2e id"), [runs("id")]);
        assert_eq!(read("s|.*|id|e"), [runs("")]);
        assert_eq!(read("s/a/b/ge; p"), [runs("")]);
        assert_eq!(read("/x/w out.txt"), [Reach::Writes("out.txt".into())]);
        assert_eq!(read("s/a/b/w out.txt"), [Reach::Writes("out.txt".into())]);
        assert_eq!(read("1r notes"), [Reach::Reads("notes".into())]);
        for harmless in ["s/e/w/", "s/a/b/g;s/c/d/", "/re/d", "1,5p", "$!N;P;D", "s#/etc#/opt#g", "y/ew/EW/"]
        {
            assert_eq!(read(harmless), [], "{harmless}");
        }
    }
}
