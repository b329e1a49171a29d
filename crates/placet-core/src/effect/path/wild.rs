//! Wildcards and holes in a part of a path, and the names they could become.

use super::HOLE;

/// Longer than the longest part in any table; the number of bits in a set of positions.
const PATTERN_MAX: usize = 63;

/// So many signs of a wildcard are looked at: every other one may be a star.
const TOKENS_MAX: usize = 2 * PATTERN_MAX + 2;

const HOLE_BYTE: u8 = HOLE as u8;

/// What a part with wildcards or holes could become.
#[derive(Clone)]
pub(super) struct Wild {
    pub tokens: Vec<Token>,
    /// How many characters are certain.
    pub literals: usize,
    /// How many of them come before the first wildcard.
    pub start: usize,
    /// Whether there is a hole.
    pub hole: bool,
    pub edges: Edges,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Token {
    Is(u8),
    One,
    Any,
}

impl Wild {
    /// Reads `*`, `?`, `[…]` and holes; a name too long to be in any table is left at its beginning.
    pub(super) fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut wild = Self {
            tokens: Vec::with_capacity(bytes.len().min(TOKENS_MAX + 1)),
            literals: 0,
            start: 0,
            hole: bytes.contains(&HOLE_BYTE),
            edges: Edges::default(),
        };
        let mut at = 0;
        let mut starts = true;
        let mut brackets = true;
        while let Some(&byte) = bytes.get(at) {
            let mut next = at + 1;
            let token = match byte {
                b'*' | HOLE_BYTE => Token::Any,
                b'?' => Token::One,
                b'[' if brackets => match bytes.iter().skip(at + 2).position(|byte| *byte == b']') {
                    Some(length) => {
                        next = at + length + 3;
                        Token::One
                    }
                    None => {
                        brackets = false;
                        Token::Is(byte)
                    }
                },
                byte => Token::Is(byte),
            };
            at = next;
            starts &= matches!(token, Token::Is(_));
            wild.start += usize::from(starts);
            wild.literals += usize::from(matches!(token, Token::Is(_)));
            if token != Token::Any || wild.tokens.last() != Some(&Token::Any) {
                wild.tokens.push(token);
            }
            if wild.tokens.len() > TOKENS_MAX {
                break;
            }
        }
        let letter = |token: &Token| match token {
            Token::Is(byte) => Some(*byte),
            Token::One | Token::Any => None,
        };
        // Of one that was left at its beginning, the end is not certain.
        let whole = at >= bytes.len();
        let last = wild.tokens.iter().rev().map(letter).filter(|_| whole);
        wild.edges = Edges::new(wild.tokens.iter().map(letter), last);
        wild
    }

    /// Whether it is `*` or `**`.
    pub(super) fn is_any(&self) -> bool {
        !self.hole && self.tokens == [Token::Any]
    }

    /// Whether a name with these first and last bytes is worth a closer look.
    pub(super) fn fits_ends(&self, [first, last]: [u8; 2]) -> bool {
        let fits = |token: Option<&Token>, byte: u8| match token {
            Some(Token::Is(token)) => byte == b'*' || byte.eq_ignore_ascii_case(token),
            Some(Token::One | Token::Any) | None => true,
        };
        fits(self.tokens.first(), first) && fits(self.tokens.last(), last)
    }

    /// Whether some text fits both this and `name`, which may hold `*`. Keeps the set of positions in
    /// `name` that can have been reached, as bits.
    pub(super) fn could_become(&self, name: &[u8]) -> bool {
        let ends = [name.first(), name.last()].map(|byte| byte.copied().unwrap_or_default());
        if name.len() > PATTERN_MAX || !self.fits_ends(ends) {
            return false;
        }
        // A star in the name may stand for nothing, so a position before one is also a position after it.
        let stars = name
            .iter()
            .enumerate()
            .filter(|(_, byte)| **byte == b'*')
            .fold(0_u64, |set, (at, _)| set | 1 << at);
        let settle = |mut set: u64| {
            while (set & stars) << 1 & !set != 0 {
                set |= (set & stars) << 1;
            }
            set
        };
        let end = 1_u64 << name.len();
        let mut reached = settle(1);
        for token in &self.tokens {
            if *token == Token::Any {
                // Everything from the first position on.
                reached = !(reached & reached.wrapping_neg()).wrapping_sub(1) & (end | (end - 1));
                continue;
            }
            let mut next = reached & stars;
            let mut rest = reached & !stars & (end - 1);
            while rest != 0 {
                let at = rest.trailing_zeros();
                rest &= rest - 1;
                let fits = match token {
                    Token::Is(byte) => name[at as usize].eq_ignore_ascii_case(byte),
                    Token::One | Token::Any => true,
                };
                next |= u64::from(fits) << (at + 1);
            }
            reached = settle(next);
            if reached == 0 {
                return false;
            }
        }
        reached & end != 0
    }
}

/// The first and the last four bytes of a name, as far as they are certain, and the case of letters left out.
#[derive(Clone, Copy, Default)]
pub(super) struct Edges {
    bytes: u64,
    /// Ones for each byte that is certain.
    certain: u64,
}

impl Edges {
    /// Of a name whose uncertain bytes are `None`, forwards and backwards.
    fn new(forwards: impl Iterator<Item = Option<u8>>, backwards: impl Iterator<Item = Option<u8>>) -> Self {
        let mut edges = Self::default();
        let certain = |(shift, byte): (u32, Option<u8>)| Some((shift, byte?));
        let first = (0..32).step_by(8).zip(forwards).map_while(certain);
        let last = (32..64).step_by(8).zip(backwards).map_while(certain);
        for (shift, byte) in first.chain(last) {
            edges.bytes |= u64::from(byte | CASE) << shift;
            edges.certain |= 0xff << shift;
        }
        edges
    }

    /// Of a name that is certain.
    pub(super) fn of(name: &str) -> Self {
        let half = u64::from(u32::MAX) >> (32 - 8 * name.len().min(4));
        Self { bytes: Ends::new(name.as_bytes()).0, certain: half | half << 32 }
    }

    /// Of a name whose `*` stand for any text.
    pub(super) fn of_pattern(name: &str) -> Self {
        let letter = |byte: u8| (byte != b'*').then_some(byte);
        Self::new(name.bytes().map(letter), name.bytes().rev().map(letter))
    }

    /// Whether some name could have both.
    pub(super) fn agree(self, other: Self) -> bool {
        (self.bytes ^ other.bytes) & self.certain & other.certain == 0
    }
    /// Whether a name with these ends could have them.
    pub(super) fn fit(self, ends: Ends) -> bool {
        (self.bytes ^ ends.0) & self.certain == 0
    }
}

/// The bytes of [`Edges`] that are all certain.
#[derive(Clone, Copy)]
pub(super) struct Ends(u64);

impl Ends {
    pub(super) const NONE: Self = Self(0);

    pub(super) fn new(name: &[u8]) -> Self {
        let (first, last) = match (name.first_chunk(), name.last_chunk()) {
            (Some(first), Some(last)) => (u32::from_le_bytes(*first), u32::from_be_bytes(*last)),
            _ => Self::of_short(name),
        };
        Self(u64::from(first) | u64::from(last) << 32 | u64::from_ne_bytes([CASE; 8]))
    }

    fn of_short(name: &[u8]) -> (u32, u32) {
        let (first, last) = match *name {
            [a] => ([a, 0, 0, 0], [0, 0, 0, a]),
            [a, b] => ([a, b, 0, 0], [0, 0, a, b]),
            [a, b, c] => ([a, b, c, 0], [0, a, b, c]),
            _ => ([0; 4], [0; 4]),
        };
        (u32::from_le_bytes(first), u32::from_be_bytes(last))
    }

    /// So many letters make a [`Self::start`].
    pub(super) const START: usize = 3;

    /// A number for the first letters, the same whatever their case.
    pub(super) fn start(self) -> u32 {
        (self.0 as u32 & 0x00ff_ffff).wrapping_mul(0x9e37_79b1)
    }

    /// A number for a name with these ends and `length` bytes, the same whatever the case of its letters.
    pub(super) fn hash(self, length: usize) -> u32 {
        ((self.0 ^ length as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
    }
}

/// The bit that tells `A` from `a`.
const CASE: u8 = 0x20;
