//! Templates, and the concatenation of the texts that a `for` directive makes.

use hclvm_vm::code::{Op, Reg};
use hclvm_vm::text::nfc;
use hclvm_vm::{Place, Value};

use super::BaselineLowering;
use super::emit::Emitter;
use crate::tree::{Node, NodeId, NodeList};

impl BaselineLowering<'_> {
    /// Lowers a template.
    pub(super) fn template(&mut self, id: NodeId, parts: NodeList, d: Reg) {
        let tree = self.context.tree;
        self.emit(Op::TemplateBegin {}, id, Place::Node);
        for (at, part) in tree.list(parts).iter().enumerate() {
            if let Node::Text(text) = tree.node(*part) {
                self.template_text(id, tree.text(text));
            } else {
                let value = self.take_value(*part);
                self.template_part(id, value.reg, at);
                self.give_back(value);
            }
        }
        self.emit(Op::TemplateEnd { d }, id, Place::Node);
    }

    fn template_text(&mut self, id: NodeId, text: &str) {
        // The result is normalized as a whole, but the known prefix of an unknown result is cut before.
        let text =
            Value::str(self.context.arena(), nfc(self.context.arena(), self.context.arena().text(text)));
        let k = self.emitter.constant(text);
        self.emit(Op::TemplateText { k }, id, Place::Node);
    }

    fn template_part(&mut self, id: NodeId, a: Reg, at: usize) {
        let part = Emitter::position(at);
        self.emit(Op::TemplatePart { a, part }, id, Place::Part(part.0));
    }

    /// Lowers a `for` directive.
    pub(super) fn join(&mut self, id: NodeId, inner: NodeId, d: Reg) {
        self.expr(inner, d);
        self.emit(Op::Join { d, a: d }, id, Place::Node);
    }
}
