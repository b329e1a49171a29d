//! Tables as bytes: one that is part of the program is used as it lies there, by every process that runs it.

/// Numbers of four bytes each.
#[derive(Clone, Copy)]
pub struct Numbers<'t>(&'t [[u8; 4]]);

impl<'t> Numbers<'t> {
    /// Those that are written in `bytes`.
    pub fn read(bytes: &'t [u8]) -> Self {
        Self(bytes.as_chunks().0)
    }

    /// The one at `at`.
    #[inline]
    pub fn at(self, at: usize) -> u32 {
        u32::from_le_bytes(self.0[at])
    }

    /// Those from `from` up to `to`.
    pub fn between(self, from: u32, to: u32) -> Self {
        Self(&self.0[from as usize..to as usize])
    }

    /// All, in their order.
    pub fn all(self) -> impl Iterator<Item = u32> + 't {
        self.0.iter().map(|number| u32::from_le_bytes(*number))
    }

    /// Whether `number` is one of them, which come in order.
    pub fn has(self, number: u32) -> bool {
        self.0.binary_search_by_key(&number, |number| u32::from_le_bytes(*number)).is_ok()
    }
}

/// `numbers` as they are read.
pub fn numbers(numbers: impl IntoIterator<Item = u32>) -> Vec<u8> {
    numbers.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// `sections` as one, each with its length before it.
pub fn sections(sections: &[&[u8]]) -> Vec<u8> {
    let mut all = Vec::new();
    for section in sections {
        all.extend_from_slice(&(section.len() as u32).to_le_bytes());
        all.extend_from_slice(section);
    }
    all
}

/// The sections of `all`, or nothing if there are others than `COUNT`.
pub fn split<const COUNT: usize>(mut all: &[u8]) -> Option<[&[u8]; COUNT]> {
    let mut sections = [&[][..]; COUNT];
    for section in &mut sections {
        let (length, rest) = all.split_first_chunk()?;
        (*section, all) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    }
    all.is_empty().then_some(sections)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let written = sections(&[&numbers([3, 70_000, u32::MAX]), b"", b"abc"]);
        let [read, nothing, letters] = split(&written).unwrap();
        assert_eq!((nothing, letters), (&b""[..], &b"abc"[..]));
        let read = Numbers::read(read);
        assert_eq!(read.all().collect::<Vec<_>>(), [3, 70_000, u32::MAX]);
        assert_eq!((read.at(1), read.has(70_000), read.has(4)), (70_000, true, false));
        assert!(!read.between(0, 1).has(70_000));
    }

    #[test]
    fn what_is_no_table_is_none() {
        let written = sections(&[b"abc"]);
        assert!(split::<1>(&written).is_some());
        assert!(split::<2>(&written).is_none() && split::<0>(&written).is_none());
        assert!((0..written.len()).all(|end| split::<1>(&written[..end]).is_none()));
    }
}
