//! Messages on streams of bytes: a header with the length, then JSON.
//!
//! A message that is no JSON is answered with an error and a longer one than [`LONGEST`] is skipped, so that neither
//! ends the server.

use std::io::{self, BufRead, Read, Write};

use serde_json::{Value as Json, json};

/// The most bytes of a message: an escaped text of the largest file that the parser reads, several times.
const LONGEST: u64 = 256 << 20;

/// The most bytes of a line of a header.
const LONGEST_LINE: u64 = 4096;

/// What was read from a stream.
#[derive(Debug)]
pub(crate) enum Received {
    /// A message.
    Message(Json),
    /// Something that is no message, with a sentence.
    Malformed(String),
}

/// Reads the next message; `None` at the end of the stream.
pub(crate) fn read(input: &mut impl BufRead) -> io::Result<Option<Received>> {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        (&mut *input).take(LONGEST_LINE).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim();
        if line.is_empty() {
            if length.is_some() {
                break;
            }
            // Blank lines between messages are no header.
            continue;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.trim().eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse::<u64>().ok();
        }
    }
    let length = length.unwrap_or(0);
    if length > LONGEST {
        let skipped = io::copy(&mut (&mut *input).take(length), &mut io::sink())?;
        let whole = if skipped == length { "" } else { ", which ended early" };
        return Ok(Some(Received::Malformed(format!("a message of {length} bytes is too long{whole}"))));
    }
    let mut bytes = Vec::new();
    (&mut *input).take(length).read_to_end(&mut bytes)?;
    Ok(Some(match serde_json::from_slice(&bytes) {
        Ok(message) => Received::Message(message),
        Err(error) => Received::Malformed(error.to_string()),
    }))
}

/// Writes a message.
pub(crate) fn write(output: &mut impl Write, message: &str) -> io::Result<()> {
    write!(output, "Content-Length: {}\r\n\r\n{message}", message.len())?;
    output.flush()
}

/// Returns the answer to bytes that are no message.
pub(crate) fn malformed(why: &str) -> String {
    let error = json!({"code": -32700, "message": format!("This is no message: {why}.")});
    json!({"jsonrpc": "2.0", "id": null, "error": error}).to_string()
}

#[cfg(test)]
mod tests {
    use super::{Received, read, write};

    #[test]
    fn messages_are_read_as_they_are_written() {
        let mut bytes = Vec::new();
        write(&mut bytes, r#"{"é":1}"#).expect("memory takes all");
        write(&mut bytes, "[]").expect("memory takes all");
        let mut input = bytes.as_slice();
        assert!(matches!(read(&mut input), Ok(Some(Received::Message(one))) if one["é"].as_u64() == Some(1)));
        assert!(matches!(read(&mut input), Ok(Some(Received::Message(one))) if one.is_array()));
        assert!(matches!(read(&mut input), Ok(None)));
    }

    #[test]
    fn what_is_no_message_does_not_end_the_stream() {
        let mut input = b"Content-Length: 3\r\n\r\n{x}Content-Length: 99999999999\r\n\r\n".as_slice();
        assert!(matches!(read(&mut input), Ok(Some(Received::Malformed(_)))));
        assert!(matches!(read(&mut input), Ok(Some(Received::Malformed(why))) if why.contains("too long")));
        assert!(matches!(read(&mut b"junk\r\n\r\nmore".as_slice()), Ok(None)));
    }
}
