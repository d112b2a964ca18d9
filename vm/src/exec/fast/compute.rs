//! Runs a [computation](crate::code::computation) with the scope's values where they are, and integers in machine
//! registers. What is not a plain integer, or has no exact result in 64 bits, ends the run: the interpreter's loop
//! starts over.

use std::num::NonZeroU32;

use super::attribute::{attribute_of_path, searched};
use crate::code::computation::Step;
use crate::code::fast::{Fast, Scaled};
use crate::value::Value;

/// Returns the result of a computation that reads no values of a scope but the first `N`; `None` if the interpreter's
/// loop has to run.
// Inlined into the function of its entry, its only caller.
#[inline(always)]
pub(super) fn compute<'a, const N: usize>(
    fast: &'a Fast,
    steps: &[Step],
    values: &[Value<'a>; N],
) -> Option<Value<'a>> {
    let mut next = steps.iter();
    let mut accumulator = 0_i64;
    macro_rules! variable {
        ($variable:expr) => {
            value(values, *$variable).as_full_int()?
        };
    }
    macro_rules! attribute {
        ($path:expr) => {{
            let (value, path) = (value(values, $path.variable), $path);
            attribute_of_path(value, path).or_else(|| searched(fast, value, path))?.as_full_int()?
        }};
    }
    macro_rules! jump_if {
        ($jumps:expr, $to:expr) => {
            if $jumps {
                next = steps.get(usize::from(*$to)..)?.iter();
            }
        };
    }
    loop {
        match next.next()? {
            Step::Load { variable } => accumulator = variable!(variable),
            Step::LoadAttribute { path } => accumulator = attribute!(path),
            Step::LoadProduct { variable, i } => accumulator = times(variable!(variable), *i)?,
            Step::LoadShift { variable, bits } => accumulator = shifted(variable!(variable), *bits)?,
            Step::Add { variable } => accumulator = accumulator.checked_add(variable!(variable))?,
            Step::AddAttribute { path } => accumulator = accumulator.checked_add(attribute!(path))?,
            Step::AddProduct { variable, i } => {
                accumulator = accumulator.checked_add(times(variable!(variable), *i)?)?;
            }
            Step::AddInt { i } => accumulator = accumulator.checked_add(i64::from(*i))?,
            Step::Subtract { variable } => accumulator = accumulator.checked_sub(variable!(variable))?,
            Step::SubtractAttribute { path } => accumulator = accumulator.checked_sub(attribute!(path))?,
            Step::SubtractProduct { variable, i } => {
                accumulator = accumulator.checked_sub(times(variable!(variable), *i)?)?;
            }
            Step::Multiply { variable } => accumulator = product(accumulator, variable!(variable))?,
            Step::MultiplyAttribute { path } => accumulator = product(accumulator, attribute!(path))?,
            Step::MultiplyInt { i } => accumulator = times(accumulator, *i)?,
            Step::Shift { bits } => accumulator = shifted(accumulator, *bits)?,
            Step::ModuloInt { i } => accumulator = remainder(accumulator, *i),
            Step::CompareInt { when, to, i } => jump_if!((accumulator < i64::from(*i)) == *when, to),
            Step::CompareVariable { op, to, variable } => {
                jump_if!(op.holds_for(&accumulator, &variable!(variable)), to);
            }
            Step::CompareAttribute { op, to, path } => {
                jump_if!(op.holds_for(&accumulator, &attribute!(path)), to);
            }
            Step::Variable { variable, when, to } => {
                jump_if!(value(values, *variable).as_bool()? == *when, to);
            }
            Step::Jump { to } => jump_if!(true, to),
            Step::ReturnInteger => return Some(Value::int(accumulator)),
            Step::ReturnBool { truth } => return Some(Value::bool(*truth)),
            Step::ReturnConstant { k } => return fast.constants.values().get(k.0 as usize).copied(),
            Step::ReturnVariable { variable } => return Some(value(values, *variable)),
            Step::ReturnArm { a, b } => {
                let a = value(values, *a);
                return a.same_primitive_type(value(values, *b)).then_some(a);
            }
            Step::StartOver => return None,
        }
    }
}

/// Returns a variable. Inlined: a load.
#[inline(always)]
fn value<'a, const N: usize>(values: &[Value<'a>; N], variable: Scaled) -> Value<'a> {
    values[variable.index::<N, true>()]
}

/// Multiplies by a constant. Inlined: two instructions.
#[inline(always)]
fn times(a: i64, i: NonZeroU32) -> Option<i64> {
    a.checked_mul(i64::from(i.get()))
}

/// Multiplies. Returns `None` for products that do not fit, and for a negative zero. Inlined: a few instructions.
#[inline(always)]
fn product(a: i64, b: i64) -> Option<i64> {
    a.checked_mul(b).filter(|product| *product != 0 || a | b >= 0)
}

/// Divides by two to the power of `bits`, if the quotient is a whole number. Inlined: four instructions.
#[inline(always)]
fn shifted(a: i64, bits: u8) -> Option<i64> {
    let quotient = a >> (bits & 31);
    (quotient << (bits & 31) == a).then_some(quotient)
}

/// Returns the rest of a division. Inlined: the 32-bit division has a fraction of the latency of the 64-bit one on many
/// processors.
#[inline(always)]
fn remainder(a: i64, i: NonZeroU32) -> i64 {
    match u32::try_from(a) {
        Ok(narrow) => i64::from(narrow % i),
        Err(_) => a % i64::from(i.get()),
    }
}
