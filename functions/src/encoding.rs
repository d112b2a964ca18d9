//! Encodings of texts in other alphabets: percent-encoding here, Base64 in `base64`. Character
//! encodings are in `charset`.

#[cfg(feature = "encoding")]
mod base64;

#[cfg(any(feature = "charset", feature = "compression", feature = "rsa"))]
pub(crate) use base64::decode;
#[cfg(feature = "encoding")]
pub(crate) use base64::{base64_value, base64decode, base64encode};

use hclvm_vm::{CallError, Function, Type, Value};

use super::arguments::{may_make_text, string, text_of};
use super::text_builder::{TextBuilder, text_value};

/// `urlencode(str)`: percent-encoded for the query of a URL, in which a space is `+`.
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

/// `urldecode(str)`: the inverse of `urlencode`.
pub(crate) fn urldecode() -> Function {
    Function::new("urldecode", [string("str")], Type::String, |arena, args, _| {
        let text = text_of(args, 0);
        if !may_make_text(arena, text.len()) {
            return Ok(Value::DYNAMIC);
        }
        let bytes = unescaped(text).map_err(|why| CallError::argument(0, why))?;
        let text = String::from_utf8(bytes)
            .map_err(|_| CallError::argument(0, "the decoded bytes are not valid UTF-8"))?;
        Ok(text_value(arena, &text))
    })
}

/// Returns the value of a hexadecimal digit.
fn digit(c: u8) -> u8 {
    let value = char::from(c).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    value.unwrap_or_default()
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
                digit(*high) << 4 | digit(*low)
            }
            (b'%', _) => {
                let offset = text.len() - tail.len() - 1;
                return Err(format!("the % at offset {offset} needs two hexadecimal digits after it"));
            }
            (byte, _) => *byte,
        });
    }
    Ok(bytes)
}
