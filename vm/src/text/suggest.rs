//! Suggestions for misspelled names ("Did you mean ...?"), with the one edit distance of the project, and
//! lists of names.
//!
//! Edits are insertions, deletions and replacements of a character and swaps of neighbours; upper and lower
//! case are equal. A suggestion that differs by three edits or in most of its characters is seldom what was
//! meant, not even where the candidates are a handful of keywords.

/// Returns the candidate at the least edit distance from `wanted`, at most 2 and at most half of the longer
/// name; of several the first in the alphabet. Names of more than 64 bytes are not compared, which bounds the
/// work that crafted names can cause.
pub fn nearest<'n>(wanted: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    nearest_by(wanted, known, |edits, longer| edits < 3 && edits * 2 <= longer)
}

/// Like [`nearest`] for a hundred candidates and more, of which some are always alike: less than a third of
/// the name may differ.
pub fn nearest_of_many<'n>(wanted: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    nearest_by(wanted, known, |edits, longer| edits < 3 && edits * 3 < longer)
}

fn nearest_by<'n>(
    wanted: &str,
    known: impl IntoIterator<Item = &'n str>,
    is_near: fn(usize, usize) -> bool,
) -> Option<&'n str> {
    const LONGEST: usize = 64;
    if wanted.len() > LONGEST {
        return None;
    }
    let is_ascii = wanted.is_ascii();
    let letters: Vec<char> = wanted.to_lowercase().chars().collect();
    known
        .into_iter()
        .filter(|name| name.len() <= LONGEST && name.len().abs_diff(wanted.len()) < 3 * 4)
        // As many characters as bytes: each one that only one name has is an edit.
        .filter(|name| !(is_ascii && name.is_ascii() && name.len().abs_diff(wanted.len()) > 2))
        .filter_map(|name| Some((distance(&letters, name, is_near)?, name)))
        .min()
        .map(|(_, name)| name)
}

/// Returns true if `near` can be proposed as a change of `wanted`. A name with characters that a reader does not see, or
/// takes for those of another script, would be a change that looks like none.
pub fn may_replace(wanted: &str, near: &str) -> bool {
    let foreign = |name: &str| name.chars().any(is_foreign);
    let is_mixed = |name: &str| foreign(name) && name.bytes().any(|byte| byte.is_ascii_alphabetic());
    !near.contains(is_invisible)
        && (!foreign(near) || foreign(wanted) && (is_mixed(wanted) || !is_mixed(near)))
}

/// Returns true for control characters, blanks and characters of no width.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || c.is_whitespace()
        || matches!(c, '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}')
        || matches!(c, '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}')
        || matches!(c, '\u{2060}'..='\u{206F}' | '\u{2800}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}')
        || matches!(c, '\u{FFA0}' | '\u{FFF0}'..='\u{FFF8}' | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
}

/// Returns true for letters that are not Latin, among which are those that look like Latin ones.
fn is_foreign(c: char) -> bool {
    c.is_alphabetic() && !c.is_ascii() && !matches!(c, '\u{C0}'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}')
}

/// Lists names for a message, as many as fit a line of a report.
pub fn listed(names: &[impl AsRef<str>]) -> String {
    const MOST: usize = 8;
    const LONGEST: usize = 40;
    let cut = |name: &str| match name.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    };
    let first: Vec<String> = names.iter().take(MOST).map(|name| cut(name.as_ref())).collect();
    let rest = if names.len() > MOST { format!(", … ({} in all)", names.len()) } else { String::new() };
    first.join(", ") + &rest
}

/// Returns the number of edits from `a` to `b` in lower case, if there are few for the longer name.
fn distance(a: &[char], b: &str, is_near: fn(usize, usize) -> bool) -> Option<usize> {
    let b: Vec<char> = b.to_lowercase().chars().collect();
    // The rows of the last two prefixes of `a`: a swap takes two characters from each name.
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut next = Vec::with_capacity(row.len());
        next.push(i + 1);
        for (j, to) in b.iter().enumerate() {
            let replaced = row[j] + usize::from(from != to);
            let mut least = replaced.min(row[j + 1] + 1).min(next[j] + 1);
            if i > 0 && j > 0 && *from == b[j - 1] && a[i - 1] == *to {
                least = least.min(before[j - 1] + 1);
            }
            next.push(least);
        }
        before = std::mem::replace(&mut row, next);
    }
    let longer = a.len().max(b.len());
    row.last().copied().filter(|edits| is_near(*edits, longer))
}
