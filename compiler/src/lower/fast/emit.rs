//! Instructions, labels and registers of the fast body.

use hclvm_vm::code::fast::{FastLabel, FastOp, FastReg, Symbol};
use hclvm_vm::code::{OperandMut, Switch};
use hclvm_vm::text::nfc;
use smol_str::SmolStr;

use super::FastLowering;
use crate::tree::{NameId, StepKind, TraversalStep};

impl FastLowering<'_, '_> {
    pub(super) fn push(&mut self, op: FastOp) {
        self.fast.ops.push(op);
    }

    /// Returns a register; what was just computed into it is returned at once.
    pub(super) fn push_return(&mut self, a: FastReg) {
        let leads_here = self.labels.contains(&self.here());
        let at_once = match self.fast.ops.last() {
            _ if leads_here => None,
            Some(&FastOp::Call { d, f, base, count }) if d == a => {
                Some(FastOp::ReturnCall { d, f, base, count })
            }
            Some(FastOp::TemplateEnd { d }) if *d == a => Some(FastOp::ReturnTemplate { d: a }),
            _ => None,
        };
        match (at_once, self.fast.ops.last_mut()) {
            (Some(op), Some(last)) => *last = op,
            _ => self.push(FastOp::Return { a }),
        }
    }

    pub(super) fn here(&self) -> Option<u16> {
        u16::try_from(self.fast.ops.len()).ok()
    }

    /// A label that is not placed yet.
    pub(super) fn label(&mut self) -> FastLabel {
        self.labels.push(None);
        FastLabel(self.labels.len() as u16 - 1)
    }

    /// Tells a loop, whose head is about to come, how many instructions a round has, now that all of
    /// them are there.
    pub(super) fn count_round(&mut self, head: FastLabel) {
        let (Some(head), end) = (self.target(head).map(usize::from), self.fast.ops.len()) else { return };
        if let Some(
            FastOp::LoopBegin { round, .. }
            | FastOp::LoopEach { round, .. }
            | FastOp::LoopSplat { round, .. },
        ) = head.checked_sub(1).and_then(|begin| self.fast.ops.get_mut(begin))
        {
            round.0 = end as i32 - head as i32;
        }
    }

    /// Places a label at the next instruction.
    pub(super) fn place(&mut self, label: FastLabel) -> Option<()> {
        let here = self.here()?;
        *self.labels.get_mut(usize::from(label.0))? = Some(here);
        Some(())
    }

    /// The next registers, of which the first is given. Only for those who lend them by closure.
    pub(super) fn borrow(&mut self, count: usize) -> Option<FastReg> {
        let base = FastReg(self.next);
        self.next = self.next.checked_add(u8::try_from(count).ok()?)?;
        self.fast.registers = self.fast.registers.max(u16::from(self.next));
        Some(base)
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
        let base = self.borrow(count)?;
        let result = body(self, base);
        self.next = base.0;
        result
    }

    /// The symbol of an attribute name.
    fn symbol(&mut self, id: NameId) -> Symbol {
        let known = self.context.resolution.and_then(|resolution| resolution.attribute(id));
        let normal = || nfc(self.context.arena(), self.context.tree.name(id));
        let symbol = match known {
            Some((symbol, _)) => *symbol,
            None => Symbol(self.context.environment.names.symbol(normal())),
        };
        if !self.fast.names.iter().any(|(known, _)| *known == symbol) {
            let name = known.map_or_else(|| SmolStr::new(normal()), |(_, name)| name.clone());
            self.fast.names.push((symbol, name));
        }
        symbol
    }

    /// The symbol of a step that selects an attribute.
    pub(super) fn step_symbol(&mut self, step: &TraversalStep) -> Option<Symbol> {
        match step.kind {
            StepKind::Attribute(name) => Some(self.symbol(name)),
            StepKind::Index(_) => None,
        }
    }

    /// Where a label points, unless it was never placed.
    fn target(&self, label: FastLabel) -> Option<u16> {
        self.labels.get(usize::from(label.0)).copied().flatten()
    }

    /// Returns where it would jump to a return; brings arms to their type, and loads constants, while
    /// it returns. True if instructions may have become superfluous by that.
    fn return_early(&mut self) -> bool {
        let mut earlier = false;
        let ops = self.fast.ops.as_mut_slice();
        for at in 0..ops.len() {
            if let FastOp::Jump { to } = ops[at] {
                let behind = self.labels.get(usize::from(to.0)).copied().flatten();
                match behind.and_then(|behind| ops.get(usize::from(behind))) {
                    Some(FastOp::Return { a }) => ops[at] = FastOp::Return { a: *a },
                    Some(FastOp::ReturnBool { truth }) => ops[at] = FastOp::ReturnBool { truth: *truth },
                    _ => continue,
                }
            }
            if let FastOp::Return { a: returned } = ops[at]
                && let Some(before) = at.checked_sub(1)
            {
                ops[before] = match ops[before] {
                    FastOp::Arm { d, a, b, yes } if d == returned => FastOp::ReturnArm { a, b, yes },
                    FastOp::Constant { d, k } if d == returned => FastOp::ReturnConstant { k },
                    _ => continue,
                };
                earlier = true;
            }
        }
        earlier
    }

    /// Instructions that nothing leads to become traps, which name no registers, once labels that are
    /// no operands are positions.
    fn trap_unreachable(&mut self) {
        let mut led_to = self.context.arena().list_with(self.fast.ops.len());
        led_to.resize(self.fast.ops.len(), false);
        let mut lead_to = |at: u16| {
            if let Some(led_to) = led_to.get_mut(usize::from(at)) {
                *led_to = true;
            }
        };
        let labels = &self.labels;
        for op in &mut self.fast.ops {
            op.operands_mut(|_, operand| {
                if let OperandMut::FastLabel(label) = operand
                    && let Some(Some(at)) = labels.get(usize::from(label.0))
                {
                    lead_to(*at);
                }
            });
        }
        if let Some(extras) = &self.extras {
            extras.handlers.iter().filter_map(|handler| handler.target).for_each(|to| lead_to(to.0));
            extras.switches.iter().flat_map(Switch::targets).for_each(|to| lead_to(to.0));
        }
        let mut ended = false;
        for (op, led_to) in self.fast.ops.iter_mut().zip(&led_to) {
            if ended && !led_to {
                *op = FastOp::Trap {};
            }
            ended = op.is_final();
        }
    }

    /// Labels that are no operands become positions. `None` when one was never placed.
    fn resolve_labels(&mut self) -> Option<()> {
        let labels = &self.labels;
        let resolve = |label: &mut FastLabel| {
            label.0 = labels.get(usize::from(label.0)).copied().flatten()?;
            Some(())
        };
        let Some(extras) = self.extras.as_deref_mut() else { return Some(()) };
        for target in extras.handlers.iter_mut().filter_map(|handler| handler.target.as_mut()) {
            resolve(target)?;
        }
        for target in extras.switches.iter_mut().flat_map(Switch::targets_mut) {
            resolve(target)?;
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
            let earlier = self.return_early();
            self.resolve_labels()?;
            if earlier {
                self.trap_unreachable();
            }
        }
        let fast = &mut *self.fast;
        if leads_behind || !fast.ops.last().is_some_and(FastOp::is_final) {
            fast.ops.push(FastOp::Trap {});
        }
        fast.others = fast.slots.len() as u16;
        fast.slot_bits = fast.slots.iter().fold(0, |bits, slot| bits | slot.bit());
        // Most bodies have none of these, and the empty lists are there already.
        if let Some(extras) = self.extras.take() {
            fast.handlers = extras.handlers.into();
            fast.switches = extras.switches.into();
            fast.intervals = extras.intervals.into();
        }
        self.emitter.freeze(&mut fast.constants, &mut fast.shapes);
        let mut resolved = Some(());
        fast.place_and_resolve(|label| match self.labels.get(usize::from(label.0)) {
            Some(Some(position)) => label.0 = *position,
            _ => resolved = None,
        });
        resolved?;
        debug_assert_eq!(hclvm_vm::code::verify_fast(fast), Ok(()));
        Some(())
    }
}
