//! The thread that writes: it sleeps until a delay has passed, and writes all decisions that wait then.

use std::io;
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
use crate::why::{Explainer, LATE};

/// Delays without a decision after which the thread sleeps until it is woken: a log that is not used costs nothing,
/// and one that is used at least every second or so wakes its thread by the clock alone.
const MOST_EMPTY: u32 = 50;

/// The most bytes that are kept for the inputs, and for the explanations, of later entries.
const LARGEST_KEPT: usize = 64 << 10;

/// What a log has written.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Summary {
    /// The number of entries that were written.
    pub written: u64,
    /// The number of decisions that did not fit into the memory of the log.
    pub dropped: u64,
    /// The number of entries that the sink refused.
    pub failed: u64,
    /// The last error of the sink.
    pub error: Option<io::Error>,
}

/// The thread's part of a log.
pub(crate) struct Writer<S> {
    sink: S,
    masks: Vec<Mask>,
    explainer: Option<Explainer>,
    buffers: Arc<Buffers>,
    delay: Duration,
    /// The memory of one entry after the other.
    entry: Entry,
    summary: Summary,
}

impl<S: Sink> Writer<S> {
    pub(crate) fn new(
        sink: S,
        masks: Vec<Mask>,
        explainer: Option<Explainer>,
        buffers: Arc<Buffers>,
        delay: Duration,
    ) -> Self {
        Self { sink, masks, explainer, buffers, delay, entry: Entry::empty(), summary: Summary::default() }
    }

    pub(crate) fn run(mut self) -> Summary {
        let (mut taken, mut empty) = (Vec::new(), 0);
        loop {
            // Before the last decisions are taken: nothing is added to a log that is closed.
            let is_closed = self.buffers.is_closed();
            let count = self.buffers.swap(&mut taken);
            self.write_all(&mut taken);
            if count > 0 || self.buffers.dropped() > self.summary.dropped {
                self.settle();
            }
            if is_closed {
                return self.summary;
            }
            empty = if count > 0 { 0 } else { empty + 1 };
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
            .map(|Buffer { bytes, recorders, .. }| (Reader::new(bytes), recorders.drain(..)))
            .filter(|(reader, _)| reader.left() > 0)
            .collect();
        while let Some(at) = (0..readers.len()).min_by_key(|at| readers[*at].0.time()) {
            self.buffers.taken();
            let (reader, recorders) = &mut readers[at];
            if self.write(reader, recorders).is_none() || reader.left() == 0 {
                readers.remove(at);
            }
        }
    }

    /// Writes the next decision of a buffer. Returns `None` if there is no whole one.
    fn write(&mut self, reader: &mut Reader<'_>, recorders: &mut Drain<'_, Recorder>) -> Option<()> {
        let is_explained = reader.entry(&mut self.entry)?;
        to_json(reader, &self.masks, &mut self.entry.inputs)?;
        self.entry.why.clear();
        if is_explained && let (Some(recorder), Some(explainer)) = (recorders.next(), &mut self.explainer) {
            if self.buffers.is_crowded() {
                self.entry.why.push_str(LATE);
            } else {
                explainer.append(recorder, &self.masks, &mut self.entry.why);
            }
        }
        match self.sink.write(&self.entry) {
            Ok(()) => self.summary.written += 1,
            Err(error) => {
                self.summary.failed += 1;
                self.summary.error = Some(error);
            }
        }
        self.entry.inputs.clear();
        self.entry.inputs.shrink_to(LARGEST_KEPT);
        self.entry.why.shrink_to(LARGEST_KEPT);
        Some(())
    }

    /// Notes what was dropped since the last time, and writes what is buffered.
    fn settle(&mut self) {
        let dropped = self.buffers.dropped();
        let new = dropped - self.summary.dropped;
        self.summary.dropped = dropped;
        let noted = if new > 0 { self.sink.dropped(new) } else { Ok(()) };
        if let Err(error) = noted.and_then(|()| self.sink.flush()) {
            self.summary.error = Some(error);
        }
    }
}
