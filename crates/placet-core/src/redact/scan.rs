//! One pass over a text that finds its secrets.
//!
//! A search for a few hundred beginnings and words at once says where to look; each place is then read by hand, forward, within
//! bounds. A second, sparse pass looks at long words. Nothing is tried twice, so the time is that of the length.

use std::{borrow::Cow, ops::Range, sync::LazyLock};

use super::{
    Found, assign,
    bytes::{BLANKS, Bytes},
    class::{Class, starts_word},
    format::Format,
    formats::FORMATS,
    header, jwt, long, mask, name, pem, placed,
    search::Search,
    shell, url,
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
    /// `&sig=…` in an address.
    Signature,
    /// `IDENTIFIED BY 'password'` in SQL.
    Identified,
    /// A Secret of Kubernetes, whose values are all secret.
    Kubernetes,
    /// A program that takes a password as a word.
    Program(&'static str),
    /// What only its place gives away.
    Placed(placed::Reader),
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
    ("sig=", Lead::Signature),
    ("signature=", Lead::Signature),
    ("identified by ", Lead::Identified),
    ("kind: Secret", Lead::Kubernetes),
];

static SEARCH: LazyLock<Search<Lead>> = LazyLock::new(|| {
    let formats = FORMATS.iter().filter(|format| !long::is_common(format.prefix));
    Search::new(
        formats
            .map(|format| (format.prefix, Lead::Format(format)))
            .chain(OTHERS.iter().copied())
            .chain(name::STEMS.iter().map(|stem| (*stem, Lead::Name)))
            .chain(shell::programs().into_iter().map(|program| (program, Lead::Program(program))))
            .chain(placed::READERS.iter().map(|(literal, reader)| (*literal, Lead::Placed(*reader)))),
    )
});

/// How many commands may begin within one: `sudo sshpass -p x mysql -py`.
const COMMANDS_MAX: usize = 4;

/// What the pass remembers.
struct Scan<'t> {
    text: &'t str,
    found: Vec<Found>,
    /// Masks that are known to be there and are not behind us yet, in order.
    masks: &'t [Range<usize>],
    /// What was judged last.
    judged: assign::Judged,
    /// Where the last name ended that was looked at.
    name_end: usize,
    /// Where the last value ended that was found; names within it are part of it.
    value_end: usize,
    /// Where the last command ended, and how many programs were met in it.
    command: (usize, usize),
    /// Where the last key or manifest ended that was read.
    block_end: usize,
    /// Up to where no private key ends.
    no_key_end: usize,
    /// Where the last cookies ended.
    cookies_end: usize,
    /// The last token of a vendor; what is within it is part of it.
    token: Range<usize>,
}

/// The secrets in `text` by what is built in, in no order; they may overlap.
pub fn secrets(text: &str) -> Vec<Found> {
    secrets_beside(text, &[])
}

/// The same for a text in which `masks` were just put, in order: they are known, and need not be read again.
pub fn secrets_beside(text: &str, masks: &[Range<usize>]) -> Vec<Found> {
    let found = plain_beside(text, masks);
    let found = encoded(text, found);
    long_words(text, found)
}

/// Those that stand in the text as they are.
fn plain(text: &str) -> Vec<Found> {
    plain_beside(text, &[])
}

fn plain_beside(text: &str, masks: &[Range<usize>]) -> Vec<Found> {
    let bytes = text.as_bytes();
    let mut scan = Scan {
        text,
        found: Vec::new(),
        masks,
        judged: assign::Judged::default(),
        name_end: 0,
        value_end: 0,
        command: (0, 0),
        block_end: 0,
        no_key_end: 0,
        cookies_end: 0,
        token: 0..0,
    };
    let mut at = 0;
    for mask in masks {
        if let Some(end) = silent_end(bytes, mask) {
            SEARCH.each_from(&bytes[..mask.start], at, |lead, hit| scan.follow(lead, hit));
            at = end;
        }
    }
    SEARCH.each_from(bytes, at, |lead, hit| scan.follow(lead, hit));
    scan.found
}

/// Where `mask` ends, or its kind if there is more in it, if nothing up to there leads to anything: no token fits in such
/// a kind, a name in a mask is none, and what stands around it is part of no name either.
fn silent_end(bytes: &[u8], mask: &Range<usize>) -> Option<usize> {
    let kind = bytes[mask.clone()].strip_prefix("«".as_bytes())?;
    let kind = &kind[..kind.iter().position(|byte| !matches!(byte, b'a'..=b'z' | b'-'))?];
    let joined = |byte: Option<&u8>| byte.is_some_and(|byte| assign::is_in_name(*byte));
    let whole = mask.start + "«»".len() + kind.len() == mask.end;
    let silent = SILENT.contains(&kind)
        && !joined(mask.start.checked_sub(1).and_then(|at| bytes.get(at)))
        && !(whole && joined(bytes.get(mask.end)));
    let kind_end = mask.start + "«".len() + kind.len();
    silent.then_some(if whole { mask.end } else { kind_end })
}

/// The kinds that a name gives to a value.
const SILENT: [&[u8]; 5] = [b"password", b"api-key", b"token", b"secret", b"key"];

impl Scan<'_> {
    fn follow(&mut self, lead: Lead, hit: Range<usize>) {
        let bytes = self.text.as_bytes();
        match lead {
            Lead::Format(format) => {
                let within = self.token.start < hit.start && hit.start < self.token.end;
                if !within
                    && format.is_prefix(&bytes[hit.start..])
                    && starts_word(bytes, hit.start)
                    && let Some(end) = format.end(bytes, hit.start)
                {
                    self.token = hit.start..end;
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
                    && let Some(range) = pem::body(bytes, hit.start, &mut self.no_key_end)
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
                if hit.start >= self.cookies_end {
                    let set = bytes[..hit.start].ends_with(b"et-");
                    let (values, end) = header::cookies(self.text, hit.end, set);
                    self.cookies_end = end;
                    for range in values {
                        self.add("cookie", range);
                    }
                }
            }
            Lead::AzureClient => self.azure_client(hit),
            Lead::Signature => self.signature(hit),
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
            Lead::Placed(read) => {
                if let Some((kind, range)) = read(self.text, hit) {
                    self.add(kind, range);
                }
            }
        }
    }

    fn name(&mut self, hit: Range<usize>) {
        // Names within a value that was found are part of it, and a name has been read once.
        if hit.start < self.name_end.max(self.value_end) {
            return;
        }
        let bytes = self.text.as_bytes();
        // Some stems are searched for with the sign behind them.
        let sign = usize::from(!bytes[hit.end - 1].is_ascii_alphanumeric());
        let name = assign::name_around(bytes, hit.start..hit.end - sign);
        // The kind in a mask is no name.
        if bytes[name.clone()].starts_with("«".as_bytes()) {
            self.name_end = name.end;
            return;
        }
        let behind = self.masks.iter().take_while(|mask| mask.start < name.end).count();
        self.masks = &self.masks[behind..];
        let masked = self.masks.first().is_some_and(|mask| assign::is_masked(bytes, &name, mask));
        if !masked && let Some(assigned) = assign::secret(self.text, name.clone(), &mut self.judged) {
            self.value_end = assigned.value.end;
            // The value may end at the first blank of a mask.
            if !mask::covers(self.text, &assigned.value) {
                self.add(assigned.noun.kind(), assigned.value);
            }
        }
        self.name_end = name.end;
    }

    /// `&sig=…` in an address: a signature is a secret there, since it lets in whoever has it.
    fn signature(&mut self, hit: Range<usize>) {
        let bytes = self.text.as_bytes();
        let name = Class::URL64.run_back(&bytes[..hit.start], 24);
        let before = (hit.start - name).checked_sub(1).map(|at| bytes[at]);
        let length = bytes[hit.end..]
            .iter()
            .take(2048)
            .take_while(|byte| Class::UNRESERVED_SLASH.has(**byte) || matches!(byte, b'%' | b'='))
            .count();
        if matches!(before, Some(b'?' | b'&')) && length >= 16 {
            self.add("signature", hit.end..hit.end + length);
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

/// Adds what shows when `%2F` and its like are decoded, in each word that has some.
fn encoded(text: &str, mut found: Vec<Found>) -> Vec<Found> {
    let bytes = text.as_bytes();
    let mut done = 0;
    // The word with its escapes decoded, and which of its bytes were escapes.
    let (mut decoded, mut escapes) = (Vec::new(), Vec::new());
    for at in memchr::memchr_iter(b'%', bytes) {
        if at < done || escape(&bytes[at..]).is_none() {
            continue;
        }
        let start = at - bytes[done..at].iter().rev().take_while(|byte| !ENDS_WORD.has(**byte)).count();
        let end = at + bytes[at..].iter().take_while(|byte| !ENDS_WORD.has(**byte)).count();
        done = end;
        decoded.clear();
        escapes.clear();
        let mut rest = &bytes[start..end];
        while let Some(length) = memchr::memchr(b'%', rest) {
            decoded.extend_from_slice(&rest[..length]);
            rest = &rest[length..];
            let byte = escape(rest);
            if byte.is_some() {
                escapes.push(decoded.len());
            }
            decoded.push(byte.unwrap_or(b'%'));
            rest = &rest[if byte.is_some() { 3 } else { 1 }..];
        }
        decoded.extend_from_slice(rest);
        let Ok(decoded) = std::str::from_utf8(&decoded) else { continue };
        // An escape is two bytes longer than what it stands for.
        let place = |index: usize| start + index + 2 * escapes.partition_point(|escape| *escape < index);
        for secret in shapes(decoded, plain(decoded)) {
            let range = place(secret.range.start)..place(secret.range.end);
            found.push(Found { kind: secret.kind, range });
        }
    }
    found
}

/// The byte that the escape at the start of `bytes` stands for.
fn escape(bytes: &[u8]) -> Option<u8> {
    let [b'%', high, low, ..] = bytes else { return None };
    let digit = |byte: u8| (byte as char).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    Some(digit(*high)? * 16 + digit(*low)?)
}

/// Whether a byte ends a word that may hold escapes: a blank, a quote, an angle.
static ENDS_WORD: Bytes = Bytes::of(BLANKS).and(b"\"'`<>");

/// Adds the tokens that are told by the shape of long words.
fn shapes(text: &str, mut found: Vec<Found>) -> Vec<Found> {
    for word in long::words(text.as_bytes()) {
        found.extend(shape(text, word));
    }
    found
}

fn shape(text: &str, word: Range<usize>) -> Option<Found> {
    let bytes = text.as_bytes();
    let (kind, range) = long::shaped(bytes, word.clone()).or_else(|| long::common(bytes, word))?;
    Some(Found { kind: Cow::Borrowed(kind), range })
}

/// Adds what long words are or hide.
fn long_words(text: &str, mut found: Vec<Found>) -> Vec<Found> {
    let bytes = text.as_bytes();
    for word in long::words(bytes) {
        found.extend(shape(text, word.clone()));
        // A dash or a slash before a word is of its alphabet too.
        let signs = bytes[word.clone()].iter().take_while(|byte| matches!(byte, b'-' | b'/')).count();
        let run = word.start + signs..word.end;
        if let Some(hidden) = long::hidden_text(&bytes[run.clone()])
            && let Some(secret) = shapes(&hidden, plain(&hidden)).first()
        {
            found.push(Found { kind: secret.kind.clone(), range: run });
        } else if long::looks_like_key(text, word.clone()) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_silent_mask_leads_anywhere() {
        for kind in SILENT {
            for end in ["»", " …zip»", " #2»"] {
                let text = format!("«{}{end}", String::from_utf8_lossy(kind));
                let silent = silent_end(text.as_bytes(), &(0..text.len())).unwrap();
                SEARCH.each(text.as_bytes(), |lead, hit| match lead {
                    Lead::Name => {}
                    Lead::Format(format) => {
                        assert_eq!(format.end(text.as_bytes(), hit.start), None, "{text}");
                    }
                    _ => assert!(hit.start >= silent, "{text}"),
                });
            }
        }
    }

    #[test]
    fn a_text_is_read_the_same_whether_its_masks_are_known_or_not() {
        let masks =
            ["«password»", "«api-key …zip #2»", "«token #12»", "«docker-token …x9Q»", "«authorization»"];
        let before = [
            "DB_PASSWORD=",
            "token: ",
            "<key>",
            "x",
            "\n",
            "\"secret\": \"",
            "a\": 'b', '",
            "docker login -p ",
            "",
        ];
        let behind = [
            "\n",
            "foo_token=k9Xw2LmQ7v\n",
            "\"",
            ";",
            "'",
            ":k9Xw2LmQ7v",
            " login -p hunter2x\n",
            "-key=k9Xw2LmQ7v",
            "",
        ];
        for mask in masks {
            for before in before {
                for behind in behind {
                    for rest in ["", "PASSWORD=hunter2x\n", "' \"password\": \"hunter2x\""] {
                        let text = format!("{before}{mask}{behind}{rest}");
                        let place = before.len()..before.len() + mask.len();
                        assert_eq!(secrets(&text), secrets_beside(&text, &[place]), "{text}");
                    }
                }
            }
        }
    }
}
