//! Texts in other alphabets: Base64, percent-encoding.

#[cfg(feature = "encoding")]
mod base64;

#[cfg(any(feature = "charset", feature = "rsa"))]
pub(crate) use base64::decode;
#[cfg(feature = "encoding")]
pub(crate) use base64::{base64_value, base64decode, base64encode};

use hclvm_vm::{CallError, Function, Type, Value};

use super::arguments::{may_make_text, string, text_of};
use super::text_builder::{TextBuilder, text_value};

/// `urlencode(str)`: as the query of an address, in which a space is `+`.
pub(crate) fn urlencode() -> Function {
    Function::new("urlencode", [string("str")], Type::String, |arena, args, _| {
        let mut out = TextBuilder::new(arena);
        for byte in text_of(args, 0).bytes() {
            let fits = match byte {
                b' ' => out.push("+"),
                b'-' | b'_' | b'.' | b'~' => out.push_char(byte.into()),
                _ if byte.is_ascii_alphanumeric() => out.push_char(byte.into()),
                _ => out.push(&format!("%{byte:02X}")),
            };
            if !fits {
                break;
            }
        }
        Ok(out.value())
    })
}

/// `urldecode(str)`: the text that `urlencode` makes this of.
pub(crate) fn urldecode() -> Function {
    Function::new("urldecode", [string("str")], Type::String, |arena, args, _| {
        let text = text_of(args, 0);
        if !may_make_text(arena, text.len()) {
            return Ok(Value::DYNAMIC);
        }
        let bytes = unescaped(text).map_err(|why| CallError::argument(0, why))?;
        let text = String::from_utf8(bytes)
            .map_err(|_| CallError::argument(0, "the decoded bytes are not a text in UTF-8"))?;
        Ok(text_value(arena, &text))
    })
}

fn unescaped(text: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        bytes.push(match (first, tail) {
            (b'+', _) => b' ',
            (b'%', [high, low, tail @ ..]) if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                rest = tail;
                let digit = |c: u8| char::from(c).to_digit(16).unwrap_or_default() as u8;
                digit(*high) << 4 | digit(*low)
            }
            (b'%', _) => {
                let offset = text.len() - tail.len() - 1;
                return Err(format!("two hexadecimal digits must follow the % at offset {offset}"));
            }
            (byte, _) => *byte,
        });
    }
    Ok(bytes)
}
