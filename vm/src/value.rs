//! A value: 16 bytes, `Copy`, borrowed from an arena, a scope or a program's constants.
//!
//! ```text
//! head (never zero)                                       data
//! byte 0   byte 1   bytes 2-3   bytes 4-7
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
//! The head is never zero, so `Result<Value, Bail>` is returned in two machine
//! registers; every payload is a whole word, so that no store is narrower than the
//! load that follows it. Unsafe code is in this file and in some under it: constructors take
//! typed references with the value's lifetime, the fields are private, and the tag
//! says which reference `data` was made from.
#![expect(unsafe_code, reason = "the tagged representation; see the module text")]

mod ascii;
mod buffer;
mod marks;
mod object;
mod owned;
mod plain;
mod shape_cache;
mod sharing;
mod show;
mod slots;
mod unknown;

pub use buffer::TextBuffer;
pub use marks::{Marks, marks_from};
pub use object::{Entry, find, last_of_each};
pub use owned::{Constants, OwnedValue, copy};
pub(crate) use plain::Tags;
pub(crate) use shape_cache::ShapeCache;
pub use slots::Slots;
pub use unknown::{NumberBound, Refinement, Unknown};

use std::marker::PhantomData;
use std::num::NonZeroU64;
use std::ptr;

use crate::memory::arena::Arena;
use crate::memory::cast;
use crate::memory::limits::Exhausted;
use crate::number::{Big, Number, NumberRef, Width};
use crate::types::Type;

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

/// Something marked stands inside an aggregate.
const HAS_MARKS: u64 = 1 << 8;
/// Something unknown stands inside an aggregate.
const HAS_UNKNOWN: u64 = 2 << 8;
/// What an aggregate inherits from its members.
const FLAGS: u64 = HAS_MARKS | HAS_UNKNOWN;

/// Texts from this length on are `LONG`.
const LONG_TEXT: usize = 1 << 24;

/// A value of the language. See the module text for its layout.
#[derive(Clone, Copy)]
pub struct Value<'a> {
    head: NonZeroU64,
    data: *const (),
    lifetime: PhantomData<&'a ()>,
}

/// The elements of a list or set.
#[derive(Clone, Copy)]
struct Collection<'a> {
    items: &'a [Value<'a>],
    element: Type<'a>,
}

/// The elements of a map.
#[derive(Clone, Copy)]
struct Dictionary<'a> {
    entries: &'a [Entry<'a>],
    element: Type<'a>,
}

/// A value with marks. The inner value is not itself marked.
#[derive(Clone, Copy)]
struct Marked<'a> {
    inner: Value<'a>,
    marks: Marks<'a>,
}

/// A value taken apart by kind. Shown with `{:?}` it hides what is marked, as [`Value`] does.
#[derive(Clone, Copy)]
pub enum View<'a> {
    /// A null of a type, perhaps `Dynamic`.
    Null(Type<'a>),
    /// True or false.
    Bool(bool),
    /// A number.
    Number(NumberRef<'a>),
    /// A text in normal form C.
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
    /// A value that is not known yet.
    Unknown(Unknown<'a>),
    /// A value with marks.
    Marked(Value<'a>, Marks<'a>),
    /// A slot without value; never seen by programs.
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
    /// A slot without a value.
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

    /// Makes a value of its two words.
    ///
    /// # Safety
    ///
    /// The head and the data are those that the table in the module text lists for one of the tags, and
    /// what the data points to is valid for `'a`. The lifetime is chosen by the caller: nothing ties it
    /// to `data`.
    const unsafe fn word(head: u64, data: *const ()) -> Self {
        // A head always has a tag, and no tag is zero; the fallback is never taken.
        let head = match NonZeroU64::new(head) {
            Some(head) => head,
            None => NonZeroU64::MIN,
        };
        Self { head, data, lifetime: PhantomData }
    }

    const fn tag(self) -> u8 {
        self.head.get().to_le_bytes()[0]
    }

    /// The width of an integer or the scale of a decimal.
    const fn byte_field(self) -> u8 {
        self.head.get().to_le_bytes()[1]
    }

    /// The payload of an integer or a decimal.
    #[expect(clippy::cast_possible_wrap, reason = "the payload is the integer's bits")]
    fn int_field(self) -> i64 {
        self.data.addr() as i64
    }

    const fn len_field(self) -> usize {
        cast::amount(self.head.get() >> 32)
    }

    /// The length of a short text.
    const fn text_len_field(self) -> usize {
        cast::amount(self.head.get() >> 8 & 0xFF_FFFF)
    }

    /// `true` or `false`.
    pub const fn bool(value: bool) -> Self {
        // SAFETY: the head is that of one of the two bools, whose data is ignored.
        unsafe { Self::word(FALSE as u64 | value as u64, ptr::null()) }
    }

    /// An integer at full precision, as a literal makes it.
    pub const fn int(value: i64) -> Self {
        Self::inline(INT as u64, value)
    }

    /// An integer of 64-bit precision, as a length or an index makes it.
    pub const fn short(value: i64) -> Self {
        Self::inline(INT as u64 | 1 << 8, value)
    }

    /// Makes an integer or a decimal.
    #[expect(clippy::cast_sign_loss, clippy::cast_possible_truncation, reason = "the payload is the bits")]
    const fn inline(head: u64, value: i64) -> Self {
        debug_assert!(matches!(head.to_le_bytes()[0], INT | DECIMAL));
        // SAFETY: both callers and `number_ref` give a head of INT or DECIMAL, whose data is an integer
        // that is never followed as a pointer.
        unsafe { Self::word(head, ptr::without_provenance(value as usize)) }
    }

    /// A number that borrows its digits.
    pub fn number_ref(number: NumberRef<'a>) -> Self {
        match number {
            NumberRef::Int(value, Width::Full) => Self::int(value),
            NumberRef::Int(value, Width::Short) => Self::short(value),
            NumberRef::Decimal(mantissa, scale) => {
                Self::inline(u64::from(DECIMAL) | u64::from(scale) << 8, mantissa)
            }
            // SAFETY: the tag is BIG, and the data is made from a `&'a Big`.
            NumberRef::Big(big) => unsafe { Self::word(u64::from(BIG), ptr::from_ref(big).cast()) },
        }
    }

    /// A number whose digits move into `arena`.
    pub fn number(arena: &'a Arena, number: Number) -> Self {
        match number {
            Number::Int(value, width) => Self::number_ref(NumberRef::Int(value, width)),
            Number::Decimal(mantissa, scale) => Self::number_ref(NumberRef::Decimal(mantissa, scale)),
            Number::Big(big) => Self::number_ref(NumberRef::Big(arena.big(big))),
        }
    }

    /// A text that is already in normal form C.
    #[inline]
    pub fn str(arena: &'a Arena, text: &'a str) -> Self {
        if text.len() >= LONG_TEXT {
            return Self::long_text(arena, text);
        }
        // SAFETY: the length was just compared.
        unsafe { Self::short_text(text) }
    }

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
        // SAFETY: the tag is STRING, and the length, which fits its field, and the data are those of a
        // `&'a str`.
        unsafe { Self::word(head, bytes.as_ptr().cast()) }
    }

    /// A tuple.
    pub fn tuple(arena: &'a Arena, items: &'a [Value<'a>]) -> Self {
        let inherited = inherit(items.iter());
        // SAFETY: the length and the data are those of a `&'a [Value<'a>]`, as TUPLE has it.
        unsafe { Self::aggregate(arena, TUPLE, inherited, items.len(), items.as_ptr().cast()) }
    }

    /// An object; `entries` are sorted by name and distinct.
    pub fn object(arena: &'a Arena, entries: &'a [Entry<'a>]) -> Self {
        debug_assert!(entries.is_sorted_by(|a, b| a.name < b.name));
        let inherited = inherit(entries.iter().map(|entry| &entry.value));
        // SAFETY: the length and the data are those of a `&'a [Entry<'a>]`, as OBJECT has it.
        unsafe { Self::aggregate(arena, OBJECT, inherited, entries.len(), entries.as_ptr().cast()) }
    }

    /// A list of elements that all have the type `element`.
    pub fn list(arena: &'a Arena, items: &'a [Value<'a>], element: Type<'a>) -> Self {
        let inherited = inherit(items.iter());
        let data = ptr::from_ref(arena.item(Collection { items, element })).cast();
        // SAFETY: the data is made from a `&'a Collection<'a>`, as LIST has it.
        unsafe { Self::aggregate(arena, LIST, inherited, items.len(), data) }
    }

    /// A set whose elements are already distinct, unmarked and in set order; see
    /// [`crate::types::set`] for making one from any elements.
    pub fn set_of_ordered(arena: &'a Arena, items: &'a [Value<'a>], element: Type<'a>) -> Self {
        let inherited = inherit(items.iter());
        let data = ptr::from_ref(arena.item(Collection { items, element })).cast();
        // SAFETY: the data is made from a `&'a Collection<'a>`, as SET has it.
        unsafe { Self::aggregate(arena, SET, inherited, items.len(), data) }
    }

    /// A map; `entries` are sorted by key and distinct, all values have the type `element`.
    pub fn map(arena: &'a Arena, entries: &'a [Entry<'a>], element: Type<'a>) -> Self {
        debug_assert!(entries.is_sorted_by(|a, b| a.name < b.name));
        let inherited = inherit(entries.iter().map(|entry| &entry.value));
        let data = ptr::from_ref(arena.item(Dictionary { entries, element })).cast();
        // SAFETY: the data is made from a `&'a Dictionary<'a>`, as MAP has it.
        unsafe { Self::aggregate(arena, MAP, inherited, entries.len(), data) }
    }

    /// The null of a type.
    pub fn null(arena: &'a Arena, ty: Type<'a>) -> Self {
        if ty.is_dynamic() {
            return Self::NULL;
        }
        // SAFETY: the tag is NULL, and the data is made from a `&'a Type<'a>`.
        unsafe { Self::word(u64::from(NULL), ptr::from_ref(arena.item(ty)).cast()) }
    }

    /// An unknown value as described.
    pub fn unknown(arena: &'a Arena, unknown: Unknown<'a>) -> Self {
        if unknown.ty.is_dynamic() {
            return Self::DYNAMIC;
        }
        // SAFETY: the tag is UNKNOWN, and the data is made from a `&'a Unknown<'a>`.
        unsafe { Self::word(u64::from(UNKNOWN), ptr::from_ref(arena.item(unknown)).cast()) }
    }

    /// An unknown value of a type, nothing else known.
    pub fn unknown_of(arena: &'a Arena, ty: Type<'a>) -> Self {
        Self::unknown(arena, Unknown { ty, refinement: Refinement::default() })
    }

    /// An unknown value of a type that is certainly not null.
    pub fn unknown_not_null(arena: &'a Arena, ty: Type<'a>) -> Self {
        Self::unknown(
            arena,
            Unknown { ty, refinement: Refinement { not_null: true, ..Refinement::default() } },
        )
    }

    /// The same value with `marks` in addition to those it has.
    pub fn with_marks(self, arena: &'a Arena, marks: Marks<'a>) -> Self {
        if marks.is_empty() {
            return self;
        }
        let (inner, own) = self.unmark();
        let marks = own.union(arena, marks);
        let marked = arena.item(Marked { inner, marks });
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

    /// Takes the value apart.
    pub fn view(self) -> View<'a> {
        match self.tag() {
            FALSE => View::Bool(false),
            TRUE => View::Bool(true),
            INT | DECIMAL | BIG => View::Number(self.number_unchecked()),
            STRING | LONG => View::String(self.text_unchecked()),
            TUPLE => View::Tuple(self.items_unchecked()),
            OBJECT => View::Object(self.entries_unchecked()),
            LIST => View::List(self.collection().items, self.collection().element),
            SET => View::Set(self.collection().items, self.collection().element),
            MAP => View::Map(self.dictionary().entries, self.dictionary().element),
            NULL => View::Null(self.null_type()),
            UNKNOWN => View::Unknown(self.unknown_unchecked()),
            MARKED => {
                let marked = self.marked();
                View::Marked(marked.inner, marked.marks)
            }
            _ => View::Unset,
        }
    }

    fn number_unchecked(self) -> NumberRef<'a> {
        let field = self.byte_field();
        match self.tag() {
            INT => NumberRef::Int(self.int_field(), if field == 0 { Width::Full } else { Width::Short }),
            DECIMAL => NumberRef::Decimal(self.int_field(), field),
            // SAFETY: the tag is BIG, and only `number_ref` makes it, from a `&'a Big`.
            _ => NumberRef::Big(unsafe { &*self.data.cast::<Big>() }),
        }
    }

    fn text_unchecked(self) -> &'a str {
        if self.tag() == LONG {
            // SAFETY: the tag is LONG, and only `str` makes it, from a `&'a &'a str`.
            return unsafe { *self.data.cast::<&'a str>() };
        }
        let len = self.text_len_field();
        // SAFETY: the tag is STRING, and only `str` makes it, from the bytes of a `&'a str` of that
        // length, but for `EMPTY_STRING`, whose length is zero and whose pointer is not null.
        unsafe { std::str::from_utf8_unchecked(std::slice::from_raw_parts(self.data.cast(), len)) }
    }

    fn items_unchecked(self) -> &'a [Value<'a>] {
        let len = self.len_field();
        // SAFETY: the tag is TUPLE, and only `aggregate` makes it, from a `&'a [Value<'a>]` of that
        // length, but for `EMPTY_TUPLE`, whose length is zero and whose pointer is aligned and not null.
        unsafe { std::slice::from_raw_parts(self.data.cast(), len) }
    }

    fn entries_unchecked(self) -> &'a [Entry<'a>] {
        let len = self.len_field();
        // SAFETY: the tag is OBJECT, and only `object` makes it, from a `&'a [Entry<'a>]` of that
        // length, but for `EMPTY_OBJECT`, whose length is zero and whose pointer is aligned and not null.
        unsafe { std::slice::from_raw_parts(self.data.cast(), len) }
    }

    fn collection(self) -> &'a Collection<'a> {
        // SAFETY: the tag is LIST or SET; `list` and `set_of_ordered` make these from a
        // `&'a Collection<'a>`.
        unsafe { &*self.data.cast() }
    }

    fn dictionary(self) -> &'a Dictionary<'a> {
        // SAFETY: the tag is MAP, and only `map` makes it, from a `&'a Dictionary<'a>`.
        unsafe { &*self.data.cast() }
    }

    fn null_type(self) -> Type<'a> {
        if self.data.is_null() {
            return Type::Dynamic;
        }
        // SAFETY: the tag is NULL with data, and only `null` makes it, from a `&'a Type<'a>`.
        unsafe { *self.data.cast() }
    }

    fn unknown_unchecked(self) -> Unknown<'a> {
        if self.data.is_null() {
            return Unknown { ty: Type::Dynamic, refinement: Refinement::default() };
        }
        // SAFETY: the tag is UNKNOWN with data, and only `unknown` makes it, from a
        // `&'a Unknown<'a>`.
        unsafe { *self.data.cast() }
    }

    fn marked(self) -> &'a Marked<'a> {
        // SAFETY: the tag is MARKED, and only `with_marks` makes it, from a `&'a Marked<'a>`.
        unsafe { &*self.data.cast() }
    }

    /// The value without its own marks, and those marks. Marks of members stay.
    pub fn unmark(self) -> (Self, Marks<'a>) {
        if self.tag() == MARKED { (self.marked().inner, self.marked().marks) } else { (self, Marks::NONE) }
    }

    /// Whether the value itself has marks.
    pub const fn is_marked(self) -> bool {
        self.tag() == MARKED
    }

    /// Whether the value or anything inside has marks.
    #[inline]
    pub const fn contains_marks(self) -> bool {
        self.tag() == MARKED || self.is_aggregate() && self.head.get() & HAS_MARKS != 0
    }

    const fn is_aggregate(self) -> bool {
        matches!(self.tag(), TUPLE | OBJECT | LIST | SET | MAP)
    }

    /// Whether the value itself is null, marked or not.
    pub fn is_null(self) -> bool {
        self.unmark().0.tag() == NULL
    }

    /// Whether the value itself is known (null is), marked or not.
    pub fn is_known(self) -> bool {
        self.unmark().0.tag() != UNKNOWN
    }

    /// Whether nothing inside is unknown either.
    pub fn is_wholly_known(self) -> bool {
        let inner = self.unmark().0;
        inner.tag() != UNKNOWN && !(inner.is_aggregate() && inner.head.get() & HAS_UNKNOWN != 0)
    }

    /// Whether this is the placeholder of a slot without value.
    pub const fn is_unset(self) -> bool {
        self.tag() == UNSET
    }

    /// Nesting of aggregates: 0 for a primitive.
    pub fn depth(self) -> usize {
        let inner = self.unmark().0;
        if inner.is_aggregate() { cast::amount(inner.head.get() >> 16 & 0xFFFF) } else { 0 }
    }

    /// The text, when this is a known unmarked string.
    pub fn as_str(self) -> Option<&'a str> {
        matches!(self.tag(), STRING | LONG).then(|| self.text_unchecked())
    }

    /// Whether both are the same text, known and unmarked.
    pub fn is_same_text(self, other: Value<'_>) -> bool {
        // The head has the length and how the text begins.
        self.head == other.head && self.as_str().is_some_and(|text| other.as_str() == Some(text))
    }

    /// The bool, when this is a known unmarked bool.
    pub const fn as_bool(self) -> Option<bool> {
        // The two heads differ in the last bit.
        if self.head.get() | 1 == TRUE as u64 { Some(self.head.get() & 1 != 0) } else { None }
    }

    /// The number, when this is a known unmarked number.
    pub fn as_number(self) -> Option<NumberRef<'a>> {
        matches!(self.tag(), INT | DECIMAL | BIG).then(|| self.number_unchecked())
    }

    /// The elements, when this is a known unmarked tuple, list or set.
    pub fn as_items(self) -> Option<&'a [Value<'a>]> {
        match self.tag() {
            TUPLE => Some(self.items_unchecked()),
            LIST | SET => Some(self.collection().items),
            _ => None,
        }
    }

    /// The entries, when this is a known unmarked object or map.
    pub fn as_entries(self) -> Option<&'a [Entry<'a>]> {
        match self.tag() {
            OBJECT => Some(self.entries_unchecked()),
            MAP => Some(self.dictionary().entries),
            _ => None,
        }
    }

    /// The type, with marks ignored. The types of tuples and objects are made in `arena`.
    pub fn type_of(self, arena: &'a Arena) -> Type<'a> {
        match self.view() {
            View::Null(ty) => ty,
            View::Bool(_) => Type::Bool,
            View::Number(_) => Type::Number,
            View::String(_) => Type::String,
            View::Tuple([]) => Type::Tuple(&[]),
            View::Tuple(items) => structure::tuple_type(arena, items),
            View::Object([]) => Type::Object(&[]),
            View::Object(entries) => structure::object_type(arena, entries),
            View::List(_, element) => Type::List(arena.item(element)),
            View::Set(_, element) => Type::Set(arena.item(element)),
            View::Map(_, element) => Type::Map(arena.item(element)),
            View::Unknown(unknown) => unknown.ty,
            View::Marked(inner, _) => inner.type_of(arena),
            View::Unset => Type::Dynamic,
        }
    }
}

mod structure;

/// Flags and greatest depth of the members of an aggregate, in the bits of a head.
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

#[cfg(not(target_pointer_width = "64"))]
compile_error!("values hold 64-bit integers in a pointer-sized word");

const _: () = assert!(size_of::<Value<'static>>() == 16);
const _: () = assert!(size_of::<Option<Value<'static>>>() == 16);
