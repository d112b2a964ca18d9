//! Tuple and object constructors. Objects with constant keys take their values from the stack; objects
//! with computed keys are built item by item.

use std::collections::HashSet;

use super::machine::Machine;
use crate::code::{Count, Reg, ShapeId};
use crate::fault::{Fault, Place};
use crate::memory::arena::ArenaVec;
use crate::types::Type;
use crate::types::convert::convert;
use crate::value::{Entry, Marks, Value, last_of_each};

/// An object under construction whose keys are computed.
pub(super) struct OpenObject<'a> {
    entries: ArenaVec<'a, Entry<'a>>,
    /// The marks of the keys; the whole object gets them.
    marks: Marks<'a>,
    /// True if every key so far was usable.
    known: bool,
    /// The names so far; used only where they must be distinct.
    names: HashSet<&'a str>,
}

impl<'a> Machine<'_, 'a> {
    /// Pops the last `count` values and copies them into the arena.
    pub(super) fn pop(&mut self, count: usize) -> &'a [Value<'a>] {
        let from = self.stack.len().saturating_sub(count);
        let values = self.arena.slice(&self.stack[from..]);
        self.stack.truncate(from);
        values
    }

    pub(super) fn tuple(&mut self, d: Reg, count: Count) {
        let items = self.pop(count.0 as usize);
        self.set(d, Value::tuple(self.arena, items));
    }

    pub(super) fn object(&mut self, d: Reg, shape: ShapeId) {
        let code = self.code;
        let shape = &code.shapes[shape.0 as usize];
        let from = self.stack.len().saturating_sub(shape.pushed as usize);
        let mut entries = self.arena.list();
        entries.extend(shape.entries().map(|(name, symbol, position)| Entry {
            name,
            symbol,
            // A call that exhausted the budget while pushing arguments pops more values than it pushed;
            // the result is then meaningless.
            value: self.stack.get(from + position).copied().unwrap_or(Value::NULL),
        }));
        self.stack.truncate(from);
        self.set(d, Value::object(self.arena, entries.into_bump_slice()));
    }

    pub(super) fn object_begin(&mut self) {
        let entries = self.arena.list();
        self.objects.push(OpenObject { entries, marks: Marks::NONE, known: true, names: HashSet::new() });
    }

    pub(super) fn object_item(&mut self, key: Reg, a: Reg, log: Reg, after: Reg) {
        let faulty = self.logged(after) > self.logged(log);
        let (key, value) = (self.get(key), self.get(a));
        let name = if faulty { None } else { self.object_key(key) };
        self.object_marks(key);
        let Some(object) = self.objects.last_mut() else { return };
        match name {
            Some(name) => object.entries.push(self.arena.entry(name, value)),
            None => object.known = false,
        }
    }

    /// Adds the marks of a key to the object opened last, whether the key is usable or not.
    fn object_marks(&mut self, key: Value<'a>) {
        if let Some(object) = self.objects.last_mut() {
            object.marks = object.marks.union(self.arena, key.unmark().1);
        }
    }

    /// `DistinctItem`: leaves out the item if its key is not a name or repeats one. Only an unknown key
    /// makes the whole object unknown.
    pub(super) fn distinct_item(&mut self, key: Reg, a: Reg) {
        self.object_marks(self.get(key));
        let ((key, marks), value) = (self.get(key).unmark(), self.get(a));
        if key.is_null() {
            return self.fault(Fault::NameNull, self.place());
        }
        let name = match convert(self.arena, key, Type::String) {
            Ok(text) => text.as_str(),
            Err(mismatch) => return self.fault(Fault::Name(mismatch), self.place()),
        };
        let Some(object) = self.objects.last_mut() else { return };
        let Some(name) = name else {
            object.known = false;
            return;
        };
        if !object.names.insert(name) {
            return self.fault(Fault::NameTaken(marks.is_empty().then_some(name)), self.place());
        }
        object.entries.push(self.arena.entry(name, value));
    }

    /// Returns a key as text; `None` if the key makes the whole object unknown.
    fn object_key(&mut self, key: Value<'a>) -> Option<&'a str> {
        let Place::Value(item) = self.place() else { return None };
        if key.is_null() {
            // The reference reports the range of the item's value, not of its key.
            self.fault_of(Fault::NullKey, Place::Value(item), [key]);
            return None;
        }
        match convert(self.arena, key.unmark().0, Type::String) {
            Ok(text) => text.as_str().filter(|text| self.arena.look_at(text)),
            Err(mismatch) => {
                self.fault_of(Fault::Key(mismatch), Place::Key(item), [key]);
                None
            }
        }
    }

    pub(super) fn object_end(&mut self, d: Reg) {
        let Some(object) = self.objects.pop() else { return };
        let value = if object.known {
            Value::object(self.arena, last_of_each(object.entries))
        } else {
            Value::DYNAMIC
        };
        self.set(d, value.with_marks(self.arena, object.marks));
    }
}
