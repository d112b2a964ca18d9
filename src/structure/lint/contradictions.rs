//! Lints of chains of `&&` and `||` whose comparisons of one reference with literals exclude each other.
//!
//! `a || b` is always true if `!a && !b` is always false, so chains of `||` are tested with their operators negated.

use std::collections::HashMap;

use hclvm_compiler::tree::{BinaryKind, BinaryOp, Node, NodeId, UnaryOp};
use hclvm_vm::code::Comparison;
use hclvm_vm::codes;

use super::file::LintedFile;

/// A comparison of a reference with a literal.
#[derive(Clone, Copy)]
struct LiteralComparison<'d> {
    /// The whole comparison.
    node: NodeId,
    /// Its operator with the reference on the left; negated in a chain of `||`.
    kind: BinaryKind,
    /// The literal as it is written.
    text: &'d str,
    literal: NodeId,
    /// The number that the literal denotes.
    number: Option<f64>,
}

/// A bound, and whether it is itself allowed.
type Bound<'d> = Option<(LiteralComparison<'d>, bool)>;

/// The tests of one reference that hold together.
#[derive(Default)]
struct Tests<'d> {
    equal: Option<LiteralComparison<'d>>,
    unequal: HashMap<&'d str, LiteralComparison<'d>>,
    lower: Bound<'d>,
    upper: Bound<'d>,
}

/// Warns about a chain of one logical operator whose operands contradict each other: `x == "a" && x == "b"` is never true,
/// `x < 5 || x > 3` always is.
pub(super) fn lint(file: &mut LintedFile<'_>, chain: NodeId, op: BinaryOp, operands: &[NodeId]) {
    let mut of_references: HashMap<&str, Tests<'_>> = HashMap::new();
    for operand in operands {
        let Some((path, mut test)) = test(file, *operand) else { continue };
        if op == BinaryOp::Or {
            test.kind = negated(test.kind);
        }
        let Some(other) = of_references.entry(file.text(path)).or_default().add(test) else { continue };
        let differ = [other, test].iter().all(|one| one.kind == BinaryKind::Equality { when: true });
        let detail =
            if differ { different(file, path, op, other, test) } else { exclusive(file, op, other, test) };
        file.warn(codes::CONSTANT_CONDITION, detail, file.tree.span(chain));
        return;
    }
}

/// Explains `x == "a" && x == "b"` and `x != "a" || x != "b"`.
fn different(
    file: &LintedFile<'_>,
    path: NodeId,
    op: BinaryOp,
    one: LiteralComparison<'_>,
    other: LiteralComparison<'_>,
) -> String {
    let (instead, always) = match op {
        BinaryOp::And => ("||", "false: the value cannot equal both"),
        _ => ("&&", "true: the value differs from one of them"),
    };
    format!(
        "{} is compared with {} and with {}; with `{}` the result is always {always}. Did you mean `{instead}`?",
        file.quoted(path),
        file.quoted(one.literal),
        file.quoted(other.literal),
        op.sign()
    )
}

/// Explains `x > 5 && x < 3` and `x < 5 || x > 3`.
fn exclusive(
    file: &LintedFile<'_>,
    op: BinaryOp,
    one: LiteralComparison<'_>,
    other: LiteralComparison<'_>,
) -> String {
    let (one, other) = (file.quoted(one.node), file.quoted(other.node));
    match op {
        BinaryOp::And => format!("{one} and {other} are never true together, so the result is always false."),
        _ => format!("{one} or {other} is true for every value, so the result is always true."),
    }
}

impl<'d> Tests<'d> {
    /// Adds a test, and returns an earlier one that it contradicts.
    fn add(&mut self, test: LiteralComparison<'d>) -> Option<LiteralComparison<'d>> {
        match test.kind {
            BinaryKind::Equality { when: true } => {
                let different = self.equal.filter(|other| !other.is_same(&test));
                let excluded = different
                    .or_else(|| self.unequal.get(test.text).copied())
                    .or_else(|| excluded(self.lower, Some((test, true))).map(|(lower, _)| lower))
                    .or_else(|| excluded(Some((test, true)), self.upper).map(|(_, upper)| upper));
                self.equal = Some(test);
                excluded
            }
            BinaryKind::Equality { when: false } => {
                self.unequal.insert(test.text, test);
                self.equal.filter(|other| other.text == test.text)
            }
            BinaryKind::Comparison(comparison) => {
                let includes = matches!(comparison, Comparison::LessOrEqual | Comparison::GreaterOrEqual);
                let bound = Some((test, includes));
                let equal = self.equal.map(|other| (other, true));
                if matches!(comparison, Comparison::Less | Comparison::LessOrEqual) {
                    self.upper = tighter(self.upper, bound, |old, new| new < old);
                    excluded(self.lower, bound).or_else(|| excluded(equal, bound)).map(|(lower, _)| lower)
                } else {
                    self.lower = tighter(self.lower, bound, |old, new| new > old);
                    excluded(bound, self.upper).or_else(|| excluded(bound, equal)).map(|(_, upper)| upper)
                }
            }
            BinaryKind::Logical { .. } | BinaryKind::Arithmetic(_) => None,
        }
    }
}

impl LiteralComparison<'_> {
    /// Returns true for literals of one value, such as `1` and `1.0`, and for numbers that floats cannot distinguish.
    fn is_same(&self, other: &Self) -> bool {
        let is_text = |test: &Self| test.text.starts_with('"');
        let equal_numbers = || self.number.is_some() && self.number == other.number;
        self.text == other.text || (is_text(self) == is_text(other) && !is_text(self) && equal_numbers())
    }
}

/// Returns both bounds if no number is between them. Rounding to floats keeps the order of numbers, so that bounds of
/// different floats are in this order, and those of equal floats are compared only if they are written alike.
fn excluded<'d>(
    lower: Bound<'d>,
    upper: Bound<'d>,
) -> Option<(LiteralComparison<'d>, LiteralComparison<'d>)> {
    let ((low, includes_low), (high, includes_high)) = (lower?, upper?);
    let crossed = low.number? > high.number?;
    let touching = low.text == high.text && !(includes_low && includes_high);
    (crossed || touching).then_some((low, high))
}

/// Returns the bound that excludes more numbers.
fn tighter<'d>(old: Bound<'d>, new: Bound<'d>, excludes: impl Fn(f64, f64) -> bool) -> Bound<'d> {
    let number = |bound: &Bound<'d>| bound.and_then(|(test, _)| test.number);
    match (number(&old), number(&new)) {
        (Some(was), Some(is)) if !excludes(was, is) => old,
        (_, None) => old,
        _ => new,
    }
}

/// Returns the reference that an operand compares with a literal, and the comparison with the reference on its left.
fn test<'d>(file: &LintedFile<'d>, operand: NodeId) -> Option<(NodeId, LiteralComparison<'d>)> {
    let Node::Binary { op, lhs, rhs } = file.tree.node(file.bare(operand)) else { return None };
    let (lhs, rhs) = (file.bare(lhs), file.bare(rhs));
    let is_reference = |id| matches!(file.tree.node(id), Node::Traversal { .. });
    let (path, literal, kind) = match op.kind() {
        kind if is_reference(lhs) => (lhs, rhs, kind),
        BinaryKind::Comparison(comparison) => (rhs, lhs, BinaryKind::Comparison(comparison.mirrored())),
        kind => (rhs, lhs, kind),
    };
    let is_literal = is_number(file, literal)
        || matches!(file.tree.node(literal), Node::Bool(_) | Node::Null)
        || file.literal(literal).is_some();
    // Texts of other operands are not looked at: in nested chains, that would take quadratic time.
    if !is_literal || !is_reference(path) {
        return None;
    }
    let text = file.literal(literal).unwrap_or_else(|| file.text(literal));
    let number = text.replace(' ', "").parse().ok().filter(|number: &f64| number.is_finite());
    Some((path, LiteralComparison { node: operand, kind, text: file.text(literal), literal, number }))
}

/// Returns true for a number, also with a sign.
fn is_number(file: &LintedFile<'_>, id: NodeId) -> bool {
    match file.tree.node(id) {
        Node::Unary { op: UnaryOp::Negate, operand } => matches!(file.tree.node(operand), Node::Number(_)),
        node => matches!(node, Node::Number(_)),
    }
}

/// Returns the comparison that holds where another one does not.
fn negated(kind: BinaryKind) -> BinaryKind {
    match kind {
        BinaryKind::Equality { when } => BinaryKind::Equality { when: !when },
        BinaryKind::Comparison(comparison) => BinaryKind::Comparison(comparison.negated()),
        other => other,
    }
}
