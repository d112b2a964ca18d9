//! Types of columns as types of the language, and types of results as types of columns.
//!
//! | column | value |
//! |---|---|
//! | booleans | bool |
//! | integers, floats, decimals | number |
//! | texts, also views and dictionaries | string |
//! | dates, times, timestamps | string, as in SQL's casts to text; a timestamp is in RFC 3339 |
//! | structs | object |
//! | lists | tuple; a plan is checked as if it were a list |
//! | null | null |

use datafusion::arrow::datatypes::{DataType, Field};
use datafusion::common::{Result, plan_err};
use hclvm::value::{Arena, AttributeType, View};
use hclvm::{Type, Value};

/// The type of the results of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Output {
    /// Bools are booleans.
    Bool,
    /// Numbers are floats of 64 bits.
    Number,
    /// Strings are texts, and anything else is a text: of a number its digits, of an aggregate its JSON.
    Text,
    /// The types of the columns decide, and they are not known yet.
    Undecided,
}

impl Output {
    /// Returns the type of what an exploration found.
    pub(crate) fn of(found: Value<'_>) -> Self {
        match found.view() {
            View::Bool(_) => Self::Bool,
            View::Number(_) => Self::Number,
            View::Unknown(unknown) => Self::of_type(unknown.ty),
            View::Null(ty) => Self::of_type(ty),
            View::Unset => Self::Undecided,
            View::Marked(inner, _) => Self::of(inner),
            _ => Self::Text,
        }
    }

    fn of_type(ty: Type<'_>) -> Self {
        match ty {
            Type::Bool => Self::Bool,
            Type::Number => Self::Number,
            Type::Dynamic => Self::Undecided,
            _ => Self::Text,
        }
    }

    /// Returns the type of the column of results.
    pub(crate) fn data_type(self) -> DataType {
        match self {
            Self::Bool => DataType::Boolean,
            Self::Number => DataType::Float64,
            Self::Text => DataType::Utf8,
            Self::Undecided => DataType::Null,
        }
    }
}

/// Returns an unknown value of the type of a column: what is known of the column before it is read.
pub(crate) fn unknown<'a>(arena: &'a Arena, field: &Field) -> Result<Value<'a>> {
    let ty = type_of(arena, field.name(), field.data_type())?;
    Ok(match (field.data_type(), field.is_nullable()) {
        (DataType::Null, _) => Value::null(arena, Type::Dynamic),
        (_, true) => Value::unknown_of(arena, ty),
        (_, false) => Value::unknown_not_null(arena, ty),
    })
}

fn type_of<'a>(arena: &'a Arena, name: &str, ty: &DataType) -> Result<Type<'a>> {
    Ok(match ty {
        DataType::Null => Type::Dynamic,
        DataType::Boolean => Type::Bool,
        ty if ty.is_numeric() && !matches!(ty, DataType::Decimal256(..)) => Type::Number,
        ty if ty.is_string() || ty.is_temporal() && !is_duration(ty) => Type::String,
        DataType::Dictionary(_, value) => type_of(arena, name, value)?,
        DataType::Struct(fields) => {
            let mut attributes = Vec::with_capacity(fields.len());
            for field in fields {
                let ty = type_of(arena, field.name(), field.data_type())?;
                attributes.push(AttributeType { name: arena.text(field.name()), ty, optional: false });
            }
            attributes.sort_by_key(|attribute| attribute.name);
            Type::Object(arena.slice(&attributes))
        }
        DataType::List(of) | DataType::LargeList(of) | DataType::FixedSizeList(of, _) => {
            Type::List(arena.item(type_of(arena, of.name(), of.data_type())?))
        }
        other => {
            return plan_err!("the column \"{name}\" of type {other} is no value of HCL; cast it to a text");
        }
    })
}

fn is_duration(ty: &DataType) -> bool {
    matches!(ty, DataType::Duration(_) | DataType::Interval(_))
}
