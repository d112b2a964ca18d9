//! Texts in other character encodings: `textencodebase64`, `textdecodebase64`.
//!
//! Encodings have the names that IANA gives them.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use hclvm_vm::{Arena, CallError, Function, Type, Value};

use super::arguments::{CallResult, may_make_text, string, text_of};
use super::encoding::{base64_value, decode};
use super::text_builder::text_value;

/// `textencodebase64(string, encoding)`: the bytes of a text in an encoding, in Base64.
pub(crate) fn textencodebase64() -> Function {
    Function::new("textencodebase64", ["string", "encoding"].map(string), Type::String, |arena, args, _| {
        let (text, encoding) = (text_of(args, 0), encoding(args)?);
        if !may_make_text(arena, text.len() * 2) {
            return Ok(Value::DYNAMIC);
        }
        let bytes = encoded(text, encoding).ok_or_else(|| {
            let name = text_of(args, 1);
            CallError::argument(0, format!("the text has characters that {name} lacks"))
        })?;
        Ok(base64_value(arena, &bytes))
    })
}

/// `textdecodebase64(source, encoding)`: the text of bytes in an encoding, given in Base64.
pub(crate) fn textdecodebase64() -> Function {
    Function::new("textdecodebase64", ["source", "encoding"].map(string), Type::String, |arena, args, _| {
        let encoding = encoding(args)?;
        decoded(arena, text_of(args, 0), encoding, text_of(args, 1))
    })
}

/// Returns the encoding in the second argument.
fn encoding(args: &[Value<'_>]) -> Result<&'static Encoding, CallError> {
    let name = text_of(args, 1);
    // Without a mark that says otherwise, the bytes of UTF-16 have the high one first.
    if name.eq_ignore_ascii_case("UTF-16") {
        return Ok(UTF_16BE);
    }
    Encoding::for_label_no_replacement(name.as_bytes()).ok_or_else(|| {
        CallError::argument(1, format!("{name:?} is not a character encoding that is supported"))
    })
}

/// Returns the bytes of a text; `None` if the encoding lacks one of its characters.
fn encoded(text: &str, encoding: &'static Encoding) -> Option<Vec<u8>> {
    if encoding == UTF_16LE {
        return Some(text.encode_utf16().flat_map(u16::to_le_bytes).collect());
    }
    if encoding == UTF_16BE {
        return Some(text.encode_utf16().flat_map(u16::to_be_bytes).collect());
    }
    if encoding == UTF_8 {
        return Some(text.as_bytes().to_vec());
    }
    let (bytes, _, replaced) = encoding.encode(text);
    (!replaced).then(|| bytes.into_owned())
}

fn decoded<'a>(arena: &'a Arena, source: &str, encoding: &'static Encoding, name: &str) -> CallResult<'a> {
    if !may_make_text(arena, source.len()) {
        return Ok(Value::DYNAMIC);
    }
    let bytes = decode(source).map_err(|why| CallError::argument(0, why))?;
    let (text, broken) = encoding.decode_without_bom_handling(&bytes);
    if broken {
        return Err(CallError::argument(0, format!("the decoded bytes are not a text in {name}")));
    }
    arena.charge(text.len() as u64);
    Ok(text_value(arena, &text))
}
