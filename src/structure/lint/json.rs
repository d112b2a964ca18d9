//! Lints of files in JSON, whose blocks are only known with a schema: locals that nothing reads, and texts that look
//! like references.

use hclvm_compiler::tree::{Node, NodeId};
use hclvm_vm::codes;

use super::blocks::unused_locals;
use super::file::LintedFile;

/// Warns about a file in JSON.
pub(super) fn lint(file: &mut LintedFile<'_>) {
    let nodes: Vec<NodeId> = file.nodes().collect();
    for id in nodes {
        if let Node::JsonString { text, .. } = file.tree.node(id) {
            reference_in_quotes(file, id, file.tree.text(text));
        }
    }
    unused_locals(file);
}

/// Warns about `"local.n"`.
fn reference_in_quotes(file: &mut LintedFile<'_>, id: NodeId, text: &str) {
    let path = text.strip_prefix('$').unwrap_or(text);
    let is_path = path.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
    let Some(local) = file.local_named(path).filter(|_| is_path) else { return };
    file.mention(local);
    let detail = format!("`\"{text}\"` is a string; `\"${{{path}}}\"` is the value.");
    let span = file.tree.span(id);
    file.warn(codes::REFERENCE_IN_QUOTES, detail, span)
        .additions_mut()
        .propose(span, format!("\"${{{path}}}\""));
}
