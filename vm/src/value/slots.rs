//! The values of a scope, by slot. Each slot has an arena of its own, so that one value can be replaced
//! while the others stay, without heap allocations after the first round.
//!
//! A fork has the values of its origin and shares their memory. Shared memory is never written: a slot
//! that is set again, in the fork or in the origin, gets memory of its own.
//!
//! ```text
//! origin   values  ● ● ● ●          fork   values  ● ● ● ●      the same words, but for slot 2,
//!          own     A B C D                 own     - - E -      which lives in E
//!          shared  ─────────▶ [A B C D] ◀─ base
//! ```
//! `shared` is created by the first fork and kept until a slot of the origin changes, so that further
//! forks cost one reference count and a copy of the values.
#![expect(unsafe_code, reason = "arenas and the values that borrow from them move together")]
#![expect(clippy::arc_with_non_send_sync, reason = "`Slots` says why it may go to other threads")]

use std::fmt;
use std::sync::{Arc, OnceLock};

use super::Value;
use crate::code::Slot;
use crate::exec::Frame;
use crate::memory::arena::Arena;
use crate::memory::cast;
use crate::memory::limits::{Exhausted, Limits};
use crate::memory::name::Symbols;

/// The values of a scope's slots.
pub struct Slots {
    /// The values, padded with unset ones, so that programs can copy as many as they have registers.
    values: Vec<Value<'static>>,
    /// The number of slots; the values from here on are padding.
    count: usize,
    /// The slots that programs may not read without a check; see [`Frame`].
    blocked: u64,
    /// The memory of each slot; shorter than `values` where the last slots never had any.
    own: Vec<Own>,
    /// The memory of the values that do not live in `own`.
    base: Option<Arc<SlotMemory>>,
    /// The memory of all values; created by the first fork.
    shared: OnceLock<Arc<SlotMemory>>,
    limits: Limits,
    symbols: Arc<Symbols>,
}

/// Values are padded to a multiple of this number, so that programs copy their first registers as one
/// block of constant size.
const IN_A_ROW: usize = 16;

/// The arenas that keep the values of slots alive.
type SlotMemory = Box<[Option<Arc<Arena>>]>;

/// The memory of one slot.
#[derive(Default)]
struct Own {
    arena: Option<Arc<Arena>>,
    /// True if the slot's value lives in this arena.
    live: bool,
}

// SAFETY: values borrow only from the arenas of `own` and `base`, which `&Slots` never gives out. An
// arena is written only through `Arc::get_mut`, so by its only owner, and read only by `exhausted`, for
// the slot's own arena. Its parts (bytes, `Big`, values) may move to another thread and be dropped there.
unsafe impl Send for Slots {}
// SAFETY: see `Send`.
unsafe impl Sync for Slots {}

impl fmt::Debug for Slots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.values()).finish()
    }
}

impl Slots {
    /// Creates `count` empty slots, each of which may hold as much as `limits` allow. Objects allocated
    /// in them get their symbols from the table.
    pub fn new(count: usize, limits: Limits, symbols: Arc<Symbols>) -> Self {
        Self {
            values: vec![Value::UNSET; count.next_multiple_of(IN_A_ROW)],
            count,
            blocked: u64::MAX,
            own: Vec::new(),
            base: None,
            shared: OnceLock::new(),
            limits,
            symbols,
        }
    }

    /// Returns the values as programs see them.
    #[inline]
    pub fn frame(&self) -> Frame<'_, '_> {
        Frame::of_parts(&self.values, self.blocked)
    }

    /// Returns the values, `UNSET` for empty slots.
    #[inline]
    pub fn values(&self) -> &[Value<'_>] {
        &self.values[..self.count]
    }

    /// Replaces the value of a slot by the result of `make`, which allocates in the slot's arena; the
    /// arena is empty then. If `make` fails, the slot stays empty. Does nothing if there is no such slot.
    ///
    /// # Errors
    ///
    /// Those of `make`.
    pub fn replace<E>(
        &mut self,
        slot: usize,
        make: impl for<'a> FnOnce(&'a Arena) -> Result<Value<'a>, E>,
    ) -> Result<(), E> {
        let Some(value) = self.values[..self.count].get_mut(slot) else { return Ok(()) };
        *value = Value::UNSET;
        self.blocked |= bit_of(slot);
        // Later forks see another value; existing forks keep the memory they share.
        self.shared.take();
        if self.own.len() <= slot {
            self.own.resize_with(slot + 1, Own::default);
        }
        let own = &mut self.own[slot];
        own.live = true;
        let arena: &Arena = match own.arena.as_mut().and_then(Arc::get_mut) {
            Some(arena) => {
                arena.reset();
                arena
            }
            None => own.arena.insert(fresh(self.limits, &self.symbols)),
        };
        let made = make(arena)?;
        // SAFETY: `make` works for any lifetime, so its result borrows from the arena or is static. The
        // arena does not move, because it is behind an `Arc`. That is kept in `own` until the value is
        // replaced, and in the memory of every fork that has the value. The arena is reset only above,
        // after the value was overwritten and only if no fork holds the arena. `values` shortens the
        // lifetime to the borrow of `self`.
        *value = unsafe { std::mem::transmute::<Value<'_>, Value<'static>>(made) };
        if !value.is_unset_or_marked() && slot < 63 {
            self.blocked &= !bit_of(slot);
        }
        Ok(())
    }

    /// Sets a slot to a value that borrows nothing: `UNSET` empties it. Later values of the slot
    /// reuse its arena. A slot that does not exist is not set.
    pub fn set(&mut self, slot: usize, constant: Value<'static>) {
        if let Some(value) = self.values[..self.count].get_mut(slot) {
            *value = constant;
            self.blocked |= bit_of(slot);
            if !constant.is_unset_or_marked() && slot < 63 {
                self.blocked &= !bit_of(slot);
            }
        }
    }

    /// Returns the limit that setting a slot exceeded, if any.
    pub fn exhausted(&self, slot: usize) -> Option<Exhausted> {
        let own = self.own.get(slot).filter(|own| own.live)?;
        own.arena.as_ref()?.budget().exhausted()
    }

    /// Returns slots with the same values, which can then be set independently. The memory is shared.
    pub fn fork(&self) -> Self {
        Self {
            values: self.values.clone(),
            count: self.count,
            blocked: self.blocked,
            own: Vec::new(),
            base: Some(Arc::clone(self.memory())),
            shared: OnceLock::new(),
            limits: self.limits,
            symbols: Arc::clone(&self.symbols),
        }
    }

    /// Turns `self` into a fork of `origin`, and keeps its own memory for later values.
    pub fn fork_from(&mut self, origin: &Self) {
        self.values.clone_from(&origin.values);
        self.count = origin.count;
        self.blocked = origin.blocked;
        self.shared.take();
        for own in &mut self.own {
            own.live = false;
        }
        self.own.truncate(self.count);
        let memory = origin.memory();
        if !self.base.as_ref().is_some_and(|base| Arc::ptr_eq(base, memory)) {
            self.base = Some(Arc::clone(memory));
        }
        if self.limits != origin.limits || !Arc::ptr_eq(&self.symbols, &origin.symbols) {
            self.limits = origin.limits;
            self.symbols = Arc::clone(&origin.symbols);
            self.own.clear();
        }
    }

    /// Returns the memory that keeps the values alive, for a fork to share.
    fn memory(&self) -> &Arc<SlotMemory> {
        self.shared.get_or_init(|| {
            let memory = self.values().iter().enumerate().map(|(slot, value)| {
                if value.is_unset() {
                    return None;
                }
                match self.own.get(slot) {
                    Some(Own { arena, live: true }) => arena.clone(),
                    _ => self.base.as_ref().and_then(|base| base.get(slot).cloned()).flatten(),
                }
            });
            Arc::new(memory.collect())
        })
    }
}

/// Creates an empty arena for one slot.
fn fresh(limits: Limits, symbols: &Arc<Symbols>) -> Arc<Arena> {
    let mut arena = Arena::with_limits(limits);
    arena.set_symbols(Arc::clone(symbols));
    Arc::new(arena)
}

const fn bit_of(slot: usize) -> u64 {
    Slot(if slot < 63 { cast::operand(slot) } else { 63 }).bit()
}
