//! Taking values apart: by kind with [`Value::view`], or one question at a time.
//!
//! Invariant: data is read as the type that the tag denotes; see the table in the parent module, which
//! makes the values. Questions that only plain values can answer are in [`plain`](super::plain).
#![expect(unsafe_code, reason = "data is followed as the reference that the tag says it is")]

use super::{
    BIG, Collection, DECIMAL, Entry, FALSE, HAS_MARKS, HAS_UNKNOWN, INT, LIST, LONG, MAP, MARKED,
    MapElements, MarkedValue, Marks, NULL, OBJECT, RATIO, Refinement, SET, STRING, TRUE, TUPLE, UNKNOWN,
    UNSET, Unknown, Value, View, structure,
};
use crate::memory::arena::Arena;
use crate::memory::cast;
use crate::number::{Big, NumberRef, Ratio, Width};
use crate::types::Type;

impl<'a> Value<'a> {
    /// Takes the value apart.
    pub fn view(self) -> View<'a> {
        match self.tag() {
            FALSE => View::Bool(false),
            TRUE => View::Bool(true),
            INT | DECIMAL | RATIO | BIG => View::Number(self.number_unchecked()),
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

    pub(super) fn number_unchecked(self) -> NumberRef<'a> {
        let field = self.byte_field();
        match self.tag() {
            INT => NumberRef::Int(self.int_field(), if field == 0 { Width::Full } else { Width::Short }),
            DECIMAL => NumberRef::Decimal(self.int_field(), field),
            RATIO => {
                let [_, scale, low, high, a, b, c, d] = self.head.get().to_le_bytes();
                let (ulps, denominator) = (i16::from_le_bytes([low, high]), u32::from_le_bytes([a, b, c, d]));
                NumberRef::Ratio(Ratio::of_parts(self.int_field(), denominator, scale, ulps))
            }
            // SAFETY: the tag is BIG, and only `number_ref` makes it, from a `&'a Big`.
            _ => NumberRef::Big(unsafe { &*self.data.cast::<Big>() }),
        }
    }

    pub(super) fn text_unchecked(self) -> &'a str {
        if self.tag() == LONG {
            // SAFETY: the tag is LONG, and only `str` makes it, from a `&'a &'a str`.
            return unsafe { *self.data.cast::<&'a str>() };
        }
        let len = self.text_len_field();
        // SAFETY: the tag is STRING, and only `str` makes it, from the bytes of a `&'a str` of that
        // length, but for `EMPTY_STRING`, whose length is zero and whose pointer is not null.
        unsafe { std::str::from_utf8_unchecked(std::slice::from_raw_parts(self.data.cast(), len)) }
    }

    pub(super) fn items_unchecked(self) -> &'a [Value<'a>] {
        let len = self.len_field();
        // SAFETY: the tag is TUPLE, and only `aggregate` makes it, from a `&'a [Value<'a>]` of that
        // length, but for `EMPTY_TUPLE`, whose length is zero and whose pointer is aligned and not null.
        unsafe { std::slice::from_raw_parts(self.data.cast(), len) }
    }

    pub(super) fn entries_unchecked(self) -> &'a [Entry<'a>] {
        let len = self.len_field();
        // SAFETY: the tag is OBJECT, and only `object` makes it, from a `&'a [Entry<'a>]` of that
        // length, but for `EMPTY_OBJECT`, whose length is zero and whose pointer is aligned and not null.
        unsafe { std::slice::from_raw_parts(self.data.cast(), len) }
    }

    pub(super) fn collection(self) -> &'a Collection<'a> {
        // SAFETY: the tag is LIST or SET; `list` and `set_of_ordered` make these from a
        // `&'a Collection<'a>`.
        unsafe { &*self.data.cast() }
    }

    pub(super) fn dictionary(self) -> &'a MapElements<'a> {
        // SAFETY: the tag is MAP, and only `map` makes it, from a `&'a Dictionary<'a>`.
        unsafe { &*self.data.cast() }
    }

    pub(super) fn null_type(self) -> Type<'a> {
        if self.data.is_null() {
            return Type::Dynamic;
        }
        // SAFETY: the tag is NULL with data, and only `null` makes it, from a `&'a Type<'a>`.
        unsafe { *self.data.cast() }
    }

    pub(super) fn unknown_unchecked(self) -> Unknown<'a> {
        if self.data.is_null() {
            return Unknown { ty: Type::Dynamic, refinement: Refinement::default() };
        }
        // SAFETY: the tag is UNKNOWN with data, and only `unknown_ref` makes it, from a
        // `&'a Unknown<'a>`.
        unsafe { *self.data.cast() }
    }

    /// Returns the type of an unmarked unknown value.
    pub(crate) fn unknown_type(self) -> Option<Type<'a>> {
        if self.tag() != UNKNOWN {
            return None;
        }
        if self.data.is_null() {
            return Some(Type::Dynamic);
        }
        // SAFETY: the tag is UNKNOWN with data, and only `unknown_ref` makes it, from a `&'a Unknown<'a>`.
        let unknown: &Unknown<'a> = unsafe { &*self.data.cast() };
        Some(unknown.ty)
    }

    pub(super) fn marked(self) -> &'a MarkedValue<'a> {
        // SAFETY: the tag is MARKED, and only `with_marks` makes it, from a `&'a Marked<'a>`.
        unsafe { &*self.data.cast() }
    }

    /// Returns the value without its own marks, and those marks. Members keep theirs.
    pub fn unmark(self) -> (Self, Marks<'a>) {
        if self.tag() == MARKED { (self.marked().inner, self.marked().marks) } else { (self, Marks::NONE) }
    }

    /// Returns true if the value itself is marked.
    pub const fn is_marked(self) -> bool {
        self.tag() == MARKED
    }

    /// Returns true if the value or a part of it is marked.
    #[inline]
    pub const fn contains_marks(self) -> bool {
        self.tag() == MARKED || self.is_aggregate() && self.head.get() & HAS_MARKS != 0
    }

    pub(super) const fn is_aggregate(self) -> bool {
        matches!(self.tag(), TUPLE | OBJECT | LIST | SET | MAP)
    }

    /// Returns true if the value itself is null, marked or not.
    pub fn is_null(self) -> bool {
        self.unmark().0.tag() == NULL
    }

    /// Returns true if the value itself is known, marked or not. Null is known.
    pub fn is_known(self) -> bool {
        self.unmark().0.tag() != UNKNOWN
    }

    /// Returns true if the value and all of its parts are known.
    pub fn is_wholly_known(self) -> bool {
        let inner = self.unmark().0;
        inner.tag() != UNKNOWN && !(inner.is_aggregate() && inner.head.get() & HAS_UNKNOWN != 0)
    }

    /// Returns true if this is the placeholder of a slot without a value.
    pub const fn is_unset(self) -> bool {
        self.tag() == UNSET
    }

    /// Returns the nesting depth of aggregates: 0 for a primitive.
    pub fn depth(self) -> usize {
        let inner = self.unmark().0;
        if inner.is_aggregate() { cast::amount(inner.head.get() >> 16 & 0xFFFF) } else { 0 }
    }

    /// Returns the text of a known unmarked string.
    pub fn as_str(self) -> Option<&'a str> {
        matches!(self.tag(), STRING | LONG).then(|| self.text_unchecked())
    }

    /// Returns true if both values are known, unmarked and the same string.
    pub fn is_same_text(self, other: Value<'_>) -> bool {
        // The head holds the length and the first four bytes.
        self.head == other.head && self.as_str().is_some_and(|text| other.as_str() == Some(text))
    }

    /// Returns the value of a known unmarked bool.
    pub const fn as_bool(self) -> Option<bool> {
        // The heads of the two bools differ in the last bit.
        if self.head.get() | 1 == TRUE as u64 { Some(self.head.get() & 1 != 0) } else { None }
    }

    /// Returns the value of a known unmarked number.
    pub fn as_number(self) -> Option<NumberRef<'a>> {
        matches!(self.tag(), INT | DECIMAL | RATIO | BIG).then(|| self.number_unchecked())
    }

    /// Returns the elements of a known unmarked tuple, list or set.
    pub fn as_items(self) -> Option<&'a [Value<'a>]> {
        match self.tag() {
            TUPLE => Some(self.items_unchecked()),
            LIST | SET => Some(self.collection().items),
            _ => None,
        }
    }

    /// Returns the entries of a known unmarked object or map.
    pub fn as_entries(self) -> Option<&'a [Entry<'a>]> {
        match self.tag() {
            OBJECT => Some(self.entries_unchecked()),
            MAP => Some(self.dictionary().entries),
            _ => None,
        }
    }

    /// Returns the type, ignoring marks. The types of tuples and objects are allocated in `arena`.
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
