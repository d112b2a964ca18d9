//! serde's `Serializer` for [`ValueSerializer`]: scalars and wrappers. Aggregates are in `aggregate`.

use hclvm_vm::{Number, Value};
use serde::{Serialize, Serializer};
use smol_str::format_smolstr;

use super::aggregate::{ObjectSerializer, StructSerializer, TupleSerializer};
use super::value_serializer::ValueSerializer;
use super::{json, marked};
use crate::data::path_error::PathError;
use crate::data::serde_json;

type Built<'a> = Result<Value<'a>, PathError>;

impl<'a> ValueSerializer<'a, '_> {
    fn number(self, number: Number) -> Built<'a> {
        Ok(Value::number(self.arena(), number))
    }

    /// Builds an integer of more than 64 bits.
    fn digits(self, text: &str) -> Built<'a> {
        let number = Number::parse_integer(text, 10);
        self.number(number.ok_or_else(|| PathError::new(format!("{text} is not an integer")))?)
    }

    /// Builds `{name = value}`, the form of a variant with content.
    pub(super) fn tagged(self, name: &'static str, value: Value<'a>) -> Built<'a> {
        let mut entries = self.arena().list();
        entries.push(self.arena().entry(self.name(name)?, value));
        Ok(self.object(entries))
    }
}

impl<'a, 'r> Serializer for ValueSerializer<'a, 'r> {
    type Ok = Value<'a>;
    type Error = PathError;
    type SerializeSeq = TupleSerializer<'a>;
    type SerializeTuple = TupleSerializer<'a>;
    type SerializeTupleStruct = TupleSerializer<'a>;
    type SerializeTupleVariant = TupleSerializer<'a>;
    type SerializeMap = ObjectSerializer<'a, 'r>;
    type SerializeStruct = StructSerializer<'a, 'r>;
    type SerializeStructVariant = ObjectSerializer<'a, 'r>;

    fn serialize_bool(self, value: bool) -> Built<'a> {
        Ok(Value::bool(value))
    }

    fn serialize_i8(self, value: i8) -> Built<'a> {
        self.serialize_i64(value.into())
    }

    fn serialize_i16(self, value: i16) -> Built<'a> {
        self.serialize_i64(value.into())
    }

    fn serialize_i32(self, value: i32) -> Built<'a> {
        self.serialize_i64(value.into())
    }

    fn serialize_i64(self, value: i64) -> Built<'a> {
        Ok(if self.is_json() { Value::int(value) } else { Value::short(value) })
    }

    fn serialize_i128(self, value: i128) -> Built<'a> {
        self.digits(&value.to_string())
    }

    fn serialize_u8(self, value: u8) -> Built<'a> {
        self.serialize_i64(value.into())
    }

    fn serialize_u16(self, value: u16) -> Built<'a> {
        self.serialize_i64(value.into())
    }

    fn serialize_u32(self, value: u32) -> Built<'a> {
        self.serialize_i64(value.into())
    }

    fn serialize_u64(self, value: u64) -> Built<'a> {
        match i64::try_from(value) {
            Ok(value) => self.serialize_i64(value),
            Err(_) if self.is_json() => Ok(self.number_text(&format_smolstr!("{value}"))?),
            Err(_) => self.number(Number::from(value)),
        }
    }

    fn serialize_u128(self, value: u128) -> Built<'a> {
        self.digits(&value.to_string())
    }

    fn serialize_f32(self, value: f32) -> Built<'a> {
        self.serialize_f64(value.into())
    }

    fn serialize_f64(self, value: f64) -> Built<'a> {
        if self.is_json() && value.is_finite() {
            return Ok(self.number_text(&format_smolstr!("{value:e}"))?);
        }
        let number = Number::from_f64(value);
        self.number(number.ok_or_else(|| PathError::new("found a float that is not a number (NaN)"))?)
    }

    fn serialize_char(self, value: char) -> Built<'a> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Built<'a> {
        Ok(self.text(value)?)
    }

    fn serialize_bytes(self, value: &[u8]) -> Built<'a> {
        let len = value.len();
        Err(PathError::new(format!(
            "found {len} bytes, which have no value in HCL; pass them as a string, for example in base64"
        )))
    }

    fn serialize_none(self) -> Built<'a> {
        Ok(Value::NULL)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Built<'a> {
        self.unwrapped()?.take(value)
    }

    fn serialize_unit(self) -> Built<'a> {
        Ok(Value::NULL)
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Built<'a> {
        Ok(Value::NULL)
    }

    fn serialize_unit_variant(self, _name: &'static str, _index: u32, variant: &'static str) -> Built<'a> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> Built<'a> {
        if name == marked::NAME {
            return marked::build(self.unwrapped()?, value);
        }
        self.unwrapped()?.take(value)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Built<'a> {
        let content = self.inside()?.take(value).map_err(|error| error.at_name(variant))?;
        self.tagged(variant, content)
    }

    fn serialize_seq(self, len: Option<usize>) -> Result<TupleSerializer<'a>, PathError> {
        TupleSerializer::new(self, len.unwrap_or_default())
    }

    fn serialize_tuple(self, len: usize) -> Result<TupleSerializer<'a>, PathError> {
        TupleSerializer::new(self, len)
    }

    fn serialize_tuple_struct(
        self,
        _name: &'static str,
        len: usize,
    ) -> Result<TupleSerializer<'a>, PathError> {
        TupleSerializer::new(self, len)
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<TupleSerializer<'a>, PathError> {
        TupleSerializer::of_variant(self, variant, len)
    }

    fn serialize_map(self, len: Option<usize>) -> Result<ObjectSerializer<'a, 'r>, PathError> {
        ObjectSerializer::new(self.shaped(None), len.unwrap_or_default())
    }

    fn serialize_struct(self, name: &'static str, len: usize) -> Result<StructSerializer<'a, 'r>, PathError> {
        Ok(match name {
            serde_json::NUMBER => StructSerializer::verbatim(self, Verbatim::Number),
            serde_json::RAW => StructSerializer::verbatim(self, Verbatim::Json),
            _ => StructSerializer::ObjectSerializer(ObjectSerializer::new(self, len)?),
        })
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<ObjectSerializer<'a, 'r>, PathError> {
        ObjectSerializer::of_variant(self, variant, len)
    }
}

/// The meaning of the text in one of `serde_json`'s own structs.
#[derive(Clone, Copy, Debug)]
pub(super) enum Verbatim {
    /// A number.
    Number,
    /// JSON.
    Json,
}

impl Verbatim {
    /// Returns the value of the text.
    pub(super) fn value<'a>(self, serializer: ValueSerializer<'a, '_>, text: &str) -> Built<'a> {
        match self {
            Self::Number => Ok(serializer.number_text(text)?),
            Self::Json => {
                json::read_at(serializer, text.into()).map_err(|error| PathError::new(error.to_string()))
            }
        }
    }
}
