//! Ending evaluations from outside: by a deadline, or by a flag that any thread sets. The machine asks
//! through its trait [`Interrupt`] whenever it refills its fuel.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use hclvm_vm::{Exhausted, Interrupt};

use crate::clock::TimePoint;

/// The deadline and the flag of a session.
#[derive(Debug)]
pub(crate) struct SessionInterrupt {
    cancel: Cancel,
    /// The origin of `deadline`.
    epoch: TimePoint,
    /// Nanoseconds after `epoch` at which the evaluation ends; `u64::MAX` if it has no deadline.
    deadline: AtomicU64,
}

impl Default for SessionInterrupt {
    fn default() -> Self {
        Self { cancel: Cancel::default(), epoch: TimePoint::now(), deadline: AtomicU64::new(u64::MAX) }
    }
}

impl SessionInterrupt {
    /// Creates an interrupt without deadline that `cancel` triggers.
    pub(crate) fn by(cancel: Cancel) -> Self {
        Self { cancel, ..Self::default() }
    }

    /// Returns the flag.
    pub(crate) fn cancel(&self) -> Cancel {
        self.cancel.clone()
    }

    /// Sets the deadline of an evaluation that begins now.
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

/// Stops the evaluations of one or several sessions from any thread.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

/// The flag that a host already has, such as one that a signal handler sets: true cancels.
///
/// ```
/// use hclvm::run::Cancel;
/// use std::sync::{Arc, atomic::{AtomicBool, Ordering}};
///
/// let engine = hclvm::Engine::new();
/// let (mut session, flag) = (engine.session(), Arc::new(AtomicBool::new(false)));
/// session.set_cancel(&Cancel::from(Arc::clone(&flag)));
/// flag.store(true, Ordering::Relaxed);
/// let (layout, text) = (Arc::default(), "[for a in [1, 2]: a]");
/// let program = engine.compile(text, &layout)?;
/// assert!(session.run(&program, &engine.scope(&layout)).is_err());
/// # Ok::<(), hclvm::Error>(())
/// ```
impl From<Arc<AtomicBool>> for Cancel {
    fn from(flag: Arc<AtomicBool>) -> Self {
        Self(flag)
    }
}

impl Cancel {
    /// Creates a flag for [`Session::set_cancel`](crate::Session::set_cancel).
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends the current evaluations, and every later one when it begins, until [`Cancel::allow`].
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Allows the sessions to evaluate again.
    pub fn allow(&self) {
        self.0.store(false, Ordering::Relaxed);
    }
}
