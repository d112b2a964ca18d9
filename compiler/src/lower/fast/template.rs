//! Templates: parts that are appended to one buffer.

use hclvm_vm::Value;
use hclvm_vm::code::Const;
use hclvm_vm::code::fast::{FastOp, FastReg};

use super::FastLowering;
use crate::tree::{Node, NodeId, NodeList};

impl FastLowering<'_, '_> {
    /// Lowers the text of a template.
    pub(super) fn template(&mut self, id: NodeId, d: FastReg) -> Option<()> {
        self.guarded(|lowering| {
            lowering.push(FastOp::TemplateBegin { d });
            lowering.part(id)?;
            lowering.push(FastOp::TemplateEnd { d });
            Some(())
        })
    }

    /// Appends the parts of a template. A part that is a template is a value of its own: if a part of it is unknown, the
    /// known prefix ends where it begins.
    pub(super) fn parts(&mut self, parts: NodeList) -> Option<()> {
        let tree = self.context.tree;
        tree.list(parts).iter().try_for_each(|part| match tree.node(*part) {
            Node::Template(_) => self.interpolation(*part),
            _ => self.part(*part),
        })
    }

    /// Returns the constant of a part that is literal text and not empty.
    pub(super) fn literal(&mut self, id: NodeId) -> Option<Const> {
        let Node::Text(text) = self.context.tree.node(id) else { return None };
        let text = self.context.tree.text(text);
        (!text.is_empty()).then(|| self.pool.constant(Value::str(self.context.arena(), text)))
    }

    /// Appends an interpolation.
    fn interpolation(&mut self, id: NodeId) -> Option<()> {
        self.with_operand(id, |lowering, a| {
            lowering.with_register(|lowering, d| {
                lowering.push(FastOp::Text { d, a });
                lowering.push(FastOp::Append { a: d });
                Some(())
            })
        })
    }

    /// Appends a part. Directives append to the buffer of the enclosing template.
    fn part(&mut self, id: NodeId) -> Option<()> {
        let tree = self.context.tree;
        let constant = self.info.constant(id).filter(|_| !matches!(tree.node(id), Node::Text(_)));
        if let Some((value, text)) = constant.and_then(|value| Some((value, value.as_str()?))) {
            if !text.is_empty() {
                let k = self.pool.constant(value);
                self.push(FastOp::TemplateText { k });
            }
            return Some(());
        }
        match tree.node(id) {
            Node::Text(_) => {
                if let Some(k) = self.literal(id) {
                    self.push(FastOp::TemplateText { k });
                }
                Some(())
            }
            Node::Template(parts) => self.parts(parts),
            Node::TemplateJoin(inner) => self.join(inner),
            Node::Conditional { condition, yes, no }
                if matches!(tree.node(yes), Node::Template(_))
                    && matches!(tree.node(no), Node::Template(_)) =>
            {
                let (other, end) = (self.label(), self.label());
                self.branch(condition, false, other)?;
                self.part(yes)?;
                self.push(FastOp::Jump { to: end });
                self.place(other)?;
                self.part(no)?;
                self.place(end)
            }
            _ => self.interpolation(id),
        }
    }
}
