//! The cases that the loop handles out of line: the operators of the language on values that are known and
//! unmarked, but not of the kind for which the loop has an inline form. Anything else falls back to the
//! baseline tier. [`inline`] holds the cases that are compiled into the loop.
//!
//! Functions here are `inline(never)`, because their temporaries would spill in the loop. Those that few
//! programs reach are also `cold`, so that the loop's inline form is the fall-through path.

mod arithmetic;
mod collections;
mod templates;

use super::entry::Results;
use super::machine::FastMachine;
use super::stop::{Plain, Stop};
use crate::code::fast::{Fast, FastLabel, FastOp, Scaled, SwitchId};
use crate::code::{Callee, Switch};
use crate::memory::arena::Arena;
use crate::memory::cast;
use crate::ops;
use crate::types::Type;
use crate::types::convert::uniform::one_of_tuples;
use crate::types::convert::{convert, convert_unified};
use crate::value::{Unknown, Value, View};

pub(super) use arithmetic::{add, compare, divide, modulo, multiply, negate, operation, subtract};
pub(super) use collections::{
    attribute, index, index_at, key, list_of, object, object_of_pairs, splat, tuple,
};
pub(super) use templates::{append, append_growing, append_text, finish_template, text};

/// Leaves out the next results of a rule set, and notes the fuel that is left.
// Out of line: few rules begin with it, and its temporaries would spill in the loop.
#[inline(never)]
pub(super) fn begin(
    machine: &mut FastMachine<'_, '_>,
    results: Option<&mut Results<'_, '_>>,
    skipped: u32,
) -> Option<()> {
    let results = results?;
    if let Some(last) = cast::index(skipped).checked_sub(1) {
        results.nth(last)?;
    }
    machine.begun = Some((results.len(), machine.arena.budget().mark()));
    Some(())
}

/// Returns the value if it is known and unmarked.
#[inline]
fn plain(value: Value<'_>) -> Plain<'_> {
    match value.view() {
        View::Unknown(_) | View::Marked(..) | View::Unset => Err(Stop::FallBack),
        _ => Ok(value),
    }
}

/// Computes `a == b`; `None` if the result is unknown.
// Out of line: its temporaries would spill in the loop.
#[inline(never)]
pub(super) fn equal<'a>(arena: &'a Arena, a: Value<'a>, b: Value<'a>) -> Option<bool> {
    if let (Some(a), Some(b)) = (a.as_any_int(), b.as_any_int()) {
        return Some(a == b);
    }
    ops::equality::equals(arena, a, b).as_bool()
}

/// Converts the chosen arm of a conditional to the common type of both arms.
// Cold: the loop handles arms of one primitive type inline.
#[cold]
#[inline(never)]
pub(super) fn arm<'a>(arena: &'a Arena, chosen: Value<'a>, other: Value<'a>, yes: bool) -> Option<Value<'a>> {
    let (chosen, other) = (plain(chosen).ok()?, plain(other).ok()?);
    // Beside a null any value keeps its type.
    let keeps_type =
        || chosen.is_plain_primitive() || chosen.as_object().is_some() || chosen.as_tuple().is_some();
    if matches!(other.view(), View::Null(Type::Dynamic)) && keeps_type() {
        return Some(chosen);
    }
    if let Some(list) = one_of_tuples(arena, chosen, other) {
        return Some(list);
    }
    let arms = if yes { [chosen, other] } else { [other, chosen] };
    let ty = crate::exec::arms_type(arena, arms)?;
    convert_unified(arena, chosen, other.type_of(arena), ty).ok()
}

/// Returns the instructions from the handler of a fault on. `rest` is the number of instructions behind
/// the one that failed.
// Cold: called only after a fault.
#[cold]
#[inline(never)]
pub(super) fn handler(fast: &Fast, rest: usize) -> Option<&[FastOp<Scaled>]> {
    let at = fast.ops.len().checked_sub(rest + 1)?;
    fast.ops.get(fast.handler(at)?..)
}

/// Returns the instructions from a switch's arm for a text on.
// Out of line: its temporaries would spill in the loop.
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
        // No other known primitive equals a text.
        None if subject.is_plain_primitive() => table.otherwise(),
        None => undecided(table, subject)?,
    };
    fast.ops.get(usize::from(to.0)..)
}

/// Returns a switch's target for a subject that is null or unknown.
// Cold: most subjects are texts.
#[cold]
fn undecided(table: &Switch, subject: Value<'_>) -> Option<FastLabel> {
    let unknown = table.unknown()?;
    match subject.view() {
        View::Null(_) => Some(table.otherwise()),
        View::Unknown(Unknown { ty: Type::Bool | Type::Number, .. }) => Some(table.otherwise()),
        // A prefix may rule out some of the texts.
        View::Unknown(Unknown { ty: Type::String | Type::Dynamic, refinement }) => {
            refinement.prefix.is_empty().then_some(unknown)
        }
        _ => None,
    }
}

/// Calls a function that has no inline body for these arguments.
// Out of line: its temporaries would spill in the loop.
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

/// Calls a function; the elements of the last argument are further arguments.
// Out of line: its temporaries would spill in the loop.
#[inline(never)]
pub(super) fn call_expanded<'a>(machine: &FastMachine<'_, 'a>, f: Callee, args: &[Value<'a>]) -> Plain<'a> {
    let FastMachine { fast, arena, .. } = *machine;
    let function = fast.functions.get(usize::from(f.0)).ok_or(Stop::FallBack)?;
    let (collection, given) = args.split_last().ok_or(Stop::FallBack)?;
    let (View::Tuple(items) | View::List(items, _) | View::Set(items, _)) = collection.view() else {
        return Err(Stop::FallBack);
    };
    let count = given.len() + items.len();
    if !function.takes(count) || !arena.charge(items.len() as u64) {
        return Err(Stop::FallBack);
    }
    let mut all = arena.list_with(count);
    all.extend_from_slice(given);
    all.extend_from_slice(items);
    match function.inline.and_then(|body| body(arena, &all)) {
        Some(value) => Ok(value),
        None => call(machine, f, &all),
    }
}

/// Calls a function with its arguments converted and checked.
// Out of line: its list and conversions would enlarge the frame of `call`.
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
