//! Suggestions for misspelled names ("Did you mean ...?"), with the one edit distance of the project, and
//! lists of names.
//!
//! Edits are insertions, deletions and replacements of a character and swaps of neighbours; upper and lower
//! case are equal. A suggestion that differs by three edits or in most of its characters is seldom what was
//! meant, not even where the candidates are a handful of keywords.
//!
//! Suggestions cost no fuel: whether an evaluation succeeds does not depend on them. [`Comparisons`] bounds their work
//! instead.

use std::cell::Cell;

/// The longest names that are compared, in bytes.
const LONGEST: usize = 64;

/// The edits from which on a name is never suggested.
const TOO_MANY_EDITS: usize = 3;

/// The work that the suggestions of one report may take together. A search that exceeds it finds nothing, and neither
/// do later ones, so that a suggestion never depends on the order of the names.
#[derive(Debug)]
pub struct Comparisons {
    left: Cell<u32>,
}

impl Comparisons {
    /// The units of a report: about 4 million names of other lengths, or 250,000 of similar ones, which take some 20
    /// milliseconds.
    pub const UNITS: u32 = 1 << 22;

    /// Units for a name whose characters are compared, or that is put in order. One for any other.
    const COMPARED: u32 = 16;

    /// Creates the work of one report.
    pub const fn new() -> Self {
        Self { left: Cell::new(Self::UNITS) }
    }

    /// Begins another report.
    pub fn refill(&self) {
        self.left.set(Self::UNITS);
    }

    /// Returns true if a search was given up.
    pub const fn is_used_up(&self) -> bool {
        self.left.get() == 0
    }

    /// Returns the units that were spent.
    pub const fn spent(&self) -> u32 {
        Self::UNITS - self.left.get()
    }

    /// Spends the work of sorting `count` names. Returns false if that is too much.
    pub fn may_sort(&self, count: usize) -> bool {
        self.spend(u32::try_from(count).map_or(u32::MAX, |count| count.saturating_mul(Self::COMPARED)))
    }

    /// Spends the work of going through `count` names. Returns false if that is too much.
    pub fn may_visit(&self, count: usize) -> bool {
        self.spend(u32::try_from(count).unwrap_or(u32::MAX))
    }

    fn spend(&self, units: u32) -> bool {
        let left = self.left.get().checked_sub(units);
        self.left.set(left.unwrap_or(0));
        left.is_some()
    }

    /// Returns the candidate at the least edit distance from `wanted`, at most 2 and at most half of the longer
    /// name; of several the first in the alphabet. Names of more than 64 bytes are not compared.
    pub fn nearest<'n>(&self, wanted: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
        self.nearest_by(wanted, known, |edits, longer| edits * 2 <= longer)
    }

    fn nearest_by<'n>(
        &self,
        wanted: &str,
        known: impl IntoIterator<Item = &'n str>,
        is_near: fn(usize, usize) -> bool,
    ) -> Option<&'n str> {
        if wanted.len() > LONGEST {
            return None;
        }
        let is_ascii = wanted.is_ascii();
        let letters = Letters::of(wanted);
        let mut nearest: Option<(usize, &'n str)> = None;
        for name in known {
            if !self.spend(1) {
                return None;
            }
            // A character has at most four bytes, in ASCII one: each one that only one name has is an edit.
            let differs = name.len().abs_diff(wanted.len());
            if name.len() > LONGEST
                || differs >= TOO_MANY_EDITS * 4
                || differs >= TOO_MANY_EDITS && is_ascii && name.is_ascii()
            {
                continue;
            }
            if !self.spend(Self::COMPARED) {
                return None;
            }
            let other = Letters::of(name);
            let longer = letters.len().max(other.len());
            if let Some(edits) = distance(&letters, &other)
                && is_near(edits, longer)
                && nearest.is_none_or(|nearest| (edits, name) < nearest)
            {
                nearest = Some((edits, name));
            }
        }
        nearest.map(|(_, name)| name)
    }
}

impl Default for Comparisons {
    fn default() -> Self {
        Self::new()
    }
}

/// Returns the nearest candidate like [`Comparisons::nearest`], in a report of its own.
pub fn nearest<'n>(wanted: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    Comparisons::new().nearest(wanted, known)
}

/// Like [`nearest`] for a hundred candidates and more, of which some are always alike: less than a third of
/// the name may differ.
pub fn nearest_of_many<'n>(wanted: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    Comparisons::new().nearest_by(wanted, known, |edits, longer| edits * 3 < longer)
}

/// Returns true if `near` can be proposed as a change of `wanted`. A name with characters that a reader does not see, or
/// takes for those of another script, would be a change that looks like none.
pub fn may_replace(wanted: &str, near: &str) -> bool {
    let foreign = |name: &str| name.chars().any(is_foreign);
    let is_mixed = |name: &str| foreign(name) && name.bytes().any(|byte| byte.is_ascii_alphabetic());
    !near.contains(is_invisible)
        && (!foreign(near) || foreign(wanted) && (is_mixed(wanted) || !is_mixed(near)))
}

/// Returns the question for a name that is near to the one that was written, with what a reader does not see of it:
/// characters of no width, and letters of another script.
pub fn did_you_mean(wanted: &str, near: &str) -> String {
    let shown: String = near
        .chars()
        .flat_map(|c| {
            let escaped = is_invisible(c).then(|| c.escape_unicode());
            let plain = escaped.is_none().then_some(c);
            escaped.into_iter().flatten().chain(plain)
        })
        .collect();
    let invisible = |name: &str| name.chars().find(|c| is_invisible(*c));
    let other_script = |name: &str, than: &str| {
        let is_mixed = name.bytes().any(|byte| byte.is_ascii_alphabetic());
        name.chars().find(|c| is_mixed && is_foreign(*c) && !than.contains(*c))
    };
    let note = if let Some(c) = invisible(near) {
        format!(" It has the invisible character {}.", code_point(c))
    } else if let Some(c) = invisible(wanted) {
        format!(" The name that is written has the invisible character {}.", code_point(c))
    } else if let Some(c) = other_script(near, wanted) {
        format!(" Its \"{c}\" is {}, a letter of another script.", code_point(c))
    } else if let Some(c) = other_script(wanted, near) {
        format!(" The \"{c}\" that is written is {}, a letter of another script.", code_point(c))
    } else {
        String::new()
    };
    format!(" Did you mean \"{shown}\"?{note}")
}

/// Returns a character by its number, with the name of one that is often inserted by mistake: `U+FEFF (byte order mark)`.
pub fn code_point(c: char) -> String {
    let name = match c {
        '\u{A0}' => " (no-break space)",
        '\u{AD}' => " (soft hyphen)",
        '\u{2009}' => " (thin space)",
        '\u{200B}' => " (zero width space)",
        '\u{200C}' => " (zero width non-joiner)",
        '\u{200D}' => " (zero width joiner)",
        '\u{200E}' => " (left-to-right mark)",
        '\u{200F}' => " (right-to-left mark)",
        '\u{202F}' => " (narrow no-break space)",
        '\u{2060}' => " (word joiner)",
        '\u{3000}' => " (ideographic space)",
        '\u{FEFF}' => " (byte order mark)",
        _ => "",
    };
    format!("U+{:04X}{name}", u32::from(c))
}

/// Returns true for control characters, blanks and characters of no width.
pub fn is_invisible(c: char) -> bool {
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
pub fn listed<N: AsRef<str>>(names: impl IntoIterator<Item = N, IntoIter: ExactSizeIterator>) -> String {
    const MOST: usize = 8;
    const LONGEST: usize = 40;
    let cut = |name: &str| match name.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    };
    let names = names.into_iter();
    let count = names.len();
    let first: Vec<String> = names.take(MOST).map(|name| cut(name.as_ref())).collect();
    let rest = if count > MOST { format!(", … ({count} in all)") } else { String::new() };
    first.join(", ") + &rest
}

/// The characters of a name in lower case.
enum Letters {
    Ascii([u8; LONGEST], usize),
    Others(Vec<char>),
}

impl Letters {
    /// Returns the characters of a name of at most [`LONGEST`] bytes.
    fn of(name: &str) -> Self {
        let mut bytes = [0; LONGEST];
        match bytes.get_mut(..name.len()) {
            Some(cells) if name.is_ascii() => {
                cells.copy_from_slice(name.as_bytes());
                cells.make_ascii_lowercase();
                Self::Ascii(bytes, name.len())
            }
            _ => Self::Others(name.to_lowercase().chars().collect()),
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Ascii(_, len) => *len,
            Self::Others(letters) => letters.len(),
        }
    }

    fn chars(&self) -> Vec<char> {
        match self {
            Self::Ascii(bytes, len) => bytes[..*len].iter().copied().map(char::from).collect(),
            Self::Others(letters) => letters.clone(),
        }
    }
}

/// Returns the number of edits between two names, if it is less than [`TOO_MANY_EDITS`].
fn distance(a: &Letters, b: &Letters) -> Option<usize> {
    match (a, b) {
        (Letters::Ascii(a, a_len), Letters::Ascii(b, b_len)) => edits(&a[..*a_len], &b[..*b_len]),
        _ => edits(&a.chars(), &b.chars()),
    }
}

/// See [`distance`]. Looks at the cells of the usual table that are at most two off its diagonal, so the time is linear,
/// and ends with the row in which all of them are too large.
fn edits<C: Copy + PartialEq>(mut a: &[C], mut b: &[C]) -> Option<usize> {
    while let ([first, rest_a @ ..], [same, rest_b @ ..]) = (a, b)
        && first == same
    {
        (a, b) = (rest_a, rest_b);
    }
    while let ([rest_a @ .., last], [rest_b @ .., same]) = (a, b)
        && last == same
    {
        (a, b) = (rest_a, rest_b);
    }
    if a.len().abs_diff(b.len()) >= TOO_MANY_EDITS {
        return None;
    }
    const OFF: usize = TOO_MANY_EDITS - 1;
    const WIDTH: usize = 2 * OFF + 1;
    // The cell at `at` of row `i` is that of the first `i` characters of `a` and `i + at - OFF` of `b`.
    let far = TOO_MANY_EDITS;
    let mut row: [usize; WIDTH] = std::array::from_fn(|at| at.checked_sub(OFF).unwrap_or(far));
    // The row before: a swap takes two characters from each name.
    let mut before = [far; WIDTH];
    for (i, from) in (1..).zip(a) {
        let mut next = [far; WIDTH];
        for at in 0..WIDTH {
            let Some(j) = (i + at).checked_sub(OFF).filter(|j| *j <= b.len()) else { continue };
            let Some(last) = j.checked_sub(1) else {
                next[at] = i;
                continue;
            };
            let mut least = row[at] + usize::from(*from != b[last]);
            if let Some(deleted) = row.get(at + 1) {
                least = least.min(deleted + 1);
            }
            if let Some(inserted) = at.checked_sub(1) {
                least = least.min(next[inserted] + 1);
            }
            if i > 1 && last > 0 && *from == b[last - 1] && a[i - 2] == b[last] {
                least = least.min(before[at] + 1);
            }
            next[at] = least;
        }
        if next.iter().all(|edits| *edits >= far) {
            return None;
        }
        before = std::mem::replace(&mut row, next);
    }
    row.get(b.len() + OFF - a.len()).copied().filter(|edits| *edits < far)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The whole table.
    fn edits_by_table(a: &[u8], b: &[u8]) -> usize {
        let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
        for i in 0..=a.len() {
            for j in 0..=b.len() {
                table[i][j] = if i == 0 || j == 0 {
                    i + j
                } else {
                    let replaced = table[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                    let least = replaced.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1);
                    let is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
                    if is_swap { least.min(table[i - 2][j - 2] + 1) } else { least }
                };
            }
        }
        table[a.len()][b.len()]
    }

    #[test]
    fn few_edits_are_counted_as_by_the_whole_table() {
        // All texts of three letters up to a length of 6, against some of them.
        let texts: Vec<Vec<u8>> = (0..=6_u32)
            .flat_map(|len| {
                (0..3_usize.pow(len))
                    .map(move |code| (0..len).map(|at| b"abc"[code / 3_usize.pow(at) % 3]).collect())
            })
            .collect();
        for a in texts.iter().step_by(61) {
            for b in &texts {
                let expected = Some(edits_by_table(a, b)).filter(|edits| *edits < TOO_MANY_EDITS);
                assert_eq!(edits(a, b), expected, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn work_grows_with_the_names_and_ends() {
        let names = |count: usize| (0..count).map(|at| format!("variable_number_{at}")).collect::<Vec<_>>();
        let spent = |count: usize, searches: usize| {
            let (comparisons, names) = (Comparisons::new(), names(count));
            for _ in 0..searches {
                comparisons.nearest("variable_numbre_x", names.iter().map(String::as_str));
            }
            comparisons.spent()
        };
        assert!(spent(20_000, 1) <= 2 * spent(10_000, 1) + 1_000);
        assert_eq!(spent(10_000, 1_000), Comparisons::UNITS);
        let (comparisons, names) = (Comparisons::new(), names(300));
        comparisons.may_visit(Comparisons::UNITS as usize - 300);
        assert_eq!(
            comparisons.nearest("variable_numbre_7", names.iter().map(String::as_str)),
            None,
            "too much work"
        );
        assert_eq!(comparisons.nearest("lenght", ["length"]), None, "nothing is left");
        comparisons.refill();
        assert_eq!(comparisons.nearest("lenght", ["length"]), Some("length"));
    }
}
