//! Functions of texts: tests for parts, lower and upper case, lengths, and joining. A row has an answer if its text is
//! ASCII and short: ASCII is in normal form C and has a character for each byte, and work on longer texts is charged.

use super::compare::Answer;
use super::dictionary::Passing;
use super::mask::Mask;
use super::text::{DictionaryTest, LONG};
use super::vector::{Lane, LaneKind, MadeTexts, Precision, TextKind, TextLane, Vector};
use crate::column::{ColumnData, ColumnDictionary, ColumnTexts};
use crate::function::TextOperation;
use crate::memory::arena::Arena;
use crate::text::nfc;
use crate::value::Value;

/// Tests for a part of a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct PartTest<'c> {
    op: TextOperation,
    part: &'c [u8],
}

impl<'c> PartTest<'c> {
    /// Makes the test for a constant. Returns `None` if it is no string, or the operation is no test.
    pub(super) fn new(op: TextOperation, part: Value<'c>) -> Option<Self> {
        let is_test = matches!(op, TextOperation::Begins | TextOperation::Ends | TextOperation::Contains);
        let part = part.as_str()?.as_bytes();
        is_test.then_some(Self { op, part })
    }

    fn holds(self, text: &[u8]) -> bool {
        match self.op {
            TextOperation::Begins => text.starts_with(self.part),
            TextOperation::Ends => text.ends_with(self.part),
            _ => self.part.is_empty() || text.windows(self.part.len()).any(|window| window == self.part),
        }
    }

    /// Tests the texts of `within`.
    pub(super) fn rows(self, lane: TextLane<'_>, len: usize, within: &Mask) -> Answer {
        let reader = AsciiTexts::new(lane, len);
        let mut unanswered = Mask::NONE;
        let passing = Mask::of_rows(within, |row| {
            let holds = reader.get(row).map(|text| self.holds(text));
            if holds.is_none() {
                unanswered.insert(row);
            }
            holds.unwrap_or_default()
        });
        (passing, unanswered)
    }

    /// Tests the values of a dictionary, once for all rows.
    pub(super) fn tested(self, dictionary: &ColumnDictionary<'_>) -> DictionaryTest {
        let ColumnData::Texts(texts) = &dictionary.values.data else {
            return DictionaryTest { passing: Passing::None, unanswered: Passing::None };
        };
        let arena = Arena::new();
        let short = |at| texts.get(at).filter(|text| text.len() <= LONG);
        let text = |at| short(at).and_then(|bytes| std::str::from_utf8(bytes).ok());
        let passes = |at| text(at).is_some_and(|text| self.holds(nfc(&arena, text).as_bytes()));
        DictionaryTest {
            passing: Passing::of(texts.len(), passes),
            unanswered: Passing::of(texts.len(), |at| text(at).is_none()),
        }
    }
}

/// The texts of a vector that are ASCII and short.
struct AsciiTexts<'v> {
    lane: TextLane<'v>,
    /// True if all are known to be ASCII.
    is_ascii: bool,
}

impl<'v> AsciiTexts<'v> {
    fn new(lane: TextLane<'v>, len: usize) -> Self {
        let is_ascii = match lane.0 {
            TextKind::Made(texts) => texts.bytes.is_ascii(),
            TextKind::Column(ColumnTexts::Contiguous(offsets, bytes), start) => {
                // Looking at all bytes at once takes a few instructions for a row.
                offsets.range_of(start, len).and_then(|range| bytes.get(range)).is_some_and(<[u8]>::is_ascii)
            }
            _ => false,
        };
        Self { lane, is_ascii }
    }

    // Inlined into loops over rows.
    #[inline(always)]
    fn get(&self, row: usize) -> Option<&'v [u8]> {
        let text = self.lane.get(row)?;
        (text.len() <= LONG && (self.is_ascii || text.is_ascii())).then_some(text)
    }
}

/// Computes a function of texts of the rows of `within` into `d`, and returns those without an answer.
pub(super) fn compute(d: &mut Vector<'_>, op: TextOperation, a: Lane<'_>, within: &Mask, len: usize) -> Mask {
    (d.null, d.odd) = (Mask::NONE, Mask::NONE);
    let Lane::Texts(lane) = a else {
        d.make_odd();
        return *within;
    };
    let texts = AsciiTexts::new(lane, len);
    match op {
        TextOperation::Lower => mapped(d, &texts, within, len, |byte| byte.to_ascii_lowercase()),
        TextOperation::Upper => mapped(d, &texts, within, len, |byte| byte.to_ascii_uppercase()),
        TextOperation::Length => lengths(d, &texts, within, len),
        TextOperation::Begins | TextOperation::Ends | TextOperation::Contains => {
            d.make_odd();
            *within
        }
    }
}

// Inlined for each function of a byte.
#[inline(always)]
fn mapped(
    d: &mut Vector<'_>,
    texts: &AsciiTexts<'_>,
    within: &Mask,
    len: usize,
    map: impl Fn(u8) -> u8 + Copy,
) -> Mask {
    d.kind = LaneKind::Made;
    d.texts.clear();
    let mut unanswered = Mask::NONE;
    for row in 0..len {
        match texts.get(row) {
            Some(text) => d.texts.bytes.extend(text.iter().copied().map(map)),
            None => unanswered.insert(row),
        }
        d.texts.end();
    }
    unanswered.and(within)
}

fn lengths(d: &mut Vector<'_>, texts: &AsciiTexts<'_>, within: &Mask, len: usize) -> Mask {
    d.kind = LaneKind::Ints(Precision::Short);
    d.ints.clear();
    let mut unanswered = Mask::NONE;
    for row in 0..len {
        // A line break of two characters is one.
        let text = texts.get(row).filter(|text| !text.contains(&b'\r'));
        let length = text.and_then(|text| i64::try_from(text.len()).ok());
        if length.is_none() {
            unanswered.insert(row);
        }
        d.ints.push(length.unwrap_or_default());
    }
    unanswered.and(within)
}

/// A part of a text.
enum Piece<'v> {
    Texts(AsciiTexts<'v>),
    Constant(&'v [u8]),
    Ints(&'v [i64]),
    Int(i64),
    Bools(&'v Mask),
    Bool(bool),
}

impl<'v> Piece<'v> {
    fn new(lane: Lane<'v>, len: usize) -> Option<Self> {
        Some(match lane {
            Lane::Texts(texts) => Self::Texts(AsciiTexts::new(texts, len)),
            Lane::Ints(ints, _) => Self::Ints(ints),
            Lane::Bools(bools) => Self::Bools(bools),
            Lane::Constant(value) => {
                if let Some(text) = value.as_str() {
                    let is_plain = text.is_ascii() && text.len() <= LONG;
                    return is_plain.then_some(Self::Constant(text.as_bytes()));
                }
                match value.as_bool() {
                    Some(bool) => Self::Bool(bool),
                    None => Self::Int(value.as_any_int()?),
                }
            }
            _ => return None,
        })
    }

    /// Adds the text of a row. Returns `None` if there is none.
    fn add(&self, row: usize, to: &mut Vec<u8>) -> Option<()> {
        let bool = |bool| if bool { "true" } else { "false" };
        match self {
            Self::Texts(texts) => to.extend_from_slice(texts.get(row)?),
            Self::Constant(text) => to.extend_from_slice(text),
            Self::Ints(ints) => add_int(*ints.get(row)?, to),
            Self::Int(int) => add_int(*int, to),
            Self::Bools(bools) => to.extend_from_slice(bool(bools.has(row)).as_bytes()),
            Self::Bool(own) => to.extend_from_slice(bool(*own).as_bytes()),
        }
        Some(())
    }
}

/// Joins texts into `d`, and returns the rows of `within` without an answer.
pub(super) fn join<'v>(
    d: &mut Vector<'_>,
    lanes: impl Iterator<Item = Lane<'v>>,
    within: &Mask,
    len: usize,
) -> Mask {
    (d.null, d.odd) = (Mask::NONE, Mask::NONE);
    let Some(pieces) = lanes.map(|lane| Piece::new(lane, len)).collect::<Option<Vec<_>>>() else {
        d.make_odd();
        return *within;
    };
    d.kind = LaneKind::Made;
    d.texts.clear();
    let MadeTexts { bytes, ends } = &mut d.texts;
    let mut unanswered = Mask::NONE;
    for row in 0..len {
        let start = bytes.len();
        if within.has(row) && pieces.iter().try_for_each(|piece| piece.add(row, bytes)).is_none() {
            bytes.truncate(start);
            unanswered.insert(row);
        }
        ends.push(bytes.len());
    }
    unanswered
}

/// The most digits of an integer.
const DIGITS: usize = 20;

/// Adds an integer as text.
fn add_int(int: i64, to: &mut Vec<u8>) {
    let (mut digits, mut at, mut rest) = ([0; DIGITS], DIGITS, int.unsigned_abs());
    loop {
        at -= 1;
        digits[at] = b'0' + u8::try_from(rest % 10).unwrap_or_default();
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if int < 0 {
        to.push(b'-');
    }
    to.extend_from_slice(&digits[at..]);
}
