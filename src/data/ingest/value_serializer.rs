//! Where values are built: an arena, and how much deeper they may nest.
//!
//! The recursion of whoever builds is bounded by two counts along the way inwards: aggregates,
//! and wrappers that leave no trace in the value (`Some`, newtypes).

mod serialize;

use std::fmt;

use hclvm_vm::text::nfc;
use hclvm_vm::{Arena, ArenaVec, Entry, Exhausted, Number, Value, last_of_each};
use serde::Serialize;

use crate::data::path_error::{Excerpt, PathError};
use crate::data::serde_json::is_tree;
use crate::run::projection::{Read, ReadParts};
pub(super) use serialize::Verbatim;

/// A place in an arena where a value is built, and what programs read of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct ValueSerializer<'a, 'r> {
    arena: &'a Arena,
    /// How much is read of what is built here.
    read: &'r Read,
    levels: u16,
    wrappers: u16,
    /// Whether what is built comes from `serde_json`: its numbers are those of a text.
    json: bool,
}

/// Why a value cannot be built.
#[derive(Debug)]
pub(super) enum Refusal<'t> {
    /// It nests deeper than the limit.
    Depth(u16),
    /// It needs more memory than the limit.
    Memory(usize),
    /// A number that means nothing here.
    Number(&'t str),
}

impl fmt::Display for Refusal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Depth(limit) => write!(f, "values may not nest deeper than {limit} levels"),
            Self::Memory(limit) => write!(f, "the value needs more than the {limit} bytes it may take"),
            Self::Number(text) => write!(f, "{} is not a number that can be held", Excerpt(text)),
        }
    }
}

impl From<Refusal<'_>> for PathError {
    fn from(refusal: Refusal<'_>) -> Self {
        Self::new(refusal.to_string())
    }
}

impl<'a, 'r> ValueSerializer<'a, 'r> {
    /// The outermost place of an arena.
    pub(super) fn new(arena: &'a Arena, read: &'r Read) -> Self {
        let depth = arena.budget().limits().value_depth;
        Self { arena, read, levels: depth, wrappers: depth, json: false }
    }

    /// The arena.
    pub(super) fn arena(self) -> &'a Arena {
        self.arena
    }

    /// Builds a value of the host here.
    #[inline]
    pub(super) fn take<T: Serialize + ?Sized>(self, value: &T) -> Result<Value<'a>, PathError> {
        value.serialize(Self { json: self.json || is_tree::<T>(), ..self })
    }

    /// Whether numbers are those of a text.
    pub(super) fn is_json(self) -> bool {
        self.json
    }

    /// How many levels of aggregates may be built here.
    pub(super) fn levels(self) -> u16 {
        self.levels
    }

    /// The attributes that are read of what is built here, if it is an object; `None` for all.
    pub(super) fn parts(self) -> Option<&'r ReadParts> {
        match self.read {
            Read::Whole => None,
            Read::Parts(parts) => Some(parts),
        }
    }

    /// The same place where that is read.
    pub(super) fn reading<'o>(self, read: &'o Read) -> ValueSerializer<'a, 'o> {
        ValueSerializer {
            arena: self.arena,
            read,
            levels: self.levels,
            wrappers: self.wrappers,
            json: self.json,
        }
    }

    /// The place of the members of an aggregate, of which all is read.
    pub(super) fn inside(self) -> Result<ValueSerializer<'a, 'static>, Refusal<'static>> {
        let levels = self.levels.checked_sub(1).ok_or_else(|| self.too_deep())?;
        Ok(ValueSerializer { levels, ..self.reading(&Read::Whole) })
    }

    /// The place of what a wrapper holds.
    pub(super) fn unwrapped(self) -> Result<Self, Refusal<'static>> {
        let wrappers = self.wrappers.checked_sub(1).ok_or_else(|| self.too_deep())?;
        Ok(Self { wrappers, ..self })
    }

    /// Exceeds the limit: an evaluation that a function of the host is called in ends.
    fn too_deep(self) -> Refusal<'static> {
        self.arena.budget().exhaust(Exhausted::Depth);
        Refusal::Depth(self.arena.budget().limits().value_depth)
    }

    /// Fails when nothing more may be built.
    pub(super) fn has_room(self) -> Result<(), Refusal<'static>> {
        if self.arena.has_room(size_of::<Entry<'_>>()) { Ok(()) } else { Err(self.too_large()) }
    }

    fn too_large(self) -> Refusal<'static> {
        Refusal::Memory(self.arena.budget().limits().arena_bytes)
    }

    /// A name of an attribute, copied.
    pub(super) fn name(self, text: &str) -> Result<&'a str, Refusal<'static>> {
        let copy = self.arena.text(text);
        if copy.len() != text.len() {
            return Err(self.too_large());
        }
        Ok(nfc(self.arena, copy))
    }

    /// A string, copied.
    pub(super) fn text(self, text: &str) -> Result<Value<'a>, Refusal<'static>> {
        Ok(Value::str(self.arena, self.name(text)?))
    }

    /// The number that a text of JSON means.
    pub(super) fn number_text(self, text: &str) -> Result<Value<'a>, Refusal<'_>> {
        match Number::parse_text(text) {
            Some(number) => Ok(Value::number(self.arena, number)),
            None => Err(Refusal::Number(text)),
        }
    }

    /// A tuple.
    pub(super) fn tuple(self, items: ArenaVec<'a, Value<'a>>) -> Value<'a> {
        Value::tuple(self.arena, items.into_bump_slice())
    }

    /// An object; of equal names the last given counts.
    pub(super) fn object(self, entries: ArenaVec<'a, Entry<'a>>) -> Value<'a> {
        Value::object(self.arena, last_of_each(entries))
    }
}
