//! Unary and binary operators, `&&` and `||`.
//!
//! Both operands are always evaluated and converted. Faults of the conversions precede
//! those of the operands.

use hclvm_compiler::tree::{BinaryOp, NodeId, UnaryOp};
use hclvm_vm::ops::compare::{Comparison, compare};
use hclvm_vm::ops::equality::equals;
use hclvm_vm::ops::{OperationFault, arithmetic, logic};
use hclvm_vm::{Fault, Marks, Place, Record, Type, Value, convert};

use crate::walk::{Found, Walk, joined};

/// The effect of one side of `&&` or `||`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Unknown,
    /// The value that alone decides the operator.
    Decides,
    /// The other value.
    Open,
}

impl<'a> Walk<'_, 'a> {
    pub(crate) fn unary(&self, id: NodeId, op: UnaryOp, (operand, mut faults): Found<'a>) -> Found<'a> {
        let ty = match op {
            UnaryOp::Negate => Type::Number,
            UnaryOp::Not => Type::Bool,
        };
        let marks = self.note_own(&[operand]);
        let result = match convert(self.arena, operand, ty) {
            Err(mismatch) => {
                faults.push(self.record_under(marks, Fault::Operand("unary", mismatch), id, Place::Operand));
                None
            }
            Ok(_) if !faults.is_empty() => {
                self.give_up(&mut faults, marks);
                None
            }
            Ok(operand) => {
                let result = match op {
                    UnaryOp::Negate => arithmetic::negate(self.arena, operand),
                    UnaryOp::Not => logic::not(self.arena, operand),
                };
                result
                    .map_err(|why| {
                        faults.push(self.record_under(marks, Fault::Operation(why), id, Place::Node));
                    })
                    .ok()
            }
        };
        (result.unwrap_or_else(|| Value::unknown_of(self.arena, ty)), faults)
    }

    pub(crate) fn binary(&self, id: NodeId, op: BinaryOp, left: Found<'a>, right: Found<'a>) -> Found<'a> {
        let ((a, a_faults), (b, b_faults)) = (left, right);
        let (takes, gives) = types(op);
        // A comparison for equality has no fault.
        let marks = match takes {
            Type::Dynamic => Marks::NONE,
            _ => self.note_own(&[a, b]),
        };
        let mut own = Vec::new();
        let a = self.operand(id, a, takes, ("left", Place::Left), &mut own);
        let b = self.operand(id, b, takes, ("right", Place::Right), &mut own);
        let own: Vec<_> = own.into_iter().map(|record| record.with_marks(self.arena, marks)).collect();
        let (Some(a), Some(b)) = (a, b) else {
            return (Value::unknown_of(self.arena, gives), joined([own, a_faults, b_faults]));
        };
        if self.walker.environment.short_circuit && op.is_logical() {
            return self.logic(id, op, (a, a_faults), (b, b_faults));
        }
        self.operation(id, op, (a, a_faults), (b, b_faults))
    }

    fn operand(
        &self,
        id: NodeId,
        value: Value<'a>,
        takes: Type<'a>,
        (which, place): (&'static str, Place),
        faults: &mut Vec<Record<'a>>,
    ) -> Option<Value<'a>> {
        let converted = convert(self.arena, value, takes);
        converted
            .map_err(|mismatch| faults.push(self.record(Fault::Operand(which, mismatch), id, place)))
            .ok()
    }

    /// Applies an operator that needs both operands, which are converted.
    fn operation(
        &self,
        id: NodeId,
        op: BinaryOp,
        (a, a_faults): Found<'a>,
        (b, b_faults): Found<'a>,
    ) -> Found<'a> {
        let mut faults = joined([a_faults, b_faults]);
        let unknown = Value::unknown_of(self.arena, types(op).1);
        let marks = self.marks_of(a, b);
        if !faults.is_empty() {
            self.give_up(&mut faults, self.all_marks(&[a, b]));
            return (unknown.with_marks(self.arena, marks), faults);
        }
        match self.apply(op, a, b) {
            Ok(value) => (value, faults),
            Err(why) => {
                faults.push(self.record_under(marks, Fault::Operation(why), id, Place::Node));
                (unknown, faults)
            }
        }
    }

    fn apply(&self, op: BinaryOp, a: Value<'a>, b: Value<'a>) -> Result<Value<'a>, OperationFault> {
        let arena = self.arena;
        match op {
            BinaryOp::Or => logic::or(arena, a, b),
            BinaryOp::And => logic::and(arena, a, b),
            BinaryOp::Equal => Ok(equals(arena, a, b)),
            BinaryOp::NotEqual => Ok(self.negated(equals(arena, a, b))),
            BinaryOp::Less => compare(arena, Comparison::Less, a, b),
            BinaryOp::LessOrEqual => compare(arena, Comparison::LessOrEqual, a, b),
            BinaryOp::Greater => compare(arena, Comparison::Greater, a, b),
            BinaryOp::GreaterOrEqual => compare(arena, Comparison::GreaterOrEqual, a, b),
            BinaryOp::Add => arithmetic::add(arena, a, b),
            BinaryOp::Subtract => arithmetic::subtract(arena, a, b),
            BinaryOp::Multiply => arithmetic::multiply(arena, a, b),
            BinaryOp::Divide => arithmetic::divide(arena, a, b),
            BinaryOp::Modulo => arithmetic::modulo(arena, a, b),
        }
    }

    /// Negates a bool.
    fn negated(&self, value: Value<'a>) -> Value<'a> {
        let (plain, marks) = value.unmark();
        plain.as_bool().map_or(value, |equal| Value::bool(!equal).with_marks(self.arena, marks))
    }

    /// Evaluates `&&` and `||`. If one side decides alone, faults of the other side are dropped. Null
    /// counts as false. Marks of both sides are always kept.
    fn logic(&self, id: NodeId, op: BinaryOp, left: Found<'a>, right: Found<'a>) -> Found<'a> {
        let decisive = op == BinaryOp::Or;
        let marks = self.marks_of(left.0, right.0);
        let with = |value: Value<'a>, faults, dropped: &[Record<'a>]| {
            let marks = marks.union(self.arena, Record::marks_of(self.arena, dropped));
            (value.with_marks(self.arena, marks), faults)
        };
        let unknown = Value::unknown_not_null(self.arena, Type::Bool);
        match (side(left.0, decisive), side(right.0, decisive)) {
            (Side::Unknown, Side::Unknown) if left.1.is_empty() => with(unknown, left.1, &right.1),
            (Side::Decides, _) => with(Value::bool(decisive), left.1, &right.1),
            (_, Side::Decides) => with(Value::bool(decisive), right.1, &left.1),
            (Side::Unknown, Side::Open) => with(unknown, left.1, &right.1),
            (Side::Open, Side::Unknown) => with(unknown, right.1, &left.1),
            _ => self.operation(id, op, left, right),
        }
    }

    fn marks_of(&self, a: Value<'a>, b: Value<'a>) -> Marks<'a> {
        a.unmark().1.union(self.arena, b.unmark().1)
    }
}

fn side(value: Value<'_>, decisive: bool) -> Side {
    let plain = value.unmark().0;
    if !plain.is_known() {
        return Side::Unknown;
    }
    if plain.as_bool().unwrap_or(false) == decisive { Side::Decides } else { Side::Open }
}

/// Returns the operand and result types of an operator.
const fn types(op: BinaryOp) -> (Type<'static>, Type<'static>) {
    match op {
        BinaryOp::Or | BinaryOp::And => (Type::Bool, Type::Bool),
        BinaryOp::Equal | BinaryOp::NotEqual => (Type::Dynamic, Type::Bool),
        BinaryOp::Less | BinaryOp::LessOrEqual | BinaryOp::Greater | BinaryOp::GreaterOrEqual => {
            (Type::Number, Type::Bool)
        }
        BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Modulo => {
            (Type::Number, Type::Number)
        }
    }
}
