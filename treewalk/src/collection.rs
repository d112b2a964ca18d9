//! Tuple and object constructors, also those of the JSON syntax. `for` expressions are in `iteration`.

use std::collections::BTreeMap;

use hclvm_compiler::tree::{Node, NodeId, NodeList};
use hclvm_vm::code::Failure;
use hclvm_vm::{Entry, Fault, Marks, Place, Record, Type, Value, convert, last_of_each};

use crate::names::Names;
use crate::walk::{Found, Walk};

impl<'a> Walk<'_, 'a> {
    /// Evaluates a tuple. Items keep their marks; failing items are unknown.
    pub(crate) fn tuple(&self, items: NodeList, names: Names<'_, 'a>) -> Found<'a> {
        let (mut values, mut faults) = (self.arena.list(), Vec::new());
        for item in self.tree().list(items) {
            let (value, of_item) = self.expr(*item, names);
            values.push(value);
            faults.extend(of_item);
        }
        (Value::tuple(self.arena, values.into_bump_slice()), faults)
    }

    /// Evaluates an object: each key, then its value. An unusable key makes the whole object unknown. Marks of keys go
    /// to the whole object. Of equal keys the last one wins.
    pub(crate) fn object(&self, id: NodeId, items: NodeList, names: Names<'_, 'a>) -> Found<'a> {
        let (mut entries, mut faults) = (self.arena.list(), Vec::new());
        let (mut marks, mut known, mut faulty) = (Marks::NONE, true, false);
        for (at, item) in self.tree().list(items).chunks_exact(2).enumerate() {
            let (key, of_key) = self.expr(item[0], names);
            let (value, of_value) = self.expr(item[1], names);
            let failed = !of_key.is_empty();
            faults.extend(of_key);
            faults.extend(of_value);
            marks = marks.union(self.arena, key.unmark().1);
            self.note_own(&[key]);
            let before = faults.len();
            let name = if failed { None } else { self.key_name(id, ordinal(at), key, &mut faults) };
            faulty |= failed || faults.len() > before;
            let Some(name) = name else {
                known = false;
                continue;
            };
            entries.push(Entry::new(name, value));
        }
        if faulty {
            let lost = Value::object(self.arena, last_of_each(entries)).with_marks(self.arena, marks);
            self.give_up(&mut faults, self.all_marks(&[lost]));
            return (Value::DYNAMIC, faults);
        }
        if !known {
            return (Value::DYNAMIC.with_marks(self.arena, marks), faults);
        }
        (Value::object(self.arena, last_of_each(entries)).with_marks(self.arena, marks), faults)
    }

    /// Evaluates an object of the JSON syntax. Items with an unusable or repeated name are omitted; an
    /// unknown name makes the whole object unknown.
    pub(crate) fn json_object(&self, id: NodeId, items: NodeList, names: Names<'_, 'a>) -> Found<'a> {
        let (mut entries, mut faults) = (BTreeMap::new(), Vec::new());
        let (mut marks, mut known) = (Marks::NONE, true);
        for (at, item) in self.tree().list(items).chunks_exact(2).enumerate() {
            let (key, of_key) = self.expr(item[0], names);
            let (value, of_value) = self.expr(item[1], names);
            faults.extend(of_key);
            faults.extend(of_value);
            self.note_own(&[key]);
            let (key, of_name) = key.unmark();
            let of_all = marks.union(self.arena, of_name);
            let mut of_fault = of_name;
            let fault = match convert(self.arena, key, Type::String) {
                Err(mismatch) => Fault::Name(mismatch),
                Ok(name) if name.is_null() => Fault::NameNull,
                Ok(name) => match name.as_str() {
                    Some(name) if entries.contains_key(name) => {
                        of_fault = of_all;
                        Fault::NameTaken(of_name.is_empty().then_some(name))
                    }
                    Some(name) => {
                        marks = of_all;
                        entries.insert(name, value);
                        continue;
                    }
                    None => {
                        marks = of_all;
                        known = false;
                        continue;
                    }
                },
            };
            faults.push(self.record_under(of_fault, fault, id, Place::Key(ordinal(at))));
        }
        if !known {
            return (Value::DYNAMIC.with_marks(self.arena, marks), faults);
        }
        let mut sorted = self.arena.list();
        sorted.extend(entries.into_iter().map(|(name, value)| Entry::new(name, value)));
        (Value::object(self.arena, sorted.into_bump_slice()).with_marks(self.arena, marks), faults)
    }

    /// Evaluates a string of the JSON syntax that is not a template.
    pub(crate) fn broken(&self, problems: NodeList) -> Found<'a> {
        let mut faults = Vec::new();
        for id in self.tree().list(problems) {
            let Node::Problem(problem) = self.tree().node(*id) else { continue };
            let problem = self.tree().problem(problem);
            let (title, detail) = (problem.title.clone(), problem.detail.clone());
            let fault = self.failure(*id, || Failure::Described { title, detail });
            faults.push(self.record(fault, *id, Place::Node));
        }
        (Value::DYNAMIC, faults)
    }

    /// Returns the text of a key, if it is known.
    fn key_name(
        &self,
        id: NodeId,
        item: u32,
        key: Value<'a>,
        faults: &mut Vec<Record<'a>>,
    ) -> Option<&'a str> {
        if key.is_null() {
            // The reference reports this at the value.
            faults.push(self.record_under(key.unmark().1, Fault::NullKey, id, Place::Value(item)));
            return None;
        }
        let (key, marks) = key.unmark();
        match convert(self.arena, key, Type::String) {
            Ok(text) => text.as_str(),
            Err(mismatch) => {
                faults.push(self.record_under(marks, Fault::Key(mismatch), id, Place::Key(item)));
                None
            }
        }
    }

    /// Returns the text of a key that is a bare word. Traversals as keys must be parenthesized.
    pub(crate) fn object_key(
        &self,
        id: NodeId,
        expr: NodeId,
        forced: bool,
        names: Names<'_, 'a>,
    ) -> Found<'a> {
        let word = match self.tree().node(expr) {
            _ if forced => return self.expr(expr, names),
            Node::Traversal { root, steps } if steps.is_empty() => self.tree().name(root),
            Node::Traversal { .. } => {
                let fault = self.failure(id, || Failure::AmbiguousKey);
                return (Value::DYNAMIC, vec![self.record(fault, id, Place::Node)]);
            }
            Node::Null => "null",
            Node::Bool(true) => "true",
            Node::Bool(false) => "false",
            _ => return self.expr(expr, names),
        };
        (self.text(word), Vec::new())
    }
}

/// Converts the number of an item to the width that `Place` holds. Sources are shorter than 4 GiB.
fn ordinal(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
