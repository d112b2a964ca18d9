//! Ranges of nodes in the source, beyond the whole range that every node records.

use hclvm_vm::{Span, cast};

use super::{BlockSyntax, Node, NodeId, Tree};

impl Tree {
    /// Returns the range of the root variable's name of a `Traversal`, or the range of any other node.
    pub fn root_span(&self, id: NodeId) -> Span {
        let span = self.span(id);
        match self.node(id) {
            Node::Traversal { root, .. } => {
                Span::new(span.start, span.start + cast::length(self.name(root).len()))
            }
            _ => span,
        }
    }

    /// Returns the blocks around the byte at `offset`, from the outermost. A block ranges from its type to its
    /// closing brace.
    pub fn blocks_around(&self, offset: u32) -> Vec<&BlockSyntax> {
        let holds = |block: &&BlockSyntax| (block.span().start..block.span().end).contains(&offset);
        let mut found: Vec<&BlockSyntax> = self.blocks.iter().filter(holds).collect();
        found.sort_unstable_by_key(|block| block.span().start);
        found
    }

    /// Returns the range that the reference's errors about an argument point at: the leftmost operand
    /// of a binary operation, the opening bracket of a constructor, the name and `(` of a call, the
    /// first part of a template.
    pub fn start_span(&self, id: NodeId) -> Span {
        let mut at = id;
        loop {
            let span = self.span(at);
            match self.node(at) {
                Node::Binary { lhs, .. } => at = lhs,
                Node::Conditional { condition, .. } => at = condition,
                Node::Parens(inner) | Node::TemplateJoin(inner) => at = inner,
                Node::ObjectKey { expr, .. } => at = expr,
                Node::Template(parts) if !parts.is_empty() => at = self.list(parts)[0],
                Node::Call(call) => {
                    let call = self.call(call);
                    return call.name_span.to(call.open_paren);
                }
                Node::Index { open, .. } => return Span::new(open, open + 1),
                Node::Splat { item, .. } => return self.span(item),
                Node::For(details) => return self.for_expr(details).open,
                Node::Tuple(_) | Node::Object(_) | Node::JsonObject(_) | Node::Unary { .. } => {
                    return Span::new(span.start, span.start + 1);
                }
                _ => return span,
            }
        }
    }
}
