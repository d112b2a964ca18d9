//! For expressions whose values are computed of all elements at once: an attribute of each, arithmetic with
//! constants, comparisons with constants, and `!`, `&&` and `||` of these.
//!
//! ```text
//! [for s in servers : s.up && s.load < 9]     Map            r1 = servers, each .up
//!                                             Map            r2 = servers, each .load
//!                                             MapCompare     r2 = r2, each < 9
//!                                             MapConnective  r1 = r1 && r2
//! ```
//!
//! Comparisons of arithmetic with a constant have a [bound](super::bound). A loop follows for collections with elements
//! that it does not decide:
//!
//! ```text
//! [for s in servers : s.load + 1 < 1.8]       Map            r1 = servers, each .load
//!                                             MapBound       r1 = r1, each < 0.8   no: undecided, yes: end
//!                                 undecided:  LoopBegin …
//!                                       end:
//! ```
//!
//! Both operands of a connective are computed for every element. That is not observable: a fault falls back.

use hclvm_vm::code::fast::{FastLabel, FastOp, FastReg, InlineCache};
use hclvm_vm::code::{Arithmetic, Comparison, Connective};
use hclvm_vm::{Interval, Value};

use super::FastLowering;
use super::bound::BoundComparison;
use crate::lower::operator::is_short_text;
use crate::tree::{BinaryKind, BinaryOp, For, Node, NodeId, StepKind, TraversalStep, UnaryOp};

/// The most attributes of a computation. Each takes 16 bytes an element, and a loop need not look at all of them.
const MOST_ATTRIBUTES: usize = 4;

/// The most operations of a computation, which bounds the recursion over it.
const MOST_OPERATIONS: usize = 16;

/// What is computed of each element.
pub(super) enum ElementComputation<'a> {
    Attribute(&'a TraversalStep),
    Arithmetic(Box<Self>, Arithmetic, Value<'a>),
    Compare(Box<Self>, Comparison, Value<'a>),
    /// A comparison with a bound, which may not decide each element.
    Bound(&'a TraversalStep, Comparison, Interval),
    /// Being equal to a constant is the bool.
    Equal(Box<Self>, bool, Value<'a>),
    Not(Box<Self>),
    Connective(Box<[Self; 2]>, Connective),
}

impl ElementComputation<'_> {
    /// Returns true if bounds may not decide each element.
    pub(super) fn has_bounds(&self) -> bool {
        match self {
            Self::Bound(..) => true,
            Self::Attribute(_) => false,
            Self::Arithmetic(operand, ..)
            | Self::Compare(operand, ..)
            | Self::Equal(operand, ..)
            | Self::Not(operand) => operand.has_bounds(),
            Self::Connective(operands, _) => operands.iter().any(Self::has_bounds),
        }
    }
}

/// The attributes and operations that a computation may still have.
struct Room {
    attributes: usize,
    operations: usize,
}

/// Takes one of what is left.
fn take(left: &mut usize) -> Option<()> {
    *left = left.checked_sub(1)?;
    Some(())
}

impl<'a> FastLowering<'_, 'a> {
    /// Returns what is computed of each element, if that is possible for all elements at once.
    pub(super) fn computed_of_elements(&self, details: &For) -> Option<ElementComputation<'a>> {
        if details.key.is_some() || details.key_name.is_some() || details.condition.is_some() {
            return None;
        }
        let mut room = Room { attributes: MOST_ATTRIBUTES, operations: MOST_OPERATIONS };
        let computed = self.computed(details, details.value, &mut room)?;
        // The loop behind a bound evaluates the collection again.
        let collection = self.context.tree.node(self.context.bare(details.collection));
        let may_loop = matches!(collection, Node::Traversal { .. });
        (may_loop || !computed.has_bounds()).then_some(computed)
    }

    fn computed(&self, details: &For, id: NodeId, room: &mut Room) -> Option<ElementComputation<'a>> {
        let (tree, id) = (self.context.tree, self.context.bare(id));
        if self.info.constant(id).is_some() {
            return None;
        }
        match tree.node(id) {
            Node::Traversal { root, steps } if tree.name(root) == tree.name(details.value_name) => {
                let [step] = tree.steps(steps) else { return None };
                take(&mut room.attributes)?;
                matches!(step.kind, StepKind::Attribute(_)).then_some(ElementComputation::Attribute(step))
            }
            Node::Unary { op: UnaryOp::Not, operand } => {
                take(&mut room.operations)?;
                Some(ElementComputation::Not(Box::new(self.computed(details, operand, room)?)))
            }
            Node::Binary { op, lhs, rhs } => {
                take(&mut room.operations)?;
                self.computed_binary(details, (op, lhs, rhs), room)
            }
            _ => None,
        }
    }

    fn computed_binary(
        &self,
        details: &For,
        (op, lhs, rhs): (BinaryOp, NodeId, NodeId),
        room: &mut Room,
    ) -> Option<ElementComputation<'a>> {
        let kind = op.kind();
        if let BinaryKind::Logical { deciding } = kind {
            let op = if deciding { Connective::Or } else { Connective::And };
            let operands = [self.computed(details, lhs, room)?, self.computed(details, rhs, room)?];
            return Some(ElementComputation::Connective(Box::new(operands), op));
        }
        let (operand, constant, swapped) = match (self.info.constant(lhs), self.info.constant(rhs)) {
            (None, Some(constant)) => (lhs, constant, false),
            (Some(constant), None) => (rhs, constant, true),
            _ => return None,
        };
        let is_number = constant.as_number().is_some();
        if let BinaryKind::Equality { when } = kind {
            // Longer texts are compared for their price.
            if !is_number && !is_short_text(constant) {
                return None;
            }
            let operand = Box::new(self.computed(details, operand, room)?);
            return Some(ElementComputation::Equal(operand, when, constant));
        }
        if !is_number {
            return None;
        }
        if let BinaryKind::Comparison(op) = kind {
            let op = if swapped { op.mirrored() } else { op };
            // Results with fractions are compared by intervals, element by element if these are no bound.
            if self.arithmetic_of(self.context.bare(operand)).is_some() {
                let BoundComparison { operand, op, bound, .. } = self.bounded(op, operand, constant)?;
                let ElementComputation::Attribute(step) = self.computed(details, operand, room)? else {
                    return None;
                };
                return Some(ElementComputation::Bound(step, op, bound));
            }
            let ElementComputation::Attribute(step) = self.computed(details, operand, room)? else {
                return None;
            };
            return Some(ElementComputation::Compare(
                Box::new(ElementComputation::Attribute(step)),
                op,
                constant,
            ));
        }
        if swapped {
            return None;
        }
        let BinaryKind::Arithmetic(op) = kind else { return None };
        Some(ElementComputation::Arithmetic(Box::new(self.computed(details, operand, room)?), op, constant))
    }

    /// Lowers a loop as a sequence of operations, each for all elements. Jumps to `undecided` if a bound does not
    /// decide each.
    pub(super) fn map(
        &mut self,
        collection: NodeId,
        computed: &ElementComputation<'a>,
        d: FastReg,
        undecided: Option<FastLabel>,
    ) -> Option<()> {
        if let ElementComputation::Attribute(step) = computed {
            return self.with_operand(collection, |lowering, a| lowering.map_attribute(a, step, d));
        }
        self.with_operand(collection, |lowering, a| lowering.compute_each(a, computed, d, undecided))
    }

    fn map_attribute(&mut self, a: FastReg, step: &TraversalStep, d: FastReg) -> Option<()> {
        let symbol = self.step_symbol(step)?;
        self.push(FastOp::Map { d, a, cache: InlineCache::default(), symbol });
        Some(())
    }

    /// Computes `d` of all elements of `a`, or jumps to `undecided`, which is given if there are bounds.
    fn compute_each(
        &mut self,
        a: FastReg,
        computed: &ElementComputation<'a>,
        d: FastReg,
        undecided: Option<FastLabel>,
    ) -> Option<()> {
        match computed {
            ElementComputation::Attribute(step) => self.map_attribute(a, step, d)?,
            ElementComputation::Arithmetic(operand, op, constant) => {
                self.compute_each(a, operand, d, undecided)?;
                let k = self.pool.constant(*constant);
                self.push(FastOp::MapArithmetic { op: *op, d, a: d, k });
            }
            ElementComputation::Compare(operand, op, constant) => {
                self.compute_each(a, operand, d, undecided)?;
                let k = self.pool.constant(*constant);
                self.push(FastOp::MapCompare { op: *op, d, a: d, k });
            }
            ElementComputation::Bound(step, op, bound) => {
                self.map_attribute(a, step, d)?;
                let bound = self.list_bound(*bound)?;
                self.push(FastOp::MapBound { op: *op, d, a: d, bound, to: undecided? });
            }
            ElementComputation::Equal(operand, when, constant) => {
                self.compute_each(a, operand, d, undecided)?;
                let k = self.pool.constant(*constant);
                self.push(FastOp::MapEqual { when: *when, d, a: d, k });
            }
            ElementComputation::Not(operand) => {
                self.compute_each(a, operand, d, undecided)?;
                self.push(FastOp::MapNot { d, a: d });
            }
            ElementComputation::Connective(operands, op) => {
                let [left, right] = &**operands;
                self.compute_each(a, left, d, undecided)?;
                self.with_register(|lowering, other| {
                    lowering.compute_each(a, right, other, undecided)?;
                    lowering.push(FastOp::MapConnective { op: *op, d, a: d, b: other });
                    Some(())
                })?;
            }
        }
        Some(())
    }
}
