//! Instructions, labels and registers of the fast body.

use hclvm_vm::code::OperandMut;
use hclvm_vm::code::fast::{FastLabel, FastOp, FastReg, Symbol};
use hclvm_vm::text::nfc;
use hclvm_vm::value::Value;

use super::Lowering;
use crate::tree::{NameId, Step, StepKind};

impl Lowering<'_, '_, '_> {
    pub(super) fn push(&mut self, op: FastOp) {
        self.fast.ops.push(op);
    }

    pub(super) fn here(&self) -> Option<u16> {
        u16::try_from(self.fast.ops.len()).ok()
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
        self.fast.registers = self.fast.registers.max(u16::from(self.next));
        let result = body(self, FastReg(base));
        self.next = base;
        result
    }

    /// The symbol of an attribute name.
    fn symbol(&mut self, id: NameId) -> Symbol {
        let symbol = match self.meanings.and_then(|meanings| meanings.symbol(id)) {
            Some(symbol) => symbol,
            None => Symbol(self.environment.names.symbol(nfc(self.arena, self.tree.name(id)))),
        };
        if !self.fast.names.iter().any(|(known, _)| *known == symbol) {
            let name = nfc(self.arena, self.tree.name(id));
            let name = self.emitter.constant(Value::str(self.arena, name));
            self.fast.names.push((symbol, name));
        }
        symbol
    }

    /// The symbol of a step that selects an attribute.
    pub(super) fn step_symbol(&mut self, step: &Step) -> Option<Symbol> {
        match step.kind {
            StepKind::Attribute(name) => Some(self.symbol(name)),
            StepKind::Index(_) => None,
        }
    }

    /// Returns where it would jump to a return.
    fn return_early(&mut self) {
        let ops = self.fast.ops.as_mut_slice();
        for at in 0..ops.len() {
            let FastOp::Jump { to } = ops[at] else { continue };
            match ops.get(usize::from(to.0)) {
                Some(FastOp::Return { a }) => ops[at] = FastOp::Return { a: *a },
                Some(FastOp::ReturnConstant { k }) => ops[at] = FastOp::ReturnConstant { k: *k },
                _ => {}
            }
        }
        for at in 1..ops.len() {
            let FastOp::Return { a: returned } = ops[at] else { continue };
            if let FastOp::Arm { d, a, b, yes } = ops[at - 1]
                && d == returned
            {
                ops[at - 1] = FastOp::ReturnArm { a, b, yes };
            }
        }
    }

    /// Labels become positions. `None` when one was never placed.
    fn resolve_labels(&mut self) -> Option<()> {
        let labels = &self.labels;
        let resolve = |label: &mut FastLabel| {
            label.0 = labels.get(usize::from(label.0)).copied().flatten()?;
            Some(())
        };
        for at in 0..self.fast.ops.len() {
            let (before, rest) = self.fast.ops.split_at_mut(at);
            let Some(op) = rest.first_mut() else { break };
            let mut resolved = Some(());
            op.operands_mut(|operand| {
                if let OperandMut::FastLabel(target) = operand {
                    resolved = resolved.and_then(|()| resolve(target));
                }
            });
            resolved?;
            if let FastOp::LoopNext { to, .. } = op
                && let Some(
                    FastOp::LoopBegin { round, .. }
                    | FastOp::LoopEach { round, .. }
                    | FastOp::LoopSplat { round, .. },
                ) = before.last_mut()
            {
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
        Some(())
    }

    /// Completes the body: labels become positions, numbers of registers their places. `None` when
    /// it does not fit the instruction format.
    pub(super) fn finish(&mut self) -> Option<()> {
        if self.labels.len() > usize::from(u16::MAX) || self.fast.ops.len() > usize::from(u16::MAX) {
            return None;
        }
        // Such a label would be one behind the last instruction.
        let leads_behind = self.labels.contains(&self.here());
        // Without labels nothing jumps.
        if !self.labels.is_empty() {
            self.resolve_labels()?;
            self.return_early();
        }
        let fast = &mut *self.fast;
        if leads_behind || !fast.ops.last().is_some_and(FastOp::is_final) {
            fast.ops.push(FastOp::Trap {});
        }
        fast.others = fast.slots.len() as u16;
        fast.slot_bits = fast.slots.iter().fold(0, |bits, slot| bits | slot.bit());
        // Most bodies have none of these, and the empty lists are there already.
        if !self.handlers.is_empty() {
            fast.handlers = self.handlers.as_slice().into();
        }
        if !self.switches.is_empty() {
            fast.switches = std::mem::take(&mut self.switches).into();
        }
        if !self.estimates.is_empty() {
            fast.estimates = std::mem::take(&mut self.estimates).into();
        }
        self.emitter.freeze(&mut fast.constants, &mut fast.functions, &mut fast.shapes).ok()?;
        fast.place();
        debug_assert_eq!(hclvm_vm::code::verify_fast(fast), Ok(()));
        Some(())
    }
}
