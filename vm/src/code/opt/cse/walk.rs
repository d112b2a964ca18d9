//! What the registers hold at each instruction of a rule.

use std::collections::BTreeMap;
use std::ops::Range;

use super::Stream;
use super::expression::{Expression, Expressions, Id, tail_of};
use crate::code::baseline::Operand;
use crate::code::fast::{FastLabel, FastOp, FastReg, IntervalId, SwitchId, Term};

/// The expressions that registers hold; `None` for anything else.
type Held = Vec<Option<Id>>;

/// An instruction that is reached, and what is known before it is executed.
pub(super) struct Step<'w> {
    /// Its position.
    pub(super) at: usize,
    pub(super) op: &'w FastOp,
    /// What it computes.
    pub(super) computes: Option<Id>,
    /// What it goes on to compute out of that, or of what is in a register, for its own use.
    pub(super) tail: Option<Id>,
    /// What the registers hold.
    pub(super) held: &'w [Option<Id>],
    /// Whether every run of the rule that does not bail out executes it.
    pub(super) always: bool,
}

/// Whether [`walk`] understands the instructions of a rule: there are no loops among them.
pub(super) fn can_walk(stream: &Stream<'_>, rule: &Range<usize>) -> bool {
    let mut forward = true;
    for at in rule.clone() {
        let op = &stream.ops[at];
        forward &= !matches!(op, FastOp::LoopNext { .. });
        stream.targets(op, |to| forward &= to > at && to < rule.end);
    }
    forward
}

/// Visits the instructions of a rule in order.
pub(super) fn walk(
    stream: &Stream<'_>,
    rule: Range<usize>,
    expressions: &mut Expressions,
    mut visit: impl FnMut(&Step<'_>),
) {
    let mut held: Held = vec![None; stream.registers];
    for (slot, held) in held.iter_mut().take(stream.slots).enumerate() {
        *held = Some(expressions.number(Expression::Slot(slot as u8)));
    }
    let mut current = Some(held);
    // What registers hold where jumps lead to, and the last such place.
    let mut arriving: BTreeMap<usize, Held> = BTreeMap::new();
    let mut furthest = rule.start;
    let mut ended = false;
    for at in rule {
        if let Some(other) = arriving.remove(&at) {
            current = Some(current.map_or_else(|| other.clone(), |held| common(held, &other)));
        }
        let (Some(held), Some(op)) = (&mut current, stream.ops.get(at)) else { continue };
        let of = |reg: FastReg| held.get(usize::from(reg.0)).copied().flatten();
        let computes = Expression::of(op, of, |f| stream.is_pure(f)).map(|found| expressions.number(found));
        let value = tail_of(op).map_or(computes, of);
        let tail = value.and_then(|value| Expression::of_tail(op, value));
        let tail = tail.map(|found| expressions.number(found));
        visit(&Step { at, op, computes, tail, held, always: furthest <= at && !ended });
        if let Some(written) = written(op) {
            let value = if let FastOp::Copy { a, .. } = op { of(*a) } else { computes };
            if let Some(held) = held.get_mut(usize::from(written.0)) {
                *held = value;
            }
        }
        stream.targets(op, |to| {
            furthest = furthest.max(to);
            let known = arriving.remove(&to);
            arriving.insert(to, known.map_or_else(|| held.clone(), |known| common(known, held)));
        });
        ended |= ends_rule(op);
        if op.is_final() {
            current = None;
        }
    }
}

/// What two ways have in common.
fn common(mut held: Held, other: &Held) -> Held {
    for (held, other) in held.iter_mut().zip(other) {
        if *held != *other {
            *held = None;
        }
    }
    held
}

/// Whether the rule has its result.
const fn ends_rule(op: &FastOp) -> bool {
    matches!(
        op,
        FastOp::Emit { .. } | FastOp::EmitConstant { .. } | FastOp::EmitBool { .. } | FastOp::EmitArm { .. }
    )
}

/// The register that an instruction outside of loops writes.
pub(super) fn written(op: &FastOp) -> Option<FastReg> {
    let mut written = None;
    op.operands(|name, operand| {
        if let ("d", Operand::FastReg(reg)) = (name, operand) {
            written = Some(reg);
        }
    });
    written
}

impl Stream<'_> {
    /// Where an instruction may jump to within its rule.
    pub(super) fn targets(&self, op: &FastOp, mut visit: impl FnMut(usize)) {
        if ends_rule(op) {
            return;
        }
        op.operands(|_, operand| match operand {
            Operand::FastLabel(FastLabel(to)) => visit(usize::from(to)),
            Operand::Switch(SwitchId(switch)) => {
                let targets = self.switches.get(usize::from(switch)).into_iter();
                targets.flat_map(|switch| switch.targets()).for_each(|to| visit(usize::from(to.0)));
            }
            _ => {}
        });
    }

    /// The registers that an instruction outside of loops reads.
    pub(super) fn reads(&self, op: &FastOp, mut visit: impl FnMut(FastReg)) {
        let in_a_row = match op {
            FastOp::Call { count, .. } | FastOp::BranchCall { count, .. } | FastOp::Tuple { count, .. } => {
                usize::from(*count)
            }
            FastOp::Object { shape, .. } => {
                self.shapes.get(shape.0 as usize).map_or(0, |shape| shape.pushed as usize)
            }
            _ => 0,
        };
        op.operands(|name, operand| match (name, operand) {
            ("a" | "b", Operand::FastReg(reg)) => visit(reg),
            ("base", Operand::FastReg(base)) => {
                (base.0..=u8::MAX).take(in_a_row).map(FastReg).for_each(&mut visit);
            }
            ("d", Operand::FastReg(reg)) if matches!(op, FastOp::TemplateEnd { .. }) => visit(reg),
            (_, Operand::Interval(IntervalId(id))) => {
                for term in self.intervals.get(usize::from(id)).into_iter().flatten() {
                    if let Term::Register(reg) = term {
                        visit(*reg);
                    }
                }
            }
            _ => {}
        });
    }
}
