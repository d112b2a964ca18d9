//! Lints of `for` expressions: those that ignore their variables.

use hclvm_compiler::tree::{ForId, Node, NodeId};
use hclvm_vm::codes;

use super::file::File;

/// Warns about the `for` expressions of a file.
pub(super) fn lint(file: &mut File<'_>) {
    for id in file.nodes() {
        let Node::For(details) = file.tree.node(id) else { continue };
        // A directive repeats text, which is a use of its own.
        if file.text(id).starts_with(['[', '{']) && ignores_its_variables(file, details) {
            let found = file.tree.for_expr(details);
            let name = file.tree.name(found.value_name);
            let detail = format!(
                "Neither the result nor the `if` clause reads `{name}`, so that all results are equal. Call the variable `_` if that is meant."
            );
            let span = file.tree.span(found.value);
            file.warn(codes::UNUSED_FOR_VARIABLE, detail, span);
        }
    }
}

fn ignores_its_variables(file: &File<'_>, id: ForId) -> bool {
    let details = file.tree.for_expr(id);
    let names = details.key_name.into_iter().chain([details.value_name]);
    let names: Vec<&str> = names.map(|name| file.tree.name(name).as_str()).collect();
    if names.iter().any(|name| name.starts_with('_')) || is_counted(file, details.collection) {
        return false;
    }
    let mut reads = false;
    for part in details.key.into_iter().chain([details.value]).chain(details.condition) {
        file.visit(part, |node| {
            if let Node::Traversal { root, .. } = file.tree.node(node) {
                reads |= names.contains(&file.tree.name(root).as_str());
            }
        });
    }
    !reads
}

/// Returns true for `range(n)`, which only counts.
fn is_counted(file: &File<'_>, collection: NodeId) -> bool {
    matches!(file.tree.node(file.bare(collection)), Node::Call(call) if file.tree.call(call).name == "range")
}
