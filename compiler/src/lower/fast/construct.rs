//! Tuple and object constructors over consecutive registers.

use hclvm_vm::code::fast::{FastOp, FastReg};

use super::FastLowering;
use crate::lower::emit::shape;
use crate::tree::{Node, NodeId, NodeList};

impl FastLowering<'_, '_> {
    /// Lowers `[a, b]`.
    pub(super) fn tuple(&mut self, items: NodeList, d: FastReg) -> Option<()> {
        let items = self.context.tree.list(items);
        let count = u8::try_from(items.len()).ok()?;
        self.with_registers(items.len(), |lowering, base| {
            lowering.fill(items.iter().copied(), base)?;
            lowering.push(FastOp::Tuple { d, base, count });
            Some(())
        })
    }

    /// Lowers `{k = v}`.
    pub(super) fn object(&mut self, items: NodeList, d: FastReg) -> Option<()> {
        let items = self.context.tree.list(items);
        let Some(keys) = self.info.keys(items) else { return self.object_of_pairs(items, d) };
        let shape = shape(&keys, self.context.environment.names);
        self.with_registers(items.len() / 2, |lowering, base| {
            lowering.fill(items.chunks_exact(2).map(|item| item[1]), base)?;
            let shape = lowering.pool.shape(shape);
            lowering.push(FastOp::Object { d, base, shape });
            Some(())
        })
    }

    /// Lowers `{(k) = v}`.
    fn object_of_pairs(&mut self, items: &[NodeId], d: FastReg) -> Option<()> {
        let count = u8::try_from(items.len()).ok()?;
        self.with_registers(items.len(), |lowering, base| {
            lowering.fill(items.iter().copied(), base)?;
            lowering.push(FastOp::ObjectOfPairs { d, base, count });
            Some(())
        })
    }

    /// Lowers a key that is not constant. A traversal without parentheses is a fault.
    pub(super) fn object_key(&mut self, expr: NodeId, forced: bool, d: FastReg) -> Option<()> {
        let is_ambiguous = !forced && matches!(self.context.tree.node(expr), Node::Traversal { .. });
        if is_ambiguous { None } else { self.value(expr, d) }
    }

    /// Lowers values into consecutive registers.
    pub(super) fn fill(&mut self, items: impl Iterator<Item = NodeId>, base: FastReg) -> Option<()> {
        for (item, at) in items.zip(base.0..) {
            self.value(item, FastReg(at))?;
        }
        Some(())
    }
}
