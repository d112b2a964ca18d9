//! The semantics of operators: each function is one operator of the language, on values of any kind.
//!
//! Operands have been converted to the operator's type. A null operand is a fault, an unknown one gives
//! an unknown result that is not null, and the result has the marks of all operands. Arithmetic on plain
//! numbers is in [`number`](crate::number).

pub mod access;
pub mod arithmetic;
pub mod compare;
pub mod conditional;
pub mod equality;
pub mod logic;

use std::fmt;

use crate::memory::arena::Arena;
use crate::number::NumberFault;
use crate::types::Type;
use crate::value::{Marks, Value, View};

/// The reason why an operator has no result for its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperationFault {
    /// An operand is null.
    NullArgument,
    /// The sum, product, quotient or remainder does not exist.
    Number(NumberFault),
}

impl From<NumberFault> for OperationFault {
    fn from(fault: NumberFault) -> Self {
        Self::Number(fault)
    }
}

impl fmt::Display for OperationFault {
    /// Displays a phrase without a final full stop.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NullArgument => "argument must not be null",
            Self::Number(NumberFault::OpposingInfinities) => "infinity and negative infinity have no sum",
            Self::Number(NumberFault::InfinityFromItself) => "infinity minus infinity has no value",
            Self::Number(NumberFault::ZeroTimesInfinity) => "zero times infinity has no value",
            Self::Number(NumberFault::IndeterminateQuotient) => {
                "zero divided by zero and infinity divided by infinity have no value"
            }
            Self::Number(NumberFault::InfiniteModulo) => "an infinite number has no remainder",
        })
    }
}

impl std::error::Error for OperationFault {}

/// The result of an operator.
type OperationResult<'a> = Result<Value<'a>, OperationFault>;

/// Removes the marks of the operands of a binary operator; returns the operands and the marks of both.
fn unmark_both<'a>(arena: &'a Arena, a: Value<'a>, b: Value<'a>) -> (Value<'a>, Value<'a>, Marks<'a>) {
    let ((a, a_marks), (b, b_marks)) = (a.unmark(), b.unmark());
    (a, b, a_marks.union(arena, b_marks))
}

/// Returns the unknown result of an operator of type `ty`; a fault if an operand is null.
fn undecided<'a>(
    arena: &'a Arena,
    ty: Type<'a>,
    operands: &[Value<'a>],
) -> Result<Value<'a>, OperationFault> {
    if operands.iter().any(|operand| matches!(operand.view(), View::Null(_))) {
        return Err(OperationFault::NullArgument);
    }
    Ok(Value::unknown_not_null(arena, ty))
}
