//! Deserializers of an attribute's value and of a label: they add the position to errors of
//! `decode/value.rs` and `decode/name.rs`.

use hclvm_vm::{Span, Value, View, listed};
use serde::Deserializer;
use serde::de::Visitor;

use super::context::DecodeContext;
use super::failure::BodyError;
use super::location::BodyLocation;
use super::spanned::{self, SpannedAccess};
use crate::data::decode::name::NameDeserializer;
use crate::data::decode::value::ValueDeserializer;
use crate::data::path_error::PathError;
use crate::data::show::kind;
use crate::structure::expansion::AttributeView;

/// Nested options and newtypes around a value. A type with more is taken for one that contains itself,
/// whose recursion would otherwise overflow the stack.
pub(super) const WRAPPERS: u8 = 128;

/// Returns the number of wrappers allowed inside of one.
pub(super) fn unwrapped(wrappers: u8) -> Result<u8, BodyError> {
    wrappers
        .checked_sub(1)
        .ok_or_else(|| PathError::new("the wanted type contains itself without end").into())
}

/// A value with its position.
#[derive(Clone, Copy, Debug)]
pub(super) struct LocatedValue<'a, 'r> {
    context: &'r DecodeContext<'a>,
    content: ValueOrLabel<'a>,
    /// The name of an attribute.
    name: &'a str,
    /// The block without a label whose attribute it is, if the attributes are read as the entries of a map.
    unlabelled: Option<BodyLocation<'a>>,
    /// The range that errors point at.
    start: Span,
    /// The range of the whole.
    span: Span,
    wrappers: u8,
}

#[derive(Clone, Copy, Debug)]
enum ValueOrLabel<'a> {
    Value(Value<'a>),
    Label(&'a str),
}

impl<'a, 'r> LocatedValue<'a, 'r> {
    /// Evaluates an attribute.
    pub(super) fn attribute(
        context: &'r DecodeContext<'a>,
        view: AttributeView<'a>,
        unlabelled: Option<BodyLocation<'a>>,
    ) -> Result<Self, BodyError> {
        let evaluation = context.expansion.borrow_mut().evaluate(view).map_err(BodyError::Ended)?;
        if evaluation.diagnostics.has_errors() {
            return Err(BodyError::Diagnosed(evaluation.diagnostics.iter().cloned().collect()));
        }
        let (start, span) = (view.attribute.start_span(), view.attribute.expression_span());
        if !evaluation.value.is_wholly_known() {
            context.check_locals(start)?;
        }
        let (content, name) = (ValueOrLabel::Value(evaluation.value), view.name());
        Ok(Self { context, content, name, unlabelled, start, span, wrappers: WRAPPERS })
    }

    /// Creates the deserializer of a label.
    pub(super) fn label(context: &'r DecodeContext<'a>, label: &'a str, span: Span) -> Self {
        let content = ValueOrLabel::Label(label);
        Self { context, content, name: "", unlabelled: None, start: span, span, wrappers: WRAPPERS }
    }

    /// Returns the error of a value that is not an object, where a struct is wanted, which may be a block.
    fn no_block(self, value: Value<'_>, fields: &[&str]) -> Option<BodyError> {
        if !matches!(
            value.view(),
            View::Bool(_)
                | View::Number(_)
                | View::String(_)
                | View::Tuple(_)
                | View::List(..)
                | View::Set(..)
        ) {
            return None;
        }
        if let Some(location) = self.unlabelled {
            return Some(location.missing_label());
        }
        let arguments: Vec<&str> = fields.iter().copied().filter(|name| !name.starts_with('$')).collect();
        let found = kind(value);
        let name = self.name;
        let with = match arguments.as_slice() {
            [] => String::new(),
            [only] => format!(" with the argument {only}"),
            _ => format!(" with the arguments {}", listed(&arguments)),
        };
        let error = PathError::new(format!("found {found}, wanted a block {name}{with}"));
        Some(BodyError::from(error).at(self.start, self.span))
    }
}

/// Deserializer methods that delegate to the deserializer of the value or the label.
macro_rules! as_content {
    ($($method:ident($($argument:ident: $ty:ty),*))*) => {$(
        fn $method<V: Visitor<'a>>(self, $($argument: $ty,)* visitor: V) -> Result<V::Value, BodyError> {
            let result = match self.content {
                ValueOrLabel::Value(value) => {
                    ValueDeserializer::new(value, &self.context.allowance).$method($($argument,)* visitor)
                }
                ValueOrLabel::Label(label) => NameDeserializer(label).$method($($argument,)* visitor),
            };
            result.map_err(|error| BodyError::from(error).at(self.start, self.span))
        }
    )*};
}

impl<'a> Deserializer<'a> for LocatedValue<'a, '_> {
    type Error = BodyError;

    as_content! {
        deserialize_any() deserialize_bool() deserialize_i8() deserialize_i16() deserialize_i32()
        deserialize_i64() deserialize_i128() deserialize_u8() deserialize_u16() deserialize_u32()
        deserialize_u64() deserialize_u128() deserialize_f32() deserialize_f64() deserialize_char()
        deserialize_str() deserialize_string() deserialize_bytes() deserialize_byte_buf()
        deserialize_unit() deserialize_unit_struct(name: &'static str) deserialize_seq()
        deserialize_tuple(len: usize) deserialize_tuple_struct(name: &'static str, len: usize)
        deserialize_map() deserialize_identifier() deserialize_ignored_any()
        deserialize_enum(name: &'static str, variants: &'static [&'static str])
    }

    fn deserialize_struct<V: Visitor<'a>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, BodyError> {
        if name == spanned::NAME {
            return visitor.visit_map(SpannedAccess::new(self.span, self));
        }
        if let ValueOrLabel::Value(value) = self.content
            && let Some(error) = self.no_block(value, fields)
        {
            return Err(error);
        }
        let result = match self.content {
            ValueOrLabel::Value(value) => ValueDeserializer::new(value, &self.context.allowance)
                .deserialize_struct(name, fields, visitor),
            ValueOrLabel::Label(label) => NameDeserializer(label).deserialize_struct(name, fields, visitor),
        };
        result.map_err(|error| BodyError::from(error).at(self.start, self.span))
    }

    fn deserialize_option<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, BodyError> {
        match self.content {
            ValueOrLabel::Value(value) if value.is_null() && !value.is_marked() => visitor.visit_none(),
            _ => visitor.visit_some(Self { wrappers: unwrapped(self.wrappers)?, ..self }),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'a>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, BodyError> {
        let result = visitor.visit_newtype_struct(Self { wrappers: unwrapped(self.wrappers)?, ..self });
        result.map_err(|error| error.at(self.start, self.span))
    }
}
