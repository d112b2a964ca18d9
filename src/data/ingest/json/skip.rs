//! Checks the parts of a JSON text that no program reads, and advances over them without building
//! values. Accepts exactly what `build` accepts, so that it does not depend on programs which texts
//! are valid.

use hclvm_functions::{JsonError, JsonReader};

use super::build::long_number;
use super::{DEEPEST, too_deep};

const _: () = assert!(DEEPEST as u32 <= u128::BITS);

/// The open brackets around a position, a bit each: set for an object. The innermost is the lowest
/// bit.
#[derive(Clone, Copy)]
struct OpenBrackets {
    objects: u128,
    count: u16,
}

impl OpenBrackets {
    const fn close(self) -> u8 {
        if self.objects & 1 == 1 { b'}' } else { b']' }
    }

    fn push(&mut self, object: bool) {
        self.objects = self.objects << 1 | u128::from(object);
        self.count += 1;
    }

    fn pop(&mut self) {
        self.objects >>= 1;
        self.count -= 1;
    }
}

/// Advances over a value that nests no deeper than `depth`, which is at most [`DEEPEST`] and the rest
/// of `limit`.
// Inlined for strings and numbers, as most values are.
#[inline(always)]
pub(super) fn skip(reader: &mut JsonReader<'_>, depth: u16, limit: u16) -> Result<(), JsonError> {
    match reader.peek() {
        Some(b'"') => reader.skip_string(),
        Some(b'-' | b'0'..=b'9') if reader.skip_short_number() => Ok(()),
        _ => skip_any(reader, depth, limit),
    }
}

/// Advances over any value.
#[inline(never)] // See `skip`.
fn skip_any(reader: &mut JsonReader<'_>, depth: u16, limit: u16) -> Result<(), JsonError> {
    let mut open = OpenBrackets { objects: 0, count: 0 };
    loop {
        reader.space();
        match reader.peek() {
            Some(b'"') => reader.skip_string()?,
            Some(b'-' | b'0'..=b'9') => skip_number(reader)?,
            Some(b't') => reader.word("true")?,
            Some(b'f') => reader.word("false")?,
            Some(b'n') => reader.word("null")?,
            Some(bracket @ (b'{' | b'[')) => {
                if open.count >= depth.min(DEEPEST) {
                    return Err(too_deep(reader, limit));
                }
                reader.bump();
                open.push(bracket == b'{');
                reader.space();
                match reader.peek() {
                    Some(byte) if byte == open.close() => {}
                    Some(_) => {
                        skip_name(reader, open)?;
                        continue;
                    }
                    None => return Err(reader.no_separator(open.close())),
                }
            }
            _ => return Err(reader.no_value()),
        }
        if !skip_ends(reader, &mut open)? {
            return Ok(());
        }
    }
}

/// Advances over a number. One that is not representable is rejected as if it were read.
fn skip_number(reader: &mut JsonReader<'_>) -> Result<(), JsonError> {
    if reader.skip_short_number() {
        return Ok(());
    }
    let written = reader.number()?;
    if written.surely_fits() { Ok(()) } else { long_number(reader, written.text()).map(drop) }
}

/// Advances from the end of a value, over the closing brackets that follow it, to the next value.
/// Returns true if there is one.
#[inline]
fn skip_ends(reader: &mut JsonReader<'_>, open: &mut OpenBrackets) -> Result<bool, JsonError> {
    while open.count > 0 {
        reader.space();
        let close = open.close();
        match reader.peek() {
            Some(b',') => {
                reader.bump();
                reader.space();
                skip_name(reader, *open)?;
                return Ok(true);
            }
            Some(byte) if byte == close => {
                reader.bump();
                open.pop();
            }
            _ => return Err(reader.no_separator(close)),
        }
    }
    Ok(false)
}

/// Advances over the name and the colon of a member, if the innermost open bracket is an object.
#[inline]
fn skip_name(reader: &mut JsonReader<'_>, open: OpenBrackets) -> Result<(), JsonError> {
    if open.objects & 1 == 0 {
        return Ok(());
    }
    reader.key_start()?;
    reader.skip_string()?;
    reader.colon()
}
