//! Arithmetic. Comparisons and connectives are in [`condition`](super::condition).

use hclvm_vm::code::Arithmetic;
use hclvm_vm::code::fast::{FastOp, FastReg, Immediate};
use smallvec::SmallVec;

use super::FastLowering;
use super::access::immediate;
use crate::tree::{BinaryKind, Node, NodeId};

impl FastLowering<'_, '_> {
    /// Lowers a chain of `+ - * / %` along its left spine, in a loop because its length is only
    /// bounded by the text.
    pub(super) fn arithmetic(&mut self, id: NodeId, d: FastReg) -> Option<()> {
        let mut spine: SmallVec<[(Arithmetic, NodeId); 4]> = SmallVec::new();
        let mut leftmost = id;
        while let Node::Binary { op, lhs, rhs } = self.context.tree.node(leftmost) {
            let BinaryKind::Arithmetic(op) = op.kind() else { break };
            if self.info.constant(leftmost).is_some() {
                break;
            }
            spine.push((op, rhs));
            leftmost = self.context.bare(lhs);
        }
        let mut chain = spine.into_iter().rev();
        let (op, rhs) = chain.next()?;
        self.with_operand(leftmost, |lowering, a| lowering.operation(op, a, rhs, d))?;
        for (op, rhs) in chain {
            self.operation(op, d, rhs, d)?;
        }
        Some(())
    }

    /// Lowers `-operand`.
    pub(super) fn negate(&mut self, operand: NodeId, d: FastReg) -> Option<()> {
        self.with_operand(operand, |lowering, a| {
            lowering.push(FastOp::Negate { d, a });
            Some(())
        })
    }

    fn operation(&mut self, op: Arithmetic, a: FastReg, rhs: NodeId, d: FastReg) -> Option<()> {
        let constant = self.info.constant(rhs).and_then(immediate);
        if let Some(op) = constant.and_then(|i| with_immediate(op, d, a, i)) {
            self.push(op);
            return Some(());
        }
        self.with_operand(rhs, |lowering, b| {
            lowering.push(with_register(op, d, a, b));
            Some(())
        })
    }
}

/// Returns the instruction `d = a op b`.
pub(super) const fn with_register(op: Arithmetic, d: FastReg, a: FastReg, b: FastReg) -> FastOp {
    match op {
        Arithmetic::Add => FastOp::Add { d, a, b },
        Arithmetic::Subtract => FastOp::Subtract { d, a, b },
        Arithmetic::Multiply => FastOp::Multiply { d, a, b },
        Arithmetic::Divide => FastOp::Divide { d, a, b },
        Arithmetic::Modulo => FastOp::Modulo { d, a, b },
    }
}

/// Returns the instruction `d = a op i`, if there is one for the number.
pub(super) fn with_immediate(op: Arithmetic, d: FastReg, a: FastReg, i: Immediate) -> Option<FastOp> {
    Some(match op {
        Arithmetic::Add => FastOp::AddInt { d, a, i },
        // Not zero: negative zero keeps its sign only if zero is subtracted.
        Arithmetic::Subtract if i.0 == 0 => return None,
        Arithmetic::Subtract => FastOp::AddInt { d, a, i: Immediate(i.0.checked_neg()?) },
        Arithmetic::Multiply => FastOp::MultiplyInt { d, a, i },
        Arithmetic::Divide => match power_of_two(i) {
            Some(bits) => FastOp::Shift { d, a, bits },
            None => FastOp::DivideInt { d, a, i },
        },
        Arithmetic::Modulo => FastOp::ModuloInt { d, a, i },
    })
}

/// Returns the exponent if the number is a power of two.
fn power_of_two(i: Immediate) -> Option<u8> {
    let number = u32::try_from(i.0).ok().filter(|number| number.is_power_of_two())?;
    u8::try_from(number.trailing_zeros()).ok()
}
