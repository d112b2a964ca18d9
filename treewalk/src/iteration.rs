//! `for` expressions. Constructors without a loop are in `collection`.

use std::collections::BTreeMap;

use hclvm_compiler::tree::{For, NodeId};
use hclvm_vm::{Entry, Fault, Marks, Place, Record, Type, Value, View, convert};

use crate::names::Names;
use crate::walk::{Found, Walk};

/// The result of a `for` expression under construction.
struct Product<'a> {
    /// False if something that determines the shape of the result is unknown or failed.
    known: bool,
    /// The number of faults before the first element.
    before: usize,
    /// Marks of the collection, of clauses and of keys.
    marks: Marks<'a>,
    faults: Vec<Record<'a>>,
    items: Vec<Value<'a>>,
    entries: BTreeMap<&'a str, Vec<Value<'a>>>,
}

/// A key and value of the collection.
type Pair<'a> = (Value<'a>, Value<'a>);

impl<'a> Walk<'_, 'a> {
    pub(crate) fn for_expr(&self, id: NodeId, details: &'a For, names: Names<'_, 'a>) -> Found<'a> {
        let (collection, mut faults) = self.expr(details.collection, names);
        let (plain, marks) = collection.unmark();
        self.note(marks);
        if plain.is_null() {
            faults.push(self.record_under(marks, Fault::IterateNull, id, Place::Collection));
            return (Value::DYNAMIC, faults);
        }
        let ty = plain.type_of(self.arena);
        if ty.is_dynamic() {
            return (Value::DYNAMIC.with_marks(self.arena, marks), faults);
        }
        if !ty.is_iterable() {
            faults.push(self.record_under(marks, Fault::IterateScalar(ty), id, Place::Collection));
            return (Value::DYNAMIC, faults);
        }
        let inside = self.among(marks);
        let (of_clause, passed) = inside.probe(id, details, names, &mut faults);
        if !passed {
            self.give_up(&mut faults, marks);
            return (Value::DYNAMIC, faults);
        }
        let marks = marks.union(self.arena, of_clause);
        if !plain.is_known() {
            return (Value::DYNAMIC.with_marks(self.arena, marks), faults);
        }
        let before = faults.len();
        let mut product =
            Product { known: true, before, marks, faults, items: Vec::new(), entries: BTreeMap::new() };
        for pair in self.pairs(plain) {
            if !self.arena.charge(1) {
                break;
            }
            inside.with_loop_names(details, names, pair, |names| {
                inside.element(id, details, names, &mut product);
            });
        }
        self.finish(details, product)
    }

    /// Evaluates the `if` clause once with unknown elements, even if the collection is empty: a fault that
    /// does not depend on the elements ends the loop before it starts. Returns the marks of the clause, and false if there
    /// is such a fault.
    fn probe(
        &self,
        id: NodeId,
        details: &'a For,
        names: Names<'_, 'a>,
        faults: &mut Vec<Record<'a>>,
    ) -> (Marks<'a>, bool) {
        let Some(condition) = details.condition else { return (Marks::NONE, true) };
        let unknown = (Value::DYNAMIC, Value::DYNAMIC);
        let (value, mut own) =
            self.with_loop_names(details, names, unknown, |names| self.expr(condition, names));
        let marks = self.note_own(&[value]);
        if value.is_null() {
            own.push(self.record_under(marks, Fault::ClauseNull, id, Place::Condition));
        } else if let Err(mismatch) = convert(self.arena, value, Type::Bool) {
            own.push(self.record_under(marks, Fault::Include(mismatch), id, Place::Condition));
        }
        let passed = own.is_empty();
        faults.append(&mut own);
        (marks, passed)
    }

    fn with_loop_names<R>(
        &self,
        details: &'a For,
        names: Names<'_, 'a>,
        (key, value): Pair<'a>,
        body: impl FnOnce(Names<'_, 'a>) -> R,
    ) -> R {
        let value_name = self.tree().name(details.value_name);
        match details.key_name {
            None => body(names.with_name(value_name, value).names()),
            Some(key_name) => {
                let outer = names.with_name(self.tree().name(key_name), key);
                body(outer.names().with_name(value_name, value).names())
            }
        }
    }

    /// Evaluates one element: clause, key, value.
    fn element(&self, id: NodeId, details: &'a For, names: Names<'_, 'a>, product: &mut Product<'a>) {
        if let Some(condition) = details.condition
            && !self.included(id, (condition, details.key.is_none()), names, product)
        {
            return;
        }
        let Some(key) = details.key else {
            let (value, faults) = self.expr(details.value, names);
            product.faults.extend(faults);
            product.items.push(value);
            return;
        };
        let Some(name) = self.for_key(id, key, names, product) else {
            product.known = false;
            return;
        };
        let (value, faults) = self.expr(details.value, names);
        product.faults.extend(faults);
        let values = product.entries.entry(name).or_default();
        if details.group || values.is_empty() {
            values.push(value);
        } else {
            let name = product.marks.is_empty().then_some(name);
            let fault = Fault::DuplicateKey(name);
            product.faults.push(self.record_under(product.marks, fault, id, Place::Key(0)));
        }
    }

    /// Returns true if the clause selects an element. Its marks are kept unless it is null. For tuples, an unknown clause may have any type. Once the result is unknown, faults of the clause's own value are
    /// not reported.
    fn included(
        &self,
        id: NodeId,
        (condition, makes_tuple): (NodeId, bool),
        names: Names<'_, 'a>,
        product: &mut Product<'a>,
    ) -> bool {
        let (value, faults) = self.expr(condition, names);
        product.faults.extend(faults);
        let marks = self.note_own(&[value]);
        let fault = if value.is_null() {
            Fault::IncludeNull
        } else {
            product.marks = product.marks.union(self.arena, marks);
            match convert(self.arena, value, Type::Bool) {
                Err(mismatch) if !makes_tuple || value.is_known() => Fault::Include(mismatch),
                converted => {
                    let plain = converted.unwrap_or(value).unmark().0;
                    product.known &= plain.is_known();
                    return plain.as_bool().unwrap_or(false);
                }
            }
        };
        self.tell(id, marks, (fault, Place::Condition), product);
        false
    }

    /// Returns the text of a key, or `None` if it has none or is unknown.
    fn for_key(
        &self,
        id: NodeId,
        key: NodeId,
        names: Names<'_, 'a>,
        product: &mut Product<'a>,
    ) -> Option<&'a str> {
        let (value, faults) = self.expr(key, names);
        product.faults.extend(faults);
        let (plain, marks) = value.unmark();
        self.note_own(&[value]);
        let fault = if plain.is_null() {
            Fault::ForKeyNull
        } else {
            product.marks = product.marks.union(self.arena, marks);
            if !plain.is_known() {
                return None;
            }
            match convert(self.arena, plain, Type::String) {
                Ok(text) => return text.as_str(),
                Err(mismatch) => Fault::ForKey(mismatch),
            }
        };
        self.tell(id, marks, (fault, Place::Key(0)), product);
        None
    }

    /// Records a fault that values with marks decided, unless the result is unknown already: then it gets the marks.
    fn tell(
        &self,
        id: NodeId,
        marks: Marks<'a>,
        (fault, place): (Fault<'a>, Place),
        product: &mut Product<'a>,
    ) {
        if product.known {
            product.faults.push(self.record_under(marks, fault, id, place));
        } else {
            product.marks = product.marks.union(self.arena, marks);
        }
        product.known = false;
    }

    fn finish(&self, details: &For, product: Product<'a>) -> Found<'a> {
        let Product { known, before, marks, mut faults, items, entries } = product;
        let value = if !known {
            let lost = entries.values().flatten().chain(&items);
            for value in lost {
                self.give_up(&mut faults[before..], self.all_marks(&[*value]));
            }
            Value::DYNAMIC
        } else if details.key.is_none() {
            Value::tuple(self.arena, self.arena.slice(&items))
        } else {
            let mut all = self.arena.list();
            for (name, values) in entries {
                let grouped = || Value::tuple(self.arena, self.arena.slice(&values));
                let value = if details.group { Some(grouped()) } else { values.first().copied() };
                all.push(Entry::new(name, value.unwrap_or(Value::DYNAMIC)));
            }
            Value::object(self.arena, all.into_bump_slice())
        };
        (value.with_marks(self.arena, marks), faults)
    }

    /// Returns the keys and values of a known, unmarked collection in the order of iteration.
    fn pairs(&self, collection: Value<'a>) -> Vec<Pair<'a>> {
        match collection.view() {
            View::Tuple(items) | View::List(items, _) => {
                (0..).zip(items).map(|(at, item)| (Value::short(at), *item)).collect()
            }
            View::Set(items, _) => items.iter().map(|item| (*item, *item)).collect(),
            View::Object(entries) | View::Map(entries, _) => {
                entries.iter().map(|entry| (Value::str(self.arena, entry.name), entry.value)).collect()
            }
            _ => Vec::new(),
        }
    }
}
