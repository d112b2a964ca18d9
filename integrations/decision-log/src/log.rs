//! The log: its settings, what threads do that record decisions, and its end. The thread that writes is in
//! [`writer`](crate::writer), and what is between both in [`buffers`](crate::buffers).

use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use hclvm::policy::{Cause, Decision};

use crate::buffers::Buffers;
use crate::encoded::encode;
use crate::entry::{Inputs, Origin};
use crate::mask::Mask;
use crate::sink::Sink;
use crate::status::{Progress, Status, Summary};
use crate::why::{Explain, Explainer};
use crate::writer::Writer;

/// Settings of a log.
#[derive(Clone, Debug)]
pub struct Builder {
    masks: Vec<Mask>,
    /// Why a path cannot be masked.
    refused: Option<String>,
    every: u64,
    capacity: usize,
    delay: Duration,
    explain: Option<Explain>,
}

impl Default for Builder {
    fn default() -> Self {
        // A request takes about a kilobyte: 8 MiB while the disk is slow. The delay is short for readers of the log,
        // and hundreds of times what it takes to wake a thread.
        let delay = Duration::from_millis(20);
        Self { masks: Vec::new(), refused: None, every: 1, capacity: 8 << 10, delay, explain: None }
    }
}

impl Builder {
    /// Leaves out the values of a path: `user.password`, `users[0].email`, `labels["app.io/token"]`, and with `*` for
    /// all attributes or elements `request.headers.*`. Marked values are never logged.
    ///
    /// In doubt a value is left out. Names are compared in normal form C and without regard to case, so that
    /// `request.headers.authorization` also masks `Authorization`. In JSON, escapes in names do not matter, and of
    /// members with equal names all are masked. A name with dots is also matched by several names of the path:
    /// `labels.app.io/token` masks the label `app.io/token`.
    ///
    /// A path that can match nothing, such as `user..password` or `user.pass*`, is refused by [`Builder::start`].
    #[must_use]
    pub fn mask(mut self, path: &str) -> Self {
        match Mask::new(path) {
            Ok(mask) => self.masks.push(mask),
            Err(why) => {
                let refused = format!("the mask `{path}` matches nothing: {why}");
                self.refused.get_or_insert(refused);
            }
        }
        self
    }

    /// Logs one of `every` decisions, and all that are [undecided](Cause::Undecided). The default is 1: all.
    #[must_use]
    pub fn sample(mut self, every: u64) -> Self {
        self.every = every.max(1);
        self
    }

    /// Sets the most decisions that wait to be written, at least 1; further ones are dropped. The default is 8,192.
    #[must_use]
    pub fn capacity(mut self, decisions: usize) -> Self {
        self.capacity = decisions.max(1);
        self
    }

    /// Sets how long decisions wait to be written together, unless half of the [capacity](Self::capacity) waits
    /// before. The default is 20 milliseconds. Waking the thread that writes for each decision would delay it.
    #[must_use]
    pub fn delay(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// Logs what explains each decision: what the conditions of its rules were. By default nothing is.
    ///
    /// A decision then pays for a copy of the scope's values, which is in memory until the entry is written. The thread that writes evaluates the conditions again; while
    /// more than half of the [capacity](Self::capacity) waits, it leaves explanations out rather than decisions. There
    /// are no values in it, and of conditions that depend on marked or [masked](Self::mask) values only that they do: an
    /// outcome would show what such a value is equal to. The effect and the rule that decided are logged whatever they
    /// depend on.
    #[must_use]
    pub fn explain(mut self, explain: Explain) -> Self {
        self.explain = Some(explain);
        self
    }

    /// Starts the thread that writes.
    ///
    /// # Errors
    /// A [mask](Self::mask) that can match nothing, of kind [`InvalidInput`](io::ErrorKind::InvalidInput). The system
    /// starts no thread.
    pub fn start(self, sink: impl Sink + 'static) -> io::Result<DecisionLog> {
        if let Some(refused) = self.refused {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, refused));
        }
        let buffers = Arc::new(Buffers::new(self.capacity));
        let explainer = self.explain.map(Explainer::new);
        let writer = Writer::new(sink, self.masks, explainer, Arc::clone(&buffers), self.delay);
        let progress = Arc::clone(writer.progress());
        let thread = thread::Builder::new().name("decision-log".to_owned()).spawn(move || writer.run())?;
        let (thread, explains) = (Some(thread), self.explain.is_some());
        Ok(DecisionLog { buffers, progress, thread, every: self.every, explains, seen: AtomicU64::new(0) })
    }
}

/// Logs decisions of any number of threads.
pub struct DecisionLog {
    buffers: Arc<Buffers>,
    progress: Arc<Progress>,
    thread: Option<JoinHandle<()>>,
    every: u64,
    explains: bool,
    seen: AtomicU64,
}

impl fmt::Debug for DecisionLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DecisionLog")
            .field("every", &self.every)
            .field("dropped", &self.dropped())
            .finish_non_exhaustive()
    }
}

impl DecisionLog {
    /// Returns the default settings.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Logs a decision, which took `elapsed`, with the values it was made for: a scope, or the [JSON](Inputs::Json)
    /// that the scope was set from. Returns at once; see [`Builder::capacity`]. The decisions of a thread are written in
    /// their order.
    pub fn record<'i>(
        &self,
        decision: &Decision<'_>,
        inputs: impl Into<Inputs<'i>>,
        origin: &Origin,
        elapsed: Duration,
    ) {
        let is_sampled =
            self.every == 1 || self.seen.fetch_add(1, Ordering::Relaxed).is_multiple_of(self.every);
        if !is_sampled && decision.cause() != Cause::Undecided {
            return;
        }
        // Before the buffer is locked, because the copy takes longer than the rest.
        let recorder = self.explains.then(|| decision.recorder());
        let inputs = inputs.into();
        let encode = |out: &mut _| encode(decision, inputs, origin, elapsed, self.explains, out);
        let wakes = self.buffers.add(encode, recorder);
        if let (true, Some(thread)) = (wakes, &self.thread) {
            thread.thread().unpark();
        }
    }

    /// Returns the number of decisions that were dropped, see [`Builder::capacity`].
    pub fn dropped(&self) -> u64 {
        self.buffers.dropped()
    }

    /// Returns what the log has done so far: what was written, failed and dropped, what waits, the last error of the
    /// sink, and whether the sink blocks.
    pub fn status(&self) -> Status {
        self.progress.status(&self.buffers)
    }

    /// Writes what waits, and ends the log. Waits for a sink that blocks; see [`DecisionLog::close_within`].
    pub fn close(mut self) -> Summary {
        self.end(None);
        self.progress.summary(&self.buffers)
    }

    /// Writes what waits, and ends the log, but waits no longer than a time. What is [waiting](Summary::waiting) then is
    /// written later, if the sink continues before the process ends.
    pub fn close_within(mut self, longest: Duration) -> Summary {
        self.end(Some(longest));
        self.progress.summary(&self.buffers)
    }

    fn end(&mut self, longest: Option<Duration>) {
        let Some(thread) = self.thread.take() else { return };
        self.buffers.close();
        thread.thread().unpark();
        if longest.is_none_or(|longest| self.progress.wait(longest)) {
            // The thread catches panics of the sink.
            let _ = thread.join();
        }
    }
}

/// Writes what waits, as [`DecisionLog::close`] does.
impl Drop for DecisionLog {
    fn drop(&mut self) {
        self.end(None);
    }
}
