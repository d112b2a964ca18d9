//! The cases that the loop handles out of line: the operators of the language on values that are known and
//! unmarked, but not of the kind for which the loop has an inline form. Anything else falls back to the
//! baseline tier. [`inline`] holds the cases that are compiled into the loop.
//!
//! Functions here are `inline(never)`, so that their temporaries do not spill in the loop, and `cold` where
//! few programs get: the loop's inline form then falls through.

use std::cmp::Ordering;

use super::inline;
use super::machine::FastMachine;
use crate::code::fast::{Fast, FastOp, InlineCache, IntervalId, MOST_TERMS, Scaled, SwitchId, Symbol, Term};
use crate::code::{Arithmetic, Callee, Comparison, ShapeId};
use crate::memory::arena::{Arena, WORK_TO_READ};
use crate::number::{self, Interval};
use crate::ops::{self, OperationFault};
use crate::text::nfc;
use crate::types::Type;
use crate::types::convert::convert;
use crate::value::{Entry, TextBuffer, Value, View, find};

/// Why an operation has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// A fault of the language, which a `try` around it may handle.
    Fault,
    /// Something that only the baseline tier can decide.
    FallBack,
}

type Plain<'a> = Result<Value<'a>, Stop>;

/// Returns the value if it is known and unmarked.
#[inline]
fn plain(value: Value<'_>) -> Plain<'_> {
    match value.view() {
        View::Unknown(_) | View::Marked(..) | View::Unset => Err(Stop::FallBack),
        _ => Ok(value),
    }
}

/// Returns an attribute that is not where the inline cache says.
#[cold]
#[inline(never)]
pub(super) fn attribute<'a>(
    machine: &FastMachine<'_, 'a>,
    value: Value<'a>,
    cache: &InlineCache,
    symbol: Symbol,
) -> Plain<'a> {
    let FastMachine { fast, arena, .. } = *machine;
    if let Some(found) = attribute_by_symbol(value, cache, symbol) {
        return Ok(found);
    }
    let name = fast.name(symbol).ok_or(Stop::FallBack)?;
    match plain(value)?.view() {
        View::Object(entries) | View::Map(entries, _) => {
            find(entries, name).map(|entry| entry.value).ok_or(Stop::Fault)
        }
        _ => ops::access::attribute(arena, value, name).map_err(|_| Stop::Fault),
    }
}

/// Searches an attribute of an object by symbol and stores its position in the inline cache.
pub(super) fn attribute_by_symbol<'a>(
    value: Value<'a>,
    cache: &InlineCache,
    symbol: Symbol,
) -> Option<Value<'a>> {
    /// Objects with more attributes are searched by name, in logarithmic time.
    const LONGEST_SEARCH: usize = 200;
    let entries = value.as_object()?;
    if entries.len() > LONGEST_SEARCH {
        return None;
    }
    let at = entries.iter().position(|entry| entry.symbol == symbol.0)?;
    cache.set(at);
    Some(entries[at].value)
}

/// `a[at]`
#[inline]
pub(super) fn index_at<'a>(arena: &'a Arena, a: Value<'a>, at: i64) -> Plain<'a> {
    let (View::Tuple(items) | View::List(items, _)) = a.view() else {
        return index(arena, a, Value::int(at));
    };
    usize::try_from(at).ok().and_then(|at| items.get(at)).copied().ok_or(Stop::Fault)
}

/// `a[b]`
#[cold]
#[inline(never)]
pub(super) fn index<'a>(arena: &'a Arena, a: Value<'a>, b: Value<'a>) -> Plain<'a> {
    plain(a)?;
    plain(b)?;
    ops::access::index(arena, a, b).map_err(|_| Stop::Fault)
}

macro_rules! arithmetic {
    ($($name:ident)+) => {$(
        #[doc = concat!("The `", stringify!($name), "` operator on operands that are not small integers.")]
        #[cold]
        #[inline(never)]
        pub(super) fn $name<'a>(arena: &'a Arena, a: Value<'a>, b: Value<'a>) -> Plain<'a> {
            binary(arena, a, b, ops::arithmetic::$name)
        }
    )+};
}

arithmetic!(add subtract multiply divide modulo);

#[inline(always)]
fn binary<'a>(
    arena: &'a Arena,
    a: Value<'a>,
    b: Value<'a>,
    apply: impl FnOnce(&'a Arena, Value<'a>, Value<'a>) -> Result<Value<'a>, OperationFault>,
) -> Plain<'a> {
    let a = number(arena, a)?;
    let b = number(arena, b)?;
    apply(arena, a, b).map_err(|_| Stop::Fault)
}

#[inline(always)]
fn number<'a>(arena: &'a Arena, value: Value<'a>) -> Plain<'a> {
    if value.as_number().is_some() {
        return Ok(value);
    }
    convert(arena, plain(value)?, Type::Number).map_err(|_| Stop::Fault)
}

/// `-a`
#[cold]
#[inline(never)]
pub(super) fn negate<'a>(arena: &'a Arena, a: Value<'a>) -> Plain<'a> {
    ops::arithmetic::negate(arena, number(arena, a)?).map_err(|_| Stop::Fault)
}

/// `a op b` on operands that are not both small integers.
#[inline(never)]
pub(super) fn compare<'a>(
    arena: &'a Arena,
    op: Comparison,
    a: Value<'a>,
    b: Value<'a>,
) -> Result<bool, Stop> {
    let a = number(arena, a)?;
    let b = number(arena, b)?;
    let (Some(a), Some(b)) = (a.as_number(), b.as_number()) else { return Err(Stop::FallBack) };
    if let (Some(close_to_a), Some(close_to_b)) = (Interval::of(a), Interval::of(b))
        && let Some(order) = close_to_a.compare(close_to_b)
    {
        return Ok(op.holds_in(order));
    }
    // Equality goes by the printed digits. Where these and the exact order disagree, `!(a < b)` is not
    // `a >= b`, and this may be either.
    let order = number::compare(a, b);
    if order.is_eq() == number::equal(a, b) { Ok(op.holds_in(order)) } else { Err(Stop::FallBack) }
}

/// Returns the order of two sums and products, if interval arithmetic tells it (an interval filter): the
/// code computes an interval for each side, and only if these overlap the exact numbers.
#[inline(never)]
pub(super) fn interval_order(
    machine: &FastMachine<'_, '_>,
    id: IntervalId,
    registers: &[Value<'_>],
) -> Option<Ordering> {
    let mut stack = [Interval::ZERO; MOST_TERMS];
    let mut depth = 0;
    for term in machine.fast.intervals.get(usize::from(id.0))? {
        let interval = match term {
            Term::Register(reg) => Interval::of(registers.get(usize::from(reg.0))?.as_number()?)?,
            Term::Constant(interval) => *interval,
            Term::Apply(operator) => {
                depth = usize::checked_sub(depth, 2)?;
                let (a, b) = (*stack.get(depth)?, *stack.get(depth + 1)?);
                match operator {
                    Arithmetic::Add => a.plus(b)?,
                    Arithmetic::Subtract => a.minus(b)?,
                    Arithmetic::Multiply => a.times(b)?,
                    Arithmetic::Divide => a.over(b)?,
                    Arithmetic::Modulo => return None,
                }
            }
        };
        *stack.get_mut(depth)? = interval;
        depth += 1;
    }
    stack[0].compare(stack[1])
}

/// `a == b`, if it is known.
#[inline(never)]
pub(super) fn equal<'a>(arena: &'a Arena, a: Value<'a>, b: Value<'a>) -> Option<bool> {
    ops::equality::equals(arena, a, b).as_bool()
}

/// The chosen arm of a conditional brought to the common type of both.
#[cold]
#[inline(never)]
pub(super) fn arm<'a>(arena: &'a Arena, chosen: Value<'a>, other: Value<'a>, yes: bool) -> Option<Value<'a>> {
    let (chosen, other) = (plain(chosen).ok()?, plain(other).ok()?);
    let arms = if yes { [chosen, other] } else { [other, chosen] };
    let ty = crate::exec::arms_type(arena, arms)?;
    if ty.is_dynamic() { Some(chosen) } else { convert(arena, chosen, ty).ok() }
}

/// Returns the instructions to which a fault leads. `rest` is how many instructions follow the one that
/// failed.
#[cold]
#[inline(never)]
pub(super) fn handler(fast: &Fast, rest: usize) -> Option<&[FastOp<Scaled>]> {
    let at = fast.ops.len().checked_sub(rest + 1)?;
    fast.ops.get(fast.handler(at)?..)
}

/// Returns the instructions of a switch's arm for a text.
#[inline(never)]
pub(super) fn switch<'a>(
    machine: &FastMachine<'_, 'a>,
    table: SwitchId,
    subject: Value<'_>,
) -> Option<&'a [FastOp<Scaled>]> {
    let FastMachine { fast, arena, .. } = *machine;
    let table = fast.switches.get(usize::from(table.0))?;
    let to = match subject.as_short_text() {
        Some(text) if arena.look_at(text) => table.target(text),
        Some(_) => return None,
        // Anything else known equals no text.
        None if subject.is_plain_primitive() => table.otherwise(),
        None => return None,
    };
    fast.ops.get(usize::from(to.0)..)
}

/// A tuple of values in a row.
#[inline(never)]
pub(super) fn tuple<'a>(arena: &'a Arena, values: &[Value<'a>]) -> Value<'a> {
    Value::tuple(arena, arena.slice(values))
}

/// An object with constant names of values in a row.
#[inline(never)]
pub(super) fn object<'a>(
    machine: &FastMachine<'_, 'a>,
    values: &[Value<'a>],
    shape: ShapeId,
) -> Option<Value<'a>> {
    let FastMachine { fast, arena, .. } = *machine;
    let shape = fast.shapes.get(shape.0 as usize)?;
    let mut entries = arena.list_with(shape.names.len());
    for (name, symbol, at) in shape.entries() {
        entries.push(Entry { name, symbol, value: *values.get(at)? });
    }
    Some(Value::object(arena, entries.into_bump_slice()))
}

/// Calls a function that has no inline body for these arguments.
#[inline(never)]
pub(super) fn call<'a>(machine: &FastMachine<'_, 'a>, f: Callee, args: &[Value<'a>]) -> Plain<'a> {
    let FastMachine { fast, arena, .. } = *machine;
    let function = fast.functions.get(usize::from(f.0)).ok_or(Stop::FallBack)?;
    match function.call_plain(arena, args) {
        Some(Ok(result)) if result.is_plain() && result.is_wholly_known() && !result.contains_marks() => {
            Ok(result)
        }
        Some(Err(_)) => Err(Stop::Fault),
        _ => call_by_protocol(function, arena, args),
    }
}

#[inline(never)]
fn call_by_protocol<'a>(
    function: &'a crate::function::Function,
    arena: &'a Arena,
    args: &[Value<'a>],
) -> Plain<'a> {
    let mut converted = arena.list_with(args.len());
    for (at, arg) in args.iter().enumerate() {
        let parameter = function.parameter(at).ok_or(Stop::FallBack)?;
        if !arg.is_wholly_known() || arg.contains_marks() {
            return Err(Stop::FallBack);
        }
        converted.push(convert(arena, *arg, parameter.ty).map_err(|_| Stop::Fault)?);
    }
    let result = function.call(arena, &converted).map_err(|_| Stop::Fault)?;
    if result.contains_marks() || !result.is_wholly_known() {
        return Err(Stop::FallBack);
    }
    Ok(result)
}

/// Appends the text of a value that is no short string.
#[inline(never)]
pub(super) fn append<'a>(arena: &'a Arena, buffer: &mut TextBuffer, value: Value<'a>) -> Result<(), Stop> {
    match value.as_any_int() {
        Some(number) if buffer.push_small(number as u64) => Ok(()),
        _ => append_other(arena, buffer, value),
    }
}

#[inline(never)]
fn append_other<'a>(arena: &'a Arena, buffer: &mut TextBuffer, value: Value<'a>) -> Result<(), Stop> {
    if let Some(number) = value.as_any_int() {
        return append_text(arena, buffer, itoa::Buffer::new().format(number));
    }
    append_text(arena, buffer, text(arena, value)?.as_str().ok_or(Stop::FallBack)?)
}

/// The text that a template appends for a value.
#[cold]
#[inline(never)]
pub(super) fn text<'a>(arena: &'a Arena, value: Value<'a>) -> Plain<'a> {
    let value = plain(value)?;
    if value.is_null() {
        return Err(Stop::Fault);
    }
    convert(arena, value, Type::String).map_err(|_| Stop::Fault)
}

fn append_text(arena: &Arena, buffer: &mut TextBuffer, text: &str) -> Result<(), Stop> {
    if buffer.push(text) { Ok(()) } else { append_growing(arena, buffer, text).ok_or(Stop::FallBack) }
}

/// Appends a text for which the buffer has no room, unless the whole exceeds the limit for texts.
#[cold]
#[inline(never)]
pub(super) fn append_growing(arena: &Arena, buffer: &mut TextBuffer, text: &str) -> Option<()> {
    if buffer.len().saturating_add(text.len()) > arena.budget().limits().text_bytes {
        return None;
    }
    buffer.grow(text.len());
    buffer.push(text).then_some(())
}

/// The text of a template, which begins at `start`.
#[inline(never)]
pub(super) fn finish_template<'a>(
    arena: &'a Arena,
    buffer: &mut TextBuffer,
    start: usize,
) -> Option<Value<'a>> {
    let len = buffer.len().checked_sub(start)?;
    if len > arena.budget().limits().text_bytes || !arena.spend(len as u64 / 16) {
        return None;
    }
    let text = match buffer.short_text(arena, start) {
        Some(text) => text,
        None => template_of_any(arena, buffer.since(start)?)?,
    };
    if start == 0 {
        buffer.shrink();
    } else {
        buffer.forget(start);
    }
    Some(text)
}

#[inline(never)]
fn template_of_any<'a>(arena: &'a Arena, text: &str) -> Option<Value<'a>> {
    let copy = arena.text(text);
    // The copy is shorter if the arena was out of memory.
    (copy.len() == text.len()).then(|| Value::str(arena, nfc(arena, copy)))
}

/// A key of a for expression as a short string.
#[inline]
pub(super) fn key<'a>(arena: &'a Arena, key: Value<'a>) -> Option<Value<'a>> {
    if let Some(text) = key.as_short_text() {
        // Longer ones cost work, which the baseline tier charges.
        return (text.len() <= WORK_TO_READ).then_some(key);
    }
    let key = plain(key).ok().filter(|key| !key.is_null())?;
    convert(arena, key, Type::String)
        .ok()
        .filter(|key| key.as_short_text().is_some_and(|key| key.len() <= WORK_TO_READ))
}

/// The list of a splat's results, when they are of one primitive type.
pub(super) fn list_of<'a>(arena: &'a Arena, results: &'a [Value<'a>]) -> Option<Value<'a>> {
    let element = inline::element_type(arena, results)?;
    Some(Value::list(arena, results, element))
}

/// `a[*].name` over anything but a tuple of objects that all have it.
#[cold]
#[inline(never)]
pub(super) fn splat<'a>(
    machine: &FastMachine<'_, 'a>,
    value: Value<'a>,
    cache: &InlineCache,
    symbol: Symbol,
) -> Plain<'a> {
    let arena = machine.arena;
    let (items, list) = match value.view() {
        View::Tuple(items) => (items, false),
        View::List(items, _) | View::Set(items, _) if !items.is_empty() => (items, true),
        _ => return Err(Stop::FallBack),
    };
    if !arena.charge(items.len() as u64) {
        return Err(Stop::FallBack);
    }
    let mut results = arena.list_with(items.len());
    for item in items {
        // A fault of one element is a fault of the whole, but its value counts: not for `try`.
        results.push(attribute(machine, *item, cache, symbol).map_err(|_| Stop::FallBack)?);
    }
    let results = results.into_bump_slice();
    if list { list_of(arena, results).ok_or(Stop::FallBack) } else { Ok(Value::tuple(arena, results)) }
}
