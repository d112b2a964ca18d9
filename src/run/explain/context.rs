//! Advice about variables without a value that are blocks of the file, and about splats over maps.

use hclvm_compiler::tree::{Node, NodeId};
use hclvm_vm::code::Failure;
use hclvm_vm::{Fault, Value, View};

use super::FaultSite;
use super::hints::Hint;

impl FaultSite<'_> {
    /// Advises about a variable that has no value.
    fn missing_variable(&self, name: &str) -> Option<Hint> {
        let has_block = |kind: &str| {
            let tree = self.tree();
            tree.blocks().iter().any(|block| tree.name(block.kind) == kind)
        };
        if name == "var" {
            let declared = if has_block("variable") {
                "Blocks of type \"variable\" declare nothing here: the"
            } else {
                "The"
            };
            return Some(Hint::say(format!(
                "{declared} host sets variables, and an expression reads them by their names alone, without `var.`."
            )));
        }
        has_block(name).then(|| {
            Hint::say(format!(
                "Blocks of type \"{name}\" are not variables. Put a value that several expressions read into a block \"locals\", and read it as `local.NAME`."
            ))
        })
    }

    /// Proposes the values of a map in place of a splat over it, which goes over a list.
    fn splat_of_map(&self, of: Value<'_>) -> Option<Hint> {
        let (View::Object(entries) | View::Map(entries, _)) = of.view() else { return None };
        if entries.is_empty() || entries.iter().any(|entry| entry.value.as_entries().is_none()) {
            return None;
        }
        let source = self.splat_around(self.program.node(self.record.node))?;
        let text = format!("values({})", self.text(source)?);
        self.has("values").then(|| {
            let sentence = format!("A splat iterates over a list: for each value of this map, write {text}.");
            Hint::change(sentence, self.span(source), text)
        })
    }

    /// Returns what the splat iterates over whose elements a node reads directly.
    fn splat_around(&self, id: NodeId) -> Option<NodeId> {
        let Node::RelativeTraversal { source, .. } = self.tree().node(id) else { return None };
        if !matches!(self.tree().node(source), Node::SplatItem) {
            return None;
        }
        let (tree, root) = self.program.expression();
        let mut left = vec![root];
        while let Some(next) = left.pop() {
            if let Node::Splat { source: over, item, .. } = tree.node(next)
                && item == source
            {
                return Some(over);
            }
            tree.children(next, &mut left);
        }
        None
    }

    /// Returns advice for a fault about names.
    pub(super) fn of_context(&self) -> Option<Hint> {
        match &self.record.fault {
            Fault::UnsetVariable(name) => self.missing_variable(name),
            Fault::Failure(Failure::UnknownVariable { name, .. }) => self.missing_variable(name),
            Fault::NoAttribute { of: Some(of), .. } | Fault::NoElement { of: Some(of), .. } => {
                self.splat_of_map(*of)
            }
            _ => None,
        }
    }
}
