//! Traversal steps after a value, and index expressions. Traversals from a variable are in `names`.

use hclvm_compiler::tree::{NodeId, StepKind, StepList};
use hclvm_vm::ops::access::{attribute, index};
use hclvm_vm::text::nfc;
use hclvm_vm::{Place, Value};

use crate::walk::{Found, Walk};

impl<'a> Walk<'_, 'a> {
    /// Applies steps in order. The first one that fails ends the traversal with an unknown value.
    pub(crate) fn steps(&self, id: NodeId, steps: StepList, (mut value, mut faults): Found<'a>) -> Found<'a> {
        for (at, step) in self.tree().steps(steps).iter().enumerate() {
            let marks = self.note_own(&[value]);
            let next = match step.kind {
                StepKind::Attribute(name) => {
                    attribute(self.arena, value, nfc(self.arena, self.tree().name(name)))
                }
                StepKind::Index(key) => index(self.arena, value, self.literal(key)),
            };
            match next {
                Ok(next) => value = next,
                Err(fault) => {
                    faults.push(self.record_under(marks, fault, id, Place::Step(position(at))));
                    return (Value::DYNAMIC, faults);
                }
            }
        }
        (value, faults)
    }

    /// `collection[key]`
    pub(crate) fn index(
        &self,
        id: NodeId,
        (collection, mut faults): Found<'a>,
        (key, of_key): Found<'a>,
    ) -> Found<'a> {
        faults.extend(of_key);
        let marks = self.note_own(&[collection, key]);
        match index(self.arena, collection, key) {
            Ok(value) => (value, faults),
            Err(fault) => {
                faults.push(self.record_under(marks, fault, id, Place::Brackets));
                (Value::DYNAMIC, faults)
            }
        }
    }
}

/// Converts an index among siblings to the width that `Place` holds.
pub(crate) fn position(at: usize) -> u16 {
    u16::try_from(at).unwrap_or(u16::MAX)
}
