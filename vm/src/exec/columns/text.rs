//! Tests of texts. Texts of a host are not in normal form C, as strings of the language are, so a text that does not
//! pass and is not ASCII may have no answer: U+212A is equal to `K`.

use super::dictionary::Passing;
use super::mask::{Mask, ROWS};
use super::vector::{TextKind, TextLane};
use crate::column::{ColumnData, ColumnDictionary, ColumnTexts, LONGEST_IN_VIEW, Offsets};
use crate::memory::arena::Arena;
use crate::memory::cast;
use crate::text::nfc;
use crate::value::Value;

/// A test of the values of a dictionary: those that passed, and those without an answer.
#[derive(Debug)]
pub(super) struct DictionaryTest {
    pub(super) passing: Passing,
    pub(super) unanswered: Passing,
}

/// The most texts with which all rows are compared, one text after the other; more are searched for each row.
const SCANNED: usize = 8;

/// A test for equality with one of some constant texts.
#[derive(Clone, Debug)]
pub(super) struct TextMembership<'c> {
    /// Sorted.
    texts: Vec<&'c [u8]>,
    /// True if other than ASCII texts may be equal to one of the texts in normal form alone.
    is_sensitive: bool,
}

impl<'c> TextMembership<'c> {
    /// Makes the test for constants, which are strings.
    pub(super) fn new(constants: impl Iterator<Item = Value<'c>>) -> Self {
        let mut texts: Vec<&[u8]> = constants.filter_map(|text| Some(text.as_str()?.as_bytes())).collect();
        // The ASCII characters to which others normalize are these.
        let normalizes = |byte: &u8| !byte.is_ascii() || matches!(byte, b'K' | b';' | b'`');
        let is_sensitive = texts.iter().any(|text| text.iter().any(normalizes));
        texts.sort_unstable();
        Self { texts, is_sensitive }
    }

    /// Returns true if a text is one of the texts.
    #[inline]
    fn has(&self, text: &[u8]) -> bool {
        self.texts.binary_search(&text).is_ok()
    }

    /// Tests the texts of `within`. Returns the rows whose text is one of the texts, and those without an answer.
    pub(super) fn rows(&self, lane: TextLane<'_>, within: &Mask) -> (Mask, Mask) {
        let (mut passing, mut rest) = (Mask::NONE, *within);
        if self.texts.len() > SCANNED {
            passing = Mask::of_rows(within, |row| lane.get(row).is_some_and(|text| self.has(text)));
            rest = within.without(&passing);
        } else {
            for text in &self.texts {
                let equal = equal_rows(lane, text, &rest);
                (passing, rest) = (passing.or(&equal), rest.without(&equal));
            }
        }
        if !self.is_sensitive {
            return (passing, Mask::NONE);
        }
        // A text that is equal is in normal form, because the constant is.
        let is_other = |row| lane.get(row).is_none_or(|text| !text.is_ascii());
        (passing, Mask::of_rows(&rest, is_other))
    }

    /// Tests the values of a dictionary, once for all rows.
    pub(super) fn tested(&self, dictionary: &ColumnDictionary<'_>) -> DictionaryTest {
        let ColumnData::Texts(texts) = &dictionary.values.data else {
            return DictionaryTest { passing: Passing::None, unanswered: Passing::None };
        };
        let arena = Arena::new();
        let text = |at| texts.get(at).and_then(|bytes| std::str::from_utf8(bytes).ok());
        let passes = |at| text(at).is_some_and(|text| self.has(nfc(&arena, text).as_bytes()));
        DictionaryTest {
            passing: Passing::of(texts.len(), passes),
            unanswered: Passing::of(texts.len(), |at| text(at).is_none()),
        }
    }
}

/// Returns the rows of `within` whose bytes equal a text.
fn equal_rows(lane: TextLane<'_>, wanted: &[u8], within: &Mask) -> Mask {
    match lane.0 {
        TextKind::Column(ColumnTexts::Contiguous(Offsets::Short(offsets), bytes), start) => {
            equal_contiguous(offsets.get(start..).unwrap_or_default(), bytes, wanted, within)
        }
        TextKind::Column(ColumnTexts::Contiguous(Offsets::Large(offsets), bytes), start) => {
            equal_contiguous(offsets.get(start..).unwrap_or_default(), bytes, wanted, within)
        }
        // The view of a short text holds its length and all of it.
        TextKind::Column(ColumnTexts::Views(views), start) if wanted.len() <= LONGEST_IN_VIEW => {
            let mut view = [0; 16];
            let (len, rest) = view.split_at_mut(4);
            len.copy_from_slice(&cast::length(wanted.len()).to_le_bytes());
            rest[..wanted.len()].copy_from_slice(wanted);
            let (views, wanted) = (views.views.get(start..).unwrap_or_default(), u128::from_le_bytes(view));
            Mask::of_items_within(within, views, |view| u128::from_le_bytes(view) == wanted)
        }
        _ => Mask::of_rows(within, |row| lane.get(row) == Some(wanted)),
    }
}

/// An offset into the bytes of texts.
trait Offset: Copy + Eq + TryFrom<usize> + TryInto<usize> {
    fn distance(self, from: Self) -> Self;
}

impl Offset for i32 {
    #[inline]
    fn distance(self, from: Self) -> Self {
        self.wrapping_sub(from)
    }
}

impl Offset for i64 {
    #[inline]
    fn distance(self, from: Self) -> Self {
        self.wrapping_sub(from)
    }
}

/// Returns the rows of `within` whose bytes equal a text: their lengths are compared first, for all rows at once,
/// and then the texts as one word if they are short.
fn equal_contiguous<O: Offset>(offsets: &[O], bytes: &[u8], wanted: &[u8], within: &Mask) -> Mask {
    let Ok(len) = O::try_from(wanted.len()) else { return Mask::NONE };
    let offsets = offsets.get(..offsets.len().min(ROWS + 1)).unwrap_or_default();
    let ends = offsets.get(1..).unwrap_or_default();
    let long_as = Mask::of_pairs(offsets, ends, |from, to| to.distance(from) == len).and(within);
    let rest_of = |from: O| bytes.get(from.try_into().ok()?..);
    if wanted.is_empty() {
        return Mask::of_items_within(&long_as, offsets, |from| rest_of(from).is_some());
    }
    let Some(word) = Word::of(wanted) else {
        let is_equal = |rest: &[u8]| rest.starts_with(wanted);
        return Mask::of_items_within(&long_as, offsets, |from| rest_of(from).is_some_and(is_equal));
    };
    Mask::of_items_within(&long_as, offsets, |from| match rest_of(from) {
        Some(rest) => match rest.first_chunk() {
            Some(chunk) => word.is(*chunk),
            None => rest.starts_with(wanted),
        },
        None => false,
    })
}

/// The bytes of a short text as a word, and the bits of these bytes.
#[derive(Clone, Copy)]
struct Word {
    text: u64,
    bits: u64,
}

impl Word {
    /// Returns the word of a text of up to 8 bytes.
    fn of(text: &[u8]) -> Option<Self> {
        let (mut bytes, mut bits) = ([0; 8], [0; 8]);
        bytes.get_mut(..text.len())?.copy_from_slice(text);
        bits.get_mut(..text.len())?.fill(u8::MAX);
        Some(Self { text: u64::from_le_bytes(bytes), bits: u64::from_le_bytes(bits) })
    }

    /// Returns true if bytes begin with the text.
    #[inline]
    fn is(self, bytes: [u8; 8]) -> bool {
        u64::from_le_bytes(bytes) & self.bits == self.text
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
pub(super) const LONG: usize = 256;
