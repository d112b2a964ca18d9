//! Lints of texts: references in quotes, and what looks like an interpolation but is literal.

use std::collections::HashSet;

use hclvm_compiler::tree::{BinaryOp, Node, NodeId};
use hclvm_vm::{Span, cast, codes};

use super::file::File;

/// Warns about the texts of a file.
pub(super) fn lint(file: &mut File<'_>) {
    let mut keys = HashSet::new();
    let mut operands = HashSet::new();
    let nodes: Vec<NodeId> = file.nodes().collect();
    for id in &nodes {
        match file.tree.node(*id) {
            Node::ObjectKey { expr, .. } => file.visit(expr, |part| {
                keys.insert(part);
            }),
            Node::Binary { op, lhs, rhs } if !matches!(op, BinaryOp::And | BinaryOp::Or) => {
                operands.extend([file.bare(lhs), file.bare(rhs)]);
            }
            _ => {}
        }
    }
    for id in nodes.into_iter().filter(|id| !keys.contains(id)) {
        match file.tree.node(id) {
            Node::Template(_) => in_quotes(file, id, operands.contains(&id)),
            Node::Text(_) => in_text(file, id),
            _ => {}
        }
    }
}

/// Warns about a text that is a reference. A variable's path is only meant as one beside an operator.
fn in_quotes(file: &mut File<'_>, id: NodeId, is_operand: bool) {
    let Some(text) = file.literal(id) else { return };
    if file.text(id) != format!("\"{text}\"") {
        return;
    }
    let is_local = file.local_named(text).is_some();
    if is_path(text) && (is_local || is_operand && file.is_known(text)) {
        let detail = format!("`\"{text}\"` is a text; without quotes, `{text}` is a value.");
        let span = file.tree.span(id);
        let path = text.to_owned();
        file.warn(codes::REFERENCE_IN_QUOTES, detail, span).additions_mut().propose(span, path);
    }
}

/// Warns about `$local.n` and `{local.n}` in literal text.
fn in_text(file: &mut File<'_>, id: NodeId) {
    let span = file.tree.span(id);
    let text = span.slice(file.document.source().text());
    let mut slips = Vec::new();
    for (at, sign) in text.match_indices(['$', '{']) {
        let before = text[..at].chars().next_back();
        let rest = &text[at + 1..];
        let inner = if sign == "{" { rest.trim_start_matches(' ') } else { rest };
        let path = path_in(inner);
        if !file.is_known(path) {
            continue;
        }
        let lead = rest.len() - inner.len();
        let end = if sign == "{" {
            let after = inner[path.len()..].trim_start_matches(' ');
            // `$${` and `%%{` are literal on purpose, and braces in braces belong to another language.
            if !after.starts_with('}') || after.starts_with("}}") || matches!(before, Some('$' | '%' | '{')) {
                continue;
            }
            at + 1 + (rest.len() - after.len()) + 1
        } else {
            if before == Some('$') {
                continue;
            }
            at + 1 + lead + path.len()
        };
        slips.push((at, end, path));
    }
    for (at, end, path) in slips {
        let place = Span::new(span.start + cast::length(at), span.start + cast::length(end));
        let detail =
            format!("`{}` is literal text. Write `${{{path}}}` to insert the value.", &text[at..end]);
        file.warn(codes::SUSPICIOUS_TEMPLATE, detail, place)
            .additions_mut()
            .propose(place, format!("${{{path}}}"));
    }
}

/// Returns the reference at the beginning of a text: names with dots between them.
fn path_in(text: &str) -> &str {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    let path = text[..end].trim_end_matches(['.', '-']);
    if path.starts_with(|c: char| c.is_alphabetic() || c == '_') { path } else { "" }
}

/// Returns true if a text is names with dots between them.
fn is_path(text: &str) -> bool {
    path_in(text).len() == text.len()
}
