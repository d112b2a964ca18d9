//! Bool, number and string into one another. Bools and numbers have no common ground but text.

use crate::memory::arena::Arena;
use crate::memory::limits::Exhausted;
use crate::number::{Number, NumberRef};
use crate::types::Type;
use crate::value::{Value, View};

use super::mismatch::{Mismatch, Problem};

/// Whether values of one primitive type convert to another: always, perhaps, or never.
pub(super) fn exists(from: Type<'_>, to: Type<'_>, lossy: bool) -> bool {
    match (from, to) {
        (Type::Bool | Type::Number, Type::String) => true,
        (Type::String, Type::Bool | Type::Number) => lossy,
        _ => false,
    }
}

/// A known, unmarked primitive as another primitive type.
pub(super) fn apply<'a>(arena: &'a Arena, value: Value<'a>, to: Type<'a>) -> Result<Value<'a>, Mismatch<'a>> {
    match (value.view(), to) {
        (View::Bool(value), Type::String) => Ok(Value::str(arena, if value { "true" } else { "false" })),
        (View::Number(number), Type::String) => Ok(number_text(arena, number)),
        (View::String(text), Type::Number) => number_of(arena, text),
        (View::String(text), Type::Bool) => bool_of(arena, text),
        _ => Ok(value),
    }
}

/// Pays for reading a text as a number; false when there is not enough left.
pub fn may_read_number(arena: &Arena, text: &str) -> bool {
    arena.spend(cost_of_number(text.as_bytes()))
}

fn number_of<'a>(arena: &'a Arena, text: &str) -> Result<Value<'a>, Mismatch<'a>> {
    // Of an exhausted budget no result means anything.
    if !may_read_number(arena, text) {
        return Ok(Value::int(0));
    }
    match Number::parse_text(text) {
        Some(number) => Ok(Value::number(arena, number)),
        None => Err(Mismatch::of_value(arena, Problem::NoNumber)),
    }
}

/// What it takes to read a number beyond the inline ones, in units of about 50 ns: each digit, and the
/// power of ten that a large exponent stands for.
fn cost_of_number(text: &[u8]) -> u64 {
    const INLINE: usize = 20;
    let digits = text.iter().take_while(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'-' | b'+')).count();
    let exponent = text.get(digits..).filter(|rest| matches!(rest, [b'e' | b'E' | b'p' | b'P', ..]));
    match exponent {
        None if digits <= INLINE => 0,
        None => digits as u64,
        Some(rest) => {
            let power = match rest.len() {
                0..5 => 0,
                5..9 => 150,
                _ => 400,
            };
            (digits + rest.len()) as u64 + power
        }
    }
}

fn number_text<'a>(arena: &'a Arena, number: NumberRef<'_>) -> Value<'a> {
    match number {
        NumberRef::Int(value, _) => return integer_text(arena, value),
        NumberRef::Decimal(..) => {
            let mut text = arena.string();
            // Nothing fails that writes to a string in the arena.
            let _ = number.write_text(&mut text);
            return Value::str(arena, text.into_bump_str());
        }
        NumberRef::Big(_) => {}
    }
    // What it takes to find the digits, as for numbers that are read.
    const DIGITS: u64 = 60;
    if !arena.spend(DIGITS) {
        return Value::EMPTY_STRING;
    }
    let Some(text) = number.text_within(u64::from(arena.budget().limits().digits)) else {
        arena.budget().exhaust(Exhausted::Digits);
        return Value::EMPTY_STRING;
    };
    Value::str(arena, arena.text(&text))
}

/// Integers are most of what becomes text, so their digits are made in place.
fn integer_text(arena: &Arena, value: i64) -> Value<'_> {
    let mut digits = [0; 20];
    let mut start = digits.len();
    let mut rest = value.unsigned_abs();
    for (at, digit) in digits.iter_mut().enumerate().rev() {
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
        start = at;
        if rest == 0 {
            break;
        }
    }
    // The greatest magnitude has 19 digits, so there is room for the sign.
    if value < 0
        && let Some(sign) = start.checked_sub(1).and_then(|at| digits.get_mut(at))
    {
        *sign = b'-';
        start -= 1;
    }
    let text = digits.get(start..).and_then(|text| std::str::from_utf8(text).ok()).unwrap_or_default();
    Value::str(arena, arena.text(text))
}

fn bool_of<'a>(arena: &'a Arena, text: &str) -> Result<Value<'a>, Mismatch<'a>> {
    match text {
        "true" | "1" => Ok(Value::TRUE),
        "false" | "0" => Ok(Value::FALSE),
        _ => {
            let wrong_case = ["true", "false"].into_iter().find(|word| text.eq_ignore_ascii_case(word));
            Err(Mismatch::of_value(arena, wrong_case.map_or(Problem::NoBool, Problem::WrongCase)))
        }
    }
}
