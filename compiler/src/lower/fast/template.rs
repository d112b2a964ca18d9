//! Templates: parts that are appended to one buffer.

use hclvm_vm::Value;
use hclvm_vm::code::Const;
use hclvm_vm::code::fast::{FastLabel, FastOp, FastReg, InlineCache};

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

    /// Appends the parts of a template. An interpolation with literal text behind it is one
    /// superinstruction.
    pub(super) fn parts(&mut self, parts: NodeList) -> Option<()> {
        let tree = self.context.tree;
        let mut rest = tree.list(parts);
        while let [part, behind @ ..] = rest {
            rest = behind;
            if let [text, behind @ ..] = behind
                && self.is_interpolation(*part)
                && let Some(k) = self.literal(*text)
            {
                self.interpolation(*part, Some(k))?;
                rest = behind;
            } else if matches!(tree.node(*part), Node::Template(_)) {
                self.interpolation(*part, None)?;
            } else {
                self.part(*part)?;
            }
        }
        Some(())
    }

    /// Appends the parts of a template and jumps to the head of the enclosing loop. If the last
    /// instruction appends an interpolation and text, a superinstruction of it and the jump replaces it.
    pub(super) fn parts_and_jump(&mut self, parts: NodeList, head: FastLabel) -> Option<()> {
        self.parts(parts)?;
        // After an interpolation and text no label is placed here, which the jump would have to follow.
        let tree = self.context.tree;
        let plain = matches!(tree.list(parts), [.., value, text]
            if self.is_interpolation(*value) && matches!(tree.node(*text), Node::Text(_)));
        let jumping = match self.ops.last().filter(|_| plain) {
            Some(&FastOp::TemplateValueText { a, k }) => Some(FastOp::LoopText { a, to: head, k }),
            Some(FastOp::TemplateAttributeText { a, cache, symbol, k }) => {
                let cache = cache.clone();
                Some(FastOp::LoopTextAttribute { a: *a, cache, to: head, symbol: *symbol, k: *k })
            }
            _ => None,
        };
        match jumping {
            Some(op) => *self.ops.last_mut()? = op,
            None => self.push(FastOp::Jump { to: head }),
        }
        Some(())
    }

    /// Returns true if a part is an interpolation, neither literal text nor a directive. An interpolated template is
    /// a value of its own: if a part of it is unknown, the known prefix ends where it begins.
    fn is_interpolation(&self, id: NodeId) -> bool {
        let tree = self.context.tree;
        match tree.node(id) {
            Node::Text(_) | Node::TemplateJoin(_) => false,
            Node::Conditional { yes, no, .. } => {
                !matches!((tree.node(yes), tree.node(no)), (Node::Template(_), Node::Template(_)))
            }
            _ => true,
        }
    }

    /// Returns the constant of a part that is literal text and not empty.
    pub(super) fn literal(&mut self, id: NodeId) -> Option<Const> {
        let Node::Text(text) = self.context.tree.node(id) else { return None };
        let text = self.context.tree.text(text);
        (!text.is_empty()).then(|| self.pool.constant(Value::str(self.context.arena(), text)))
    }

    /// Appends an interpolation and the text behind it.
    fn interpolation(&mut self, id: NodeId, text: Option<Const>) -> Option<()> {
        let cache = InlineCache::default();
        if self.info.constant(id).is_none()
            && let Some((a, symbol)) = self.attribute_of(id)
        {
            self.push(match text {
                Some(k) => FastOp::TemplateAttributeText { a, cache, symbol, k },
                None => FastOp::TemplateAttribute { a, cache, symbol },
            });
            return Some(());
        }
        self.with_operand(id, |lowering, a| {
            lowering.push(match text {
                Some(k) => FastOp::TemplateValueText { a, k },
                None => FastOp::TemplateValue { a },
            });
            Some(())
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
            _ => self.interpolation(id, None),
        }
    }
}
