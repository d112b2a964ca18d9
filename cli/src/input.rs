//! Bounded reading of untrusted files: reads no more than can be used, so that an endless file ends.

use std::fs::File;
use std::io::{self, BufRead, Read};
use std::path::Path;

use hclvm::Limits;

/// Maximum bytes of a scope, or of a list of scopes.
pub(crate) const LONGEST: usize = Limits::untrusted().arena_bytes;

/// Maximum bytes of memory for the JSON values of a scope, or of a list of scopes.
const LARGEST: usize = 4 * LONGEST;

/// The path that denotes standard input.
pub(crate) const STANDARD_INPUT: &str = "-";

/// Returns the name of a file in diagnostics.
pub(crate) fn display_name(path: &str) -> &str {
    if path == STANDARD_INPUT { "standard input" } else { path }
}

/// Reads standard input like a source file.
pub(crate) fn standard() -> io::Result<Vec<u8>> {
    up_to(io::stdin().lock(), Limits::untrusted().source_bytes)
}

/// Returns the size of a file if it is known; `None` for standard input, pipes and devices.
pub(crate) fn size(path: &str) -> Option<u64> {
    let metadata = std::fs::metadata(path).ok()?;
    metadata.is_file().then_some(metadata.len())
}

/// Reads a source file: at most one byte more than the parser accepts, so that the parser reports
/// files that are too large.
pub(crate) fn source(path: &str) -> io::Result<Vec<u8>> {
    let most = Limits::untrusted().source_bytes;
    let most = if Path::new(path).extension().is_some_and(|suffix| suffix == "hclc") {
        COMPILED.saturating_mul(most)
    } else {
        most
    };
    up_to(File::open(path)?, most)
}

/// The most bytes of a compiled document for a byte of its text: code takes about three times the bytes of usual
/// texts, which are part of the document.
const COMPILED: usize = 16;

/// Reads all bytes, but at most one more than `most`.
pub(crate) fn up_to(reader: impl Read, most: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(most as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns a text without its byte order mark.
///
/// # Errors
/// A text in UTF-16, by its mark.
pub(crate) fn without_mark(text: &[u8]) -> Result<&[u8], String> {
    match text {
        [0xFE, 0xFF, ..] | [0xFF, 0xFE, ..] => Err("it is UTF-16; save it as UTF-8".to_owned()),
        _ => Ok(text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text)),
    }
}

/// A line of input.
pub(crate) enum InputLine {
    /// The whole line, with its line break if it has one.
    Whole(Vec<u8>),
    /// The line is longer than [`LONGEST`]; true if its end was read.
    TooLong(bool),
}

/// Reads the next line. Returns `None` at the end.
pub(crate) fn line(reader: &mut impl BufRead) -> io::Result<Option<InputLine>> {
    let mut line = Vec::new();
    if reader.take(LONGEST as u64 + 1).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.len() <= LONGEST {
        return Ok(Some(InputLine::Whole(line)));
    }
    Ok(Some(InputLine::TooLong(line.last() == Some(&b'\n'))))
}

/// Skips the rest of a line.
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

/// Rejects a JSON text whose values would take too much memory. As values, short texts take up to a
/// hundred times their bytes.
pub(crate) fn check_size(text: &[u8]) -> Result<(), String> {
    if text.len() > LONGEST {
        return Err(format!("it is longer than {LONGEST} bytes"));
    }
    // Bytes of a value in a list, and of its name in an object, in addition.
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
    if bytes <= LARGEST {
        Ok(())
    } else {
        Err(format!("its values need more than {LARGEST} bytes of memory"))
    }
}
