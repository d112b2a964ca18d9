//! The peephole optimizer: an instruction and the return behind it become one, and jumps to a return
//! become that return.
//!
//! ```text
//! Constant r1 = 1              ReturnConstant 1
//! Jump ─▶ end                  Trap                unreachable
//! Constant r1 = 2         ▷    ReturnConstant 2
//! end: Return r1               end: Return r1
//! ```

use hclvm_vm::code::fast::{FastOp, FastReg};
use hclvm_vm::code::{Operand, Switch};

use super::FastLowering;

impl FastLowering<'_, '_> {
    /// Appends the return of a register. If the last instruction computes that register and has a form
    /// that returns, it is replaced by this form.
    pub(super) fn push_return(&mut self, a: FastReg) {
        let leads_here = self.labels.contains(&self.here());
        let at_once = match self.ops.last() {
            _ if leads_here => None,
            Some(&FastOp::Call { d, f, base, count }) if d == a => {
                Some(FastOp::ReturnCall { d, f, base, count })
            }
            Some(FastOp::TemplateEnd { d }) if *d == a => Some(FastOp::ReturnTemplate { d: a }),
            _ => None,
        };
        match (at_once, self.ops.last_mut()) {
            (Some(op), Some(last)) => *last = op,
            _ => self.push(FastOp::Return { a }),
        }
    }

    /// Replaces jumps to a return by that return, and an instruction before a return by one that does
    /// both. Returns true if instructions may have become unreachable.
    pub(super) fn return_early(&mut self) -> bool {
        let (mut earlier, labels) = (false, &self.labels);
        let ops = self.ops.as_mut_slice();
        let is_one = |op: &FastOp| {
            matches!(op, FastOp::Jump { .. } | FastOp::ConstantJump { .. } | FastOp::Return { .. })
        };
        let mut next = 0;
        // Few instructions are one of these.
        while let Some(skipped) = ops[next..].iter().position(is_one) {
            let at = next + skipped;
            next = at + 1;
            if let FastOp::Jump { to } = ops[at] {
                let behind = labels.get(usize::from(to.0)).copied().flatten();
                match behind.and_then(|behind| ops.get(usize::from(behind))) {
                    Some(FastOp::Return { a }) => ops[at] = FastOp::Return { a: *a },
                    Some(FastOp::ReturnBool { truth }) => ops[at] = FastOp::ReturnBool { truth: *truth },
                    Some(FastOp::LoopPushBool { truth, to }) => {
                        ops[at] = FastOp::LoopPushBool { truth: *truth, to: *to };
                    }
                    _ => continue,
                }
            }
            if let FastOp::ConstantJump { d, k, to } = ops[at] {
                let behind = labels.get(usize::from(to.0)).copied().flatten();
                match behind.and_then(|behind| ops.get(usize::from(behind))) {
                    Some(FastOp::Return { a }) if *a == d => ops[at] = FastOp::ReturnConstant { k },
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

    /// Replaces unreachable instructions by traps, which name no registers. The labels of handlers and
    /// switches are positions already.
    pub(super) fn trap_unreachable(&mut self) {
        let mut led_to = self.context.arena().list_with(self.ops.len());
        led_to.resize(self.ops.len(), false);
        let mut lead_to = |at: u16| {
            if let Some(led_to) = led_to.get_mut(usize::from(at)) {
                *led_to = true;
            }
        };
        let labels = &self.labels;
        for op in &self.ops {
            op.operands(|_, operand| {
                if let Operand::Jump(label) = operand
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
        for (op, led_to) in self.ops.iter_mut().zip(&led_to) {
            if ended && !led_to {
                *op = FastOp::Trap {};
            }
            ended = op.is_final();
        }
    }
}
