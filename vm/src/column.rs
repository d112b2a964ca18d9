//! Columns: the values of a variable for many rows, in the memory and layout in which the host keeps them.
//!
//! ```text
//! user          a structure        user.role     a dictionary: keys, and texts
//!  ├─ role      ──────────────▶    user.age      integers of 32 bits, and which rows are not null
//!  ├─ age                          user.groups   lists: offsets, and the column of all elements
//!  └─ groups
//! ```
//! A column is checked when it is bound to a variable ([`Column::check`]); what depends on single rows, such as keys of
//! a dictionary and offsets, is checked where a row is read. [`Column::value`] makes the value of a row; the columnar
//! tier ([`exec::columns`](crate::exec)) reads columns without making values.

mod bits;
mod build;
mod numbers;
mod texts;

use std::fmt;
use std::sync::Arc;

use smol_str::SmolStr;

use crate::text::nfc_code_points;
pub(crate) use bits::ones;
pub use bits::{Bitmap, Bits};
pub use build::ColumnFault;
pub use numbers::Floats;
pub(crate) use numbers::{Decimals, Ints};
pub use texts::Offsets;
pub(crate) use texts::{ColumnTexts, LONGEST_IN_VIEW, Views};

/// The values of a variable, or of an attribute, for many rows.
#[derive(Clone, Debug)]
pub struct Column<'c> {
    pub(crate) data: ColumnData<'c>,
    /// The rows that are not null; `None` if no row is.
    pub(crate) valid: Option<Bits<'c>>,
}

/// The data of a column by its type.
#[derive(Clone, Debug)]
pub(crate) enum ColumnData<'c> {
    /// Nulls of a number of rows.
    Nulls(usize),
    Bools(&'c [bool]),
    Bits(Bits<'c>),
    Ints(Ints<'c>),
    Floats(Floats<'c>),
    Decimals(Decimals<'c>),
    Texts(ColumnTexts<'c>),
    Dictionary(Arc<ColumnDictionary<'c>>),
    Structure(Arc<ColumnStructure<'c>>),
    Lists(Arc<Lists<'c>>),
}

/// Values by number.
#[derive(Debug)]
pub(crate) struct ColumnDictionary<'c> {
    pub(crate) keys: Ints<'c>,
    pub(crate) values: Column<'c>,
}

/// Columns by name.
#[derive(Debug)]
pub(crate) struct ColumnStructure<'c> {
    /// Sorted by name.
    pub(crate) fields: Box<[(SmolStr, Column<'c>)]>,
    pub(crate) rows: usize,
}

/// The elements of all rows, and where those of each row begin.
#[derive(Debug)]
pub(crate) struct Lists<'c> {
    pub(crate) offsets: Offsets<'c>,
    pub(crate) items: Column<'c>,
}

/// Why a column is not one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misshapen(String);

impl fmt::Display for Misshapen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Misshapen {}

/// Columns of the numbers and texts of Rust, none of them null.
macro_rules! from_slices {
    ($($item:ty => $make:expr),* $(,)?) => {$(
        impl<'c> From<&'c [$item]> for Column<'c> {
            fn from(items: &'c [$item]) -> Self {
                let make: fn(&'c [$item]) -> ColumnData<'c> = $make;
                Self::new(make(items))
            }
        }

        impl<'c> From<&'c Vec<$item>> for Column<'c> {
            fn from(items: &'c Vec<$item>) -> Self {
                Self::from(items.as_slice())
            }
        }

        impl<'c, const N: usize> From<&'c [$item; N]> for Column<'c> {
            fn from(items: &'c [$item; N]) -> Self {
                Self::from(items.as_slice())
            }
        }
    )*};
}

from_slices! {
    bool => ColumnData::Bools,
    i8 => |items| ColumnData::Ints(Ints::I8(items)),
    i16 => |items| ColumnData::Ints(Ints::I16(items)),
    i32 => |items| ColumnData::Ints(Ints::I32(items)),
    i64 => |items| ColumnData::Ints(Ints::I64(items)),
    u8 => |items| ColumnData::Ints(Ints::U8(items)),
    u16 => |items| ColumnData::Ints(Ints::U16(items)),
    u32 => |items| ColumnData::Ints(Ints::U32(items)),
    u64 => |items| ColumnData::Ints(Ints::U64(items)),
    f32 => |items| ColumnData::Floats(Floats::F32(items)),
    f64 => |items| ColumnData::Floats(Floats::F64(items)),
    &'c str => |items| ColumnData::Texts(ColumnTexts::Strs(items)),
    String => |items| ColumnData::Texts(ColumnTexts::Strings(items)),
}

/// A column of bools.
impl<'c> From<Bits<'c>> for Column<'c> {
    fn from(bits: Bits<'c>) -> Self {
        Self::new(ColumnData::Bits(bits))
    }
}

impl<'c> Column<'c> {
    const fn new(data: ColumnData<'c>) -> Self {
        Self { data, valid: None }
    }

    /// Creates a column of nulls.
    pub const fn nulls(rows: usize) -> Self {
        Self::new(ColumnData::Nulls(rows))
    }

    /// Creates a column of the decimals `mantissa / 10^scale`, which are numbers as those of a text.
    pub const fn decimals(mantissas: &'c [i128], scale: i8) -> Self {
        Self::new(ColumnData::Decimals(Decimals { mantissas, scale }))
    }

    /// Creates a column of texts that are one after the other in `bytes`: that of a row begins at the offset of its
    /// number and ends at the next one. A row whose bytes are not UTF-8 is an error when it is read as a value.
    pub const fn texts(offsets: Offsets<'c>, bytes: &'c [u8]) -> Self {
        Self::new(ColumnData::Texts(ColumnTexts::Contiguous(offsets, bytes)))
    }

    /// Creates a column of texts as Arrow's views of 16 bytes, and the buffers that these refer to.
    pub fn views(views: &'c [[u8; 16]], buffers: impl IntoIterator<Item = &'c [u8]>) -> Self {
        let buffers = buffers.into_iter().collect();
        Self::new(ColumnData::Texts(ColumnTexts::Views(Views { views, buffers })))
    }

    /// Creates a column whose rows are numbers of `values`: `keys` are integers, whose nulls are nulls of the column.
    ///
    /// # Errors
    /// Keys that are no integers.
    pub fn dictionary(keys: Self, values: Self) -> Result<Self, Misshapen> {
        let ColumnData::Ints(numbers) = keys.data else {
            return Err(Misshapen("the keys of a dictionary are integers".to_owned()));
        };
        let dictionary = Arc::new(ColumnDictionary { keys: numbers, values });
        Ok(Self { data: ColumnData::Dictionary(dictionary), valid: keys.valid })
    }

    /// Creates a column of objects of `rows` rows from the columns of their attributes.
    ///
    /// # Errors
    /// Columns of other numbers of rows, and two of one name.
    pub fn structure(
        rows: usize,
        fields: impl IntoIterator<Item = (impl AsRef<str>, Self)>,
    ) -> Result<Self, Misshapen> {
        let named = |(name, column): (_, Self)| {
            let name: &str = AsRef::as_ref(&name);
            (nfc_code_points(name).collect::<SmolStr>(), column)
        };
        let mut fields: Box<[_]> = fields.into_iter().map(named).collect();
        fields.sort_by(|(a, _), (b, _)| a.cmp(b));
        for (at, (name, column)) in fields.iter().enumerate() {
            if at > 0 && fields[at - 1].0 == *name {
                return Err(Misshapen(format!("there are two columns \"{name}\"")));
            }
            column.check(rows).map_err(|error| Misshapen(format!("\"{name}\": {error}")))?;
        }
        Ok(Self::new(ColumnData::Structure(Arc::new(ColumnStructure { fields, rows }))))
    }

    /// Creates a column of tuples: that of a row has the elements of `items` from the offset of its number up to the
    /// next one.
    pub fn lists(offsets: Offsets<'c>, items: Self) -> Self {
        Self::new(ColumnData::Lists(Arc::new(Lists { offsets, items })))
    }

    /// Returns the column with nulls in the rows whose bit is not set in `valid`, besides those that it has.
    ///
    /// # Errors
    /// Another number of bits than rows, and a column that has nulls already.
    pub fn with_validity(self, valid: Bits<'c>) -> Result<Self, Misshapen> {
        if valid.len() != self.rows() {
            let (bits, rows) = (valid.len(), self.rows());
            return Err(Misshapen(format!("there are {bits} bits of validity for {rows} rows")));
        }
        if self.valid.is_some() {
            return Err(Misshapen("the column has nulls already".to_owned()));
        }
        Ok(Self { valid: Some(valid), ..self })
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        match &self.data {
            ColumnData::Nulls(rows) => *rows,
            ColumnData::Bools(bools) => bools.len(),
            ColumnData::Bits(bits) => bits.len(),
            ColumnData::Ints(ints) => ints.len(),
            ColumnData::Floats(floats) => floats.len(),
            ColumnData::Decimals(decimals) => decimals.mantissas.len(),
            ColumnData::Texts(texts) => texts.len(),
            ColumnData::Dictionary(dictionary) => dictionary.keys.len(),
            ColumnData::Structure(structure) => structure.rows,
            ColumnData::Lists(lists) => lists.offsets.rows(),
        }
    }

    /// Returns true if a row is null. A row of a dictionary may refer to a null as well.
    pub fn is_null(&self, row: usize) -> bool {
        self.valid.is_some_and(|valid| !valid.get(row))
    }

    /// Returns an error unless the column has `rows` rows.
    ///
    /// # Errors
    /// Another number of rows.
    pub fn check(&self, rows: usize) -> Result<(), Misshapen> {
        if self.rows() == rows {
            return Ok(());
        }
        Err(Misshapen(format!("the column has {} rows instead of {rows}", self.rows())))
    }

    /// Returns true for a column of objects.
    pub const fn is_structure(&self) -> bool {
        matches!(self.data, ColumnData::Structure(_))
    }

    /// Returns the column of an attribute of a structure; the name is in normal form C.
    pub fn field(&self, name: &str) -> Option<&Self> {
        let ColumnData::Structure(structure) = &self.data else { return None };
        let at = structure.fields.binary_search_by(|(field, _)| field.as_str().cmp(name)).ok()?;
        structure.fields.get(at).map(|(_, column)| column)
    }

    /// Adds the columns of floats that values of all rows are made of. Returns false if there is a NaN in an element of
    /// a list or a value of a dictionary, which no row has alone.
    pub fn add_floats(&self, found: &mut Vec<Floats<'c>>) -> bool {
        match &self.data {
            ColumnData::Floats(floats) => found.push(*floats),
            ColumnData::Structure(structure) => {
                return structure.fields.iter().all(|(_, column)| column.add_floats(found));
            }
            ColumnData::Lists(lists) => return !lists.items.has_nan(),
            ColumnData::Dictionary(dictionary) => return !dictionary.values.has_nan(),
            _ => {}
        }
        true
    }

    fn has_nan(&self) -> bool {
        let mut floats = Vec::new();
        let is_plain = self.add_floats(&mut floats);
        !is_plain
            || floats.iter().any(|floats| match floats {
                Floats::F32(floats) => floats.iter().any(|float| float.is_nan()),
                Floats::F64(floats) => floats.iter().any(|float| float.is_nan()),
            })
    }
}
