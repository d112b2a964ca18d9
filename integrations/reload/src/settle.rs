//! When a change has settled: after a quiet period, or after a longest wait. A state machine over times that
//! the caller gives, so that it needs no clock.

use std::time::{Duration, Instant};

/// Collects notices of changes until no further one came for a while.
#[derive(Clone, Debug)]
pub struct Settling {
    quiet: Duration,
    longest: Duration,
    /// The times of the first and the last notice.
    notices: Option<(Instant, Instant)>,
}

impl Settling {
    /// Waits for `quiet` without a notice, but not longer than `longest` after the first one.
    pub fn new(quiet: Duration, longest: Duration) -> Self {
        Self { quiet, longest, notices: None }
    }

    /// Notes a change.
    pub fn notice(&mut self, now: Instant) {
        let first = self.notices.map_or(now, |(first, _)| first);
        self.notices = Some((first, now));
    }

    /// Returns when the changes have settled, if there are any.
    pub fn due(&self) -> Option<Instant> {
        let (first, last) = self.notices?;
        Some((last + self.quiet).min(first + self.longest))
    }

    /// Returns true once if the changes have settled.
    pub fn settled(&mut self, now: Instant) -> bool {
        let settled = self.due().is_some_and(|due| due <= now);
        if settled {
            self.notices = None;
        }
        settled
    }
}
