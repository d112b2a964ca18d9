//! Where entries are written.

use std::io;

use crate::entry::Entry;

/// Writes entries. A sink is used by one thread, which may wait.
///
/// An entry that `write` accepts is written when the next `flush` succeeds. If a call fails or panics, its entries are
/// counted as failed, and the sink is called again for the next ones: the log never ends because of its sink.
pub trait Sink: Send {
    /// Accepts an entry, which may remain in memory of the sink until [`Sink::flush`].
    ///
    /// # Errors
    /// An entry that cannot be written; it is counted as failed.
    fn write(&mut self, entry: &Entry) -> io::Result<()>;

    /// Notes that further decisions were not logged because the queue was full. If this or the flush behind it fails,
    /// it is called again later, with the decisions that were dropped meanwhile.
    ///
    /// # Errors
    /// A note that cannot be written.
    fn dropped(&mut self, decisions: u64) -> io::Result<()>;

    /// Writes what is in memory of the sink. Called whenever the queue is empty, and at the end.
    ///
    /// # Errors
    /// Entries that were accepted and cannot be written, as many as [`Sink::lost`] returns.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Returns the number of entries that were accepted since it was called last and that will not be written. Called
    /// after every flush; `None` if the sink does not know: all that were accepted are counted as failed then if the
    /// flush failed, and as written if it did not.
    fn lost(&mut self) -> Option<u64> {
        None
    }
}
