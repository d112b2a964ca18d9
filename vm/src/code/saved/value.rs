//! The saved form of constants: primitives, tuples and objects of constants, lists of primitives, and unknown
//! primitives. Other values have none.

use super::{Reader, Writer};
use crate::code::saved::Saved;
use crate::memory::arena::Arena;
use crate::number::{Number, NumberRef, Width, identical};
use crate::text::nfc;
use crate::types::Type;
use crate::value::{Entry, NumberBound, Refinement, Unknown, Value, View};

/// The deepest constant with a saved form: both directions are recursive.
const MOST_DEPTH: usize = 32;

const FALSE: u8 = 0;
const TRUE: u8 = 1;
const NULL: u8 = 2;
const INT: u8 = 3;
const SHORT: u8 = 4;
const DECIMAL: u8 = 5;
const TEXT: u8 = 6;
const TUPLE: u8 = 7;
const OBJECT: u8 = 8;
const BIG: u8 = 9;
const LIST: u8 = 10;
const UNKNOWN: u8 = 11;

/// The longest text of a big float with a saved form: more digits than 512 bits have.
const MOST_DIGITS: u64 = 200;

/// Appends a value; `None` if it has no saved form.
pub(super) fn save(out: &mut Writer, value: Value<'_>) -> Option<()> {
    save_within(out, value, MOST_DEPTH)
}

fn save_within(out: &mut Writer, value: Value<'_>, depth: usize) -> Option<()> {
    let depth = depth.checked_sub(1)?;
    match value.view() {
        View::Bool(truth) => out.u8(if truth { TRUE } else { FALSE }),
        View::Null(ty) if ty.is_dynamic() => out.u8(NULL),
        View::Number(NumberRef::Int(number, width)) => {
            out.u8(if width == Width::Full { INT } else { SHORT });
            out.u64(number.cast_unsigned());
        }
        View::Number(NumberRef::Decimal(mantissa, scale)) => {
            out.u8(DECIMAL);
            out.u8(scale);
            out.u64(mantissa.cast_unsigned());
        }
        View::Number(number @ (NumberRef::Ratio(_) | NumberRef::Big(_))) => {
            let text = number.text_within(MOST_DIGITS)?;
            // Not every float is what its digits say.
            if !identical(parse_big(&text)?.borrow(), number) {
                return None;
            }
            out.u8(BIG);
            out.text(&text)?;
        }
        View::String(text) => {
            out.u8(TEXT);
            out.text(text)?;
        }
        View::Tuple(items) => {
            out.u8(TUPLE);
            out.list(items, |out, item| save_within(out, *item, depth))?;
        }
        View::List(items, element) => {
            out.u8(LIST);
            out.u8(primitive(element)?);
            out.list(items, |out, item| save_within(out, *item, depth))?;
        }
        View::Object(entries) => {
            out.u8(OBJECT);
            out.list(entries, |out, entry| {
                out.text(entry.name)?;
                save_within(out, entry.value, depth)
            })?;
        }
        View::Unknown(Unknown { ty, refinement }) => {
            let Refinement { not_null, prefix, min, max, .. } = refinement;
            if !prefix.is_empty() {
                return None;
            }
            out.u8(UNKNOWN);
            out.u8(primitive(ty)?);
            not_null.save(out);
            for bound in [min, max] {
                bound.is_some().save(out);
                if let Some(NumberBound { value, inclusive }) = bound {
                    inclusive.save(out);
                    save_within(out, Value::number_ref(value), depth)?;
                }
            }
        }
        _ => return None,
    }
    Some(())
}

/// Returns the number of a primitive type.
fn primitive(ty: Type<'_>) -> Option<u8> {
    Some(match ty {
        Type::Bool => 0,
        Type::Number => 1,
        Type::String => 2,
        _ => return None,
    })
}

/// Reads a primitive type.
fn load_primitive<'a>(from: &mut Reader<'a>) -> Option<Type<'a>> {
    Some(match from.u8()? {
        0 => Type::Bool,
        1 => Type::Number,
        2 => Type::String,
        _ => return None,
    })
}

/// Reads a value. Its texts borrow from the bytes if they are in normal form.
pub(super) fn load<'a>(from: &mut Reader<'a>, arena: &'a Arena) -> Option<Value<'a>> {
    load_within(from, arena, MOST_DEPTH)
}

fn load_within<'a>(from: &mut Reader<'a>, arena: &'a Arena, depth: usize) -> Option<Value<'a>> {
    let depth = depth.checked_sub(1)?;
    Some(match from.u8()? {
        FALSE => Value::FALSE,
        TRUE => Value::TRUE,
        NULL => Value::NULL,
        INT => Value::int(from.u64()?.cast_signed()),
        SHORT => Value::short(from.u64()?.cast_signed()),
        DECIMAL => {
            let scale = from.u8()?;
            Value::number_ref(NumberRef::decimal(from.u64()?.cast_signed(), scale)?)
        }
        BIG => {
            let text = from.text().filter(|text| text.len() as u64 <= MOST_DIGITS)?;
            Value::number(arena, parse_big(text)?)
        }
        TEXT => Value::str(arena, text(from, arena)?),
        TUPLE => {
            let len = from.length()?;
            let mut items = arena.list_with(len);
            for _ in 0..len {
                items.push(load_within(from, arena, depth)?);
            }
            Value::tuple(arena, items.into_bump_slice())
        }
        LIST => {
            let element = load_primitive(from)?;
            let len = from.length()?;
            let mut items = arena.list_with(len);
            for _ in 0..len {
                let item = load_within(from, arena, depth)?;
                if item.type_of(arena) != element {
                    return None;
                }
                items.push(item);
            }
            Value::list(arena, items.into_bump_slice(), element)
        }
        OBJECT => {
            let len = from.length()?;
            let mut entries: crate::ArenaVec<'a, Entry<'a>> = arena.list_with(len);
            for _ in 0..len {
                let name = text(from, arena)?;
                if entries.last().is_some_and(|last| last.name >= name) {
                    return None;
                }
                entries.push(arena.entry(name, load_within(from, arena, depth)?));
            }
            Value::object(arena, entries.into_bump_slice())
        }
        UNKNOWN => {
            let ty = load_primitive(from)?;
            let not_null = bool::load(from)?;
            let mut bounds = [None; 2];
            for bound in &mut bounds {
                if bool::load(from)? {
                    let inclusive = bool::load(from)?;
                    let value = load_within(from, arena, depth)?.as_number()?;
                    *bound = Some(NumberBound { value, inclusive });
                }
            }
            let [min, max] = bounds;
            if ty != Type::Number && (min.is_some() || max.is_some()) {
                return None;
            }
            let refinement = Refinement { not_null, min, max, ..Refinement::default() };
            Value::unknown(arena, Unknown { ty, refinement })
        }
        _ => return None,
    })
}

fn text<'a>(from: &mut Reader<'a>, arena: &'a Arena) -> Option<&'a str> {
    from.text().map(|text| if text.is_ascii() { text } else { nfc(arena, text) })
}

/// Reads a number as a big float, whether or not it has a shorter form: exact arithmetic computes with floats.
fn parse_big(text: &str) -> Option<Number> {
    let number = Number::parse_text(text)?;
    Some(Number::Big(number.borrow().to_big().into_owned()))
}
