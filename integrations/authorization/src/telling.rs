//! What the program shows on its standard error, one line or report at a time.

use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Writes a line to the standard error. Where that is closed, nothing is reported.
pub fn say(text: &str) {
    let _ = writeln!(io::stderr().lock(), "hclvm-authorization: {text}");
}

/// Limits how often something is reported.
#[derive(Debug)]
pub(crate) struct Seldom {
    begin: Instant,
    every: Duration,
    /// Milliseconds from the beginning to the time from which something is reported again.
    next: AtomicU64,
}

impl Seldom {
    /// Reports at most one of `every` period.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_each_period_is_told() {
        let hour = Seldom::new(Duration::from_secs(3_600));
        assert_eq!([hour.is_due(), hour.is_due(), hour.is_due()], [true, false, false]);
        let always = Seldom::new(Duration::ZERO);
        assert_eq!([always.is_due(), always.is_due(), always.is_due()], [true, true, true]);
        let never_again = Seldom::new(Duration::MAX);
        assert_eq!([never_again.is_due(), never_again.is_due()], [true, false]);
        let short = Seldom::new(Duration::from_millis(20));
        assert!(short.is_due());
        std::thread::sleep(Duration::from_millis(40));
        assert!(short.is_due(), "the next period has begun");
    }
}
