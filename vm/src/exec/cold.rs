//! What the hot loop calls when something is not plain: the operators of the full body, for
//! values that are known and unmarked. Anything else stops the fast body.

use super::quick;
use crate::arena::{Arena, ArenaString};
use crate::code::fast::{Fast, Hint, Symbol};
use crate::code::{Callee, Comparison};
use crate::convert::convert;
use crate::ops::{self, OperationFault};
use crate::text::nfc;
use crate::types::Type;
use crate::value::{Value, View, find};

/// Why the fast body has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// A fault of the language: a `try` around it may go on.
    Fault,
    /// Something only the full body can decide.
    Bail,
}

type Plain<'a> = Result<Value<'a>, Stop>;

/// The value, if it is known, unmarked and not null.
#[inline]
fn plain(value: Value<'_>) -> Plain<'_> {
    match value.view() {
        View::Unknown(_) | View::Marked(..) | View::Unset => Err(Stop::Bail),
        _ => Ok(value),
    }
}

/// An attribute that is not where the hint says.
#[cold]
#[inline(never)]
pub(super) fn attribute<'a>(
    fast: &'a Fast,
    arena: &'a Arena,
    value: Value<'a>,
    hint: &Hint,
    symbol: Symbol,
) -> Plain<'a> {
    if let Some(found) = attribute_by_symbol(value, hint, symbol) {
        return Ok(found);
    }
    let name =
        fast.name(symbol).and_then(|name| fast.constants.get(name.0 as usize).as_str()).ok_or(Stop::Bail)?;
    match plain(value)?.view() {
        View::Object(entries) | View::Map(entries, _) => {
            find(entries, name).map(|entry| entry.value).ok_or(Stop::Fault)
        }
        _ => ops::access::attribute(arena, value, name).map_err(|_| Stop::Fault),
    }
}

/// An attribute of an object, searched by symbol; the hint learns where it was.
pub(super) fn attribute_by_symbol<'a>(value: Value<'a>, hint: &Hint, symbol: Symbol) -> Option<Value<'a>> {
    const LONGEST_SEARCH: usize = 200;
    let entries = value.as_object()?;
    if entries.len() > LONGEST_SEARCH {
        return None;
    }
    let at = entries.iter().position(|entry| entry.symbol == symbol.0)?;
    hint.set(at);
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
    let result = ops::compare::compare(arena, op, a, b).map_err(|_| Stop::Fault)?;
    result.as_bool().ok_or(Stop::Bail)
}

/// `a == b`, when it is known.
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
    let ty = super::conditional::arms_type(arena, arms)?;
    if ty.is_dynamic() { Some(chosen) } else { convert(arena, chosen, ty).ok() }
}

/// A call, by the quick way of the function when it has one for these arguments.
#[inline]
pub(super) fn call<'a>(fast: &'a Fast, arena: &'a Arena, f: Callee, args: &[Value<'a>]) -> Plain<'a> {
    let function = &fast.functions[usize::from(f.0)];
    if let Some(quick) = function.quick
        && let Some(result) = quick(arena, args)
    {
        return Ok(result);
    }
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
        let parameter = function.parameter(at).ok_or(Stop::Bail)?;
        if !arg.is_wholly_known() || arg.contains_marks() {
            return Err(Stop::Bail);
        }
        converted.push(convert(arena, *arg, parameter.ty).map_err(|_| Stop::Fault)?);
    }
    let result = function.call(arena, &converted).map_err(|_| Stop::Fault)?;
    if result.contains_marks() || !result.is_wholly_known() {
        return Err(Stop::Bail);
    }
    Ok(result)
}

/// Appends the text of a value that is no short string.
#[inline(never)]
pub(super) fn append<'a>(
    arena: &'a Arena,
    buffer: &mut ArenaString<'a>,
    value: Value<'a>,
) -> Result<(), Stop> {
    if let Some(number) = value.as_any_int() {
        append_int(buffer, number);
        return Ok(());
    }
    let value = plain(value)?;
    if value.is_null() {
        return Err(Stop::Fault);
    }
    let text = convert(arena, value, Type::String).map_err(|_| Stop::Fault)?;
    let text = text.as_str().ok_or(Stop::Bail)?;
    if !arena.has_room(text.len()) {
        return Err(Stop::Bail);
    }
    buffer.push_str(text);
    Ok(())
}

fn append_int(buffer: &mut ArenaString<'_>, number: i64) {
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    let mut rest = number.unsigned_abs();
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if number < 0 {
        at -= 1;
        digits[at] = b'-';
    }
    buffer.push_str(std::str::from_utf8(&digits[at..]).unwrap_or_default());
}

/// The text of a finished template.
#[inline]
pub(super) fn finish_template<'a>(arena: &'a Arena, buffer: ArenaString<'a>) -> Option<Value<'a>> {
    let text = buffer.into_bump_str();
    if text.len() > arena.budget().limits().text_bytes || !arena.charge(text.len() as u64 / 16) {
        return None;
    }
    Some(Value::str(arena, nfc(arena, text)))
}

/// A key of a for expression as a short string.
#[inline]
pub(super) fn key<'a>(arena: &'a Arena, key: Value<'a>) -> Option<Value<'a>> {
    if key.as_short_text().is_some() {
        return Some(key);
    }
    let key = plain(key).ok().filter(|key| !key.is_null())?;
    convert(arena, key, Type::String).ok().filter(|key| key.as_short_text().is_some())
}

/// The list of a splat's results, when they are of one primitive type.
pub(super) fn list_of<'a>(arena: &'a Arena, results: &'a [Value<'a>]) -> Option<Value<'a>> {
    let element = quick::element_type(arena, results)?;
    Some(Value::list(arena, results, element))
}

/// `a[*].name` over anything but a tuple of objects that all have it.
#[cold]
#[inline(never)]
pub(super) fn splat<'a>(
    fast: &'a Fast,
    arena: &'a Arena,
    value: Value<'a>,
    hint: &Hint,
    symbol: Symbol,
) -> Plain<'a> {
    let (items, list) = match value.view() {
        View::Tuple(items) => (items, false),
        View::List(items, _) | View::Set(items, _) if !items.is_empty() => (items, true),
        _ => return Err(Stop::Bail),
    };
    if !arena.charge(items.len() as u64) {
        return Err(Stop::Bail);
    }
    let mut results = arena.list_with(items.len());
    for item in items {
        // A fault of one element is a fault of the whole, but its value counts: not for `try`.
        results.push(attribute(fast, arena, *item, hint, symbol).map_err(|_| Stop::Bail)?);
    }
    let results = results.into_bump_slice();
    if list { list_of(arena, results).ok_or(Stop::Bail) } else { Ok(Value::tuple(arena, results)) }
}
