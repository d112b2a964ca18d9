//! [`ValueSerializer`]: builds values in an arena, within limits of depth and memory.
//!
//! Recursion is bounded by two counts that decrease inwards: aggregates, and wrappers that leave no
//! trace in the value (`Some`, newtypes).

use std::fmt;

use hclvm_vm::text::nfc;
use hclvm_vm::{Arena, ArenaVec, Entry, Exhausted, Number, Value, last_of_each};
use serde::Serialize;

use super::struct_shape::StructShape;
use crate::data::path_error::{PathError, QuotedExcerpt};
use crate::data::serde_json::is_tree;
use crate::run::projection::{Read, ReadParts};

/// Builds one value in an arena: the parts of it that programs read.
#[derive(Clone, Copy, Debug)]
pub(super) struct ValueSerializer<'a, 'r> {
    arena: &'a Arena,
    /// The parts of the value that programs read.
    read: &'r Read,
    levels: u16,
    wrappers: u16,
    /// True inside of a tree of `serde_json`, whose numbers have the precision of numbers in text.
    json: bool,
    /// The shape of the structs before, in a sequence.
    shape: Option<&'a StructShape<'a>>,
}

/// Why a value cannot be built.
#[derive(Debug)]
pub(super) enum ValueRefusal<'t> {
    /// It is nested deeper than the limit.
    Depth(u16),
    /// It needs more memory than the limit.
    Memory(usize),
    /// A number beyond the range of values.
    Number(&'t str),
}

impl fmt::Display for ValueRefusal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Depth(limit) => write!(f, "values may not nest deeper than {limit} levels"),
            Self::Memory(limit) => write!(f, "the value needs more than the {limit} bytes it may take"),
            Self::Number(text) => write!(f, "{} is not a number that can be held", QuotedExcerpt(text)),
        }
    }
}

impl From<ValueRefusal<'_>> for PathError {
    fn from(refusal: ValueRefusal<'_>) -> Self {
        Self::new(refusal.to_string())
    }
}

impl<'a, 'r> ValueSerializer<'a, 'r> {
    /// Creates the serializer of a whole value.
    pub(super) fn new(arena: &'a Arena, read: &'r Read) -> Self {
        let depth = arena.budget().limits().value_depth;
        Self { arena, read, levels: depth, wrappers: depth, json: false, shape: None }
    }

    /// Returns the arena.
    pub(super) fn arena(self) -> &'a Arena {
        self.arena
    }

    /// Builds the value of a host type.
    #[inline]
    pub(super) fn take<T: Serialize + ?Sized>(self, value: &T) -> Result<Value<'a>, PathError> {
        value.serialize(Self { json: self.json || is_tree::<T>(), ..self })
    }

    /// Returns true inside of a tree of `serde_json`.
    pub(super) fn is_json(self) -> bool {
        self.json
    }

    /// Returns the levels of aggregates that may follow.
    pub(super) fn levels(self) -> u16 {
        self.levels
    }

    /// Returns the attributes that programs read, if the value is an object; `None` for all.
    pub(super) fn parts(self) -> Option<&'r ReadParts> {
        match self.read {
            Read::Whole | Read::Elements(_) => None,
            Read::Parts(parts) => Some(parts),
        }
    }

    /// Returns a serializer that builds these parts.
    pub(super) fn reading<'o>(self, read: &'o Read) -> ValueSerializer<'a, 'o> {
        ValueSerializer {
            arena: self.arena,
            read,
            levels: self.levels,
            wrappers: self.wrappers,
            json: self.json,
            shape: None,
        }
    }

    /// Returns the serializer of an element, whose fields a shape may predict.
    pub(super) fn shaped(self, shape: Option<&'a StructShape<'a>>) -> Self {
        Self { shape, ..self }
    }

    /// Returns the shape that may predict the fields of a struct.
    pub(super) fn shape(self) -> Option<&'a StructShape<'a>> {
        self.shape
    }

    /// Returns the serializer of the members of an aggregate, which builds all of them.
    pub(super) fn inside(self) -> Result<ValueSerializer<'a, 'static>, ValueRefusal<'static>> {
        let levels = self.levels.checked_sub(1).ok_or_else(|| self.too_deep())?;
        Ok(ValueSerializer { levels, ..self.reading(&Read::Whole) })
    }

    /// Returns the serializer of the content of a wrapper.
    pub(super) fn unwrapped(self) -> Result<Self, ValueRefusal<'static>> {
        let wrappers = self.wrappers.checked_sub(1).ok_or_else(|| self.too_deep())?;
        Ok(Self { wrappers, ..self })
    }

    /// Exhausts the budget, so that an evaluation ends if a host function builds this value.
    fn too_deep(self) -> ValueRefusal<'static> {
        self.arena.budget().exhaust(Exhausted::Depth);
        ValueRefusal::Depth(self.arena.budget().limits().value_depth)
    }

    /// Fails if the memory limit is reached.
    pub(super) fn has_room(self) -> Result<(), ValueRefusal<'static>> {
        if self.arena.has_room(size_of::<Entry<'_>>()) { Ok(()) } else { Err(self.too_large()) }
    }

    /// Makes the refusal of a value that needs more memory than the limit.
    pub(super) fn too_large(self) -> ValueRefusal<'static> {
        ValueRefusal::Memory(self.arena.budget().limits().arena_bytes)
    }

    /// Copies a name into the arena, in normal form C.
    pub(super) fn name(self, text: &str) -> Result<&'a str, ValueRefusal<'static>> {
        Ok(nfc(self.arena, self.ascii_name(text)?))
    }

    /// Copies a name that is in normal form C into the arena.
    pub(super) fn ascii_name(self, text: &str) -> Result<&'a str, ValueRefusal<'static>> {
        let copy = self.arena.text(text);
        if copy.len() != text.len() {
            return Err(self.too_large());
        }
        Ok(copy)
    }

    /// Copies a string into the arena, in normal form C.
    pub(super) fn text(self, text: &str) -> Result<Value<'a>, ValueRefusal<'static>> {
        Ok(Value::str(self.arena, self.name(text)?))
    }

    /// Parses a number of JSON.
    pub(super) fn number_text(self, text: &str) -> Result<Value<'a>, ValueRefusal<'_>> {
        match Number::parse_text(text) {
            Some(number) => Ok(Value::number(self.arena, number)),
            None => Err(ValueRefusal::Number(text)),
        }
    }

    /// Returns a tuple.
    pub(super) fn tuple(self, items: ArenaVec<'a, Value<'a>>) -> Value<'a> {
        Value::tuple(self.arena, items.into_bump_slice())
    }

    /// Returns an object. Of entries with equal names, the last one wins.
    pub(super) fn object(self, entries: ArenaVec<'a, Entry<'a>>) -> Value<'a> {
        Value::object(self.arena, last_of_each(entries))
    }
}
