//! What a log has done, shared by the thread that writes and those that ask.
//!
//! Invariant: a decision that was recorded is counted once: as dropped, as waiting, and in the end as written or failed.

use std::fmt;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use crate::buffers::Buffers;
use crate::entry::nanoseconds;

/// What a log has done when it ends. `written + failed + dropped + waiting` are the decisions that were recorded, without
/// those that [`Builder::sample`](crate::Builder::sample) leaves out.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Summary {
    /// The number of entries that were written: the sink accepted them and was flushed without an error.
    pub written: u64,
    /// The number of decisions that did not fit into the memory of the log.
    pub dropped: u64,
    /// The number of entries that the sink refused or lost.
    pub failed: u64,
    /// The number of entries that are still to be written: 0 unless
    /// [`close_within`](crate::DecisionLog::close_within) did not wait for them.
    pub waiting: u64,
    /// The last error of the sink.
    pub error: Option<io::Error>,
}

/// What a log has done so far, see [`DecisionLog::status`](crate::DecisionLog::status).
/// `written + failed + dropped + waiting` are the decisions that were recorded.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Status {
    /// The number of entries that were written: the sink accepted them and was flushed without an error.
    pub written: u64,
    /// The number of entries that the sink refused or lost.
    pub failed: u64,
    /// The number of decisions that did not fit into the memory of the log.
    pub dropped: u64,
    /// The number of decisions in memory of the log or of the sink.
    pub waiting: u64,
    /// The number of dropped decisions that the sink has not noted yet.
    pub unreported: u64,
    /// The last error of the sink.
    pub error: Option<SinkError>,
    /// What the thread that writes does.
    pub writer: WriterState,
}

impl Status {
    /// Returns how long the thread has been writing one entry, or flushing the sink; `None` if it does neither. A sink
    /// that blocks is seen by seconds here.
    pub fn blocked(&self) -> Option<Duration> {
        match self.writer {
            WriterState::Writes { since } => Some(since.elapsed().unwrap_or_default()),
            _ => None,
        }
    }
}

/// What the thread that writes does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WriterState {
    /// It waits for decisions.
    Waits,
    /// It writes an entry or flushes the sink.
    Writes {
        /// When it began with that.
        since: SystemTime,
    },
    /// It has ended: the log is closed, or what the thread calls beside the sink panicked.
    Ended {
        /// When it ended.
        at: SystemTime,
    },
}

/// An error of a sink.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SinkError {
    /// When it was returned.
    pub at: SystemTime,
    /// What the error says.
    pub message: String,
    /// True if the sink panicked.
    pub is_panic: bool,
}

impl fmt::Display for SinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// An error or a panic.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) error: io::Error,
    pub(crate) is_panic: bool,
}

/// The counts of a log.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    counts: Mutex<Counts>,
    has_ended: Condvar,
    /// When the writer began with an entry, in nanoseconds from 1970; 0 between entries.
    busy_since: AtomicU64,
}

#[derive(Debug, Default)]
struct Counts {
    written: u64,
    failed: u64,
    /// The dropped decisions that the sink has noted.
    noted: u64,
    /// The decisions that the writer has taken from the buffers, and that are neither written nor failed.
    taken: u64,
    error: Option<(SystemTime, Failure)>,
    ended: Option<SystemTime>,
}

impl Progress {
    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts what `take` removes from the buffers. Readers of the status always find a decision in one of the two places.
    pub(crate) fn take(&self, take: impl FnOnce() -> usize) -> usize {
        let mut counts = self.lock();
        let count = take();
        counts.taken += count as u64;
        count
    }

    /// Notes that the writer begins with an entry or a flush.
    pub(crate) fn begin(&self) {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        self.busy_since.store(nanoseconds(now), Ordering::Relaxed);
    }

    /// Notes that the writer is done with it.
    pub(crate) fn done(&self) {
        self.busy_since.store(0, Ordering::Relaxed);
    }

    /// Counts an entry that was taken and that the sink refused.
    pub(crate) fn refused(&self, failure: Failure) {
        let mut counts = self.lock();
        counts.taken = counts.taken.saturating_sub(1);
        counts.failed += 1;
        counts.error = Some((SystemTime::now(), failure));
    }

    /// Counts the entries that were taken: those that were written, and all others as failed.
    pub(crate) fn settle(&self, written: u64) {
        let mut counts = self.lock();
        counts.written += written;
        counts.failed += std::mem::take(&mut counts.taken).saturating_sub(written);
    }

    pub(crate) fn note_error(&self, failure: Failure) {
        self.lock().error = Some((SystemTime::now(), failure));
    }

    /// Returns the number of dropped decisions that the sink has noted.
    pub(crate) fn noted(&self) -> u64 {
        self.lock().noted
    }

    pub(crate) fn note_dropped(&self, decisions: u64) {
        self.lock().noted += decisions;
    }

    /// Notes that the writer has ended. What it did not write is failed.
    pub(crate) fn end(&self, buffers: &Buffers) {
        let mut counts = self.lock();
        counts.failed += buffers.shut() as u64 + std::mem::take(&mut counts.taken);
        counts.ended = Some(SystemTime::now());
        self.has_ended.notify_all();
    }

    /// Waits until the writer has ended. Returns false if it has not within a time.
    pub(crate) fn wait(&self, longest: Duration) -> bool {
        let start = Instant::now();
        let mut counts = self.lock();
        while counts.ended.is_none() {
            let Some(left) = longest.checked_sub(start.elapsed()) else { return false };
            counts = self.has_ended.wait_timeout(counts, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }

    pub(crate) fn status(&self, buffers: &Buffers) -> Status {
        let counts = self.lock();
        let waiting = counts.taken + buffers.count() as u64;
        let dropped = buffers.dropped();
        let writer = match (counts.ended, self.busy_since.load(Ordering::Relaxed)) {
            (Some(at), _) => WriterState::Ended { at },
            (None, 0) => WriterState::Waits,
            (None, since) => {
                WriterState::Writes { since: SystemTime::UNIX_EPOCH + Duration::from_nanos(since) }
            }
        };
        let error = counts.error.as_ref().map(|(at, failure)| SinkError {
            at: *at,
            message: failure.error.to_string(),
            is_panic: failure.is_panic,
        });
        Status {
            written: counts.written,
            failed: counts.failed,
            dropped,
            waiting,
            unreported: dropped - counts.noted,
            error,
            writer,
        }
    }

    /// Returns the counts at the end, with the last error.
    pub(crate) fn summary(&self, buffers: &Buffers) -> Summary {
        let Status { written, failed, dropped, waiting, .. } = self.status(buffers);
        let error = self.lock().error.take().map(|(_, failure)| failure.error);
        Summary { written, dropped, failed, waiting, error }
    }
}
