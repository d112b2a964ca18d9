//! A value: 16 bytes, `Copy`, borrowed from an arena, a scope or a program's constants.
//!
//! ```text
//! head (never zero)                                       data
//! byte 0   byte 1   bytes 2-3   bytes 4-7
//! RATIO    scale    ulps        denominator               the i64 numerator
//! FALSE    0        0           0                         -
//! TRUE     0        0           0                         -
//! INT      width    0           0                         the i64
//! DECIMAL  scale    0           0                         the i64 mantissa
//! BIG      0        0           0                         &Big
//! STRING   length (3 bytes)     first 4 bytes, zero padded  -> bytes
//! LONG     0        0           0                         &&str, 16 MiB and more
//! TUPLE    flags    depth       length                    -> [Value]
//! OBJECT   flags    depth       length                    -> [Entry], sorted by name
//! LIST     flags    depth       length                    &Collection
//! SET      flags    depth       length                    &Collection, in set order
//! MAP      flags    depth       length                    &Dictionary, sorted by key
//! NULL     0        0           0                         &Type, or null: of unknown type
//! UNSET    0        0           0                         a slot without value
//! UNKNOWN  0        0           0                         &Unknown, or null: of unknown type
//! MARKED   0        0           0                         &Marked
//! ```
//!
//! The head is never zero, so `Result<Value, Bail>` is returned in two machine registers. Every payload
//! is a whole word, so that no store is narrower than the load that follows it, which would stall store
//! forwarding.
//!
//! Unsafe code is in this file and the files below it only. Constructors take typed references with the
//! value's lifetime, the fields are private, and the tag shows which type of reference `data` was made
//! from. Making values is here; taking them apart is in [`read`], for the hot loop in [`plain`].
#![expect(unsafe_code, reason = "the tagged representation; see the module text")]

mod ascii;
mod buffer;
mod data;
mod frame;
mod host;
mod marks;
mod object;
mod owned;
mod packed;
mod plain;
mod read;
mod region;
mod rows;
mod shape_cache;
mod sharing;
mod show;
mod slots;
mod structure;
mod unknown;

pub(crate) use buffer::LARGEST_KEPT;
pub use buffer::TextBuffer;
use data::ValueData;
pub use frame::Frame;
pub use host::Misfit;
pub use marks::{Marks, marks_from};
pub(crate) use object::NO_SYMBOL;
pub use object::{Entry, find, last_of_each};
pub use owned::{Constants, OwnedValue, copy};
pub(crate) use plain::Tags;
pub use region::{Region, Stored};
pub use rows::Rows;
pub(crate) use shape_cache::ShapeCache;
pub use sharing::Sharing;
pub(crate) use slots::FEWEST;
pub use slots::Slots;
pub use unknown::{NumberBound, Refinement, Unknown};

use std::marker::PhantomData;
use std::num::NonZeroU64;
use std::ptr;

use crate::memory::arena::Arena;
use crate::memory::cast;
use crate::memory::limits::Exhausted;
use crate::number::{Decimal, Number, NumberRef, Ratio, Width};
use crate::text::nfc;
use crate::types::Type;

const RATIO: u8 = 0x01;
const FALSE: u8 = 0x02;
const TRUE: u8 = 0x03;
const INT: u8 = 0x04;
const DECIMAL: u8 = 0x05;
const BIG: u8 = 0x06;
const STRING: u8 = 0x07;
const LONG: u8 = 0x08;
const TUPLE: u8 = 0x09;
const OBJECT: u8 = 0x0A;
const LIST: u8 = 0x0B;
const SET: u8 = 0x0C;
const MAP: u8 = 0x0D;
const NULL: u8 = 0x0E;
const UNSET: u8 = 0x0F;
const UNKNOWN: u8 = 0x10;
const MARKED: u8 = 0x11;

/// A member of the aggregate is marked or contains marks.
const HAS_MARKS: u64 = 1 << 8;
/// A member of the aggregate is unknown or contains unknown values.
const HAS_UNKNOWN: u64 = 2 << 8;
/// The flags that an aggregate inherits from its members.
const FLAGS: u64 = HAS_MARKS | HAS_UNKNOWN;

/// The length from which on texts are `LONG`: lengths have three bytes in the head.
const LONG_TEXT: usize = 1 << 24;

/// A value of the language. See the module text for its layout.
#[derive(Clone, Copy)]
pub struct Value<'a> {
    head: NonZeroU64,
    data: ValueData,
    lifetime: PhantomData<&'a ()>,
}

// SAFETY: a value is a shared reference to its parts, none of which is ever written once a value refers to it:
// an arena only adds to its memory while something borrows from it.
unsafe impl Send for Value<'_> {}
// SAFETY: see `Send`.
unsafe impl Sync for Value<'_> {}

/// The elements of a list or set.
#[derive(Clone, Copy)]
struct Collection<'a> {
    items: &'a [Value<'a>],
    element: Type<'a>,
}

/// The elements of a map.
#[derive(Clone, Copy)]
struct MapElements<'a> {
    entries: &'a [Entry<'a>],
    element: Type<'a>,
}

/// A value with marks. The inner value is not itself marked.
#[derive(Clone, Copy)]
struct MarkedValue<'a> {
    inner: Value<'a>,
    marks: Marks<'a>,
}

/// A value taken apart by kind. Its `{:?}` hides marked values, like that of [`Value`].
#[derive(Clone, Copy)]
pub enum View<'a> {
    /// A null and its type, which may be `Dynamic`.
    Null(Type<'a>),
    /// True or false.
    Bool(bool),
    /// A number.
    Number(NumberRef<'a>),
    /// A string in normal form C.
    String(&'a str),
    /// A tuple.
    Tuple(&'a [Value<'a>]),
    /// An object; entries sorted by name.
    Object(&'a [Entry<'a>]),
    /// A list with its element type.
    List(&'a [Value<'a>], Type<'a>),
    /// A set with its element type, in set order.
    Set(&'a [Value<'a>], Type<'a>),
    /// A map with its element type; entries sorted by key.
    Map(&'a [Entry<'a>], Type<'a>),
    /// An unknown value: its type and what else is known.
    Unknown(Unknown<'a>),
    /// A marked value: the inner value, which is not marked itself, and the marks.
    Marked(Value<'a>, Marks<'a>),
    /// A slot without a value. Programs never see it.
    Unset,
}

impl<'a> Value<'a> {
    /// `true`
    pub const TRUE: Self = Self::bare::<TRUE>();
    /// `false`
    pub const FALSE: Self = Self::bare::<FALSE>();
    /// The null of unknown type, which the keyword `null` denotes.
    pub const NULL: Self = Self::bare::<NULL>();
    /// The unknown value of unknown type.
    pub const DYNAMIC: Self = Self::bare::<UNKNOWN>();
    /// The placeholder of a slot without a value.
    pub const UNSET: Self = Self::bare::<UNSET>();
    /// `[]`
    pub const EMPTY_TUPLE: Self = Self::empty::<TUPLE>();
    /// `{}`
    pub const EMPTY_OBJECT: Self = Self::empty::<OBJECT>();
    /// `""`
    pub const EMPTY_STRING: Self = Self::empty::<STRING>();
    /// Zero at full precision.
    pub const ZERO: Self = Self::bare::<INT>();

    /// Makes a value whose data is null.
    const fn bare<const TAG: u8>() -> Self {
        const { assert!(matches!(TAG, FALSE | TRUE | INT | NULL | UNSET | UNKNOWN)) };
        // SAFETY: the data of these tags is ignored, an integer, or null where no type is known.
        unsafe { Self::word(TAG as u64, ptr::null()) }
    }

    /// Makes a value of length 0, at an address that a slice may have.
    const fn empty<const TAG: u8>() -> Self {
        const { assert!(matches!(TAG, TUPLE | OBJECT | STRING)) };
        // SAFETY: the length in the head is 0, and a dangling pointer, aligned as that of an entry, is
        // valid for an empty slice of bytes, values or entries.
        unsafe { Self::word(TAG as u64, ptr::dangling::<Entry<'static>>().cast()) }
    }

    /// Makes a value of a head and a pointer: see [`Value::of_words`].
    ///
    /// # Safety
    ///
    /// As for [`Value::of_words`].
    const unsafe fn word(head: u64, pointer: *const ()) -> Self {
        // SAFETY: as required of the caller.
        unsafe { Self::of_words(head, ValueData::of(pointer)) }
    }

    /// Makes a value of its two words.
    ///
    /// # Safety
    ///
    /// The head and the data are those that the table in the module text lists for one of the tags, and
    /// what the data points to is valid for `'a`. The lifetime is chosen by the caller: nothing ties it
    /// to `data`.
    const unsafe fn of_words(head: u64, data: ValueData) -> Self {
        // A head always has a tag, and no tag is zero; the fallback is never taken.
        let head = match NonZeroU64::new(head) {
            Some(head) => head,
            None => NonZeroU64::MIN,
        };
        Self { head, data, lifetime: PhantomData }
    }

    /// Returns true if both are one word: two copies of one value, or equal values without parts.
    #[inline]
    pub fn is_word(self, other: Value<'_>) -> bool {
        self.head == other.head && self.data == other.data
    }

    const fn tag(self) -> u8 {
        self.head.get().to_le_bytes()[0]
    }

    /// The width of an integer or the scale of a decimal or a ratio.
    const fn byte_field(self) -> u8 {
        self.head.get().to_le_bytes()[1]
    }

    /// The payload of an integer, a decimal or a ratio.
    fn int_field(self) -> i64 {
        self.data.integer()
    }

    const fn len_field(self) -> usize {
        cast::amount(self.head.get() >> 32)
    }

    /// The length of a short text.
    const fn text_len_field(self) -> usize {
        cast::amount(self.head.get() >> 8 & 0xFF_FFFF)
    }

    /// Returns `true` or `false`.
    pub const fn bool(value: bool) -> Self {
        // SAFETY: the head denotes one of the two bools, whose data is ignored.
        unsafe { Self::word(FALSE as u64 | value as u64, ptr::null()) }
    }

    /// Returns an integer at full precision, like that of a literal.
    pub const fn int(value: i64) -> Self {
        Self::inline(INT as u64, value)
    }

    /// Returns an integer at 64 bits of precision, like that of a length or an index.
    pub const fn short(value: i64) -> Self {
        Self::inline(INT as u64 | 1 << 8, value)
    }

    /// Makes an integer, a decimal or a ratio.
    const fn inline(head: u64, value: i64) -> Self {
        debug_assert!(matches!(head.to_le_bytes()[0], INT | DECIMAL | RATIO));
        // SAFETY: all callers give a head of INT, DECIMAL or RATIO, whose data is an integer that is never
        // followed as a pointer.
        unsafe { Self::of_words(head, ValueData::of_integer(value)) }
    }

    /// Returns a number that borrows its digits.
    pub fn number_ref(number: NumberRef<'a>) -> Self {
        match number {
            NumberRef::Int(value, Width::Full) => Self::int(value),
            NumberRef::Int(value, Width::Short) => Self::short(value),
            NumberRef::Decimal(mantissa, scale) => {
                Self::inline(u64::from(DECIMAL) | u64::from(scale) << 8, mantissa)
            }
            NumberRef::Ratio(ratio) => Self::ratio(ratio),
            // SAFETY: the tag is BIG, and the data is made from a `&'a Big`.
            NumberRef::Big(big) => unsafe { Self::word(u64::from(BIG), ptr::from_ref(big).cast()) },
        }
    }

    /// Returns a number whose digits are moved into `arena`.
    pub fn number(arena: &'a Arena, number: Number) -> Self {
        match number {
            Number::Int(value, width) => Self::number_ref(NumberRef::Int(value, width)),
            Number::Decimal(mantissa, scale) => Self::number_ref(NumberRef::Decimal(mantissa, scale)),
            Number::Ratio(ratio) => Self::ratio(ratio),
            Number::Big(big) => Self::number_ref(NumberRef::Big(arena.big(big))),
        }
    }

    /// Returns a number that is a ratio.
    fn ratio(ratio: Ratio) -> Self {
        let [low, high] = ratio.ulps().to_le_bytes();
        let [a, b, c, d] = ratio.denominator().to_le_bytes();
        let head = u64::from_le_bytes([RATIO, ratio.scale(), low, high, a, b, c, d]);
        Self::inline(head, ratio.numerator())
    }

    /// Returns a decimal at full precision: an integer, a short decimal or a ratio.
    // Inlined, with its callers in loops: most of it is a choice of one of three heads.
    #[inline(always)]
    pub(crate) fn decimal(decimal: Decimal) -> Self {
        let (numerator, scale, ulps) = decimal.parts();
        let kind = match (scale, ulps) {
            (0, _) => u64::from(INT),
            (_, 0) => u64::from(DECIMAL),
            _ => {
                u64::from(RATIO)
                    | u64::from(ulps.cast_unsigned()) << 16
                    | u64::from(decimal.denominator()) << 32
            }
        };
        Self::inline(kind | u64::from(scale) << 8, numerator)
    }

    /// Returns a string: a copy of `text` in normal form C. [`Value::str`] neither copies nor normalizes.
    pub fn text(arena: &'a Arena, text: &str) -> Self {
        Self::str(arena, nfc(arena, arena.text(text)))
    }

    /// Returns a string. `text` must be in normal form C, as are the texts of other values and ASCII;
    /// [`Value::text`] takes any text.
    #[inline]
    pub fn str(arena: &'a Arena, text: &'a str) -> Self {
        if text.len() >= LONG_TEXT {
            return Self::long_text(arena, text);
        }
        // SAFETY: the length was just compared.
        unsafe { Self::short_text(text) }
    }

    /// Kept out of [`Value::str`] so that the common case is inlined alone: hardly any text has 16 MiB.
    #[cold]
    #[inline(never)]
    fn long_text(arena: &'a Arena, text: &'a str) -> Self {
        // SAFETY: the tag is LONG, and the data is made from a `&'a &'a str`.
        unsafe { Self::word(u64::from(LONG), ptr::from_ref(arena.item(text)).cast()) }
    }

    /// Makes a text whose length fits the head.
    ///
    /// # Safety
    ///
    /// The text is shorter than `LONG_TEXT`: a longer one would be read with another length, which may
    /// end within a character.
    unsafe fn short_text(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        let prefix = match bytes.first_chunk::<4>() {
            Some(prefix) => u32::from_le_bytes(*prefix),
            None => bytes.iter().rev().fold(0, |prefix, byte| prefix << 8 | u32::from(*byte)),
        };
        let head = u64::from(STRING) | (bytes.len() as u64) << 8 | u64::from(prefix) << 32;
        // SAFETY: the tag is STRING, and the length, which fits its field, and the data belong to a
        // `&'a str`.
        unsafe { Self::word(head, bytes.as_ptr().cast()) }
    }

    /// Returns a tuple of `items`.
    pub fn tuple(arena: &'a Arena, items: &'a [Value<'a>]) -> Self {
        let inherited = inherit(items.iter());
        // SAFETY: the length and the data belong to a `&'a [Value<'a>]`, as TUPLE has it.
        unsafe { Self::aggregate(arena, TUPLE, inherited, items.len(), items.as_ptr().cast()) }
    }

    /// Returns an object. `entries` must be sorted by name and distinct.
    pub fn object(arena: &'a Arena, entries: &'a [Entry<'a>]) -> Self {
        debug_assert!(entries.is_sorted_by(|a, b| a.name < b.name));
        let inherited = inherit(entries.iter().map(|entry| &entry.value));
        // SAFETY: the length and the data belong to a `&'a [Entry<'a>]`, as OBJECT has it.
        unsafe { Self::aggregate(arena, OBJECT, inherited, entries.len(), entries.as_ptr().cast()) }
    }

    /// Returns a list. All `items` must have the type `element`.
    pub fn list(arena: &'a Arena, items: &'a [Value<'a>], element: Type<'a>) -> Self {
        let inherited = inherit(items.iter());
        let data = ptr::from_ref(arena.item(Collection { items, element })).cast();
        // SAFETY: the data is made from a `&'a Collection<'a>`, as LIST has it.
        unsafe { Self::aggregate(arena, LIST, inherited, items.len(), data) }
    }

    /// Returns a set. `items` must be distinct, unmarked and in set order; [`crate::set_from`] makes a
    /// set of any elements.
    pub fn set_of_ordered(arena: &'a Arena, items: &'a [Value<'a>], element: Type<'a>) -> Self {
        let inherited = inherit(items.iter());
        let data = ptr::from_ref(arena.item(Collection { items, element })).cast();
        // SAFETY: the data is made from a `&'a Collection<'a>`, as SET has it.
        unsafe { Self::aggregate(arena, SET, inherited, items.len(), data) }
    }

    /// Returns a map. `entries` must be sorted by key and distinct, and all values must have the type
    /// `element`.
    pub fn map(arena: &'a Arena, entries: &'a [Entry<'a>], element: Type<'a>) -> Self {
        debug_assert!(entries.is_sorted_by(|a, b| a.name < b.name));
        let inherited = inherit(entries.iter().map(|entry| &entry.value));
        let data = ptr::from_ref(arena.item(MapElements { entries, element })).cast();
        // SAFETY: the data is made from a `&'a Dictionary<'a>`, as MAP has it.
        unsafe { Self::aggregate(arena, MAP, inherited, entries.len(), data) }
    }

    /// Returns the null of a type.
    pub fn null(arena: &'a Arena, ty: Type<'a>) -> Self {
        if ty.is_dynamic() {
            return Self::NULL;
        }
        // SAFETY: the tag is NULL, and the data is made from a `&'a Type<'a>`.
        unsafe { Self::word(u64::from(NULL), ptr::from_ref(arena.item(ty)).cast()) }
    }

    /// Returns an unknown value of the given type and refinement. One of unknown type keeps of its refinement only the
    /// origin.
    pub fn unknown(arena: &'a Arena, unknown: Unknown<'a>) -> Self {
        let Unknown { ty, refinement } = unknown;
        match (ty.is_dynamic(), refinement.origin) {
            (false, _) => Self::unknown_ref(arena.item(unknown)),
            (true, "") => Self::DYNAMIC,
            (true, origin) => {
                let refinement = Refinement { origin, ..Refinement::default() };
                Self::unknown_ref(arena.item(Unknown { ty, refinement }))
            }
        }
    }

    /// Returns the unknown value that `unknown` describes. Without an origin, its type is not `Dynamic`.
    const fn unknown_ref(unknown: &'a Unknown<'a>) -> Self {
        // SAFETY: the tag is UNKNOWN, and the data is made from a `&'a Unknown<'a>`.
        unsafe { Self::word(UNKNOWN as u64, ptr::from_ref(unknown).cast()) }
    }

    /// Returns an unknown value of a type, without a refinement.
    pub fn unknown_of(arena: &'a Arena, ty: Type<'a>) -> Self {
        match Unknown::of_primitive::<false>(ty) {
            Some(unknown) => Self::unknown_ref(unknown),
            None => Self::unknown(arena, Unknown { ty, refinement: Refinement::default() }),
        }
    }

    /// Returns an unknown value of a type that is known not to be null.
    pub fn unknown_not_null(arena: &'a Arena, ty: Type<'a>) -> Self {
        match Unknown::of_primitive::<true>(ty) {
            Some(unknown) => Self::unknown_ref(unknown),
            None => Self::unknown(arena, Unknown { ty, refinement: Refinement::not_null() }),
        }
    }

    /// Returns the value with `marks` in addition to those it has.
    pub fn with_marks(self, arena: &'a Arena, marks: Marks<'a>) -> Self {
        if marks.is_empty() {
            return self;
        }
        let (inner, own) = self.unmark();
        let marks = own.union(arena, marks);
        let marked = arena.item(MarkedValue { inner, marks });
        // SAFETY: the tag is MARKED, and the data is made from a `&'a Marked<'a>`.
        unsafe { Self::word(u64::from(MARKED), ptr::from_ref(marked).cast()) }
    }

    /// Makes an aggregate one level deeper than `inherited` says; `DYNAMIC` where that exceeds the
    /// limit, which exhausts the budget.
    ///
    /// # Safety
    ///
    /// `len` and `data` are those that the table in the module text lists for `tag`, valid for `'a`.
    unsafe fn aggregate(arena: &Arena, tag: u8, inherited: u64, len: usize, data: *const ()) -> Self {
        let depth = (inherited >> 16 & 0xFFFF) + 1;
        if depth > u64::from(arena.budget().limits().value_depth) {
            arena.budget().exhaust(Exhausted::Depth);
            return Self::DYNAMIC;
        }
        // A length above u32 would need 64 GiB of elements, more than any arena may hold.
        let len = u64::from(u32::try_from(len).unwrap_or(0));
        // SAFETY: as required of the caller; a length of 0 is valid for the data of any slice.
        unsafe { Self::word(u64::from(tag) | inherited & FLAGS | depth << 16 | len << 32, data) }
    }
}

/// Computes the flags and the greatest depth of the members of an aggregate, in the bits of a head.
fn inherit<'a>(members: impl Iterator<Item = &'a Value<'a>>) -> u64 {
    let (mut flags, mut depth) = (0, 0);
    for member in members {
        let (inner, own) = match member.tag() {
            MARKED => (member.marked().inner, HAS_MARKS),
            UNKNOWN => (*member, HAS_UNKNOWN),
            _ => (*member, 0),
        };
        flags |= own;
        if inner.is_aggregate() {
            flags |= inner.head.get() & FLAGS;
            depth = depth.max(inner.head.get() >> 16 & 0xFFFF);
        } else if inner.tag() == UNKNOWN {
            flags |= HAS_UNKNOWN;
        }
    }
    flags | depth << 16
}

const _: () = assert!(size_of::<Value<'static>>() == 16);
const _: () = assert!(size_of::<Option<Value<'static>>>() == 16);
