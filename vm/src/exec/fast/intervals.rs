//! Arithmetic that is compared or rounded: intervals determine most results, and the others are computed in numbers.
//! The operators themselves are in [`slow`](super::slow).

use super::machine::FastMachine;
use super::slow;
use super::stop::{Plain, Stop};
use crate::code::fast::{IntervalId, MOST_TERMS, Term};
use crate::code::{Arithmetic, Comparison, Rounding};
use crate::number::{Interval, Width};
use crate::value::Value;

/// Compares two arithmetic expressions if their intervals determine the result (an interval filter):
/// the exact numbers are computed only if the intervals overlap.
// Out of line: its temporaries would spill in the loop.
#[inline(never)]
pub(super) fn compare(
    machine: &FastMachine<'_, '_>,
    op: Comparison,
    id: IntervalId,
    registers: &[Value<'_>],
) -> Option<bool> {
    let [a, b] = intervals(machine.fast.intervals.get(usize::from(id.0))?, registers)?;
    a.compare(b).map(|order| op.holds_in(order))
}

/// Compares a number and a bound if the number is not within the interval of the bound.
// Out of line: its temporaries would spill in the loop.
#[inline(never)]
pub(super) fn compare_bound(
    machine: &FastMachine<'_, '_>,
    op: Comparison,
    id: IntervalId,
    value: Value<'_>,
) -> Option<bool> {
    Interval::of(value.as_number()?)?.compare(bound(machine, id)?).map(|order| op.holds_in(order))
}

/// Returns the interval of a bound.
pub(super) fn bound(machine: &FastMachine<'_, '_>, id: IntervalId) -> Option<Interval> {
    match **machine.fast.intervals.get(usize::from(id.0))? {
        [Term::Constant(bound, _)] => Some(bound),
        _ => None,
    }
}

/// Computes arithmetic and rounds the result.
// Out of line: its temporaries would spill in the loop.
#[inline(never)]
pub(super) fn round<'a>(
    machine: &FastMachine<'_, 'a>,
    rounding: Rounding,
    id: IntervalId,
    registers: &[Value<'a>],
) -> Plain<'a> {
    let terms = machine.fast.intervals.get(usize::from(id.0)).ok_or(Stop::FallBack)?;
    // As a call.
    if !machine.arena.charge(1) {
        return Err(Stop::FallBack);
    }
    // The precision of a result is the largest of those of the operands, so one of them that has the highest
    // one suffices.
    let is_full = terms.iter().any(|term| match term {
        Term::Register(reg) => registers
            .get(usize::from(reg.0))
            .and_then(|value| value.as_number())
            .is_some_and(|number| number.precision() == Width::Full.bits()),
        Term::Constant(_, k) => k.is_some(),
        Term::Apply(_) => false,
    });
    if is_full
        && let Some([interval, _]) = intervals(terms, registers)
        && let Some(rounded) = interval.rounded(rounding)
    {
        return Ok(Value::int(rounded));
    }
    round_exactly(machine, rounding, terms, registers)
}

/// Computes arithmetic in numbers and rounds the result.
// Cold: intervals determine most results. Out of line like `round`, which calls it.
#[cold]
#[inline(never)]
fn round_exactly<'a>(
    machine: &FastMachine<'_, 'a>,
    rounding: Rounding,
    terms: &[Term],
    registers: &[Value<'a>],
) -> Plain<'a> {
    let FastMachine { fast, arena, .. } = *machine;
    let mut stack = [Value::NULL; MOST_TERMS];
    let mut depth = 0;
    for term in terms {
        let value = match term {
            Term::Register(reg) => registers.get(usize::from(reg.0)).copied(),
            Term::Constant(_, k) => k.and_then(|k| fast.constants.values().get(k.0 as usize).copied()),
            Term::Apply(operator) => {
                depth = usize::checked_sub(depth, 2).ok_or(Stop::FallBack)?;
                let (a, b) = (stack[depth], stack[depth + 1]);
                Some(slow::operation(*operator)(arena, a, b)?)
            }
        };
        *stack.get_mut(depth).ok_or(Stop::FallBack)? = value.ok_or(Stop::FallBack)?;
        depth += 1;
    }
    let number = stack[0].as_number().ok_or(Stop::FallBack)?;
    Ok(Value::number(arena, rounding.of(number)))
}

/// Computes the intervals of one or two arithmetic expressions; that of a second one which is missing is zero.
// Inlined into the two instructions, of which one needs a single interval.
#[inline(always)]
fn intervals(terms: &[Term], registers: &[Value<'_>]) -> Option<[Interval; 2]> {
    let (a, rest) = chain(terms, registers)?;
    if rest.is_empty() {
        return Some([a, Interval::ZERO]);
    }
    let (b, rest) = chain(rest, registers)?;
    if rest.is_empty() { Some([a, b]) } else { nested(terms, registers) }
}

/// Computes the interval of a number with which others are combined one after the other. Returns it with the terms
/// behind it.
// Inlined: the interval remains in machine registers.
#[inline(always)]
fn chain<'t>(terms: &'t [Term], registers: &[Value<'_>]) -> Option<(Interval, &'t [Term])> {
    let (first, mut rest) = terms.split_first()?;
    let mut interval = operand(first, registers)?;
    while let [term, Term::Apply(operator), others @ ..] = rest {
        interval = apply(*operator, interval, operand(term, registers)?)?;
        rest = others;
    }
    Some((interval, rest))
}

/// Computes the intervals of expressions with operands that are expressions, on a stack.
// Out of line: few expressions are nested, and the stack is set up in each call.
#[inline(never)]
fn nested(terms: &[Term], registers: &[Value<'_>]) -> Option<[Interval; 2]> {
    let mut stack = [Interval::ZERO; MOST_TERMS];
    let mut depth = 0;
    for term in terms {
        let interval = if let Term::Apply(operator) = term {
            depth = usize::checked_sub(depth, 2)?;
            apply(*operator, *stack.get(depth)?, *stack.get(depth + 1)?)?
        } else {
            operand(term, registers)?
        };
        *stack.get_mut(depth)? = interval;
        depth += 1;
    }
    let [a, b, ..] = stack;
    Some([a, b])
}

/// Returns the interval of a number or a constant.
// Inlined into both ways to compute intervals.
#[inline(always)]
fn operand(term: &Term, registers: &[Value<'_>]) -> Option<Interval> {
    match term {
        Term::Register(reg) => Interval::of(registers.get(usize::from(reg.0))?.as_number()?),
        Term::Constant(interval, _) => Some(*interval),
        Term::Apply(_) => None,
    }
}

/// Combines two intervals.
// Inlined into both ways to compute intervals.
#[inline(always)]
fn apply(operator: Arithmetic, a: Interval, b: Interval) -> Option<Interval> {
    match operator {
        Arithmetic::Add => a.plus(b),
        Arithmetic::Subtract => a.minus(b),
        Arithmetic::Multiply => a.times(b),
        Arithmetic::Divide => a.over(b),
        Arithmetic::Modulo => None,
    }
}
