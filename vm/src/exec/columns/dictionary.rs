//! Dictionaries: a test is made once for each value, and the rows are those whose keys passed.

use super::mask::{Mask, ROWS};
use crate::column::{ColumnDictionary, Ints};

/// The values of a dictionary that passed a test, by the form in which keys are looked up.
#[derive(Debug)]
pub(super) enum Passing {
    /// None.
    None,
    /// One, with which keys are compared: such a loop is vectorized.
    One(usize),
    /// Some of the first 256, so that the lowest byte of a key is the place in the table.
    Few(Box<[bool; 256]>),
    /// Any.
    Many(Vec<bool>),
}

impl Passing {
    /// Makes the form of values of which `test` returns true for some.
    pub(super) fn of(values: usize, test: impl Fn(usize) -> bool) -> Self {
        let passed: Vec<bool> = (0..values).map(test).collect();
        let mut numbers = passed.iter().enumerate().filter(|(_, passes)| **passes);
        match (numbers.next(), numbers.next()) {
            (None, _) => Self::None,
            (Some((only, _)), None) => Self::One(only),
            _ if values > 256 => Self::Many(passed),
            _ => {
                let mut table = Box::new([false; 256]);
                table.iter_mut().zip(passed).for_each(|(place, passes)| *place = passes);
                Self::Few(table)
            }
        }
    }
}

/// An integer that is the number of a value.
trait DictionaryKey: Copy + Default + PartialOrd + TryFrom<usize> {
    fn lowest(self) -> u8;
    fn number(self) -> Option<usize>;
}

macro_rules! keys {
    ($($key:ty)*) => {$(
        impl DictionaryKey for $key {
            #[inline]
            fn lowest(self) -> u8 {
                self.to_le_bytes()[0]
            }

            #[inline]
            fn number(self) -> Option<usize> {
                usize::try_from(self).ok()
            }
        }
    )*};
}

keys!(i8 i16 i32 i64 u8 u16 u32 u64);

/// Calls a function with the keys of some rows, of their type.
macro_rules! with_keys {
    ($dictionary:expr, $start:expr, $len:expr, $call:expr) => {{
        macro_rules! rows {
            ($keys:expr) => {
                $call($keys.get($start..$start + $len).unwrap_or_default())
            };
        }
        match $dictionary.keys {
            Ints::I8(keys) => rows!(keys),
            Ints::I16(keys) => rows!(keys),
            Ints::I32(keys) => rows!(keys),
            Ints::I64(keys) => rows!(keys),
            Ints::U8(keys) => rows!(keys),
            Ints::U16(keys) => rows!(keys),
            Ints::U32(keys) => rows!(keys),
            Ints::U64(keys) => rows!(keys),
        }
    }};
}

/// The fewest rows for each value of a dictionary whose values are tested before the rows.
const TESTED_FROM: usize = 2;

impl ColumnDictionary<'_> {
    /// Returns true if there are so few values for `rows` rows that each is tested once.
    pub(super) fn is_small(&self, rows: usize) -> bool {
        self.values.rows() <= rows / TESTED_FROM || self.values.rows() <= 16
    }

    /// Returns the rows whose value passed. Rows whose key has no value may or may not be among them.
    pub(super) fn rows_of(&self, passing: &Passing, start: usize, len: usize) -> Mask {
        match passing {
            Passing::None => Mask::NONE,
            Passing::One(only) => with_keys!(self, start, len, |keys| equal_to(keys, *only)),
            Passing::Few(table) => with_keys!(self, start, len, |keys| in_table(keys, table)),
            Passing::Many(table) => with_keys!(self, start, len, |keys| in_list(keys, table)),
        }
    }

    /// Returns the rows whose key has no value.
    pub(super) fn without_value(&self, start: usize, len: usize) -> Mask {
        debug_assert!(len <= ROWS);
        let values = self.values.rows();
        with_keys!(self, start, len, |keys| outside(keys, values))
    }
}

fn equal_to<K: DictionaryKey>(keys: &[K], only: usize) -> Mask {
    K::try_from(only).map_or(Mask::NONE, |only| Mask::of_items(keys, |key| key == only))
}

fn in_table<K: DictionaryKey>(keys: &[K], table: &[bool; 256]) -> Mask {
    Mask::of_items(keys, |key| table[usize::from(key.lowest())])
}

fn in_list<K: DictionaryKey>(keys: &[K], table: &[bool]) -> Mask {
    Mask::of_items(keys, |key| key.number().and_then(|key| table.get(key)).copied().unwrap_or_default())
}

/// Returns the rows whose key is not below `values`.
fn outside<K: DictionaryKey>(keys: &[K], values: usize) -> Mask {
    let Some(last) = values.checked_sub(1) else { return Mask::first(keys.len()) };
    let first = K::default();
    // Numbers instead of bools, because a loop that ends early is not vectorized.
    let any = match K::try_from(last) {
        Ok(last) => any_of(keys, |key| u8::from(key < first) | u8::from(key > last)),
        Err(_) => any_of(keys, |key| u8::from(key < first)),
    };
    if any == 0 {
        return Mask::NONE;
    }
    Mask::of_items(keys, |key| key.number().is_none_or(|key| key > last))
}

// Inlined, so that the test is part of the loop.
#[inline(always)]
fn any_of<K: DictionaryKey>(keys: &[K], test: impl Fn(K) -> u8) -> u8 {
    keys.iter().fold(0, |any, key| any | test(*key))
}
