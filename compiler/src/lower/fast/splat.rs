//! Splats. `a[*].name` is one instruction, any other splat a loop.

use hclvm_vm::code::fast::{FastOp, FastReg, InlineCache};

use super::FastLowering;
use super::destination::Destination;
use super::iterate::ROUND;
use crate::tree::{Node, NodeId, StepKind};

impl FastLowering<'_, '_> {
    /// Lowers `source[*]each`.
    pub(super) fn splat(&mut self, source: NodeId, each: NodeId, d: FastReg) -> Option<()> {
        let tree = self.context.tree;
        if let Node::RelativeTraversal { source: item, steps } = tree.node(each)
            && let (Node::SplatItem, [step]) = (tree.node(item), tree.steps(steps))
            && matches!(step.kind, StepKind::Attribute(_))
        {
            let symbol = self.step_symbol(step)?;
            return self.with_operand(source, |lowering, a| {
                lowering.push(FastOp::Splat { d, a, cache: InlineCache::default(), symbol });
                Some(())
            });
        }
        self.guarded(|lowering| {
            lowering.with_operand(source, |lowering, a| {
                lowering.push(FastOp::LoopSplat { a, round: ROUND });
                Some(())
            })?;
            lowering.with_register(|lowering, item| {
                let (head, exit) = (lowering.label(), lowering.label());
                lowering.place(head)?;
                lowering.push(FastOp::LoopNext { value: item, to: exit });
                lowering.extras().items.push(item);
                let pushed = lowering.deliver(each, Destination::Loop(head));
                lowering.extras().items.pop();
                pushed?;
                lowering.place(exit)?;
                lowering.push(FastOp::LoopEnd { d });
                Some(())
            })
        })
    }

    /// Lowers the element of the innermost enclosing splat.
    pub(super) fn splat_item(&mut self, d: FastReg) -> Option<()> {
        let a = self.item()?;
        self.push(FastOp::Copy { d, a });
        Some(())
    }

    /// Returns the register of the element of the innermost enclosing splat.
    pub(super) fn item(&self) -> Option<FastReg> {
        self.extras.as_ref()?.items.last().copied()
    }
}
