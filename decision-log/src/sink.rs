//! Where entries are written.

use std::io::{self, BufWriter, Write};

use crate::entry::Entry;

/// Writes entries. A sink is used by one thread, which may wait.
pub trait Sink: Send {
    /// Writes an entry.
    ///
    /// # Errors
    /// An entry that cannot be written; it is counted as failed.
    fn write(&mut self, entry: &Entry) -> io::Result<()>;

    /// Notes that further decisions were not logged because the queue was full.
    ///
    /// # Errors
    /// As [`Sink::write`].
    fn dropped(&mut self, decisions: u64) -> io::Result<()>;

    /// Writes what is buffered. Called whenever the queue is empty, and at the end.
    ///
    /// # Errors
    /// As [`Sink::write`].
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The bytes that are written at once: some dozens of entries.
const BUFFER: usize = 64 << 10;

/// Writes each entry as a line of JSON, and a line `{"dropped":3}` for those that were dropped.
#[derive(Debug)]
pub struct JsonLines<W: Write> {
    out: BufWriter<W>,
    /// The memory of one line after the other.
    line: String,
}

impl<W: Write> JsonLines<W> {
    /// Creates a sink that writes to a file, or to what else is written like one.
    pub fn new(out: W) -> Self {
        Self { out: BufWriter::with_capacity(BUFFER, out), line: String::new() }
    }
}

impl<W: Write + Send> Sink for JsonLines<W> {
    fn write(&mut self, entry: &Entry) -> io::Result<()> {
        self.line.clear();
        entry.append_json(&mut self.line);
        self.line.push('\n');
        self.out.write_all(self.line.as_bytes())
    }

    fn dropped(&mut self, decisions: u64) -> io::Result<()> {
        writeln!(self.out, "{{\"dropped\":{decisions}}}")
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
