//! The thread that writes: it sleeps until a delay has passed, and writes all decisions that wait then. A sink that fails
//! or panics is counted and called again.

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use std::vec::Drain;

use hclvm::policy::Recorder;

use crate::buffers::{Activity, Buffer, Buffers};
use crate::encoded::Reader;
use crate::entry::Entry;
use crate::inputs::to_json;
use crate::mask::Mask;
use crate::sink::Sink;
use crate::status::{Failure, Progress};
use crate::why::{Explainer, LATE};

/// Delays without a decision after which the thread sleeps until it is woken: a log that is not used costs nothing,
/// and one that is used at least every second or so wakes its thread by the clock alone.
const MOST_EMPTY: u32 = 50;

/// The most bytes that are kept for the inputs, and for the explanations, of later entries.
const LARGEST_KEPT: usize = 64 << 10;

/// The thread's part of a log.
pub(crate) struct Writer<S> {
    sink: S,
    masks: Vec<Mask>,
    explainer: Option<Explainer>,
    buffers: Arc<Buffers>,
    delay: Duration,
    /// The memory of one entry after the other.
    entry: Entry,
    progress: Arc<Progress>,
    /// The entries that the sink has accepted since it was flushed.
    accepted: u64,
}

impl<S: Sink> Writer<S> {
    pub(crate) fn new(
        sink: S,
        masks: Vec<Mask>,
        explainer: Option<Explainer>,
        buffers: Arc<Buffers>,
        delay: Duration,
    ) -> Self {
        let progress = Arc::default();
        Self { sink, masks, explainer, buffers, delay, entry: Entry::empty(), progress, accepted: 0 }
    }

    /// Returns the counts, which are shared with the thread.
    pub(crate) fn progress(&self) -> &Arc<Progress> {
        &self.progress
    }

    /// Writes until the log is closed.
    pub(crate) fn run(self) {
        let (progress, buffers) = (Arc::clone(&self.progress), Arc::clone(&self.buffers));
        // The sink is dropped in it as well.
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| self.run_to_end())) {
            progress.note_error(panicked(&*panic));
        }
        progress.end(&buffers);
    }

    fn run_to_end(mut self) {
        let (mut taken, mut empty) = (Vec::new(), 0);
        loop {
            // Before the last decisions are taken: nothing is added to a log that is closed.
            let is_closed = self.buffers.is_closed();
            let count = self.progress.take(|| self.buffers.swap(&mut taken));
            if count > 0 {
                self.write_all(&mut taken);
                self.flush();
                empty = 0;
            } else {
                empty += 1;
            }
            self.note_dropped();
            if is_closed {
                return;
            }
            if empty < MOST_EMPTY {
                self.sleep(Activity::Waits, || thread::park_timeout(self.delay));
            } else {
                self.sleep(Activity::Idles, thread::park);
                empty = 0;
            }
        }
    }

    /// Sleeps unless there is something to do. May return early.
    fn sleep(&self, activity: Activity, park: impl FnOnce()) {
        self.buffers.announce(activity);
        if self.buffers.may_sleep(activity) {
            park();
        }
        self.buffers.announce(Activity::Writes);
    }

    /// Writes the decisions of all buffers in the order of time.
    fn write_all(&mut self, buffers: &mut [Buffer]) {
        let mut readers: Vec<(Reader<'_>, Drain<'_, Recorder>)> = buffers
            .iter_mut()
            .filter(|buffer| !buffer.bytes.is_empty())
            .map(|Buffer { bytes, recorders, .. }| (Reader::new(bytes), recorders.drain(..)))
            .collect();
        while let Some(at) = (0..readers.len()).min_by_key(|at| readers[*at].0.time()) {
            self.buffers.taken();
            let (reader, recorders) = &mut readers[at];
            if self.write(reader, recorders).is_none() || reader.is_empty() {
                readers.remove(at);
            }
        }
    }

    /// Writes the next decision of a buffer. Returns `None` if there is no whole one.
    fn write(&mut self, reader: &mut Reader<'_>, recorders: &mut Drain<'_, Recorder>) -> Option<()> {
        self.progress.begin();
        let is_explained = reader.entry(&mut self.entry)?;
        clear(&mut self.entry.inputs);
        clear(&mut self.entry.why);
        to_json(reader, &self.masks, &mut self.entry.inputs)?;
        if is_explained && let (Some(recorder), Some(explainer)) = (recorders.next(), &mut self.explainer) {
            if self.buffers.is_crowded() {
                self.entry.why.push_str(LATE);
            } else {
                explainer.append(recorder, &self.masks, &mut self.entry.why);
            }
        }
        match caught(|| self.sink.write(&self.entry)) {
            Ok(()) => self.accepted += 1,
            Err(failure) => self.progress.refused(failure),
        }
        self.progress.done();
        Some(())
    }

    /// Writes what the sink keeps, and counts the entries that were taken. What could not be read is failed.
    fn flush(&mut self) {
        let accepted = std::mem::take(&mut self.accepted);
        let is_flushed = self.call(Sink::flush).is_some();
        let lost = self.call(|sink| Ok(sink.lost())).flatten();
        let lost = lost.unwrap_or(if is_flushed { 0 } else { accepted }).min(accepted);
        self.progress.settle(accepted - lost);
    }

    /// Notes the decisions that were dropped and are not noted yet. An attempt that fails is repeated with the next
    /// entries, and at the end.
    fn note_dropped(&mut self) {
        let new = self.buffers.dropped() - self.progress.noted();
        if new > 0
            && self.call(|sink| sink.dropped(new)).is_some()
            // Nothing but the note is in memory of the sink.
            && self.call(Sink::flush).is_some()
        {
            self.progress.note_dropped(new);
        }
    }

    /// Calls the sink. Returns `None` if that failed.
    fn call<T>(&mut self, call: impl FnOnce(&mut S) -> io::Result<T>) -> Option<T> {
        self.progress.begin();
        let result = caught(|| call(&mut self.sink));
        self.progress.done();
        result.map_err(|failure| self.progress.note_error(failure)).ok()
    }
}

/// Makes room for the next entry, and frees what a large one needed.
fn clear(text: &mut String) {
    text.clear();
    text.shrink_to(LARGEST_KEPT);
}

/// Calls a function of the host. Its panic is an error.
fn caught<T>(call: impl FnOnce() -> io::Result<T>) -> Result<T, Failure> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(result) => result.map_err(|error| Failure { error, is_panic: false }),
        Err(panic) => Err(panicked(&*panic)),
    }
}

fn panicked(panic: &(dyn Any + Send)) -> Failure {
    let error = io::Error::other(format!("the sink panicked: {}", message(panic)));
    Failure { error, is_panic: true }
}

/// Returns the text of a panic.
fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}
