//! The kind of value that an expression has in every scope, where its syntax shows it.

use hclvm_compiler::tree::{BinaryKind, BinaryOp, Node, NodeId, StepKind, UnaryOp};
use hclvm_vm::Type;

use super::file::LintedFile;

/// Locals that are followed from a reference to their expression; a longer chain has no known shape.
const LONGEST_CHAIN: usize = 8;

/// A kind of value. Values of different kinds are never equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueShape {
    Bool,
    Number,
    String,
    /// A list, set or tuple.
    Sequence,
    /// A map or object.
    Mapping,
}

impl ValueShape {
    /// Returns the words for a value of this kind.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Bool => "true or false",
            Self::Number => "a number",
            Self::String => "a string",
            Self::Sequence => "a list",
            Self::Mapping => "an object",
        }
    }

    fn of_type(ty: Type<'_>) -> Option<Self> {
        match ty {
            Type::Bool => Some(Self::Bool),
            Type::Number => Some(Self::Number),
            Type::String => Some(Self::String),
            Type::List(_) | Type::Set(_) | Type::Tuple(_) => Some(Self::Sequence),
            Type::Map(_) | Type::Object(..) => Some(Self::Mapping),
            _ => None,
        }
    }
}

impl LintedFile<'_> {
    /// Returns the kind of value of an expression if it has one in every scope.
    pub(super) fn shape(&self, id: NodeId) -> Option<ValueShape> {
        self.shape_after(id, 0)
    }

    fn shape_after(&self, mut id: NodeId, mut chain: usize) -> Option<ValueShape> {
        loop {
            match self.tree.node(id) {
                Node::Parens(inner) | Node::TemplateWrap(inner) => id = inner,
                Node::Traversal { .. } => {
                    let local = self.whole_local(id).filter(|_| chain < LONGEST_CHAIN);
                    let Some(local) = local else {
                        return self.declared_type(id).and_then(ValueShape::of_type);
                    };
                    id = local;
                    chain += 1;
                }
                Node::Bool(_) | Node::Unary { op: UnaryOp::Not, .. } => return Some(ValueShape::Bool),
                Node::Number(_) | Node::Unary { op: UnaryOp::Negate, .. } => return Some(ValueShape::Number),
                Node::Text(_) | Node::Template(_) | Node::TemplateJoin(_) => return Some(ValueShape::String),
                Node::Tuple(_) => return Some(ValueShape::Sequence),
                Node::Object(_) => return Some(ValueShape::Mapping),
                Node::For(details) => {
                    let builds_object = self.tree.for_expr(details).key.is_some();
                    return Some(if builds_object { ValueShape::Mapping } else { ValueShape::Sequence });
                }
                Node::Binary { op, .. } => return Some(result(op)),
                Node::Call(call) => {
                    let functions = self.document.engine().settings().dialect.functions.as_ref()?;
                    let function = functions.get(&self.tree.call(call).name)?;
                    return ValueShape::of_type(function.static_return()?);
                }
                _ => return None,
            }
        }
    }

    /// Returns the type of a variable or of a part of one, if it is declared.
    fn declared_type(&self, id: NodeId) -> Option<Type<'_>> {
        let Node::Traversal { root, steps } = self.tree.node(id) else { return None };
        let root = self.tree.name(root);
        let ty = self.declared.filter(|_| !self.bound.contains(root))?.type_of(root)?;
        self.tree.steps(steps).iter().try_fold(ty, |ty, step| match (ty, step.kind) {
            (Type::Object(_), StepKind::Attribute(name)) => {
                ty.attribute(self.tree.name(name)).map(|attribute| attribute.ty)
            }
            (Type::Map(element), _) | (Type::List(element), StepKind::Index(_)) => Some(*element),
            _ => None,
        })
    }

    /// Returns the expression of a local that a node names without further steps.
    fn whole_local(&self, id: NodeId) -> Option<NodeId> {
        let text = self.text(id);
        let name = text.strip_prefix("local.")?;
        self.locals.get(name).copied()
    }

    /// Returns true if an expression has a value that is never null, or no value.
    pub(super) fn is_never_null(&self, id: NodeId) -> bool {
        matches!(
            self.tree.node(self.bare(id)),
            Node::Bool(_)
                | Node::Number(_)
                | Node::Template(_)
                | Node::Tuple(_)
                | Node::Object(_)
                | Node::For(_)
                | Node::Binary { .. }
                | Node::Unary { .. }
        )
    }
}

fn result(op: BinaryOp) -> ValueShape {
    match op.kind() {
        BinaryKind::Arithmetic(_) => ValueShape::Number,
        BinaryKind::Logical { .. } | BinaryKind::Equality { .. } | BinaryKind::Comparison(_) => {
            ValueShape::Bool
        }
    }
}
