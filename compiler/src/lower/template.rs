//! Templates and the join of a repeated part.

use hclvm_vm::code::{Op, Reg};
use hclvm_vm::fault::Place;
use hclvm_vm::text::nfc;
use hclvm_vm::value::Value;

use super::Lowering;
use crate::emit::Emitter;
use crate::tree::{Node, NodeId, NodeList};

impl Lowering<'_, '_> {
    pub(super) fn template(&mut self, id: NodeId, parts: NodeList, d: Reg) {
        let tree = self.tree;
        self.emit(Op::TemplateBegin {}, id, Place::Node);
        for (at, part) in tree.list(parts).iter().enumerate() {
            if let Node::Text(text) = tree.node(*part) {
                // The whole result is normalised anyway, but a known prefix is cut before that.
                let text = Value::str(self.arena, nfc(self.arena, self.arena.text(tree.text(text))));
                let k = self.emitter.constant(text);
                self.emit(Op::TemplateText { k }, id, Place::Node);
                continue;
            }
            let part_position = Emitter::position(at);
            self.with_value(*part, |lowering, a| {
                let op = Op::TemplatePart { a, part: part_position };
                lowering.emit(op, id, Place::Part(part_position.0));
            });
        }
        self.emit(Op::TemplateEnd { d }, id, Place::Node);
    }

    pub(super) fn join(&mut self, id: NodeId, inner: NodeId, d: Reg) {
        self.expr(inner, d);
        self.emit(Op::Join { d, a: d }, id, Place::Node);
    }
}
