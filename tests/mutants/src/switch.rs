//! The switch between mutants. This file is not part of the tool: it is copied into the instrumented
//! tree as a crate of its own, `mutant_switch`, which every instrumented package depends on.
//!
//! The environment decides once per process: `MUTANT=17` chooses mutant 17; `MUTANT_REACH=file` records
//! the mutants that are reached, one byte of the file each; without either no mutant is active.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering::Relaxed};

/// The environment has not been read yet.
const UNREAD: u32 = u32::MAX;
/// Reached mutants are recorded, none is active.
const RECORDING: u32 = u32::MAX - 1;
/// No mutant is active.
const NONE: u32 = u32::MAX - 2;

/// The id of the active mutant, or one of the constants above.
static ACTIVE: AtomicU32 = AtomicU32::new(UNREAD);
/// More than the highest id. Static, because some tests count allocations.
const MOST: usize = 1 << 17;
static REACHED: [AtomicU8; MOST] = [const { AtomicU8::new(0) }; MOST];
static FILE: OnceLock<Option<File>> = OnceLock::new();

/// True if the mutant is active.
#[inline]
pub fn on(id: u32) -> bool {
    let active = ACTIVE.load(Relaxed);
    active == id || active >= RECORDING && seldom(id, active)
}

/// Reads the environment, or records that a mutant is reached.
#[cold]
fn seldom(id: u32, active: u32) -> bool {
    if active == UNREAD {
        let chosen = std::env::var("MUTANT").ok().and_then(|id| id.parse().ok());
        let file = std::env::var_os("MUTANT_REACH");
        let next = if file.is_some() { RECORDING } else { chosen.unwrap_or(NONE) };
        FILE.get_or_init(|| OpenOptions::new().write(true).open(file?).ok());
        ACTIVE.store(next, Relaxed);
        return on(id);
    }
    if REACHED[id as usize].swap(1, Relaxed) == 0 {
        if let Some(Some(file)) = FILE.get() {
            // Written at once: a process may end without running destructors.
            let _ = file.write_at(&[1], u64::from(id));
        }
    }
    false
}

/// `Iterator::rev`, or not: both have one type.
#[derive(Clone, Debug)]
pub struct Reversed<I> {
    inner: I,
    forward: bool,
}

/// Reverses an iterator unless `forward` is true.
pub fn reversed<I: IntoIterator>(inner: I, forward: bool) -> Reversed<I::IntoIter> {
    Reversed { inner: inner.into_iter(), forward }
}

impl<I: DoubleEndedIterator> Iterator for Reversed<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        if self.forward { self.inner.next() } else { self.inner.next_back() }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.inner.size_hint()
    }
}

impl<I: DoubleEndedIterator> DoubleEndedIterator for Reversed<I> {
    fn next_back(&mut self) -> Option<I::Item> {
        if self.forward { self.inner.next_back() } else { self.inner.next() }
    }
}

impl<I: DoubleEndedIterator + ExactSizeIterator> ExactSizeIterator for Reversed<I> {}
