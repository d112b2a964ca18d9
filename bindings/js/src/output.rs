//! Values of the engine as JavaScript values.

use std::cell::Cell;

use hclvm::show::type_text;
use hclvm::value::{Arena, Entry, NumberRef, View};
use hclvm::{Limits, OwnedValue, Value};
use js_sys::{Array, BigInt, Object};
use wasm_bindgen::prelude::*;

use crate::error::{Thrown, refusal};
use crate::input::{Marked, Unknown};

#[wasm_bindgen(raw_module = "./values.js")]
extern "C" {
    #[wasm_bindgen(js_name = setProperty)]
    pub(crate) fn set_property(object: &Object, name: &str, value: &JsValue);
}

/// The memory of a value in JavaScript, estimated as if no parts were shared: parts of a small value may be shared so often
/// that its copy would fill the memory.
const ROOM: usize = Limits::untrusted().arena_bytes;
/// The estimated bytes of a value.
const SIZE: usize = 16;
/// The largest of the whole numbers that are equal to a double and to no other whole number.
const MAX_SAFE: u64 = (1 << 53) - 1;

/// Returns a value as a JavaScript value. A whole number that a double may not hold exactly is a bigint; any other number is
/// the nearest double.
pub(crate) fn to_js(value: Value<'_>) -> Thrown<JsValue> {
    Output { room: Cell::new(ROOM) }.value(value)
}

/// The conversion of one value.
struct Output {
    room: Cell<usize>,
}

impl Output {
    // The recursion is bounded by the depth that values may have.
    fn value(&self, value: Value<'_>) -> Thrown<JsValue> {
        match value.view() {
            View::Null(_) => Ok(JsValue::NULL),
            View::Bool(value) => Ok(value.into()),
            View::Number(number) => self.number(number),
            View::String(text) => {
                self.take(text.len())?;
                Ok(text.into())
            }
            View::Tuple(items) | View::List(items, _) | View::Set(items, _) => {
                self.take(items.len().saturating_mul(SIZE))?;
                let array = Array::new();
                for item in items {
                    array.push(&self.value(*item)?);
                }
                Ok(array.into())
            }
            View::Object(entries) | View::Map(entries, _) => self.entries(entries),
            View::Unknown(_) => Ok(Unknown::new(&type_of(value)).into()),
            View::Marked(inner, marks) => {
                let marks = marks.names().iter().map(|mark| JsValue::from(*mark)).collect();
                Ok(Marked::new(&self.value(inner)?, &marks).into())
            }
            View::Unset => Err(refusal("there is no value")),
        }
    }

    fn entries(&self, entries: &[Entry<'_>]) -> Thrown<JsValue> {
        self.take(entries.len().saturating_mul(SIZE))?;
        let object = Object::new();
        for entry in entries {
            self.take(entry.name.len())?;
            set_property(&object, entry.name, &self.value(entry.value)?);
        }
        Ok(object.into())
    }

    fn number(&self, number: NumberRef<'_>) -> Thrown<JsValue> {
        let is_safe = number.to_i64().is_some_and(|value| value.unsigned_abs() <= MAX_SAFE);
        if is_safe || number.is_infinite() || !number.is_integer() {
            return Ok(Value::number_ref(number).as_f64().into());
        }
        let digits = Limits::untrusted().digits;
        let text = number.text_within(digits.into());
        let text = text.ok_or_else(|| refusal(format!("the number has more than {digits} digits")))?;
        self.take(text.len())?;
        Ok(BigInt::new(&text.into())?.into())
    }

    /// Counts bytes of values.
    fn take(&self, bytes: usize) -> Thrown<()> {
        let left = self.room.get().checked_sub(bytes.saturating_add(SIZE));
        self.room.set(left.unwrap_or(0));
        left.map(|_| ()).ok_or_else(|| refusal(format!("the value takes more than {ROOM} bytes")))
    }
}

/// Returns an object with these properties.
pub(crate) fn object<const N: usize>(properties: [(&str, Thrown<JsValue>); N]) -> Thrown<Object> {
    let object = Object::new();
    for (name, value) in properties {
        set_property(&object, name, &value?);
    }
    Ok(object)
}

/// Returns the type of a value as a type constraint.
pub(crate) fn type_of(value: Value<'_>) -> String {
    let arena = Arena::new();
    let owned = OwnedValue::new(value);
    type_text(owned.get().type_of(&arena)).unwrap_or_else(|| "any".to_owned())
}
