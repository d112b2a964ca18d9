//! Comparisons of sums and products with fractions: intervals first, exact numbers where these are
//! too close to tell.
//!
//! ```text
//! price * 1.15 + 0.1 > limit     BranchInterval  r0 * 1.15 + 0.1 > r1   yes: there, no: after
//!                                Constant        r2 = 1.15
//!                                Multiply        r2 = r0 * r2           exactly, 512 bits
//!                                …
//!                         after:
//! ```

use hclvm_vm::code::fast::{FastLabel, FastOp, FastReg, IntervalId, MOST_TERMS, Term};
use hclvm_vm::code::{Arithmetic, Comparison};
use hclvm_vm::{Interval, Number, NumberRef, Value};

use super::FastLowering;
use super::condition::immediate;
use super::value::immediate_operation;
use crate::tree::{BinaryOp, Node, NodeId};

/// A term before it has registers.
#[derive(Clone, Copy)]
pub(super) enum Part<'a> {
    Operand(NodeId),
    Constant(Value<'a>),
    Apply(BinaryOp),
}

/// Where an operand of the exact computation is.
#[derive(Clone, Copy)]
enum Place<'a> {
    Register(FastReg),
    Constant(Value<'a>),
}

impl<'a> FastLowering<'_, 'a> {
    /// Whether the exact result of arithmetic is likely no integer.
    fn has_fractions(&self, id: NodeId, depth: usize) -> bool {
        let id = self.context.bare(id);
        let Some((op, lhs, rhs)) = self.arithmetic_of(id) else { return false };
        if depth > MOST_TERMS {
            return false;
        }
        let fraction =
            |id| self.info.constant(id).is_some_and(|value| value.as_number().is_some_and(is_fraction));
        let divides = op == BinaryOp::Divide && self.info.constant(rhs).is_none();
        divides
            || fraction(lhs)
            || fraction(rhs)
            || self.has_fractions(lhs, depth + 1)
            || self.has_fractions(rhs, depth + 1)
    }

    /// The operator and operands of arithmetic that can be bounded.
    fn arithmetic_of(&self, id: NodeId) -> Option<(BinaryOp, NodeId, NodeId)> {
        if self.info.constant(id).is_some() {
            return None;
        }
        match self.context.tree.node(id) {
            Node::Binary { op, lhs, rhs } if operator(op).is_some() => {
                Some((op, self.context.bare(lhs), self.context.bare(rhs)))
            }
            _ => None,
        }
    }

    /// The terms of a comparison that is worth an interval and not too long for one.
    pub(super) fn estimable(&self, lhs: NodeId, rhs: NodeId) -> Option<Vec<Part<'a>>> {
        if !self.has_fractions(lhs, 0) && !self.has_fractions(rhs, 0) {
            return None;
        }
        let mut parts = Vec::with_capacity(MOST_TERMS + 1);
        self.parts_of(lhs, &mut parts)?;
        self.parts_of(rhs, &mut parts)?;
        Some(parts)
    }

    /// Jumps to `to` when the first of two computations `op` the second.
    pub(super) fn compare_estimated(
        &mut self,
        op: Comparison,
        parts: &[Part<'a>],
        to: FastLabel,
    ) -> Option<()> {
        let operands = parts.iter().filter(|part| matches!(part, Part::Operand(_))).count();
        // The exact results need one register for each operand and constant at most.
        self.with_registers(operands + parts.len(), |lowering, base| {
            let mut terms = Vec::with_capacity(parts.len());
            let mut places = Vec::with_capacity(parts.len());
            let mut next = base.0;
            for part in parts {
                let (term, place) = match *part {
                    Part::Operand(node) => {
                        let reg = if let Some(reg) = lowering.register_of(node) {
                            reg
                        } else {
                            let reg = FastReg(next);
                            next += 1;
                            lowering.value(node, reg)?;
                            reg
                        };
                        (Term::Register(reg), Some(Place::Register(reg)))
                    }
                    Part::Constant(value) => {
                        let interval = Interval::of(value.as_number()?)?;
                        (Term::Constant(interval), Some(Place::Constant(value)))
                    }
                    Part::Apply(op) => (Term::Apply(operator(op)?), None),
                };
                terms.push(term);
                places.push(place);
            }
            let after = lowering.label();
            let list = &mut lowering.extras().intervals;
            let intervals = IntervalId(u16::try_from(list.len()).ok()?);
            list.push(terms.into());
            lowering.push(FastOp::BranchInterval { op, intervals, to, other: after });
            let mut stack: Vec<Place<'a>> = Vec::with_capacity(parts.len());
            for (part, place) in parts.iter().zip(places) {
                let result = match (*part, place) {
                    (Part::Apply(op), _) => {
                        let (b, a) = (stack.pop()?, stack.pop()?);
                        let d = FastReg(next);
                        next += 1;
                        lowering.exactly(op, a, b, d)?;
                        Place::Register(d)
                    }
                    (_, place) => place?,
                };
                stack.push(result);
            }
            let (b, a) = (stack.pop()?, stack.pop()?);
            let spare = FastReg(next);
            let a = lowering.in_register(a, spare)?;
            match b {
                Place::Register(b) => lowering.push(FastOp::BranchCompare { op, a, b, to }),
                Place::Constant(value) => {
                    let k = lowering.emitter.constant(value);
                    lowering.push(FastOp::BranchNumber { op, a, to, k });
                }
            }
            lowering.place(after)
        })
    }

    fn parts_of(&self, id: NodeId, parts: &mut Vec<Part<'a>>) -> Option<()> {
        let id = self.context.bare(id);
        if let Some(value) = self.info.constant(id) {
            Interval::of(value.as_number()?)?;
            parts.push(Part::Constant(value));
        } else if let Some((op, lhs, rhs)) = self.arithmetic_of(id) {
            // Two constants would need two registers for one result, see `exactly`.
            if self.info.constant(lhs).is_some() && self.info.constant(rhs).is_some() {
                return None;
            }
            self.parts_of(lhs, parts)?;
            self.parts_of(rhs, parts)?;
            parts.push(Part::Apply(op));
        } else {
            parts.push(Part::Operand(id));
        }
        (parts.len() <= MOST_TERMS).then_some(())
    }

    /// `d = a op b`
    fn exactly(&mut self, op: BinaryOp, a: Place<'a>, b: Place<'a>, d: FastReg) -> Option<()> {
        let a = self.in_register(a, d)?;
        if let Place::Constant(value) = b
            && let Some(op) = immediate(value).and_then(|i| immediate_operation(op, d, a, i))
        {
            self.push(op);
            return Some(());
        }
        // One of both is no constant, see `parts_of`: `d` is free for the other.
        let b = self.in_register(b, d)?;
        self.push(match op {
            BinaryOp::Add => FastOp::Add { d, a, b },
            BinaryOp::Subtract => FastOp::Subtract { d, a, b },
            BinaryOp::Multiply => FastOp::Multiply { d, a, b },
            BinaryOp::Divide => FastOp::Divide { d, a, b },
            _ => return None,
        });
        Some(())
    }

    /// The register of an operand; a constant is put into `free`, as the float it means.
    fn in_register(&mut self, place: Place<'a>, free: FastReg) -> Option<FastReg> {
        match place {
            Place::Register(reg) => Some(reg),
            Place::Constant(value) => {
                let number = match value.as_number()? {
                    decimal @ NumberRef::Decimal(..) => Number::Big(decimal.to_big().into_owned()),
                    other => other.to_owned(),
                };
                let k = self.emitter.constant(Value::number(self.context.arena(), number));
                self.push(FastOp::Constant { d: free, k });
                Some(free)
            }
        }
    }
}

fn operator(op: BinaryOp) -> Option<Arithmetic> {
    Some(match op {
        BinaryOp::Add => Arithmetic::Add,
        BinaryOp::Subtract => Arithmetic::Subtract,
        BinaryOp::Multiply => Arithmetic::Multiply,
        BinaryOp::Divide => Arithmetic::Divide,
        _ => return None,
    })
}

fn is_fraction(number: NumberRef<'_>) -> bool {
    !number.is_integer()
}
