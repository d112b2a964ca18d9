//! Decryption: `rsadecrypt`.

use hclvm_vm::{Arena, CallError, Function, Type, Value};
use rsa::pkcs1::DecodeRsaPrivateKey;
use rsa::pkcs8::DecodePrivateKey;
use rsa::{Pkcs1v15Encrypt, RsaPrivateKey};

use super::arguments::{CallResult, string, text_of};
use super::encoding::decode;
use super::text_builder::text_value;

/// What one decryption with a key of usual size costs: about as much as so many elements.
const COST: u64 = 100_000;
/// The longest key text, which bounds the size of the key.
const LONGEST_KEY: usize = 16_384;

/// `rsadecrypt(ciphertext, privatekey)`: Base64 in, text out; the key is PEM, the padding that
/// of PKCS #1 v1.5.
pub(crate) fn rsadecrypt() -> Function {
    Function::new("rsadecrypt", ["ciphertext", "privatekey"].map(string), Type::String, |arena, args, _| {
        decrypted(arena, text_of(args, 0), text_of(args, 1))
    })
}

fn decrypted<'a>(arena: &'a Arena, ciphertext: &str, key: &str) -> CallResult<'a> {
    if key.len() > LONGEST_KEY {
        return Err(CallError::argument(1, format!("a key has at most {LONGEST_KEY} bytes")));
    }
    // The work grows with the third power of the key's size.
    let of_size = (key.len() as u64).pow(3) / 200_000;
    if !arena.charge(COST.max(of_size) + ciphertext.len() as u64) {
        return Ok(Value::DYNAMIC);
    }
    let bytes = decode(ciphertext).map_err(|why| CallError::argument(0, why))?;
    let key = RsaPrivateKey::from_pkcs1_pem(key)
        .or_else(|_| RsaPrivateKey::from_pkcs8_pem(key))
        .map_err(|_| CallError::argument(1, "it is not an RSA private key in PEM"))?;
    let text = key
        .decrypt(Pkcs1v15Encrypt, &bytes)
        .map_err(|_| CallError::new("the ciphertext cannot be decrypted with this key"))?;
    let text =
        String::from_utf8(text).map_err(|_| CallError::new("the decrypted bytes are not valid UTF-8"))?;
    Ok(text_value(arena, &text))
}
