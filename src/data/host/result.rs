//! What closures answer, as values: built in the arena, and paid for.

use std::any::Any;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Display;

use hclvm_vm::{Arena, CallError, Entry, Number, OwnedValue, Type, Value, copy, last_of_each};
use serde::Serialize;

use super::argument::Serde;
use crate::data::ingest::Ingest;
use hclvm_functions::{arena_text, may_make_items, may_make_text, text_value};

/// A type that closures answer with.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the result of a function that programs call",
    note = "answer with an owned value, such as `String`, `OwnedValue` or `Serde<…>`"
)]
pub trait IntoResult {
    /// The type of the results; `Dynamic` when it differs from result to result.
    const TYPE: Type<'static>;
    /// Whether results may be null.
    const NULL: bool = false;

    /// Builds the value.
    ///
    /// # Errors
    /// The closure's own, and numbers that are no numbers.
    fn into_result(self, arena: &Arena) -> Result<Value<'_>, CallError>;
}

impl IntoResult for bool {
    const TYPE: Type<'static> = Type::Bool;

    fn into_result(self, _: &Arena) -> Result<Value<'_>, CallError> {
        Ok(Value::bool(self))
    }
}

/// Whole numbers, with the precision that a host's integers have.
macro_rules! integers {
    ($wide:ty: $($type:ty)*) => {$(
        impl IntoResult for $type {
            const TYPE: Type<'static> = Type::Number;

            fn into_result(self, arena: &Arena) -> Result<Value<'_>, CallError> {
                Ok(Value::number(arena, Number::from(self as $wide)))
            }
        }
    )*};
}

integers!(i64: i8 i16 i32 i64 isize);
integers!(u64: u8 u16 u32 u64 usize);

impl IntoResult for f64 {
    const TYPE: Type<'static> = Type::Number;

    fn into_result(self, arena: &Arena) -> Result<Value<'_>, CallError> {
        let number = Number::from_f64(self).ok_or_else(|| CallError::new("the result is not a number"))?;
        Ok(Value::number(arena, number))
    }
}

impl IntoResult for f32 {
    const TYPE: Type<'static> = Type::Number;

    fn into_result(self, arena: &Arena) -> Result<Value<'_>, CallError> {
        f64::from(self).into_result(arena)
    }
}

impl IntoResult for Number {
    const TYPE: Type<'static> = Type::Number;

    fn into_result(self, arena: &Arena) -> Result<Value<'_>, CallError> {
        Ok(Value::number(arena, self))
    }
}

impl IntoResult for &'static str {
    const TYPE: Type<'static> = Type::String;

    fn into_result(self, arena: &Arena) -> Result<Value<'_>, CallError> {
        Ok(text(arena, self))
    }
}

impl IntoResult for String {
    const TYPE: Type<'static> = Type::String;

    fn into_result(self, arena: &Arena) -> Result<Value<'_>, CallError> {
        Ok(text(arena, &self))
    }
}

impl IntoResult for Cow<'static, str> {
    const TYPE: Type<'static> = Type::String;

    fn into_result(self, arena: &Arena) -> Result<Value<'_>, CallError> {
        Ok(text(arena, &self))
    }
}

impl IntoResult for OwnedValue {
    const TYPE: Type<'static> = Type::Dynamic;
    const NULL: bool = true;

    fn into_result(self, arena: &Arena) -> Result<Value<'_>, CallError> {
        Ok(copy(arena, self.get()))
    }
}

impl<T: Serialize> IntoResult for Serde<T> {
    const TYPE: Type<'static> = Type::Dynamic;
    const NULL: bool = true;

    fn into_result(self, arena: &Arena) -> Result<Value<'_>, CallError> {
        self.0.ingest(arena).map_err(|error| CallError::new(error.to_string()))
    }
}

impl<T: IntoResult> IntoResult for Option<T> {
    const TYPE: Type<'static> = T::TYPE;
    const NULL: bool = true;

    fn into_result(self, arena: &Arena) -> Result<Value<'_>, CallError> {
        match self {
            Some(value) => value.into_result(arena),
            None => Ok(Value::null(arena, T::TYPE)),
        }
    }
}

/// A list; a tuple when elements may differ in type.
impl<T: IntoResult> IntoResult for Vec<T> {
    const TYPE: Type<'static> = match T::TYPE {
        Type::Dynamic => Type::Dynamic,
        _ => Type::List(&T::TYPE),
    };

    fn into_result(self, arena: &Arena) -> Result<Value<'_>, CallError> {
        if !may_make_items(arena, self.len()) {
            return Ok(Value::DYNAMIC);
        }
        let mut items = arena.list_with(self.len());
        for item in self {
            items.push(item.into_result(arena)?);
        }
        let items = items.into_bump_slice();
        match T::TYPE {
            _ if arena.budget().exhausted().is_some() => Ok(Value::DYNAMIC),
            Type::Dynamic => Ok(Value::tuple(arena, items)),
            element => Ok(Value::list(arena, items, element)),
        }
    }
}

/// Maps; objects when values may differ in type.
macro_rules! maps {
    ($($type:ty, [$($parameters:tt)*];)*) => {$(
        impl<$($parameters)*> IntoResult for $type {
            const TYPE: Type<'static> = match T::TYPE {
                Type::Dynamic => Type::Dynamic,
                _ => Type::Map(&T::TYPE),
            };

            fn into_result(self, arena: &Arena) -> Result<Value<'_>, CallError> {
                map(arena, self.len(), self.into_iter())
            }
        }
    )*};
}

maps! {
    BTreeMap<String, T>, [T: IntoResult];
    HashMap<String, T, S>, [T: IntoResult, S];
}

fn map<'a, T: IntoResult>(
    arena: &'a Arena,
    count: usize,
    pairs: impl Iterator<Item = (String, T)>,
) -> Result<Value<'a>, CallError> {
    // An entry is a value and a name as large.
    if !may_make_items(arena, count.saturating_mul(2)) {
        return Ok(Value::DYNAMIC);
    }
    let mut entries = arena.list_with::<Entry<'a>>(count);
    for (name, value) in pairs {
        if !may_make_text(arena, name.len()) {
            return Ok(Value::DYNAMIC);
        }
        entries.push(arena.entry(arena_text(arena, &name), value.into_result(arena)?));
    }
    let entries = last_of_each(entries);
    match T::TYPE {
        _ if arena.budget().exhausted().is_some() => Ok(Value::DYNAMIC),
        Type::Dynamic => Ok(Value::object(arena, entries)),
        element => Ok(Value::map(arena, entries, element)),
    }
}

/// The error's text says what is wrong with the call; a [`CallError`] may blame an argument.
impl<T: IntoResult, E: Display + 'static> IntoResult for Result<T, E> {
    const TYPE: Type<'static> = T::TYPE;
    const NULL: bool = T::NULL;

    fn into_result(self, arena: &Arena) -> Result<Value<'_>, CallError> {
        match self {
            Ok(value) => value.into_result(arena),
            Err(error) => Err(match (&error as &dyn Any).downcast_ref::<CallError>() {
                Some(error) => error.clone(),
                None => CallError::new(error.to_string()),
            }),
        }
    }
}

fn text<'a>(arena: &'a Arena, text: &str) -> Value<'a> {
    if may_make_text(arena, text.len()) { text_value(arena, text) } else { Value::DYNAMIC }
}
