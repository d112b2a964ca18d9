//! Copies that share the parts that their originals share.
//!
//! A value may contain the same part many times, and so may its parts, so that written out it would be
//! exponentially larger than the memory it occupies. Here each part is copied once: a copy takes as much
//! memory as its original, except for texts and names too short to be worth remembering. The copies of
//! [`owned::copy`](super::copy) share nothing.

use super::owned::{copy_leaf, copy_marks, copy_unknown};
use super::{
    BIG, Entry, LIST, LONG, MAP, MARKED, NULL, OBJECT, SET, STRING, TUPLE, UNKNOWN, Unknown, Value, View,
};
use crate::memory::arena::Arena;
use crate::memory::hash::{HashMap, HashSet};
use crate::types::{AttributeType, Type};

/// The head and the address of a part: equal for occurrences of one part.
type Identity = (u64, usize);

type Copies<T> = HashMap<Identity, T>;

/// Texts of up to this length are copied each time: a table entry takes more memory.
const SHORT: usize = 32;

/// Tuples of up to this many parts without parts of their own are also copied each time. With short texts, a
/// copy takes at most 12 times the memory of a reference to it.
const FEW: usize = 4;

/// The parts that were copied into an arena, and their copies.
#[derive(Debug)]
pub struct Sharing<'a> {
    arena: &'a Arena,
    values: Copies<Value<'a>>,
    types: Copies<Type<'a>>,
    names: Copies<&'a str>,
    /// The mark that copies do not have.
    without: Option<&'static str>,
}

impl Value<'_> {
    /// Returns the identity of a part that is worth remembering, `None` for small ones.
    fn identity(self) -> Option<Identity> {
        let remembered = match self.tag() {
            TUPLE => self.len_field() > FEW || self.is_deep(),
            OBJECT => self.len_field() > 0,
            STRING => self.text_len_field() > SHORT,
            LIST | SET | MAP | LONG | BIG | MARKED => true,
            NULL | UNKNOWN => !self.data.is_null(),
            _ => false,
        };
        remembered.then(|| (self.head.get(), self.data.addr()))
    }
}

impl Value<'_> {
    /// Returns true if a part of a tuple is worth remembering.
    fn is_deep(self) -> bool {
        self.items_unchecked().iter().any(|item| match item.tag() {
            TUPLE | OBJECT => true,
            _ => item.identity().is_some(),
        })
    }
}

impl<'a> Sharing<'a> {
    /// Creates a table without copies. It is valid as long as none of the originals moves or is freed.
    pub fn new(arena: &'a Arena) -> Self {
        let (values, types, names) = (Copies::default(), Copies::default(), Copies::default());
        Self { arena, values, types, names, without: None }
    }

    /// Returns the table for copies that do not have a mark.
    pub(super) fn without(self, mark: &'static str) -> Self {
        Self { without: Some(mark), ..self }
    }

    /// Copies a value. The recursion is bounded by the depth of the value.
    pub fn value(&mut self, value: Value<'_>) -> Value<'a> {
        if let Some(text) = value.as_short_text().filter(|text| text.len() <= SHORT) {
            return Value::str(self.arena, self.arena.text(text));
        }
        let Some(identity) = value.identity() else { return self.small(value) };
        if let Some(known) = self.values.get(&identity) {
            return *known;
        }
        let copy = self.part(value);
        self.values.insert(identity, copy);
        copy
    }

    fn small(&self, value: Value<'_>) -> Value<'a> {
        match value.tag() {
            TUPLE => {
                let mut items = self.arena.list_with(value.len_field());
                let copy = |item: &Value<'_>| match item.as_inline() {
                    Some(inline) => inline,
                    None => copy_leaf(self.arena, item.view()),
                };
                items.extend(value.items_unchecked().iter().map(copy));
                Value::tuple(self.arena, items.into_bump_slice())
            }
            OBJECT => Value::object(self.arena, &[]),
            _ => copy_leaf(self.arena, value.view()),
        }
    }

    fn part(&mut self, value: Value<'_>) -> Value<'a> {
        let arena = self.arena;
        match value.tag() {
            TUPLE => Value::tuple(arena, self.items(value.items_unchecked())),
            OBJECT => Value::object(arena, self.entries(value.entries_unchecked())),
            LIST | SET => self.collection(value),
            MAP => {
                let element = self.ty(value.dictionary().element);
                Value::map(arena, self.entries(value.dictionary().entries), element)
            }
            MARKED => {
                let (inner, marks) = value.unmark();
                self.value(inner).with_marks(arena, copy_marks(arena, marks, self.without))
            }
            _ => self.leaf(value.view()),
        }
    }

    /// Copies a value without parts. Distinct nulls and unknown values may still share a type.
    fn leaf(&mut self, leaf: View<'_>) -> Value<'a> {
        match leaf {
            View::Null(ty) => Value::null(self.arena, self.ty(ty)),
            View::Unknown(unknown) => self.unknown(unknown),
            leaf => copy_leaf(self.arena, leaf),
        }
    }

    fn unknown(&mut self, unknown: Unknown<'_>) -> Value<'a> {
        let ty = self.ty(unknown.ty);
        Value::unknown(self.arena, copy_unknown(self.arena, unknown, ty))
    }

    fn collection(&mut self, value: Value<'_>) -> Value<'a> {
        let (items, element) = (value.collection().items, value.collection().element);
        let (items, element) = (self.items(items), self.ty(element));
        if value.tag() == LIST {
            Value::list(self.arena, items, element)
        } else {
            Value::set_of_ordered(self.arena, items, element)
        }
    }

    fn items(&mut self, items: &[Value<'_>]) -> &'a [Value<'a>] {
        let mut copies = self.arena.list_with(items.len());
        for item in items {
            copies.push(self.value(*item));
        }
        copies.into_bump_slice()
    }

    fn entries(&mut self, entries: &[Entry<'_>]) -> &'a [Entry<'a>] {
        let mut copies = self.arena.list_with(entries.len());
        for entry in entries {
            let (name, value) = (self.name(entry.name), self.value(entry.value));
            // The symbol belongs to this arena: the original may belong to another engine.
            copies.push(self.arena.entry(name, value));
        }
        copies.into_bump_slice()
    }

    fn name(&mut self, name: &str) -> &'a str {
        if name.len() <= SHORT {
            return self.arena.text(name);
        }
        let identity = (name.len() as u64, name.as_ptr().addr());
        self.names.entry(identity).or_insert_with(|| self.arena.text(name))
    }

    fn ty(&mut self, ty: Type<'_>) -> Type<'a> {
        let identity = match ty {
            Type::List(element) | Type::Set(element) | Type::Map(element) => {
                (kind(ty), std::ptr::from_ref(element).addr())
            }
            Type::Tuple(elements) if !elements.is_empty() => {
                (kind(ty) | (elements.len() as u64) << 8, elements.as_ptr().addr())
            }
            Type::Object(attributes) if !attributes.is_empty() => {
                (kind(ty) | (attributes.len() as u64) << 8, attributes.as_ptr().addr())
            }
            small => return super::owned::copy_type(self.arena, small),
        };
        if let Some(known) = self.types.get(&identity) {
            return *known;
        }
        let copy = self.structure(ty);
        self.types.insert(identity, copy);
        copy
    }

    fn structure(&mut self, ty: Type<'_>) -> Type<'a> {
        let arena = self.arena;
        match ty {
            Type::List(element) => Type::List(arena.item(self.ty(*element))),
            Type::Set(element) => Type::Set(arena.item(self.ty(*element))),
            Type::Map(element) => Type::Map(arena.item(self.ty(*element))),
            Type::Tuple(elements) => {
                let mut copies = arena.list_with(elements.len());
                for element in elements {
                    copies.push(self.ty(*element));
                }
                Type::Tuple(copies.into_bump_slice())
            }
            Type::Object(attributes) => {
                let mut copies = arena.list_with(attributes.len());
                for attribute in attributes {
                    let (name, ty) = (self.name(attribute.name), self.ty(attribute.ty));
                    copies.push(AttributeType { name, ty, optional: attribute.optional });
                }
                Type::Object(copies.into_bump_slice())
            }
            small => super::owned::copy_type(arena, small),
        }
    }
}

/// Returns a number for each kind of type that has parts.
const fn kind(ty: Type<'_>) -> u64 {
    match ty {
        Type::List(_) => 1,
        Type::Set(_) => 2,
        Type::Map(_) => 3,
        Type::Tuple(_) => 4,
        _ => 5,
    }
}

/// Returns the number of bytes that copies of `values` take, not counting types, which are few.
pub(super) fn size_of_copies(values: &[Value<'_>]) -> usize {
    let mut measure = Measure::default();
    for value in values {
        measure.add(*value);
    }
    measure.bytes
}

#[derive(Default)]
struct Measure {
    seen: HashSet<Identity>,
    names: HashSet<Identity>,
    bytes: usize,
}

impl Measure {
    fn text(&mut self, text: &str) {
        self.bytes += text.len().next_multiple_of(align_of::<Value<'_>>());
    }

    fn add(&mut self, value: Value<'_>) {
        if let Some(identity) = value.identity()
            && !self.seen.insert(identity)
        {
            return;
        }
        match value.view() {
            View::String(text) => self.text(text),
            View::Tuple(items) => self.items(items, 0),
            View::List(items, _) | View::Set(items, _) => {
                self.items(items, size_of::<super::Collection<'_>>());
            }
            View::Object(entries) => self.entries(entries, 0),
            View::Map(entries, _) => self.entries(entries, size_of::<super::MapElements<'_>>()),
            View::Marked(inner, _) => {
                self.bytes += size_of::<super::MarkedValue<'_>>();
                self.add(inner);
            }
            _ => {}
        }
    }

    fn items(&mut self, items: &[Value<'_>], head: usize) {
        self.bytes += head + size_of_val(items);
        for item in items {
            self.add(*item);
        }
    }

    fn entries(&mut self, entries: &[Entry<'_>], head: usize) {
        self.bytes += head + size_of_val(entries);
        for entry in entries {
            let identity = (entry.name.len() as u64, entry.name.as_ptr().addr());
            if entry.name.len() <= SHORT || self.names.insert(identity) {
                self.text(entry.name);
            }
            self.add(entry.value);
        }
    }
}
