//! [`Spanned`]: a decoded value with its position in the text.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use hclvm_vm::Span;
use serde::de::value::{BorrowedStrDeserializer, U32Deserializer};
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, de};

use super::failure::BodyError;

/// The struct name by which deserializers of bodies recognize [`Spanned`]; not a valid Rust name, so it
/// cannot collide.
pub(super) const NAME: &str = "$hclvm::Spanned";
const FIELDS: &[&str] = &["$start", "$end", "$value"];

/// A decoded value with its position: the range of the expression of an attribute, of the header of a
/// block, or of a label. Works for fields of bodies only; values inside of an expression have no
/// position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Its range in the text. [`Source::position`](crate::diagnostics::Source::position) returns the line
    /// and column.
    pub span: Span,
}

impl<T> Deref for Spanned<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Spanned<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_struct(NAME, FIELDS, SpannedVisitor(PhantomData))
    }
}

struct SpannedVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for SpannedVisitor<T> {
    type Value = Spanned<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an attribute, a block or a label with its position")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut parts: A) -> Result<Spanned<T>, A::Error> {
        let (mut start, mut end, mut value) = (None, None, None);
        while let Some(name) = parts.next_key::<&str>()? {
            match name {
                "$start" => start = Some(parts.next_value()?),
                "$end" => end = Some(parts.next_value()?),
                "$value" => value = Some(parts.next_value()?),
                _ => drop(parts.next_value::<IgnoredAny>()?),
            }
        }
        match (start, end, value) {
            (Some(start), Some(end), Some(value)) => Ok(Spanned { value, span: Span::new(start, end) }),
            _ => Err(de::Error::custom("the value has no position")),
        }
    }
}

/// Passes a range and the content that `D` deserializes.
pub(super) struct SpannedAccess<D> {
    span: Span,
    content: Option<D>,
    at: usize,
}

impl<D> SpannedAccess<D> {
    pub(super) fn new(span: Span, content: D) -> Self {
        Self { span, content: Some(content), at: 0 }
    }
}

impl<'de, D: Deserializer<'de, Error = BodyError>> MapAccess<'de> for SpannedAccess<D> {
    type Error = BodyError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, BodyError> {
        let Some(name) = FIELDS.get(self.at) else { return Ok(None) };
        self.at += 1;
        seed.deserialize(BorrowedStrDeserializer::new(name)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, BodyError> {
        let number = |offset| U32Deserializer::<BodyError>::new(offset);
        match (self.at, self.content.take()) {
            (1, content) => {
                self.content = content;
                seed.deserialize(number(self.span.start))
            }
            (2, content) => {
                self.content = content;
                seed.deserialize(number(self.span.end))
            }
            (_, Some(content)) => seed.deserialize(content),
            (_, None) => Err(de::Error::custom("the value was read before")),
        }
    }
}
