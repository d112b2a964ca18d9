//! Digests of texts in hexadecimal digits, and identifiers made of digests.

use std::fmt::Write;

use hclvm_vm::{Arena, CallError, Function, Type, Value};
use md5::Md5;
use sha1::{Digest, Sha1};
use sha2::{Sha256, Sha512};

use super::arguments::{string, text_of};
use super::random::uuid_text;
use super::text_builder::text_value;

/// `md5(str)`
pub(crate) fn md5() -> Function {
    digest::<Md5>("md5")
}

/// `sha1(str)`
pub(crate) fn sha1() -> Function {
    digest::<Sha1>("sha1")
}

/// `sha256(str)`
pub(crate) fn sha256() -> Function {
    digest::<Sha256>("sha256")
}

/// `sha512(str)`
pub(crate) fn sha512() -> Function {
    digest::<Sha512>("sha512")
}

/// `base64sha256(str)`: the digest itself in Base64, not its hexadecimal digits.
#[cfg(feature = "encoding")]
pub(crate) fn base64sha256() -> Function {
    base64_digest::<Sha256>("base64sha256")
}

/// `base64sha512(str)`: the digest itself in Base64, not its hexadecimal digits.
#[cfg(feature = "encoding")]
pub(crate) fn base64sha512() -> Function {
    base64_digest::<Sha512>("base64sha512")
}

#[cfg(feature = "encoding")]
fn base64_digest<D: Digest + 'static>(name: &'static str) -> Function {
    Function::new(name, [string("str")], Type::String, |arena, args, _| {
        let text = text_of(args, 0);
        if !arena.charge(text.len() as u64) {
            return Ok(Value::DYNAMIC);
        }
        Ok(super::encoding::base64_value(arena, &D::digest(text)))
    })
}

fn digest<D: Digest + 'static>(name: &'static str) -> Function {
    Function::new(name, [string("str")], Type::String, |arena, args, _| {
        Ok(hexadecimal::<D>(arena, text_of(args, 0)))
    })
}

pub(crate) fn hexadecimal<D: Digest>(arena: &Arena, bytes: impl AsRef<[u8]>) -> Value<'_> {
    if !arena.charge(bytes.as_ref().len() as u64) {
        return Value::DYNAMIC;
    }
    let mut digits = String::new();
    for byte in D::digest(bytes) {
        // Nothing fails that writes to a string.
        let _ = write!(digits, "{byte:02x}");
    }
    text_value(arena, &digits)
}

/// `uuidv5(namespace, name)`: the identifier of a name in a namespace, which is `dns`, `url`,
/// `oid`, `x500` or an identifier.
pub(crate) fn uuidv5() -> Function {
    Function::new("uuidv5", ["namespace", "name"].map(string), Type::String, |arena, args, _| {
        let namespace = namespace(text_of(args, 0)).ok_or_else(|| {
            CallError::argument(0, "a namespace is dns, url, oid, x500 or the text of a UUID")
        })?;
        let name = text_of(args, 1);
        if !arena.charge(name.len() as u64) {
            return Ok(Value::DYNAMIC);
        }
        let digest = Sha1::new().chain_update(namespace).chain_update(name).finalize();
        let mut bytes = [0; 16];
        bytes.iter_mut().zip(digest).for_each(|(byte, of_digest)| *byte = of_digest);
        Ok(text_value(arena, &uuid_text(bytes, 5)))
    })
}

/// Returns the bytes of a namespace.
fn namespace(name: &str) -> Option<[u8; 16]> {
    // The namespaces of RFC 9562 differ in one digit.
    let known = |digit: u8| {
        [0x6b, 0xa7, 0xb8, digit, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8]
    };
    match name {
        "dns" => Some(known(0x10)),
        "url" => Some(known(0x11)),
        "oid" => Some(known(0x12)),
        "x500" => Some(known(0x14)),
        _ => uuid(name),
    }
}

/// Returns the bytes of a UUID, with or without hyphens, in braces or as a URN.
fn uuid(text: &str) -> Option<[u8; 16]> {
    let text = text.strip_prefix("urn:uuid:").unwrap_or(text);
    let text = text.strip_prefix('{').and_then(|inner| inner.strip_suffix('}')).unwrap_or(text);
    let hyphens = [8, 13, 18, 23];
    let digits: Vec<u8> = match text.len() {
        36 if hyphens.iter().all(|at| text.as_bytes().get(*at) == Some(&b'-')) => {
            text.bytes().enumerate().filter(|(at, _)| !hyphens.contains(at)).map(|(_, c)| c).collect()
        }
        32 => text.bytes().collect(),
        _ => return None,
    };
    let mut bytes = [0; 16];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks(2)) {
        let pair =
            std::str::from_utf8(pair).ok().filter(|pair| pair.bytes().all(|c| c.is_ascii_hexdigit()))?;
        *byte = u8::from_str_radix(pair, 16).ok()?;
    }
    Some(bytes)
}
