//! Secrets masked before anybody sees them.
//!
//! A [`Redactor`] finds secrets in text and puts a mask in their place that says what was there: `«github-token …x9Q»`. A
//! [`Record`] does so for everything that belongs together, a call with its decision or a result: there, equal secrets have
//! equal masks, different ones different masks, and a secret that was recognised once is masked wherever it stands.
//!
//! This is a heuristic. What is claimed is in `docs/guide/redaction.md`, what is not in `docs/adr/0008-redaction.md`.

mod bytes;

mod class;

mod words;

mod check;

mod format;

mod formats;

mod name;

mod value;

mod assign;

mod behind;

mod header;

mod url;

mod pem;

mod jwt;

mod shell;

mod placed;

mod long;

mod search;

mod scan;

mod personal;

mod pattern;

mod mask;

mod remap;

mod record;

mod walk;

mod label;

use std::{
    borrow::Cow,
    ops::Range,
    sync::{Arc, LazyLock},
};

pub use format::Format;
pub use formats::FORMATS;
pub use mask::masks;
pub use pattern::{PatternError, Patterns, PatternsFile};
pub use record::{Masked, Record};
pub use remap::Remap;
pub use walk::Moves;

/// What a secret is called in its mask.
pub type Kind = Cow<'static, str>;

/// A secret that was found: what kind, and which bytes. Never what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// What it is called in its mask.
    pub kind: Kind,
    /// Which bytes of the text.
    pub range: Range<usize>,
}

/// Finds and masks secrets. Cheap to clone; what it searches for is compiled once in a process, when it is first needed.
#[derive(Clone, Debug, Default)]
pub struct Redactor {
    personal: bool,
    patterns: Option<Arc<Patterns>>,
}

static BUILTIN: Redactor = Redactor { personal: false, patterns: None };

impl Redactor {
    /// What is built in, and nothing else.
    ///
    /// ```
    /// use placet_core::redact::Redactor;
    ///
    /// let masked = Redactor::builtin().redact("export DB_PASSWORD=hunter2-and-more");
    /// assert_eq!(masked, "export DB_PASSWORD=«password»");
    /// ```
    pub fn builtin() -> &'static Redactor {
        &BUILTIN
    }

    /// Personal data too: addresses, telephone numbers, payment cards, accounts and identity numbers.
    #[must_use]
    pub fn with_personal(self) -> Self {
        Self { personal: true, ..self }
    }

    /// A site's own patterns too.
    #[must_use]
    pub fn with_patterns(self, patterns: Patterns) -> Self {
        Self { patterns: Some(Arc::new(patterns)), ..self }
    }

    /// `text` with its secrets masked; `text` itself if there are none.
    ///
    /// What has been masked is not masked again, so doing it twice is the same as doing it once.
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.record().text(text)
    }

    /// What [`Self::redact`] would mask first, in order and apart from each other.
    pub fn find(&self, text: &str) -> Vec<Found> {
        self.find_beside(text, &[])
    }

    /// The same for a text in which `masks` were just put, in order.
    fn find_beside(&self, text: &str, masks: &[Range<usize>]) -> Vec<Found> {
        let mut found = scan::secrets_beside(text, masks);
        if self.personal {
            personal::find(text, &mut found);
        }
        if let Some(patterns) = &self.patterns {
            patterns.find(text, &mut found);
        }
        if found.is_empty() { found } else { apart(text, found) }
    }

    /// Starts a record, for what belongs together.
    pub fn record(&self) -> Record<'_> {
        Record::new(self)
    }
}

/// Every kind there is without a site's own, sorted.
pub fn kinds() -> &'static [&'static str] {
    static KINDS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
        let mut kinds: Vec<&str> =
            FORMATS.iter().map(|format| format.kind).chain(OTHER_KINDS.iter().copied()).collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    });
    &KINDS
}

/// The kinds that are told by where they stand. The format of a vendor says more than these do.
const OTHER_KINDS: &[&str] = &[
    "api-key",
    "authorization",
    "basic-credentials",
    "bearer-token",
    "cookie",
    "key",
    "password",
    "random-string",
    "secret",
    "signature",
    "token",
    // Told by their own letters, without a row in the table.
    "azure-client-secret",
    "azure-key",
    "discord-token",
    "facebook-token",
    "jwt",
    "mailchimp-key",
    "private-key",
    "rapidapi-key",
    "telegram-token",
    // Personal.
    "e-mail",
    "iban",
    "ip-address",
    "national-id",
    "payment-card",
    "phone",
];

/// How much a kind says.
fn rank(kind: &str) -> u8 {
    u8::from(OTHER_KINDS.iter().take(11).all(|other| *other != kind))
}

/// In order; what overlaps made one, by the name that says most; masks that are there already left alone.
fn apart(text: &str, mut found: Vec<Found>) -> Vec<Found> {
    found.sort_by(|a, b| (a.range.start, b.range.end).cmp(&(b.range.start, a.range.end)));
    let mut merged: Vec<Found> = Vec::with_capacity(found.len());
    for secret in found {
        match merged.last_mut() {
            Some(last) if secret.range.start < last.range.end => {
                last.range.end = last.range.end.max(secret.range.end);
                if rank(&secret.kind) > rank(&last.kind) {
                    last.kind = secret.kind;
                }
            }
            _ => merged.push(secret),
        }
    }
    let masks: Vec<Range<usize>> = mask::masks(text).collect();
    if masks.is_empty() {
        return merged;
    }
    let mut pieces = Vec::with_capacity(merged.len());
    let mut next = 0;
    for secret in merged {
        let mut start = secret.range.start;
        while masks.get(next).is_some_and(|mask| mask.end <= start) {
            next += 1;
        }
        let mut at = next;
        while let Some(mask) = masks.get(at).filter(|mask| mask.start < secret.range.end) {
            let range = start..mask.start.max(start);
            push_piece(text, &mut pieces, Found { kind: secret.kind.clone(), range });
            start = mask.end;
            at += 1;
        }
        let range = start..secret.range.end.max(start);
        push_piece(text, &mut pieces, Found { kind: secret.kind, range });
    }
    pieces
}

/// What is left of a secret beside masks, if it is more than signs between them.
fn push_piece(text: &str, pieces: &mut Vec<Found>, piece: Found) {
    let words = text.get(piece.range.clone()).unwrap_or("");
    if words.chars().any(char::is_alphanumeric) {
        pieces.push(piece);
    }
}
