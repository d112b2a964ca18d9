//! The buffers between the threads that decide and the thread that writes, and the word by which these signal each
//! other who is asleep.
//!
//! ```text
//! thread 1 ──▶ [ decision decision … ]      swapped with an empty one     ──▶ writes both in the order of time
//! thread 2 ──▶ [ decision … ]               every few milliseconds
//! ```
//! A thread appends to the buffer of its own number, so that its decisions are in order, and the memory it writes is
//! that of its last decision. The number of decisions that wait is a word that all threads would write: a buffer reserves
//! room for several decisions at once, so that a thread rarely waits for that word.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use hclvm::policy::Recorder;

/// The number of buffers: threads share one if there are more of them.
const COUNT: usize = 32;

/// The most bytes that a buffer keeps when it is empty: about a thousand decisions.
const LARGEST_KEPT: usize = 1 << 20;

/// What the thread does that writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Activity {
    /// It writes, and looks for further decisions before it sleeps.
    Writes,
    /// It sleeps for the delay.
    Waits,
    /// It sleeps until it is woken.
    Idles,
}

/// Decisions as bytes, and their number.
#[derive(Debug, Default)]
pub(crate) struct Buffer {
    pub(crate) bytes: Vec<u8>,
    /// What explains those of them that are explained, in order. The writer takes all out.
    pub(crate) recorders: Vec<Recorder>,
    count: usize,
    /// The further decisions for which room is reserved.
    reserved: usize,
}

/// A buffer in cache lines of its own: processors fetch lines in pairs of 64 bytes.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Shared(Mutex<Buffer>);

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Buffer> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Debug)]
pub(crate) struct Buffers {
    each: Box<[Shared]>,
    /// The most decisions that may wait.
    capacity: usize,
    /// The decisions for which a buffer reserves room at once: few enough that buffers together have at most an eighth
    /// of the capacity reserved that they do not use.
    share: usize,
    /// The decisions that wait, and those for which room is reserved.
    waiting: AtomicUsize,
    /// An [`Activity`].
    activity: AtomicU8,
    is_closed: AtomicBool,
    dropped: AtomicU64,
}

/// The numbers of threads.
static NEXT: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static NUMBER: usize = NEXT.fetch_add(1, Ordering::Relaxed);
}

/// Returns the decisions for which room is reserved at once.
fn share(capacity: usize) -> usize {
    (capacity / 256).clamp(1, 32)
}

impl Buffers {
    pub(crate) fn new(capacity: usize) -> Self {
        Self {
            each: (0..COUNT).map(|_| Shared::default()).collect(),
            capacity,
            share: share(capacity),
            waiting: AtomicUsize::new(0),
            activity: AtomicU8::new(Activity::Writes as u8),
            is_closed: AtomicBool::new(false),
            dropped: AtomicU64::new(0),
        }
    }

    /// Adds what `encode` appends, or counts it as dropped. Returns true if the writer has to be woken.
    pub(crate) fn add(&self, encode: impl FnOnce(&mut Vec<u8>), recorder: Option<Recorder>) -> bool {
        let own = &self.each[NUMBER.with(|number| number % COUNT)];
        let mut buffer = own.lock();
        let mut is_late = false;
        if buffer.reserved == 0 {
            let Some(waiting) = self.reserve() else {
                self.dropped.fetch_add(1, Ordering::Relaxed);
                return false;
            };
            buffer.reserved = self.share;
            is_late = self.is_late(waiting);
        }
        buffer.reserved -= 1;
        buffer.count += 1;
        encode(&mut buffer.bytes);
        buffer.recorders.extend(recorder);
        drop(buffer);
        // Either the writer finds the decision when it looks before it sleeps, or it has locked the buffer before this
        // thread did, which sees then that it is about to sleep.
        self.wakes(self.activity.load(Ordering::SeqCst), is_late)
    }

    /// Reserves room for a share of decisions. Returns the number of decisions for which room is taken; `None` if there
    /// is not enough.
    // Cold: it is called for one decision in 32.
    #[cold]
    fn reserve(&self) -> Option<usize> {
        let waiting = self.waiting.fetch_add(self.share, Ordering::Relaxed) + self.share;
        if waiting > self.capacity {
            self.waiting.fetch_sub(self.share, Ordering::Relaxed);
            return None;
        }
        Some(waiting)
    }

    /// Returns true if so many decisions wait that what can be left out of them is left out.
    pub(crate) fn is_crowded(&self) -> bool {
        self.is_late(self.waiting.load(Ordering::Relaxed))
    }

    /// Returns true if so many decisions wait that they are written before the delay has passed.
    fn is_late(&self, waiting: usize) -> bool {
        waiting > self.capacity / 2
    }

    /// Returns true for the first thread that finds the writer asleep for longer than it should be.
    fn wakes(&self, activity: u8, is_late: bool) -> bool {
        let (writes, order) = (Activity::Writes as u8, Ordering::SeqCst);
        let is_asleep = activity == Activity::Idles as u8 || activity == Activity::Waits as u8 && is_late;
        is_asleep && self.activity.compare_exchange(activity, writes, order, Ordering::Relaxed).is_ok()
    }

    /// Returns the number of decisions that were dropped.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    /// Ends the log. Nothing is added afterwards.
    pub(crate) fn close(&self) {
        self.is_closed.store(true, Ordering::SeqCst);
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::SeqCst)
    }

    /// Swaps the buffers that have decisions with empty ones, and returns the number of decisions. They wait until
    /// [`Buffers::taken`].
    pub(crate) fn swap(&self, empty: &mut Vec<Buffer>) -> usize {
        empty.resize_with(COUNT, Buffer::default);
        let mut count = 0;
        for (own, other) in empty.iter_mut().zip(&self.each) {
            own.bytes.clear();
            own.bytes.shrink_to(LARGEST_KEPT);
            own.count = 0;
            std::mem::swap(own, &mut other.lock());
            count += own.count;
            // The room that is not used is free for all buffers again.
            self.waiting.fetch_sub(std::mem::take(&mut own.reserved), Ordering::Relaxed);
        }
        count
    }

    /// Returns the number of decisions that wait in the buffers.
    pub(crate) fn count(&self) -> usize {
        self.each.iter().map(|own| own.lock().count).sum()
    }

    /// Closes the buffers: all further decisions are dropped. Returns the number of decisions that no writer will take.
    pub(crate) fn shut(&self) -> usize {
        // More than any capacity, and far enough from the largest number for threads that add their share for a moment.
        self.waiting.store(usize::MAX / 2, Ordering::Relaxed);
        self.swap(&mut Vec::new())
    }

    /// Notes that a decision no longer waits.
    pub(crate) fn taken(&self) {
        self.waiting.fetch_sub(1, Ordering::Relaxed);
    }

    /// Reports what the writer is about to do, before it looks a last time for decisions.
    pub(crate) fn announce(&self, activity: Activity) {
        self.activity.store(activity as u8, Ordering::SeqCst);
    }

    /// Returns true if the writer may sleep as it announced.
    pub(crate) fn may_sleep(&self, activity: Activity) -> bool {
        let has_work = match activity {
            Activity::Waits => self.is_late(self.waiting.load(Ordering::Relaxed)),
            Activity::Writes | Activity::Idles => self.each.iter().any(|own| own.lock().count > 0),
        };
        !has_work && !self.is_closed()
    }
}
