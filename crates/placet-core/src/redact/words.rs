//! Sets of words that names and values are looked up in, in either case.

/// Words by their length: most texts are told from all of them by that alone.
pub struct Words(Vec<Vec<&'static str>>);

impl Words {
    pub fn new(lists: &[&[&'static str]]) -> Self {
        let mut by_length = Vec::new();
        for word in lists.iter().copied().flatten() {
            if by_length.len() <= word.len() {
                by_length.resize(word.len() + 1, Vec::new());
            }
            by_length[word.len()].push(*word);
        }
        Self(by_length)
    }

    /// Whether `word` is one of them.
    pub fn has(&self, word: &str) -> bool {
        let first = |word: &str| word.as_bytes().first().map(u8::to_ascii_lowercase);
        let begins = first(word);
        self.0.get(word.len()).is_some_and(|words| {
            words.iter().any(|other| first(other) == begins && word.eq_ignore_ascii_case(other))
        })
    }
}
