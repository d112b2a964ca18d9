//! Serializers of aggregates: they collect members in the arena and build a tuple or an object. Scalars
//! are in `value_serializer/serialize.rs`.

use hclvm_vm::{ArenaVec, Entry, Value};
use serde::Serialize;
use serde::ser::{
    Impossible, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant,
};

use super::key::KeySerializer;
use super::serialize::Verbatim;
use super::struct_shape::StructShape;
use super::value_serializer::ValueSerializer;
use crate::data::path_error::PathError;
use crate::run::projection::{Read, ReadParts};

/// Members reserved for an announced length. A `Serialize` implementation may announce any length; longer
/// lists grow as members arrive.
const TRUSTED_LEN: usize = 1024;

/// Builds a tuple, or the content of a tuple variant.
#[derive(Debug)]
pub(super) struct TupleSerializer<'a> {
    serializer: ValueSerializer<'a, 'static>,
    inside: ValueSerializer<'a, 'static>,
    variant: Option<&'static str>,
    members: ArenaVec<'a, Value<'a>>,
    /// The shape of its structs, if there may be several.
    shape: Option<&'a StructShape<'a>>,
}

impl<'a> TupleSerializer<'a> {
    /// Creates the serializer. Elements are built whole: only attributes can be projected.
    pub(super) fn new(serializer: ValueSerializer<'a, '_>, len: usize) -> Result<Self, PathError> {
        let mut members = serializer.arena().list();
        members.reserve(len.min(TRUSTED_LEN));
        Ok(Self {
            serializer: serializer.reading(&Read::Whole),
            inside: serializer.inside()?,
            variant: None,
            members,
            shape: if len > 1 { StructShape::new(serializer.arena()) } else { None },
        })
    }

    pub(super) fn of_variant(
        serializer: ValueSerializer<'a, '_>,
        variant: &'static str,
        len: usize,
    ) -> Result<Self, PathError> {
        let content = Self::new(serializer.inside()?, len)?;
        Ok(Self { serializer: serializer.reading(&Read::Whole), variant: Some(variant), ..content })
    }

    fn push<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), PathError> {
        self.inside.has_room()?;
        let index = self.members.len();
        let item = self.inside.shaped(self.shape).take(value);
        self.members.push(item.map_err(|error| error.at_index(index).at_variant(self.variant))?);
        Ok(())
    }

    fn finish(self) -> Result<Value<'a>, PathError> {
        let tuple = self.serializer.tuple(self.members);
        self.variant.map_or(Ok(tuple), |variant| self.serializer.tagged(variant, tuple))
    }
}

/// Builds an object, or the content of a struct variant. Skips attributes that no program reads.
#[derive(Debug)]
pub(super) struct ObjectSerializer<'a, 'r> {
    serializer: ValueSerializer<'a, 'r>,
    inside: ValueSerializer<'a, 'static>,
    variant: Option<&'static str>,
    members: ArenaVec<'a, Entry<'a>>,
    /// The key whose value follows.
    key: &'a str,
    /// True if the shape of the serializer has predicted all fields so far.
    predicted: bool,
}

impl<'a, 'r> ObjectSerializer<'a, 'r> {
    pub(super) fn new(serializer: ValueSerializer<'a, 'r>, len: usize) -> Result<Self, PathError> {
        let mut members = serializer.arena().list();
        members.reserve(serializer.parts().map_or(len.min(TRUSTED_LEN), ReadParts::len));
        Ok(Self {
            serializer,
            inside: serializer.inside()?,
            variant: None,
            members,
            key: "",
            predicted: true,
        })
    }

    /// Creates the serializer of a variant's content, which is built whole.
    pub(super) fn of_variant(
        serializer: ValueSerializer<'a, 'r>,
        variant: &'static str,
        len: usize,
    ) -> Result<Self, PathError> {
        let content = ObjectSerializer::new(serializer.inside()?, len)?;
        Ok(Self {
            variant: Some(variant),
            serializer: serializer.reading(&Read::Whole),
            inside: content.inside,
            members: content.members,
            key: "",
            predicted: true,
        })
    }

    /// Adds a field.
    fn field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), PathError> {
        if let Some(shape) = self.serializer.shape() {
            return self.shaped_field(shape, name, value);
        }
        match self.serializer.parts() {
            // Other than ASCII names may change when they are normalized, so they are looked up afterwards.
            Some(parts) if name.is_ascii() => {
                // The name of a field that is not read need not be copied.
                let Some((_, part)) = parts.find(name) else { return Ok(()) };
                let name = self.serializer.ascii_name(name)?;
                self.push_part(name, part.symbol(), part.read(), value)
            }
            _ => self.push(self.serializer.name(name)?, value),
        }
    }

    /// Adds a field of a struct of a sequence, which is built whole.
    fn shaped_field<T: Serialize + ?Sized>(
        &mut self,
        shape: &StructShape<'a>,
        given: &'static str,
        value: &T,
    ) -> Result<(), PathError> {
        let at = self.members.len();
        let known = if self.predicted { shape.field(at, given) } else { None };
        self.predicted = known.is_some();
        let (name, symbol) = if let Some(known) = known {
            known
        } else {
            let name = self.serializer.name(given)?;
            let named = (name, self.serializer.arena().symbol(name));
            shape.add(at, given, named);
            named
        };
        self.push_part(name, symbol, &Read::Whole, value)
    }

    fn push<T: Serialize + ?Sized>(&mut self, name: &'a str, value: &T) -> Result<(), PathError> {
        let (symbol, read) = match self.serializer.parts().map(|parts| parts.find(name)) {
            None => (self.serializer.arena().symbol(name), &Read::Whole),
            Some(Some((_, part))) => (part.symbol(), part.read()),
            Some(None) => return Ok(()),
        };
        self.push_part(name, symbol, read, value)
    }

    fn push_part<T: Serialize + ?Sized>(
        &mut self,
        name: &'a str,
        symbol: u32,
        read: &Read,
        value: &T,
    ) -> Result<(), PathError> {
        self.inside.has_room()?;
        let value = self.inside.reading(read).take(value);
        let value = value.map_err(|error| error.at_name(name).at_variant(self.variant))?;
        self.members.push(Entry { name, symbol, value });
        Ok(())
    }

    fn finish(self) -> Result<Value<'a>, PathError> {
        let object = match self.serializer.shape() {
            Some(shape) => {
                let arena = self.serializer.arena();
                Value::object(arena, shape.sorted(arena, self.members, self.predicted))
            }
            None => self.serializer.object(self.members),
        };
        self.variant.map_or(Ok(object), |variant| self.serializer.tagged(variant, object))
    }
}

/// Builds the object of a struct, or the value of a text in one of `serde_json`'s own structs.
#[derive(Debug)]
pub(super) enum StructSerializer<'a, 'r> {
    ObjectSerializer(ObjectSerializer<'a, 'r>),
    Verbatim(ValueSerializer<'a, 'static>, Verbatim, Option<Value<'a>>),
}

impl<'a> StructSerializer<'a, '_> {
    pub(super) fn verbatim(serializer: ValueSerializer<'a, '_>, meaning: Verbatim) -> Self {
        Self::Verbatim(serializer.reading(&Read::Whole), meaning, None)
    }
}

impl<'a> SerializeStruct for StructSerializer<'a, '_> {
    type Ok = Value<'a>;
    type Error = PathError;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), PathError> {
        match self {
            Self::ObjectSerializer(entries) => entries.field(name, value),
            Self::Verbatim(serializer, meaning, result) => {
                let text = value.serialize(KeySerializer(*serializer))?;
                *result = Some(meaning.value(*serializer, text)?);
                Ok(())
            }
        }
    }

    fn end(self) -> Result<Value<'a>, PathError> {
        match self {
            Self::ObjectSerializer(entries) => entries.finish(),
            Self::Verbatim(_, _, result) => {
                result.ok_or_else(|| PathError::new("found a number without text"))
            }
        }
    }
}

impl<'a> SerializeStructVariant for ObjectSerializer<'a, '_> {
    type Ok = Value<'a>;
    type Error = PathError;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), PathError> {
        self.field(name, value)
    }

    fn end(self) -> Result<Value<'a>, PathError> {
        self.finish()
    }
}

impl<'a> SerializeMap for ObjectSerializer<'a, '_> {
    type Ok = Value<'a>;
    type Error = PathError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), PathError> {
        self.key = key.serialize(KeySerializer(self.inside))?;
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), PathError> {
        self.push(self.key, value)
    }

    fn end(self) -> Result<Value<'a>, PathError> {
        self.finish()
    }
}

/// Implements serde's traits for sequences, which differ only in their names.
macro_rules! sequence {
    ($($name:ident::$push:ident),*) => {$(
        impl<'a> $name for TupleSerializer<'a> {
            type Ok = Value<'a>;
            type Error = PathError;

            fn $push<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), PathError> {
                self.push(value)
            }

            fn end(self) -> Result<Value<'a>, PathError> {
                self.finish()
            }
        }
    )*};
}

sequence! {
    SerializeSeq::serialize_element, SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field, SerializeTupleVariant::serialize_field
}

/// The serializer of aggregates as map keys, which do not exist.
pub(super) type NoAggregate<'a> = Impossible<&'a str, PathError>;
