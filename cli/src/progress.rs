//! The progress of a long stream of scopes on standard error, and a summary at its end.

use std::fmt;
use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Scopes from which on a stream has a summary: fewer lines can be counted by eye.
const MANY: u64 = 1_000;

/// Redraws per second.
const RATE: u8 = 5;

/// Counts the scopes of a stream, and shows them while it runs.
pub(crate) struct StreamProgress {
    bar: ProgressBar,
    start: Instant,
    scopes: u64,
    failed: u64,
}

impl StreamProgress {
    /// Starts counting. `bytes` is the size of the input if it is known. A bar is shown only if standard error
    /// is a terminal and the results go elsewhere.
    pub(crate) fn new(bytes: Option<u64>) -> Self {
        let target = if io::stdout().is_terminal() {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr_with_hz(RATE)
        };
        let bar = ProgressBar::with_draw_target(bytes, target);
        let template = match bytes {
            Some(_) => "{bar:30} {percent:>3} %  {msg}",
            None => "{spinner} {msg}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Self { bar, start: Instant::now(), scopes: 0, failed: 0 }
    }

    /// Counts scopes, those of them that have errors, and the bytes they took.
    pub(crate) fn add(&mut self, scopes: u64, failed: u64, bytes: u64) {
        self.scopes += scopes;
        self.failed += failed;
        if !self.bar.is_hidden() {
            self.bar.inc(bytes);
            self.bar.set_message(StreamSummary::of(self).to_string());
        }
    }

    /// Removes the bar and returns the summary of a stream of many scopes.
    pub(crate) fn finish(self) -> Option<String> {
        self.bar.finish_and_clear();
        (self.scopes >= MANY).then(|| StreamSummary::of(&self).to_string())
    }
}

/// What was counted, as a line.
struct StreamSummary {
    scopes: u64,
    failed: u64,
    time: Duration,
}

impl StreamSummary {
    fn of(progress: &StreamProgress) -> Self {
        Self { scopes: progress.scopes, failed: progress.failed, time: progress.start.elapsed() }
    }
}

impl fmt::Display for StreamSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { scopes, failed, time } = self;
        let rate = u128::from(*scopes) * 1_000_000 / time.as_micros().max(1);
        let time = time.as_secs_f64();
        write!(f, "{scopes} scopes, {failed} with errors, in {time:.1} s: {rate} scopes a second")
    }
}
