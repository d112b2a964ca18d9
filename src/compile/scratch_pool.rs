//! The place where an engine compiles: memory that one compilation after the other uses, and that of
//! programs which are gone.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, TryLockError};

use hclvm_compiler::lower::{Scratch, TooLarge};
use hclvm_vm::code::fast::Fast;

use crate::compile::program::Artifact;

/// Memory to compile in, and how often that was done.
#[derive(Debug, Default)]
pub(crate) struct Bench {
    memory: Mutex<Memory>,
    /// How often in that memory. Only who has it counts, so that nobody else has to be kept off.
    here: AtomicU64,
    /// How often in other memory.
    elsewhere: AtomicU64,
}

#[derive(Debug, Default)]
struct Memory {
    scratch: Scratch,
    /// Small bodies that nobody uses any more, to be made anew.
    spare: Vec<Arc<Artifact>>,
}

/// So many bodies are worth keeping, each with so many bytes of constants.
const MOST_SPARE: usize = 256;
const MOST_CONSTANTS: usize = 256;

impl Bench {
    /// Lends memory to compile something in. Whoever finds it in use takes new memory, for others
    /// may take long.
    pub(crate) fn make(
        &self,
        compile: impl FnOnce(&Scratch, &mut Artifact) -> Result<(), TooLarge>,
    ) -> Result<Arc<Artifact>, TooLarge> {
        let mut memory = match self.memory.try_lock() {
            Ok(memory) => memory,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => {
                self.count();
                return Memory::default().make(compile);
            }
        };
        self.here.store(self.here.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        memory.make(compile)
    }

    /// Takes the memory of bodies, unless others use it or the bench is in use.
    pub(crate) fn take_back(&self, bodies: impl Iterator<Item = Arc<Artifact>>) {
        let Ok(mut memory) = self.memory.try_lock() else { return };
        for mut body in bodies {
            if memory.spare.len() < MOST_SPARE
                && let Some(place) = Arc::get_mut(&mut body)
                && is_small(place)
            {
                // Nothing is kept that it refers to.
                place.clear();
                memory.spare.push(body);
            }
        }
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

impl Memory {
    fn make(
        &mut self,
        compile: impl FnOnce(&Scratch, &mut Artifact) -> Result<(), TooLarge>,
    ) -> Result<Arc<Artifact>, TooLarge> {
        let mut body = self.spare.pop().unwrap_or_default();
        if let Some(place) = Arc::get_mut(&mut body) {
            let made = compile(&self.scratch, place);
            self.scratch.reset();
            return made.map(|()| body);
        }
        // Never, for a body was kept because nobody else had it.
        let mut body = Artifact::default();
        compile(&self.scratch, &mut body).map(|()| Arc::new(body))
    }
}

/// Whether a body has little memory besides its own.
fn is_small(body: &Artifact) -> bool {
    let Fast { ops, slots, names, functions, constants, .. } = &body.fast;
    let spilled = ops.spilled() || slots.spilled() || names.spilled() || functions.spilled();
    body.full.get().is_none() && !spilled && constants.allocated_bytes() <= MOST_CONSTANTS
}
