//! Tuple and object constructors, whose parts are pushed one by one.

use hclvm_vm::code::{Count, Failure, Op, Reg};
use hclvm_vm::{Place, cast};

use super::BaselineLowering;
use crate::analysis::literal_key;
use crate::lower::emit::shape;
use crate::tree::{Node, NodeId, NodeList};

impl BaselineLowering<'_> {
    /// Lowers `[a, b]`.
    pub(super) fn tuple(&mut self, id: NodeId, items: NodeList, d: Reg) {
        let tree = self.context.tree;
        for item in tree.list(items) {
            self.push(*item, d);
        }
        self.emit(Op::Tuple { d, count: Count(cast::length(items.len())) }, id, Place::Node);
    }

    /// Pushes the value of a node, which is lowered into `d` unless it has a register of its own.
    pub(super) fn push(&mut self, id: NodeId, d: Reg) {
        let a = self.value_in(id, d);
        self.emit(Op::Push { a }, id, Place::Node);
    }

    /// Lowers `{k = v}`.
    pub(super) fn object(&mut self, id: NodeId, items: NodeList, d: Reg) {
        let tree = self.context.tree;
        let items = tree.list(items);
        match self.info.keys(items) {
            Some(keys) => {
                for item in items.chunks_exact(2) {
                    self.push(item[1], d);
                }
                let shape = self.emitter.shape(shape(&keys, self.context.environment.names));
                self.emit(Op::Object { d, shape }, id, Place::Node);
            }
            None => self.computed_object(id, items, d),
        }
    }

    /// Lowers an object with at least one key that is not constant.
    fn computed_object(&mut self, id: NodeId, items: &[NodeId], d: Reg) {
        self.emit(Op::ObjectBegin {}, id, Place::Node);
        for (item, at) in items.chunks_exact(2).zip(0..) {
            self.with_log(id, |lowering, log| {
                lowering.with_value(item[0], |lowering, key| {
                    lowering.with_log(id, |lowering, after| {
                        lowering.with_value(item[1], |lowering, a| {
                            let op = Op::ObjectItem { key, a, log, after };
                            lowering.emit(op, id, Place::Value(at));
                        });
                    });
                });
            });
        }
        self.emit(Op::ObjectEnd { d }, id, Place::Node);
    }

    /// Lowers a key that is not constant: an expression, or a traversal, which is ambiguous without
    /// parentheses.
    pub(super) fn object_key(&mut self, id: NodeId, expr: NodeId, forced: bool, d: Reg) {
        debug_assert!(literal_key(self.context.tree, expr, forced).is_none());
        match self.context.tree.node(expr) {
            Node::Traversal { .. } if !forced => {
                let failure = self.emitter.failure(Failure::AmbiguousKey);
                self.emit(Op::Fail { d, failure }, id, Place::Node);
            }
            _ => self.expr(expr, d),
        }
    }
}
