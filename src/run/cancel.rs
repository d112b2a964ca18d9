//! Ending an evaluation from outside: a deadline, a flag that another thread sets.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use hclvm_vm::{Exhausted, Interrupt};

/// What ends the evaluations of a session.
#[derive(Debug)]
pub(crate) struct SessionInterrupt {
    cancel: Cancel,
    /// When the session was made; times are counted from here.
    epoch: Instant,
    /// Nanoseconds since then at which the evaluation has to end.
    deadline: AtomicU64,
}

impl Default for SessionInterrupt {
    fn default() -> Self {
        Self { cancel: Cancel::default(), epoch: Instant::now(), deadline: AtomicU64::new(u64::MAX) }
    }
}

impl SessionInterrupt {
    /// What `cancel` and a deadline end.
    pub(crate) fn by(cancel: Cancel) -> Self {
        Self { cancel, ..Self::default() }
    }

    /// What ends it besides the deadline.
    pub(crate) fn cancel(&self) -> Cancel {
        self.cancel.clone()
    }

    /// The evaluation that begins now has to end after `time`.
    pub(crate) fn start(&self, time: Option<Duration>) {
        let deadline = time.map_or(u64::MAX, |time| nanoseconds(self.epoch.elapsed().saturating_add(time)));
        self.deadline.store(deadline, Ordering::Relaxed);
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

impl Interrupt for SessionInterrupt {
    fn ended(&self) -> Option<Exhausted> {
        if self.cancel.0.load(Ordering::Relaxed) {
            return Some(Exhausted::Cancelled);
        }
        let deadline = self.deadline.load(Ordering::Relaxed);
        let late = deadline != u64::MAX && nanoseconds(self.epoch.elapsed()) > deadline;
        late.then_some(Exhausted::Time)
    }
}

/// Stops the evaluations of a session, or of all sessions it was given to, from any thread.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// For sessions that are [given](crate::Session::set_cancel) it.
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends the evaluations under way, and every later one as soon as it begins, until
    /// [`Cancel::allow`].
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Lets the sessions evaluate again.
    pub fn allow(&self) {
        self.0.store(false, Ordering::Relaxed);
    }
}
