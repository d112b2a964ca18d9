//! The value of a row of a column: that which serde would give for the row, so that a row that is evaluated alone has
//! the results of a scope.

use std::fmt;

use super::{Column, ColumnData, ColumnDictionary, ColumnStructure, Lists};
use crate::memory::arena::Arena;
use crate::number::Number;
use crate::text::nfc;
use crate::value::Value;

/// Why a row has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnFault {
    /// A float that is not a number.
    NotANumber,
    /// Bytes that are not UTF-8.
    NotText,
    /// A key that the dictionary does not have.
    NoKey,
    /// Offsets that are outside of the data.
    NoItems,
    /// More nesting than values may have.
    TooDeep,
}

impl fmt::Display for ColumnFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotANumber => "found a float that is not a number (NaN)",
            Self::NotText => "found a text that is not UTF-8",
            Self::NoKey => "found a key that the dictionary does not have",
            Self::NoItems => "found offsets outside of the column's data",
            Self::TooDeep => "the column is nested deeper than values may be",
        })
    }
}

impl std::error::Error for ColumnFault {}

impl Column<'_> {
    /// Makes the value of a row in `arena`. If that exceeds the limits of the arena, its budget is exhausted.
    ///
    /// # Errors
    /// A row that has no value.
    pub fn value<'a>(&self, row: usize, arena: &'a Arena) -> Result<Value<'a>, ColumnFault> {
        // A column of dictionaries of dictionaries is nested deeper than its values.
        let levels = 2 * u32::from(arena.budget().limits().value_depth) + 2;
        self.value_within(row, arena, levels)
    }

    /// Makes a value of a column of at most `levels` levels, which bound the recursion.
    fn value_within<'a>(&self, row: usize, arena: &'a Arena, levels: u32) -> Result<Value<'a>, ColumnFault> {
        if self.is_null(row) {
            return Ok(Value::NULL);
        }
        let levels = levels.checked_sub(1).ok_or(ColumnFault::TooDeep)?;
        match &self.data {
            ColumnData::Nulls(_) => Ok(Value::NULL),
            ColumnData::Bools(bools) => bools.get(row).copied().map(Value::bool).ok_or(ColumnFault::NoItems),
            ColumnData::Bits(bits) => Ok(Value::bool(bits.get(row))),
            ColumnData::Ints(ints) => ints.value(row, arena).ok_or(ColumnFault::NoItems),
            ColumnData::Decimals(decimals) => decimals.value(row, arena).ok_or(ColumnFault::NoItems),
            ColumnData::Floats(floats) => {
                let number = floats.get(row).and_then(Number::from_f64).ok_or(ColumnFault::NotANumber)?;
                Ok(Value::number(arena, number))
            }
            ColumnData::Texts(texts) => text(texts.get(row), arena),
            ColumnData::Dictionary(dictionary) => dictionary.value(row, arena, levels),
            ColumnData::Structure(structure) => structure.value(row, arena, levels),
            ColumnData::Lists(lists) => lists.value(row, arena, levels),
        }
    }
}

fn text<'a>(bytes: Option<&[u8]>, arena: &'a Arena) -> Result<Value<'a>, ColumnFault> {
    let bytes = bytes.ok_or(ColumnFault::NoItems)?;
    let text = std::str::from_utf8(bytes).map_err(|_| ColumnFault::NotText)?;
    Ok(Value::str(arena, nfc(arena, arena.text(text))))
}

impl ColumnDictionary<'_> {
    /// Returns the row of the values that a row refers to.
    pub(crate) fn key(&self, row: usize) -> Option<usize> {
        usize::try_from(self.keys.get(row)?).ok().filter(|key| *key < self.values.rows())
    }

    fn value<'a>(&self, row: usize, arena: &'a Arena, levels: u32) -> Result<Value<'a>, ColumnFault> {
        self.values.value_within(self.key(row).ok_or(ColumnFault::NoKey)?, arena, levels)
    }
}

impl ColumnStructure<'_> {
    fn value<'a>(&self, row: usize, arena: &'a Arena, levels: u32) -> Result<Value<'a>, ColumnFault> {
        let count = self.fields.len();
        if !arena.has_room(count.saturating_mul(size_of::<crate::value::Entry<'_>>())) {
            return Ok(Value::NULL);
        }
        let mut entries = arena.list_with(count);
        for (name, column) in &self.fields {
            entries.push(arena.entry(arena.text(name), column.value_within(row, arena, levels)?));
        }
        Ok(Value::object(arena, entries.into_bump_slice()))
    }
}

impl Lists<'_> {
    fn value<'a>(&self, row: usize, arena: &'a Arena, levels: u32) -> Result<Value<'a>, ColumnFault> {
        let range = self.offsets.range(row).ok_or(ColumnFault::NoItems)?;
        if range.start > range.end || range.end > self.items.rows() {
            return Err(ColumnFault::NoItems);
        }
        if !arena.has_room(range.len().saturating_mul(size_of::<Value<'_>>())) {
            return Ok(Value::NULL);
        }
        let mut items = arena.list_with(range.len());
        for item in range {
            items.push(self.items.value_within(item, arena, levels)?);
        }
        Ok(Value::tuple(arena, items.into_bump_slice()))
    }
}
