//! Finding the rows of a table that a path meets, without trying every row.
//!
//! A row is a pattern such as `/etc/shadow`, `~/.ssh/`, `C:/Windows/`, `./dist/` or `**/*.pem`.
//! It begins at the root, at a home directory, at a drive, in the working tree or anywhere; one that
//! ends in `/` covers what lies beneath as well. `*` stands for any text within a part.

use super::HOLE;
use super::spell::{Located, Part};

/// A table of patterns, arranged by the first part of each.
pub(super) struct Index {
    rows: Vec<Row>,
    /// By the first two parts, or by the first if the second is missing or holds `*`; with the hash of these.
    exact: Vec<Vec<(u32, u16)>>,
    /// Rows with a second part, by the first: for paths whose second part is a wildcard.
    longer: Vec<Vec<u16>>,
    /// By the first two letters, for `.env.*`.
    starts: Vec<Vec<u16>>,
    /// By what follows the last dot, for `*.pem`.
    endings: Vec<Vec<u16>>,
    /// The rest, tried on every part.
    others: Vec<u16>,
    /// Rows whose first part is `*`: the only ones that a part of which nothing is known can meet.
    anything: Vec<u16>,
    /// By the first and by the last byte of the first part, for paths where that part is a wildcard.
    first: Vec<Vec<u16>>,
    last: Vec<Vec<u16>>,
    has_endings: bool,
    /// Whether each row says where it begins.
    anchored: bool,
}

/// A row that a path meets.
#[derive(Clone, Copy)]
pub(super) struct Hit {
    /// The place of the row in its table.
    pub row: usize,
    /// The part of the path where it begins.
    pub at: usize,
    /// Whether the row says where it begins, rather than beginning anywhere.
    pub anchored: bool,
    /// Whether it is met only because a wildcard could become it.
    pub guessed: bool,
}

struct Row {
    scope: Scope,
    beneath: bool,
    parts: Vec<Name>,
    /// Of the second part, if there is one and it holds no `*`.
    second: Option<u32>,
    /// The first and the last byte of the first part.
    ends: [u8; 2],
    /// More of them, as far as they are certain.
    edges: Edges,
    /// Those of the shortest text that the first part fits.
    shortest_edges: Edges,
}

/// The first and the last four bytes of a name in lower case, as far as they are certain.
#[derive(Clone, Copy, Default)]
struct Edges {
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
            edges.bytes |= u64::from(byte.to_ascii_lowercase()) << shift;
            edges.certain |= 0xff << shift;
        }
        edges
    }

    /// Whether some name could have both.
    fn agree(self, other: Self) -> bool {
        (self.bytes ^ other.bytes) & self.certain & other.certain == 0
    }
}

/// A part of a row.
pub(super) struct Name {
    text: &'static str,
    hash: u32,
    /// Whether it holds `*`.
    star: bool,
    /// The shortest text that fits.
    shortest: String,
    /// Whether its capital letters matter.
    proper: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    Anywhere,
    Tree,
    Slash,
    Home,
    Drive,
}

const BUCKETS: usize = 1024;

/// So many parts are looked at, from either end. No system opens a path of more.
const PARTS_MAX: usize = 2_048;

/// Longer than the longest part in any table; the number of bits in a set of positions.
const PATTERN_MAX: usize = 63;

/// So many signs of a wildcard are looked at: every other one may be a star.
const TOKENS_MAX: usize = 2 * PATTERN_MAX + 2;

const HOLE_BYTE: u8 = HOLE as u8;

impl Index {
    pub(super) fn new(patterns: impl Iterator<Item = &'static str>) -> Self {
        let mut index = Self {
            rows: Vec::new(),
            exact: vec![Vec::new(); BUCKETS],
            longer: vec![Vec::new(); BUCKETS],
            starts: vec![Vec::new(); 256],
            endings: vec![Vec::new(); BUCKETS],
            others: Vec::new(),
            anything: Vec::new(),
            first: vec![Vec::new(); 256],
            last: vec![Vec::new(); 256],
            has_endings: false,
            anchored: true,
        };
        for (number, pattern) in patterns.enumerate() {
            let row = Row::parse(pattern);
            index.anchored &= row.is_anchored();
            let number = number as u16;
            let first = &row.parts[0];
            match (first.star, first.text.as_bytes()) {
                (false, _) => {
                    let hash = pair(first.hash, row.second);
                    index.exact[bucket(hash)].push((hash, number));
                    if row.second.is_some() {
                        index.longer[bucket(first.hash)].push(number);
                    }
                }
                (true, [b'*', middle @ .., last]) if *last != b'*' => {
                    // By its ending, if that is all there is: `*.pem`.
                    match middle.iter().rposition(|byte| *byte == b'.') {
                        Some(dot) if !middle[dot..].contains(&b'*') => {
                            let ending = ending(first.text).unwrap_or(Part::new(first.text));
                            index.endings[bucket(ending.hash)].push(number);
                        }
                        _ => index.others.push(number),
                    }
                }
                (true, [a, b, ..]) if *a != b'*' && *b != b'*' => index.starts[start(*a, *b)].push(number),
                (true, _) => index.others.push(number),
            }
            if first.shortest.is_empty() {
                index.anything.push(number);
            }
            let [first, last] = row.ends;
            index.first[lower(first)].push(number);
            index.last[lower(last)].push(number);
            index.rows.push(row);
        }
        index.has_endings = index.endings.iter().any(|rows| !rows.is_empty());
        index
    }

    /// Calls `hit` for each row that `path` meets, in no particular order.
    pub(super) fn each(&self, path: &Located<'_>, mut hit: impl FnMut(Hit)) {
        let length = path.parts.len();
        for (at, part) in path.parts.iter().enumerate() {
            let mut try_row = |number: u16| {
                if let Some(found) = self.rows[usize::from(number)].meets(path, at) {
                    hit(Hit { row: usize::from(number), ..found });
                }
            };
            let too_far = at >= PARTS_MAX && at + PARTS_MAX < length;
            if too_far || self.anchored && !path.is_anchor(at) || self.rows.is_empty() {
                continue;
            }
            if part.is_any() && !path.is_anchor(at) {
                continue;
            }
            if part.wild {
                if let Some(wild) = &part.becomes {
                    if part.text.chars().all(|letter| letter == HOLE) {
                        self.anything.iter().copied().for_each(&mut try_row);
                    } else {
                        self.worth_a_look(part.text, wild, &mut try_row);
                    }
                }
                continue;
            }
            match path.parts.get(at + 1) {
                Some(next) if next.wild => {
                    self.longer[bucket(part.hash)].iter().copied().for_each(&mut try_row);
                }
                Some(next) => self.exactly(pair(part.hash, Some(next.hash))).for_each(&mut try_row),
                None => {}
            }
            self.exactly(part.hash).for_each(&mut try_row);
            self.others.iter().copied().for_each(&mut try_row);
            if let [a, b, ..] = part.text.as_bytes() {
                self.starts[start(*a, *b)].iter().copied().for_each(&mut try_row);
            }
            if self.has_endings
                && let Some(ending) = ending(part.text)
            {
                self.endings[bucket(ending.hash)].iter().copied().for_each(&mut try_row);
            }
        }
    }

    /// The rows that begin with what has this hash.
    fn exactly(&self, hash: u32) -> impl Iterator<Item = u16> {
        self.exact[bucket(hash)].iter().filter(move |(known, _)| *known == hash).map(|(_, number)| *number)
    }

    /// Calls `try_row` for each row whose first part `wild`, which is written `text`, could become, as far as the first
    /// and the last bytes tell.
    fn worth_a_look(&self, text: &str, wild: &Wild, mut try_row: impl FnMut(u16)) {
        let written = Edges::new(text.bytes().map(Some), text.bytes().rev().map(Some));
        // What does not begin with a dot does not become a hidden file.
        let shown = matches!(wild.tokens.first(), Some(Token::Any | Token::One)) && !wild.hole;
        let fits = |number: &&u16| {
            let row = &self.rows[usize::from(**number)];
            // What begins anywhere is met by the wildcard as it stands, or as its shortest text.
            let agree = wild.edges.agree(row.shortest_edges)
                || wild.edges.agree(row.edges) && (row.is_anchored() || written.agree(row.edges));
            agree && !(shown && row.ends[0] == b'.') && wild.fits_ends(row.ends)
        };
        let (table, byte) = match (wild.tokens.first(), wild.tokens.last()) {
            (Some(Token::Is(first)), _) => (&self.first, *first),
            (_, Some(Token::Is(last))) => (&self.last, *last),
            _ => {
                (0..self.rows.len() as u16).filter(|number| fits(&number)).for_each(try_row);
                return;
            }
        };
        table[lower(byte)].iter().filter(fits).copied().for_each(&mut try_row);
        // A star in the row becomes whatever the wildcard says.
        if byte != b'*' {
            table[lower(b'*')].iter().filter(fits).copied().for_each(&mut try_row);
        }
    }

    /// Whether `path` meets any row.
    pub(super) fn any(&self, path: &Located<'_>) -> bool {
        let mut any = false;
        self.each(path, |_| any = true);
        any
    }
}

impl Row {
    fn parse(pattern: &'static str) -> Self {
        let (scope, rest) = if let Some(rest) = pattern.strip_prefix("**/") {
            (Scope::Anywhere, rest)
        } else if let Some(rest) = pattern.strip_prefix("./") {
            (Scope::Tree, rest)
        } else if let Some(rest) = pattern.strip_prefix("~/") {
            (Scope::Home, rest)
        } else if let Some(rest) = pattern.strip_prefix("C:/") {
            (Scope::Drive, rest)
        } else {
            (Scope::Slash, pattern.strip_prefix('/').unwrap_or(pattern))
        };
        let beneath = rest.ends_with('/');
        let parts: Vec<Name> = rest.trim_end_matches('/').split('/').map(Name::new).collect();
        let second = parts.get(1).filter(|name| !name.star).map(|name| name.hash);
        let first = parts[0].text.as_bytes();
        let ends = [first.first(), first.last()].map(|byte| byte.copied().unwrap_or_default());
        let letter = |byte: &u8| (*byte != b'*').then_some(*byte);
        let edges = Edges::new(first.iter().map(letter), first.iter().rev().map(letter));
        let shortest = parts[0].shortest.as_bytes();
        let shortest_edges =
            Edges::new(shortest.iter().copied().map(Some), shortest.iter().rev().copied().map(Some));
        Self { scope, beneath, parts, second, ends, edges, shortest_edges }
    }

    fn is_anchored(&self) -> bool {
        !matches!(self.scope, Scope::Anywhere | Scope::Tree)
    }

    fn meets(&self, path: &Located<'_>, at: usize) -> Option<Hit> {
        let end = at + self.parts.len();
        let long_enough = if self.beneath { end <= path.parts.len() } else { end == path.parts.len() };
        if !long_enough || !self.may_begin(path, at) {
            return None;
        }
        if let (Some(second), Some(part)) = (self.second, path.parts.get(at + 1))
            && part.hash != second
            && !part.wild
        {
            return None;
        }
        let anchored = self.is_anchored();
        let mut guessed = false;
        // `/*/*` says nothing about `/run/placet`.
        if self.parts.len() > 1 && path.parts[at..end].iter().all(Part::is_any) {
            return None;
        }
        for (number, (name, part)) in self.parts.iter().zip(&path.parts[at..end]).enumerate() {
            // `*.pyc` is a row as it stands; whatever it becomes will fit.
            if part.wild && name.star && glob(name.text.as_bytes(), part.text.as_bytes()) {
                continue;
            }
            guessed |= part.wild;
            if !name.is_met_by(part, number > 0 || anchored) {
                return None;
            }
        }
        Some(Hit { row: 0, at, anchored, guessed })
    }

    /// Whether the row may begin at part `at` of `path`.
    fn may_begin(&self, path: &Located<'_>, at: usize) -> bool {
        match self.scope {
            Scope::Anywhere => true,
            Scope::Tree => path.tree_at.is_some_and(|tree| at >= tree),
            Scope::Drive => path.drive_at == Some(at),
            Scope::Slash => {
                path.slash_at == Some(at)
                    // A long climb, or an unknown beginning, probably ends at the root. `../lib` does not.
                    || path.maybe_slash_at == Some(at) && (self.parts.len() > 1 || self.parts[0].text == "etc")
            }
            Scope::Home => {
                path.home_at == Some(at)
                    || path.maybe_home_at == Some(at) && self.parts[0].text.starts_with('.')
            }
        }
    }
}

/// The hash of a part and the one after it.
fn pair(first: u32, second: Option<u32>) -> u32 {
    second.map_or(first, |second| first.rotate_left(7) ^ second.wrapping_mul(0x9e37_79b1))
}

/// A letter, whatever its case, as a number.
fn lower(byte: u8) -> usize {
    usize::from(byte.to_ascii_lowercase())
}

/// Two letters as one number below 256.
fn start(a: u8, b: u8) -> usize {
    usize::from(a.to_ascii_lowercase().wrapping_mul(31) ^ b.to_ascii_lowercase())
}

/// What follows the last dot, if there is one.
fn ending(text: &str) -> Option<Part<'_>> {
    let dot = text.bytes().rposition(|byte| byte == b'.')?;
    Some(Part::new(&text[dot + 1..]))
}

fn bucket(hash: u32) -> usize {
    (hash ^ (hash >> 15)) as usize % BUCKETS
}

impl Name {
    pub(super) fn new(text: &'static str) -> Self {
        Self {
            text,
            hash: Part::new(text).hash,
            star: text.contains('*'),
            shortest: text.replace('*', ""),
            // `/system` is nobody's, `/System` is Apple's.
            proper: matches!(text, "System" | "Library" | "Applications"),
        }
    }

    /// Whether a part of a path is, or could become, this name. Where the place is known (`~/.ss?`) any
    /// chance will do; elsewhere (`*.yml`) the wildcard must be about this name.
    pub(super) fn is_met_by(&self, part: &Part<'_>, placed: bool) -> bool {
        if !part.wild {
            return if self.star {
                part.text.len() >= self.shortest.len() && glob(self.text.as_bytes(), part.text.as_bytes())
            } else {
                self.hash == part.hash
                    && self.text.eq_ignore_ascii_case(part.text)
                    && !(self.proper && self.text != part.text)
            };
        }
        let Some(wild) = &part.becomes else { return false };
        let name = self.text.as_bytes();
        if wild.is_any() {
            return placed && name.first() != Some(&b'.');
        }
        // A shell does not let a star stand for the dot of a hidden file.
        let hidden =
            name.first() == Some(&b'.') && matches!(wild.tokens.first(), Some(Token::Any | Token::One));
        if hidden && !part.text.starts_with(HOLE) {
            return false;
        }
        if placed && !wild.hole {
            return wild.could_become(name);
        }
        if wild.literals == 0 || hidden {
            return false;
        }
        let begins = !wild.hole && (wild.start >= 3 || wild.start >= 1 && part.text.starts_with('.'));
        if !begins && wild.literals * 2 < self.shortest.len() {
            return false;
        }
        wild.could_become(self.shortest.as_bytes())
    }
}

/// Whether `text` is what `pattern` describes. Both may be long; only the last `*` is ever tried again.
fn glob(pattern: &[u8], text: &[u8]) -> bool {
    let tail = pattern.rsplit(|byte| *byte == b'*').next().unwrap_or_default();
    if !text.len().checked_sub(tail.len()).is_some_and(|at| text[at..].eq_ignore_ascii_case(tail)) {
        return false;
    }
    let (mut p, mut t) = (0, 0);
    let mut again: Option<(usize, usize)> = None;
    while t < text.len() {
        match pattern.get(p) {
            Some(b'*') => {
                again = Some((p + 1, t));
                p += 1;
            }
            Some(byte) if byte.eq_ignore_ascii_case(&text[t]) => {
                p += 1;
                t += 1;
            }
            _ => match &mut again {
                Some((after, from)) => {
                    *from += 1;
                    (p, t) = (*after, *from);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|byte| *byte == b'*')
}

/// What a part with wildcards or holes could become.
#[derive(Clone)]
pub(super) struct Wild {
    tokens: Vec<Token>,
    /// How many characters are certain.
    literals: usize,
    /// How many of them come before the first wildcard.
    start: usize,
    /// Whether there is a hole.
    hole: bool,
    edges: Edges,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Token {
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
    fn fits_ends(&self, [first, last]: [u8; 2]) -> bool {
        let fits = |token: Option<&Token>, byte: u8| match token {
            Some(Token::Is(token)) => byte == b'*' || byte.eq_ignore_ascii_case(token),
            Some(Token::One | Token::Any) | None => true,
        };
        fits(self.tokens.first(), first) && fits(self.tokens.last(), last)
    }

    /// Whether some text fits both this and `name`, which may hold `*`. Keeps the set of positions in
    /// `name` that can have been reached, as bits.
    fn could_become(&self, name: &[u8]) -> bool {
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
