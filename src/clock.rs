//! The clock, on machines that have one: WebAssembly without WASI has none, and asking the standard library for the time
//! panics there.

use std::time::{Duration, Instant};

/// A point in time. Without a clock, no time passes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimePoint(Option<Instant>);

impl TimePoint {
    /// Returns the present.
    pub(crate) fn now() -> Self {
        let has_clock = !cfg!(all(target_family = "wasm", target_os = "unknown"));
        Self(has_clock.then(Instant::now))
    }

    /// Returns the time that has passed since then.
    pub(crate) fn elapsed(self) -> Duration {
        self.0.map_or(Duration::ZERO, |then| then.elapsed())
    }
}
