//! Lints of conditions: those that have the same result in every scope.

use std::collections::HashSet;
use std::sync::Arc;

use hclvm_compiler::tree::{BinaryKind, BinaryOp, Node, NodeId, UnaryOp};
use hclvm_vm::{Layout, codes};

use super::contradictions;
use super::file::LintedFile;

/// Attributes of labelled blocks that decide whether a rule applies.
const RULE_CONDITIONS: &[&str] = &["when", "condition"];

/// Warns about the conditions of a file.
pub(super) fn lint(file: &mut LintedFile<'_>) {
    let mut constants = Vec::new();
    let mut conditions = HashSet::new();
    let mut inner = HashSet::new();
    // Wholes come before their parts, so that only the largest constant is reported.
    let nodes: Vec<NodeId> = file.nodes().collect();
    let literals = literals(file, &nodes);
    for id in nodes.into_iter().rev() {
        match file.tree.node(id) {
            Node::Conditional { condition, yes, no } => {
                conditions.insert(file.bare(condition));
                without_effect(file, id, condition, yes, no);
            }
            Node::For(details) => {
                conditions.extend(file.tree.for_expr(details).condition.map(|clause| file.bare(clause)));
            }
            _ => {}
        }
        if inner.contains(&id) {
            continue;
        }
        let is_condition = conditions.contains(&id);
        if let Some(value) = constant(file, id, is_condition, &literals) {
            // The parts of an expression that fails are not evaluated one by one: that is quadratic in a chain.
            file.visit(id, |part| {
                inner.insert(part);
            });
            if let ConstantResult::Of(value) = value {
                constants.push((id, value));
            }
        } else if let Node::Binary { op, .. } = file.tree.node(id)
            && op.is_logical()
        {
            logical(file, id, op, &mut inner);
        }
    }
    for (id, value) in constants {
        let detail = format!("{} is {value} in every scope.", file.quoted(id));
        file.warn(codes::CONSTANT_CONDITION, detail, file.tree.span(id));
    }
    rules(file);
}

/// The result of an expression without references, which is the same in every scope.
enum ConstantResult {
    /// It has this value.
    Of(bool),
    /// It fails, or is no condition.
    Fails,
}

/// Returns what a condition, comparison or logical operation is that consists of literals.
fn constant(
    file: &LintedFile<'_>,
    id: NodeId,
    is_condition: bool,
    literals: &HashSet<NodeId>,
) -> Option<ConstantResult> {
    let evaluated = || {
        literals.contains(&id).then(|| evaluated(file, id).map_or(ConstantResult::Fails, ConstantResult::Of))
    };
    match file.tree.node(id) {
        Node::Bool(value) => is_condition.then_some(ConstantResult::Of(value)),
        Node::Unary { op: UnaryOp::Not, .. } => evaluated(),
        Node::Binary { op, lhs, rhs } => match op.kind() {
            BinaryKind::Logical { .. } => evaluated(),
            BinaryKind::Arithmetic(_) => None,
            BinaryKind::Equality { .. } | BinaryKind::Comparison(_) => {
                of_equal_operands(file, op, lhs, rhs).map(ConstantResult::Of).or_else(evaluated)
            }
        },
        _ => None,
    }
}

/// Returns the result of comparing a reference with itself.
fn of_equal_operands(file: &LintedFile<'_>, op: BinaryOp, lhs: NodeId, rhs: NodeId) -> Option<bool> {
    let (lhs, rhs) = (file.bare(lhs), file.bare(rhs));
    let is_reference = matches!(file.tree.node(lhs), Node::Traversal { .. });
    let same = is_reference && file.text(lhs) == file.text(rhs);
    same.then_some(matches!(op, BinaryOp::Equal | BinaryOp::LessOrEqual | BinaryOp::GreaterOrEqual))
}

/// Returns the nodes of expressions that consist of literals. Parts come before the whole, so that one pass
/// suffices.
fn literals(file: &LintedFile<'_>, nodes: &[NodeId]) -> HashSet<NodeId> {
    let mut found = HashSet::new();
    let mut parts = Vec::new();
    for id in nodes {
        let is_literal = matches!(
            file.tree.node(*id),
            Node::Null
                | Node::Bool(_)
                | Node::Number(_)
                | Node::Text(_)
                | Node::Template(_)
                | Node::Parens(_)
                | Node::Unary { .. }
                | Node::Binary { .. }
        );
        file.tree.children(*id, &mut parts);
        if parts.drain(..).fold(is_literal, |all, part| all && found.contains(&part)) {
            found.insert(*id);
        }
    }
    found
}

/// Returns the value of an expression of literals.
fn evaluated(file: &LintedFile<'_>, id: NodeId) -> Option<bool> {
    let engine = file.document.engine();
    let layout = Arc::new(Layout::default());
    let program = engine.compile(file.text(id), &layout).ok()?;
    engine.session().run(&program, &engine.scope(&layout)).ok()?.as_bool()
}

/// Warns about `&&` and `||` of which one operand decides, and about chains that contradict themselves.
fn logical(file: &mut LintedFile<'_>, id: NodeId, op: BinaryOp, inner: &mut HashSet<NodeId>) {
    let operands = operands(file, id, op);
    // The chain is reported as a whole.
    let mut part = file.bare(id);
    while let Node::Binary { op: found, lhs, .. } = file.tree.node(part) {
        if found != op {
            break;
        }
        inner.insert(part);
        part = file.bare(lhs);
    }
    let decides = op == BinaryOp::Or;
    for operand in &operands {
        let literal = match file.tree.node(file.bare(*operand)) {
            Node::Bool(value) => Some(value),
            _ => None,
        };
        if literal == Some(decides) {
            let sign = if decides { "||" } else { "&&" };
            let detail =
                format!("`{decides}` decides the result of `{sign}`; the other operands have no effect.");
            file.warn(codes::CONSTANT_OPERAND, detail, file.tree.span(*operand));
        }
    }
    contradictions::lint(file, id, op, &operands);
}

/// Returns the operands of a chain of one operator.
fn operands(file: &LintedFile<'_>, id: NodeId, op: BinaryOp) -> Vec<NodeId> {
    let mut found = Vec::new();
    let mut open = vec![id];
    while let Some(id) = open.pop() {
        match file.tree.node(file.bare(id)) {
            Node::Binary { op: inner, lhs, rhs } if inner == op => open.extend([rhs, lhs]),
            _ => found.push(id),
        }
    }
    found
}

/// Warns about rules that never apply. `true` as a condition is left alone: it makes a default.
fn rules(file: &mut LintedFile<'_>) {
    let mut never = Vec::new();
    let mut open = vec![file.document.body()];
    while let Some(body) = open.pop() {
        for block in body.blocks() {
            open.push(block.body());
            let is_rule = block.labels().next().is_some();
            let conditions = block.body().attributes().filter(|one| RULE_CONDITIONS.contains(&one.name()));
            never.extend(conditions.filter(|_| is_rule).map(|one| one.definition().expr));
        }
    }
    for condition in never {
        if matches!(file.tree.node(file.bare(condition)), Node::Bool(false)) {
            let detail = "The condition is false, so that this never applies.".to_owned();
            file.warn(codes::CONSTANT_CONDITION, detail, file.tree.span(condition));
        }
    }
}

/// Warns about conditionals that give one result, whatever the condition.
fn without_effect(file: &mut LintedFile<'_>, id: NodeId, condition: NodeId, yes: NodeId, no: NodeId) {
    let (yes_text, no_text) = (file.text(file.bare(yes)), file.text(file.bare(no)));
    if yes_text.is_empty() || is_directive(file, id) {
        return;
    }
    let detail = if yes_text == no_text {
        format!("Both results are {}.", file.quoted(yes))
    } else if let Some(tested) = tested_for_null(file, condition, yes, no) {
        format!("The result is {}, also if it is null.", file.quoted(tested))
    } else {
        return;
    };
    file.warn(codes::POINTLESS_CONDITIONAL, detail, file.tree.span(id));
}

/// Returns true for `%{ if }`, whose results are parts of a template.
fn is_directive(file: &LintedFile<'_>, id: NodeId) -> bool {
    file.text(id).starts_with("%{")
}

/// Returns `x` of `x == null ? null : x` and `x != null ? x : null`.
fn tested_for_null(file: &LintedFile<'_>, condition: NodeId, yes: NodeId, no: NodeId) -> Option<NodeId> {
    let Node::Binary { op, lhs, rhs } = file.tree.node(file.bare(condition)) else { return None };
    let is_null = |id| matches!(file.tree.node(file.bare(id)), Node::Null);
    let tested = match (is_null(lhs), is_null(rhs)) {
        (false, true) => lhs,
        (true, false) => rhs,
        _ => return None,
    };
    let (of_null, other) = match op {
        BinaryOp::Equal => (yes, no),
        BinaryOp::NotEqual => (no, yes),
        _ => return None,
    };
    let same = file.text(file.bare(other)) == file.text(file.bare(tested));
    (is_null(of_null) && same).then_some(tested)
}
