//! The shape of a shell script after parsing: nothing is expanded, nothing is run.

use std::{
    borrow::Cow,
    ops::{Deref, DerefMut, Range},
};

/// A list of commands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Script<'a> {
    /// In the order they are written.
    pub items: Vec<Item<'a>>,
}

/// One pipeline of a list, with how it is tied to the one before.
#[derive(Clone, Debug, PartialEq)]
pub struct Item<'a> {
    /// `&&` and `||` make it run only sometimes.
    pub link: Link,
    /// The commands between the `|`.
    pub stages: Vec<Stage<'a>>,
    /// Whether it ends in `&`.
    pub background: bool,
}

/// How a pipeline is tied to the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// First, or after `;`, `&` or a new line.
    Then,
    /// After `&&`.
    And,
    /// After `||`.
    Or,
}

/// One command of a pipeline.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage<'a> {
    /// What runs.
    pub command: Command<'a>,
    /// Where its input and output go.
    pub redirects: Vec<Redirect<'a>>,
    /// Its bytes in the script.
    pub range: Range<usize>,
}

/// A command, simple or compound.
#[derive(Clone, Debug, PartialEq)]
pub enum Command<'a> {
    /// `NAME=value program argument…`
    Simple {
        /// Before the program.
        assignments: Vec<Assignment<'a>>,
        /// The program and its arguments.
        words: Vec<Word<'a>>,
    },
    /// `{ …; }`
    Group(Script<'a>),
    /// `( … )`
    Subshell(Script<'a>),
    /// `if … then … elif … else … fi`
    If {
        /// Conditions with what follows each.
        branches: Vec<(Script<'a>, Script<'a>)>,
        /// After `else`.
        otherwise: Option<Script<'a>>,
    },
    /// `while … do … done` and `until`.
    While {
        /// The condition.
        condition: Script<'a>,
        /// The body.
        body: Script<'a>,
    },
    /// `for name in words; do … done` and `select`.
    For {
        /// The variable.
        name: &'a str,
        /// `None` stands for the positional parameters.
        words: Option<Vec<Word<'a>>>,
        /// The body.
        body: Script<'a>,
    },
    /// `for ((…;…;…)); do … done`
    ForArithmetic {
        /// The three expressions, for the substitutions in them.
        header: Word<'a>,
        /// Whether the middle one is empty, so that it never ends by itself.
        endless: bool,
        /// The body.
        body: Script<'a>,
    },
    /// `case word in … esac`
    Case {
        /// What is compared.
        word: Word<'a>,
        /// Patterns and what runs.
        arms: Vec<(Vec<Word<'a>>, Script<'a>)>,
    },
    /// `name() …`
    Function {
        /// Its name.
        name: &'a str,
        /// The text of its body.
        source: &'a str,
        /// Its body.
        body: Box<Stage<'a>>,
    },
    /// `[[ … ]]`
    Test(Vec<Word<'a>>),
    /// `(( … ))`
    Arithmetic(Word<'a>),
}

/// `NAME=value`, `NAME+=value` or `NAME=(…)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment<'a> {
    /// The variable.
    pub name: &'a str,
    /// Whether it is `+=`.
    pub append: bool,
    /// What it is set to; an array keeps its words.
    pub value: Value<'a>,
}

/// The right side of an assignment.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'a> {
    /// One word.
    Scalar(Word<'a>),
    /// `( … )`
    Array(Vec<Word<'a>>),
}

/// `2> file` and its relatives.
#[derive(Clone, Debug, PartialEq)]
pub struct Redirect<'a> {
    /// The descriptor; `None` stands for the usual one.
    pub fd: Option<Fd<'a>>,
    /// The direction.
    pub kind: RedirectKind,
    /// A file, a descriptor, or the text of a here-document.
    pub target: Word<'a>,
}

/// The left side of a redirection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fd<'a> {
    /// `3>`
    Number(u32),
    /// `{name}>`
    Named(&'a str),
}

/// The operator of a redirection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedirectKind {
    /// `<`
    Read,
    /// `>` and `>|`
    Write,
    /// `>>`
    Append,
    /// `&>`
    WriteBoth,
    /// `&>>`
    AppendBoth,
    /// `<>`
    ReadWrite,
    /// `<&`
    DupRead,
    /// `>&`
    DupWrite,
    /// `<<` and `<<-`
    HereDoc,
    /// `<<<`
    HereString,
}

/// A word before expansion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Word<'a> {
    /// From left to right.
    pub parts: Parts<'a>,
    /// Its bytes in the script.
    pub range: Range<usize>,
}

/// The pieces of a word. Nearly every word is one piece, and that is kept in place.
#[derive(Clone, Debug, PartialEq)]
pub enum Parts<'a> {
    /// One piece.
    One(Part<'a>),
    /// None, or several.
    Many(Vec<Part<'a>>),
}

impl Default for Parts<'_> {
    fn default() -> Self {
        Self::Many(Vec::new())
    }
}

impl<'a> Parts<'a> {
    /// Adds a piece at the end.
    pub fn push(&mut self, part: Part<'a>) {
        match self {
            Self::Many(many) if many.is_empty() => *self = Self::One(part),
            Self::Many(many) => many.push(part),
            Self::One(_) => {
                let mut many = std::mem::take(self).into_vec();
                many.push(part);
                *self = Self::Many(many);
            }
        }
    }

    /// The pieces in a list.
    pub fn into_vec(self) -> Vec<Part<'a>> {
        match self {
            Self::One(part) => vec![part],
            Self::Many(many) => many,
        }
    }
}

impl<'a> Deref for Parts<'a> {
    type Target = [Part<'a>];

    fn deref(&self) -> &[Part<'a>] {
        match self {
            Self::One(part) => std::slice::from_ref(part),
            Self::Many(many) => many,
        }
    }
}

impl DerefMut for Parts<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        match self {
            Self::One(part) => std::slice::from_mut(part),
            Self::Many(many) => many,
        }
    }
}

/// A piece of a word.
#[derive(Clone, Debug, PartialEq)]
pub enum Part<'a> {
    /// Text as it stands. Unquoted text may hold globs and braces.
    Text {
        /// The text, with escapes and quotes removed.
        text: Cow<'a, str>,
        /// Whether quotes protect it from splitting and globbing.
        quoted: bool,
    },
    /// `$name`, `${…}`
    Parameter {
        /// The variable.
        name: &'a str,
        /// What is done with its value.
        form: Form<'a>,
        /// Whether it stands inside double quotes.
        quoted: bool,
    },
    /// `$( … )` and backticks.
    Substitution {
        /// What runs.
        script: Script<'a>,
        /// Whether it stands inside double quotes.
        quoted: bool,
    },
    /// Backticks with escapes inside, read when they are walked.
    Escaped {
        /// The script, unescaped once.
        text: String,
        /// Whether it stands inside double quotes.
        quoted: bool,
    },
    /// `$(( … ))`, kept for the substitutions inside.
    Arithmetic(Vec<Part<'a>>),
    /// `<( … )` and `>( … )`
    Process {
        /// What runs.
        script: Script<'a>,
        /// `true` for `<(`.
        reads: bool,
    },
}

/// What `${…}` does with a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Form<'a> {
    /// `$x`, `${x}`
    Plain,
    /// `${#x}`
    Length,
    /// `${!x}`
    Indirect,
    /// `${x:-word}`, `${x-word}`
    Default(Box<Word<'a>>),
    /// `${x:=word}`, `${x=word}`
    Assign(Box<Word<'a>>),
    /// `${x:+word}`, `${x+word}`
    Alternative(Box<Word<'a>>),
    /// `${x:?word}`
    Required(Box<Word<'a>>),
    /// `${x:offset:length}`
    Slice(Box<Word<'a>>),
    /// `${x#pattern}`, `${x%pattern}` and doubled
    Strip {
        /// From the front.
        front: bool,
        /// The longest match.
        longest: bool,
        /// What is stripped.
        pattern: Box<Word<'a>>,
    },
    /// `${x/pattern/replacement}`
    Replace {
        /// Every occurrence.
        all: bool,
        /// What is replaced.
        pattern: Box<Word<'a>>,
        /// By what.
        with: Box<Word<'a>>,
    },
    /// `${x^^}`, `${x,,}`, `${x@Q}`, `${a[i]}`: not followed, but what is inside is read.
    Other(Box<Word<'a>>),
}
