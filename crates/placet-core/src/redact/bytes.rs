//! Sets of bytes of which one is asked for each byte of a text.

/// A set of bytes, as a table.
pub struct Bytes([bool; 256]);

/// What `u8::is_ascii_whitespace` says is one.
pub const BLANKS: &[u8] = b" \t\n\x0c\r";

impl Bytes {
    /// Those in `list`.
    pub const fn of(list: &[u8]) -> Self {
        Self([false; 256]).and(list)
    }

    /// Those in `list` too.
    pub const fn and(mut self, list: &[u8]) -> Self {
        let mut at = 0;
        while at < list.len() {
            self.0[list[at] as usize] = true;
            at += 1;
        }
        self
    }

    /// Those from `first` to `last` too.
    pub const fn and_from(mut self, first: u8, last: u8) -> Self {
        let mut byte = first as usize;
        while byte <= last as usize {
            self.0[byte] = true;
            byte += 1;
        }
        self
    }

    /// How many of the first bytes are.
    #[inline]
    pub fn run(&self, bytes: &[u8]) -> usize {
        bytes.iter().position(|byte| !self.has(*byte)).unwrap_or(bytes.len())
    }

    /// How many of the last bytes are.
    #[inline]
    pub fn run_back(&self, bytes: &[u8]) -> usize {
        bytes.len() - bytes.iter().rposition(|byte| !self.has(*byte)).map_or(0, |at| at + 1)
    }

    /// Whether `byte` is one of them.
    #[inline]
    pub fn has(&self, byte: u8) -> bool {
        self.0[byte as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_what_it_was_made_of() {
        static SET: Bytes = Bytes::of(BLANKS).and(b"_").and_from(b'a', b'f').and_from(0x80, 0xff);
        for byte in 0..=u8::MAX {
            let expected = byte.is_ascii_whitespace() || matches!(byte, b'_' | b'a'..=b'f' | 0x80..);
            assert_eq!(SET.has(byte), expected, "{byte:#x}");
        }
    }
}
