//! Tuple and object constructors over registers in a row.

use hclvm_vm::code::Shape;
use hclvm_vm::code::fast::{FastOp, FastReg};

use super::FastLowering;
use crate::lower::emit::shape;
use crate::tree::{NodeId, NodeList};

impl FastLowering<'_, '_> {
    pub(super) fn tuple(&mut self, items: NodeList, d: FastReg) -> Option<()> {
        let tree = self.context.tree;
        let items = tree.list(items);
        let count = u8::try_from(items.len()).ok()?;
        self.with_registers(items.len(), |lowering, base| {
            lowering.fill(items.iter().copied(), base)?;
            lowering.push(FastOp::Tuple { d, base, count });
            Some(())
        })
    }

    /// Values into registers in a row.
    pub(super) fn fill(&mut self, items: impl Iterator<Item = NodeId>, base: FastReg) -> Option<()> {
        for (item, at) in items.zip(base.0..) {
            self.value(item, FastReg(at))?;
        }
        Some(())
    }

    /// An object whose keys are all constant.
    pub(super) fn object(&mut self, items: NodeList, d: FastReg) -> Option<()> {
        let tree = self.context.tree;
        let items = tree.list(items);
        let keys: Option<Vec<&str>> =
            items.chunks_exact(2).map(|item| self.info.constant(item[0])?.as_str()).collect();
        let shape: Shape = shape(&keys?, self.context.environment.names);
        self.with_registers(items.len() / 2, |lowering, base| {
            lowering.fill(items.chunks_exact(2).map(|item| item[1]), base)?;
            let shape = lowering.emitter.shape(shape);
            lowering.push(FastOp::Object { d, base, shape });
            Some(())
        })
    }
}
