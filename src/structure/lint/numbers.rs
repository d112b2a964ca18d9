//! Lints of numbers: literals that mean another number elsewhere, dates without quotes, and divisions that
//! have no useful result.

use hclvm_compiler::tree::{BinaryOp, Node, NodeId};
use hclvm_vm::{Span, cast, codes};

use super::file::LintedFile;

/// Warns about the numbers of a file.
pub(super) fn lint(file: &mut LintedFile<'_>) {
    for id in file.nodes() {
        match file.tree.node(id) {
            Node::Number(_) => leading_zero(file, id),
            Node::Binary { op: BinaryOp::Subtract, .. } => date(file, id),
            Node::Binary { op: op @ (BinaryOp::Divide | BinaryOp::Modulo), rhs, .. } => {
                by_zero(file, id, op, rhs);
            }
            _ => {}
        }
    }
    let ends: Vec<(NodeId, u32)> =
        file.attributes.iter().map(|one| (one.definition().expr, one.expression_span().end)).collect();
    for (id, end) in ends {
        operator_in_comment(file, id, end);
    }
}

/// Warns about `0644`, which is decimal here.
fn leading_zero(file: &mut LintedFile<'_>, id: NodeId) {
    let text = file.text(id);
    let digits = text.trim_start_matches('0');
    if digits.len() == text.len() || !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return;
    }
    let detail = format!(
        "`{text}` is the decimal number {digits}; leading zeros have no meaning. Quote the digits of a mode or code."
    );
    let span = file.tree.span(id);
    file.warn(codes::LEADING_ZERO, detail, span).additions_mut().propose(span, format!("\"{text}\""));
}

/// Warns about `2024-01-31`, which is a subtraction.
fn date(file: &mut LintedFile<'_>, id: NodeId) {
    let text = file.text(id);
    // Before it is split: each subtraction of a long chain is looked at.
    if text.len() != "2024-01-31".len() {
        return;
    }
    let parts: Vec<&str> = text.split('-').collect();
    let are_digits = parts.iter().all(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    if !are_digits || lengths != [4, 2, 2] {
        return;
    }
    let detail = format!("`{text}` subtracts numbers. Quote a date.");
    let span = file.tree.span(id);
    file.warn(codes::UNQUOTED_DATE, detail, span).additions_mut().propose(span, format!("\"{text}\""));
}

/// Warns about divisions by the literal zero.
fn by_zero(file: &mut LintedFile<'_>, id: NodeId, op: BinaryOp, divisor: NodeId) {
    let Node::Number(number) = file.tree.node(file.bare(divisor)) else { return };
    if !file.tree.number(number).borrow().is_zero() {
        return;
    }
    let what = match op {
        BinaryOp::Divide => "is infinite, or has no value",
        _ => "is the dividend",
    };
    let detail = format!("The divisor is 0, so that the result {what}.");
    file.warn(codes::DIVISION_BY_ZERO, detail, file.tree.span(id));
}

/// Warns about `7 // 2`: the comment is probably an operator and its operand.
fn operator_in_comment(file: &mut LintedFile<'_>, id: NodeId, end: u32) {
    let source = file.document.source().text();
    let (_, rest) = source.split_at(cast::index(end));
    let line = rest.lines().next().unwrap_or_default();
    let Some(comment) = line.trim_start().strip_prefix("//") else { return };
    let operand = comment.trim();
    let is_number = operand.parse::<f64>().is_ok_and(f64::is_finite);
    if !(is_number || file.is_known(operand)) || !file.may_be_number(id) {
        return;
    }
    let start = end + cast::length(line.len() - line.trim_start().len());
    let place = Span::new(start, end + cast::length(line.trim_end().len()));
    let whole = Span::new(file.tree.span(id).start, place.end);
    let text = format!("floor({} / {operand})", file.text(id));
    let detail = format!("`//` begins a comment. A division without its remainder is `{text}`.");
    file.warn(codes::OPERATOR_IN_COMMENT, detail, place).additions_mut().propose(whole, text);
}
