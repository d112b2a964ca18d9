//! Inlay hints: values under the sample of scopes behind expressions that are not literals, and names of parameters.

use std::time::{Duration, Instant};

use gen_lsp_types::{InlayHint, InlayHintKind, Label};
use hclvm::diagnostics::Span;
use hclvm::syntax::tree::{Node, NodeId, Tree};
use hclvm_project::check::attributes;

use crate::analysis::Analysis;
use crate::values::shown;

/// The most characters of a value.
const LONGEST: usize = 40;

/// The most hints of a range.
const MOST: usize = 2_000;

/// The time after which no further values are evaluated for a request.
const LONGEST_TIME: Duration = Duration::from_secs(1);

/// Returns the hints of a range of bytes.
pub(crate) fn hints(analysis: &Analysis, within: Span) -> Vec<InlayHint> {
    let mut found = Vec::new();
    if analysis.document.is_json() {
        return found;
    }
    let tree = analysis.document.tree();
    let start = Instant::now();
    for attribute in attributes(analysis.document.body()) {
        let span = attribute.span();
        if span.end < within.start || within.end < span.start || found.len() >= MOST {
            continue;
        }
        let (first, last) = attribute.nodes();
        for id in (first.0..=last.0).map(NodeId) {
            parameters(analysis, tree, id, &mut found);
        }
        if is_literal(tree, last) || start.elapsed() > LONGEST_TIME {
            continue;
        }
        let shown = analysis.values().and_then(|values| values.attribute(attribute, shown)).flatten();
        if let Some(mut value) = shown {
            if value.chars().count() > LONGEST {
                value = value.chars().take(LONGEST).chain(['…']).collect();
            }
            found.push(InlayHint {
                position: analysis.lines.position(span.end),
                label: Label::String(format!("= {value}")),
                kind: Some(InlayHintKind::Type),
                padding_left: Some(true),
                text_edits: None,
                tooltip: None,
                padding_right: None,
                data: None,
            });
        }
    }
    found.sort_by_key(|hint| (hint.position.line, hint.position.character));
    found
}

/// Returns true for a literal, and for a list or an object, whose value would only repeat it.
fn is_literal(tree: &Tree, id: NodeId) -> bool {
    match tree.node(id) {
        Node::Null | Node::Bool(_) | Node::Number(_) | Node::Tuple(_) | Node::Object(_) => true,
        Node::Template(_) => tree.literal_text(id).is_some(),
        Node::Unary { operand, .. } => matches!(tree.node(operand), Node::Number(_)),
        _ => false,
    }
}

/// Adds the names of the parameters before the literal arguments of a call. Other arguments usually have a name already.
fn parameters(analysis: &Analysis, tree: &Tree, id: NodeId, found: &mut Vec<InlayHint>) {
    let Node::Call(call) = tree.node(id) else { return };
    if found.len() >= MOST {
        return;
    }
    let call = tree.call(call);
    let Some(function) = analysis.settings.functions.get(&call.name) else { return };
    let arguments = tree.list(call.args);
    if arguments.len() < 2 {
        return;
    }
    for (argument, parameter) in arguments.iter().zip(&function.parameters) {
        if !is_literal(tree, *argument) {
            continue;
        }
        found.push(InlayHint {
            position: analysis.lines.position(tree.span(*argument).start),
            label: Label::String(format!("{}:", parameter.name)),
            kind: Some(InlayHintKind::Parameter),
            padding_right: Some(true),
            text_edits: None,
            tooltip: None,
            padding_left: None,
            data: None,
        });
    }
}
