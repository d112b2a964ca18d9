//! The operands of a failed operator and the arms of a failed conditional, each with what it is.

use hclvm_compiler::tree::{Node, NodeId};
use hclvm_vm::{Fault, Label, Value};

use super::FaultSite;
use crate::data::show::{kind, line};

impl FaultSite<'_> {
    /// Returns a label for each of two operands.
    pub(super) fn labels(&self) -> Vec<Label> {
        let [first, second] = self.record.concerned;
        // That there are labels shows the kind of the fault, which may depend on what is marked.
        if [first, second].iter().any(|value| value.is_unset() || value.contains_marks()) {
            return Vec::new();
        }
        let (tree, _) = self.program.expression();
        let nodes = match (&self.record.fault, tree.node(self.program.node(self.record.node))) {
            (Fault::Operand(..) | Fault::Operation(_), Node::Binary { lhs, rhs, .. }) => [lhs, rhs],
            (Fault::Arms(..) | Fault::Arm(..), Node::Conditional { yes, no, .. }) => [yes, no],
            (Fault::IndexKey(_) | Fault::IndexOfOther(_), Node::Index { collection, key, .. }) => {
                [collection, key]
            }
            _ => return Vec::new(),
        };
        nodes
            .into_iter()
            .zip([first, second])
            .map(|(node, value)| Label { span: tree.span(node), text: self.label(node, value).into() })
            .collect()
    }

    /// Reports what an operand is, with its value if neither the text nor the path of a variable shows it.
    fn label(&self, id: NodeId, value: Value<'_>) -> String {
        let (tree, _) = self.program.expression();
        let kind = kind(value);
        let is_told = match tree.node(id) {
            Node::Null | Node::Bool(_) | Node::Number(_) | Node::Template(_) => true,
            _ => self.tells(id),
        };
        let is_short = value.as_number().is_some() || value.as_str().is_some() || value.as_bool().is_some();
        if is_told || !is_short { kind } else { format!("{kind}: {}", line(value)) }
    }
}
