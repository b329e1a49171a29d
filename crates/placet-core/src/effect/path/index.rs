//! Finding the rows of a table that a path meets, without trying every row.
//!
//! A row is a pattern such as `/etc/shadow`, `~/.ssh/`, `C:/Windows/`, `./dist/` or `**/*.pem`.
//! It begins at the root, at a home directory, at a drive, in the working tree or anywhere; one that
//! ends in `/` covers what lies beneath as well. `*` stands for any text within a part.

use std::borrow::Cow;

use super::HOLE;
use super::parts::Part;
use super::spell::Located;
use super::wild::{Edges, Ends, Token, Wild};

/// A table of patterns, arranged by the first part of each.
pub(super) struct Index {
    rows: Vec<Row>,
    /// The first parts without `*`, and how those with `*` begin. Most parts of most paths are neither.
    names: Bits,
    starts: Bits,
    /// Rows by what a part must have in common with their first part.
    filed: Files,
    /// The rest, tried on every part, or on every part with as many dots if their first part holds one or more.
    others: Vec<u16>,
    dotted: Vec<u16>,
    dotted_twice: Vec<u16>,
    /// Rows whose first part is `*`: the only ones that a part of which nothing is known can meet.
    anything: Vec<u16>,
    /// By the first and by the last byte of the first part, for paths where that part is a wildcard.
    first: Vec<Vec<u16>>,
    last: Vec<Vec<u16>>,
    /// Whether each row says where it begins.
    anchored: bool,
    /// How the last parts of paths begin that meet a row.
    lasts: Bits,
}

/// A set of keys; a few others are taken for one of them.
struct Bits([u64; 64]);

/// Numbers of rows, each with the key it is found by.
struct Files {
    /// Where the rows of each bucket begin; those of the next begin where they end.
    begins: Box<[u16; BUCKETS + 1]>,
    rows: Vec<(u32, u16)>,
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
    /// The first and the last byte of the first part.
    ends: [u8; 2],
    /// Of the first two parts.
    edges: [Edges; 2],
    /// Those of the shortest text that the first part fits.
    shortest_edges: Edges,
}

/// A part of a row.
pub(super) struct Name {
    text: &'static str,
    edges: Edges,
    /// Whether it holds `*`.
    star: bool,
    /// Where the first `*` begins and the last ends.
    around: (usize, usize),
    /// The shortest text that fits.
    shortest: Cow<'static, str>,
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

const BUCKETS: usize = 2_048;

/// So many parts are looked at, from either end. No system opens a path of more.
const PARTS_MAX: usize = 2_048;

impl Index {
    pub(super) fn new(patterns: impl Iterator<Item = &'static str>) -> Self {
        let mut index = Self {
            rows: Vec::new(),
            names: Bits([0; 64]),
            starts: Bits([0; 64]),
            filed: Files::new(&[]),
            others: Vec::new(),
            dotted: Vec::new(),
            dotted_twice: Vec::new(),
            anything: Vec::new(),
            first: vec![Vec::new(); 256],
            last: vec![Vec::new(); 256],
            anchored: true,
            lasts: Bits([0; 64]),
        };
        let mut keys = Vec::new();
        for (number, pattern) in patterns.enumerate() {
            let row = Row::parse(pattern);
            index.anchored &= row.is_anchored();
            match row.parts.last().and_then(Name::start) {
                Some(start) if !row.beneath => index.lasts.add(start),
                _ => index.lasts = Bits([u64::MAX; 64]),
            }
            let number = number as u16;
            let first = &row.parts[0];
            match first.start() {
                _ if !first.star => index.names.add(first.hash()),
                Some(start) => index.starts.add(start),
                None => {}
            }
            match Key::of(&row.parts) {
                Some(key) => keys.push((key, number)),
                None => match first.text.matches('.').count() {
                    0 => index.others.push(number),
                    1 => index.dotted.push(number),
                    _ => index.dotted_twice.push(number),
                },
            }
            if let [first, second, ..] = row.parts.as_slice()
                && !first.star
                && !second.star
            {
                keys.push((Key::longer(first.hash()), number));
            }
            if first.shortest.is_empty() {
                index.anything.push(number);
            }
            let [first, last] = row.ends;
            index.first[lower(first)].push(number);
            index.last[lower(last)].push(number);
            index.rows.push(row);
        }
        index.filed = Files::new(&keys);
        index
    }

    /// Calls `hit` for each row that `path` meets, in no particular order.
    pub(super) fn each(&self, path: &Located<'_>, mut hit: impl FnMut(Hit)) {
        let parts: &[Part<'_>] = &path.parts;
        let too_far = PARTS_MAX..parts.len().saturating_sub(PARTS_MAX);
        for (at, part) in parts.iter().enumerate() {
            let (hash, start) = (part.hash(), part.ends.start());
            let (named, begins) = (self.names.may_hold(hash), self.starts.may_hold(start));
            if !named && !begins && !part.dotted && !part.wild && self.others.is_empty() {
                continue;
            }
            if too_far.contains(&at) || self.anchored && !path.is_anchor(at) {
                continue;
            }
            let mut try_row = |number: u16| {
                if let Some(found) = self.rows[usize::from(number)].meets(path, at) {
                    hit(Hit { row: usize::from(number), ..found });
                }
            };
            if part.wild {
                if part.is_any() && !path.is_anchor(at) {
                    continue;
                }
                if let Some(wild) = path.wild(part) {
                    if part.text.chars().all(|letter| letter == HOLE) {
                        self.anything.iter().copied().for_each(&mut try_row);
                    } else {
                        self.worth_a_look(part.text, wild, &mut try_row);
                    }
                }
                continue;
            }
            let next = parts.get(at + 1);
            let certain = next.filter(|next| !next.wild);
            let mut try_row = |number: u16| {
                let [first, second] = self.rows[usize::from(number)].edges;
                if first.fit(part.ends) && certain.is_none_or(|next| second.fit(next.ends)) {
                    try_row(number);
                }
            };
            if named {
                match next {
                    Some(next) if next.wild => self.filed.under(Key::longer(hash)).for_each(&mut try_row),
                    Some(next) => self.filed.under(Key::pair(hash, next.hash())).for_each(&mut try_row),
                    None => {}
                }
                self.filed.under(hash).for_each(&mut try_row);
            }
            if begins {
                self.filed.under(start).for_each(&mut try_row);
            }
            if part.dotted
                && let Some((before, key)) = Key::ending(part.text)
            {
                self.filed.under(key).for_each(&mut try_row);
                self.dotted.iter().copied().for_each(&mut try_row);
                if before.contains(&b'.') {
                    self.dotted_twice.iter().copied().for_each(&mut try_row);
                }
            }
            self.others.iter().copied().for_each(&mut try_row);
        }
    }

    /// Calls `try_row` for each row whose first part `wild`, which is written `text`, could become, as far as the first
    /// and the last bytes tell.
    fn worth_a_look(&self, text: &str, wild: &Wild, mut try_row: impl FnMut(u16)) {
        let written = Edges::of(text);
        // What does not begin with a dot does not become a hidden file.
        let shown = matches!(wild.tokens.first(), Some(Token::Any | Token::One)) && !wild.hole;
        let fits = |number: &&u16| {
            let row = &self.rows[usize::from(**number)];
            let [edges, _] = row.edges;
            // What begins anywhere is met by the wildcard as it stands, or as its shortest text.
            let agree = wild.edges.agree(row.shortest_edges)
                || wild.edges.agree(edges) && (row.is_anchored() || written.agree(edges));
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
        let may = |last: &Part<'_>| last.wild || self.lasts.may_hold(last.ends.start());
        path.parts.last().is_some_and(may) && self.some(path)
    }

    // Seldom needed, and too long to stand in the middle of what always runs.
    #[inline(never)]
    fn some(&self, path: &Located<'_>) -> bool {
        let mut some = false;
        self.each(path, |_| some = true);
        some
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
        let first = parts[0].text.as_bytes();
        let ends = [first.first(), first.last()].map(|byte| byte.copied().unwrap_or_default());
        let shortest_edges = Edges::of(&parts[0].shortest);
        let edges = [0, 1].map(|at| parts.get(at).map_or(Edges::default(), |name| name.edges));
        Self { scope, beneath, parts, ends, edges, shortest_edges }
    }

    fn is_anchored(&self) -> bool {
        !matches!(self.scope, Scope::Anywhere | Scope::Tree)
    }

    fn meets(&self, path: &Located<'_>, at: usize) -> Option<Hit> {
        let (parts, beyond) = path.parts[at..].split_at_checked(self.parts.len())?;
        if !self.beneath && !beyond.is_empty() || !self.may_begin(path, at) {
            return None;
        }
        let anchored = self.is_anchored();
        let mut guessed = false;
        // `/*/*` says nothing about `/run/placet`.
        if self.parts.len() > 1 && parts.iter().all(Part::is_any) {
            return None;
        }
        // Rows that are looked at together differ at their end.
        for (number, (name, part)) in self.parts.iter().zip(parts).enumerate().rev() {
            let met = if !part.wild {
                name.is(part)
            } else if name.star && name.describes(part.text) {
                // `*.pyc` is a row as it stands; whatever it becomes will fit.
                true
            } else {
                guessed = true;
                path.wild(part).is_some_and(|wild| name.could_be(part.text, wild, number > 0 || anchored))
            };
            if !met {
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

impl Bits {
    fn add(&mut self, key: u32) {
        self.0[(key >> 26) as usize] |= 1 << (key >> 20 & 63);
    }

    fn may_hold(&self, key: u32) -> bool {
        self.0[(key >> 26) as usize] & 1 << (key >> 20 & 63) != 0
    }
}

impl Files {
    fn new(keys: &[(u32, u16)]) -> Self {
        let mut begins = Box::new([0; BUCKETS + 1]);
        for (key, _) in keys {
            begins[bucket(*key)] += 1;
        }
        // First where the rows of each bucket end, then where they begin, once all are in their places.
        for at in 0..BUCKETS {
            begins[at + 1] += begins[at];
        }
        let mut rows = vec![(0, 0); keys.len()];
        for &(key, number) in keys {
            let end = &mut begins[bucket(key)];
            *end -= 1;
            rows[usize::from(*end)] = (key, number);
        }
        Self { begins, rows }
    }

    fn under(&self, key: u32) -> impl Iterator<Item = u16> {
        let bucket = bucket(key);
        self.rows[usize::from(self.begins[bucket])..usize::from(self.begins[bucket + 1])]
            .iter()
            .filter(move |(known, _)| *known == key)
            .map(|(_, number)| *number)
    }
}

/// What a row is filed under. Parts that differ may have the same key; a row is compared in full before it counts.
struct Key;

impl Key {
    /// By the first two parts, or by the first if the second is missing or holds `*`; by the first letters for
    /// `.env.*`, by what follows the last dot for `*.pem`.
    fn of(parts: &[Name]) -> Option<u32> {
        match parts {
            [first, second, ..] if !first.star && !second.star => {
                Some(Self::pair(first.hash(), second.hash()))
            }
            [first, ..] if !first.star => Some(first.hash()),
            [first, ..] => {
                let end = &first.text[first.around.1..];
                first.start().or_else(|| Some(Self::ending(end)?.1))
            }
            [] => None,
        }
    }

    fn pair(first: u32, second: u32) -> u32 {
        first.rotate_left(7) ^ second.wrapping_mul(0x9e37_79b1)
    }

    /// Of a row with a second part, by the first: for paths whose second part is a wildcard.
    fn longer(first: u32) -> u32 {
        first ^ 0x4c6f_6e67
    }

    /// The key of what follows the last dot, and what comes before it.
    fn ending(text: &str) -> Option<(&[u8], u32)> {
        let text = text.as_bytes();
        let dot = text.iter().rposition(|byte| *byte == b'.')?;
        let (before, ending) = (&text[..dot], &text[dot + 1..]);
        Some((before, Ends::new(ending).hash(ending.len()) ^ 0x456e_6465))
    }
}

/// A letter, whatever its case, as a number.
fn lower(byte: u8) -> usize {
    usize::from(byte.to_ascii_lowercase())
}

fn bucket(key: u32) -> usize {
    (key ^ key >> 15) as usize % BUCKETS
}

impl Name {
    pub(super) fn new(text: &'static str) -> Self {
        let star = text.bytes().position(|byte| byte == b'*');
        let end = text.bytes().rposition(|byte| byte == b'*').map_or(0, |last| last + 1);
        Self {
            text,
            edges: star.map_or_else(|| Edges::of(text), |_| Edges::of_pattern(text)),
            star: star.is_some(),
            around: (star.unwrap_or_default(), end),
            shortest: star.map_or(Cow::Borrowed(text), |_| Cow::Owned(text.replace('*', ""))),
            // `/system` is nobody's, `/System` is Apple's.
            proper: matches!(text, "System" | "Library" | "Applications"),
        }
    }

    fn hash(&self) -> u32 {
        Ends::new(self.text.as_bytes()).hash(self.text.len())
    }

    /// The key of its first letters, if they are certain.
    fn start(&self) -> Option<u32> {
        let certain = !self.star || self.around.0 >= Ends::START;
        certain.then(|| Ends::new(self.text.as_bytes()).start())
    }

    /// Whether a part of a path that holds no wildcard is this name.
    fn is(&self, part: &Part<'_>) -> bool {
        if !self.edges.fit(part.ends) || part.text.len() < self.shortest.len() {
            return false;
        }
        if self.star {
            return self.describes(part.text);
        }
        self.text.eq_ignore_ascii_case(part.text) && !(self.proper && self.text != part.text)
    }

    /// Whether `text` is what a name with `*` describes.
    fn describes(&self, text: &str) -> bool {
        let (start, end) = self.around;
        let text = text.as_bytes();
        if text.len() < self.shortest.len() {
            return false;
        }
        let (first, rest) = text.split_at(start);
        let (mut rest, last) = rest.split_at(rest.len() - (self.text.len() - end));
        let name = self.text.as_bytes();
        if !first.eq_ignore_ascii_case(&name[..start]) || !last.eq_ignore_ascii_case(&name[end..]) {
            return false;
        }
        name[start..end].split(|byte| *byte == b'*').filter(|piece| !piece.is_empty()).all(|piece| {
            let found = rest.windows(piece.len()).position(|window| window.eq_ignore_ascii_case(piece));
            rest = found.map_or(&[], |at| &rest[at + piece.len()..]);
            found.is_some()
        })
    }

    /// Whether a part that is written `text` could become this name. Where the place is known (`~/.ss?`) any
    /// chance will do; elsewhere (`*.yml`) the wildcard must be about this name.
    pub(super) fn could_be(&self, text: &str, wild: &Wild, placed: bool) -> bool {
        let name = self.text.as_bytes();
        if wild.is_any() {
            return placed && name.first() != Some(&b'.');
        }
        // A shell does not let a star stand for the dot of a hidden file.
        let hidden =
            name.first() == Some(&b'.') && matches!(wild.tokens.first(), Some(Token::Any | Token::One));
        if hidden && !text.starts_with(HOLE) {
            return false;
        }
        if placed && !wild.hole {
            return wild.could_become(name);
        }
        if wild.literals == 0 || hidden {
            return false;
        }
        let begins = !wild.hole && (wild.start >= 3 || wild.start >= 1 && text.starts_with('.'));
        if !begins && wild.literals * 2 < self.shortest.len() {
            return false;
        }
        wild.could_become(self.shortest.as_bytes())
    }
}
