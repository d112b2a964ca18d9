//! The values of arguments as applications read them: each is converted to the type that it holds.

use hclvm::value::{Arena, Number, NumberRef, View, convert, same};
use hclvm::{OwnedValue, Type, Value};

/// The type of an argument.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Argument {
    pub(crate) holds: ArgumentType,
    pub(crate) may_be_null: bool,
}

/// The type of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArgumentType {
    Text,
    Bool,
    /// Any number.
    Number,
    Integer(Range),
    /// A text with units, or whole nanoseconds.
    Duration,
    Texts,
    Integers(Range),
    /// An object or a map of texts.
    Map,
}

/// The least and the greatest value of an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range(pub(crate) i64, pub(crate) u64);

/// Why a value is none that an argument may have.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) title: &'static str,
    /// The problem, following the name of the argument.
    pub(crate) why: String,
}

/// Converts the value of an argument. Parts that are not known may become anything.
pub(crate) fn converted(value: Value<'_>, argument: Argument) -> Result<OwnedValue, Refusal> {
    let Argument { holds, may_be_null } = argument;
    let inner = value.unmark().0;
    if inner.is_null() {
        return if may_be_null { Ok(OwnedValue::new(value)) } else { Err(refusal_of_null(holds)) };
    }
    let arena = Arena::new();
    let to = |ty: Type<'static>| match convert(&arena, value, ty) {
        Ok(value) => Ok(value),
        Err(error) => Err(refusal(holds, &format!("{error}"))),
    };
    let value = match holds {
        ArgumentType::Text => to(Type::String)?,
        ArgumentType::Bool => to(Type::Bool)?,
        ArgumentType::Number => to(Type::Number)?,
        ArgumentType::Integer(range) => {
            let number = to(Type::Number)?;
            integer(&arena, number, range).ok_or_else(|| out_of_range(holds, number))?
        }
        ArgumentType::Duration => duration(value)?,
        ArgumentType::Texts => without_nulls(to(Type::List(&Type::String))?, holds)?,
        ArgumentType::Map => without_nulls(to(Type::Map(&Type::String))?, holds)?,
        ArgumentType::Integers(range) => {
            let list = without_nulls(to(Type::List(&Type::Number))?, holds)?;
            let wrong = |item: &&Value<'_>| integer(&arena, **item, range).is_none();
            if let Some(item) = list.unmark().0.as_items().unwrap_or_default().iter().find(wrong) {
                return Err(out_of_range(holds, *item));
            }
            list
        }
    };
    Ok(OwnedValue::new(value))
}

/// Returns an integer of a range. Of a fraction for an unsigned one Go programs drop the digits behind the point, if the
/// number is at least 1 and exact as a float of 64 bits.
fn integer<'v>(arena: &'v Arena, value: Value<'v>, Range(least, most): Range) -> Option<Value<'v>> {
    let (inner, marks) = value.unmark();
    let View::Number(number) = inner.view() else { return Some(value) };
    let is_in_range = |number: NumberRef<'_>| match (number.to_i64(), number.to_u64()) {
        (Some(signed), None) => signed >= least,
        (_, Some(unsigned)) => unsigned <= most,
        (None, None) => false,
    };
    if number.is_integer() {
        return is_in_range(number).then_some(value);
    }
    if least != 0 || number.is_infinite() || number.is_negative() {
        return None;
    }
    let float = number.to_f64();
    let is_exact =
        Number::from_f64(float).is_some_and(|float| same(arena, Value::number(arena, float), inner));
    let cut = Number::from_f64(float.trunc()).filter(|_| is_exact && float >= 1.0)?;
    is_in_range(cut.borrow()).then(|| Value::number(arena, cut).with_marks(arena, marks))
}

fn duration(value: Value<'_>) -> Result<Value<'_>, Refusal> {
    match value.unmark().0.view() {
        View::Unknown(_) => Ok(value),
        View::String(text) if crate::durations::is_duration(text) => Ok(value),
        View::Number(number) if number.is_integer() => Ok(value),
        _ => Err(refusal(ArgumentType::Duration, &format!("not {}", shown(value)))),
    }
}

/// Returns a collection none of whose elements is null.
fn without_nulls(value: Value<'_>, holds: ArgumentType) -> Result<Value<'_>, Refusal> {
    let inner = value.unmark().0;
    let is_null = |value: Value<'_>| value.unmark().0.is_null();
    let has_null = inner.as_items().is_some_and(|items| items.iter().any(|item| is_null(*item)))
        || inner.as_entries().is_some_and(|entries| entries.iter().any(|entry| is_null(entry.value)));
    if has_null { Err(refusal(holds, "an element is null")) } else { Ok(value) }
}

/// Returns a value for a message.
fn shown(value: Value<'_>) -> String {
    if value.contains_marks() { "a sensitive value".to_owned() } else { hclvm::show::line(value) }
}

/// Returns what a type is called in messages.
fn noun(holds: ArgumentType) -> &'static str {
    match holds {
        ArgumentType::Text => "a string",
        ArgumentType::Bool => "true or false",
        ArgumentType::Number => "a number",
        ArgumentType::Integer(_) => "a whole number",
        ArgumentType::Duration => "a duration such as \"30s\" or \"1h30m\"",
        ArgumentType::Texts => "a list of texts",
        ArgumentType::Integers(_) => "a list of whole numbers",
        ArgumentType::Map => "a map of texts",
    }
}

fn refusal(holds: ArgumentType, why: &str) -> Refusal {
    Refusal { title: "Unsuitable value type", why: format!("is {}: {why}.", noun(holds)) }
}

fn refusal_of_null(holds: ArgumentType) -> Refusal {
    let title = if holds == ArgumentType::Duration { "Unsuitable value" } else { "Unsuitable value type" };
    Refusal { title, why: format!("is {}, not null. Leave it out instead.", noun(holds)) }
}

fn out_of_range(holds: ArgumentType, value: Value<'_>) -> Refusal {
    let (ArgumentType::Integer(range) | ArgumentType::Integers(range)) = holds else {
        return refusal(holds, "the number is out of range");
    };
    let why = format!("is {} from {} to {}, not {}.", noun(holds), range.0, range.1, shown(value));
    Refusal { title: "Unsuitable value type", why }
}
