//! Compression: `base64gzip`, `base64gunzip`.

use std::io::{Read, Write};

use flate2::read::MultiGzDecoder;
use flate2::{Compression, GzBuilder};
use hclvm_vm::{Arena, CallError, Function, Type, Value};

use super::arguments::{may_make_text, string, text_of};
use super::encoding::{base64_value, decode};
use super::text_builder::text_value;

/// The operating system of a gzip header that names none.
const UNKNOWN_SYSTEM: u8 = 255;

/// `base64gzip(str)`: the text compressed by gzip, in Base64. Others may compress to other bytes.
pub(crate) fn base64gzip() -> Function {
    Function::new("base64gzip", [string("str")], Type::String, |arena, args, _| {
        let text = text_of(args, 0);
        // Compressing is dearer than copying.
        if !arena.charge(text.len() as u64 * 4) {
            return Ok(Value::DYNAMIC);
        }
        let mut writer =
            GzBuilder::new().operating_system(UNKNOWN_SYSTEM).write(Vec::new(), Compression::default());
        let bytes = writer.write_all(text.as_bytes()).and_then(|()| writer.finish());
        let bytes =
            bytes.map_err(|error| CallError::new(format!("the text cannot be compressed: {error}")))?;
        Ok(base64_value(arena, &bytes))
    })
}

/// `base64gunzip(str)`: the text that was compressed by gzip and written in Base64.
pub(crate) fn base64gunzip() -> Function {
    Function::new("base64gunzip", [string("str")], Type::String, |arena, args, _| {
        let source = text_of(args, 0);
        if !may_make_text(arena, source.len()) {
            return Ok(Value::DYNAMIC);
        }
        let bytes = decode(source).map_err(|why| CallError::argument(0, why))?;
        let Some(bytes) = decompressed(arena, &bytes)? else { return Ok(Value::DYNAMIC) };
        let text = String::from_utf8(bytes)
            .map_err(|_| CallError::argument(0, "the decompressed bytes are not valid UTF-8"))?;
        Ok(text_value(arena, &text))
    })
}

/// Returns the bytes; `None` if the budget is exhausted. A few bytes may decompress to millions, so what comes out
/// is paid before more is read.
fn decompressed(arena: &Arena, bytes: &[u8]) -> Result<Option<Vec<u8>>, CallError> {
    const STEP: u64 = 16 << 10;
    let mut reader = MultiGzDecoder::new(bytes);
    let mut all = Vec::new();
    loop {
        let before = all.len();
        let read = reader.by_ref().take(STEP).read_to_end(&mut all);
        read.map_err(|error| CallError::argument(0, format!("the bytes are not gzip data: {error}")))?;
        if all.len() == before {
            return Ok(Some(all));
        }
        if !may_make_text(arena, all.len()) {
            return Ok(None);
        }
    }
}
