//! The place where an engine compiles: memory that one compilation after the other uses.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, TryLockError};

use hclvm_compiler::lower::Scratch;

/// Memory to compile in, and how often that was done.
#[derive(Debug, Default)]
pub(crate) struct Bench {
    scratch: Mutex<Scratch>,
    /// How often in that memory. Only who has it counts, so that nobody else has to be kept off.
    here: AtomicU64,
    /// How often in other memory.
    elsewhere: AtomicU64,
}

impl Bench {
    /// Lends memory to compile something in. Whoever finds it in use takes new memory, for others
    /// may take long.
    pub(crate) fn lend<R>(&self, compile: impl FnOnce(&Scratch) -> R) -> R {
        let mut scratch = match self.scratch.try_lock() {
            Ok(scratch) => scratch,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => {
                self.count();
                return compile(&Scratch::default());
            }
        };
        self.here.store(self.here.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        let result = compile(&scratch);
        scratch.reset();
        result
    }

    /// Counts something that is compiled without that memory.
    pub(crate) fn count(&self) {
        self.elsewhere.fetch_add(1, Ordering::Relaxed);
    }

    /// How many times something was compiled.
    pub(crate) fn compiled(&self) -> u64 {
        self.here.load(Ordering::Relaxed) + self.elsewhere.load(Ordering::Relaxed)
    }
}
