//! Numbers of a column, of each width that Rust and Arrow have.

use crate::memory::arena::Arena;
use crate::number::{Number, NumberRef};
use crate::value::Value;

/// Integers of a column.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ints<'c> {
    I8(&'c [i8]),
    I16(&'c [i16]),
    I32(&'c [i32]),
    I64(&'c [i64]),
    U8(&'c [u8]),
    U16(&'c [u16]),
    U32(&'c [u32]),
    U64(&'c [u64]),
}

/// Floats of a column.
#[derive(Clone, Copy, Debug)]
pub enum Floats<'c> {
    /// Floats of 32 bits.
    F32(&'c [f32]),
    /// Floats of 64 bits.
    F64(&'c [f64]),
}

impl Floats<'_> {
    /// Returns true if both are the same memory.
    pub(crate) fn is(self, other: Self) -> bool {
        match (self, other) {
            (Self::F32(own), Self::F32(other)) => std::ptr::eq(own, other),
            (Self::F64(own), Self::F64(other)) => std::ptr::eq(own, other),
            _ => false,
        }
    }
}

impl Ints<'_> {
    pub(crate) const fn len(self) -> usize {
        match self {
            Self::I8(items) => items.len(),
            Self::I16(items) => items.len(),
            Self::I32(items) => items.len(),
            Self::I64(items) => items.len(),
            Self::U8(items) => items.len(),
            Self::U16(items) => items.len(),
            Self::U32(items) => items.len(),
            Self::U64(items) => items.len(),
        }
    }

    /// Returns an integer, which fits 65 bits.
    pub(crate) fn get(self, row: usize) -> Option<i128> {
        Some(match self {
            Self::I8(items) => (*items.get(row)?).into(),
            Self::I16(items) => (*items.get(row)?).into(),
            Self::I32(items) => (*items.get(row)?).into(),
            Self::I64(items) => (*items.get(row)?).into(),
            Self::U8(items) => (*items.get(row)?).into(),
            Self::U16(items) => (*items.get(row)?).into(),
            Self::U32(items) => (*items.get(row)?).into(),
            Self::U64(items) => (*items.get(row)?).into(),
        })
    }

    /// Returns the value of a row, an integer of a host.
    pub(crate) fn value(self, row: usize, arena: &Arena) -> Option<Value<'_>> {
        let number = self.get(row)?;
        Some(match i64::try_from(number) {
            Ok(number) => Value::short(number),
            Err(_) => Value::number(arena, Number::from(u64::try_from(number).ok()?)),
        })
    }
}

impl Floats<'_> {
    pub(crate) const fn len(self) -> usize {
        match self {
            Self::F32(items) => items.len(),
            Self::F64(items) => items.len(),
        }
    }

    pub(crate) fn get(self, row: usize) -> Option<f64> {
        match self {
            Self::F32(items) => items.get(row).copied().map(f64::from),
            Self::F64(items) => items.get(row).copied(),
        }
    }
}

/// Decimals: `mantissa / 10^scale`, at the precision of numbers in text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decimals<'c> {
    pub(crate) mantissas: &'c [i128],
    pub(crate) scale: i8,
}

impl Decimals<'_> {
    /// Returns the value of a row: the number of its decimal text.
    pub(crate) fn value(self, row: usize, arena: &Arena) -> Option<Value<'_>> {
        let (mut mantissa, mut scale) = (*self.mantissas.get(row)?, self.scale);
        while scale > 0 && mantissa % 10 == 0 {
            (mantissa, scale) = (mantissa / 10, scale - 1);
        }
        if let Ok(short) = i64::try_from(mantissa) {
            if scale == 0 {
                return Some(Value::int(short));
            }
            if let Some(number) = u8::try_from(scale).ok().and_then(|scale| NumberRef::decimal(short, scale))
            {
                return Some(Value::number_ref(number));
            }
        }
        let text = format!("{mantissa}e{}", -i16::from(scale));
        let unsigned = text.strip_prefix('-');
        let number = Number::parse_literal(unsigned.unwrap_or(&text))?;
        let number = if unsigned.is_some() { crate::number::negate(number.borrow()) } else { number };
        Some(Value::number(arena, number))
    }
}
