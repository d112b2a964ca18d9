//! Results of closures as values, built in the arena and charged to the budget of the evaluation.
//! Arguments are in `argument`.

use std::any::Any;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Display;

use hclvm_vm::{Arena, CallError, Entry, Number, OwnedValue, Type, Value, copy, last_of_each};
use serde::Serialize;

use super::argument::Serde;
use crate::data::ingest::Ingest;
use hclvm_functions::{arena_text, may_make_items, may_make_text, text_value};

/// A result type of closures.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the result of a function that programs call",
    note = "return an owned value, such as `String`, `OwnedValue` or `Serde<…>`"
)]
pub trait IntoResult {
    /// The type of the results; `Dynamic` if it differs between results.
    const TYPE: Type<'static>;
    /// True if results may be null.
    const NULL: bool = false;

    /// Builds the value.
    ///
    /// # Errors
    /// The closure's own error, or NaN.
    fn into_result(self, arena: &Arena) -> Result<Value<'_>, CallError>;
}

impl IntoResult for bool {
    const TYPE: Type<'static> = Type::Bool;

    fn into_result(self, _: &Arena) -> Result<Value<'_>, CallError> {
        Ok(Value::bool(self))
    }
}

/// Implements [`IntoResult`] for integers, as numbers with 64-bit precision.
macro_rules! integers {
    ($wide:ty: $($type:ty)*) => {$(
        impl IntoResult for $type {
            const TYPE: Type<'static> = Type::Number;

            fn into_result(self, arena: &Arena) -> Result<Value<'_>, CallError> {
                match <$wide>::try_from(self) {
                    Ok(wide) => Ok(Value::number(arena, Number::from(wide))),
                    Err(_) => Err(CallError::new("the result is out of the range of 64-bit integers")),
                }
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

/// A list, or a tuple if the type of the elements is dynamic.
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

/// Implements [`IntoResult`] for maps: a map, or an object if the type of the values is dynamic.
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
    // An entry takes as much memory as two values: a value, and a name with its symbol.
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

/// The error's text becomes the message of the call's diagnostic; a [`CallError`] can point at an
/// argument.
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
