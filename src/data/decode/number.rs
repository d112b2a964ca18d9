//! Numbers as the numbers of the host: exact for integers, nearest for floats.

use hclvm_vm::NumberRef;
use serde::de::value::MapDeserializer;
use serde::de::{Expected, Visitor};

use crate::data::path_error::PathError;
use crate::data::serde_json;

/// The longest text of an integer of 128 bits.
const WIDE_DIGITS: u64 = 40;
/// More digits of a number than this are not shown in a message.
const SHOWN_DIGITS: u64 = 80;
/// More digits of a number than this are not handed over as text.
const GIVEN_DIGITS: u64 = 100_000;

/// A number, in words.
pub(super) fn describe(number: NumberRef<'_>) -> String {
    match number.text_within(SHOWN_DIGITS) {
        Some(text) => format!("the number {text}"),
        None => format!("a number of {} digits", number.text_length()),
    }
}

fn mismatch(found: NumberRef<'_>, wanted: &dyn Expected) -> PathError {
    PathError::new(format!("found {}, wanted {wanted}", describe(found)))
}

/// For integer types of up to 64 bits.
pub(super) fn whole<'v, V: Visitor<'v>>(found: NumberRef<'_>, visitor: V) -> Result<V::Value, PathError> {
    match (found.to_i64(), found.to_u64()) {
        (Some(number), _) => visitor.visit_i64(number),
        (_, Some(number)) => visitor.visit_u64(number),
        _ => Err(mismatch(found, &visitor)),
    }
}

/// For `i128`.
pub(super) fn wide_signed<'v, V: Visitor<'v>>(
    found: NumberRef<'_>,
    visitor: V,
) -> Result<V::Value, PathError> {
    match found.text_within(WIDE_DIGITS).and_then(|text| text.parse().ok()) {
        Some(number) => visitor.visit_i128(number),
        None => Err(mismatch(found, &visitor)),
    }
}

/// For `u128`.
pub(super) fn wide_unsigned<'v, V: Visitor<'v>>(
    found: NumberRef<'_>,
    visitor: V,
) -> Result<V::Value, PathError> {
    let wide = || found.text_within(WIDE_DIGITS).and_then(|text| text.parse().ok());
    match found.to_u64().map(u128::from).or_else(wide) {
        Some(number) => visitor.visit_u128(number),
        None => Err(mismatch(found, &visitor)),
    }
}

/// For float types: the nearest float. Only an infinity becomes one.
pub(super) fn float<'v, V: Visitor<'v>>(found: NumberRef<'_>, visitor: V) -> Result<V::Value, PathError> {
    let nearest = found.to_f64();
    if nearest.is_infinite() && !found.is_infinite() {
        return Err(mismatch(found, &visitor));
    }
    visitor.visit_f64(nearest)
}

/// For `f32`, which may be too small for a number that is not too large for `f64`.
pub(super) fn short_float<'v, V: Visitor<'v>>(
    found: NumberRef<'_>,
    visitor: V,
) -> Result<V::Value, PathError> {
    let nearest = found.to_f64() as f32;
    if nearest.is_infinite() && !found.is_infinite() {
        return Err(mismatch(found, &visitor));
    }
    visitor.visit_f32(nearest)
}

/// For types that take anything.
pub(super) fn any<'v, V: Visitor<'v>>(found: NumberRef<'_>, visitor: V) -> Result<V::Value, PathError> {
    if found.is_integer() && !(found.is_zero() && found.is_negative()) {
        match (found.to_i64(), found.to_u64()) {
            (Some(number), _) => return visitor.visit_i64(number),
            (_, Some(number)) => return visitor.visit_u64(number),
            _ => {}
        }
    }
    if serde_json::takes_number_text::<V::Value>() && !found.is_infinite() {
        let text = found.text_within(GIVEN_DIGITS).ok_or_else(|| mismatch(found, &visitor))?;
        return visitor.visit_map(MapDeserializer::new(std::iter::once((serde_json::NUMBER, text))));
    }
    float(found, visitor)
}
