//! Tests of texts. Texts of a host are not in normal form C, as strings of the language are, so a text that does not
//! pass and is not ASCII may have no answer: U+212A is equal to `K`.

use super::mask::Mask;
use super::vector::{TextKind, TextLane};
use crate::column::{Data, Dictionary, LONGEST_IN_VIEW, Offsets, Texts};
use crate::memory::arena::Arena;
use crate::memory::cast;
use crate::text::nfc;
use crate::value::Value;

/// The bits of a value of a dictionary in a table: it passes, or it has no answer.
pub(super) const PASSES: u8 = 1;
pub(super) const NO_TEXT: u8 = 2;

/// A test for equality with one of some constant texts.
#[derive(Clone, Debug)]
pub(super) struct Wanted<'c> {
    texts: Vec<&'c [u8]>,
    /// True if other than ASCII texts may be equal to one of the texts in normal form alone.
    is_sensitive: bool,
}

impl<'c> Wanted<'c> {
    /// Makes the test for constants, which are strings.
    pub(super) fn new(constants: impl Iterator<Item = Value<'c>>) -> Self {
        let texts: Vec<&[u8]> = constants.filter_map(|text| Some(text.as_str()?.as_bytes())).collect();
        // The ASCII characters to which others normalize are these.
        let normalizes = |byte: &u8| !byte.is_ascii() || matches!(byte, b'K' | b';' | b'`');
        let is_sensitive = texts.iter().any(|text| text.iter().any(normalizes));
        Self { texts, is_sensitive }
    }

    /// Returns true if a text is one of the texts.
    #[inline]
    fn has(&self, text: &[u8]) -> bool {
        self.texts.contains(&text)
    }

    /// Tests the texts of `within`. Returns the rows whose text is one of the texts, and those without an answer.
    pub(super) fn rows(&self, lane: TextLane<'_>, within: &Mask) -> (Mask, Mask) {
        if let (TextKind::Column(texts, start), [wanted], false) = (lane.0, &*self.texts, self.is_sensitive) {
            return (equal_rows(texts, start, wanted, within), Mask::NONE);
        }
        let mut unanswered = Mask::NONE;
        let passing = Mask::of_rows(within, |row| {
            let text = lane.get(row);
            let passes = text.is_some_and(|text| self.has(text));
            // A text that is equal is in normal form, because the constant is.
            if !passes && text.is_none_or(|text| self.is_sensitive && !text.is_ascii()) {
                unanswered.insert(row);
            }
            passes
        });
        (passing, unanswered)
    }

    /// Tests the values of a dictionary, once for all rows.
    pub(super) fn table(&self, dictionary: &Dictionary<'_>) -> Vec<u8> {
        let Data::Texts(texts) = &dictionary.values.data else { return Vec::new() };
        let arena = Arena::new();
        let bits = |at| match texts.get(at).and_then(|bytes| std::str::from_utf8(bytes).ok()) {
            Some(text) => u8::from(self.has(nfc(&arena, text).as_bytes())) * PASSES,
            None => NO_TEXT,
        };
        (0..texts.len()).map(bits).collect()
    }
}

/// Returns the rows of `within` whose text is equal to an ASCII text.
fn equal_rows(texts: &Texts<'_>, start: usize, wanted: &[u8], within: &Mask) -> Mask {
    match texts {
        Texts::Contiguous(Offsets::Short(offsets), bytes) => {
            let offsets = offsets.get(start..).unwrap_or_default();
            Mask::of_rows(within, |row| {
                let (Some(from), Some(to)) = (offsets.get(row), offsets.get(row + 1)) else { return false };
                let (Ok(from), Ok(to)) = (usize::try_from(*from), usize::try_from(*to)) else { return false };
                to.wrapping_sub(from) == wanted.len() && bytes.get(from..to) == Some(wanted)
            })
        }
        // The view of a short text holds its length and all of it.
        Texts::Views(views) if wanted.len() <= LONGEST_IN_VIEW => {
            let mut view = [0; 16];
            let (len, rest) = view.split_at_mut(4);
            len.copy_from_slice(&cast::length(wanted.len()).to_le_bytes());
            rest[..wanted.len()].copy_from_slice(wanted);
            let (views, wanted) = (views.views.get(start..).unwrap_or_default(), u128::from_le_bytes(view));
            Mask::of_rows(within, |row| {
                views.get(row).is_some_and(|view| u128::from_le_bytes(*view) == wanted)
            })
        }
        _ => Mask::of_rows(within, |row| texts.get(start + row) == Some(wanted)),
    }
}

/// Compares texts of two vectors. Returns the rows of `within` that are equal, and those without an answer.
pub(super) fn equal_texts(a: TextLane<'_>, b: TextLane<'_>, within: &Mask) -> (Mask, Mask) {
    let mut unanswered = Mask::NONE;
    let equal = Mask::of_rows(within, |row| {
        let (Some(a), Some(b)) = (a.get(row), b.get(row)) else {
            unanswered.insert(row);
            return false;
        };
        // Comparing long texts is charged.
        let is_long = a.len() > LONG && a.len() == b.len();
        let equal = !is_long && a == b;
        let may_normalize = !equal && (!a.is_ascii() || !b.is_ascii());
        if is_long || may_normalize {
            unanswered.insert(row);
        }
        equal
    });
    (equal, unanswered)
}

/// The longest texts that are compared without charging the budget.
const LONG: usize = 256;
