//! What the program tells on its standard error, one line or report at a time.

use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Writes a line to the standard error. Where that is closed, nothing is told.
pub fn say(text: &str) {
    let _ = writeln!(io::stderr().lock(), "hclvm-ext-authz: {text}");
}

/// Limits how often something is told.
#[derive(Debug)]
pub(crate) struct Seldom {
    begin: Instant,
    every: Duration,
    /// Milliseconds from the beginning to the time from which something is told again.
    next: AtomicU64,
}

impl Seldom {
    /// Tells at most one of `every` period.
    pub(crate) fn new(every: Duration) -> Self {
        Self { begin: Instant::now(), every, next: AtomicU64::new(0) }
    }

    /// Returns true for the first call of a period.
    pub(crate) fn is_due(&self) -> bool {
        let milliseconds = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let (now, next) = (milliseconds(self.begin.elapsed()), self.next.load(Ordering::Relaxed));
        let after = now.saturating_add(milliseconds(self.every));
        now >= next && self.next.compare_exchange(next, after, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }
}
