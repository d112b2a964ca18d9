//! Numbers as JSON: as exact text, or in the form that a serde serializer accepts.

use hclvm_vm::{Number, NumberRef, number};
use serde::ser::Error;
use serde::{Serialize, Serializer};
use smol_str::{SmolStr, format_smolstr};

use super::{JsonPart, single};
use crate::data::serde_json::{NumberForm, NumberText};

/// The attribute that holds the sign of an infinity.
pub(super) const NUMBER: &str = "$number";

impl JsonPart<'_, '_> {
    /// Returns the number as text.
    pub(super) fn number_text(&self, number: NumberRef<'_>) -> Result<SmolStr, String> {
        if number.is_infinite() {
            return Err(self.refusal("the number is infinite, so it has no JSON"));
        }
        if matches!(number, NumberRef::Int(..) | NumberRef::Decimal(..)) {
            // At most 21 bytes, which a `SmolStr` holds inline.
            return Ok(format_smolstr!("{number}"));
        }
        let Some(text) = number.text_within(self.writing.digits) else {
            let limit = self.writing.digits;
            return Err(self.refusal(&format!("the number has more than {limit} digits")));
        };
        self.fits(text.len())?;
        Ok(text.into())
    }

    /// Returns the sign of an infinity, if lenient.
    pub(super) fn infinity(&self, number: NumberRef<'_>) -> Option<&'static str> {
        let shown = self.writing.lenient && number.is_infinite();
        shown.then_some(if number.is_negative() { "-Inf" } else { "+Inf" })
    }

    /// Passes the number to a serializer in the form that it accepts.
    pub(super) fn number<S: Serializer>(
        &self,
        number: NumberRef<'_>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        if let NumberRef::Int(value, _) = number {
            return serializer.serialize_i64(value);
        }
        if let Some(text) = self.infinity(number) {
            return single(serializer, NUMBER, text);
        }
        let form = NumberForm::of_error::<S::Error>();
        if form != NumberForm::Text && !number.is_infinite() {
            if let Some(value) = equal_u64(number) {
                return serializer.serialize_u64(value);
            }
            if let Some(value) = float_for(form, number) {
                return serializer.serialize_f64(value);
            }
        }
        let text = self.number_text(number).map_err(S::Error::custom)?;
        match form {
            NumberForm::Text => NumberText(&text).serialize(serializer),
            NumberForm::NearestFloat => {
                Err(S::Error::custom(self.refusal("the number is too large for a float of 64 bits")))
            }
            NumberForm::EqualOrString => serializer.serialize_str(&text),
        }
    }
}

fn equal_u64(number: NumberRef<'_>) -> Option<u64> {
    number.to_u64().filter(|_| !number.is_negative())
}

/// Returns the float for a number: the nearest, or only one that HCL's `==` calls equal to it.
fn float_for(form: NumberForm, value: NumberRef<'_>) -> Option<f64> {
    let float = value.to_f64();
    let same = || Number::from_f64(float).is_some_and(|exact| number::equal(exact.borrow(), value));
    (float.is_finite() && (form == NumberForm::NearestFloat || same())).then_some(float)
}
