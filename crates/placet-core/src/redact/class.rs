//! Sets of letters that secrets are made of.

/// A set of ASCII letters, one bit for each family of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class(u16);

const DIGIT: u16 = 1;
const LOWER_HEX: u16 = 1 << 1;
const LOWER_REST: u16 = 1 << 2;
const UPPER_HEX: u16 = 1 << 3;
const UPPER_REST: u16 = 1 << 4;
const UNDERSCORE: u16 = 1 << 5;
const DASH: u16 = 1 << 6;
const PLUS_SLASH: u16 = 1 << 7;
const DOT: u16 = 1 << 8;
const EQUALS: u16 = 1 << 9;
const TILDE: u16 = 1 << 10;

/// The family of every byte.
static FAMILIES: [u16; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'0'..=b'9' => DIGIT,
            b'a'..=b'f' => LOWER_HEX,
            b'g'..=b'z' => LOWER_REST,
            b'A'..=b'F' => UPPER_HEX,
            b'G'..=b'Z' => UPPER_REST,
            b'_' => UNDERSCORE,
            b'-' => DASH,
            b'+' | b'/' => PLUS_SLASH,
            b'.' => DOT,
            b'=' => EQUALS,
            b'~' => TILDE,
            _ => 0,
        };
        byte += 1;
    }
    table
};

impl Class {
    pub const DIGITS: Self = Self(DIGIT);
    /// `0-9a-f`.
    pub const HEX: Self = Self(DIGIT | LOWER_HEX);
    /// `0-9a-fA-F`.
    pub const ANY_HEX: Self = Self(DIGIT | LOWER_HEX | UPPER_HEX);
    pub const LOWER: Self = Self(LOWER_HEX | LOWER_REST);
    pub const UPPER: Self = Self(UPPER_HEX | UPPER_REST);
    /// `0-9a-z`.
    pub const LOWER_DIGITS: Self = Self(DIGIT | LOWER_HEX | LOWER_REST);
    /// `0-9A-Z`.
    pub const UPPER_DIGITS: Self = Self(DIGIT | UPPER_HEX | UPPER_REST);
    pub const LETTERS: Self = Self(Self::LOWER.0 | Self::UPPER.0);
    /// `0-9A-Za-z`.
    pub const ALNUM: Self = Self(Self::LETTERS.0 | DIGIT);
    /// `0-9A-Za-z_`.
    pub const WORD: Self = Self(Self::ALNUM.0 | UNDERSCORE);
    /// `0-9A-Za-z-`.
    pub const DASHED: Self = Self(Self::ALNUM.0 | DASH);
    /// `0-9A-Za-z_-`, the alphabet of base64 for URLs.
    pub const URL64: Self = Self(Self::WORD.0 | DASH);
    /// `0-9A-Za-z_-.`.
    pub const URL64_DOT: Self = Self(Self::URL64.0 | DOT);
    /// `0-9A-Za-z+/`.
    pub const BASE64: Self = Self(Self::ALNUM.0 | PLUS_SLASH);
    /// The same with padding.
    pub const BASE64_PADDED: Self = Self(Self::BASE64.0 | EQUALS);
    /// Either alphabet of base64, with padding.
    pub const ANY_BASE64: Self = Self(Self::URL64.0 | PLUS_SLASH | EQUALS);
    /// `0-9A-Za-z_-.~+/`, which holds the alphabets of `crypt`.
    pub const UNRESERVED_SLASH: Self = Self(Self::UNRESERVED.0 | PLUS_SLASH);
    /// `0-9A-Za-z_-.~`.
    pub const UNRESERVED: Self = Self(Self::URL64_DOT.0 | TILDE);

    /// Whether `byte` is one of them.
    pub fn has(self, byte: u8) -> bool {
        FAMILIES[byte as usize] & self.0 != 0
    }

    /// How many of the first bytes are, at most `max`.
    pub fn run(self, bytes: &[u8], max: usize) -> usize {
        bytes.iter().take(max).take_while(|byte| self.has(**byte)).count()
    }

    /// How many of the last bytes are, at most `max`.
    pub fn run_back(self, bytes: &[u8], max: usize) -> usize {
        bytes.iter().rev().take(max).take_while(|byte| self.has(**byte)).count()
    }

    /// All of them, in order.
    pub fn letters(self) -> impl Iterator<Item = char> {
        (0..128u8).filter(move |byte| self.has(*byte)).map(char::from)
    }
}

/// Whether a secret may begin at `at`: what stands before does not belong to the same word.
///
/// The last letter of an escape (`\n`, `\u003d`, `%2F`) or of a colour (`ESC[31m`) does not.
pub fn starts_word(bytes: &[u8], at: usize) -> bool {
    let Some(&before) = at.checked_sub(1).and_then(|at| bytes.get(at)) else { return true };
    if !before.is_ascii_alphanumeric() {
        return true;
    }
    let back = |count: usize| at.checked_sub(count).and_then(|at| bytes.get(at)).copied();
    let hex = |count: usize| back(count).is_some_and(|byte| byte.is_ascii_hexdigit());
    (matches!(before, b'n' | b't' | b'r' | b'b' | b'f') && back(2) == Some(b'\\'))
        || (hex(1) && hex(2) && back(3) == Some(b'%'))
        || (hex(1) && hex(2) && hex(3) && hex(4) && back(5) == Some(b'u') && back(6) == Some(b'\\'))
        || (before == b'm'
            && (2..10).find(|count| !matches!(back(*count), Some(b'0'..=b'9' | b';'))).is_some_and(|count| {
                back(count) == Some(b'[')
                    && matches!(back(count + 1), Some(0x1b) | Some(b'b' | b'B' | b'3' | b'e'))
            }))
}
