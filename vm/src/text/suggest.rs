//! Suggestions for misspelled names ("Did you mean ...?"): the one edit distance of the project.
//!
//! Levenshtein distance with a bound: a suggestion that differs in three characters or more is seldom what was
//! meant, not even where the candidates are a handful of keywords.

/// Returns the candidate at the least edit distance from `wanted`, at most 2; of several the first in the
/// alphabet. Names of more than 64 bytes are not compared, which bounds the work that crafted names can
/// cause.
pub fn nearest<'n>(wanted: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    const LONGEST: usize = 64;
    if wanted.len() > LONGEST {
        return None;
    }
    known
        .into_iter()
        .filter(|name| name.len() <= LONGEST && name.len().abs_diff(wanted.len()) < 3 * 4)
        .filter_map(|name| Some((distance(wanted, name)?, name)))
        .min()
        .map(|(_, name)| name)
}

/// Returns the number of single-character edits from `a` to `b`, if it is at most 2.
fn distance(a: &str, b: &str) -> Option<usize> {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row.last().copied().filter(|distance| *distance < 3)
}
