//! Ending an evaluation from outside: a deadline, a flag that another thread sets.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use hclvm_vm::limits::{Exhausted, Watch};

/// What ends the evaluations of a session.
#[derive(Debug)]
pub(crate) struct Stop {
    cancelled: AtomicBool,
    /// When the session was made; times are counted from here.
    epoch: Instant,
    /// Nanoseconds since then at which the evaluation has to end.
    deadline: AtomicU64,
}

impl Default for Stop {
    fn default() -> Self {
        Self { cancelled: AtomicBool::new(false), epoch: Instant::now(), deadline: AtomicU64::new(u64::MAX) }
    }
}

impl Stop {
    /// The evaluation that begins now has to end after `time`.
    pub(crate) fn start(&self, time: Option<Duration>) {
        let deadline = time.map_or(u64::MAX, |time| nanoseconds(self.epoch.elapsed().saturating_add(time)));
        self.deadline.store(deadline, Ordering::Relaxed);
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

impl Watch for Stop {
    fn ended(&self) -> Option<Exhausted> {
        if self.cancelled.load(Ordering::Relaxed) {
            return Some(Exhausted::Cancelled);
        }
        let deadline = self.deadline.load(Ordering::Relaxed);
        let late = deadline != u64::MAX && nanoseconds(self.epoch.elapsed()) > deadline;
        late.then_some(Exhausted::Time)
    }
}

/// Stops the evaluations of one session, from any thread.
#[derive(Clone, Debug)]
pub struct Cancel(Arc<Stop>);

impl Cancel {
    pub(crate) fn new(stop: Arc<Stop>) -> Self {
        Self(stop)
    }

    /// Ends the evaluation under way, and every later one as soon as it begins, until
    /// [`Cancel::allow`].
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::Relaxed);
    }

    /// Lets the session evaluate again.
    pub fn allow(&self) {
        self.0.cancelled.store(false, Ordering::Relaxed);
    }
}
