//! A file in memory, to which the tests log.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use serde_json::Value as Json;

/// A file in memory.
#[derive(Clone, Default)]
pub(crate) struct File(pub(crate) Arc<Mutex<Vec<u8>>>);

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no panics").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl File {
    /// Returns the lines, each of which is JSON.
    pub(crate) fn lines(&self) -> Vec<Json> {
        let text = String::from_utf8(self.0.lock().expect("no panics").clone()).expect("text");
        text.lines().map(|line| serde_json::from_str(line).expect("a whole line")).collect()
    }
}
