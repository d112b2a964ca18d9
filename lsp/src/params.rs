//! Parameters of messages: a deserializer of JSON values that gives numbers as numbers.
//!
//! With the feature `arbitrary_precision`, which the command needs for exact numbers, `serde_json` gives each number as a
//! map with its text, and the untagged enums of the protocol reject it. Positions and ids are small numbers. The other
//! enums of `gen-lsp-types` are read from a string or a number, so that they need no code here.

use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{DeserializeOwned, Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::{Error, Value as Json};

/// Reads the parameters of a message.
///
/// # Errors
/// Parameters of another shape.
pub(crate) fn read<T: DeserializeOwned>(params: &Json) -> Result<T, Error> {
    T::deserialize(Plain(params))
}

/// A JSON value whose numbers are plain numbers.
#[derive(Clone, Copy)]
struct Plain<'j>(&'j Json);

impl<'j> IntoDeserializer<'j, Error> for Plain<'j> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// Recursion is bounded by the nesting that the JSON reader accepts.
impl<'de> Deserializer<'de> for Plain<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Json::Null => visitor.visit_unit(),
            Json::Bool(value) => visitor.visit_bool(*value),
            Json::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
                (Some(number), ..) => visitor.visit_u64(number),
                (_, Some(number), _) => visitor.visit_i64(number),
                (.., number) => visitor.visit_f64(number.unwrap_or(f64::NAN)),
            },
            Json::String(text) => visitor.visit_borrowed_str(text),
            Json::Array(items) => {
                let mut items = SeqDeserializer::new(items.iter().map(Plain));
                let value = visitor.visit_seq(&mut items)?;
                items.end()?;
                Ok(value)
            }
            Json::Object(members) => {
                let members = members.iter().map(|(name, value)| (name.as_str(), Plain(value)));
                let mut members = MapDeserializer::new(members);
                let value = visitor.visit_map(&mut members)?;
                members.end()?;
                Ok(value)
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use gen_lsp_types::{
        DidChangeTextDocumentParams, ProgressToken, TextDocumentContentChangeEvent as Change,
    };
    use serde_json::json;

    use super::read;

    #[test]
    fn numbers_of_untagged_enums_are_read() {
        let token: ProgressToken = read(&json!(7)).expect("a number is a token");
        assert_eq!(token, ProgressToken::from(7));
        let range = json!({"start": {"line": 1, "character": 2}, "end": {"line": 1, "character": 3}});
        let params: DidChangeTextDocumentParams = read(&json!({
            "textDocument": {"uri": "file:///a.hcl", "version": 2},
            "contentChanges": [{"range": range, "text": "x"}, {"text": "whole"}],
        }))
        .expect("both kinds of changes are read");
        assert!(
            matches!(&params.content_changes[0], Change::TextDocumentContentChangePartial(one) if one.range.start.line == 1)
        );
        assert!(matches!(&params.content_changes[1], Change::TextDocumentContentChangeWholeDocument(_)));
    }

    #[test]
    fn other_shapes_are_errors() {
        assert!(read::<DidChangeTextDocumentParams>(&json!({"textDocument": 1})).is_err());
        assert!(read::<DidChangeTextDocumentParams>(&json!([[[]]])).is_err());
    }
}
