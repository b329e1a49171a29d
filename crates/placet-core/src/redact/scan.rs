//! One pass over a text that finds its secrets.
//!
//! A search for a few hundred beginnings and words at once says where to look; each place is then read by hand, forward, within
//! bounds. A second, sparse pass looks at long words. Nothing is tried twice, so the time is that of the length.

use std::{borrow::Cow, ops::Range, sync::LazyLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::{
    Found, assign,
    class::{Class, starts_word},
    format::Format,
    formats::FORMATS,
    header, jwt, long, name, pem, shell, url,
    value::{self, Written},
};

/// What a literal that was found leads to.
#[derive(Clone, Copy)]
enum Lead {
    /// A secret of this format may begin here.
    Format(&'static Format),
    /// A name may promise a secret.
    Name,
    /// An address, from its `://`.
    Address,
    /// A private key in PEM.
    Pem,
    /// A private key of PuTTY's.
    Putty,
    /// A token in three parts.
    Jwt,
    /// An authorization header.
    Authorization,
    /// A scheme with its token.
    Bearer,
    /// A scheme with a name and a password.
    Basic,
    /// Cookies.
    Cookie,
    /// Azure's client secrets have these letters in their middle.
    AzureClient,
    /// The tokens of Telegram's bots have these behind their number.
    Telegram,
    /// Facebook's have a number, this sign, and a key.
    Facebook,
    /// `IDENTIFIED BY 'password'` in SQL.
    Identified,
    /// A Secret of Kubernetes, whose values are all secret.
    Kubernetes,
    /// A program that takes a password as a word.
    Program(&'static str),
}

/// The search and what each literal leads to.
struct Search {
    automaton: AhoCorasick,
    leads: Vec<Lead>,
}

/// Everything that is searched for besides the prefixes of formats, the stems of names and programs.
const OTHERS: &[(&str, Lead)] = &[
    ("://", Lead::Address),
    ("-----BEGIN ", Lead::Pem),
    ("private-lines: ", Lead::Putty),
    ("eyJ", Lead::Jwt),
    ("authorization", Lead::Authorization),
    ("bearer ", Lead::Bearer),
    ("basic ", Lead::Basic),
    ("cookie", Lead::Cookie),
    ("Q~", Lead::AzureClient),
    (":A", Lead::Telegram),
    ("|", Lead::Facebook),
    ("identified by ", Lead::Identified),
    ("kind: Secret", Lead::Kubernetes),
];

static SEARCH: LazyLock<Search> = LazyLock::new(|| {
    let mut literals: Vec<&str> = Vec::new();
    let mut leads = Vec::new();
    for format in FORMATS {
        literals.push(format.prefix);
        leads.push(Lead::Format(format));
    }
    for (literal, lead) in OTHERS {
        literals.push(literal);
        leads.push(*lead);
    }
    for stem in name::STEMS {
        literals.push(stem);
        leads.push(Lead::Name);
    }
    for program in shell::programs() {
        literals.push(program);
        leads.push(Lead::Program(program));
    }
    let automaton = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::Standard)
        .kind(Some(AhoCorasickKind::DFA))
        .build(&literals)
        .expect("a few hundred short literals make a small automaton");
    Search { automaton, leads }
});

/// How many commands may begin within one: `sudo sshpass -p x mysql -py`.
const COMMANDS_MAX: usize = 4;

/// What the pass remembers.
struct Scan<'t> {
    text: &'t str,
    found: Vec<Found>,
    /// Where the last name ended that was looked at.
    name_end: usize,
    /// Where the last value ended that was found; names within it are part of it.
    value_end: usize,
    /// Where the last command ended, and how many programs were met in it.
    command: (usize, usize),
    /// Where the last key or manifest ended that was read.
    block_end: usize,
}

/// The secrets in `text` by what is built in, in no order; they may overlap.
pub fn secrets(text: &str) -> Vec<Found> {
    let found = plain(text);
    let found = encoded(text, found);
    long_words(text, found)
}

/// Those that stand in the text as they are.
fn plain(text: &str) -> Vec<Found> {
    let search = &*SEARCH;
    let mut scan = Scan { text, found: Vec::new(), name_end: 0, value_end: 0, command: (0, 0), block_end: 0 };
    for hit in search.automaton.find_overlapping_iter(text) {
        scan.follow(search.leads[hit.pattern().as_usize()], hit.start()..hit.end());
    }
    scan.found
}

impl Scan<'_> {
    fn follow(&mut self, lead: Lead, hit: Range<usize>) {
        let bytes = self.text.as_bytes();
        match lead {
            Lead::Format(format) => {
                if format.is_prefix(&bytes[hit.clone()])
                    && starts_word(bytes, hit.start)
                    && let Some(end) = format.end(bytes, hit.start)
                {
                    self.add(format.kind, hit.start..end);
                }
            }
            Lead::Name => self.name(hit),
            Lead::Address => {
                if let Some((kind, range)) = url::userinfo(self.text, hit.start) {
                    self.add(kind, range);
                }
            }
            Lead::Pem => {
                if hit.start >= self.block_end
                    && let Some(range) = pem::body(bytes, hit.start)
                {
                    self.block_end = range.end;
                    self.add("private-key", range);
                }
            }
            Lead::Putty => {
                if let Some(range) = pem::putty(bytes, hit.end) {
                    self.add("private-key", range);
                }
            }
            Lead::Jwt => {
                if bytes[hit.clone()] == *b"eyJ"
                    && starts_word(bytes, hit.start)
                    && let Some(end) = jwt::end(bytes, hit.start)
                {
                    self.add("jwt", hit.start..end);
                }
            }
            Lead::Authorization => {
                if hit.start >= self.value_end
                    && let Some((kind, range)) = header::authorization(self.text, hit.end)
                {
                    self.value_end = range.end;
                    self.add(kind, range);
                }
            }
            Lead::Bearer => {
                if starts_word(bytes, hit.start)
                    && let Some(range) = header::bearer(self.text, hit.end)
                {
                    self.add("bearer-token", range);
                }
            }
            Lead::Basic => {
                if starts_word(bytes, hit.start)
                    && let Some(range) = header::basic(self.text, hit.end)
                {
                    self.add("basic-credentials", range);
                }
            }
            Lead::Cookie => {
                let set = bytes[..hit.start].ends_with(b"et-");
                for range in header::cookies(self.text, hit.end, set) {
                    self.add("cookie", range);
                }
            }
            Lead::AzureClient => self.azure_client(hit),
            Lead::Telegram => self.telegram(hit),
            Lead::Facebook => self.facebook(hit),
            Lead::Identified => {
                let rest = &bytes[hit.end..];
                if let Some(quote @ (b'\'' | b'"')) = rest.first().copied()
                    && let Some(length) = memchr::memchr(quote, &rest[1..rest.len().min(256)])
                    && length >= 4
                    && !value::stands_for_one(&self.text[hit.end + 1..hit.end + 1 + length])
                {
                    self.add("password", hit.end + 1..hit.end + 1 + length);
                }
            }
            Lead::Kubernetes => self.kubernetes(hit.end),
            Lead::Program(program) => self.program(program, hit),
        }
    }

    fn name(&mut self, hit: Range<usize>) {
        // Names within a value that was found are part of it, and a name has been read once.
        if hit.start < self.name_end.max(self.value_end) {
            return;
        }
        let name = assign::name_around(self.text.as_bytes(), hit);
        // The kind in a mask is no name.
        if self.text.as_bytes()[name.clone()].starts_with("«".as_bytes()) {
            self.name_end = name.end;
            return;
        }
        if let Some(assigned) = assign::secret(self.text, name.clone()) {
            self.value_end = assigned.value.end;
            self.add(assigned.noun.kind(), assigned.value);
        } else {
            self.query(&name);
        }
        self.name_end = name.end;
    }

    /// `&sig=…` in an address: a signature is a secret there, since it lets in whoever has it.
    fn query(&mut self, name: &Range<usize>) {
        let bytes = self.text.as_bytes();
        let before = name.start.checked_sub(1).map(|at| bytes[at]);
        let word = &bytes[name.clone()];
        if !matches!(before, Some(b'?' | b'&')) || bytes.get(name.end) != Some(&b'=') {
            return;
        }
        let signs = [&b"sig"[..], b"signature", b"x-amz-signature", b"x-goog-signature"];
        let length = bytes[name.end + 1..]
            .iter()
            .take(2048)
            .take_while(|byte| Class::UNRESERVED_SLASH.has(**byte) || matches!(byte, b'%' | b'='))
            .count();
        if signs.iter().any(|sign| word.eq_ignore_ascii_case(sign)) && length >= 16 {
            self.add("signature", name.end + 1..name.end + 1 + length);
        }
    }

    fn azure_client(&mut self, hit: Range<usize>) {
        let bytes = self.text.as_bytes();
        if bytes[hit.start] != b'Q' || hit.start < 4 || !bytes[hit.start - 1].is_ascii_digit() {
            return;
        }
        let start = hit.start - 4;
        let length = Class::UNRESERVED.run(&bytes[hit.end..], 40);
        let stands_alone = start == 0 || !Class::UNRESERVED.has(bytes[start - 1]);
        if (31..=34).contains(&length)
            && stands_alone
            && bytes[start..hit.start].iter().all(|byte| Class::UNRESERVED.has(*byte))
        {
            self.add("azure-client-secret", start..hit.end + length);
        }
    }

    fn telegram(&mut self, hit: Range<usize>) {
        let bytes = self.text.as_bytes();
        let digits = Class::DIGITS.run_back(&bytes[..hit.start], 13);
        let length = Class::URL64.run(&bytes[hit.end - 1..], 64);
        let start = hit.start - digits;
        let alone =
            start == 0 || !bytes[start - 1].is_ascii_alphanumeric() || bytes[..start].ends_with(b"bot");
        if bytes[hit.end - 1] == b'A' && (8..=12).contains(&digits) && (30..=45).contains(&length) && alone {
            self.add("telegram-token", start..hit.end - 1 + length);
        }
    }

    fn facebook(&mut self, hit: Range<usize>) {
        let bytes = self.text.as_bytes();
        let digits = Class::DIGITS.run_back(&bytes[..hit.start], 18);
        if (15..=17).contains(&digits) && Class::URL64.run(&bytes[hit.end..], 29) == 27 {
            self.add("facebook-token", hit.start - digits..hit.end + 27);
        }
    }

    /// The values of a Secret written in YAML: lines that are indented further than `data:`.
    fn kubernetes(&mut self, at: usize) {
        const MANIFEST_MAX: usize = 64 * 1024;
        if at < self.block_end || self.text.as_bytes().get(at).is_some_and(|byte| !byte.is_ascii_whitespace())
        {
            return;
        }
        let end = (at..=self.text.len().min(at + MANIFEST_MAX))
            .rev()
            .find(|end| self.text.is_char_boundary(*end))
            .unwrap_or(at);
        let mut offset = at;
        let mut data: Option<usize> = None;
        let mut values = Vec::new();
        for line in self.text[at..end].split_inclusive('\n') {
            let start = offset;
            offset += line.len();
            let indent = line.len() - line.trim_start().len();
            let trimmed = line.trim();
            if trimmed == "---" || trimmed.starts_with("kind:") {
                break;
            }
            if matches!(trimmed, "data:" | "stringData:") {
                data = Some(indent);
                continue;
            }
            let Some(outer) = data else { continue };
            if !trimmed.is_empty() && indent <= outer {
                data = None;
                continue;
            }
            if let Some(colon) = line.find(": ") {
                let value = line[colon + 2..].trim().trim_matches(['"', '\'']);
                if value.len() >= 4
                    && !value::stands_for_one(value)
                    && !matches!(value, "|" | ">" | "|-" | ">-")
                {
                    let from = start + line.find(value).unwrap_or(colon + 2);
                    values.push(from..from + value.len());
                }
            }
        }
        self.block_end = offset;
        for value in values {
            self.add("secret", value);
        }
    }

    fn program(&mut self, program: &'static str, hit: Range<usize>) {
        let (end, count) = self.command;
        let count = if hit.start < end { count + 1 } else { 1 };
        if !starts_word(self.text.as_bytes(), hit.start) || count > COMMANDS_MAX {
            return;
        }
        // The rest of the program's name: `mysqldump` is read as `mysql` is.
        let rest = self.text.as_bytes()[hit.end..]
            .iter()
            .take(32)
            .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
            .count();
        if !self.text.as_bytes().get(hit.end + rest).is_some_and(u8::is_ascii_whitespace) {
            return;
        }
        let (secrets, end) = shell::secrets(self.text, program, hit.start);
        self.command = (end, count);
        for (kind, range) in secrets {
            self.add(kind, range);
        }
    }

    fn add(&mut self, kind: &'static str, range: Range<usize>) {
        if !range.is_empty() {
            self.found.push(Found { kind: Cow::Borrowed(kind), range });
        }
    }
}

/// Adds what shows when `%2F` and its like are decoded.
fn encoded(text: &str, mut found: Vec<Found>) -> Vec<Found> {
    let bytes = text.as_bytes();
    let is_escape = |at: usize| {
        bytes.get(at) == Some(&b'%')
            && bytes.get(at + 1).is_some_and(u8::is_ascii_hexdigit)
            && bytes.get(at + 2).is_some_and(u8::is_ascii_hexdigit)
    };
    if !memchr::memchr_iter(b'%', bytes).any(is_escape) {
        return found;
    }
    // The text with its escapes decoded, and where each of its bytes came from.
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut from: Vec<u32> = Vec::with_capacity(bytes.len() + 1);
    let mut at = 0;
    while at < bytes.len() {
        from.push(u32::try_from(at).unwrap_or(u32::MAX));
        if is_escape(at) {
            let digit = |byte: u8| (byte as char).to_digit(16).unwrap_or(0) as u8;
            decoded.push(digit(bytes[at + 1]) * 16 + digit(bytes[at + 2]));
            at += 3;
        } else {
            decoded.push(bytes[at]);
            at += 1;
        }
    }
    from.push(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
    let Ok(decoded) = String::from_utf8(decoded) else { return found };
    for secret in plain(&decoded) {
        let (start, end) = (from[secret.range.start] as usize, from[secret.range.end] as usize);
        found.push(Found { kind: secret.kind, range: start..end });
    }
    found
}

/// Adds what long words hide.
fn long_words(text: &str, mut found: Vec<Found>) -> Vec<Found> {
    let bytes = text.as_bytes();
    for word in long::words(bytes) {
        if let Some((kind, range)) = long::shaped(bytes, word.clone()) {
            found.push(Found { kind: Cow::Borrowed(kind), range });
            continue;
        }
        // A sign of assignment before a word is of its alphabet too.
        let start = word.start
            + bytes[word.clone()].iter().take_while(|byte| matches!(byte, b'=' | b'-' | b'/')).count();
        let run = start..word.end;
        if let Some(hidden) = long::hidden_text(&bytes[run.clone()])
            && let Some(secret) = plain(&hidden).first()
        {
            found.push(Found { kind: secret.kind.clone(), range: run });
            continue;
        }
        if long::looks_like_key(text, word.clone()) {
            found.push(Found { kind: Cow::Borrowed("random-string"), range: word });
        }
    }
    found
}

/// Whether a value under the name `name` is a secret, and what it is then called.
pub fn named(name: &str, value: &str) -> Option<&'static str> {
    let lower = name.to_ascii_lowercase();
    if matches!(lower.as_str(), "authorization" | "proxy-authorization" | "x-authorization") {
        return (value.len() >= 4 && !value::stands_for_one(value)).then_some("authorization");
    }
    let noun = name::noun(name)?;
    value::is_secret(value, noun, Written::Whole).then(|| noun.kind())
}
