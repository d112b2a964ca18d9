//! The log: a queue, and the thread that writes what is in it.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use hclvm::Scope;
use hclvm::policy::{Cause, Decision};

use crate::entry::{Entry, Origin};
use crate::inputs::{Mask, to_json};
use crate::sink::Sink;

/// Settings of a log.
#[derive(Clone, Debug)]
pub struct Builder {
    masks: Vec<Mask>,
    every: u64,
    capacity: usize,
}

impl Default for Builder {
    fn default() -> Self {
        // A request takes about a kilobyte: 8 MiB while the disk is slow.
        Self { masks: Vec::new(), every: 1, capacity: 8 << 10 }
    }
}

impl Builder {
    /// Leaves out the values of a path: `user.password`, `request.headers.*`, `users.*.email`. A name that contains
    /// a dot cannot be written; mask what is around it. Marked values are never logged.
    #[must_use]
    pub fn mask(mut self, path: &str) -> Self {
        self.masks.push(Mask::new(path));
        self
    }

    /// Logs one of `every` decisions, and all that are [undecided](Cause::Undecided). The default is 1: all.
    #[must_use]
    pub fn sample(mut self, every: u64) -> Self {
        self.every = every.max(1);
        self
    }

    /// Sets the most decisions that wait to be written; further ones are dropped. The default is 8,192.
    #[must_use]
    pub fn capacity(mut self, decisions: usize) -> Self {
        self.capacity = decisions;
        self
    }

    /// Starts the thread that writes.
    ///
    /// # Errors
    /// The system starts no thread.
    pub fn start(self, sink: impl Sink + 'static) -> io::Result<DecisionLog> {
        let (sender, receiver) = sync_channel(self.capacity);
        let dropped = Arc::new(AtomicU64::new(0));
        let writer =
            Writer { sink, masks: self.masks, dropped: Arc::clone(&dropped), summary: Summary::default() };
        let thread = std::thread::Builder::new()
            .name("decision-log".to_owned())
            .spawn(move || writer.run(&receiver))?;
        let (sender, thread) = (Some(sender), Some(thread));
        Ok(DecisionLog { sender, thread, every: self.every, seen: AtomicU64::new(0), dropped })
    }
}

/// A decision that waits to be written.
struct Queued {
    entry: Entry,
    scope: Scope,
}

/// Logs decisions of any number of threads.
pub struct DecisionLog {
    sender: Option<SyncSender<Queued>>,
    thread: Option<JoinHandle<Summary>>,
    every: u64,
    seen: AtomicU64,
    dropped: Arc<AtomicU64>,
}

impl fmt::Debug for DecisionLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DecisionLog")
            .field("every", &self.every)
            .field("dropped", &self.dropped)
            .finish_non_exhaustive()
    }
}

/// What a log has written.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Summary {
    /// The number of entries that were written.
    pub written: u64,
    /// The number of decisions that did not fit into the queue.
    pub dropped: u64,
    /// The number of entries that the sink refused.
    pub failed: u64,
    /// The last error of the sink.
    pub error: Option<io::Error>,
}

impl DecisionLog {
    /// Returns the default settings.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Logs a decision for the values of a scope, which took `elapsed`. Returns at once; see [`Builder::capacity`].
    pub fn record(&self, decision: &Decision<'_>, scope: &Scope, origin: &Origin, elapsed: Duration) {
        let is_sampled =
            self.every == 1 || self.seen.fetch_add(1, Ordering::Relaxed).is_multiple_of(self.every);
        if !is_sampled && decision.cause() != Cause::Undecided {
            return;
        }
        let queued = Queued { entry: Entry::new(decision, origin, elapsed), scope: scope.packed() };
        let sent = self.sender.as_ref().is_some_and(|sender| sender.try_send(queued).is_ok());
        if !sent {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Returns the number of decisions that did not fit into the queue.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    /// Writes what waits, and ends the log.
    pub fn close(mut self) -> Summary {
        self.end()
    }

    fn end(&mut self) -> Summary {
        drop(self.sender.take());
        // A sink that panics ends its thread, and nothing else is known of it then.
        self.thread.take().and_then(|thread| thread.join().ok()).unwrap_or_default()
    }
}

impl Drop for DecisionLog {
    fn drop(&mut self) {
        self.end();
    }
}

/// The thread's part.
struct Writer<S> {
    sink: S,
    masks: Vec<Mask>,
    dropped: Arc<AtomicU64>,
    summary: Summary,
}

impl<S: Sink> Writer<S> {
    fn run(mut self, queue: &Receiver<Queued>) -> Summary {
        while let Ok(first) = queue.recv() {
            self.write(first);
            for next in queue.try_iter() {
                self.write(next);
            }
            self.settle();
        }
        self.settle();
        self.summary
    }

    fn write(&mut self, Queued { mut entry, scope }: Queued) {
        entry.inputs = to_json(&scope, &self.masks);
        match self.sink.write(&entry) {
            Ok(()) => self.summary.written += 1,
            Err(error) => {
                self.summary.failed += 1;
                self.summary.error = Some(error);
            }
        }
    }

    /// Notes what was dropped since the last time, and writes what is buffered.
    fn settle(&mut self) {
        let dropped = self.dropped.load(Ordering::Relaxed);
        let new = dropped - self.summary.dropped;
        self.summary.dropped = dropped;
        let noted = if new > 0 { self.sink.dropped(new) } else { Ok(()) };
        if let Err(error) = noted.and_then(|()| self.sink.flush()) {
            self.summary.error = Some(error);
        }
    }
}
