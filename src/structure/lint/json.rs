//! Lints of files in JSON, whose blocks are only known with a schema: locals that nothing reads, texts that look
//! like references, and names that are set twice.

use std::collections::HashMap;

use hclvm_compiler::tree::{Node, NodeId};
use hclvm_vm::{Label, Span, codes};

use super::blocks::unused_locals;
use super::file::File;

/// Warns about a file in JSON.
pub(super) fn lint(file: &mut File<'_>) {
    let nodes: Vec<NodeId> = file.nodes().collect();
    for id in nodes {
        if let Node::JsonString { text, .. } = file.tree.node(id) {
            reference_in_quotes(file, id, file.tree.text(text));
        }
    }
    repeated_names(file);
    unused_locals(file);
}

/// Warns about `"local.n"`.
fn reference_in_quotes(file: &mut File<'_>, id: NodeId, text: &str) {
    let path = text.strip_prefix('$').unwrap_or(text);
    let is_path = path.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
    let Some(local) = file.local_named(path).filter(|_| is_path) else { return };
    file.mention(local);
    let detail = format!("`\"{text}\"` is a text; `\"${{{path}}}\"` is the value.");
    let span = file.tree.span(id);
    file.warn(codes::REFERENCE_IN_QUOTES, detail, span)
        .additions_mut()
        .propose(span, format!("\"${{{path}}}\""));
}

/// Warns about names that the body of the file sets twice, except for objects and arrays, which may be blocks.
fn repeated_names(file: &mut File<'_>) {
    let mut seen: HashMap<&str, Span> = HashMap::new();
    for attribute in file.document.body().attributes() {
        let is_block =
            matches!(file.tree.node(attribute.definition().expr), Node::JsonObject(_) | Node::Tuple(_));
        let span = attribute.name_span();
        match seen.get(attribute.name()) {
            Some(first) if !is_block => {
                let line = file.document.source().position(first.start).line;
                let detail = format!("`{}` is already set on line {line}.", attribute.name());
                let first = Label { span: *first, text: "the first one is here".into() };
                file.warn(codes::REPEATED_NAME, detail, span).additions_mut().labels.push(first);
            }
            _ => {
                seen.entry(attribute.name()).or_insert(span);
            }
        }
    }
}
