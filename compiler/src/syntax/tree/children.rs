//! The children of a node in source order.
//!
//! The one place that lists the children of every kind of node; each analysis that only has to reach
//! all nodes is built on it.

use super::{For, Node, NodeId, StepKind, StepList, Tree};

impl Tree {
    /// Appends the children of `id` to `found`, in source order. The literals of constant indexes and
    /// object keys are included.
    pub fn children(&self, id: NodeId, found: &mut Vec<NodeId>) {
        match self.node(id) {
            Node::Null | Node::Bool(_) | Node::Number(_) | Node::Text(_) => {}
            Node::SplatItem | Node::Invalid | Node::Problem(_) => {}
            Node::Template(items)
            | Node::Tuple(items)
            | Node::Object(items)
            | Node::JsonObject(items)
            | Node::Broken(items) => found.extend(self.list(items)),
            Node::TemplateWrap(inner)
            | Node::TemplateJoin(inner)
            | Node::Parens(inner)
            | Node::Unary { operand: inner, .. }
            | Node::ObjectKey { expr: inner, .. }
            | Node::JsonKey { name: inner, .. }
            | Node::JsonString { template: inner, .. } => found.push(inner),
            Node::Traversal { steps, .. } => self.step_keys(steps, found),
            Node::RelativeTraversal { source, steps } => {
                found.push(source);
                self.step_keys(steps, found);
            }
            Node::Call(call) => found.extend(self.list(self.call(call).args)),
            Node::Conditional { condition, yes, no } => found.extend([condition, yes, no]),
            Node::Index { collection, key, .. } => found.extend([collection, key]),
            Node::For(details) => self.for_expr(details).children(found),
            Node::Splat { source, each, .. } => found.extend([source, each]),
            Node::Binary { lhs, rhs, .. } => found.extend([lhs, rhs]),
        }
    }

    fn step_keys(&self, steps: StepList, found: &mut Vec<NodeId>) {
        found.extend(self.steps(steps).iter().filter_map(|step| match step.kind {
            StepKind::Index(key) => Some(key),
            StepKind::Attribute(_) => None,
        }));
    }

    /// Returns the first node of the expression `root`, whose nodes are within `first..=root`.
    pub fn first_node(&self, root: NodeId) -> NodeId {
        let mut first = root;
        let mut open = vec![root];
        while let Some(id) = open.pop() {
            first = first.min(id);
            self.children(id, &mut open);
        }
        first
    }
}

impl For {
    /// Appends the collection, which is outside the scope of the bound names, and then the expressions
    /// inside it.
    fn children(&self, found: &mut Vec<NodeId>) {
        found.push(self.collection);
        found.extend(self.key);
        found.push(self.value);
        found.extend(self.condition);
    }
}
