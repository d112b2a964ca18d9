//! Vectors: the values of an operand for the rows of a vector, as kernels read them, and how those of columns are
//! loaded.

use super::mask::{Mask, ROWS};
use crate::column::{Bits, Column, ColumnData, ColumnDictionary, ColumnTexts, Floats, Ints};
use crate::value::{Value, View};

/// The precision of the numbers of a vector. Equality of floats and results of both depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Precision {
    /// 53 bits, that of floats of a host.
    Host,
    /// 64 bits, that of integers of a host and of results with these.
    Short,
    /// 512 bits, that of literals and of results with these.
    Full,
    /// That of the numbers of several vectors.
    Mixed,
}

/// The values of an operand: what a column or a step has for each row.
#[derive(Debug, Default)]
pub(super) struct Vector<'c> {
    pub(super) kind: LaneKind<'c>,
    /// The memory of integers and floats that were computed.
    pub(super) ints: Vec<i64>,
    pub(super) floats: Vec<f64>,
    /// That of texts.
    pub(super) texts: MadeTexts,
    /// Rows that are null.
    pub(super) null: Mask,
    /// Rows whose value is none of the kind: a fault, or a value that kernels do not have.
    pub(super) odd: Mask,
}

/// The kind of the values.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum LaneKind<'c> {
    /// Values that kernels do not have, such as objects; null rows are null.
    #[default]
    Other,
    /// All rows are null.
    Null,
    /// A known bool, number or string that all rows have.
    Constant(Value<'c>),
    /// Those of `ints`.
    Ints(Precision),
    /// Those of the host, of 64 bits.
    HostInts(&'c [i64]),
    /// Those of `floats`.
    Floats(Precision),
    /// Those of the host, of 53 bits.
    HostFloats(&'c [f64]),
    Bools(Mask),
    /// Texts from a row on.
    Texts(&'c ColumnTexts<'c>, usize),
    /// The keys of texts from a row on.
    Dictionary(&'c ColumnDictionary<'c>, usize),
    /// Those of `texts`.
    Made,
}

/// What kernels read of a vector.
#[derive(Clone, Copy, Debug)]
pub enum Lane<'v> {
    /// Values that kernels do not have.
    Other,
    /// All rows are null.
    Null,
    /// A known bool, number or string.
    Constant(Value<'v>),
    /// Integers that fit 64 bits.
    Ints(&'v [i64], Precision),
    /// Numbers that are floats.
    Floats(&'v [f64], Precision),
    /// Bools.
    Bools(&'v Mask),
    /// Texts.
    Texts(TextLane<'v>),
}

/// The texts of a vector.
#[derive(Clone, Copy, Debug)]
pub struct TextLane<'v>(pub(super) TextKind<'v>);

/// Where the texts of a vector are.
#[derive(Clone, Copy, Debug)]
pub(super) enum TextKind<'v> {
    /// Texts of a column from a row on.
    Column(&'v ColumnTexts<'v>, usize),
    /// Keys of texts from a row on.
    Dictionary(&'v ColumnDictionary<'v>, usize),
    /// Texts that were made.
    Made(&'v MadeTexts),
}

/// Texts that steps made, one after the other.
#[derive(Debug, Default)]
pub(super) struct MadeTexts {
    pub(super) bytes: Vec<u8>,
    /// Where the text of each row ends.
    pub(super) ends: Vec<usize>,
}

impl MadeTexts {
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    /// Ends the text of a row.
    pub(super) fn end(&mut self) {
        self.ends.push(self.bytes.len());
    }

    pub(super) fn push(&mut self, text: &[u8]) {
        self.bytes.extend_from_slice(text);
        self.end();
    }

    #[inline]
    fn get(&self, row: usize) -> Option<&[u8]> {
        let start = row.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied())?;
        self.bytes.get(start..*self.ends.get(row)?)
    }
}

impl<'v> TextLane<'v> {
    /// Returns the text of a row; `None` if the host's column is wrong or the row is null.
    #[inline]
    pub fn get(self, row: usize) -> Option<&'v [u8]> {
        match self.0 {
            TextKind::Column(texts, start) => texts.get(start + row),
            TextKind::Dictionary(dictionary, start) => {
                let key = dictionary.key(start + row)?;
                match &dictionary.values.data {
                    ColumnData::Texts(texts) => texts.get(key),
                    _ => None,
                }
            }
            TextKind::Made(texts) => texts.get(row),
        }
    }
}

impl<'c> Vector<'c> {
    /// Creates a vector of a value that all rows have.
    pub(super) fn constant(value: Value<'c>) -> Self {
        let mut vector = Self::default();
        if matches!(value.view(), View::Null(_)) {
            vector.all_null();
        } else if value.is_plain_primitive() {
            vector.kind = LaneKind::Constant(value);
        } else {
            vector.odd = Mask::ALL;
        }
        vector
    }

    fn all_null(&mut self) {
        (self.kind, self.null) = (LaneKind::Null, Mask::ALL);
    }

    /// Makes every row one without an answer.
    pub(super) fn make_odd(&mut self) {
        (self.kind, self.null, self.odd) = (LaneKind::Other, Mask::NONE, Mask::ALL);
    }

    pub(super) fn lane<'v>(&'v self) -> Lane<'v>
    where
        'c: 'v,
    {
        match &self.kind {
            LaneKind::Other => Lane::Other,
            LaneKind::Null => Lane::Null,
            LaneKind::Constant(value) => Lane::Constant(*value),
            LaneKind::Ints(precision) => Lane::Ints(&self.ints, *precision),
            LaneKind::HostInts(ints) => Lane::Ints(ints, Precision::Short),
            LaneKind::Floats(precision) => Lane::Floats(&self.floats, *precision),
            LaneKind::HostFloats(floats) => Lane::Floats(floats, Precision::Host),
            LaneKind::Bools(mask) => Lane::Bools(mask),
            LaneKind::Texts(texts, start) => Lane::Texts(TextLane(TextKind::Column(texts, *start))),
            LaneKind::Dictionary(dictionary, start) => {
                Lane::Texts(TextLane(TextKind::Dictionary(dictionary, *start)))
            }
            LaneKind::Made => Lane::Texts(TextLane(TextKind::Made(&self.texts))),
        }
    }

    /// Loads the rows `start..start + len` of a column. In the rows that `above` does not have, a structure around it
    /// is null, so that the attribute is a fault.
    pub(super) fn load(&mut self, column: &'c Column<'c>, above: &[Bits<'c>], start: usize, len: usize) {
        let all = Mask::first(len);
        let valid = |mask: Mask, bits: &Bits<'c>| mask.and(&Mask::of_bits(*bits, start));
        self.odd = if above.is_empty() { Mask::NONE } else { all.without(&above.iter().fold(all, valid)) };
        self.null = column.valid.as_ref().map_or(Mask::NONE, |bits| all.without(&valid(all, bits)));
        self.kind = match &column.data {
            ColumnData::Nulls(_) => return self.all_null(),
            ColumnData::Bools(bools) => {
                let bools = bools.get(start..start + len).unwrap_or_default();
                LaneKind::Bools(Mask::of_items(bools, |bool| bool))
            }
            ColumnData::Bits(bits) => LaneKind::Bools(Mask::of_bits(*bits, start)),
            ColumnData::Ints(ints) => self.load_ints(*ints, start, len),
            ColumnData::Floats(Floats::F64(floats)) => match floats.get(start..start + len) {
                Some(floats) => LaneKind::HostFloats(floats),
                None => LaneKind::Other,
            },
            ColumnData::Floats(Floats::F32(floats)) => {
                self.floats.clear();
                let floats = floats.get(start..start + len).unwrap_or_default();
                self.floats.extend(floats.iter().map(|float| f64::from(*float)));
                LaneKind::Floats(Precision::Host)
            }
            ColumnData::Texts(texts) => LaneKind::Texts(texts, start),
            ColumnData::Dictionary(dictionary) if matches!(dictionary.values.data, ColumnData::Texts(_)) => {
                if dictionary.values.valid.is_some() {
                    let is_null = |row: usize| {
                        dictionary.key(start + row).is_some_and(|key| dictionary.values.is_null(key))
                    };
                    self.null = self.null.or(&Mask::of_rows(&all, is_null));
                }
                let missing = dictionary.without_value(start, len);
                self.odd = self.odd.or(&missing.without(&self.null));
                LaneKind::Dictionary(dictionary, start)
            }
            ColumnData::Decimals(_)
            | ColumnData::Dictionary(_)
            | ColumnData::Structure(_)
            | ColumnData::Lists(_) => LaneKind::Other,
        };
        if matches!(column.data, ColumnData::Dictionary(_)) && matches!(self.kind, LaneKind::Other) {
            // A value may be null.
            self.odd = all;
        }
    }

    fn load_ints(&mut self, ints: Ints<'c>, start: usize, len: usize) -> LaneKind<'c> {
        let rows = start..start + len;
        self.ints.clear();
        match ints {
            Ints::I64(ints) => return ints.get(rows).map_or(LaneKind::Other, LaneKind::HostInts),
            Ints::I8(ints) => self.widen(ints.get(rows)),
            Ints::I16(ints) => self.widen(ints.get(rows)),
            Ints::I32(ints) => self.widen(ints.get(rows)),
            Ints::U8(ints) => self.widen(ints.get(rows)),
            Ints::U16(ints) => self.widen(ints.get(rows)),
            Ints::U32(ints) => self.widen(ints.get(rows)),
            Ints::U64(ints) => {
                for (row, int) in ints.get(rows).unwrap_or_default().iter().enumerate() {
                    let narrow = i64::try_from(*int);
                    if narrow.is_err() {
                        self.odd.insert(row);
                    }
                    self.ints.push(narrow.unwrap_or_default());
                }
            }
        }
        LaneKind::Ints(Precision::Short)
    }

    fn widen<T: Copy + Into<i64>>(&mut self, ints: Option<&[T]>) {
        self.ints.extend(ints.unwrap_or_default().iter().map(|int| (*int).into()));
    }
}

/// Adds the rows from `start` on that are NaN.
pub(super) fn add_nans(floats: Floats<'_>, start: usize, len: usize, found: &mut Mask) {
    debug_assert!(len <= ROWS);
    let nans = match floats {
        Floats::F64(floats) => {
            let floats = floats.get(start..start + len).unwrap_or_default();
            Mask::of_items(floats, f64::is_nan)
        }
        Floats::F32(floats) => {
            let floats = floats.get(start..start + len).unwrap_or_default();
            Mask::of_items(floats, f32::is_nan)
        }
    };
    *found = found.or(&nans);
}

/// Returns the number of rows of the vector that begins at `start`, of `rows` in all.
pub(super) fn len_of(start: usize, rows: usize) -> usize {
    rows.saturating_sub(start).min(ROWS)
}

/// Returns an integer as a float if it is one exactly.
pub(super) fn exact_float(int: i64) -> Option<f64> {
    // Integers of up to 53 bits are floats.
    const MOST: u64 = 1 << 53;
    #[expect(clippy::cast_precision_loss, reason = "the integer was just compared")]
    (int.unsigned_abs() <= MOST).then_some(int as f64)
}

impl Vector<'_> {
    /// Makes it the values of the first arm in the rows of `condition`, and those of the second one in the others. An
    /// arm that is not taken has no values.
    pub(super) fn choose(&mut self, arms: [&Self; 2], taken: [bool; 2], condition: &Mask, len: usize) {
        let [yes, no] = arms;
        let none = Mask::NONE;
        let of = |is_taken: bool, mask: &Mask| if is_taken { *mask } else { none };
        let pick = |yes: Mask, no: Mask| yes.and(condition).or(&no.without(condition));
        self.null = pick(of(taken[0], &yes.null), of(taken[1], &no.null));
        self.odd = pick(of(taken[0], &yes.odd), of(taken[1], &no.odd));
        let arms = match taken {
            [true, true] => [yes, no],
            [true, false] => [yes; 2],
            [false, _] => [no; 2],
        };
        // The type of a null depends on the other arm.
        (self.odd, self.null) = (self.odd.or(&self.null), none);
        match arms.map(|arm| arm.kind) {
            [LaneKind::Constant(a), LaneKind::Constant(b)] if a.is_word(b) => {
                self.kind = LaneKind::Constant(a);
            }
            [LaneKind::Bools(yes), LaneKind::Bools(no)] => self.kind = LaneKind::Bools(pick(yes, no)),
            _ => {
                let lanes = arms.map(Self::lane);
                let chosen = self.choose_ints(lanes, condition, len)
                    || self.choose_floats(lanes, condition, len)
                    || self.choose_texts(lanes, condition, len);
                if !chosen {
                    self.make_odd();
                }
            }
        }
    }

    fn choose_texts(&mut self, lanes: [Lane<'_>; 2], condition: &Mask, len: usize) -> bool {
        let [Some(yes), Some(no)] = lanes.map(TextOf::lane) else { return false };
        self.texts.clear();
        for row in 0..len {
            let text = if condition.has(row) { yes.get(row) } else { no.get(row) };
            // A row that is null or odd has none.
            self.texts.push(text.unwrap_or_default());
        }
        self.kind = LaneKind::Made;
        true
    }

    fn choose_ints(&mut self, lanes: [Lane<'_>; 2], condition: &Mask, len: usize) -> bool {
        let int = |lane: Lane<'_>| match lane {
            Lane::Constant(value) => value.as_any_int(),
            _ => None,
        };
        let precision = |lane: Lane<'_>| match lane {
            Lane::Ints(_, precision) => precision,
            Lane::Constant(value) if value.as_full_int().is_none() => Precision::Short,
            _ => Precision::Full,
        };
        let [a, b] = lanes;
        let is_int = |lane: Lane<'_>| matches!(lane, Lane::Ints(..)) || int(lane).is_some();
        if !is_int(a) || !is_int(b) {
            return false;
        }
        let blocks = [a, b].map(|lane| [int(lane).unwrap_or_default(); 64]);
        self.ints.resize(len, 0);
        for (at, (word, into)) in condition.words().iter().zip(self.ints.chunks_mut(64)).enumerate() {
            let (yes, no) = (ints_of(a, &blocks[0], at), ints_of(b, &blocks[1], at));
            let mut word = *word;
            for ((into, yes), no) in into.iter_mut().zip(yes).zip(no) {
                // All ones in a row that takes the first arm, so that the loop has no branches.
                let taken = 0_i64.wrapping_sub_unsigned(word & 1);
                *into = no ^ (yes ^ no) & taken;
                word >>= 1;
            }
        }
        let (own, other) = (precision(a), precision(b));
        self.kind = LaneKind::Ints(if own == other { own } else { Precision::Mixed });
        true
    }

    fn choose_floats(&mut self, lanes: [Lane<'_>; 2], condition: &Mask, len: usize) -> bool {
        let [Lane::Floats(a, own), Lane::Floats(b, other)] = lanes else { return false };
        if own != other {
            return false;
        }
        let item = |floats: &[f64], row: usize| floats.get(row).copied().unwrap_or_default();
        self.floats.clear();
        self.floats.extend((0..len).map(|row| if condition.has(row) { item(a, row) } else { item(b, row) }));
        self.kind = LaneKind::Floats(own);
        true
    }
}

/// Where the text of a row is taken from.
#[derive(Clone, Copy)]
enum TextOf<'v> {
    Rows(TextLane<'v>),
    Constant(&'v [u8]),
}

impl<'v> TextOf<'v> {
    fn lane(lane: Lane<'v>) -> Option<Self> {
        match lane {
            Lane::Texts(texts) => Some(Self::Rows(texts)),
            Lane::Constant(value) => value.as_str().map(|text| Self::Constant(text.as_bytes())),
            _ => None,
        }
    }

    fn get(self, row: usize) -> Option<&'v [u8]> {
        match self {
            Self::Rows(texts) => texts.get(row),
            Self::Constant(text) => Some(text),
        }
    }
}

/// Returns the integers from block `at` on, or a block of constants.
fn ints_of<'v>(lane: Lane<'v>, block: &'v [i64; 64], at: usize) -> &'v [i64] {
    match lane {
        Lane::Ints(ints, _) => ints.get(at * 64..).unwrap_or_default(),
        _ => block,
    }
}
