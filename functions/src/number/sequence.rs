//! Lists of numbers: made by counting, taken together by adding.

use hclvm_vm::number::{add, compare};
use hclvm_vm::{Arena, CallError, Function, Number, NumberFault, NumberRef, Type, Value, Width, convert};

use crate::arguments::{CallResult, any, get, items_of, kind, number, number_of};

/// The maximum number of elements of a result, as in go-cty.
const MOST: usize = 1024;

/// `range(params...)`: numbers up to an end, from a start to an end, or from a start to an end by steps.
pub(crate) fn range() -> Function {
    Function::new("range", [], Type::List(&Type::Number), range_body).variadic(number("params"))
}

fn range_body<'a>(arena: &'a Arena, args: &[Value<'a>], _: Type<'a>) -> CallResult<'a> {
    let zero = NumberRef::Int(0, Width::Short);
    let unit = |start, end| NumberRef::Int(if compare(end, start).is_lt() { -1 } else { 1 }, Width::Short);
    let argument = |index| number_of(args, index);
    let (start, end, step) = match args.len() {
        1 => (zero, argument(0), unit(zero, argument(0))),
        2 => (argument(0), argument(1), unit(argument(0), argument(1))),
        3 => (argument(0), argument(1), argument(2)),
        _ => {
            return Err(CallError::new(
                "expected one, two or three numbers: end; start and end; start, end and step",
            ));
        }
    };
    counted(arena, start, end, step)
}

/// Returns the numbers from `start` on, by steps, before `end`.
fn counted<'a>(
    arena: &'a Arena,
    start: NumberRef<'a>,
    end: NumberRef<'a>,
    step: NumberRef<'a>,
) -> CallResult<'a> {
    let down = step.sign() < 0;
    let before = |number: NumberRef<'_>| {
        let order = compare(number, end);
        if down { order.is_gt() } else { order.is_lt() }
    };
    if compare(start, end).is_ne() && !before(start) {
        let direction = if down {
            "a negative step needs an end below the start"
        } else {
            "a positive step needs an end above the start"
        };
        return Err(CallError::argument(1, direction));
    }
    let mut items = arena.list();
    let mut next = start.to_owned();
    while before(next.borrow()) {
        if items.len() >= MOST {
            return Err(CallError::new(format!(
                "the range has more than {MOST} numbers; use a larger step or bring start and end closer together"
            )));
        }
        if !arena.charge(1) {
            return Ok(Value::DYNAMIC);
        }
        let item = Value::number(arena, next);
        items.push(item);
        next = add(number_of(&[item], 0), step).map_err(no_sum)?;
    }
    Ok(Value::list(arena, items.into_bump_slice(), Type::Number))
}

/// Makes the error for the only way in which an addition fails.
fn no_sum(_: NumberFault) -> CallError {
    CallError::new("infinity and negative infinity have no sum")
}

/// `sum(list)`
pub(crate) fn sum() -> Function {
    Function::new("sum", [any("list")], Type::Number, sum_body)
}

fn sum_body<'a>(arena: &'a Arena, args: &[Value<'a>], ty: Type<'a>) -> CallResult<'a> {
    let list = get(args, 0);
    if !kind(list).is_sequence() {
        return Err(not_numbers());
    }
    let items = items_of(list);
    if items.is_empty() {
        return Err(CallError::argument(0, "an empty list has no sum"));
    }
    if !list.is_wholly_known() || !arena.charge(items.len() as u64) {
        return Ok(Value::unknown_of(arena, ty));
    }
    let mut total: Option<Number> = None;
    for item in items {
        let item = convert(arena, *item, Type::Number)
            .ok()
            .and_then(|item| item.as_number())
            .ok_or_else(not_numbers)?;
        total = Some(match total {
            Some(total) => add(total.borrow(), item).map_err(no_sum)?,
            None => item.to_owned(),
        });
    }
    Ok(total.map_or(Value::ZERO, |total| Value::number(arena, total)))
}

fn not_numbers() -> CallError {
    CallError::argument(0, "a list, set or tuple of numbers is required")
}
