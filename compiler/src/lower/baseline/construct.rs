//! Tuple and object constructors.

use hclvm_vm::Place;
use hclvm_vm::code::{Count, Failure, Op, Reg};

use super::BaselineLowering;
use crate::analysis::literal_key;
use crate::lower::emit::shape;
use crate::tree::{Node, NodeId, NodeList};

impl BaselineLowering<'_> {
    pub(super) fn tuple(&mut self, id: NodeId, items: NodeList, d: Reg) {
        let tree = self.context.tree;
        for item in tree.list(items) {
            self.push(*item, d);
        }
        self.emit(Op::Tuple { d, count: Count(items.len() as u32) }, id, Place::Node);
    }

    /// Evaluates a node in `scratch`, or in its own register, and pushes it.
    pub(super) fn push(&mut self, id: NodeId, scratch: Reg) {
        let a = self.register_of(id).unwrap_or(scratch);
        if a == scratch {
            self.expr(id, scratch);
        }
        self.emit(Op::Push { a }, id, Place::Node);
    }

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

    /// An object with at least one key that is no constant.
    fn computed_object(&mut self, id: NodeId, items: &[NodeId], d: Reg) {
        self.emit(Op::ObjectBegin {}, id, Place::Node);
        for (at, item) in items.chunks_exact(2).enumerate() {
            self.with_log(id, |lowering, log| {
                lowering.with_value(item[0], |lowering, key| {
                    lowering.with_log(id, |lowering, after| {
                        lowering.with_value(item[1], |lowering, a| {
                            let op = Op::ObjectItem { key, a, log, after };
                            lowering.emit(op, id, Place::Value(at as u32));
                        });
                    });
                });
            });
        }
        self.emit(Op::ObjectEnd { d }, id, Place::Node);
    }

    /// A key that is no constant: an expression, or a traversal that could be meant either way.
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
