//! Compression: `base64gzip`.

use std::io::Write;

use flate2::{Compression, GzBuilder};
use hclvm_vm::{CallError, Function, Type, Value};

use super::arguments::{string, text_of};
use super::encoding::base64_value;

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
