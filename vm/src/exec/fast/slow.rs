//! The cases that the loop handles out of line: the operators of the language on values that are known and
//! unmarked, but not of the kind for which the loop has an inline form. Anything else falls back to the
//! baseline tier. [`inline`] holds the cases that are compiled into the loop.
//!
//! Functions here are `inline(never)`, because their temporaries would spill in the loop. Those that few
//! programs reach are also `cold`, so that the loop's inline form is the fall-through path.

use super::attribute::{attribute_by_name, attribute_of_object};
use super::entry::Results;
use super::inline;
use super::machine::FastMachine;
use super::stop::{Plain, Stop};
use crate::code::fast::{Fast, FastLabel, FastOp, InlineCache, Scaled, SwitchId, Symbol};
use crate::code::{Callee, Comparison, ShapeId, Switch};
use crate::memory::arena::{Arena, WORK_TO_READ};
use crate::memory::cast;
use crate::number::{self, Decimal, Interval, NumberRef, Ratio, RatioText, Width};
use crate::ops::{self, OperationFault};
use crate::text::{nfc, stable_prefix};
use crate::types::Type;
use crate::types::convert::uniform::one_of_tuples;
use crate::types::convert::{convert, convert_unified, write_ratio};
use crate::value::{Entry, Refinement, TextBuffer, Unknown, Value, View};

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

/// Returns an attribute that is not at the position in the inline cache.
// Cold: only after a miss of the inline cache.
#[cold]
#[inline(never)]
pub(super) fn attribute<'a>(
    machine: &FastMachine<'_, 'a>,
    value: Value<'a>,
    cache: &InlineCache,
    symbol: Symbol,
) -> Plain<'a> {
    let FastMachine { fast, arena, .. } = *machine;
    if let Some(entries) = value.as_object() {
        return attribute_of_object(fast, entries, cache, symbol);
    }
    let name = fast.name(symbol).ok_or(Stop::FallBack)?;
    match plain(value)?.view() {
        View::Map(entries, _) => attribute_by_name(entries, cache, name),
        _ => ops::access::attribute(arena, value, name).map_err(|_| Stop::Fault),
    }
}

/// Computes `a[at]`.
#[inline]
pub(super) fn index_at<'a>(arena: &'a Arena, a: Value<'a>, at: i64) -> Plain<'a> {
    let (View::Tuple(items) | View::List(items, _)) = a.view() else {
        return index(arena, a, Value::int(at));
    };
    usize::try_from(at).ok().and_then(|at| items.get(at)).copied().ok_or(Stop::Fault)
}

/// Computes `a[b]` where `a` is no plain sequence or `b` no integer.
// Cold: `index_at` handles positions in sequences; a key is searched, which outweighs the call.
#[cold]
#[inline(never)]
pub(super) fn index<'a>(arena: &'a Arena, a: Value<'a>, b: Value<'a>) -> Plain<'a> {
    plain(a)?;
    plain(b)?;
    ops::access::index(arena, a, b).map_err(|_| Stop::Fault)
}

macro_rules! arithmetic {
    ($($name:ident, $short:expr;)+) => {$(
        #[doc = concat!("Applies `", stringify!($name), "` to operands that are not both small integers.")]
        // Cold: the loop has inline forms for small integers.
        #[cold]
        #[inline(never)]
        pub(super) fn $name<'a>(arena: &'a Arena, a: Value<'a>, b: Value<'a>) -> Plain<'a> {
            match $short(a, b) {
                Some(result) => Ok(result),
                None => exact::$name(arena, a, b),
            }
        }
    )+

    /// The operators for results that have no short way.
    mod exact {
        use super::*;

        $(
            // Cold: most results have one.
            #[cold]
            #[inline(never)]
            pub(super) fn $name<'a>(arena: &'a Arena, a: Value<'a>, b: Value<'a>) -> Plain<'a> {
                let (Some(first), Some(second)) = (a.as_number(), b.as_number()) else {
                    return binary(arena, a, b, ops::arithmetic::$name);
                };
                let forms = (number::inline::$name, number::floats::$name);
                ops::arithmetic::of_numbers(arena, [first, second], forms.0, forms.1).map_err(|_| Stop::Fault)
            }
        )+
    }
    };
}

arithmetic! {
    add, |a, b| decimals(a, b, |a, b| a.plus(b));
    subtract, |a, b| decimals(a, b, |a, b| a.plus(b.negated()));
    multiply, |a, b| decimals(a, b, |a, b| a.times(b));
    divide, quotient;
    modulo, |_, _| None;
}

/// Divides two integers at full precision; `None` for other operands and results.
// Inlined into `divide`.
#[inline(always)]
fn quotient<'a>(a: Value<'a>, b: Value<'a>) -> Option<Value<'a>> {
    let quotient = number::inline::divide_integers(a.as_full_int()?, b.as_full_int()?, Width::Full)?;
    Some(Value::number_ref(quotient))
}

/// Applies an operator to two decimals; `None` if the operands are none, or the result is not determined by estimates.
// Inlined, so that there is a function for each operator, and in a loop what is known of a constant is computed once.
#[inline(always)]
pub(super) fn decimals<'a>(
    a: Value<'a>,
    b: Value<'a>,
    apply: impl FnOnce(Decimal, Decimal) -> Option<Decimal>,
) -> Option<Value<'a>> {
    Some(Value::decimal(apply(a.as_decimal()?, b.as_decimal()?)?))
}

/// Applies an operator to operands converted to numbers. The result of an unknown or marked operand is unknown or
/// marked; what depends on it falls back.
// Inlined into each operator, so that `apply` is a direct call.
#[inline(always)]
fn binary<'a>(
    arena: &'a Arena,
    a: Value<'a>,
    b: Value<'a>,
    apply: impl FnOnce(&'a Arena, Value<'a>, Value<'a>) -> Result<Value<'a>, OperationFault>,
) -> Plain<'a> {
    let a = any_number(arena, a)?;
    let b = any_number(arena, b)?;
    apply(arena, a, b).map_err(|_| Stop::Fault)
}

/// Converts an operand, which may be unknown or marked, to a number.
// Inlined for the check: most operands are numbers already.
#[inline(always)]
fn any_number<'a>(arena: &'a Arena, value: Value<'a>) -> Plain<'a> {
    if value.as_number().is_some() {
        return Ok(value);
    }
    if value.is_unset() {
        return Err(Stop::FallBack);
    }
    convert(arena, value, Type::Number).map_err(|_| Stop::Fault)
}

/// Converts an operand to a number.
// Inlined for the check: most operands are numbers already.
#[inline(always)]
fn number<'a>(arena: &'a Arena, value: Value<'a>) -> Plain<'a> {
    if value.as_number().is_some() {
        return Ok(value);
    }
    convert(arena, plain(value)?, Type::Number).map_err(|_| Stop::Fault)
}

/// Computes `-a`.
// Cold: rare in programs, because a negative literal is a constant.
#[cold]
#[inline(never)]
pub(super) fn negate<'a>(arena: &'a Arena, a: Value<'a>) -> Plain<'a> {
    ops::arithmetic::negate(arena, any_number(arena, a)?).map_err(|_| Stop::Fault)
}

/// Computes `a op b` for operands that are not both small integers.
// Out of line: its temporaries would spill in the loop.
#[inline(never)]
pub(super) fn compare<'a>(
    arena: &'a Arena,
    op: Comparison,
    a: Value<'a>,
    b: Value<'a>,
) -> Result<bool, Stop> {
    let a = number(arena, a)?;
    let b = number(arena, b)?;
    // Converted values that are no numbers are null.
    let (Some(a), Some(b)) = (a.as_number(), b.as_number()) else { return Err(Stop::Fault) };
    if let (Some(close_to_a), Some(close_to_b)) = (Interval::of(a), Interval::of(b))
        && let Some(order) = close_to_a.compare(close_to_b)
    {
        return Ok(op.holds_in(order));
    }
    // Equality compares printed digits. Where that disagrees with the exact order, `!(a < b)` differs from
    // `a >= b`, and the instruction does not tell which of both was written.
    let order = number::compare(a, b);
    if order.is_eq() == number::equal(a, b) { Ok(op.holds_in(order)) } else { Err(Stop::FallBack) }
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

/// Builds a tuple of consecutive registers.
// Out of line: its temporaries would spill in the loop.
#[inline(never)]
pub(super) fn tuple<'a>(arena: &'a Arena, values: &[Value<'a>]) -> Value<'a> {
    Value::tuple(arena, arena.slice(values))
}

/// Builds an object with constant names from consecutive registers.
// Out of line: its temporaries would spill in the loop.
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

/// Appends the text of a value that is not a short string.
// Out of line: its temporaries would spill in the loop.
#[inline(never)]
pub(super) fn append<'a>(machine: &mut FastMachine<'_, 'a>, value: Value<'a>) -> Result<(), Stop> {
    match value.as_any_int() {
        // A negative number becomes one that `push_small` refuses.
        Some(number) if machine.text.push_small(number.cast_unsigned()) => Ok(()),
        _ => append_other(machine, value),
    }
}

/// Appends the text of a value that is neither a short string nor a small integer.
// Out of line: the formatter's buffer would enlarge the frame of `append`.
#[inline(never)]
fn append_other<'a>(machine: &mut FastMachine<'_, 'a>, value: Value<'a>) -> Result<(), Stop> {
    let arena = machine.arena;
    if let Some(number) = value.as_any_int() {
        return append_text(arena, machine.text, itoa::Buffer::new().format(number));
    }
    if let Some(NumberRef::Ratio(ratio)) = value.as_number()
        && append_ratio(machine, ratio).is_some()
    {
        return Ok(());
    }
    let value = text(machine, value)?;
    let (inner, marks) = value.unmark();
    if value.is_marked() || !inner.is_known() {
        machine.note_part(marks, !inner.is_known());
    }
    // Nothing behind an unknown part is kept. The placeholder separates the part from a template that begins
    // behind it.
    let appended = if inner.is_known() { inner.as_str().ok_or(Stop::FallBack)? } else { "?" };
    append_text(arena, machine.text, appended)
}

/// Appends the text of a ratio. `None` if only the float tells it, or if it exceeds a limit.
// Out of line: the text would enlarge the frame of `append_other`.
#[inline(never)]
fn append_ratio(machine: &mut FastMachine<'_, '_>, ratio: Ratio) -> Option<()> {
    let mut text = RatioText::new();
    write_ratio(machine.arena, ratio, &mut text)?;
    if machine.text.push_ascii(text.block(), text.len()) {
        return Some(());
    }
    append_growing(machine.arena, machine.text, text.as_str())
}

/// Returns the text that a template appends for a value; for an unknown value the value itself.
// Cold: strings are handled before.
#[cold]
#[inline(never)]
pub(super) fn text<'a>(machine: &FastMachine<'_, 'a>, value: Value<'a>) -> Plain<'a> {
    let arena = machine.arena;
    if let Some(number) = value.as_any_int() {
        let mut buffer = itoa::Buffer::new();
        return Ok(Value::str(arena, arena.text(buffer.format(number))));
    }
    if plain(value).is_err() && (value.is_unset() || !machine.fast.facts().is_straight) {
        return Err(Stop::FallBack);
    }
    if value.is_null() {
        return Err(Stop::Fault);
    }
    if value.is_known() { convert(arena, value, Type::String).map_err(|_| Stop::Fault) } else { Ok(value) }
}

pub(super) fn append_text(arena: &Arena, buffer: &mut TextBuffer, text: &str) -> Result<(), Stop> {
    if buffer.push(text) { Ok(()) } else { append_growing(arena, buffer, text).ok_or(Stop::FallBack) }
}

/// Appends a text for which the buffer has no room, unless the result exceeds the limit for texts.
// Cold: each growth at least doubles the buffer, which later runs reuse.
#[cold]
#[inline(never)]
pub(super) fn append_growing(arena: &Arena, buffer: &mut TextBuffer, text: &str) -> Option<()> {
    if buffer.len().saturating_add(text.len()) > arena.budget().limits().text_bytes {
        return None;
    }
    buffer.grow(text.len());
    buffer.push(text).then_some(())
}

/// Returns the text of the template that begins at `start`, and removes it from the buffer.
// Out of line: its temporaries would spill in the loop.
#[inline(never)]
pub(super) fn finish_template<'a>(machine: &mut FastMachine<'_, 'a>, start: usize) -> Option<Value<'a>> {
    let arena = machine.arena;
    let len = machine.text.len().checked_sub(start)?;
    if len > arena.budget().limits().text_bytes || !arena.spend(len as u64 / 16) {
        return None;
    }
    let text = if machine.parts.is_some()
        && let Some((marks, unknown)) = machine.parts_since(start)
    {
        noted_template(arena, machine.text.since(start)?, unknown.map(|at| at - start))?
            .with_marks(arena, marks)
    } else {
        match machine.text.short_text(arena, start) {
            Some(text) => text,
            None => template_of_any(arena, machine.text.since(start)?)?,
        }
    };
    let buffer = &mut *machine.text;
    if start == 0 {
        buffer.shrink();
    } else {
        buffer.forget(start);
    }
    Some(text)
}

/// Returns a long or non-ASCII text as a value in normal form.
// Out of line: normalization would enlarge the frame of `finish_template`.
#[inline(never)]
fn template_of_any<'a>(arena: &'a Arena, text: &str) -> Option<Value<'a>> {
    let copy = arena.text(text);
    // The copy is shorter if the arena was out of memory.
    (copy.len() == text.len()).then(|| Value::str(arena, nfc(arena, copy)))
}

/// Returns the value of a template with marked or unknown parts, the first unknown one at position `unknown`.
// Cold: few templates have such parts.
#[cold]
#[inline(never)]
fn noted_template<'a>(arena: &'a Arena, text: &str, unknown: Option<usize>) -> Option<Value<'a>> {
    match unknown {
        None => template_of_any(arena, text),
        Some(at) => unknown_template(arena, text.get(..at)?),
    }
}

/// Returns the value of a template with an unknown part, behind a known text.
fn unknown_template<'a>(arena: &'a Arena, known: &str) -> Option<Value<'a>> {
    let copy = arena.text(known);
    let prefix = (copy.len() == known.len()).then(|| stable_prefix(arena, copy))?;
    let refinement = Refinement { prefix, ..Refinement::not_null() };
    Some(Value::unknown(arena, Unknown { ty: Type::String, refinement }))
}

/// Converts a key of a for expression to a short string.
#[inline]
pub(super) fn key<'a>(arena: &'a Arena, key: Value<'a>) -> Option<Value<'a>> {
    if let Some(text) = key.as_short_text() {
        // Reading longer ones is work that the baseline tier charges.
        return (text.len() <= WORK_TO_READ).then_some(key);
    }
    let key = plain(key).ok().filter(|key| !key.is_null())?;
    convert(arena, key, Type::String)
        .ok()
        .filter(|key| key.as_short_text().is_some_and(|key| key.len() <= WORK_TO_READ))
}

/// Builds the list of a splat's results; `None` unless they are of one primitive type.
pub(super) fn list_of<'a>(arena: &'a Arena, results: &'a [Value<'a>]) -> Option<Value<'a>> {
    let element = inline::element_type(arena, results)?;
    Some(Value::list(arena, results, element))
}

/// Computes `a[*].name` over anything but a tuple of objects that all have the attribute.
// Cold: `inline::splat` handles such tuples.
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
        // A splat with a faulty element has a fault and a value, so a `try` must not take the fault here.
        results.push(attribute(machine, *item, cache, symbol).map_err(|_| Stop::FallBack)?);
    }
    let results = results.into_bump_slice();
    if list { list_of(arena, results).ok_or(Stop::FallBack) } else { Ok(Value::tuple(arena, results)) }
}
