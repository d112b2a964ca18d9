//! Tuple and object constructors over consecutive registers.

use hclvm_vm::code::fast::{FastOp, FastReg};

use super::FastLowering;
use crate::lower::emit::shape;
use crate::tree::{NodeId, NodeList};

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

    /// Lowers `{k = v}` if all keys are constant.
    pub(super) fn object(&mut self, items: NodeList, d: FastReg) -> Option<()> {
        let items = self.context.tree.list(items);
        let shape = shape(&self.info.keys(items)?, self.context.environment.names);
        self.with_registers(items.len() / 2, |lowering, base| {
            lowering.fill(items.chunks_exact(2).map(|item| item[1]), base)?;
            let shape = lowering.pool.shape(shape);
            lowering.push(FastOp::Object { d, base, shape });
            Some(())
        })
    }

    /// Lowers values into consecutive registers.
    pub(super) fn fill(&mut self, items: impl Iterator<Item = NodeId>, base: FastReg) -> Option<()> {
        for (item, at) in items.zip(base.0..) {
            self.value(item, FastReg(at))?;
        }
        Some(())
    }
}
