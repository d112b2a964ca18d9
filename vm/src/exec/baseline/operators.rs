//! Operators with one or two operands: their faults, unknowns and marks. The computation itself is in
//! [`ops`].
//!
//! Conversion errors of both operands precede the operands' own faults. An operator whose operands had
//! faults returns an unknown of its type with their marks.

use super::machine::Machine;
use crate::code::{Arithmetic, Comparison, Connective, Reg};
use crate::fault::{Fault, Place, Record};
use crate::memory::arena::Arena;
use crate::ops::{self, OperationFault};
use crate::types::Type;
use crate::types::convert::convert;
use crate::value::Value;

impl<'a> Machine<'_, 'a> {
    pub(super) fn arithmetic(&mut self, op: Arithmetic, d: Reg, operands: [Reg; 2], log: Reg) {
        let arena = self.arena;
        let result = self.binary(operands, Type::Number, Type::Number, log, |[a, b]| {
            ops::arithmetic::apply(arena, op, a, b)
        });
        self.set(d, result);
    }

    pub(super) fn compare(&mut self, op: Comparison, d: Reg, operands: [Reg; 2], log: Reg) {
        let arena = self.arena;
        let result = self
            .binary(operands, Type::Number, Type::Bool, log, |[a, b]| ops::compare::compare(arena, op, a, b));
        self.set(d, result);
    }

    pub(super) fn equal(&mut self, negated: bool, d: Reg, operands: [Reg; 2], log: Reg) {
        let arena = self.arena;
        let result = self.binary(operands, Type::Dynamic, Type::Bool, log, |[a, b]| {
            let operator = if negated { ops::equality::differs } else { ops::equality::equals };
            Ok(operator(arena, a, b))
        });
        self.set(d, result);
    }

    /// Converts both operands and applies the operator, unless there were faults.
    fn binary(
        &mut self,
        operands: [Reg; 2],
        want: Type<'a>,
        gives: Type<'a>,
        log: Reg,
        apply: impl FnOnce([Value<'a>; 2]) -> Result<Value<'a>, OperationFault>,
    ) -> Value<'a> {
        let operands = operands.map(|reg| self.get(reg));
        let Ok(values) = self.convert_operands(operands, want, self.logged(log)) else {
            return Value::unknown_of(self.arena, gives);
        };
        if self.faulted_since(log) {
            let unknown = self.failed(gives, self.all_marks(values));
            return unknown.with_marks(self.arena, self.own_marks(values));
        }
        apply(values).unwrap_or_else(|fault| {
            self.fault_of(Fault::Operation(fault), Place::Node, operands);
            self.failed(gives, self.own_marks(operands))
        })
    }

    /// Converts both operands. Inserts faults of the conversions at `from`, before the operands' own.
    // Inlined for the check: most operands need no conversion.
    #[inline(always)]
    fn convert_operands(
        &mut self,
        [a, b]: [Value<'a>; 2],
        want: Type<'a>,
        from: usize,
    ) -> Result<[Value<'a>; 2], ()> {
        if a.fits(want) && b.fits(want) { Ok([a, b]) } else { self.convert_each([a, b], want, from) }
    }

    // Out of line: few operands need it.
    #[inline(never)]
    fn convert_each(
        &mut self,
        [a, b]: [Value<'a>; 2],
        want: Type<'a>,
        from: usize,
    ) -> Result<[Value<'a>; 2], ()> {
        let left = convert(self.arena, a, want);
        let right = convert(self.arena, b, want);
        let marks = self.own_marks([a, b]);
        // The left operand's fault precedes the right one's too.
        let right_fault = right.err().map(|mismatch| (Fault::Operand("right", mismatch), Place::Right));
        let left_fault = left.err().map(|mismatch| (Fault::Operand("left", mismatch), Place::Left));
        for (fault, place) in right_fault.into_iter().chain(left_fault) {
            let record = self.record_of(fault, place, [a, b]).with_marks(self.arena, marks);
            let precedes = u32::try_from(self.log.len() - from).unwrap_or(u32::MAX);
            self.log.push(Record { precedes, ..record });
        }
        match (left, right) {
            (Ok(left), Ok(right)) => Ok([left, right]),
            _ => Err(()),
        }
    }

    pub(super) fn logic(&mut self, op: Connective, d: Reg, operands: [Reg; 2], logs: [Reg; 2]) {
        let result = self.connect(op, operands.map(|reg| self.get(reg)), logs.map(|reg| self.logged(reg)));
        self.set(d, result);
    }

    fn connect(&mut self, op: Connective, operands: [Value<'a>; 2], [from, right]: [usize; 2]) -> Value<'a> {
        let arena = self.arena;
        if self.log.len() == from
            && !self.exploring
            && let Some(result) = connect_without_faults(arena, op, operands)
        {
            return result;
        }
        let Ok(values) = self.convert_operands(operands, Type::Bool, from) else {
            return Value::unknown_of(arena, Type::Bool);
        };
        let marks = self.own_marks(values);
        if let Some(deciding) = op.deciding()
            && let Some(result) =
                self.short_circuit(deciding, values.map(|value| value.unmark().0), from, right)
        {
            return result.with_marks(arena, marks);
        }
        if self.log.len() > from {
            return self.failed(Type::Bool, self.all_marks(values)).with_marks(arena, marks);
        }
        let result = match op {
            Connective::And | Connective::StrictAnd => ops::logic::and(arena, values[0], values[1]),
            Connective::Or | Connective::StrictOr => ops::logic::or(arena, values[0], values[1]),
        };
        result.unwrap_or_else(|fault| {
            self.fault_of(Fault::Operation(fault), Place::Node, operands);
            self.failed(Type::Bool, marks)
        })
    }

    /// Returns the result if one operand determines it, and drops the faults of the other, whose
    /// marks the result gets. `from` and `middle` are where the faults of the left and the right operand begin.
    ///
    /// A null counts as false here, so it decides `&&` and never decides `||`.
    fn short_circuit(
        &mut self,
        deciding: bool,
        [left, right]: [Value<'a>; 2],
        from: usize,
        middle: usize,
    ) -> Option<Value<'a>> {
        let is = |value: Value<'a>, wanted: bool| match value.as_bool() {
            Some(bool) => bool == wanted,
            None => value.is_null() && !wanted,
        };
        let pending = Value::unknown_not_null(self.arena, Type::Bool);
        let end = self.log.len();
        let (left_known, right_known) = (left.is_known(), right.is_known());
        let is_open = !(left_known || is(right, deciding)) || !(right_known || is(left, deciding));
        if self.exploring && is_open {
            return None;
        }
        let (result, dropped) = if !left_known && !right_known {
            if middle > from {
                return None;
            }
            (pending, middle..end)
        } else if is(left, deciding) {
            (Value::bool(deciding), middle..end)
        } else if is(right, deciding) {
            (Value::bool(deciding), from..middle)
        } else if !left_known && is(right, !deciding) {
            (pending, middle..end)
        } else if !right_known && is(left, !deciding) {
            (pending, from..middle)
        } else {
            return None;
        };
        let marks = self.drop_faults(dropped.start, dropped.end);
        Some(result.with_marks(self.arena, marks))
    }

    pub(super) fn not(&mut self, d: Reg, a: Reg, log: Reg) {
        let arena = self.arena;
        let result = self.unary(a, Type::Bool, log, |value| ops::logic::not(arena, value));
        self.set(d, result);
    }

    pub(super) fn negate(&mut self, d: Reg, a: Reg, log: Reg) {
        let arena = self.arena;
        let result = self.unary(a, Type::Number, log, |value| ops::arithmetic::negate(arena, value));
        self.set(d, result);
    }

    fn unary(
        &mut self,
        a: Reg,
        ty: Type<'a>,
        log: Reg,
        apply: impl FnOnce(Value<'a>) -> Result<Value<'a>, OperationFault>,
    ) -> Value<'a> {
        let operand = self.get(a);
        match convert(self.arena, operand, ty) {
            Err(mismatch) => {
                self.fault_of(Fault::Operand("unary", mismatch), Place::Operand, [operand]);
                self.failed(ty, self.own_marks([operand]))
            }
            Ok(_) if self.faulted_since(log) => self.failed(ty, self.own_marks([operand])),
            Ok(value) => apply(value).unwrap_or_else(|fault| {
                self.fault_of(Fault::Operation(fault), Place::Node, [value]);
                self.failed(ty, self.own_marks([operand]))
            }),
        }
    }
}

/// Returns the result of a connective whose operands had no faults, if both are bools or unknown values that may be:
/// an operand that decides does, otherwise the result is as unknown as they are.
fn connect_without_faults<'a>(
    arena: &'a Arena,
    op: Connective,
    [left, right]: [Value<'a>; 2],
) -> Option<Value<'a>> {
    let ((left, left_marks), (right, right_marks)) = (left.unmark(), right.unmark());
    let result = match (left.as_bool(), right.as_bool()) {
        (Some(left), Some(right)) => Value::bool(match op {
            Connective::And | Connective::StrictAnd => left && right,
            Connective::Or | Connective::StrictOr => left || right,
        }),
        (known, other) => {
            let deciding = op.deciding()?;
            for operand in [left, right] {
                match operand.unknown_type() {
                    // As the conversion to a bool.
                    Some(Type::Dynamic) if arena.charge(1) => {}
                    Some(Type::Bool) => {}
                    None if operand.as_bool().is_some() => {}
                    _ => return None,
                }
            }
            if known.or(other) == Some(deciding) {
                Value::bool(deciding)
            } else {
                Value::unknown_not_null(arena, Type::Bool)
            }
        }
    };
    Some(result.with_marks(arena, left_marks.union(arena, right_marks)))
}
