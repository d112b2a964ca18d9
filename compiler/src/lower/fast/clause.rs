//! The `if` clauses of for expressions.
//!
//! The reference tries a clause once on unknown loop variables before the first element, and a fault
//! of that trial ends the loop. Fast code makes no trial, so a clause has fast code only if the trial
//! cannot fail where the elements do not.

use hclvm_vm::Lazy;
use hclvm_vm::code::fast::FastLabel;

use super::FastLowering;
use crate::analysis::info::StaticType;
use crate::tree::{BinaryKind, For, Node, NodeId, UnaryOp};

impl FastLowering<'_, '_> {
    /// Lowers a clause: jumps to the head of the loop unless it includes the element.
    pub(super) fn clause(&mut self, condition: NodeId, head: FastLabel) -> Option<()> {
        if self.in_clause {
            return self.branch(condition, false, head);
        }
        if self.may_fail_when_tried(condition) {
            return None;
        }
        self.in_clause = true;
        let done = self.branch(condition, false, head);
        self.in_clause = false;
        done
    }

    /// Returns true if a clause may have a fault for unknown elements although it has none for any
    /// element. The types of arguments and of the arms of conditionals are checked before their
    /// values, and a type built from an unknown element may not unify with the others.
    fn may_fail_when_tried(&self, condition: NodeId) -> bool {
        let tree = self.context.tree;
        let (mut open, mut children) = (vec![(condition, false, false)], Vec::new());
        while let Some((id, matters, attempted)) = open.pop() {
            if self.info.constant(id).is_some() {
                continue;
            }
            let built =
                matches!(tree.node(id), Node::Tuple(_) | Node::Object(_) | Node::For(_) | Node::Splat { .. });
            if matters && built || attempted && !self.is_plain_attempt(id) {
                return true;
            }
            let matters = matters || self.checks_types(id);
            let attempted = attempted || self.is_attempt(id);
            tree.children(id, &mut children);
            open.extend(children.drain(..).map(|child| (child, matters, attempted)));
        }
        false
    }

    /// Returns true if the trial of a clause cannot have a fault, whatever the variables of the scope are.
    pub(super) fn tries_well(&self, condition: NodeId, details: &For) -> bool {
        let tree = self.context.tree;
        let is_loop_variable = |name| {
            let names = details.key_name.into_iter().chain([details.value_name]);
            names.map(|bound| tree.name(bound)).any(|bound| bound == tree.name(name))
        };
        let mut open = vec![(condition, StaticType::Bool)];
        while let Some((id, wanted)) = open.pop() {
            if self.info.constant(id).is_some() {
                if wanted != StaticType::Dynamic && self.info.ty(id) != wanted {
                    return false;
                }
                continue;
            }
            match tree.node(id) {
                Node::Parens(inner) => open.push((inner, wanted)),
                // Unknown, like every part of it.
                Node::Traversal { root, .. } if is_loop_variable(root) => {}
                Node::Unary { op: UnaryOp::Not, operand } if wanted != StaticType::Number => {
                    open.push((operand, StaticType::Bool));
                }
                Node::Binary { op, lhs, rhs } if wanted != StaticType::Number => {
                    let operands = match op.kind() {
                        BinaryKind::Logical { .. } => StaticType::Bool,
                        BinaryKind::Equality { .. } => StaticType::Dynamic,
                        BinaryKind::Comparison(_) => StaticType::Number,
                        BinaryKind::Arithmetic(_) => return false,
                    };
                    open.extend([(lhs, operands), (rhs, operands)]);
                }
                Node::Call(call) if wanted != StaticType::Number && self.is_attempt(id) => {
                    let [others @ .., last] = tree.list(tree.call(call).args) else { return false };
                    // The value may be that of any argument, but only the last one may not have a fault.
                    let fits = |id: &NodeId| match tree.node(*id) {
                        Node::Traversal { root, .. } => is_loop_variable(root),
                        _ => wanted == StaticType::Dynamic || self.info.ty(*id) == wanted,
                    };
                    if !others.iter().all(fits) {
                        return false;
                    }
                    open.push((*last, wanted));
                }
                _ => return false,
            }
        }
        true
    }

    /// Returns true for a call of `try` or `can`.
    fn is_attempt(&self, id: NodeId) -> bool {
        let function = self.info.function(id);
        function.is_some_and(|function| matches!(function.lazy_kind(), Some(Lazy::Try | Lazy::Can)))
    }

    /// Returns true if a part of an attempt is unknown for an unknown element. Any other part, such as
    /// a call that ignores unknown arguments, may succeed in the trial and fail for every element; the
    /// attempt would then have another result.
    fn is_plain_attempt(&self, id: NodeId) -> bool {
        match self.context.tree.node(id) {
            Node::Traversal { .. } | Node::RelativeTraversal { .. } | Node::Index { .. } => true,
            Node::Null | Node::Bool(_) | Node::Number(_) | Node::Text(_) | Node::Parens(_) => true,
            Node::Unary { op, .. } => op == UnaryOp::Not,
            Node::Binary { op, .. } => match op.kind() {
                BinaryKind::Equality { .. } | BinaryKind::Comparison(_) => true,
                BinaryKind::Logical { .. } | BinaryKind::Arithmetic(_) => false,
            },
            _ => self.is_attempt(id),
        }
    }

    /// Returns true if the types of a node's descendants decide whether it has a fault.
    fn checks_types(&self, id: NodeId) -> bool {
        match self.context.tree.node(id) {
            Node::Conditional { .. } => true,
            Node::Call(call) => self.info.function(id).is_none_or(|function| {
                // The elements of an argument that becomes a collection must have one type.
                let gathers = |at| {
                    function
                        .parameter(at)
                        .is_some_and(|parameter| !parameter.ty.is_primitive() && !parameter.ty.is_dynamic())
                };
                let arguments = self.context.tree.call(call).args.len();
                !function.is_lazy() && (function.static_return().is_none() || (0..arguments).any(gathers))
            }),
            _ => false,
        }
    }
}
