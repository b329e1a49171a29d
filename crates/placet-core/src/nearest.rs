//! What somebody probably meant by a word that is not known.

/// Which of `known` somebody who wrote `word` probably meant: the one that is a slip or two away.
pub fn nearest<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    // Nobody slips on a word much longer than ours, and the work grows with the length.
    const WORD_MAX: usize = 64;
    if word.len() > WORD_MAX {
        return None;
    }
    let slips_max = |known: &str| (1 + known.len() / 4).min(3);
    known
        .iter()
        .map(|&candidate| (slips(word, candidate), candidate))
        .filter(|&(slips, candidate)| slips <= slips_max(candidate))
        .min()
        .map(|(_, candidate)| candidate)
}

/// How many slips turn `a` into `b`: a character added, lost, changed, or swapped with the next.
fn slips(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let changed = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut fewest = changed.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                fewest = fewest.min(rows[i - 2][j - 2] + 1);
            }
            row.push(fewest);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_counted() {
        for (a, b, expected) in [
            ("", "", 0),
            ("", "abc", 3),
            ("abc", "abc", 0),
            ("abc", "acb", 1),
            ("abc", "ac", 1),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(slips(a, b), expected, "{a} {b}");
        }
    }
}
