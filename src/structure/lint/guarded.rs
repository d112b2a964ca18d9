//! Lints of names in `try` and `can`: those that do not exist are no errors there, and hide a mistake.

use std::collections::BTreeSet;

use hclvm_compiler::tree::{Node, NodeId, StepKind, TraversalStep};
use hclvm_vm::{Comparisons, Type, codes, did_you_mean};

use super::file::LintedFile;
use crate::structure::module::locals::LOCAL;

/// Warns about the names in `try` and `can` of a file.
pub(super) fn lint(file: &mut LintedFile<'_>) {
    let mut guarded = BTreeSet::new();
    let nodes: Vec<NodeId> = file.nodes().collect();
    // Outer calls first: the nodes of those in them are known then.
    for id in nodes.into_iter().rev() {
        if let Node::Call(call) = file.tree.node(id)
            && !guarded.contains(&id.0)
            && matches!(&*file.tree.call(call).name, "try" | "can")
        {
            file.visit(id, |part| {
                guarded.insert(part.0);
            });
        }
    }
    let comparisons = Comparisons::new();
    for id in guarded.into_iter().map(NodeId) {
        let Node::Traversal { root, steps } = file.tree.node(id) else { continue };
        let tree = file.tree;
        let name = tree.name(root).as_str();
        if file.bound.contains(name) {
            continue;
        }
        let reason = if name == LOCAL {
            local(file, &comparisons, tree.steps(steps))
        } else {
            variable(file, &comparisons, name, tree.steps(steps))
        };
        if let Some(reason) = reason {
            let detail = format!("{reason} `try` and `can` hide that {} always fails.", file.quoted(id));
            file.warn(codes::GUARDED_NAME, detail, file.tree.span(id));
        }
    }
}

/// Returns why a local does not exist.
fn local(file: &mut LintedFile<'_>, comparisons: &Comparisons, steps: &[TraversalStep]) -> Option<String> {
    let StepKind::Attribute(step) = steps.first()?.kind else { return None };
    let name = file.tree.name(step).as_str();
    if file.locals.is_empty() || file.locals.contains_key(name) || file.is_part {
        return None;
    }
    let near = comparisons.nearest(name, file.locals.keys().copied()).map(str::to_owned);
    let hint = near.as_deref().map_or_else(String::new, |near| did_you_mean(name, near));
    file.mention(&near.unwrap_or_default());
    Some(format!("There is no local value \"{name}\".{hint}"))
}

/// Returns why a variable or an attribute of it does not exist. Attributes may be missing in some scopes, so that only
/// one with nearly the name of another is taken for a mistake.
fn variable(
    file: &LintedFile<'_>,
    comparisons: &Comparisons,
    name: &str,
    steps: &[TraversalStep],
) -> Option<String> {
    let declared = file.declared?;
    if declared.lacks(name) {
        let near = comparisons.nearest(name, declared.declared_names().chain([LOCAL]));
        let hint = near.map_or_else(String::new, |near| did_you_mean(name, near));
        return Some(format!("There is no variable \"{name}\" here.{hint}"));
    }
    let mut ty = declared.type_of(name)?;
    for step in steps {
        ty = match (ty, step.kind) {
            (Type::Object(attributes), StepKind::Attribute(step)) => {
                let name = file.tree.name(step).as_str();
                let Some(attribute) = attributes.iter().find(|attribute| attribute.name == name) else {
                    let near =
                        comparisons.nearest(name, attributes.iter().map(|attribute| attribute.name))?;
                    return Some(format!("There is no attribute \"{name}\".{}", did_you_mean(name, near)));
                };
                attribute.ty
            }
            (Type::Map(element), _) | (Type::List(element), StepKind::Index(_)) => *element,
            _ => return None,
        };
    }
    None
}
