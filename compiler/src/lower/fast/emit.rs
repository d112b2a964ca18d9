//! Instructions, labels and registers of the fast body.

use hclvm_vm::code::OperandMut;
use hclvm_vm::code::fast::{Fast, FastLabel, FastOp, FastReg, Symbol};
use hclvm_vm::text::nfc;
use hclvm_vm::value::Value;

use super::Lowering;
use crate::emit::Frozen;
use crate::tree::{Step, StepKind};

impl<'a> Lowering<'_, '_, 'a> {
    pub(super) fn push(&mut self, op: FastOp) {
        self.ops.push(op);
    }

    pub(super) fn here(&self) -> Option<u16> {
        u16::try_from(self.ops.len()).ok()
    }

    /// A label that is not placed yet.
    pub(super) fn label(&mut self) -> FastLabel {
        self.labels.push(None);
        FastLabel(self.labels.len() as u16 - 1)
    }

    /// Places a label at the next instruction.
    pub(super) fn place(&mut self, label: FastLabel) -> Option<()> {
        let here = self.here()?;
        *self.labels.get_mut(usize::from(label.0))? = Some(here);
        Some(())
    }

    /// Lends the next register.
    pub(super) fn with_register<R>(
        &mut self,
        body: impl FnOnce(&mut Self, FastReg) -> Option<R>,
    ) -> Option<R> {
        self.with_registers(1, body)
    }

    /// Lends registers in a row; `body` gets the first.
    pub(super) fn with_registers<R>(
        &mut self,
        count: usize,
        body: impl FnOnce(&mut Self, FastReg) -> Option<R>,
    ) -> Option<R> {
        let base = self.next;
        self.next = base.checked_add(u8::try_from(count).ok()?)?;
        self.registers = self.registers.max(u16::from(self.next));
        let result = body(self, FastReg(base));
        self.next = base;
        result
    }

    /// The symbol of an attribute name.
    pub(super) fn symbol(&mut self, name: &'a str) -> Symbol {
        let name = nfc(self.arena, name);
        let symbol = Symbol(self.environment.names.symbol(name));
        if !self.names.iter().any(|(known, _)| *known == symbol) {
            let name = self.emitter.constant(Value::str(self.arena, name));
            self.names.push((symbol, name));
        }
        symbol
    }

    /// The symbol of a step that selects an attribute.
    pub(super) fn step_symbol(&mut self, step: &Step) -> Option<Symbol> {
        match step.kind {
            StepKind::Attribute(name) => {
                let tree = self.tree;
                Some(self.symbol(tree.name(name)))
            }
            StepKind::Index(_) => None,
        }
    }

    /// Returns where it would jump to a return.
    fn return_early(&mut self) {
        for at in 0..self.ops.len() {
            let FastOp::Jump { to } = self.ops[at] else { continue };
            match self.ops.get(usize::from(to.0)) {
                Some(FastOp::Return { a }) => self.ops[at] = FastOp::Return { a: *a },
                Some(FastOp::ReturnConstant { k }) => self.ops[at] = FastOp::ReturnConstant { k: *k },
                _ => {}
            }
        }
        for at in 1..self.ops.len() {
            let FastOp::Return { a: returned } = self.ops[at] else { continue };
            if let FastOp::Arm { d, a, b, yes } = self.ops[at - 1]
                && d == returned
            {
                self.ops[at - 1] = FastOp::ReturnArm { a, b, yes };
            }
        }
    }

    /// The body with labels resolved; `None` when it does not fit the instruction format.
    pub(super) fn finish(&mut self) -> Option<Fast> {
        if self.labels.len() > usize::from(u16::MAX) || self.ops.len() > usize::from(u16::MAX) {
            return None;
        }
        let labels = &self.labels;
        let resolve = |label: &mut FastLabel| {
            label.0 = labels.get(usize::from(label.0)).copied().flatten()?;
            Some(())
        };
        for (at, op) in self.ops.iter_mut().enumerate() {
            let mut resolved = Some(());
            op.operands_mut(|operand| {
                if let OperandMut::FastLabel(target) = operand {
                    resolved = resolved.and_then(|()| resolve(target));
                }
            });
            resolved?;
            if let FastOp::LoopNext { to, round, .. } = op {
                // The loop's instructions are those up to where it ends.
                round.0 = i32::from(to.0) - at as i32;
            }
        }
        for handler in &mut self.handlers {
            if let Some(target) = &mut handler.target {
                resolve(target)?;
            }
        }
        for switch in &mut self.switches {
            for target in switch.targets_mut() {
                resolve(target)?;
            }
        }
        self.return_early();
        // A label at the very end would be one behind the last instruction.
        self.ops.push(FastOp::Trap {});
        let Frozen { constants, functions, shapes } = std::mem::take(&mut self.emitter).freeze().ok()?;
        let fast = Fast {
            ops: std::mem::take(&mut self.ops),
            slot_bits: self.slots.iter().fold(0, |bits, slot| bits | slot.bit()),
            others: self.slots.len() as u16,
            slots: std::mem::take(&mut self.slots),
            registers: self.registers,
            in_place: false,
            placed: false,
            names: std::mem::take(&mut self.names),
            handlers: std::mem::take(&mut self.handlers).into(),
            switches: std::mem::take(&mut self.switches).into(),
            estimates: std::mem::take(&mut self.estimates).into(),
            constants,
            functions,
            shapes,
        };
        let fast = fast.place();
        debug_assert_eq!(hclvm_vm::code::verify_fast(&fast), Ok(()));
        Some(fast)
    }
}
