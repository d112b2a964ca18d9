//! For expressions: collection, trial of the clause, elements, result. Splats are in
//! [`splat`](super::splat).
//!
//! An unknown key or clause makes the whole result unknown; faults of keys and clauses are then recorded
//! only the first time.
//!
//! The clause is evaluated on unknown elements (the trial) before it is evaluated for each element. A
//! clause whose variables are the same unknowns as in the trial has the same value and is not evaluated
//! again: clauses may contain loops with clauses, so each level of nesting would double the work.

use super::machine::Machine;
use crate::code::{Build, Label, Reg};
use crate::fault::{Fault, Place, Record};
use crate::memory::arena::{Arena, ArenaVec};
use crate::memory::cast;
use crate::types::Type;
use crate::types::convert::convert;
use crate::value::{Entry, Marks, Value, View};

/// The elements over which a loop iterates.
#[derive(Clone, Copy)]
enum LoopElements<'a> {
    /// Keyed by position.
    Sequence(&'a [Value<'a>]),
    /// Keyed by themselves.
    Set(&'a [Value<'a>]),
    /// Keyed by name.
    Entries(&'a [Entry<'a>]),
    /// The key and value that any element of an unknown collection has.
    Any(Value<'a>, Value<'a>),
}

impl<'a> LoopElements<'a> {
    /// Returns the key and value of an element.
    fn get(self, arena: &'a Arena, at: usize) -> Option<(Value<'a>, Value<'a>)> {
        match self {
            Self::Sequence(items) => items.get(at).map(|item| (Value::short(cast::signed(at)), *item)),
            Self::Set(items) => items.get(at).map(|item| (*item, *item)),
            Self::Entries(entries) => {
                entries.get(at).map(|entry| (Value::str(arena, entry.name), entry.value))
            }
            Self::Any(key, value) => (at == 0).then_some((key, value)),
        }
    }

    /// Returns the elements that an unknown collection of a type may have, each unknown.
    fn of_unknown(arena: &'a Arena, ty: Type<'a>) -> Self {
        let unknown = |ty| Value::unknown_of(arena, ty);
        match ty {
            Type::List(element) => Self::Any(unknown(Type::Number), unknown(*element)),
            Type::Set(element) => Self::Any(unknown(*element), unknown(*element)),
            Type::Map(element) => Self::Any(unknown(Type::String), unknown(*element)),
            Type::Tuple(types) => {
                let mut items = arena.list();
                items.extend(types.iter().map(|ty| unknown(*ty)));
                Self::Sequence(items.into_bump_slice())
            }
            Type::Object(attributes) => {
                let mut entries = arena.list();
                entries.extend(attributes.iter().map(|one| arena.entry(one.name, unknown(one.ty))));
                Self::Entries(entries.into_bump_slice())
            }
            _ => Self::Any(Value::DYNAMIC, Value::DYNAMIC),
        }
    }
}

/// The state of a for expression that is being evaluated.
pub(super) struct Loop<'a> {
    build: Build,
    elements: LoopElements<'a>,
    next: usize,
    /// True while the result can still be known.
    known: bool,
    /// The number of faults recorded before it.
    log: usize,
    clause: ClauseTrial<'a>,
    /// True if the collection is marked.
    pub(super) secret: bool,
    /// The marks of the collection, clauses and keys; the whole result gets them.
    marks: Marks<'a>,
    /// The key of the current element in the result.
    key: &'a str,
    values: ArenaVec<'a, Value<'a>>,
    /// The keyed values in the order in which they were computed, each with its position.
    entries: ArenaVec<'a, (Entry<'a>, u32)>,
    seen: Seen<'a>,
}

impl<'a> Loop<'a> {
    /// Returns true if an element is marked, or a part of one.
    fn has_marks(&self) -> bool {
        match self.elements {
            LoopElements::Sequence(items) | LoopElements::Set(items) => {
                items.iter().any(|item| item.contains_marks())
            }
            LoopElements::Entries(entries) => entries.iter().any(|entry| entry.value.contains_marks()),
            LoopElements::Any(key, value) => key.contains_marks() || value.contains_marks(),
        }
    }

    /// Returns true while the clause is tried with unknown elements.
    pub(super) fn is_trial(&self) -> bool {
        matches!(self.clause, ClauseTrial::Trying)
    }

    /// Returns true if marked values decide what it has visited and included so far.
    pub(super) fn is_marked(&self) -> bool {
        !self.marks.is_empty()
    }

    /// Returns the key and the value of the current element; unknown ones during the trial of the clause.
    pub(super) fn current(&self, arena: &'a Arena) -> [Value<'a>; 2] {
        let current = self.next.checked_sub(1).and_then(|at| self.elements.get(arena, at));
        current.map_or([Value::DYNAMIC; 2], |(key, value)| [key, value])
    }
}

/// The state of the clause's trial.
#[derive(Clone, Copy)]
enum ClauseTrial<'a> {
    /// There is no clause, or it has not been tried yet.
    Untried,
    /// The clause is being evaluated on unknown elements.
    Trying,
    /// The value of the clause for unknown elements, without faults.
    Tried(Value<'a>),
}

/// Keys that already have a value.
type Seen<'a> = std::collections::BTreeSet<&'a str>;

impl<'a> Machine<'_, 'a> {
    pub(super) fn for_begin(&mut self, build: Build, d: Reg, a: Reg, end: Label) -> Option<Label> {
        let arena = self.arena;
        let (collection, marks) = self.get(a).unmark();
        let elements = match collection.view() {
            View::Tuple(items) | View::List(items, _) => LoopElements::Sequence(items),
            View::Set(items, _) => LoopElements::Set(items),
            View::Object(entries) | View::Map(entries, _) => LoopElements::Entries(entries),
            View::Unknown(unknown)
                if self.exploring && (unknown.ty.is_iterable() || unknown.ty.is_dynamic()) =>
            {
                LoopElements::of_unknown(arena, unknown.ty)
            }
            // No elements, but the trial of the clause still contributes its faults and marks.
            View::Unknown(unknown) if unknown.ty.is_iterable() => LoopElements::Sequence(&[]),
            view => {
                let fault = match view {
                    View::Unknown(unknown) if unknown.ty.is_dynamic() => None,
                    View::Null(_) => Some(Fault::IterateNull),
                    _ => Some(Fault::IterateScalar(collection.type_of(arena))),
                };
                let result = match fault {
                    None => Value::DYNAMIC.with_marks(arena, marks),
                    Some(fault) => {
                        self.fault_of(fault, Place::Collection, [self.get(a)]);
                        self.failed(Type::Dynamic, marks)
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
            log: self.log.len(),
            clause: ClauseTrial::Untried,
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
        self.set_clause(ClauseTrial::Trying);
    }

    fn set_clause(&mut self, clause: ClauseTrial<'a>) {
        if let Some(current) = self.loops.last_mut() {
            current.clause = clause;
        }
    }

    fn clause(&self) -> ClauseTrial<'a> {
        self.loops.last().map_or(ClauseTrial::Untried, |current| current.clause)
    }

    pub(super) fn for_tested(&mut self, d: Reg, a: Reg, log: Reg, end: Label) -> Option<Label> {
        if !matches!(self.clause(), ClauseTrial::Trying) {
            return None;
        }
        let clause = self.get(a);
        let fault = match convert(self.arena, clause, Type::Bool) {
            _ if clause.is_null() => Some(Fault::ClauseNull),
            Ok(_) => None,
            Err(mismatch) => Some(Fault::Include(mismatch)),
        };
        if let Some(fault) = fault {
            self.fault_of(fault, Place::Condition, [clause]);
            self.failed(Type::Dynamic, self.own_marks([clause]));
        }
        if !self.faulted_since(log) {
            // Without elements as well: that the clause has no fault may depend on what is marked.
            self.loop_marks(clause.unmark().1);
            return None;
        }
        let lost = self.loops.pop().map_or(Marks::NONE, |ended| ended.marks);
        let failed = self.failed(Type::Dynamic, lost);
        self.set(d, failed);
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
        let ClauseTrial::Tried(clause) = self.clause() else { return None };
        let as_tried = |reg: &Reg| *reg == Reg::NONE || self.is_untyped_unknown(*reg);
        read.iter().all(as_tried).then(|| {
            self.set(a, clause);
            take
        })
    }

    /// Returns true if a loop variable has the value it has during the trial.
    fn is_untyped_unknown(&self, reg: Reg) -> bool {
        matches!(self.get(reg).view(), View::Unknown(unknown) if unknown.ty.is_dynamic() && unknown.refinement.is_empty())
    }

    pub(super) fn for_include(&mut self, a: Reg, next: Label) -> Option<Label> {
        let clause = self.get(a);
        if matches!(self.clause(), ClauseTrial::Trying) {
            self.set_clause(ClauseTrial::Tried(clause));
            return Some(next);
        }
        if clause.is_null() {
            self.unknown_result(Fault::IncludeNull, Place::Condition, clause);
            return Some(next);
        }
        let (clause, marks) = clause.unmark();
        // Also if it is no bool: the fault, and that the result is unknown, depend on it.
        self.loop_marks(marks);
        let makes_tuple = self.loops.last().is_some_and(|current| current.build == Build::Tuple);
        match convert(self.arena, clause, Type::Bool) {
            // The reference accepts unknown clauses of any type when building a tuple.
            Err(mismatch) if !makes_tuple || clause.is_known() => {
                let fault = Fault::Include(mismatch).concealed_under(self.arena, marks);
                self.unknown_result(fault, Place::Condition, self.get(a));
                Some(next)
            }
            converted => match converted.unwrap_or(clause).as_bool() {
                Some(true) => None,
                Some(false) => Some(next),
                None => {
                    self.forget_result();
                    self.unless_exploring(next)
                }
            },
        }
    }

    /// Returns the label of the next element, unless the rest of this one is to be explored.
    fn unless_exploring(&self, next: Label) -> Option<Label> {
        (!self.exploring).then_some(next)
    }

    pub(super) fn for_key(&mut self, a: Reg, next: Label) -> Option<Label> {
        let key = self.get(a);
        if key.is_null() {
            self.unknown_result(Fault::ForKeyNull, Place::Key(0), key);
            return Some(next);
        }
        let (key, marks) = key.unmark();
        self.loop_marks(marks);
        if !key.is_known() && !self.exploring {
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
                self.unless_exploring(next)
            }
            Err(mismatch) => {
                self.unknown_result(Fault::ForKey(mismatch), Place::Key(0), self.get(a));
                Some(next)
            }
        }
    }

    pub(super) fn for_value(&mut self, a: Reg) {
        let value = self.get(a);
        let exploring = self.exploring;
        let Some(current) = self.loops.last_mut() else { return };
        // With unknown keys, two elements may or may not have an equal one.
        if exploring && !current.known {
            return;
        }
        let key = current.key;
        match current.build {
            Build::Tuple => current.values.push(value),
            Build::Object if !current.seen.insert(key) => {
                let marks = current.marks;
                self.fault(Fault::DuplicateKey(marks.is_empty().then_some(key)), Place::Key(0));
                self.failed(Type::Dynamic, marks);
            }
            Build::Object | Build::Groups => {
                let position = cast::length(current.entries.len());
                current.entries.push((self.arena.entry(key, value), position));
            }
        }
    }

    pub(super) fn for_end(&mut self, d: Reg) {
        let arena = self.arena;
        let Some(done) = self.loops.pop() else { return };
        let value = match done.build {
            _ if !done.known && self.log.len() > done.log => {
                let keyed = done.entries.iter().map(|(entry, _)| entry.value);
                let lost = done.values.iter().copied().chain(keyed);
                let lost = lost.fold(Marks::NONE, |marks, value| marks.union(arena, self.all_marks([value])));
                self.failed(Type::Dynamic, lost)
            }
            _ if !done.known => Value::DYNAMIC,
            Build::Tuple => Value::tuple(arena, done.values.into_bump_slice()),
            Build::Object => Value::object(arena, sorted(arena, done.entries)),
            Build::Groups => Value::object(arena, grouped(arena, done.entries)),
        };
        self.set(d, value.with_marks(arena, done.marks));
    }

    /// Adds marks to the result.
    fn loop_marks(&mut self, marks: Marks<'a>) {
        let arena = self.arena;
        if let Some(current) = self.loops.last_mut() {
            current.marks = current.marks.union(arena, marks);
        }
    }

    /// Makes the result unknown. Returns true if it was not unknown before.
    fn forget_result(&mut self) -> bool {
        self.loops.last_mut().is_some_and(|current| std::mem::replace(&mut current.known, false))
    }

    /// Makes the result unknown and records a fault of `value`, unless the result was unknown before. Without
    /// values if any element is marked: which element is the first with a fault could show what is marked.
    fn unknown_result(&mut self, fault: Fault<'a>, place: Place, value: Value<'a>) {
        let marks = self.own_marks([value]);
        if self.forget_result() {
            let record = self.record_of(fault, place, [value]);
            let has_marks = self.loops.iter().any(Loop::has_marks);
            let record = if has_marks { Record::new(record.fault, record.node, place) } else { record };
            self.log.push(record.with_marks(self.arena, marks));
        } else {
            // There is no fault that would have them.
            self.loop_marks(marks);
        }
    }
}

/// Returns the entries sorted by key.
fn sorted<'a>(arena: &'a Arena, mut entries: ArenaVec<'a, (Entry<'a>, u32)>) -> &'a [Entry<'a>] {
    entries.sort_unstable_by(|(a, _), (b, _)| a.name.cmp(b.name));
    let mut plain = arena.list();
    plain.extend(entries.iter().map(|(entry, _)| *entry));
    plain.into_bump_slice()
}

/// Returns one entry per key with a tuple of its values, in the order in which they were computed.
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
