//! The shape of conditions: operands of a chain, and what is known of an operand that is not evaluated.

use std::sync::Arc;

use hclvm_vm::{Function, Type};

use super::{ClauseSearch, Constant, Guard, GuardKind};
use crate::analysis::{Key, Traversal};
use crate::tree::{BinaryKind, BinaryOp, Node, NodeId, Tree, UnaryOp};

/// Returns the node without parentheses and what else returns a value as it is.
pub(super) fn bare(tree: &Tree, mut id: NodeId) -> NodeId {
    while let Node::Parens(inner) | Node::TemplateWrap(inner) | Node::JsonString { template: inner, .. } =
        tree.node(id)
    {
        id = inner;
    }
    id
}

/// Returns the operands of a chain of one operator in order. The first operator is that of `id`.
pub(super) fn operands(tree: &Tree, id: NodeId, wanted: BinaryOp) -> Vec<NodeId> {
    let mut found = Vec::new();
    let mut rest = id;
    while let Node::Binary { op, lhs, rhs } = tree.node(rest)
        && op == wanted
    {
        found.push(rhs);
        rest = bare(tree, lhs);
    }
    found.push(rest);
    found.reverse();
    found
}

/// Returns the name that a step selects.
pub(super) const fn name_of(key: Key<'_>) -> Option<&str> {
    match key {
        Key::Attribute(name) | Key::Text(name) => Some(name),
        _ => None,
    }
}

/// Returns true if both paths are written with the same names.
pub(super) fn is_same(one: Traversal<'_>, other: Traversal<'_>) -> bool {
    let names = |path: Traversal<'_>| path.steps().len();
    one.root() == other.root()
        && names(one) == names(other)
        && one.steps().zip(other.steps()).all(|((one, _), (other, _))| name_of(one) == name_of(other))
}

impl<'t> ClauseSearch<'t, '_> {
    /// Returns true if the value of a node converts to a bool whatever it is, faults included, if the values in
    /// `guards` are as they require.
    pub(super) fn is_bool(&self, id: NodeId, guards: &mut Vec<Guard<'t>>) -> bool {
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            let id = bare(self.tree, id);
            let fits = match self.tree.node(id) {
                Node::Bool(_) | Node::Unary { op: UnaryOp::Not, .. } => true,
                Node::Binary { op, .. } => !matches!(op.kind(), BinaryKind::Arithmetic(_)),
                Node::Call(_) => self.returns_bool(id),
                Node::Traversal { .. } => self.guard(id, GuardKind::Bool, guards),
                Node::Conditional { yes, no, .. } => {
                    open.extend([yes, no]);
                    true
                }
                _ => false,
            };
            if !fits {
                return false;
            }
        }
        true
    }

    /// Returns true if the value of a node that has faults is unknown.
    pub(super) fn is_unknown_if_faulty(&self, id: NodeId) -> bool {
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            let id = bare(self.tree, id);
            let is_unknown = match self.tree.node(id) {
                Node::Binary { op, lhs, rhs } => {
                    if op.is_logical() {
                        open.extend([lhs, rhs]);
                    }
                    true
                }
                Node::Unary { .. } | Node::Traversal { .. } => true,
                Node::Bool(_) | Node::Null | Node::Number(_) | Node::Text(_) => true,
                Node::Call(_) => self.function(id).is_some_and(|function| !function.is_lazy()),
                _ => false,
            };
            if !is_unknown {
                return false;
            }
        }
        true
    }

    /// Returns true if a node is a bool and has no faults, if the values in `guards` are as they require.
    pub(super) fn is_sound(&self, id: NodeId, guards: &mut Vec<Guard<'t>>) -> bool {
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            let id = bare(self.tree, id);
            let fits = match self.tree.node(id) {
                Node::Bool(_) => true,
                Node::Unary { op: UnaryOp::Not, operand } => {
                    open.push(operand);
                    true
                }
                Node::Binary { op, lhs, rhs } => {
                    let mut are_known =
                        |kind| [lhs, rhs].into_iter().all(|side| self.is_known(side, kind, guards));
                    match op.kind() {
                        BinaryKind::Logical { .. } => {
                            open.extend([lhs, rhs]);
                            true
                        }
                        BinaryKind::Equality { .. } => are_known(GuardKind::Primitive),
                        BinaryKind::Comparison(_) => are_known(GuardKind::Number),
                        BinaryKind::Arithmetic(_) => false,
                    }
                }
                Node::Traversal { .. } => self.guard(id, GuardKind::Bool, guards),
                _ => false,
            };
            if !fits {
                return false;
            }
        }
        true
    }

    /// Returns true if a node is a constant or a path that is guarded now.
    fn is_known(&self, id: NodeId, kind: GuardKind, guards: &mut Vec<Guard<'t>>) -> bool {
        match self.constant(id) {
            Some(Constant::Number(_)) => true,
            Some(_) => kind == GuardKind::Primitive,
            None => self.guard(id, kind, guards),
        }
    }

    fn guard(&self, id: NodeId, kind: GuardKind, guards: &mut Vec<Guard<'t>>) -> bool {
        let path = self.path(id);
        guards.extend(path.map(|path| Guard { path, kind }));
        path.is_some()
    }

    fn returns_bool(&self, id: NodeId) -> bool {
        self.function(id).is_some_and(|function| {
            !function.is_lazy() && matches!(function.static_return(), Some(Type::Bool))
        })
    }

    fn function(&self, id: NodeId) -> Option<&Arc<Function>> {
        let Node::Call(call) = self.tree.node(id) else { return None };
        self.meaning.functions?.get(&self.tree.call(call).name)
    }
}
