//! Functions with random results: `uuidv4`, `bcrypt`. They use the capability `random`.

use std::fmt::Write;

use hclvm_vm::{CallError, Function, Type};

use super::capability::Capabilities;
use super::text_builder::text_value;

/// `uuidv4()`: a random identifier.
pub(crate) fn uuidv4(granted: &Capabilities) -> Function {
    let granted = granted.clone();
    Function::new("uuidv4", [], Type::String, move |arena, _, _| {
        let mut bytes = [0; 16];
        granted.granted_random()?.fill(&mut bytes).map_err(CallError::new)?;
        Ok(text_value(arena, &uuid_text(bytes, 4)))
    })
    .impure()
}

/// Formats a UUID of a version from bytes.
pub(crate) fn uuid_text(mut bytes: [u8; 16], version: u8) -> String {
    bytes[6] = bytes[6] & 0x0F | version << 4;
    bytes[8] = bytes[8] & 0x3F | 0x80;
    let mut text = String::with_capacity(36);
    for (index, byte) in bytes.iter().enumerate() {
        if matches!(index, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        // Writing to a string never fails.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// `bcrypt(str, cost)`: a salted hash of a password. The default cost is 10.
#[cfg(feature = "bcrypt")]
pub(crate) fn bcrypt(granted: &Capabilities) -> Function {
    use super::arguments::{get, integer_argument, number, string, text_of};
    use hclvm_vm::Value;

    const USUAL: u32 = 10;
    let granted = granted.clone();
    Function::new("bcrypt", [string("str")], Type::String, move |arena, args, _| {
        let cost = match args.len() {
            1 => USUAL.into(),
            2 => integer_argument(args, 1)?,
            _ => return Err(CallError::argument(2, "expected at most one cost")),
        };
        let cost = match cost {
            ..4 => USUAL,
            4..=31 => u32::try_from(cost).unwrap_or(USUAL),
            _ => return Err(CallError::argument(1, "the cost must be at most 31")),
        };
        if text_of(args, 0).len() > 72 {
            return Err(CallError::argument(0, "the password must have at most 72 bytes"));
        }
        // The work doubles with each step; at a cost of 10 it takes about 50 ms.
        if !get(args, 0).is_known() || !arena.charge(1 << (cost + 9)) {
            return Ok(Value::DYNAMIC);
        }
        let mut salt = [0; 16];
        granted.granted_random()?.fill(&mut salt).map_err(CallError::new)?;
        let hash = bcrypt::hash_with_salt(text_of(args, 0), cost, salt)
            .map_err(|error| CallError::new(format!("the password cannot be hashed: {error}")))?;
        Ok(text_value(arena, &hash.format_for_version(bcrypt::Version::TwoA)))
    })
    .variadic(number("cost"))
    .impure()
}
