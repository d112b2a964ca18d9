//! For expressions: collection, tried clause, elements, result.
//!
//! A part of the result that cannot be known makes the whole unknown; faults of keys and
//! clauses are then reported only the first time.
//!
//! The clause is tried on unknown elements before it is asked about each element. Clauses may
//! hold loops with clauses, so a clause that cannot give anything else than when it was tried
//! is not evaluated again: otherwise every level of nesting would double the work.

use super::machine::Machine;
use crate::code::{Build, Label, Reg};
use crate::fault::{Fault, Place};
use crate::memory::arena::{Arena, ArenaVec};
use crate::types::Type;
use crate::types::convert::convert;
use crate::value::{Entry, Marks, Value, View};

/// What a loop iterates over.
#[derive(Clone, Copy)]
enum Elements<'a> {
    /// Keyed by position.
    Sequence(&'a [Value<'a>]),
    /// Keyed by themselves.
    Set(&'a [Value<'a>]),
    /// Keyed by name.
    Entries(&'a [Entry<'a>]),
}

impl<'a> Elements<'a> {
    /// Key and value of an element.
    fn get(self, arena: &'a Arena, at: usize) -> Option<(Value<'a>, Value<'a>)> {
        match self {
            Self::Sequence(items) => items.get(at).map(|item| (Value::short(at as i64), *item)),
            Self::Set(items) => items.get(at).map(|item| (*item, *item)),
            Self::Entries(entries) => {
                entries.get(at).map(|entry| (Value::str(arena, entry.name), entry.value))
            }
        }
    }
}

/// A for expression under way.
pub(super) struct Loop<'a> {
    build: Build,
    elements: Elements<'a>,
    next: usize,
    /// Whether the result can still be known.
    known: bool,
    clause: Clause<'a>,
    /// Whether the collection is marked.
    pub(super) secret: bool,
    /// Marks of the collection, clauses and keys; they go to the whole result.
    marks: Marks<'a>,
    /// The key taken for the current element.
    key: &'a str,
    values: ArenaVec<'a, Value<'a>>,
    /// Keyed values in the order they were made, with the position of each.
    entries: ArenaVec<'a, (Entry<'a>, u32)>,
    seen: Seen<'a>,
}

/// What is known about the clause.
#[derive(Clone, Copy)]
enum Clause<'a> {
    /// There is none, or it was not tried yet.
    Untried,
    /// It is being evaluated for unknown elements.
    Trying,
    /// What it gave for them, without any fault.
    Tried(Value<'a>),
}

/// Keys that already have a value.
type Seen<'a> = std::collections::BTreeSet<&'a str>;

impl<'a> Machine<'_, 'a> {
    pub(super) fn for_begin(&mut self, build: Build, d: Reg, a: Reg, end: Label) -> Option<Label> {
        let arena = self.arena;
        let (collection, marks) = self.get(a).unmark();
        let elements = match collection.view() {
            View::Tuple(items) | View::List(items, _) => Elements::Sequence(items),
            View::Set(items, _) => Elements::Set(items),
            View::Object(entries) | View::Map(entries, _) => Elements::Entries(entries),
            // The clause is still tried: its faults and marks count.
            View::Unknown(unknown) if unknown.ty.is_iterable() => Elements::Sequence(&[]),
            view => {
                let result = match view {
                    View::Null(_) => {
                        self.fault(Fault::IterateNull, Place::Collection);
                        Value::DYNAMIC
                    }
                    View::Unknown(unknown) if unknown.ty.is_dynamic() => Value::DYNAMIC,
                    _ => {
                        self.fault(Fault::IterateScalar(collection.type_of(arena)), Place::Collection);
                        Value::DYNAMIC
                    }
                };
                self.set(d, result);
                return Some(end);
            }
        };
        self.loops.push(Loop {
            build,
            elements,
            next: 0,
            known: collection.is_known(),
            clause: Clause::Untried,
            secret: !marks.is_empty(),
            marks,
            key: "",
            values: arena.list(),
            entries: arena.list(),
            seen: Seen::new(),
        });
        None
    }

    pub(super) fn for_probe(&mut self, key: Reg, value: Reg) {
        self.bind(key, Value::DYNAMIC);
        self.set(value, Value::DYNAMIC);
        self.set_clause(Clause::Trying);
    }

    fn set_clause(&mut self, clause: Clause<'a>) {
        if let Some(current) = self.loops.last_mut() {
            current.clause = clause;
        }
    }

    fn clause(&self) -> Clause<'a> {
        self.loops.last().map_or(Clause::Untried, |current| current.clause)
    }

    pub(super) fn for_tested(&mut self, d: Reg, a: Reg, log: Reg, end: Label) -> Option<Label> {
        if !matches!(self.clause(), Clause::Trying) {
            return None;
        }
        let clause = self.get(a);
        if clause.is_null() {
            self.fault(Fault::ClauseNull, Place::Condition);
        } else if let Err(mismatch) = convert(self.arena, clause, Type::Bool) {
            self.fault(Fault::Include(mismatch), Place::Condition);
        }
        if !self.faulted_since(log) {
            // Of a known collection only the clauses of its elements count.
            if self.loops.last().is_some_and(|current| !current.known) {
                self.loop_marks(clause.unmark().1);
            }
            return None;
        }
        self.loops.pop();
        self.set(d, Value::DYNAMIC);
        Some(end)
    }

    pub(super) fn for_next(&mut self, key: Reg, value: Reg, exit: Label) -> Option<Label> {
        let arena = self.arena;
        let Some(current) = self.loops.last_mut() else { return Some(exit) };
        match current.elements.get(arena, current.next) {
            Some((element_key, element)) => {
                current.next += 1;
                self.bind(key, element_key);
                self.set(value, element);
                None
            }
            None => Some(exit),
        }
    }

    pub(super) fn for_same(&mut self, a: Reg, read: [Reg; 2], take: Label) -> Option<Label> {
        let Clause::Tried(clause) = self.clause() else { return None };
        let as_tried = |reg: &Reg| *reg == Reg::NONE || self.is_untyped_unknown(*reg);
        read.iter().all(as_tried).then(|| {
            self.set(a, clause);
            take
        })
    }

    /// Whether a loop variable is what it is while the clause is tried.
    fn is_untyped_unknown(&self, reg: Reg) -> bool {
        matches!(self.get(reg).view(), View::Unknown(unknown) if unknown.ty.is_dynamic() && unknown.refinement.is_empty())
    }

    pub(super) fn for_include(&mut self, a: Reg, next: Label) -> Option<Label> {
        let clause = self.get(a);
        if matches!(self.clause(), Clause::Trying) {
            self.set_clause(Clause::Tried(clause));
            return Some(next);
        }
        if clause.is_null() {
            self.unknown_result(Fault::IncludeNull, Place::Condition);
            return Some(next);
        }
        let (clause, marks) = clause.unmark();
        let makes_tuple = self.loops.last().is_some_and(|current| current.build == Build::Tuple);
        match convert(self.arena, clause, Type::Bool) {
            // Where a tuple is made, an unknown clause may be of any type, as the reference has it.
            Err(mismatch) if !makes_tuple || clause.is_known() => {
                let fault = Fault::Include(mismatch).concealed_under(self.arena, marks);
                self.unknown_result(fault, Place::Condition);
                Some(next)
            }
            converted => {
                self.loop_marks(marks);
                match converted.unwrap_or(clause).as_bool() {
                    Some(true) => None,
                    Some(false) => Some(next),
                    None => {
                        self.forget_result();
                        Some(next)
                    }
                }
            }
        }
    }

    pub(super) fn for_key(&mut self, a: Reg, next: Label) -> Option<Label> {
        let key = self.get(a);
        if key.is_null() {
            self.unknown_result(Fault::ForKeyNull, Place::Key(0));
            return Some(next);
        }
        let (key, marks) = key.unmark();
        self.loop_marks(marks);
        if !key.is_known() {
            self.forget_result();
            return Some(next);
        }
        match convert(self.arena, key, Type::String).map(Value::as_str) {
            Ok(Some(key)) => {
                self.arena.look_at(key);
                if let Some(current) = self.loops.last_mut() {
                    current.key = key;
                }
                None
            }
            Ok(None) => {
                self.forget_result();
                Some(next)
            }
            Err(mismatch) => {
                self.unknown_result(Fault::ForKey(mismatch), Place::Key(0));
                Some(next)
            }
        }
    }

    pub(super) fn for_value(&mut self, a: Reg) {
        let value = self.get(a);
        let Some(current) = self.loops.last_mut() else { return };
        let key = current.key;
        match current.build {
            Build::Tuple => current.values.push(value),
            Build::Object if !current.seen.insert(key) => {
                let key = current.marks.is_empty().then_some(key);
                self.fault(Fault::DuplicateKey(key), Place::Key(0));
            }
            Build::Object | Build::Groups => {
                let position = current.entries.len() as u32;
                current.entries.push((self.arena.entry(key, value), position));
            }
        }
    }

    pub(super) fn for_end(&mut self, d: Reg) {
        let arena = self.arena;
        let Some(done) = self.loops.pop() else { return };
        let value = match done.build {
            _ if !done.known => Value::DYNAMIC,
            Build::Tuple => Value::tuple(arena, done.values.into_bump_slice()),
            Build::Object => Value::object(arena, sorted(arena, done.entries)),
            Build::Groups => Value::object(arena, grouped(arena, done.entries)),
        };
        self.set(d, value.with_marks(arena, done.marks));
    }

    fn loop_marks(&mut self, marks: Marks<'a>) {
        let arena = self.arena;
        if let Some(current) = self.loops.last_mut() {
            current.marks = current.marks.union(arena, marks);
        }
    }

    /// The result cannot be known any more.
    fn forget_result(&mut self) -> bool {
        self.loops.last_mut().is_some_and(|current| std::mem::replace(&mut current.known, false))
    }

    /// Like `forget_result`, with a fault that is recorded only the first time.
    fn unknown_result(&mut self, fault: Fault<'a>, place: Place) {
        if self.forget_result() {
            self.fault(fault, place);
        }
    }
}

fn sorted<'a>(arena: &'a Arena, mut entries: ArenaVec<'a, (Entry<'a>, u32)>) -> &'a [Entry<'a>] {
    entries.sort_unstable_by(|(a, _), (b, _)| a.name.cmp(b.name));
    let mut plain = arena.list();
    plain.extend(entries.iter().map(|(entry, _)| *entry));
    plain.into_bump_slice()
}

/// One entry for each key with a tuple of its values in the order they were made.
fn grouped<'a>(arena: &'a Arena, mut entries: ArenaVec<'a, (Entry<'a>, u32)>) -> &'a [Entry<'a>] {
    entries.sort_unstable_by(|(a, i), (b, j)| a.name.cmp(b.name).then(i.cmp(j)));
    let mut groups = arena.list();
    for group in entries.chunk_by(|(a, _), (b, _)| a.name == b.name) {
        let mut values = arena.list();
        values.extend(group.iter().map(|(entry, _)| entry.value));
        groups.push(arena.entry(group[0].0.name, Value::tuple(arena, values.into_bump_slice())));
    }
    groups.into_bump_slice()
}
