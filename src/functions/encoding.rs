//! Texts in other alphabets: Base64, percent-encoding.

#[cfg(feature = "encoding")]
mod base64;

#[cfg(any(feature = "charset", feature = "rsa"))]
pub(crate) use base64::decode;
#[cfg(feature = "encoding")]
pub(crate) use base64::{base64_value, base64decode, base64encode};

use hclvm_vm::function::Function;
use hclvm_vm::types::Type;

use super::arguments::{string, text_of};
use super::draft::Draft;

/// `urlencode(str)`: as the query of an address, in which a space is `+`.
pub(crate) fn urlencode() -> Function {
    Function::new("urlencode", [string("str")], Type::String, |arena, args, _| {
        let mut draft = Draft::new(arena);
        for byte in text_of(args, 0).bytes() {
            let fits = match byte {
                b' ' => draft.push("+"),
                b'-' | b'_' | b'.' | b'~' => draft.push_char(byte.into()),
                _ if byte.is_ascii_alphanumeric() => draft.push_char(byte.into()),
                _ => draft.push(&format!("%{byte:02X}")),
            };
            if !fits {
                break;
            }
        }
        Ok(draft.value())
    })
}
