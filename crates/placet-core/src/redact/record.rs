//! What belongs together is masked together.

use std::{borrow::Cow, collections::HashMap, ops::Range};

use aho_corasick::AhoCorasick;

use super::{Found, Kind, Redactor, Remap, mask};

/// Masks what belongs together: a call and its decision, a result, a message. Equal secrets get equal masks, different ones
/// different masks, and one that was recognised by what stood around it is masked where nothing does.
///
/// It remembers the secrets it saw, so it should not live longer than what it is for.
pub struct Record<'r> {
    redactor: &'r Redactor,
    /// Which of the masks each secret has.
    masked: HashMap<String, usize>,
    masks: Vec<String>,
    /// How many different secrets have wanted the same mask.
    wanted: HashMap<String, u32>,
    /// The secrets to look for in every text from now on.
    known: Vec<Known>,
}

/// A secret that is looked for.
struct Known {
    secret: String,
    /// Its first letters as a number: most differ in these, and are told apart at once.
    beginning: u64,
    kind: Kind,
    /// Which mask it has.
    mask: usize,
}

/// A text with its secrets masked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Masked<'t> {
    /// The text.
    pub text: Cow<'t, str>,
    /// Where things have moved to.
    pub remap: Remap,
    /// What was found, by the bytes of the text before.
    pub found: Vec<Found>,
}

/// So many secrets are looked for everywhere; more than that is a dump, where each stands by its name.
const KNOWN_MAX: usize = 64;
/// From so many on, in a text from this length on, they are looked for all at once.
const MANY_KNOWN: usize = 8;
const LONG_TEXT: usize = 16 * 1024;
/// Shorter ones, and plain words, are not looked for: they occur by chance.
const KNOWN_FROM: usize = 8;
/// So much of a secret is enough to mask the beginning that is left where a text was cut.
const BEGINNING_FROM: usize = 6;
/// A text is cut before more than this of a secret is left, and at not more than so many places.
const BEGINNING_MAX: usize = 256;
const CUTS_MAX: usize = 64;
/// Masking can bring out something new next to a mask; more rounds than this are never needed, and never taken.
const ROUNDS_MAX: usize = 6;

impl<'r> Record<'r> {
    pub(super) fn new(redactor: &'r Redactor) -> Self {
        Self {
            redactor,
            masked: HashMap::new(),
            masks: Vec::new(),
            wanted: HashMap::new(),
            known: Vec::new(),
        }
    }

    /// `text` with its secrets masked; `text` itself if there are none.
    pub fn text<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        self.masked(text).text
    }

    /// The same, with where things have moved to.
    pub fn masked<'t>(&mut self, text: &'t str) -> Masked<'t> {
        self.masked_with(text, Vec::new())
    }

    /// The same, where `named` is known to be secret by what stands around the text.
    pub(super) fn masked_with<'t>(&mut self, text: &'t str, named: Vec<Found>) -> Masked<'t> {
        let mut found = self.find(text, named);
        if found.is_empty() {
            return Masked { text: Cow::Borrowed(text), remap: Remap::identity(), found };
        }
        // What was found just now may stand bare elsewhere in the same text.
        let before = self.known.len();
        self.masked.reserve(found.len());
        for secret in &found {
            self.take_note(&secret.kind, text.get(secret.range.clone()).unwrap_or(""));
        }
        if self.known.len() > before {
            self.find_known(text, before, &mut found);
            found = super::apart(text, found);
        }
        let mut all = found.clone();
        let (mut masked, mut remap) = self.replace(text, &found);
        // A mask may bring out something new, and not only beside it: a quote that was open may be closed now, many lines away.
        // What is known already was looked for in all of the text before it was masked.
        for _ in 1..ROUNDS_MAX {
            let found = self.redactor.find(&masked);
            if found.is_empty() {
                break;
            }
            let (again, moved) = self.replace(&masked, &found);
            let back = remap.inverse();
            all.extend(found.into_iter().map(|found| Found { range: back.range(found.range), ..found }));
            masked = again;
            remap = remap.then(&moved);
        }
        all.sort_by_key(|found| found.range.start);
        Masked { text: Cow::Owned(masked), remap, found: all }
    }

    /// Takes note of the secrets in `text`, so that they are masked in what comes after it and before it alike.
    pub fn learn(&mut self, text: &str) {
        for secret in self.redactor.find(text) {
            self.remember(&secret.kind, text.get(secret.range).unwrap_or(""));
        }
    }

    fn find(&self, text: &str, named: Vec<Found>) -> Vec<Found> {
        let mut found = self.redactor.find(text);
        if self.known.is_empty() && named.is_empty() {
            return found;
        }
        let before = found.len();
        found.extend(named);
        self.find_known(text, 0, &mut found);
        self.find_beginnings(text, &mut found);
        if found.len() == before { found } else { super::apart(text, found) }
    }

    /// Adds the places of what is known, from the secret `first` on.
    fn find_known(&self, text: &str, first: usize, found: &mut Vec<Found>) {
        let known = &self.known[first..];
        // Many secrets in a long text are looked for in one pass; for less than that, building it would take longer.
        if known.len() >= MANY_KNOWN
            && text.len() >= LONG_TEXT
            && let Some(all) = search_for(known)
        {
            for at in all.find_overlapping_iter(text) {
                found.push(Found { kind: known[at.pattern().as_usize()].kind.clone(), range: at.range() });
            }
            return;
        }
        for known in known {
            for at in memchr::memmem::find_iter(text.as_bytes(), known.secret.as_bytes()) {
                found.push(Found { kind: known.kind.clone(), range: at..at + known.secret.len() });
            }
        }
    }

    /// Where a text was cut within a secret, its beginning is left before the sign that says so.
    fn find_beginnings(&self, text: &str, found: &mut Vec<Found>) {
        for (at, _) in text.match_indices('…').take(CUTS_MAX) {
            // Most such signs stand behind a blank, as in a mask.
            let Some(last) = text[..at].bytes().last().filter(|last| !last.is_ascii_whitespace()) else {
                continue;
            };
            for known in &self.known {
                let longest = (BEGINNING_FROM..known.secret.len().min(BEGINNING_MAX))
                    .rev()
                    .filter(|length| known.secret.as_bytes()[length - 1] == last)
                    .filter_map(|length| known.secret.get(..length))
                    .find(|beginning| text[..at].ends_with(beginning));
                if let Some(beginning) = longest {
                    found.push(Found { kind: known.kind.clone(), range: at - beginning.len()..at });
                }
            }
        }
    }

    fn replace(&mut self, text: &str, found: &[Found]) -> (String, Remap) {
        let mut masked = String::with_capacity(text.len());
        let mut remap = Remap::identity();
        let mut at = 0;
        for Found { kind, range } in found {
            let Range { start, end } = range.clone();
            masked.push_str(text.get(at..start).unwrap_or(""));
            let mask = self.mask(kind, text.get(start..end).unwrap_or(""));
            remap.push(start..end, mask.len());
            masked.push_str(mask);
            at = end;
        }
        masked.push_str(text.get(at..).unwrap_or(""));
        (masked, remap)
    }

    /// The mask of `secret`, the same every time.
    pub(super) fn mask(&mut self, kind: &Kind, secret: &str) -> &str {
        let number = self.take_note(kind, secret);
        self.masks.get(number).map_or("", String::as_str)
    }

    /// Gives `secret` a mask if it has none, and says which. What is left of one that was cut has the mask of all of it.
    fn take_note(&mut self, kind: &Kind, secret: &str) -> usize {
        if let Some(number) = self.masked.get(secret) {
            return *number;
        }
        let whole = beginning(secret).and_then(|beginning| {
            self.known.iter().find(|known| {
                known.beginning == beginning
                    && known.secret.len() > secret.len()
                    && known.secret.starts_with(secret)
            })
        });
        match whole.map(|known| known.mask) {
            Some(number) => {
                self.masked.insert(secret.to_owned(), number);
                number
            }
            None => self.remember_new(kind, secret),
        }
    }

    fn remember(&mut self, kind: &Kind, secret: &str) {
        if !self.masked.contains_key(secret) {
            self.remember_new(kind, secret);
        }
    }

    fn remember_new(&mut self, kind: &Kind, secret: &str) -> usize {
        let first = mask::mask(kind, secret);
        let mask = match self.wanted.get_mut(&first) {
            Some(wanted) => {
                *wanted += 1;
                mask::numbered(first, *wanted)
            }
            None => {
                self.wanted.insert(first.clone(), 1);
                first
            }
        };
        let number = self.masks.len();
        self.masks.push(mask);
        self.masked.insert(secret.to_owned(), number);
        // Plain words and identifiers occur by chance.
        let plain = |byte: u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-' | b'.' | b':' | b' ');
        let word = secret.bytes().all(plain) || secret.bytes().all(|byte| byte.is_ascii_digit());
        if secret.len() >= KNOWN_FROM
            && !word
            && self.known.len() < KNOWN_MAX
            && let Some(beginning) = beginning(secret)
        {
            let (secret, kind) = (secret.to_owned(), kind.clone());
            self.known.push(Known { secret, beginning, kind, mask: number });
        }
        number
    }
}

/// The letters of a secret that must be there where it was cut, as a number.
fn beginning(secret: &str) -> Option<u64> {
    let letters = secret.as_bytes().first_chunk::<BEGINNING_FROM>()?;
    Some(letters.iter().fold(0, |number, letter| number << 8 | u64::from(*letter)))
}

/// One search for all of them. In a text full of secrets, looking for their rarest letters first would be in vain.
fn search_for(known: &[Known]) -> Option<AhoCorasick> {
    AhoCorasick::builder().prefilter(false).build(known.iter().map(|known| &known.secret)).ok()
}
