//! `<` `<=` `>` `>=` on numbers.
//!
//! Comparisons of unknown numbers may be decided by their bounds, all of which count as exclusive: if the
//! ranges only touch, the result is unknown. An operator with `=` is the strict one or equality: true if the
//! strict one is, and unknown if either of them is. Equality is in [`equality`].

use std::cmp::Ordering;

use super::{OperationFault, equality, undecided, unmark_both};
use crate::memory::arena::Arena;
use crate::number::{self, NumberRef};
use crate::types::Type;
use crate::value::{Unknown, Value, View};

/// An ordering operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// `<`
    Less = 0b001,
    /// `<=`
    LessOrEqual = 0b011,
    /// `>`
    Greater = 0b100,
    /// `>=`
    GreaterOrEqual = 0b110,
}

impl Comparison {
    /// Returns true if the strict part of the operator holds for this order.
    #[inline]
    const fn holds(self, order: Ordering) -> bool {
        match self {
            Self::Less | Self::LessOrEqual => order.is_lt(),
            Self::Greater | Self::GreaterOrEqual => order.is_gt(),
        }
    }

    /// Returns the operator that holds for swapped operands: `b op a` is `a self b`.
    pub const fn mirrored(self) -> Self {
        match self {
            Self::Less => Self::Greater,
            Self::LessOrEqual => Self::GreaterOrEqual,
            Self::Greater => Self::Less,
            Self::GreaterOrEqual => Self::LessOrEqual,
        }
    }

    /// Returns the operator that holds if this one does not. Numbers are totally ordered.
    pub const fn negated(self) -> Self {
        match self {
            Self::Less => Self::GreaterOrEqual,
            Self::LessOrEqual => Self::Greater,
            Self::Greater => Self::LessOrEqual,
            Self::GreaterOrEqual => Self::Less,
        }
    }

    /// Returns true if the operator holds between two known integers. Inlined into the compare-and-branch
    /// instructions, where it is a few instructions.
    #[inline(always)]
    pub(crate) fn holds_for(self, a: &i64, b: &i64) -> bool {
        self.holds_in(a.cmp(b))
    }

    /// Returns true if the operator holds between known numbers in this order. Inlined for the same
    /// reason.
    #[inline(always)]
    pub(crate) const fn holds_in(self, order: Ordering) -> bool {
        // One bit for each order in which the operator holds: -1, 0, 1.
        self as u8 >> (order as i8 + 1) & 1 != 0
    }

    /// Returns true for `<` and `>`.
    pub(crate) const fn is_strict(self) -> bool {
        matches!(self, Self::Less | Self::Greater)
    }
}

/// `a op b`
#[inline]
pub fn compare<'a>(
    arena: &'a Arena,
    operator: Comparison,
    a: Value<'a>,
    b: Value<'a>,
) -> Result<Value<'a>, OperationFault> {
    if let (Some(a), Some(b)) = (a.as_number(), b.as_number()) {
        return Ok(Value::bool(decide(operator, a, b)));
    }
    let (a, b, marks) = unmark_both(arena, a, b);
    let result = match (a.as_number(), b.as_number()) {
        (Some(a), Some(b)) => Value::bool(decide(operator, a, b)),
        _ => by_range(arena, operator, a, b)?,
    };
    Ok(result.with_marks(arena, marks))
}

/// Compares known numbers. Order is exact and equality compares the printed digits, so both are
/// evaluated.
#[inline]
fn decide(operator: Comparison, a: NumberRef<'_>, b: NumberRef<'_>) -> bool {
    operator.holds(number::compare(a, b)) || !operator.is_strict() && number::equal(a, b)
}

/// Compares numbers that may be unknown. Cold: programs mostly run with known values.
#[cold]
fn by_range<'a>(
    arena: &'a Arena,
    operator: Comparison,
    a: Value<'a>,
    b: Value<'a>,
) -> Result<Value<'a>, OperationFault> {
    let unknown = undecided(arena, Type::Bool, &[a, b])?;
    let Some(strict) = order_of_ranges(a, b).map(|order| operator.holds(order)) else {
        return Ok(unknown);
    };
    if strict || operator.is_strict() {
        return Ok(Value::bool(strict));
    }
    // Two unknown numbers may be equal for the reference, although their ranges do not overlap.
    let equal = equality::equals(arena, a, b);
    Ok(equal.as_bool().map_or(unknown, Value::bool))
}

/// Returns the order of two numbers whose ranges do not overlap.
fn order_of_ranges(a: Value<'_>, b: Value<'_>) -> Option<Ordering> {
    let ((a_min, a_max), (b_min, b_max)) = (bounds(a)?, bounds(b)?);
    let apart = |low: Option<NumberRef<'_>>, high: Option<NumberRef<'_>>| matches!((low, high), (Some(low), Some(high)) if number::compare(low, high).is_lt());
    if apart(a_max, b_min) {
        Some(Ordering::Less)
    } else if apart(b_max, a_min) {
        Some(Ordering::Greater)
    } else {
        None
    }
}

/// Returns the least and the greatest value of a number; `None` for other values.
fn bounds(value: Value<'_>) -> Option<(Option<NumberRef<'_>>, Option<NumberRef<'_>>)> {
    match value.view() {
        View::Number(number) => Some((Some(number), Some(number))),
        View::Unknown(Unknown { ty: Type::Number, refinement }) => {
            Some((refinement.min.map(|bound| bound.value), refinement.max.map(|bound| bound.value)))
        }
        _ => None,
    }
}
