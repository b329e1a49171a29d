//! What belongs together is masked together.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap},
    ops::{Bound, Range},
};

use foldhash::fast::RandomState;

use super::{Found, Kind, Redactor, Remap, mask};
use crate::sought::{self, Sought};

/// Masks what belongs together: a call and its decision, a result, a message. Equal secrets get equal masks, different ones
/// different masks, and one that was recognised by what stood around it is masked where nothing does.
///
/// It remembers the secrets it saw, so it should not live longer than what it is for.
pub struct Record<'r> {
    redactor: &'r Redactor,
    /// Which of the masks each secret has.
    masked: HashMap<String, usize, RandomState>,
    masks: Vec<String>,
    /// How many different secrets have wanted the same mask.
    wanted: HashMap<String, u32, RandomState>,
    /// The secrets to look for in every text from now on.
    known: Vec<Known>,
    /// The same in order, with their masks: those with the same beginning stand together.
    in_order: BTreeMap<String, usize>,
    /// How long the longest of them is.
    longest: usize,
}

/// A secret that is looked for.
struct Known {
    secret: String,
    kind: Kind,
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
/// Longer ones are looked for one by one, where no text makes that slow.
const BRIEF_MAX: usize = 4 * 1024;
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
            masked: HashMap::default(),
            masks: Vec::new(),
            wanted: HashMap::default(),
            known: Vec::new(),
            in_order: BTreeMap::new(),
            longest: 0,
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
        let mut numbers = self.take_notes(text, &found);
        let bare = self.elsewhere(text, before, &found);
        if !bare.is_empty() {
            found.extend(bare);
            found = super::apart(text, found);
            numbers = self.take_notes(text, &found);
        }
        let (mut masked, mut remap) = self.replace(text, &found, &numbers);
        let mut all = found;
        // A mask may bring out something new, and not only beside it: a quote that was open may be closed now, many lines away.
        // What is known already was looked for in all of the text before it was masked.
        let mut masks: Vec<Range<usize>> = remap.replaced().iter().map(|(_, now)| now.clone()).collect();
        for _ in 1..ROUNDS_MAX {
            let found = self.redactor.find_beside(&masked, &masks);
            if found.is_empty() {
                break;
            }
            let numbers = self.take_notes(&masked, &found);
            let (again, moved) = self.replace(&masked, &found, &numbers);
            let back = remap.inverse();
            all.extend(found.into_iter().map(|found| Found { range: back.range(found.range), ..found }));
            masked = again;
            masks = moved.replaced().iter().map(|(_, now)| now.clone()).collect();
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
        self.each_known(text, 0, |secret| found.push(secret));
        self.find_beginnings(text, &mut found);
        if found.len() == before { found } else { super::apart(text, found) }
    }

    /// The places of what is known, from the secret `first` on, where it was not `found`. These are in order.
    fn elsewhere(&self, text: &str, first: usize, found: &[Found]) -> Vec<Found> {
        let mut elsewhere = Vec::new();
        // The places of one secret come in order, and most of them are where it was found.
        let (mut next, mut last) = (0, 0);
        self.each_known(text, first, |secret| {
            if secret.range.start < last {
                next = 0;
            }
            last = secret.range.start;
            next += found[next..].iter().take_while(|found| found.range.start < last).count();
            if found.get(next) != Some(&secret) {
                elsewhere.push(secret);
            }
        });
        elsewhere
    }

    /// Sees the places of what is known, from the secret `first` on.
    fn each_known(&self, text: &str, first: usize, mut see: impl FnMut(Found)) {
        let mut known: Vec<&Known> = self.known[first..].iter().collect();
        // Many secrets in a long text are looked for in one pass; for less than that, preparing it would take longer.
        if known.len() >= MANY_KNOWN && text.len() >= LONG_TEXT {
            let brief = known.extract_if(.., |known| known.secret.len() <= BRIEF_MAX).collect();
            find_all(brief, text, &mut see);
        }
        for known in known {
            for at in memchr::memmem::find_iter(text.as_bytes(), known.secret.as_bytes()) {
                see(Found { kind: known.kind.clone(), range: at..at + known.secret.len() });
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

    /// `text` with `found` replaced by the masks of these `numbers`.
    fn replace(&self, text: &str, found: &[Found], numbers: &[usize]) -> (String, Remap) {
        let mut masked = String::with_capacity(text.len());
        let mut remap = Remap::with_capacity(found.len());
        let mut at = 0;
        for (Found { range, .. }, number) in found.iter().zip(numbers) {
            let Range { start, end } = range.clone();
            masked.push_str(text.get(at..start).unwrap_or(""));
            let mask = self.masks.get(*number).map_or("", String::as_str);
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

    /// Which masks `found` have in `text`.
    fn take_notes(&mut self, text: &str, found: &[Found]) -> Vec<usize> {
        let secret = |found: &Found| text.get(found.range.clone()).unwrap_or("");
        found.iter().map(|found| self.take_note(&found.kind, secret(found))).collect()
    }

    /// Gives `secret` a mask if it has none, and says which. What is left of one that was cut has the mask of all of it.
    fn take_note(&mut self, kind: &Kind, secret: &str) -> usize {
        if let Some(number) = self.masked.get(secret) {
            return *number;
        }
        match self.whole(secret) {
            Some(number) => {
                self.masked.insert(secret.to_owned(), number);
                number
            }
            None => self.remember_new(kind, secret),
        }
    }

    /// The mask of the first known secret that `beginning` is the beginning of.
    fn whole(&self, beginning: &str) -> Option<usize> {
        if !(BEGINNING_FROM..self.longest).contains(&beginning.len()) {
            return None;
        }
        let behind = self.in_order.range::<str, _>((Bound::Excluded(beginning), Bound::Unbounded));
        behind.take_while(|(secret, _)| secret.starts_with(beginning)).map(|(_, mask)| *mask).min()
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
        if secret.len() < KNOWN_FROM || self.known.len() >= KNOWN_MAX {
            return number;
        }
        // Plain words and identifiers occur by chance.
        let plain = |byte: u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-' | b'.' | b':' | b' ');
        let word = secret.bytes().all(plain) || secret.bytes().all(|byte| byte.is_ascii_digit());
        if !word {
            self.longest = self.longest.max(secret.len());
            self.in_order.insert(secret.to_owned(), number);
            self.known.push(Known { secret: secret.to_owned(), kind: kind.clone() });
        }
        number
    }
}

/// Sees the places of all of `known`, in one pass over every few letters of the text: four of them stand in the beginning of
/// a secret at some place, and most differ from all that do.
fn find_all(mut known: Vec<&Known>, text: &str, mut see: impl FnMut(Found)) {
    known.sort_unstable_by_key(|known| &known.secret);
    let secrets: Vec<&[u8]> = known.iter().map(|known| known.secret.as_bytes()).collect();
    let table = sought::table(&secrets);
    let sought = Sought::read(&table).expect("it was written just now");
    // For four letters, how far they may be from where a secret begins, one bit each.
    let mut places = [0u8; 1 << SPREAD_BITS];
    for secret in &secrets {
        for (place, letters) in secret.array_windows().take(STRIDE).enumerate() {
            places[spread(*letters)] |= 1 << place;
        }
    }
    let bytes = text.as_bytes();
    for (at, letters) in (0..).step_by(STRIDE).zip(bytes.chunks(STRIDE)) {
        let Some(letters) = letters.first_chunk() else { break };
        let mut here = places[spread(*letters)];
        while here != 0 {
            // The furthest first, so that places come in order.
            let place = here.ilog2();
            here ^= 1 << place;
            let Some(start) = usize::checked_sub(at, place as usize) else { continue };
            sought.each(&bytes[start..], |number, length| {
                see(Found { kind: known[number].kind.clone(), range: start..start + length });
            });
        }
    }
}

/// The letters of a text are looked at at every so many places. Each secret that is looked for is long enough to have four of
/// them at one.
const STRIDE: usize = KNOWN_FROM - 3;
const SPREAD_BITS: u32 = 12;

/// Four letters as a small number, so that what is alike falls apart.
fn spread(letters: [u8; 4]) -> usize {
    (u32::from_le_bytes(letters).wrapping_mul(0x9e37_79b1) >> (u32::BITS - SPREAD_BITS)) as usize
}
