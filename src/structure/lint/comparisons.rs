//! Lints of comparisons: of values that can never be equal.

use hclvm_compiler::tree::{BinaryOp, CallId, Node, NodeId, UnaryOp};
use hclvm_vm::codes;

use super::file::LintedFile;
use super::shape::ValueShape;

/// Warns about the comparisons of a file.
pub(super) fn lint(file: &mut LintedFile<'_>) {
    for id in file.nodes() {
        if let Node::Call(call) = file.tree.node(id) {
            contains(file, id, call);
        }
        if let Node::Binary { op: op @ (BinaryOp::Equal | BinaryOp::NotEqual), lhs, rhs } = file.tree.node(id)
        {
            let result = op == BinaryOp::NotEqual;
            let is_null = |id| matches!(file.tree.node(file.bare(id)), Node::Null);
            match (is_null(lhs), is_null(rhs)) {
                (false, true) => with_null(file, id, lhs, result),
                (true, false) => with_null(file, id, rhs, result),
                (true, true) => {}
                (false, false) => of_types(file, id, lhs, rhs, result),
            }
        }
    }
}

/// Warns about `contains(["1", "2"], n)` where `n` is of another type than all elements.
fn contains(file: &mut LintedFile<'_>, id: NodeId, call: CallId) {
    let call = file.tree.call(call);
    let ("contains", [list, value]) = (&*call.name, file.tree.list(call.args)) else { return };
    let (Node::Tuple(items), Some(wanted)) = (file.tree.node(file.bare(*list)), file.shape(*value)) else {
        return;
    };
    let shapes: Option<Vec<ValueShape>> =
        file.tree.list(items).iter().map(|item| file.shape(*item)).collect();
    let Some(shapes) = shapes.filter(|shapes| !shapes.is_empty() && !shapes.contains(&wanted)) else {
        return;
    };
    let detail = format!(
        "{} is {} and {} is {}, so that the list never contains it.",
        file.quoted(*value),
        wanted.name(),
        file.quoted(file.tree.list(items)[0]),
        shapes[0].name()
    );
    file.warn(codes::UNEQUAL_TYPES, detail, file.tree.span(id));
}

/// Warns about a comparison with null of a value that is never null.
fn with_null(file: &mut LintedFile<'_>, id: NodeId, other: NodeId, result: bool) {
    if file.is_never_null(other) {
        let detail =
            format!("{} is never null, so that the comparison is always {result}.", file.quoted(other));
        file.warn(codes::NULL_COMPARISON, detail, file.tree.span(id));
    }
}

/// Warns about a comparison of values of different types.
fn of_types(file: &mut LintedFile<'_>, id: NodeId, lhs: NodeId, rhs: NodeId, result: bool) {
    let (Some(left), Some(right)) = (file.shape(lhs), file.shape(rhs)) else { return };
    if left == right {
        return;
    }
    for (text, other, shape) in [(lhs, rhs, right), (rhs, lhs, left)] {
        if file.literal(text).is_some_and(|text| is_literal_of(text, shape)) {
            let quoted = file.text(text);
            let bare = quoted.trim_matches('"').to_owned();
            let detail = format!(
                "{} is {}, and {quoted} in quotes is a string, so that the comparison is always {result}.",
                file.quoted(other),
                shape.name()
            );
            let span = file.tree.span(text);
            file.warn(codes::QUOTED_NUMBER, detail, file.tree.span(id)).additions_mut().propose(span, bare);
            return;
        }
    }
    let detail = format!(
        "{} is {} and {} is {}, so that the comparison is always {result}.",
        file.quoted(lhs),
        left.name(),
        file.quoted(rhs),
        right.name()
    );
    let negated = match file.tree.node(lhs) {
        Node::Unary { op: UnaryOp::Not, operand } if !result => Some(file.text(operand)),
        _ => None,
    };
    let meant = negated.map(|operand| format!("{operand} != {}", file.text(rhs)));
    let detail = match &meant {
        Some(meant) => format!("{detail} `!` binds more tightly than `==`: write `{meant}`."),
        None => detail,
    };
    let span = file.tree.span(id);
    let warning = file.warn(codes::UNEQUAL_TYPES, detail, span);
    if let Some(meant) = meant {
        warning.additions_mut().propose(span, meant);
    }
}

/// Returns true if a text is a number or bool in quotes.
fn is_literal_of(text: &str, shape: ValueShape) -> bool {
    match shape {
        ValueShape::Bool => matches!(text, "true" | "false"),
        ValueShape::Number => text.parse::<f64>().is_ok_and(f64::is_finite),
        _ => false,
    }
}
