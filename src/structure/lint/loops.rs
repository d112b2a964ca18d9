//! Lints of `for` expressions: those that ignore their variables.

use std::collections::HashMap;

use hclvm_compiler::tree::{ForId, Node, NodeId};
use hclvm_vm::codes;

use super::file::LintedFile;

/// Warns about the `for` expressions of a file.
pub(super) fn lint(file: &mut LintedFile<'_>) {
    let references = References::of(file);
    for id in file.nodes() {
        let Node::For(details) = file.tree.node(id) else { continue };
        // A directive repeats text, which is a use of its own.
        if file.text(id).starts_with(['[', '{']) && ignores_its_variables(file, details, &references) {
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

/// Where the expressions of a file read variables: by name, the places in their order.
struct References<'a>(HashMap<&'a str, Vec<u32>>);

impl<'a> References<'a> {
    fn of(file: &LintedFile<'a>) -> Self {
        let mut places: HashMap<&str, Vec<u32>> = HashMap::new();
        for id in file.nodes() {
            if let Node::Traversal { root, .. } = file.tree.node(id) {
                places.entry(file.tree.name(root).as_str()).or_default().push(file.tree.span(id).start);
            }
        }
        for places in places.values_mut() {
            places.sort_unstable();
        }
        Self(places)
    }

    /// Returns true if an expression reads a variable.
    fn are_in(&self, file: &LintedFile<'_>, part: NodeId, name: &str) -> bool {
        let span = file.tree.span(part);
        let places = self.0.get(name).map_or(&[][..], Vec::as_slice);
        places.get(places.partition_point(|at| *at < span.start)).is_some_and(|at| *at < span.end)
    }
}

fn ignores_its_variables(file: &LintedFile<'_>, id: ForId, references: &References<'_>) -> bool {
    let details = file.tree.for_expr(id);
    let mut names =
        details.key_name.into_iter().chain([details.value_name]).map(|name| file.tree.name(name).as_str());
    if names.clone().any(|name| name.starts_with('_')) || is_counted(file, details.collection) {
        return false;
    }
    let parts = || details.key.into_iter().chain([details.value]).chain(details.condition);
    !names.any(|name| parts().any(|part| references.are_in(file, part, name)))
}

/// Returns true for `range(n)`, which only counts.
fn is_counted(file: &LintedFile<'_>, collection: NodeId) -> bool {
    matches!(file.tree.node(file.bare(collection)), Node::Call(call) if file.tree.call(call).name == "range")
}
