//! Functions of numbers: rounding, extremes, powers, digits, ranges.

mod elementary;
mod float;
mod sequence;

pub(crate) use float::{log, pow};
pub(crate) use sequence::{range, sum};

use std::cmp::Ordering;

use hclvm_vm::number::{self as numbers, Rounding};
use hclvm_vm::{Accepts, Arena, CallError, Function, Intrinsic, Number, Type, Value};

use super::arguments::{
    CallResult, TypeResult, any, get, integer_of, number, number_of, of_unknown_type, text_of,
};

/// `abs(num)`
pub(crate) fn abs() -> Function {
    let num = number("num").accepting(Accepts::PLAIN.dynamic().marked());
    Function::new("abs", [num], Type::Number, |arena, args, _| {
        let (plain, marks) = get(args, 0).unmark();
        let magnitude = Value::number(arena, numbers::absolute(number_of(&[plain], 0)));
        Ok(magnitude.with_marks(arena, marks))
    })
    .inline(|arena, args| Some(Value::number(arena, numbers::absolute(args.first()?.as_number()?))))
}

/// `ceil(num)`
pub(crate) fn ceil() -> Function {
    Function::new("ceil", [number("num")], Type::Number, |arena, args, _| {
        Ok(Value::number(arena, numbers::ceil(number_of(args, 0))))
    })
    .inline(|arena, args| Some(Value::number(arena, numbers::ceil(args.first()?.as_number()?))))
    .intrinsic(Intrinsic::Rounds(Rounding::Up))
}

/// `floor(num)`
pub(crate) fn floor() -> Function {
    Function::new("floor", [number("num")], Type::Number, |arena, args, _| {
        Ok(Value::number(arena, numbers::floor(number_of(args, 0))))
    })
    .inline(|arena, args| Some(Value::number(arena, numbers::floor(args.first()?.as_number()?))))
    .intrinsic(Intrinsic::Rounds(Rounding::Down))
}

/// `int(num)`: without the fraction.
pub(crate) fn int() -> Function {
    Function::new("int", [of_unknown_type(number("num"))], Type::Number, |arena, args, _| {
        let number = number_of(args, 0);
        if number.is_infinite() {
            return Err(CallError::new("infinity is not a whole number and has no fraction to drop"));
        }
        Ok(Value::number(arena, numbers::truncate(number)))
    })
}

/// `signum(num)`: -1, 0 or 1 of a whole number.
pub(crate) fn signum() -> Function {
    Function::new("signum", [number("num")], Type::Number, |_, args, _| {
        integer_of(args, 0).map(|value| Value::short(value.signum()))
    })
}

/// `min(numbers...)`
pub(crate) fn min() -> Function {
    extreme("min", |args| of_extreme(args, Ordering::Less)).inline(|_, args| of_extreme(args, Ordering::Less))
}

/// `max(numbers...)`
pub(crate) fn max() -> Function {
    extreme("max", |args| of_extreme(args, Ordering::Greater))
        .inline(|_, args| of_extreme(args, Ordering::Greater))
}

fn extreme(name: &'static str, found: for<'a> fn(&[Value<'a>]) -> Option<Value<'a>>) -> Function {
    Function::new(name, [], Type::Number, move |_, args, _| {
        found(args).ok_or_else(|| CallError::new("at least one number is required"))
    })
    .variadic(of_unknown_type(number("numbers")))
}

/// Returns the first number that no other exceeds in the direction `wanted`; `None` if there is none, or if an argument
/// is no plain number.
fn of_extreme<'a>(args: &[Value<'a>], wanted: Ordering) -> Option<Value<'a>> {
    let (first, others) = args.split_first()?;
    let (mut best, mut number) = (*first, first.as_number()?);
    for next in others {
        let candidate = next.as_number()?;
        if numbers::compare(candidate, number) == wanted {
            (best, number) = (*next, candidate);
        }
    }
    Some(best)
}

/// `parseint(number, base)`
pub(crate) fn parseint() -> Function {
    Function::new("parseint", [any("number"), number("base")], Type::Number, parseint_body)
        .typed(parseint_type)
}

fn parseint_type<'a>(arena: &'a Arena, args: &[Value<'a>]) -> TypeResult<'a> {
    match get(args, 0).type_of(arena) {
        Type::String => Ok(Type::Number),
        other => Err(CallError::argument(
            0,
            format!(
                "the digits of a number are read from a string, not from a value of type {}",
                other.friendly_name()
            ),
        )),
    }
}

fn parseint_body<'a>(arena: &'a Arena, args: &[Value<'a>], _: Type<'a>) -> CallResult<'a> {
    let digits = text_of(args, 0);
    let base = number_of(args, 1)
        .to_u64()
        .and_then(|base| u32::try_from(base).ok())
        .filter(|base| (2..=62).contains(base))
        .ok_or_else(|| CallError::argument(1, "the base must be a whole number from 2 to 62"))?;
    if !arena.charge(digits.len() as u64) {
        return Ok(Value::DYNAMIC);
    }
    match Number::parse_integer(digits, base) {
        Some(number) => Ok(Value::number(arena, number)),
        None => Err(CallError::argument(0, format!("{digits:?} is not an integer in base {base}"))),
    }
}
