//! Values that own their memory: the constants of programs, and results that a host keeps.
//!
//! Both are values together with the memory they borrow from, which no longer changes. Values of scopes,
//! which do change, are in [`slots`](super::slots).
#![expect(unsafe_code, reason = "an arena and the values that borrow from it move together")]

use std::sync::Arc;
use std::{fmt, mem};

use super::buffer::copy_bytes;
use super::data::ValueData;
use super::sharing::{Sharing, size_of_copies};
use super::{
    DECIMAL, Entry, FALSE, INT, Marks, NULL, RATIO, STRING, TRUE, UNKNOWN, Unknown, Value, View, marks_from,
};
use crate::memory::arena::Arena;
use crate::memory::name::Symbols;
use crate::number::NumberRef;
use crate::types::{AttributeType, Type};

/// Values together with the memory they borrow from.
#[derive(Default)]
pub struct Constants {
    // Declared before the memory, so dropped first. Values have no destructor anyway.
    values: Vec<Value<'static>>,
    /// The bytes of the strings, one after the other, if all values are primitives without a pointer or
    /// short strings. Longer than needed after [`Constants::refreeze`]. Not a box: moving a box would end
    /// the borrows.
    texts: Vec<u8>,
    /// The memory of all other values.
    arena: Option<Box<Arena>>,
}

// SAFETY: the values borrow from `texts` or from `arena` only. Both are written or dropped through
// `&mut self` alone, after the values are gone, so nothing with interior mutability is reached through a
// shared reference. All parts (bytes, `Big`, values) may move to another thread.
unsafe impl Send for Constants {}
// SAFETY: see `Send`.
unsafe impl Sync for Constants {}

impl fmt::Debug for Constants {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries((0..self.len()).map(|index| self.get(index))).finish()
    }
}

impl Constants {
    /// Copies `values` into memory of their own, allocated in one piece of the right size. The copies
    /// share the parts that the values share.
    pub fn freeze(values: &[Value<'_>]) -> Self {
        let mut frozen = Self::default();
        frozen.refreeze(values);
        frozen
    }

    /// Like [`Constants::freeze`], with the symbols that names of objects have in `symbols`.
    pub fn freeze_with(values: &[Value<'_>], symbols: Arc<Symbols>) -> Self {
        let mut frozen = Self::default();
        match bytes_of_texts(values) {
            // SAFETY: as in `refreeze`.
            Some(bytes) => unsafe { frozen.freeze_texts(values, bytes) },
            None => frozen.freeze_any(values, Some(symbols)),
        }
        frozen
    }

    /// Does the same in the memory of constants that are no longer needed. Inlined into the compiler, which
    /// calls it once for each program.
    #[inline(always)]
    pub fn refreeze(&mut self, values: &[Value<'_>]) {
        self.clear();
        match bytes_of_texts(values) {
            // SAFETY: there are no values any more, and `bytes_of_texts` has looked at each of the new.
            Some(bytes) => unsafe { self.freeze_texts(values, bytes) },
            None => self.freeze_any(values, None),
        }
    }

    /// Removes all values and keeps the memory of their strings.
    #[inline]
    pub fn clear(&mut self) {
        self.values.clear();
        self.arena = None;
    }

    /// Copies values that are words or short texts of `bytes` bytes together.
    ///
    /// # Safety
    ///
    /// `self.values` is empty, so that nothing borrows from `texts`, which is overwritten. Every value
    /// is a short text or borrows from nothing; see [`bytes_of_texts`].
    /// Inlined into its only caller.
    #[inline(always)]
    unsafe fn freeze_texts(&mut self, values: &[Value<'_>], bytes: usize) {
        debug_assert!(self.values.is_empty());
        if self.texts.len() < bytes {
            self.texts = vec![0; bytes];
        }
        let mut room = &mut *self.texts;
        self.values.reserve_exact(values.len());
        for value in values {
            let Value { head, mut data, .. } = *value;
            if value.tag() == STRING {
                let text = value.text_unchecked().as_bytes();
                let (place, behind) = mem::take(&mut room).split_at_mut(text.len());
                copy_bytes(place, text);
                // The head of a short string holds its length and first bytes, which do not change.
                data = ValueData::of(place.as_ptr().cast());
                room = behind;
            }
            // SAFETY: the head and the data are copied from `value`, but for the data of a short text, which
            // are the bytes of its copy. The lifetime is forged: the value borrows from nothing but the
            // bytes of `texts`, which stay where they are when the struct moves and are not written before
            // the values are gone; `get` shortens the lifetime to the borrow of `self`.
            self.values.push(unsafe { Value::of_words(head.get(), data) });
        }
    }

    fn freeze_any(&mut self, values: &[Value<'_>], symbols: Option<Arc<Symbols>>) {
        let mut arena = Box::new(Arena::unlimited(size_of_copies(values)));
        if let Some(symbols) = symbols {
            arena.set_symbols(symbols);
        }
        let mut sharing = Sharing::new(&arena);
        let copies: Vec<Value<'_>> = values.iter().map(|value| sharing.value(*value)).collect();
        // SAFETY: the copies borrow from the boxed arena only. It moves into the same struct, its
        // address stays, no method gives it out, and `get` shortens the lifetime to the struct's.
        self.values = unsafe { mem::transmute::<Vec<Value<'_>>, Vec<Value<'static>>>(copies) };
        self.arena = Some(arena);
    }

    /// Returns the value at `index`, or the null of unknown type if there is none.
    #[inline]
    pub fn get(&self, index: usize) -> Value<'_> {
        self.values.get(index).map_or(Value::NULL, |value| *value)
    }

    /// Returns all values.
    #[inline]
    pub fn values(&self) -> &[Value<'_>] {
        &self.values
    }

    /// Returns the number of values.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns true if there are no values.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Returns the number of bytes held.
    pub fn allocated_bytes(&self) -> usize {
        let arena = self.arena.as_ref().map_or(0, |arena| arena.allocated_bytes());
        arena + self.texts.capacity() + self.values.capacity() * size_of::<Value<'_>>()
    }
}

/// Returns the length of all strings in `values`, if every value is a short string or borrows from
/// nothing.
fn bytes_of_texts(values: &[Value<'_>]) -> Option<usize> {
    values.iter().try_fold(0usize, |bytes, value| match value.tag() {
        STRING => bytes.checked_add(value.text_unchecked().len()),
        tag => {
            let plain = matches!(tag, FALSE | TRUE | INT | DECIMAL | RATIO);
            (plain || matches!(tag, NULL | UNKNOWN) && value.data.is_null()).then_some(bytes)
        }
    })
}

/// A value that owns its memory: a result to keep. Cloning is cheap, and clones are shared between
/// threads.
#[derive(Clone)]
pub struct OwnedValue(Arc<Constants>);

impl fmt::Debug for OwnedValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

impl OwnedValue {
    /// Copies `value` into memory of its own, as much as the value itself occupies: the copy shares the
    /// parts that the value shares.
    pub fn new(value: Value<'_>) -> Self {
        Self(Arc::new(Constants::freeze(&[value])))
    }

    /// Returns the value without one of its marks, which no part of it has either. Other marks stay.
    pub fn without_mark(self, mark: &'static str) -> Self {
        if !self.get().contains_marks() {
            return self;
        }
        let arena = Arena::new();
        Self::new(Sharing::new(&arena).without(mark).value(self.get()))
    }

    /// Returns the value.
    pub fn get(&self) -> Value<'_> {
        self.0.get(0)
    }

    /// Returns true if both have one memory.
    pub(super) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Returns the number of bytes held.
    pub fn allocated_bytes(&self) -> usize {
        self.0.allocated_bytes()
    }
}

/// Returns a deep copy of `value` that borrows from `arena` alone. The depth of the recursion is bounded
/// by [`Limits::value_depth`](crate::Limits), which every aggregate was checked against when it was made.
///
/// Shared parts are copied once for each occurrence, so a copy can be exponentially larger than its
/// original; once the memory limit of `arena` is exceeded, aggregates stay empty. This applies to the
/// types of nulls and unknown values as well. [`OwnedValue::new`] keeps the sharing.
pub fn copy<'a>(arena: &'a Arena, value: Value<'_>) -> Value<'a> {
    if !arena.has_room(0) {
        return Value::DYNAMIC;
    }
    match value.view() {
        View::Tuple(items) => Value::tuple(arena, copy_items(arena, items)),
        View::Object(entries) => Value::object(arena, copy_entries(arena, entries)),
        View::List(items, element) => Value::list(arena, copy_items(arena, items), copy_type(arena, element)),
        View::Set(items, element) => {
            Value::set_of_ordered(arena, copy_items(arena, items), copy_type(arena, element))
        }
        View::Map(entries, element) => {
            Value::map(arena, copy_entries(arena, entries), copy_type(arena, element))
        }
        View::Marked(inner, marks) => copy(arena, inner).with_marks(arena, copy_marks(arena, marks, None)),
        leaf => copy_leaf(arena, leaf),
    }
}

/// Copies a value without parts. Separate from [`copy`], which recurses, so that the frames of the
/// recursion stay small.
pub(super) fn copy_leaf<'a>(arena: &'a Arena, leaf: View<'_>) -> Value<'a> {
    match leaf {
        View::Null(ty) => Value::null(arena, copy_type(arena, ty)),
        View::Bool(value) => Value::bool(value),
        View::Number(number) => Value::number(arena, number.to_owned()),
        View::String(text) => Value::str(arena, arena.text(text)),
        View::Unknown(unknown) => {
            Value::unknown(arena, copy_unknown(arena, unknown, copy_type(arena, unknown.ty)))
        }
        _ => Value::UNSET,
    }
}

pub(super) fn copy_marks<'a>(arena: &'a Arena, marks: Marks<'_>, without: Option<&str>) -> Marks<'a> {
    let kept = marks.names().iter().filter(|name| Some(**name) != without);
    let names: Vec<&str> = kept.map(|name| arena.text(name)).collect();
    marks_from(arena, &names)
}

fn copy_items<'a>(arena: &'a Arena, items: &[Value<'_>]) -> &'a [Value<'a>] {
    let mut copies = arena.list();
    if arena.has_room(size_of_val(items)) {
        copies.reserve_exact(items.len());
        for item in items {
            copies.push(copy(arena, *item));
        }
    }
    copies.into_bump_slice()
}

fn copy_entries<'a>(arena: &'a Arena, entries: &[Entry<'_>]) -> &'a [Entry<'a>] {
    let mut copies = arena.list();
    if arena.has_room(size_of_val(entries)) {
        copies.reserve_exact(entries.len());
        for entry in entries {
            let (name, value) = (arena.text(entry.name), copy(arena, entry.value));
            if name.len() != entry.name.len() {
                return &[];
            }
            // The symbol belongs to this arena: the original may belong to another engine.
            copies.push(arena.entry(name, value));
        }
    }
    copies.into_bump_slice()
}

/// Returns a copy of a type that borrows from `arena` alone. Parts that do not fit the memory limit
/// become `Dynamic`.
pub(crate) fn copy_type<'a>(arena: &'a Arena, ty: Type<'_>) -> Type<'a> {
    match ty {
        Type::Bool => Type::Bool,
        Type::Number => Type::Number,
        Type::String => Type::String,
        Type::List(element) => Type::List(arena.item(copy_type(arena, *element))),
        Type::Set(element) => Type::Set(arena.item(copy_type(arena, *element))),
        Type::Map(element) => Type::Map(arena.item(copy_type(arena, *element))),
        Type::Tuple(elements) if arena.has_room(size_of_val(elements)) => {
            let mut copies = arena.list_with(elements.len());
            copies.extend(elements.iter().map(|element| copy_type(arena, *element)));
            Type::Tuple(copies.into_bump_slice())
        }
        Type::Object(attributes) if arena.has_room(size_of_val(attributes)) => {
            let mut copies = arena.list_with(attributes.len());
            copies.extend(attributes.iter().map(|attribute| AttributeType {
                name: arena.text(attribute.name),
                ty: copy_type(arena, attribute.ty),
                optional: attribute.optional,
            }));
            Type::Object(copies.into_bump_slice())
        }
        Type::Capsule(name) => Type::Capsule(arena.text(name)),
        Type::Dynamic | Type::Tuple(_) | Type::Object(_) => Type::Dynamic,
    }
}

/// Returns a copy of an unknown value with the type `ty`.
pub(super) fn copy_unknown<'a>(arena: &'a Arena, unknown: Unknown<'_>, ty: Type<'a>) -> Unknown<'a> {
    let known = unknown.refinement;
    let bound = |bound: super::NumberBound<'_>| super::NumberBound {
        value: match bound.value {
            NumberRef::Big(big) => NumberRef::Big(arena.big(big.clone())),
            NumberRef::Int(value, width) => NumberRef::Int(value, width),
            NumberRef::Decimal(mantissa, scale) => NumberRef::Decimal(mantissa, scale),
            NumberRef::Ratio(ratio) => NumberRef::Ratio(ratio),
        },
        inclusive: bound.inclusive,
    };
    Unknown {
        ty,
        refinement: super::Refinement {
            not_null: known.not_null,
            prefix: arena.text(known.prefix),
            min: known.min.map(bound),
            max: known.max.map(bound),
            min_len: known.min_len,
            max_len: known.max_len,
            origin: arena.text(known.origin),
        },
    }
}
