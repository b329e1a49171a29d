//! What phrases mean, and the language they are in.

/// A language, by its code of two letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Language(pub(super) &'static str);

/// Those that have a list.
const LANGUAGES: [Language; 14] = [
    Language("en"),
    Language("es"),
    Language("fr"),
    Language("de"),
    Language("pt"),
    Language("it"),
    Language("vi"),
    Language("tr"),
    Language("zh"),
    Language("ja"),
    Language("ko"),
    Language("ar"),
    Language("hi"),
    Language("ru"),
];

impl Language {
    /// Its code of two letters.
    pub fn code(self) -> &'static str {
        self.0
    }

    /// The language with this code, if it has a list.
    pub fn named(code: &str) -> Option<Self> {
        Self::all().find(|language| language.0 == code)
    }

    /// All that have a list.
    pub fn all() -> impl Iterator<Item = Self> {
        LANGUAGES.into_iter()
    }
}

/// What words of a life in danger say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Somebody says it of themselves.
    Direct,
    /// Somebody hints at it.
    Veiled,
    /// Somebody is worried about somebody else.
    Third,
    /// What is said to somebody in danger.
    Advice,
    /// Where help is.
    Helpline,
    /// Others are called in.
    Escalation,
    /// The matter by its name.
    Topic,
}

impl Kind {
    /// All, with the word that a list has for them.
    pub const NAMES: [(&'static str, Self); 7] = [
        ("direct", Self::Direct),
        ("veiled", Self::Veiled),
        ("third", Self::Third),
        ("advice", Self::Advice),
        ("helpline", Self::Helpline),
        ("escalation", Self::Escalation),
        ("topic", Self::Topic),
    ];

    /// Whether news, fiction and drills speak so too.
    pub(super) fn is_told_elsewhere(self) -> bool {
        match self {
            Kind::Direct | Kind::Veiled => false,
            Kind::Third | Kind::Advice | Kind::Helpline | Kind::Escalation | Kind::Topic => true,
        }
    }
}

/// What a phrase is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    Says(Kind),
    /// It only sounds so: what is found within it does not count.
    Everyday,
    /// News, fiction, drills, condolences, announcements.
    Elsewhere,
}

/// Words of a life in danger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sign {
    /// What they say.
    pub kind: Kind,
    /// In which language.
    pub language: Language,
}

/// A phrase: its parts in their order, with gaps between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Phrase {
    pub used: Use,
    pub language: Language,
    pub parts: u8,
}

impl Phrase {
    /// How many bytes one is written as.
    pub const BYTES: usize = 3;

    /// The one that was written so: the use, the language's place among all, the parts.
    pub fn read([used, language, parts]: [u8; Self::BYTES]) -> Self {
        let used = match usize::from(used) {
            EVERYDAY => Use::Everyday,
            ELSEWHERE => Use::Elsewhere,
            used => Use::Says(Kind::NAMES[used].1),
        };
        Self { used, language: LANGUAGES[usize::from(language)], parts }
    }
}

/// What is written of a phrase that says something is its kind's place among [`Kind::NAMES`]; of these, a number beyond.
pub(super) const EVERYDAY: usize = Kind::NAMES.len();
pub(super) const ELSEWHERE: usize = EVERYDAY + 1;

/// A place in a phrase: which one, times 256, and which of its parts.
pub(super) type Slot = u32;

/// What is said of a pattern in one byte: a longer word counts too.
pub(super) const OPEN: u8 = 1;
/// It says something alone.
pub(super) const SAYS: u8 = 2;
/// It says something if what is before it in its phrase stands before.
pub(super) const CLOSES: u8 = 4;
