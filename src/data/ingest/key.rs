//! Serializer of map keys: strings, and scalars with one obvious text. Values are serialized in
//! `value_serializer`.

use serde::{Serialize, Serializer};

use super::aggregate::NoAggregate;
use super::value_serializer::ValueSerializer;
use crate::data::path_error::PathError;

/// The serializer whose output is the text of a key.
#[derive(Debug)]
pub(super) struct KeySerializer<'a>(pub(super) ValueSerializer<'a, 'static>);

type KeyText<'a> = Result<&'a str, PathError>;

impl<'a> KeySerializer<'a> {
    fn text(self, key: impl ToString) -> KeyText<'a> {
        self.serialize_str(&key.to_string())
    }
}

fn refuse<T>(found: &str) -> Result<T, PathError> {
    Err(PathError::new(format!(
        "found {found} as a key; keys are strings, or integers, bools and chars as their text"
    )))
}

impl<'a> Serializer for KeySerializer<'a> {
    type Ok = &'a str;
    type Error = PathError;
    type SerializeSeq = NoAggregate<'a>;
    type SerializeTuple = NoAggregate<'a>;
    type SerializeTupleStruct = NoAggregate<'a>;
    type SerializeTupleVariant = NoAggregate<'a>;
    type SerializeMap = NoAggregate<'a>;
    type SerializeStruct = NoAggregate<'a>;
    type SerializeStructVariant = NoAggregate<'a>;

    fn serialize_bool(self, key: bool) -> KeyText<'a> {
        self.text(key)
    }

    fn serialize_i8(self, key: i8) -> KeyText<'a> {
        self.text(key)
    }

    fn serialize_i16(self, key: i16) -> KeyText<'a> {
        self.text(key)
    }

    fn serialize_i32(self, key: i32) -> KeyText<'a> {
        self.text(key)
    }

    fn serialize_i64(self, key: i64) -> KeyText<'a> {
        self.text(key)
    }

    fn serialize_i128(self, key: i128) -> KeyText<'a> {
        self.text(key)
    }

    fn serialize_u8(self, key: u8) -> KeyText<'a> {
        self.text(key)
    }

    fn serialize_u16(self, key: u16) -> KeyText<'a> {
        self.text(key)
    }

    fn serialize_u32(self, key: u32) -> KeyText<'a> {
        self.text(key)
    }

    fn serialize_u64(self, key: u64) -> KeyText<'a> {
        self.text(key)
    }

    fn serialize_u128(self, key: u128) -> KeyText<'a> {
        self.text(key)
    }

    fn serialize_f32(self, _key: f32) -> KeyText<'a> {
        refuse("a float")
    }

    fn serialize_f64(self, _key: f64) -> KeyText<'a> {
        refuse("a float")
    }

    fn serialize_char(self, key: char) -> KeyText<'a> {
        self.text(key)
    }

    fn serialize_str(self, key: &str) -> KeyText<'a> {
        Ok(self.0.name(key)?)
    }

    fn serialize_bytes(self, _key: &[u8]) -> KeyText<'a> {
        refuse("bytes")
    }

    fn serialize_none(self) -> KeyText<'a> {
        refuse("nothing")
    }

    fn serialize_some<T: Serialize + ?Sized>(self, key: &T) -> KeyText<'a> {
        key.serialize(Self(self.0.unwrapped()?))
    }

    fn serialize_unit(self) -> KeyText<'a> {
        refuse("nothing")
    }

    fn serialize_unit_struct(self, _name: &'static str) -> KeyText<'a> {
        refuse("nothing")
    }

    fn serialize_unit_variant(self, _name: &'static str, _index: u32, variant: &'static str) -> KeyText<'a> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _name: &'static str, key: &T) -> KeyText<'a> {
        key.serialize(Self(self.0.unwrapped()?))
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _key: &T,
    ) -> KeyText<'a> {
        refuse("an enum with content")
    }

    fn serialize_seq(self, _len: Option<usize>) -> Result<NoAggregate<'a>, PathError> {
        refuse("a sequence")
    }

    fn serialize_tuple(self, _len: usize) -> Result<NoAggregate<'a>, PathError> {
        refuse("a sequence")
    }

    fn serialize_tuple_struct(self, _name: &'static str, _len: usize) -> Result<NoAggregate<'a>, PathError> {
        refuse("a sequence")
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _len: usize,
    ) -> Result<NoAggregate<'a>, PathError> {
        refuse("an enum with content")
    }

    fn serialize_map(self, _len: Option<usize>) -> Result<NoAggregate<'a>, PathError> {
        refuse("a map")
    }

    fn serialize_struct(self, _name: &'static str, _len: usize) -> Result<NoAggregate<'a>, PathError> {
        refuse("a struct")
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _len: usize,
    ) -> Result<NoAggregate<'a>, PathError> {
        refuse("an enum with content")
    }
}
