//! Everything that is sought, by its letters: what several begin with is there once, and is compared once.

use std::{collections::VecDeque, ops::Range};

/// Texts in their order, as a tree of what they begin with.
pub struct Sought {
    /// The nodes that nothing is before, by their first letter; 0 where there is none.
    roots: [u32; 256],
    nodes: Vec<Node>,
    /// The first letter of each node: those that branch from one stand together, and so do their letters.
    firsts: Vec<u8>,
    /// The letters of all nodes.
    letters: Vec<u8>,
}

/// Letters that follow on those of another node.
#[derive(Default)]
struct Node {
    letters: Range<u32>,
    /// Which of the texts end with them.
    ends: Range<u32>,
    /// The nodes that follow on this one.
    next: Range<u32>,
}

impl Sought {
    /// All of `texts`, which are in order.
    pub fn of(texts: &[&[u8]]) -> Self {
        let mut sought =
            Self { roots: [0; 256], nodes: vec![Node::default()], firsts: vec![0], letters: Vec::new() };
        // A node, the texts that begin with its letters and those before it, and how many letters that is.
        let mut open = VecDeque::from([(0, 0..texts.len(), 0)]);
        while let Some((node, mut here, length)) = open.pop_front() {
            let ended = texts[here.clone()].partition_point(|text| text.len() == length);
            sought.nodes[node].ends = narrow(here.start..here.start + ended);
            here.start += ended;
            let next = sought.nodes.len();
            while let Some(text) = texts[here.clone()].first() {
                let first = text[length];
                let count = texts[here.clone()].partition_point(|text| text[length] == first);
                let below = here.start..here.start + count;
                // They are in order, so what the first and the last begin with, all do.
                let last = &texts[below.end - 1][length..];
                let shared = text[length..].iter().zip(last).take_while(|(a, b)| a == b).count();
                open.push_back((sought.nodes.len(), below, length + shared));
                sought.put(&text[length..length + shared]);
                here.start += count;
            }
            sought.nodes[node].next = narrow(next..sought.nodes.len());
        }
        for root in wide(&sought.nodes[0].next) {
            sought.roots[usize::from(sought.firsts[root])] = root as u32;
        }
        sought
    }

    fn put(&mut self, letters: &[u8]) {
        let start = self.letters.len();
        self.letters.extend_from_slice(letters);
        self.firsts.push(letters[0]);
        self.nodes.push(Node { letters: narrow(start..self.letters.len()), ..Node::default() });
    }

    /// Sees the number of every text that `letters` begin with, and how long it is, the shorter ones first.
    #[inline]
    pub fn each(&self, letters: &[u8], mut see: impl FnMut(usize, usize)) {
        wide(&self.nodes[0].ends).for_each(|text| see(text, 0));
        let Some(first) = letters.first() else { return };
        let (mut next, mut length) = (self.roots[usize::from(*first)] as usize, 0);
        while next != 0 {
            let node = &self.nodes[next];
            let own = &self.letters[wide(&node.letters)];
            // The first of them is known to be there.
            if !letters[length + 1..].starts_with(&own[1..]) {
                return;
            }
            length += own.len();
            wide(&node.ends).for_each(|text| see(text, length));
            let Some(first) = letters.get(length) else { return };
            let branches = wide(&node.next);
            let branch = memchr::memchr(*first, &self.firsts[branches.clone()]);
            next = branch.map_or(0, |branch| branches.start + branch);
        }
    }
}

/// What is sought is of this program, or a few dozen secrets.
fn narrow(range: Range<usize>) -> Range<u32> {
    range.start as u32..range.end as u32
}

fn wide(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
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
            Sought::of(&sought).each(text.as_bytes(), |number, length| seen.push((length, number)));
            let mut expected: Vec<(usize, usize)> = (texts.iter().enumerate())
                .filter(|(_, sought)| text.starts_with(sought.as_str()))
                .map(|(number, sought)| (sought.len(), number))
                .collect();
            expected.sort_unstable();
            prop_assert_eq!(seen, expected);
        }
    }
}
