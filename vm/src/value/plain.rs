//! Questions the hot loop asks of plain values, each answered from the head where possible.
#![expect(unsafe_code, reason = "a tuple whose items are primitives is made without a look at them")]

use std::cmp::Ordering;

use super::{
    BIG, DECIMAL, Entry, FALSE, HAS_MARKS, INT, LIST, LONG, MAP, MARKED, NULL, OBJECT, SET, STRING, TRUE,
    TUPLE, UNSET, Value,
};
use crate::memory::arena::{Arena, WORK_TO_READ};
use crate::types::Type;

/// The tags of values seen, one over the other.
#[derive(Clone, Copy, Default)]
pub(crate) struct Tags(u64);

impl Tags {
    #[inline(always)]
    pub(crate) const fn add(&mut self, value: Value<'_>) {
        self.0 |= value.head.get();
    }

    /// Whether they can only be those of plain primitives. Where this is not so they may be, too.
    pub(crate) const fn all_primitive(self) -> bool {
        // What has a bit above the lowest three is no bool, inline or big number, or short text.
        const { assert!(FALSE <= 7 && TRUE <= 7 && INT <= 7 && DECIMAL <= 7 && BIG <= 7 && STRING <= 7) };
        const { assert!(LONG > 7 && TUPLE > 7 && NULL > 7 && UNSET > 7 && MARKED > 7) };
        self.0.to_le_bytes()[0] <= 7
    }
}

impl<'a> Value<'a> {
    /// The integer, when it is inline and at full precision.
    #[inline(always)]
    pub(crate) fn as_full_int(self) -> Option<i64> {
        (self.head.get() == u64::from(INT)).then(|| self.int_field())
    }

    /// The integer, when it is inline, at either precision.
    #[inline(always)]
    pub(crate) fn as_any_int(self) -> Option<i64> {
        (self.head.get() & !0x100 == u64::from(INT)).then(|| self.int_field())
    }

    /// The entries, when this is a known unmarked object.
    #[inline(always)]
    pub(crate) fn as_object(self) -> Option<&'a [Entry<'a>]> {
        (self.tag() == OBJECT).then(|| self.entries_unchecked())
    }

    /// The items, when this is a known unmarked tuple.
    #[inline(always)]
    pub(crate) fn as_tuple(self) -> Option<&'a [Value<'a>]> {
        (self.tag() == TUPLE).then(|| self.items_unchecked())
    }

    /// The short text, when this is a known unmarked string below 16 MiB.
    #[inline(always)]
    pub fn as_short_text(self) -> Option<&'a str> {
        (self.tag() == STRING).then(|| self.text_unchecked())
    }

    /// Whether this short text equals `text`, a short text too; `None` when it is no short text.
    #[inline(always)]
    pub(crate) fn equals_short_text(self, text: Value<'_>) -> Option<bool> {
        if self.tag() != STRING {
            return None;
        }
        // Equal heads: equal lengths and equal first four bytes.
        if self.head != text.head {
            return Some(false);
        }
        Some(same_rest(self.text_unchecked().as_bytes(), text.text_unchecked().as_bytes()))
    }

    /// The same, but `None` also for a text so long that comparing it is to be paid for.
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

    /// Whether this text is among values; `None` when it is no text of at most 256 bytes, or when there
    /// is something before it that is no known primitive.
    #[inline(always)]
    pub fn is_among_primitives(self, values: &[Value<'_>]) -> Option<bool> {
        // Without an end to what comparisons cost, unless they are short.
        let bytes = self.as_short_text()?.as_bytes();
        match bytes.len() {
            0..=16 => self.is_among(values, |other| same_rest(bytes, other)),
            17..=256 => self.is_long_among(values),
            _ => None,
        }
    }

    /// Kept apart from what needs no call.
    #[inline(never)]
    fn is_long_among(self, values: &[Value<'_>]) -> Option<bool> {
        self.is_among(values, |other| self.text_unchecked().as_bytes() == other)
    }

    /// The same; `equals` compares with texts of one length and one beginning.
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

    /// The order of two inline numbers, where 64 bits are enough to tell.
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

    /// Whether a slot has no value, or one that is marked anywhere.
    #[inline(always)]
    pub(crate) const fn is_unset_or_marked(self) -> bool {
        match self.tag() {
            UNSET | MARKED => true,
            TUPLE | OBJECT | LIST | SET | MAP => self.head.get() & HAS_MARKS != 0,
            _ => false,
        }
    }

    /// Whether this is a known value that is not null, itself unmarked.
    #[inline(always)]
    pub(crate) const fn is_plain(self) -> bool {
        self.tag() < NULL
    }

    /// Whether a plain value needs no conversion to a primitive type, or to any.
    #[inline(always)]
    pub(crate) const fn fits(self, ty: Type<'_>) -> bool {
        match ty {
            Type::Dynamic => true,
            Type::Bool => matches!(self.tag(), FALSE | TRUE),
            Type::Number => matches!(self.tag(), INT | DECIMAL | BIG),
            Type::String => matches!(self.tag(), STRING | LONG),
            _ => false,
        }
    }

    /// Whether this is a known primitive: no aggregate, null, unknown or marked value.
    #[inline(always)]
    pub(crate) const fn is_plain_primitive(self) -> bool {
        self.tag() <= LONG
    }

    /// Whether both are known primitives of one type.
    #[inline(always)]
    pub(crate) const fn same_primitive_type(self, other: Value<'_>) -> bool {
        const fn class(tag: u8) -> u8 {
            match tag {
                FALSE | TRUE => 1,
                INT | DECIMAL | BIG => 2,
                STRING | LONG => 3,
                _ => 0,
            }
        }
        if self.tag() == other.tag() {
            return self.is_plain_primitive();
        }
        class(self.tag()) != 0 && class(self.tag()) == class(other.tag())
    }

    /// A tuple of known primitives: nothing to inherit from its items.
    pub(crate) fn tuple_of_primitives(arena: &'a Arena, items: &'a [Value<'a>]) -> Self {
        // SAFETY: the length and the data are those of a `&'a [Value<'a>]`, as TUPLE has it.
        unsafe { Self::aggregate(arena, TUPLE, 0, items.len(), items.as_ptr().cast()) }
    }
}

/// The powers of ten that fit.
const POWERS: [i64; 19] = {
    let mut powers = [1; 19];
    let mut at = 1;
    while at < powers.len() {
        powers[at] = powers[at - 1] * 10;
        at += 1;
    }
    powers
};

/// Whether texts of one length that begin with the same four bytes are equal. Short ones by two
/// words that may overlap, which saves the call.
#[inline(always)]
fn same_rest(a: &[u8], b: &[u8]) -> bool {
    match a.len() {
        0..=4 => true,
        5..=8 => a.last_chunk::<4>() == b.last_chunk::<4>(),
        9..=16 => a.first_chunk::<8>() == b.first_chunk::<8>() && a.last_chunk::<8>() == b.last_chunk::<8>(),
        _ => a == b,
    }
}
