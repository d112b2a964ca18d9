//! A disk without room.

use std::io::{self, ErrorKind, Write};
use std::sync::{Arc, Mutex};

/// A disk that is full after some bytes, and from which some are deleted by the test.
#[derive(Clone, Default)]
pub(crate) struct Disk(pub(crate) Arc<Mutex<(Vec<u8>, usize)>>);

impl Disk {
    pub(crate) fn free(&self, bytes: usize) {
        self.0.lock().expect("no panics").1 += bytes;
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().expect("no panics").0.clone()).expect("text")
    }
}

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let (text, room) = &mut *self.0.lock().expect("no panics");
        let written = bytes.len().min(*room);
        if written == 0 {
            return Err(ErrorKind::StorageFull.into());
        }
        text.extend(&bytes[..written]);
        *room -= written;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
