//! Digests of the bytes of files.

use hclvm_vm::{Function, Type, Value};
use md5::Md5;
use sha1::{Digest, Sha1};
use sha2::{Sha256, Sha512};

use super::read;
use crate::arguments::{string, text_of};
use crate::capability::Capabilities;
use crate::digest::hexadecimal;

/// `filemd5(path)`
pub(crate) fn filemd5(granted: &Capabilities) -> Function {
    digest::<Md5>("filemd5", granted)
}

/// `filesha1(path)`
pub(crate) fn filesha1(granted: &Capabilities) -> Function {
    digest::<Sha1>("filesha1", granted)
}

/// `filesha256(path)`
pub(crate) fn filesha256(granted: &Capabilities) -> Function {
    digest::<Sha256>("filesha256", granted)
}

/// `filesha512(path)`
pub(crate) fn filesha512(granted: &Capabilities) -> Function {
    digest::<Sha512>("filesha512", granted)
}

/// `filebase64sha256(path)`: the digest itself in Base64, not its hexadecimal digits.
#[cfg(feature = "encoding")]
pub(crate) fn filebase64sha256(granted: &Capabilities) -> Function {
    base64_digest::<Sha256>("filebase64sha256", granted)
}

/// `filebase64sha512(path)`: the digest itself in Base64, not its hexadecimal digits.
#[cfg(feature = "encoding")]
pub(crate) fn filebase64sha512(granted: &Capabilities) -> Function {
    base64_digest::<Sha512>("filebase64sha512", granted)
}

fn digest<D: Digest + 'static>(name: &'static str, granted: &Capabilities) -> Function {
    let granted = granted.clone();
    Function::new(name, [string("path")], Type::String, move |arena, args, _| {
        let bytes = read(arena, &granted, text_of(args, 0))?;
        Ok(bytes.map_or(Value::DYNAMIC, |bytes| hexadecimal::<D>(arena, bytes)))
    })
    .impure()
}

#[cfg(feature = "encoding")]
fn base64_digest<D: Digest + 'static>(name: &'static str, granted: &Capabilities) -> Function {
    let granted = granted.clone();
    Function::new(name, [string("path")], Type::String, move |arena, args, _| {
        let bytes = read(arena, &granted, text_of(args, 0))?;
        Ok(bytes.map_or(Value::DYNAMIC, |bytes| crate::encoding::base64_value(arena, &D::digest(bytes))))
    })
    .impure()
}
