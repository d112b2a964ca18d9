//! Entries as lines of JSON.
//!
//! ```text
//! buffer   {"unix_ms":…}⏎{"unix_ms":…}⏎{"unix_ms":…}⏎
//!                       ^ written up to here when an error came: one entry is written, two are lost,
//!                         and the next write begins with a line break if the second one is torn
//! ```

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Write};

use crate::entry::Entry;
use crate::sink::Sink;

/// The bytes that are written at once: some dozens of entries.
const BUFFER: usize = 64 << 10;

/// Writes each entry as a line of JSON, and a line `{"dropped":3}` for those that were dropped. To a file with
/// [`LogFile`](crate::LogFile), which can be rotated.
///
/// If bytes cannot be written, the entries that are not whole are lost, and the next line begins behind a line break: an
/// entry is never joined to a part of another one. A line may be empty then.
#[derive(Debug)]
pub struct JsonLines<W: Write> {
    out: W,
    buffer: String,
    /// The ends of the lines in the buffer that are entries.
    ends: VecDeque<usize>,
    /// The entries that were written to `out`, which may keep them in memory until it is flushed.
    unflushed: u64,
    lost: u64,
    /// True if the last line may have no end.
    is_torn: bool,
    /// The error of a write that was not returned yet.
    error: Option<io::Error>,
}

impl<W: Write> JsonLines<W> {
    /// Creates a sink that writes to a file, or to what else is written like one.
    pub fn new(out: W) -> Self {
        Self {
            out,
            buffer: String::with_capacity(BUFFER),
            ends: VecDeque::new(),
            unflushed: 0,
            lost: 0,
            is_torn: false,
            error: None,
        }
    }

    /// Writes the lines in the buffer. Entries that are not written are lost, also if the writer panics.
    fn write_buffer(&mut self) {
        if self.buffer.is_empty() {
            return;
        }
        let (mut buffer, mut ends) = (std::mem::take(&mut self.buffer), std::mem::take(&mut self.ends));
        self.lost += ends.len() as u64;
        if let Err(error) = self.write_lines(buffer.as_bytes(), &mut ends) {
            self.error = Some(error);
        }
        buffer.clear();
        buffer.shrink_to(BUFFER);
        ends.clear();
        (self.buffer, self.ends) = (buffer, ends);
    }

    /// Writes lines, and counts the entries that are whole.
    fn write_lines(&mut self, lines: &[u8], ends: &mut VecDeque<usize>) -> io::Result<()> {
        if self.is_torn {
            self.write_part(b"\n")?;
            self.is_torn = false;
        }
        let mut written = 0;
        while written < lines.len() {
            written += self.write_part(&lines[written..])?;
            self.is_torn = lines[written - 1] != b'\n';
            // An entry without its line break is whole as well: the next line begins with it.
            while ends.front().is_some_and(|end| *end <= written + 1) {
                ends.pop_front();
                self.lost -= 1;
                self.unflushed += 1;
            }
        }
        Ok(())
    }

    /// Writes some bytes, at least one. Returns how many. With an error, none are written.
    fn write_part(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Nothing is known of the last line if the writer panics.
        let was_torn = std::mem::replace(&mut self.is_torn, true);
        let written = loop {
            match self.out.write(bytes) {
                Ok(0) => break Err(ErrorKind::WriteZero.into()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // A writer cannot have written more than it was given.
                result => break result.map(|written| written.min(bytes.len())),
            }
        };
        self.is_torn = was_torn;
        written
    }
}

impl<W: Write + Send> Sink for JsonLines<W> {
    fn write(&mut self, entry: &Entry) -> io::Result<()> {
        // Before the entry is accepted, so that a panic loses only what was.
        if self.buffer.len() >= BUFFER {
            self.write_buffer();
        }
        entry.append_json(&mut self.buffer);
        self.buffer.push('\n');
        self.ends.push_back(self.buffer.len());
        Ok(())
    }

    fn dropped(&mut self, decisions: u64) -> io::Result<()> {
        self.buffer.extend(["{\"dropped\":", &decisions.to_string(), "}\n"]);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.write_buffer();
        let lost = std::mem::take(&mut self.unflushed);
        self.lost += lost;
        match self.out.flush() {
            Ok(()) => self.lost -= lost,
            Err(error) => {
                // The writer may have written a part of what it kept.
                self.is_torn = true;
                self.error = Some(error);
            }
        }
        self.error.take().map_or(Ok(()), Err)
    }

    fn lost(&mut self) -> Option<u64> {
        Some(std::mem::take(&mut self.lost))
    }
}
