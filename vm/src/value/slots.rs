//! Slots: the values of a scope, each with an arena of its own, so that one can be replaced
//! while the others stay, without touching the heap after the first round.
//!
//! A fork has the values of its origin and shares their memory. Shared memory is never written:
//! whoever fills a slot again, the fork or the origin, does so in memory of its own.
//!
//! ```text
//! origin   values  ● ● ● ●          fork   values  ● ● ● ●      the same words, but for slot 2,
//!          own     A B C D                 own     - - E -      which lives in E
//!          shared  ─────────▶ [A B C D] ◀─ base
//! ```
//! `shared` is made by the first fork and kept until a slot of the origin changes, so that further
//! forks cost one reference and a copy of the words.
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
    /// Then unset ones, so that programs can begin with a copy of as many as they have registers.
    values: Vec<Value<'static>>,
    /// How many of them are slots.
    count: usize,
    /// See [`Frame`].
    blocked: u64,
    /// SlotMemory by slot; shorter than `values` where the last slots never had any.
    own: Vec<Own>,
    /// The memory of the values that do not live in `own`.
    base: Option<Arc<SlotMemory>>,
    /// The memory of all values, once a fork has asked for it.
    shared: OnceLock<Arc<SlotMemory>>,
    limits: Limits,
    symbols: Arc<Symbols>,
}

/// Values that a program may copy at once.
const IN_A_ROW: usize = 16;

/// What keeps the values of slots alive.
type SlotMemory = Box<[Option<Arc<Arena>>]>;

/// The memory of one slot.
#[derive(Default)]
struct Own {
    arena: Option<Arc<Arena>>,
    /// Whether the slot's value lives in it.
    live: bool,
}

// SAFETY: values borrow only from the arenas of `own` and `base`, which `&Slots` never gives out.
// An arena is written only through `Arc::get_mut`, so by the one who alone has it, and read only
// by `exhausted`, of whoever wrote it last; its parts (bytes, `Big`, values) may move to another
// thread and be dropped there.
unsafe impl Send for Slots {}
// SAFETY: see `Send`.
unsafe impl Sync for Slots {}

impl fmt::Debug for Slots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.values()).finish()
    }
}

impl Slots {
    /// `count` empty slots, each of which may hold as much as `limits` allow. Objects built in
    /// them get their symbols from the table.
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

    /// What programs see.
    #[inline]
    pub fn frame(&self) -> Frame<'_, '_> {
        Frame::of_parts(&self.values, self.blocked)
    }

    /// The values; `UNSET` where there is none.
    #[inline]
    pub fn values(&self) -> &[Value<'_>] {
        &self.values[..self.count]
    }

    /// Replaces the value of a slot by what `make` builds in the slot's arena, which is empty
    /// then. When `make` fails the slot is empty. A slot that does not exist is not filled.
    pub fn replace<E>(
        &mut self,
        slot: usize,
        make: impl for<'a> FnOnce(&'a Arena) -> Result<Value<'a>, E>,
    ) -> Result<(), E> {
        let Some(value) = self.values[..self.count].get_mut(slot) else { return Ok(()) };
        *value = Value::UNSET;
        self.blocked |= bit_of(slot);
        // Later forks see other values; those that there are keep what they share.
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
        // SAFETY: `make` works for any lifetime, so what it returns borrows from the arena or
        // lives forever. The arena does not move, for it stands behind an `Arc`, and that stays in
        // `own` as long as the value here is not replaced, and in the memory of every fork that
        // has the value too. It is reset only above, where the value has been forgotten and no
        // fork holds the arena; `values` shortens the lifetime to the borrow of `self`.
        *value = unsafe { std::mem::transmute::<Value<'_>, Value<'static>>(made) };
        if !value.is_unset_or_marked() && slot < 63 {
            self.blocked &= !bit_of(slot);
        }
        Ok(())
    }

    /// Empties a slot.
    pub fn clear(&mut self, slot: usize) {
        if let Some(value) = self.values[..self.count].get_mut(slot) {
            *value = Value::UNSET;
            self.blocked |= bit_of(slot);
        }
    }

    /// The limit that filling a slot exceeded, if it did.
    pub fn exhausted(&self, slot: usize) -> Option<Exhausted> {
        let own = self.own.get(slot).filter(|own| own.live)?;
        own.arena.as_ref()?.budget().exhausted()
    }

    /// Slots with the same values, which may then differ. What they have in common they share.
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

    /// Becomes what a fork of `origin` is, and keeps the memory of its own for later values.
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

    /// What keeps the values alive.
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

/// An empty arena for one slot.
fn fresh(limits: Limits, symbols: &Arc<Symbols>) -> Arc<Arena> {
    let mut arena = Arena::with_limits(limits);
    arena.set_symbols(Arc::clone(symbols));
    Arc::new(arena)
}

const fn bit_of(slot: usize) -> u64 {
    Slot(if slot < 63 { cast::operand(slot) } else { 63 }).bit()
}
