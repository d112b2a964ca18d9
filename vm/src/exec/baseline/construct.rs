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
    /// True if a key had a fault.
    faulty: bool,
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
        self.objects.push(OpenObject {
            entries,
            marks: Marks::NONE,
            known: true,
            faulty: false,
            names: HashSet::new(),
        });
    }

    pub(super) fn object_item(&mut self, key: Reg, a: Reg, log: Reg, after: Reg) {
        let (key, value) = (self.get(key), self.get(a));
        let name = if self.logged(after) > self.logged(log) { Err(()) } else { self.object_key(key) };
        let Some(object) = self.objects.last_mut() else { return };
        object.marks = object.marks.union(self.arena, key.unmark().1);
        match name {
            Ok(Some(name)) => object.entries.push(self.arena.entry(name, value)),
            Ok(None) => object.known = false,
            Err(()) => object.faulty = true,
        }
    }

    /// `DistinctItem`: leaves out the item if its key is not a name or repeats one. Only an unknown key
    /// makes the whole object unknown.
    pub(super) fn distinct_item(&mut self, key: Reg, a: Reg) {
        let ((key, marks), value) = (self.get(key).unmark(), self.get(a));
        let name = match convert(self.arena, key, Type::String) {
            _ if key.is_null() => return self.name_fault(Fault::NameNull, marks),
            Ok(text) => text.as_str(),
            Err(mismatch) => return self.name_fault(Fault::Name(mismatch), marks),
        };
        let Some(object) = self.objects.last_mut() else { return };
        let of_all = object.marks.union(self.arena, marks);
        match name {
            Some(name) if !object.names.insert(name) => {
                return self.name_fault(Fault::NameTaken(marks.is_empty().then_some(name)), of_all);
            }
            Some(name) => object.entries.push(self.arena.entry(name, value)),
            None => object.known = false,
        }
        object.marks = of_all;
    }

    fn name_fault(&mut self, fault: Fault<'a>, marks: Marks<'a>) {
        self.fault(fault, self.place());
        self.failed(Type::Dynamic, marks);
    }

    /// Returns a key as text; `None` if it is unknown.
    ///
    /// # Errors
    /// The key has a fault, which is recorded.
    fn object_key(&mut self, key: Value<'a>) -> Result<Option<&'a str>, ()> {
        let Place::Value(item) = self.place() else { return Ok(None) };
        if key.is_null() {
            // The reference reports the range of the item's value, not of its key.
            self.fault_of(Fault::NullKey, Place::Value(item), [key]);
            self.failed(Type::Dynamic, self.own_marks([key]));
            return Err(());
        }
        match convert(self.arena, key.unmark().0, Type::String) {
            Ok(text) => Ok(text.as_str().filter(|text| self.arena.look_at(text))),
            Err(mismatch) => {
                self.fault_of(Fault::Key(mismatch), Place::Key(item), [key]);
                self.failed(Type::Dynamic, self.own_marks([key]));
                Err(())
            }
        }
    }

    pub(super) fn object_end(&mut self, d: Reg) {
        let Some(object) = self.objects.pop() else { return };
        let value = if object.faulty {
            let lost = Value::object(self.arena, last_of_each(object.entries));
            self.failed(Type::Dynamic, object.marks.union(self.arena, self.all_marks([lost])))
        } else if object.known {
            Value::object(self.arena, last_of_each(object.entries)).with_marks(self.arena, object.marks)
        } else {
            Value::DYNAMIC.with_marks(self.arena, object.marks)
        };
        self.set(d, value);
    }
}
