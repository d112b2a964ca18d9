//! Memory that compilations reuse: the compiler's arena and the artifacts of dropped programs. It
//! holds no code in use; the [cache](crate::compile::cache) finds that.

use std::fmt;
use std::panic::RefUnwindSafe;
use std::sync::atomic::{AtomicU64, Ordering};

use hclvm_compiler::lower::{Scratch, TooLarge};
use hclvm_vm::code::fast::Fast;
use try_lock::{Locked, TryLock};

use crate::compile::artifact::{Artifact, SharedArtifact, UniqueArtifact};

/// Memory to compile in, and the number of compilations.
///
/// No thread waits for the memory, so its locks need no queue: one is released by a plain store. The lock of the
/// standard library takes an atomic read-modify-write operation more for each compilation.
#[derive(Debug, Default)]
pub(crate) struct ScratchPool {
    memory: TryLock<CompileMemory>,
    /// For other threads that compile at once.
    further: [TryLock<CompileMemory>; 7],
    /// Compilations in `memory`. Written only while `memory` is locked, so a plain load and store
    /// replace an atomic addition.
    pooled: AtomicU64,
    /// Compilations elsewhere.
    unpooled: AtomicU64,
}

/// A compilation that panics leaves memory that is not empty, which the next one does not read.
impl RefUnwindSafe for ScratchPool {}

#[derive(Default)]
struct CompileMemory {
    scratch: Scratch,
    /// Artifacts of dropped programs, emptied, whose memory can be refilled.
    spare: Vec<UniqueArtifact>,
}

impl fmt::Debug for CompileMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CompileMemory").field("spare", &self.spare.len()).finish_non_exhaustive()
    }
}

/// Spare artifacts that are kept: as many as a unit looks up at once, so that replacing a document
/// of usual size frees and allocates none.
const MAX_SPARE: usize = 256;
/// Bytes of constants in a spare artifact. An artifact takes less than 1 KiB with them, so that all
/// spare ones take at most 256 KiB.
const MAX_CONSTANTS: usize = 256;

const _: () = assert!(size_of::<Artifact>() + MAX_CONSTANTS <= 1024);

impl ScratchPool {
    /// Compiles an artifact in pooled memory. While other threads use all of it, compiles in new
    /// memory instead of waiting for a compilation that may take long.
    pub(crate) fn compile(
        &self,
        compile: impl FnOnce(&Scratch, &mut Artifact) -> Result<(), TooLarge>,
    ) -> Result<SharedArtifact, TooLarge> {
        let mut lent;
        let mut new;
        let memory = if let Some(memory) = self.lend() {
            lent = memory;
            &mut *lent
        } else {
            new = CompileMemory::default();
            &mut new
        };
        memory.compile(compile)
    }

    /// Returns an artifact without code, for a compilation for the baseline tier alone, which is counted.
    pub(crate) fn without_code(&self) -> SharedArtifact {
        let spare = self.lend().and_then(|mut memory| memory.spare.pop());
        spare.map_or_else(SharedArtifact::default, UniqueArtifact::shareable)
    }

    /// Lends memory unless other threads use all of it, and counts the compilation.
    fn lend(&self) -> Option<Locked<'_, CompileMemory>> {
        let Some(memory) = self.memory.try_lock() else {
            self.count_unpooled();
            return self.further.iter().find_map(TryLock::try_lock);
        };
        self.pooled.store(self.pooled.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        Some(memory)
    }

    /// Keeps the memory of artifacts that nothing else refers to, unless the pool is in use.
    pub(crate) fn take_back(&self, artifacts: impl Iterator<Item = SharedArtifact>) {
        let Some(mut memory) = self.memory.try_lock() else { return };
        for artifact in artifacts {
            if memory.spare.len() >= MAX_SPARE || !is_small(&artifact) {
                continue;
            }
            let Ok(mut artifact) = SharedArtifact::try_unique(artifact) else { continue };
            artifact.clear();
            memory.spare.push(artifact);
        }
    }

    /// Counts a compilation that does not use the pool.
    pub(crate) fn count_unpooled(&self) {
        self.unpooled.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the number of compilations.
    pub(crate) fn compiled(&self) -> u64 {
        self.pooled.load(Ordering::Relaxed) + self.unpooled.load(Ordering::Relaxed)
    }
}

impl CompileMemory {
    #[inline(always)] // Its only caller is compiled for each closure.
    fn compile(
        &mut self,
        compile: impl FnOnce(&Scratch, &mut Artifact) -> Result<(), TooLarge>,
    ) -> Result<SharedArtifact, TooLarge> {
        let mut artifact = self.spare.pop().unwrap_or_else(|| UniqueArtifact::new(Artifact::default()));
        let result = compile(&self.scratch, &mut artifact);
        self.scratch.reset();
        result.map(|()| artifact.shareable())
    }
}

/// Returns true if an artifact that is emptied owns little memory beside its own fields.
fn is_small(artifact: &Artifact) -> bool {
    let Fast { ops, slots, names, functions, constants, .. } = &artifact.fast;
    let spilled = ops.spilled() || slots.spilled() || names.spilled() || functions.spilled();
    !spilled && constants.allocated_bytes() <= MAX_CONSTANTS
}
