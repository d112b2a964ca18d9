//! Variables, attributes and indexes.

use super::Machine;
use crate::code::{Const, FailureId, Position, Reg, Slot};
use crate::fault::{Fault, Place};
use crate::ops::access;
use crate::value::Value;

impl Machine<'_, '_> {
    pub(super) fn variable(&mut self, d: Reg, slot: Slot) {
        let value = self.slots.get(usize::from(slot.0)).copied().unwrap_or(Value::UNSET);
        if !value.is_unset() {
            return self.set(d, value);
        }
        let known = self.code.slots.binary_search_by_key(&slot, |(known, _)| *known);
        let name = known.map_or("", |at| self.code.slots[at].1.as_str());
        self.fault(Fault::UnsetVariable(name), Place::Root);
        self.set(d, Value::DYNAMIC);
    }

    pub(super) fn fail(&mut self, d: Reg, failure: FailureId) {
        let failure = &self.code.failures[failure.0 as usize];
        self.fault(Fault::Failure(failure), self.place());
        self.set(d, Value::DYNAMIC);
    }

    pub(super) fn attribute(&mut self, d: Reg, a: Reg, name: Const, step: Position) {
        let value =
            access::attribute(self.arena, self.get(a), self.constant_text(name)).unwrap_or_else(|fault| {
                self.fault(fault, Place::Step(step.0));
                Value::DYNAMIC
            });
        self.set(d, value);
    }

    pub(super) fn index_constant(&mut self, d: Reg, a: Reg, k: Const, step: Position) {
        let value = access::index(self.arena, self.get(a), self.constant(k)).unwrap_or_else(|fault| {
            self.fault(fault, Place::Step(step.0));
            Value::DYNAMIC
        });
        self.set(d, value);
    }

    pub(super) fn index(&mut self, d: Reg, a: Reg, b: Reg) {
        let value = access::index(self.arena, self.get(a), self.get(b)).unwrap_or_else(|fault| {
            self.fault(fault, Place::Brackets);
            Value::DYNAMIC
        });
        self.set(d, value);
    }
}
