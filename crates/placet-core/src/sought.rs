//! Everything that is sought, by its letters: what several begin with is there once, and is compared once.

use std::{collections::VecDeque, ops::Range};

use crate::packed::{self, Numbers};

/// Texts in their order, as a tree of what they begin with: a node is some letters that follow on those of another.
///
/// The nodes stand in the order of their distance from the root. So the letters of one stand where those of the one before
/// it end, and the nodes that follow on it behind those that follow on the one before it.
pub struct Sought<'t> {
    /// The nodes that nothing is before, by their first letter; 0 where there is none.
    roots: Numbers<'t>,
    /// Where the letters of each node begin, the nodes that follow on it, and the texts that end with its letters; and where
    /// those texts end. One more ends the last.
    nodes: &'t [[u8; NODE]],
    /// The first letter of each node: those that branch from one stand together, and so do their letters.
    firsts: &'t [u8],
    /// The letters of all nodes.
    letters: &'t [u8],
}

/// Four numbers.
const NODE: usize = 16;

struct Node {
    letters: Range<usize>,
    /// The nodes that follow on this one.
    next: Range<usize>,
    /// Which of the texts end with its letters.
    ends: Range<usize>,
}

impl<'t> Sought<'t> {
    /// Those that `table` was made of.
    pub fn read(table: &'t [u8]) -> Option<Self> {
        let [roots, nodes, firsts, letters] = packed::split(table)?;
        Some(Self { roots: Numbers::read(roots), nodes: nodes.as_chunks().0, firsts, letters })
    }

    #[inline]
    fn node(&self, at: usize) -> Node {
        let number = |bytes: &[u8; NODE], which: usize| {
            u32::from_le_bytes([
                bytes[4 * which],
                bytes[4 * which + 1],
                bytes[4 * which + 2],
                bytes[4 * which + 3],
            ]) as usize
        };
        let (node, after) = (&self.nodes[at], &self.nodes[at + 1]);
        Node {
            letters: number(node, 0)..number(after, 0),
            next: number(node, 1)..number(after, 1),
            ends: number(node, 2)..number(node, 3),
        }
    }

    /// Sees the number of every text that `letters` begin with, and how long it is, the shorter ones first.
    #[inline]
    pub fn each(&self, letters: &[u8], mut see: impl FnMut(usize, usize)) {
        self.node(0).ends.for_each(|text| see(text, 0));
        let Some(first) = letters.first() else { return };
        let (mut next, mut length) = (self.roots.at(usize::from(*first)) as usize, 0);
        while next != 0 {
            let node = self.node(next);
            let own = &self.letters[node.letters];
            // The first of them is known to be there.
            if !letters[length + 1..].starts_with(&own[1..]) {
                return;
            }
            length += own.len();
            node.ends.for_each(|text| see(text, length));
            let Some(first) = letters.get(length) else { return };
            let branch = memchr::memchr(*first, &self.firsts[node.next.clone()]);
            next = branch.map_or(0, |branch| node.next.start + branch);
        }
    }
}

/// All of `texts`, which are in order, as they are read.
pub fn table(texts: &[&[u8]]) -> Vec<u8> {
    let mut roots = [0; 256];
    // What is sought is of this program, or a few dozen secrets.
    let (mut nodes, mut firsts, mut letters) = (Vec::new(), vec![0], Vec::new());
    let mut begins = vec![0];
    // For each node the texts that begin with its letters and those before it, and how many letters that is.
    let mut open = VecDeque::from([(0..texts.len(), 0)]);
    while let Some((mut here, length)) = open.pop_front() {
        let ended = texts[here.clone()].partition_point(|text| text.len() == length);
        let ends = here.start..here.start + ended;
        nodes.extend([begins[nodes.len() / 4], firsts.len() as u32, ends.start as u32, ends.end as u32]);
        here.start = ends.end;
        while let Some(text) = texts[here.clone()].first() {
            let first = text[length];
            let count = texts[here.clone()].partition_point(|text| text[length] == first);
            let below = here.start..here.start + count;
            // They are in order, so what the first and the last begin with, all do.
            let last = &texts[below.end - 1][length..];
            let shared = text[length..].iter().zip(last).take_while(|(a, b)| a == b).count();
            open.push_back((below, length + shared));
            if length == 0 {
                roots[usize::from(first)] = firsts.len() as u32;
            }
            begins.push(letters.len() as u32);
            firsts.push(first);
            letters.extend_from_slice(&text[length..length + shared]);
            here.start += count;
        }
    }
    nodes.extend([letters.len() as u32, firsts.len() as u32, 0, 0]);
    packed::sections(&[&packed::numbers(roots), &packed::numbers(nodes), &firsts, &letters])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn all_that_a_text_begins_with_are_seen(mut texts in prop::collection::vec("[abcé]{0,6}", 0..24), text in "[abcé]{0,8}") {
            texts.sort();
            let sought: Vec<&[u8]> = texts.iter().map(String::as_bytes).collect();
            let mut seen = Vec::new();
            Sought::read(&table(&sought)).unwrap().each(text.as_bytes(), |number, length| seen.push((length, number)));
            let mut expected: Vec<(usize, usize)> = (texts.iter().enumerate())
                .filter(|(_, sought)| text.starts_with(sought.as_str()))
                .map(|(number, sought)| (sought.len(), number))
                .collect();
            expected.sort_unstable();
            prop_assert_eq!(seen, expected);
        }
    }
}
