//! Did you mean: the known name nearest to an unknown one.

/// The name at an edit distance below 3, nearest first, then first in the alphabet. Long names
/// are not compared, so that hostile ones cost nothing.
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

/// The number of single-character edits from `a` to `b`, when it is below 3.
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
