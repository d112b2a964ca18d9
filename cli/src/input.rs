//! Reading what strangers give: no more than can be used, so that an endless file ends.

use std::fs::File;
use std::io::{self, BufRead, Read};

use hclvm::Limits;

/// Bytes of a scope, or of a list of scopes.
pub(crate) const LONGEST: usize = Limits::untrusted().arena_bytes;

/// Bytes that a scope, or a list of them, may take as JSON values.
const LARGEST: usize = 4 * LONGEST;

/// The bytes of a file of the language: at most one more than is parsed, so that the parser says
/// what is wrong with a longer one.
pub(crate) fn source(path: &str) -> io::Result<Vec<u8>> {
    up_to(File::open(path)?, Limits::untrusted().source_bytes)
}

/// All bytes, but at most one more than `most`.
pub(crate) fn up_to(reader: impl Read, most: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(most as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A line with its end, if it has one.
pub(crate) enum Line {
    /// All of it.
    Whole(Vec<u8>),
    /// It is longer than [`LONGEST`]; whether its end was read.
    TooLong(bool),
}

/// The next line; `None` at the end.
pub(crate) fn line(reader: &mut impl BufRead) -> io::Result<Option<Line>> {
    let mut line = Vec::new();
    if reader.take(LONGEST as u64 + 1).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.len() <= LONGEST {
        return Ok(Some(Line::Whole(line)));
    }
    Ok(Some(Line::TooLong(line.last() == Some(&b'\n'))))
}

/// Passes over what is left of a line.
pub(crate) fn pass_line(reader: &mut impl BufRead) -> io::Result<()> {
    loop {
        let buffer = reader.fill_buf()?;
        if let Some(end) = buffer.iter().position(|byte| *byte == b'\n') {
            reader.consume(end + 1);
            return Ok(());
        }
        let len = buffer.len();
        if len == 0 {
            return Ok(());
        }
        reader.consume(len);
    }
}

/// Refuses a JSON text whose values would take too much memory: short values take a hundred times
/// the bytes of their text.
pub(crate) fn check_size(text: &[u8]) -> Result<(), String> {
    if text.len() > LONGEST {
        return Err(format!("it is longer than {LONGEST} bytes"));
    }
    // What a value takes in a list, and what its name takes besides in an object.
    const VALUE: usize = 100;
    const NAME: usize = 150;
    if text.len().saturating_mul(VALUE + NAME) <= LARGEST {
        return Ok(());
    }
    let (mut bytes, mut quoted, mut escaped) = (text.len(), false, false);
    for byte in text {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = quoted,
            b'"' => quoted = !quoted,
            b',' | b'[' | b'{' if !quoted => bytes += VALUE,
            b':' if !quoted => bytes += NAME,
            _ => {}
        }
    }
    if bytes <= LARGEST { Ok(()) } else { Err("it has more values than fit the memory for it".to_owned()) }
}
