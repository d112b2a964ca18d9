//! What is known of a module before its evaluation: variables, results, and what becomes of its programs.

use hclvm_compiler::analysis::{Determined, Folded};
use hclvm_vm::code::{Conditions, Slot};
use hclvm_vm::exec::{self, RunValues};
use hclvm_vm::{Arena, Constants, Diagnostic, Value, cast, copy};

use super::locals::LOCAL;
use crate::compile::file::SourceKind;
use crate::compile::program::Program;
use crate::diagnostics::error::Error;
use crate::run::scope::Scope;
use crate::run::session::{Tier, evaluate_in};
use crate::syntax::document::Document;

/// The largest constant in code, in bytes. A larger one remains a variable, because every program that reads
/// it would have a copy.
const MOST_CONSTANT: usize = 4 << 10;

/// The variables that are known.
#[derive(Debug)]
pub(super) struct KnownVariables {
    scope: Scope,
    slots: Vec<usize>,
    /// The slots of iterators, which have other values inside of dynamic blocks.
    iterators: Vec<usize>,
}

impl KnownVariables {
    /// Takes the known variables of a scope. Those that were known `before` keep their values.
    pub(super) fn new(document: &Document, scope: &Scope, before: Option<&Self>) -> Result<Self, Error> {
        let mut scope = scope.fork();
        let names = document.layout().names();
        for slot in before.iter().flat_map(|before| &before.slots) {
            if let (Some(name), Some(before)) = (names.get(*slot), before)
                && let Some(value) = before.scope.get(name)
            {
                scope.set_value(name, value)?;
            }
        }
        let is_known =
            |value: Value<'_>| !value.is_unset() && value.is_wholly_known() && !value.contains_marks();
        let slots = scope.values().iter().zip(names).enumerate();
        let slots = slots.filter(|(_, (value, name))| *name != LOCAL && is_known(**value));
        let slots = slots.map(|(slot, _)| slot).collect();
        let iterators = document.iterators();
        let iterators = iterators.iter().filter_map(|name| document.layout().slot(name));
        let iterators = iterators.map(|slot| usize::from(slot.0)).collect();
        Ok(Self { scope, slots, iterators })
    }

    /// Returns true if the variable in a slot is known.
    pub(super) fn has(&self, slot: usize) -> bool {
        self.slots.binary_search(&slot).is_ok()
    }

    /// Iterates over the slots with their values.
    fn values(&self) -> impl Iterator<Item = (usize, Value<'_>)> {
        self.slots.iter().filter_map(|slot| Some((*slot, *self.scope.values().get(*slot)?)))
    }

    /// Sets the slots for an evaluation.
    pub(super) fn set<'a>(&'a self, values: &mut RunValues<'a>) {
        for (slot, value) in self.values() {
            values.set(slot, value);
        }
    }
}

/// The results that are known.
#[derive(Debug, Default)]
pub(super) struct Frozen {
    values: Constants,
    positions: Vec<usize>,
    /// The diagnostics of rules of the file, each with its order.
    pub(super) diagnostics: Vec<(u32, Diagnostic)>,
}

impl Frozen {
    /// Sets the results for an evaluation.
    pub(super) fn set<'a>(&'a self, values: &mut RunValues<'a>) {
        for (position, value) in self.positions.iter().zip(self.values.values()) {
            values.set(*position, *value);
        }
    }
}

/// The form of a program after specialization.
#[derive(Debug)]
pub(super) enum Fate {
    /// It remains as it is.
    Same,
    Frozen,
    Folded(Program),
}

/// What is found out about the programs of a plan, in the order of the plan.
pub(super) struct Specializer<'s> {
    arena: &'s Arena,
    document: &'s Document,
    /// The values of the slots that are known or determined by known ones.
    values: Vec<Value<'s>>,
    determined: Vec<bool>,
    positions: Vec<usize>,
    frozen: Vec<Value<'s>>,
    diagnostics: Vec<(u32, Diagnostic)>,
    /// The bytes that constants in code may still take.
    room: usize,
}

impl<'s> Specializer<'s> {
    /// Starts with what is known. `slots` is the number of slots of the layout, with those of locals.
    pub(super) fn new(arena: &'s Arena, document: &'s Document, known: &'s KnownVariables) -> Self {
        let slots = document.layout().len();
        let (mut values, mut determined) = (vec![Value::UNSET; slots], vec![false; slots]);
        for (slot, value) in known.values().filter(|(slot, _)| !known.iterators.contains(slot)) {
            (values[slot], determined[slot]) = (value, true);
        }
        let room = arena.budget().limits().arena_bytes;
        let (positions, frozen, diagnostics) = Default::default();
        Self { arena, document, values, determined, positions, frozen, diagnostics, room }
    }

    /// Continues with what was found out.
    pub(super) fn resumed(
        arena: &'s Arena,
        document: &'s Document,
        known: &'s KnownVariables,
        frozen: &'s Frozen,
    ) -> Self {
        let mut resumed = Self::new(arena, document, known);
        for (position, value) in frozen.positions.iter().zip(frozen.values.values()) {
            if let Some(slot) = resumed.values.get_mut(*position) {
                (*slot, resumed.determined[*position]) = (*value, true);
            }
        }
        resumed
    }

    /// Returns the values of the slots that are determined.
    pub(super) fn values(&self) -> &[Value<'s>] {
        &self.values
    }

    /// Specializes a rule whose result has a position and whose diagnostics have an order. One with errors is
    /// frozen if its diagnostics are reported once, and nothing but its value depends on them.
    pub(super) fn rule(
        &mut self,
        program: &'s Program,
        (position, order): (u32, u32),
        told_once: bool,
    ) -> Result<Fate, Error> {
        if self.exhausted() {
            return Ok(Fate::Same);
        }
        let determined = program.determined(|Slot(slot)| self.is_determined(slot));
        if !determined.is_whole() {
            return self.fold_parts(program, &determined);
        }
        let Ok(evaluation) = evaluate_in(self.arena, Tier::Best, program, &self.values) else {
            return Ok(Fate::Same);
        };
        if !evaluation.diagnostics.is_empty() && !told_once {
            return Ok(Fate::Same);
        }
        let position = cast::index(position);
        let marked = evaluation.marked_value();
        if let Some(value) = self.values.get_mut(position) {
            (*value, self.determined[position]) = (marked, true);
        }
        self.positions.push(position);
        self.frozen.push(marked);
        self.diagnostics.extend(evaluation.diagnostics.iter().map(|found| (order, found.clone())));
        Ok(Fate::Frozen)
    }

    /// Specializes a program whose value has no position.
    pub(super) fn fold(&mut self, program: &Program) -> Result<Fate, Error> {
        let determined = program.determined(|Slot(slot)| self.is_determined(slot));
        self.fold_parts(program, &determined)
    }

    fn fold_parts(&mut self, program: &Program, determined: &Determined) -> Result<Fate, Error> {
        // Nodes of JSON are parts of several expressions, as names and as texts.
        if program.file().kind == SourceKind::Json {
            return Ok(Fate::Same);
        }
        let folded = self.parts(program, determined);
        if folded.is_empty() { Ok(Fate::Same) } else { program.folded(&folded).map(Fate::Folded) }
    }

    /// Returns the parts of a program that are constant.
    fn parts(&mut self, program: &Program, determined: &Determined) -> Folded<'s> {
        let (tree, _) = program.expression();
        determined.fold(tree, |first, part| {
            if self.exhausted() {
                return None;
            }
            let part = program.part(first, part).ok()?;
            let evaluation = evaluate_in(self.arena, Tier::Baseline, &part, &self.values).ok()?;
            let value = evaluation.value;
            let plain = value.is_wholly_known() && !value.contains_marks();
            let size = size_within(value, MOST_CONSTANT.min(self.room))?;
            if !plain || !evaluation.diagnostics.is_empty() || self.conceals(&part) {
                return None;
            }
            self.room -= size;
            let value = copy(self.arena, value);
            (!self.exhausted()).then_some(value)
        })
    }

    /// Returns true if the value of a part may depend on marked ones although it is not marked itself, as that of
    /// `[secret, 1][1]` in `can([secret + 1, 1][1])`: the whole would lack the marks.
    pub(super) fn conceals(&self, part: &Program) -> bool {
        let reads = |slot: &Value<'_>| !slot.is_unset() && slot.contains_marks();
        self.values.iter().any(reads)
            && part.baseline().is_ok_and(|code| {
                let conditions = Conditions::of(code);
                exec::observe(code, &conditions, &self.values, self.arena).conceals
            })
    }

    /// Returns true if known variables determine the value of a slot.
    pub(super) fn is_determined(&self, slot: u16) -> bool {
        self.determined.get(usize::from(slot)).is_some_and(|determined| *determined)
    }

    fn exhausted(&self) -> bool {
        self.arena.budget().exhausted().is_some()
    }

    /// Copies the results into memory of their own.
    pub(super) fn freeze(self) -> Frozen {
        let symbols = self.document.engine().settings().names.snapshot();
        let values = Constants::freeze_with(&self.frozen, symbols);
        Frozen { values, positions: self.positions, diagnostics: self.diagnostics }
    }
}

/// Returns the bytes of a value, with every shared part counted each time it is reached; `None` if they are
/// more than `most`.
pub(super) fn size_within(value: Value<'_>, most: usize) -> Option<usize> {
    let mut open = vec![value];
    let mut size = 0usize;
    while let Some(value) = open.pop() {
        size += size_of::<Value<'_>>() + value.as_str().map_or(0, str::len);
        open.extend(value.as_items().unwrap_or_default());
        for entry in value.as_entries().unwrap_or_default() {
            size += entry.name.len();
            open.push(entry.value);
        }
        if size + open.len() * size_of::<Value<'_>>() > most {
            return None;
        }
    }
    Some(size)
}
