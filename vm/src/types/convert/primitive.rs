//! Conversions between bool, number and string. Bools and numbers convert to each other only by way of
//! strings, which is not done implicitly.

use crate::memory::arena::Arena;
use crate::memory::limits::Exhausted;
use crate::number::{Number, NumberRef, Ratio, RatioText};
use crate::types::Type;
use crate::value::{Value, View};

use super::mismatch::{Mismatch, MismatchProblem};

/// Returns whether values of one primitive type convert to another: always, for some values, or never.
pub(super) fn exists(from: Type<'_>, to: Type<'_>, lossy: bool) -> bool {
    match (from, to) {
        (Type::Bool | Type::Number, Type::String) => true,
        (Type::String, Type::Bool | Type::Number) => lossy,
        _ => false,
    }
}

/// Converts a known, unmarked primitive to another primitive type.
pub(super) fn apply<'a>(arena: &'a Arena, value: Value<'a>, to: Type<'a>) -> Result<Value<'a>, Mismatch<'a>> {
    match (value.view(), to) {
        (View::Bool(value), Type::String) => Ok(Value::str(arena, if value { "true" } else { "false" })),
        (View::Number(number), Type::String) => Ok(number_text(arena, number)),
        (View::String(text), Type::Number) => number_of(arena, text),
        (View::String(text), Type::Bool) => bool_of(arena, text),
        _ => Ok(value),
    }
}

/// Charges for parsing a text as a number. Returns false if not enough fuel is left.
pub fn may_read_number(arena: &Arena, text: &str) -> bool {
    arena.spend(cost_of_number(text.as_bytes()))
}

fn number_of<'a>(arena: &'a Arena, text: &'a str) -> Result<Value<'a>, Mismatch<'a>> {
    // The result is meaningless once the budget is exhausted.
    if !may_read_number(arena, text) {
        return Ok(Value::int(0));
    }
    match Number::parse_text(text) {
        Some(number) => Ok(Value::number(arena, number)),
        None => Err(Mismatch::of_value(arena, MismatchProblem::NoNumber(text))),
    }
}

/// Returns the cost of parsing a number that is not inline, in units of about 50 ns: for each digit, and
/// for the power of ten of a large exponent.
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
            // Writing to a string in the arena cannot fail.
            let _ = number.write_text(&mut text);
            return Value::str(arena, text.into_bump_str());
        }
        NumberRef::Ratio(ratio) => {
            let mut text = RatioText::new();
            if write_ratio(arena, ratio, &mut text).is_some() {
                return Value::str(arena, arena.text(text.as_str()));
            }
        }
        NumberRef::Big(_) => {}
    }
    if !arena.spend(DIGITS) {
        return Value::EMPTY_STRING;
    }
    let Some(text) = number.text_within(u64::from(arena.budget().limits().digits)) else {
        arena.budget().exhaust(Exhausted::Digits);
        return Value::EMPTY_STRING;
    };
    Value::str(arena, arena.text(&text))
}

/// The cost of finding the digits of a number that does not have some of its own: that of parsing as many.
const DIGITS: u64 = 60;

/// Makes the text of a ratio, with its cost. `None` where only the float shows it, and if a limit does not allow it.
pub(crate) fn write_ratio(arena: &Arena, ratio: Ratio, text: &mut RatioText) -> Option<()> {
    ratio.text(text)?;
    (text.len() as u64 <= u64::from(arena.budget().limits().digits) && arena.spend(DIGITS)).then_some(())
}

/// Formats an integer. Most numbers that become text are integers, so their digits are written in place,
/// without the general formatter.
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
    // The largest magnitude has 19 digits, which leaves room for the sign.
    if value < 0
        && let Some(sign) = start.checked_sub(1).and_then(|at| digits.get_mut(at))
    {
        *sign = b'-';
        start -= 1;
    }
    let text = digits.get(start..).and_then(|text| std::str::from_utf8(text).ok()).unwrap_or_default();
    Value::str(arena, arena.text(text))
}

fn bool_of<'a>(arena: &'a Arena, text: &'a str) -> Result<Value<'a>, Mismatch<'a>> {
    match text {
        "true" | "1" => Ok(Value::TRUE),
        "false" | "0" => Ok(Value::FALSE),
        _ => {
            let wrong_case = ["true", "false"].into_iter().find(|word| text.eq_ignore_ascii_case(word));
            Err(Mismatch::of_value(
                arena,
                wrong_case.map_or(MismatchProblem::NoBool(text), MismatchProblem::WrongCase),
            ))
        }
    }
}
