//! Sets of words that names and values are looked up in, in either case.

/// Words by their length and first letter: most texts are told from all of them by these alone.
pub struct Words(Vec<Vec<&'static str>>);

/// Letters that differ in their case, and some signs, share one of so many places.
const FIRSTS: usize = 32;

impl Words {
    pub fn new(lists: &[&[&'static str]]) -> Self {
        let mut places = Vec::new();
        for word in lists.iter().copied().flatten() {
            let place = place(word);
            if places.len() <= place {
                places.resize(place + 1, Vec::new());
            }
            places[place].push(*word);
        }
        Self(places)
    }

    /// Whether `word` is one of them.
    pub fn has(&self, word: &str) -> bool {
        let words = self.0.get(place(word));
        words
            .is_some_and(|words| words.iter().any(|other| word == *other || word.eq_ignore_ascii_case(other)))
    }
}

fn place(word: &str) -> usize {
    word.len() * FIRSTS + word.as_bytes().first().map_or(0, |first| usize::from(*first) % FIRSTS)
}
