//! Deserializer over a value. Names and keys are in `name`, bodies in `body`.

use hclvm_vm::{Value, View};
use serde::Deserializer;
use serde::de::value::BorrowedStrDeserializer;
use serde::de::{Expected, Visitor};

use super::entry::{ElementAccess, MemberAccess};
use super::number;
use super::same_as::same_as;
use super::variant::EntryVariant;
use crate::data::path_error::{PathError, QuotedExcerpt};
use crate::data::show::Allowance;
use crate::data::wanted::{ExpectedType, object_with, one_of};

/// Nested options and newtypes between two aggregates. A type with more is taken for one that contains
/// itself, whose recursion would otherwise overflow the stack.
const WRAPPERS: u8 = 128;

/// Deserializes a value. Recursion is bounded by the depth of the value and by [`WRAPPERS`].
#[derive(Clone, Copy, Debug)]
pub(super) struct ValueDeserializer<'v, 'c> {
    pub(super) value: Value<'v>,
    pub(super) allowance: &'c Allowance,
    wrappers: u8,
}

impl<'v, 'c> ValueDeserializer<'v, 'c> {
    pub(super) fn new(value: Value<'v>, allowance: &'c Allowance) -> Self {
        Self { value, allowance, wrappers: WRAPPERS }
    }

    /// Returns a view of the value. Fails if it is unknown or marked, or if the allowance is used up.
    fn open(self) -> Result<View<'v>, PathError> {
        if !self.allowance.take(self.value.as_str().map_or(0, str::len)) {
            let limit = self.allowance.limit();
            return Err(PathError::new(format!("the value would take more than {limit} bytes")));
        }
        match self.value.view() {
            View::Unknown(unknown) => {
                Err(PathError::new(format!("the value is not known (type {})", unknown.ty.friendly_name())))
            }
            View::Marked(_, marks) => Err(PathError::new(format!(
                "the value is marked ({}) and is not given out",
                marks.names().join(", ")
            ))),
            View::Unset => Err(PathError::new("there is no value")),
            view => Ok(view),
        }
    }

    /// Returns the deserializer of the content of an option or a newtype: the same value.
    fn unwrapped(self) -> Result<Self, PathError> {
        match self.wrappers.checked_sub(1) {
            Some(wrappers) => Ok(Self { wrappers, ..self }),
            None => Err(PathError::new("the wanted type contains itself without end")),
        }
    }

    fn whole_number<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, PathError> {
        match self.open()? {
            View::Number(found) => number::whole(found, visitor),
            other => Err(mismatch(other, &visitor)),
        }
    }

    fn float<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, PathError> {
        match self.open()? {
            View::Number(found) => number::float(found, visitor),
            other => Err(mismatch(other, &visitor)),
        }
    }

    fn sequence<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, PathError> {
        match self.open()? {
            View::Tuple(items) | View::List(items, _) | View::Set(items, _) => {
                ElementAccess::new(items, self.allowance).visit(visitor)
            }
            other => Err(mismatch(other, &visitor)),
        }
    }

    fn members<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, PathError> {
        match self.open()? {
            View::Object(entries) | View::Map(entries, _) => {
                visitor.visit_map(MemberAccess::new(entries, self.allowance))
            }
            other => Err(mismatch(other, &visitor)),
        }
    }

    /// Deserializes the content of a unit variant: null.
    pub(super) fn nothing(self) -> Result<(), PathError> {
        match self.open()? {
            View::Null(_) => Ok(()),
            other => Err(mismatch(other, &"null")),
        }
    }
}

/// Creates the error for a value of another type than wanted.
fn mismatch(found: View<'_>, wanted: &dyn Expected) -> PathError {
    let found = match found {
        View::Null(_) => "null".to_owned(),
        View::Bool(value) => value.to_string(),
        View::Number(number) => number::describe(number),
        View::String(text) => format!("the string {}", QuotedExcerpt(text)),
        View::Tuple(items) => format!("a tuple of length {}", items.len()),
        View::List(items, _) => format!("a list of length {}", items.len()),
        View::Set(items, _) => format!("a set of length {}", items.len()),
        View::Object(entries) => format!("an object with {} attributes", entries.len()),
        View::Map(entries, _) => format!("a map of length {}", entries.len()),
        View::Unknown(_) | View::Marked(..) | View::Unset => "nothing to look at".to_owned(),
    };
    PathError::new(format!("found {found}, wanted {}", ExpectedType(wanted)))
}

impl<'v> Deserializer<'v> for ValueDeserializer<'v, '_> {
    type Error = PathError;

    fn deserialize_any<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, PathError> {
        match self.open()? {
            View::Null(_) => visitor.visit_unit(),
            View::Bool(value) => visitor.visit_bool(value),
            View::Number(found) => number::any(found, visitor),
            View::String(text) => visitor.visit_borrowed_str(text),
            View::Tuple(items) | View::List(items, _) | View::Set(items, _) => {
                ElementAccess::new(items, self.allowance).visit(visitor)
            }
            View::Object(entries) | View::Map(entries, _) => {
                visitor.visit_map(MemberAccess::new(entries, self.allowance))
            }
            other => Err(mismatch(other, &visitor)),
        }
    }

    same_as! {
        'v;
        deserialize_i8 => whole_number, deserialize_i16 => whole_number, deserialize_i32 => whole_number,
        deserialize_i64 => whole_number, deserialize_u8 => whole_number, deserialize_u16 => whole_number,
        deserialize_u32 => whole_number, deserialize_u64 => whole_number,
        deserialize_f64 => float,
        deserialize_seq => sequence, deserialize_map => members,
        deserialize_string => deserialize_str, deserialize_char => deserialize_str,
        deserialize_identifier => deserialize_str, deserialize_byte_buf => deserialize_bytes,
    }

    fn deserialize_i128<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, PathError> {
        match self.open()? {
            View::Number(found) => number::wide_signed(found, visitor),
            other => Err(mismatch(other, &visitor)),
        }
    }

    fn deserialize_u128<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, PathError> {
        match self.open()? {
            View::Number(found) => number::wide_unsigned(found, visitor),
            other => Err(mismatch(other, &visitor)),
        }
    }

    fn deserialize_f32<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, PathError> {
        match self.open()? {
            View::Number(found) => number::short_float(found, visitor),
            other => Err(mismatch(other, &visitor)),
        }
    }

    fn deserialize_bool<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, PathError> {
        match self.open()? {
            View::Bool(value) => visitor.visit_bool(value),
            other => Err(mismatch(other, &visitor)),
        }
    }

    fn deserialize_str<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, PathError> {
        match self.open()? {
            View::String(text) => visitor.visit_borrowed_str(text),
            other => Err(mismatch(other, &visitor)),
        }
    }

    /// Visits the UTF-8 bytes of a string, or a sequence of numbers.
    fn deserialize_bytes<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, PathError> {
        match self.value.as_str() {
            Some(text) => visitor.visit_borrowed_bytes(text.as_bytes()),
            None => self.sequence(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, PathError> {
        match self.value.view() {
            View::Null(_) => visitor.visit_none(),
            _ => visitor.visit_some(self.unwrapped()?),
        }
    }

    fn deserialize_unit<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, PathError> {
        match self.open()? {
            View::Null(_) => visitor.visit_unit(),
            other => Err(mismatch(other, &visitor)),
        }
    }

    fn deserialize_unit_struct<V: Visitor<'v>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, PathError> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'v>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, PathError> {
        visitor.visit_newtype_struct(self.unwrapped()?)
    }

    fn deserialize_tuple<V: Visitor<'v>>(self, _len: usize, visitor: V) -> Result<V::Value, PathError> {
        self.sequence(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'v>>(
        self,
        _name: &'static str,
        _len: usize,
        visitor: V,
    ) -> Result<V::Value, PathError> {
        self.sequence(visitor)
    }

    fn deserialize_struct<V: Visitor<'v>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, PathError> {
        match self.open()? {
            View::Object(entries) | View::Map(entries, _) => {
                visitor.visit_map(MemberAccess::new(entries, self.allowance))
            }
            other => Err(mismatch(other, &object_with(fields).as_str())),
        }
    }

    fn deserialize_enum<V: Visitor<'v>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, PathError> {
        match self.open()? {
            View::String(name) => visitor.visit_enum(BorrowedStrDeserializer::new(name)),
            View::Object([entry]) | View::Map([entry], _) => {
                visitor.visit_enum(EntryVariant::new(entry, self.allowance))
            }
            other @ (View::Object(_) | View::Map(..)) => {
                let names = format!("an object with one attribute: {}", one_of(variants));
                Err(mismatch(other, &names.as_str()))
            }
            other => Err(mismatch(other, &one_of(variants).as_str())),
        }
    }

    /// Ignores any value, even an unknown or marked one.
    fn deserialize_ignored_any<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, PathError> {
        visitor.visit_unit()
    }
}
