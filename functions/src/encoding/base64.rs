//! Base64, and the wrapper of the crate that implements it.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{GeneralPurpose, GeneralPurposeConfig};
use hclvm_vm::{Arena, CallError, Function, Type, Value};

use crate::arguments::{may_make_text, string, text_of};
use crate::text_builder::text_value;

/// `base64encode(str)`
pub(crate) fn base64encode() -> Function {
    Function::new("base64encode", [string("str")], Type::String, |arena, args, _| {
        Ok(base64_value(arena, text_of(args, 0).as_bytes()))
    })
}

/// `base64decode(str)`: the bytes must be a text in UTF-8.
pub(crate) fn base64decode() -> Function {
    Function::new("base64decode", [string("str")], Type::String, |arena, args, _| {
        let source = text_of(args, 0);
        if !may_make_text(arena, source.len()) {
            return Ok(Value::DYNAMIC);
        }
        let bytes = decode(source).map_err(|why| CallError::argument(0, why))?;
        let text = String::from_utf8(bytes)
            .map_err(|_| CallError::argument(0, "the decoded bytes are not valid UTF-8"))?;
        Ok(text_value(arena, &text))
    })
}

/// Bytes as a value in Base64.
pub(crate) fn base64_value<'a>(arena: &'a Arena, bytes: &[u8]) -> Value<'a> {
    if !may_make_text(arena, bytes.len() / 3 * 4 + 4) {
        return Value::DYNAMIC;
    }
    text_value(arena, &LENIENT.encode(bytes))
}

/// Padding is needed; bits that it leaves over may be set.
const LENIENT: GeneralPurpose =
    GeneralPurpose::new(&STANDARD, GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true));

/// Decodes Base64. Line ends are ignored.
pub(crate) fn decode(text: &str) -> Result<Vec<u8>, String> {
    let letters: String = text.chars().filter(|c| !matches!(c, '\r' | '\n')).collect();
    LENIENT.decode(letters).map_err(|error| format!("it is not Base64: {error}"))
}
