//! Regions: values that stay, and what is made of them, together with the memory they borrow from.
//!
//! Unlike a [`Slots`](super::Slots), which has an arena for each value, a region has one: replacing a value
//! appends the new one, so that both can be read, and the memory of the old one is freed when all that is
//! kept is copied to a new region. [`Constants`](super::Constants) never change.
#![expect(unsafe_code, reason = "an arena and the state that borrows from it move together")]
#![expect(clippy::arc_with_non_send_sync, reason = "`Region` says why it may go to other threads")]

use std::fmt;
use std::sync::Arc;

use crate::memory::arena::Arena;
use crate::memory::limits::Limits;
use crate::memory::name::Symbols;

/// A type with a lifetime, which a region keeps: that of the region's memory.
pub trait Stored {
    /// The type with its lifetime.
    type In<'a>: Default;

    /// Shortens the lifetime. The body is the argument: it compiles if the type is covariant, which
    /// proves that a region may lend its state for a shorter time.
    fn shorten<'s, 'long: 's>(state: &'s Self::In<'long>) -> &'s Self::In<'s>;
}

/// Memory, and a state that borrows from it.
pub struct Region<S: Stored> {
    // Declared before the memory, so dropped first.
    state: S::In<'static>,
    /// Not a box: moving a box would end the borrows. Never shared.
    arena: Arc<Arena>,
}

// SAFETY: the state borrows only from the arena and from what lives forever. The arena has no other owner
// and moves along, and it is reached only through `&mut self`.
unsafe impl<S: Stored> Send for Region<S> where S::In<'static>: Send {}
// SAFETY: `&self` gives out the state alone; see `Send`. What it refers to in the arena has no interior
// mutability that a shared reference reaches, because values have none.
unsafe impl<S: Stored> Sync for Region<S> where S::In<'static>: Sync {}

impl<S: Stored> fmt::Debug for Region<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Region").field("bytes", &self.bytes()).finish_non_exhaustive()
    }
}

impl<S: Stored> Region<S> {
    /// Creates an empty region. Its memory has no limit but the depth of `limits`. Objects allocated in it
    /// get their symbols from the table.
    pub fn new(limits: Limits, symbols: Arc<Symbols>) -> Self {
        let mut arena = Arena::with_limits(Limits { fuel: u64::MAX, arena_bytes: usize::MAX, ..limits });
        arena.set_symbols(symbols);
        Self { state: S::In::default(), arena: Arc::new(arena) }
    }

    /// Returns the state.
    pub fn state(&self) -> &S::In<'_> {
        S::shorten(&self.state)
    }

    /// Changes the state. What it is to borrow is allocated in the arena.
    pub fn change<R>(&mut self, make: impl for<'a> FnOnce(&'a Arena, &mut S::In<'a>) -> R) -> R {
        let arena: &Arena = &self.arena;
        // SAFETY: only the lifetime of what the state borrows differs, and types of one size and layout
        // differ in nothing else. `make` works for any lifetime, so what it puts into the state borrows from
        // the arena or lives forever. The arena does not move, because it is behind an `Arc`, and lives as
        // long as the state.
        let state = unsafe { &mut *(&raw mut self.state).cast::<S::In<'_>>() };
        make(arena, state)
    }

    /// Returns the number of bytes that the memory takes.
    pub fn bytes(&self) -> usize {
        self.arena.allocated_bytes()
    }
}
