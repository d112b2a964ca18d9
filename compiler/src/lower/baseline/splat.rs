//! Splats, which decide for each source whether it is a collection, a single value or null.

use hclvm_vm::Place;
use hclvm_vm::code::{Op, Reg};

use super::BaselineLowering;
use crate::tree::NodeId;

impl BaselineLowering<'_> {
    /// Lowers `source[*]each`.
    pub(super) fn splat(&mut self, id: NodeId, source: NodeId, each: NodeId, d: Reg) {
        let (next, exit, end) = (self.emitter.label(), self.emitter.label(), self.emitter.label());
        self.with_log(id, |lowering, log| {
            lowering.with_value(source, |lowering, a| {
                lowering.emit(Op::SplatBegin { d, a, log, end }, id, Place::Source);
            });
        });
        self.emitter.place(next);
        self.with_register(|lowering, item| {
            lowering.emit(Op::SplatNext { d: item, exit }, id, Place::Node);
            lowering.items.push(item);
            lowering.with_log(id, |lowering, log| {
                lowering.with_value(each, |lowering, a| {
                    lowering.emit(Op::SplatItem { a, log }, id, Place::Each);
                });
            });
            lowering.items.pop();
        });
        self.jump(id, next);
        self.emitter.place(exit);
        self.emit(Op::SplatEnd { d }, id, Place::Each);
        self.emitter.place(end);
    }

    /// Lowers the element of the innermost enclosing splat.
    pub(super) fn splat_item(&mut self, id: NodeId, d: Reg) {
        if let Some(a) = self.items.last().copied() {
            self.emit(Op::Copy { d, a }, id, Place::Node);
        }
    }
}
