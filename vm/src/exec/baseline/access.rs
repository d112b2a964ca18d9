//! Variables, attributes and indexes: the instructions that read one value out of another. A step that
//! fails skips the rest of its traversal.

use super::machine::Machine;
use crate::code::{Const, FailureId, Label, Op, Position, Reg, Slot};
use crate::fault::{Fault, Place};
use crate::memory::cast;
use crate::ops::access;
use crate::types::Type;
use crate::value::{Value, find};

impl<'a> Machine<'_, 'a> {
    /// `Variable`: reads a slot. An empty one is a fault, and the steps that follow are skipped.
    pub(super) fn variable(&mut self, d: Reg, slot: Slot) -> Option<Label> {
        let value = self.slots.get(usize::from(slot.0)).copied().unwrap_or(Value::UNSET);
        if !value.is_unset() {
            self.set(d, value);
            return None;
        }
        let known = self.code.slots.binary_search_by_key(&slot, |(known, _)| *known);
        let name = known.map_or("", |at| self.code.slots[at].1.as_str());
        self.fault(Fault::UnsetVariable(name), Place::Root);
        self.set(d, Value::DYNAMIC);
        self.after_steps()
    }

    /// Returns the label behind the remaining steps of a traversal that failed. Cold: only after a fault.
    #[cold]
    fn after_steps(&self) -> Option<Label> {
        let node = self.code.origins[self.pc].node;
        let next = self.pc + 1;
        let following = self.code.ops.iter().zip(&self.code.origins).skip(next);
        let is_step = |op: &Op| matches!(op, Op::Attribute { .. } | Op::IndexConstant { .. });
        let steps = following.take_while(|(op, origin)| origin.node == node && is_step(op)).count();
        Some(Label(cast::length(next + steps)))
    }

    pub(super) fn fail(&mut self, d: Reg, failure: FailureId) {
        let failure = &self.code.failures[failure.0 as usize];
        self.fault(Fault::Failure(failure), self.place());
        self.set(d, Value::DYNAMIC);
    }

    pub(super) fn attribute(&mut self, d: Reg, a: Reg, name: Const, step: Position) -> Option<Label> {
        // Most steps are attributes of plain objects, for which no fault has to be passed around.
        let (value, name) = (self.get(a), self.constant_text(name));
        if let Some(found) = value.as_object().and_then(|entries| find(entries, name)) {
            self.set(d, found.value);
            return None;
        }
        self.step(d, step, a, access::attribute(self.arena, value, name))
    }

    pub(super) fn index_constant(&mut self, d: Reg, a: Reg, k: Const, step: Position) -> Option<Label> {
        self.step(d, step, a, access::index(self.arena, self.get(a), self.constant(k)))
    }

    /// Stores the result of a traversal step, or records its fault and skips the remaining steps.
    fn step(&mut self, d: Reg, step: Position, a: Reg, taken: Result<Value<'a>, Fault<'a>>) -> Option<Label> {
        match taken {
            Ok(value) => {
                self.set(d, value);
                None
            }
            Err(fault) => {
                let value = self.get(a);
                self.fault_of(fault, Place::Step(step.0), [value]);
                let failed = self.failed(Type::Dynamic, self.own_marks([value]));
                self.set(d, failed);
                self.after_steps()
            }
        }
    }

    pub(super) fn index(&mut self, d: Reg, a: Reg, b: Reg) {
        let [collection, key] = [self.get(a), self.get(b)];
        let value = access::index(self.arena, collection, key).unwrap_or_else(|fault| {
            self.fault_of(fault, Place::Brackets, [collection, key]);
            self.failed(Type::Dynamic, self.own_marks([collection, key]))
        });
        self.set(d, value);
    }
}
