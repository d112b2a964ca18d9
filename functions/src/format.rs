//! Functions that format values by verbs: `format` and `formatlist`.
//!
//! Written by hand to be exact with go-cty, whose verbs follow Go's fmt but have flags, widths and an
//! argument index of their own, count in grapheme clusters, and show collections as JSON.
//!
//! ```text
//! verb = "%" flag* number? ( "." digit* )? ( "[" number "]" )? letter
//! flag = "0" | "#" | "-" | "+" | " "
//! ```

mod digits;
mod verb;

use hclvm_vm::text::stable_prefix;
use hclvm_vm::{Arena, CallError, Function, Refinement, Type, Unknown, Value, View};

use super::arguments::{CallResult, anything, string, text_of};
use super::text_builder::TextBuilder;

/// `format(format, args...)`: a text with verbs replaced by arguments.
pub(crate) fn format() -> Function {
    Function::new("format", [string("format")], Type::String, |arena, args, _| {
        let (pattern, values) = split(args);
        if values.iter().any(|value| !value.is_wholly_known()) {
            return Ok(unknown_text(arena, pattern));
        }
        formatted(arena, pattern, values)
    })
    .variadic(anything("args"))
}

/// `formatlist(format, args...)`: a list of texts; lists, sets and tuples give one element to each.
pub(crate) fn formatlist() -> Function {
    Function::new("formatlist", [string("format")], Type::List(&Type::String), |arena, args, ty| {
        let (pattern, values) = split(args);
        let rows = match rows(values)? {
            RowCount::NotKnown => return Ok(Value::unknown_of(arena, ty)),
            RowCount::Known(rows) => rows,
        };
        let mut items = arena.list();
        for row in 0..rows {
            if !arena.charge(1) {
                return Ok(Value::DYNAMIC);
            }
            items.push(list_item(arena, pattern, values, row)?);
        }
        Ok(Value::list(arena, items.into_bump_slice(), Type::String))
    })
    .variadic(anything("args"))
}

fn split<'v, 'a>(args: &'v [Value<'a>]) -> (&'a str, &'v [Value<'a>]) {
    (text_of(args, 0), args.get(1..).unwrap_or_default())
}

fn formatted<'a>(arena: &'a Arena, pattern: &str, values: &[Value<'a>]) -> CallResult<'a> {
    let mut out = TextBuilder::new(arena);
    verb::render(&mut out, pattern, values)?;
    Ok(out.value())
}

/// Returns the result for unknown arguments: it starts with the text before the first verb.
fn unknown_text<'a>(arena: &'a Arena, pattern: &'a str) -> Value<'a> {
    let head = pattern.split('%').next().unwrap_or_default();
    let head = if head.len() == pattern.len() { "" } else { head };
    let refinement = Refinement { prefix: stable_prefix(arena, head), ..Refinement::not_null() };
    Value::unknown(arena, Unknown { ty: Type::String, refinement })
}

/// How many texts a list gets.
enum RowCount {
    Known(usize),
    NotKnown,
}

/// Returns the common length of all sequences among the values; 1 when there are none.
fn rows(values: &[Value<'_>]) -> Result<RowCount, CallError> {
    let mut first: Option<(usize, usize)> = None;
    let mut known = true;
    for (index, value) in values.iter().enumerate() {
        let Some(sequence) = Sequence::of(*value) else { continue };
        known &= sequence.known;
        let (Some(length), earlier) = (sequence.length, first) else { continue };
        let (chooser, wanted) = *first.get_or_insert((index, length));
        if earlier.is_some() && wanted != length {
            let message = format!(
                "argument {} has {length} elements, but argument {} has {wanted}: sequences must be of one length",
                index + 1,
                chooser + 1
            );
            return Err(CallError::argument(index + 1, message));
        }
    }
    Ok(if known { RowCount::Known(first.map_or(1, |(_, length)| length)) } else { RowCount::NotKnown })
}

/// What is known of a sequence among the values.
struct Sequence {
    length: Option<usize>,
    known: bool,
}

impl Sequence {
    /// Describes a list, set or tuple that is not null; `None` for other values.
    fn of(value: Value<'_>) -> Option<Self> {
        match value.view() {
            View::Tuple(items) | View::List(items, _) => {
                Some(Self { length: Some(items.len()), known: true })
            }
            View::Set(items, _) => {
                let (min, max) = value.length_range();
                let exact = min == max;
                Some(Self { length: exact.then_some(items.len()), known: exact })
            }
            View::Unknown(unknown) => match unknown.ty {
                Type::Tuple(items) => Some(Self { length: Some(items.len()), known: false }),
                Type::List(_) | Type::Set(_) => Some(Self { length: None, known: false }),
                Type::Dynamic => Some(Self { length: None, known: false }),
                _ => None,
            },
            _ => None,
        }
    }
}

fn list_item<'a>(arena: &'a Arena, pattern: &'a str, values: &[Value<'a>], row: usize) -> CallResult<'a> {
    let mut arguments = arena.list();
    arguments.extend(values.iter().map(|value| match value.as_items() {
        Some(items) => items.get(row).copied().unwrap_or(Value::NULL),
        None => *value,
    }));
    if arguments.iter().any(|value| !value.is_wholly_known()) {
        return Ok(Value::unknown_not_null(arena, Type::String));
    }
    formatted(arena, pattern, &arguments).map_err(|error| match values {
        // Without values there is no list, only the format.
        [] => error,
        _ => CallError::new(format!("element {row} cannot be formatted: {}", error.message)),
    })
}
