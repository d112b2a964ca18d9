//! Numbers as host numbers: exact for integers, nearest for floats.

use hclvm_vm::NumberRef;
use serde::de::value::MapDeserializer;
use serde::de::{Expected, Visitor};

use crate::data::path_error::PathError;
use crate::data::serde_json;
use crate::data::wanted::ExpectedType;

/// The digits and sign of the longest 128-bit integer.
const WIDE_DIGITS: u64 = 40;
/// Digits of a number shown in a message.
const SHOWN_DIGITS: u64 = 80;
/// Digits of a number passed to `serde_json` as text: the default limit of digits, because a short value
/// such as `1e1000000` has a long text.
const GIVEN_DIGITS: u64 = 100_000;

/// Describes a number for messages.
pub(super) fn describe(number: NumberRef<'_>) -> String {
    match number.text_within(SHOWN_DIGITS) {
        Some(text) => format!("the number {text}"),
        None => format!("a number of {} digits", number.text_length()),
    }
}

fn mismatch(found: NumberRef<'_>, wanted: &dyn Expected) -> PathError {
    PathError::new(format!("found {}, wanted {}", describe(found), ExpectedType(wanted)))
}

/// Visits an integer of up to 64 bits.
pub(super) fn whole<'v, V: Visitor<'v>>(found: NumberRef<'_>, visitor: V) -> Result<V::Value, PathError> {
    match (found.to_i64(), found.to_u64()) {
        (Some(number), _) => visitor.visit_i64(number),
        (_, Some(number)) => visitor.visit_u64(number),
        _ => Err(mismatch(found, &visitor)),
    }
}

/// Visits an `i128`.
pub(super) fn wide_signed<'v, V: Visitor<'v>>(
    found: NumberRef<'_>,
    visitor: V,
) -> Result<V::Value, PathError> {
    match found.text_within(WIDE_DIGITS).and_then(|text| text.parse().ok()) {
        Some(number) => visitor.visit_i128(number),
        None => Err(mismatch(found, &visitor)),
    }
}

/// Visits a `u128`.
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

/// Visits the nearest `f64`. A finite number beyond its range is an error.
pub(super) fn float<'v, V: Visitor<'v>>(found: NumberRef<'_>, visitor: V) -> Result<V::Value, PathError> {
    let nearest = found.to_f64();
    if nearest.is_infinite() && !found.is_infinite() {
        return Err(mismatch(found, &"a number from -1.7e308 to 1.7e308"));
    }
    visitor.visit_f64(nearest)
}

/// Visits the nearest `f32`. A finite number beyond its range is an error.
pub(super) fn short_float<'v, V: Visitor<'v>>(
    found: NumberRef<'_>,
    visitor: V,
) -> Result<V::Value, PathError> {
    #[expect(clippy::cast_possible_truncation, reason = "rounds to the nearest f32, as documented")]
    let nearest = found.to_f64() as f32;
    if nearest.is_infinite() && !found.is_infinite() {
        return Err(mismatch(found, &"a number from -3.4e38 to 3.4e38"));
    }
    visitor.visit_f32(nearest)
}

/// Visits a number of the type's choice: a 64-bit integer if it is one, exact text for `serde_json`, else
/// the nearest float. Negative zero is a float, because integers have none.
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
