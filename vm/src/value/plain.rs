//! Questions the hot loop asks about plain values (known, unmarked, not null), answered from the head
//! where possible.
//!
//! The functions marked `inline(always)` are a compare and a load each: a call would cost more than the
//! work, and it would force the interpreter's temporaries into memory. The general accessors, for values
//! of every kind, are in [`read`](super::read).
#![expect(unsafe_code, reason = "a tuple whose items are primitives is made without a look at them")]

use std::cmp::Ordering;

use super::{
    BIG, DECIMAL, Entry, FALSE, HAS_MARKS, INT, LIST, LONG, MAP, MARKED, NULL, OBJECT, RATIO, SET, STRING,
    TRUE, TUPLE, UNSET, Value,
};
use crate::memory::arena::{Arena, WORK_TO_READ};
use crate::number::Decimal;
use crate::types::Type;

/// The union of the bits of the tags of several values.
#[derive(Clone, Copy, Default)]
pub(crate) struct Tags(u64);

impl Tags {
    /// Adds the tag of a value.
    // A compare and a load; see the module text.
    #[inline(always)]
    pub(crate) const fn add(&mut self, value: Value<'_>) {
        self.0 |= value.head.get();
    }

    /// Returns true only if all the values are plain primitives. May return false although they are.
    pub(crate) const fn all_primitive(self) -> bool {
        // A tag above 7 sets a bit that no bool, inline or big number, or short string has.
        const { assert!(FALSE <= 7 && TRUE <= 7 && INT <= 7 && DECIMAL <= 7 && BIG <= 7 && STRING <= 7) };
        const { assert!(RATIO <= 7) };
        const { assert!(LONG > 7 && TUPLE > 7 && NULL > 7 && UNSET > 7 && MARKED > 7) };
        self.0.to_le_bytes()[0] <= 7
    }
}

impl<'a> Value<'a> {
    /// Returns the integer if it is inline and at full precision.
    #[inline(always)]
    pub(crate) fn as_full_int(self) -> Option<i64> {
        (self.head.get() == u64::from(INT)).then(|| self.int_field())
    }

    /// Returns the integer if it is inline, at either precision.
    #[inline(always)]
    pub(crate) fn as_any_int(self) -> Option<i64> {
        (self.head.get() & !0x100 == u64::from(INT)).then(|| self.int_field())
    }

    /// Returns an integer, or a number that is close to a fraction whose denominator is a power of ten; `None` for other
    /// values, and for decimals with many places.
    // Inlined, as the others here: a few instructions.
    #[inline(always)]
    pub(crate) fn as_decimal(self) -> Option<Decimal> {
        let [tag, field, low, high, ..] = self.head.get().to_le_bytes();
        let scale = match tag {
            INT => 0,
            DECIMAL => field,
            // Other denominators have no scale.
            RATIO if field != 0 => field,
            _ => return None,
        };
        Some(Decimal::new(self.int_field(), scale, i16::from_le_bytes([low, high])))
    }

    /// Returns a decimal that is no integer and has no error.
    // Inlined, as the others here: a few instructions.
    #[inline(always)]
    pub(crate) fn as_short_decimal(self) -> Option<Decimal> {
        let [tag, scale, ..] = self.head.get().to_le_bytes();
        (tag == DECIMAL).then(|| Decimal::new(self.int_field(), scale, 0))
    }

    /// Returns the entries of a known unmarked object.
    // A compare and a load; see the module text.
    #[inline(always)]
    pub(crate) fn as_object(self) -> Option<&'a [Entry<'a>]> {
        (self.tag() == OBJECT).then(|| self.entries_unchecked())
    }

    /// Returns the items of a known unmarked tuple.
    // A compare and a load; see the module text.
    #[inline(always)]
    pub(crate) fn as_tuple(self) -> Option<&'a [Value<'a>]> {
        (self.tag() == TUPLE).then(|| self.items_unchecked())
    }

    /// Returns the text of a known unmarked string shorter than 16 MiB.
    // A compare and a load; see the module text.
    #[inline(always)]
    pub fn as_short_text(self) -> Option<&'a str> {
        (self.tag() == STRING).then(|| self.text_unchecked())
    }

    /// Compares two short strings; `None` if `self` is not a short string. `text` must be one.
    // The short comparisons need no call; see the module text.
    #[inline(always)]
    pub(crate) fn equals_short_text(self, text: Value<'_>) -> Option<bool> {
        if self.tag() != STRING {
            return None;
        }
        // Equal heads mean equal lengths and equal first four bytes.
        if self.head != text.head {
            return Some(false);
        }
        Some(same_rest(self.text_unchecked().as_bytes(), text.text_unchecked().as_bytes()))
    }

    /// Compares like [`Value::equals_short_text`], but returns `None` also for strings so long that the
    /// comparison has to be charged.
    // The short comparisons need no call; see the module text.
    #[inline(always)]
    pub(crate) fn quickly_equals(self, text: Value<'_>) -> Option<bool> {
        if self.tag() != STRING {
            return None;
        }
        if self.head != text.head {
            return Some(false);
        }
        let (a, b) = (self.text_unchecked().as_bytes(), text.text_unchecked().as_bytes());
        match a.len() {
            0..=16 => Some(same_rest(a, b)),
            17..=WORK_TO_READ => Some(a == b),
            _ => None,
        }
    }

    /// Returns true if this string is among `values`. Returns `None` if it is not a string of at most 256
    /// bytes, or if a value before the match is not a plain primitive.
    // The short comparisons need no call; see the module text.
    #[inline(always)]
    pub fn is_among_primitives(self, values: &[Value<'_>]) -> Option<bool> {
        // The number of values is not bounded, so the cost of each comparison has to be: nothing is
        // charged.
        match self.as_short_text()?.len() {
            0..=16 => self.is_word_among(values),
            17..=256 => self.is_long_among(values),
            _ => None,
        }
    }

    /// Searches for a text of up to 16 bytes, which two words hold.
    // The short comparisons need no call; see the module text.
    #[inline(always)]
    fn is_word_among(self, values: &[Value<'_>]) -> Option<bool> {
        let bytes = self.as_short_text()?.as_bytes();
        // A loop for each length: what the texts are compared with is loaded once.
        match bytes.len() {
            0..=4 => self.is_among(values, |_| true),
            5..=8 => {
                let last = u32::from_ne_bytes(*bytes.last_chunk()?);
                self.is_among(values, |other| {
                    other.last_chunk().map(|end| u32::from_ne_bytes(*end)) == Some(last)
                })
            }
            9..=16 => {
                let word = |end: Option<&[u8; 8]>| end.map(|end| u64::from_ne_bytes(*end));
                let (first, last) = (word(bytes.first_chunk())?, word(bytes.last_chunk())?);
                self.is_among(values, |other| {
                    word(other.first_chunk()) == Some(first) && word(other.last_chunk()) == Some(last)
                })
            }
            _ => None,
        }
    }

    /// Compares texts of more than 16 bytes. Not inlined, because it calls `memcmp`, around which its
    /// caller would have to save registers.
    #[inline(never)]
    fn is_long_among(self, values: &[Value<'_>]) -> Option<bool> {
        self.is_among(values, |other| self.text_unchecked().as_bytes() == other)
    }

    /// Searches `values`; `equals` compares texts of equal length and equal first four bytes.
    // The short comparisons need no call; see the module text.
    #[inline(always)]
    fn is_among(self, values: &[Value<'_>], equals: impl Fn(&[u8]) -> bool) -> Option<bool> {
        for value in values {
            if value.head == self.head {
                if equals(value.text_unchecked().as_bytes()) {
                    return Some(true);
                }
            } else if !value.is_plain_primitive() {
                return None;
            }
        }
        Some(false)
    }

    /// Returns the order of two inline numbers if the comparison fits 64 bits.
    #[inline(always)]
    pub(crate) fn compare_short(self, other: Value<'_>) -> Option<Ordering> {
        const fn scale(value: Value<'_>) -> Option<u8> {
            match value.tag() {
                INT => Some(0),
                DECIMAL => Some(value.byte_field()),
                _ => None,
            }
        }
        let (a_scale, b_scale) = (scale(self)?, scale(other)?);
        let (mut a, mut b) = (self.int_field(), other.int_field());
        if a_scale < b_scale {
            a = a.checked_mul(*POWERS.get(usize::from(b_scale - a_scale))?)?;
        } else if b_scale < a_scale {
            b = b.checked_mul(*POWERS.get(usize::from(a_scale - b_scale))?)?;
        }
        Some(a.cmp(&b))
    }

    /// Returns true for the placeholder of a slot without a value, and for values that contain marks.
    // A compare and a load; see the module text.
    #[inline(always)]
    pub const fn is_unset_or_marked(self) -> bool {
        match self.tag() {
            UNSET | MARKED => true,
            TUPLE | OBJECT | LIST | SET | MAP => self.head.get() & HAS_MARKS != 0,
            _ => false,
        }
    }

    /// Returns true for a known, unmarked value that is not null. Its parts may still be unknown or
    /// marked.
    // A compare and a load; see the module text.
    #[inline(always)]
    pub(crate) const fn is_plain(self) -> bool {
        self.tag() < NULL
    }

    /// Returns true if this plain value needs no conversion to `ty`, which is primitive or `Dynamic`.
    /// Returns false for all other types.
    // A compare and a load; see the module text.
    #[inline(always)]
    pub(crate) const fn fits(self, ty: Type<'_>) -> bool {
        match ty {
            Type::Dynamic => true,
            Type::Bool => matches!(self.tag(), FALSE | TRUE),
            Type::Number => matches!(self.tag(), INT | DECIMAL | RATIO | BIG),
            Type::String => matches!(self.tag(), STRING | LONG),
            _ => false,
        }
    }

    /// Returns true for the unmarked unknown value of unknown type.
    #[inline]
    pub(crate) fn is_dynamic(self) -> bool {
        self.is_word(Value::DYNAMIC)
    }

    /// Returns true for a known, unmarked primitive that is not null.
    // A compare and a load; see the module text.
    #[inline(always)]
    pub(crate) const fn is_plain_primitive(self) -> bool {
        self.tag() <= LONG
    }

    /// Returns true if both are inline integers of one precision, and are different.
    #[inline]
    pub(crate) fn is_other_integer(self, other: Value<'_>) -> bool {
        self.tag() == INT && self.head == other.head && self.int_field() != other.int_field()
    }

    /// Returns an integer or a bool, which are equal exactly if they are one word; `None` for other values.
    #[inline]
    pub fn as_inline(self) -> Option<Value<'static>> {
        match self.tag() {
            FALSE => Some(Value::FALSE),
            TRUE => Some(Value::TRUE),
            INT => Some(Value::inline(self.head.get(), self.int_field())),
            _ => None,
        }
    }

    /// Returns the type of a plain primitive; `None` for other values.
    pub(crate) const fn primitive_type(self) -> Option<Type<'static>> {
        match self.tag() {
            FALSE | TRUE => Some(Type::Bool),
            INT | DECIMAL | RATIO | BIG => Some(Type::Number),
            STRING | LONG => Some(Type::String),
            _ => None,
        }
    }

    /// Returns true if both values are plain primitives of one type.
    // A compare and a load; see the module text.
    #[inline(always)]
    pub(crate) const fn same_primitive_type(self, other: Value<'_>) -> bool {
        const fn class(tag: u8) -> u8 {
            match tag {
                FALSE | TRUE => 1,
                INT | DECIMAL | RATIO | BIG => 2,
                STRING | LONG => 3,
                _ => 0,
            }
        }
        if self.tag() == other.tag() {
            return self.is_plain_primitive();
        }
        class(self.tag()) != 0 && class(self.tag()) == class(other.tag())
    }

    /// Returns a tuple of plain primitives, which have no flags or depth to inherit.
    pub(crate) fn tuple_of_primitives(arena: &'a Arena, items: &'a [Value<'a>]) -> Self {
        // SAFETY: the length and the data belong to a `&'a [Value<'a>]`, as TUPLE has it.
        unsafe { Self::aggregate(arena, TUPLE, 0, items.len(), items.as_ptr().cast()) }
    }
}

/// The powers of ten that fit 64 bits.
const POWERS: [i64; 19] = {
    let mut powers = [1; 19];
    let mut at = 1;
    while at < powers.len() {
        powers[at] = powers[at - 1] * 10;
        at += 1;
    }
    powers
};

/// Compares two texts of equal length and equal first four bytes. Texts of up to 16 bytes are compared as
/// two words that may overlap, which saves the call of `memcmp`.
#[inline(always)]
fn same_rest(a: &[u8], b: &[u8]) -> bool {
    match a.len() {
        0..=4 => true,
        5..=8 => a.last_chunk::<4>() == b.last_chunk::<4>(),
        9..=16 => a.first_chunk::<8>() == b.first_chunk::<8>() && a.last_chunk::<8>() == b.last_chunk::<8>(),
        _ => a == b,
    }
}
