//! How `serde_json` hands over what JSON holds and serde's data model does not: numbers as their
//! text, and JSON inside of other data.
//!
//! With its feature `arbitrary_precision` a number travels as a struct of one field, struct and
//! field both called [`NUMBER`]. Only `serde_json` and this crate give these names a meaning; to anybody else
//! such a struct would look like data.

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

/// The name under which `serde_json` hands over a number as text.
pub(crate) const NUMBER: &str = "$serde_json::private::Number";
/// The name under which `serde_json` hands over a text that is JSON itself.
pub(crate) const RAW: &str = "$serde_json::private::RawValue";

/// Whether the serializer or visitor `T` knows the names: it belongs to `serde_json` or is the
/// one of [`Ingest`](crate::Ingest), or wraps one of these. There is no other sign of it than the
/// name of the type; where that fails to tell, numbers travel as floats or texts.
pub(crate) fn takes_number_text<T>() -> bool {
    let name = std::any::type_name::<T>();
    name.contains("serde_json::") || name.contains("hclvm::ingest::")
}

/// A number for `serde_json`, exactly as its text. Not for other formats.
pub(crate) struct NumberText<'t>(pub(crate) &'t str);

impl Serialize for NumberText<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut number = serializer.serialize_struct(NUMBER, 1)?;
        number.serialize_field(NUMBER, self.0)?;
        number.end()
    }
}
