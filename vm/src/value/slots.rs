//! The values of a scope, by slot. Values are built in arenas, which several slots share, so that one value
//! can be replaced while the others stay, without heap allocations after the first round.
//!
//! ```text
//! arenas    A 2        B 1              each with the number of slots that were last set in it
//! homes     A  A  B    -                the arena in which each slot was last set
//! ```
//! A slot is set at most once in an arena: setting it again moves it to another one, which is empty then.
//! So the memory of a scope is bounded by that of its values and of the values before them, and a scope that
//! is set once has one arena.
//!
//! A fork has the values of its origin and shares their memory. Shared memory is never written: a slot
//! that is set again, in the fork or in the origin, gets memory of its own.
//!
//! ```text
//! origin   values  ● ● ● ●          fork   values  ● ● ● ●      the same words, but for slot 2,
//!          homes   A A B B                 homes   - - E -      which lives in E
//!          shared  ─────────▶ [A A B B] ◀─ base
//! ```
//! `shared` is created by the first fork and kept until a slot of the origin changes, so that further
//! forks cost one reference count and a copy of the values.
#![expect(unsafe_code, reason = "arenas and the values that borrow from them move together")]
#![expect(clippy::arc_with_non_send_sync, reason = "`Slots` says why it may go to other threads")]

use std::fmt;
use std::sync::atomic::{Ordering, fence};
use std::sync::{Arc, OnceLock};

use smallvec::SmallVec;

use super::Value;
use super::frame::Frame;
use super::owned::OwnedValue;
use super::packed::Packed;
use super::sharing::{Sharing, size_of_copies};
use crate::memory::arena::Arena;
use crate::memory::cast;
use crate::memory::name::Symbols;
use crate::memory::slot::Slot;

/// The values of a scope's slots. Small, because a host may keep many scopes: what only changing scopes need
/// is in `own`.
pub struct Slots {
    /// The values, padded with unset ones; see [`padded`].
    values: Box<[Value<'static>]>,
    /// The number of slots; the values from here on are padding.
    count: u16,
    /// The slots that programs may not read without a check; see [`Frame`].
    blocked: u64,
    /// The memory of the values whose slots were not set in `own`.
    base: Option<Memory>,
    own: Option<Box<Own>>,
}

/// Memory in which slots are set.
#[derive(Default)]
struct Own {
    /// The arena in which each slot was last set. Shorter than `values` if the last slots were never set.
    homes: SmallVec<[Home; 4]>,
    arenas: SmallVec<[Shelf; 1]>,
    /// The owners of values that slots share. Those of slots that were set since are never read.
    owners: Vec<Option<OwnedValue>>,
    /// The index of the arena to which slots are added.
    current: usize,
    /// The memory of all values; created by the first fork.
    shared: OnceLock<Memory>,
}

impl Own {
    /// Frees the memory in which a slot was set, after it got a value without.
    // Inlined into `Slots::put`.
    #[inline]
    fn leave_home(&mut self, slot: usize) {
        if let Some(home) = self.homes.get_mut(slot)
            && *home != NOWHERE
        {
            // Later forks see another value; existing forks keep the memory they share.
            self.shared.take();
            if let Some(shelf) = self.arenas.get_mut(cast::index(*home)) {
                shelf.slots -= 1;
            }
            *home = NOWHERE;
        }
    }
}

/// The index of an arena; [`NOWHERE`] if a slot was not set in any.
type Home = u32;

const NOWHERE: Home = Home::MAX;

/// An arena and the number of slots that were last set in it.
struct Shelf {
    arena: Arc<Arena>,
    slots: u32,
}

/// What keeps values alive, to be shared by forks.
#[derive(Clone)]
enum Memory {
    /// One piece for all values.
    Packed(Packed),
    /// An arena for all values, or for some.
    Arena(Arc<Arena>),
    /// That of a value which its owner shares.
    Owned(OwnedValue),
    /// Memory for each slot.
    Each(Arc<[Option<Memory>]>),
}

impl Memory {
    /// Returns the memory of the value of a slot.
    fn of_slot(&self, slot: usize) -> Option<Self> {
        match self {
            Self::Each(each) => each.get(slot).cloned().flatten(),
            whole => Some(whole.clone()),
        }
    }

    /// Returns true if both are one.
    fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Each(one), Self::Each(other)) => Arc::ptr_eq(one, other),
            (Self::Arena(one), Self::Arena(other)) => Arc::ptr_eq(one, other),
            (Self::Packed(one), Self::Packed(other)) => one.is(other),
            (Self::Owned(one), Self::Owned(other)) => one.is(other),
            _ => false,
        }
    }
}

// SAFETY: values borrow only from the memory of `own` and `base`, which `&Slots` never gives out. An arena is
// written only through `&mut Slots` that are its only owner; see `room`. Its parts (bytes, `Big`, values) may move to
// another thread and be dropped there.
unsafe impl Send for Slots {}
// SAFETY: see `Send`.
unsafe impl Sync for Slots {}

impl fmt::Debug for Slots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.values()).finish()
    }
}

impl Slots {
    /// Creates `count` empty slots; those beyond the 65,535th are left out.
    pub fn new(count: usize) -> Self {
        let count = u16::try_from(count).unwrap_or(u16::MAX);
        let values = vec![Value::UNSET; padded(usize::from(count))].into();
        Self { values, count, blocked: u64::MAX, base: None, own: None }
    }

    /// Returns the values as programs see them.
    #[inline]
    pub fn frame(&self) -> Frame<'_, '_> {
        Frame::of_parts(&self.values, self.blocked)
    }

    /// Returns the values, `UNSET` for empty slots.
    #[inline]
    pub fn values(&self) -> &[Value<'_>] {
        self.values.get(..usize::from(self.count)).unwrap_or_default()
    }

    /// Replaces the value of a slot by the result of `make`, which allocates in the arena it is given and
    /// may use as much as the arena's limits allow. If `make` fails or exceeds a limit, the slot is set to
    /// `absent`; the result is false in the latter case. Does nothing if there is no such slot. Arenas are
    /// created by `fresh`, which must give them the limits and symbols of the scope.
    ///
    /// # Errors
    ///
    /// Those of `make`.
    pub fn replace<E>(
        &mut self,
        slot: usize,
        absent: Value<'static>,
        fresh: impl FnOnce() -> Arena,
        make: impl for<'a> FnOnce(&'a Arena) -> Result<Value<'a>, E>,
    ) -> Result<bool, E> {
        if slot >= usize::from(self.count) {
            return Ok(true);
        }
        // Before the memory of the present value is reused.
        self.set(slot, absent);
        let own = self.own.get_or_insert_default();
        // Later forks see another value; existing forks keep the memory they share.
        own.shared.take();
        if own.homes.len() <= slot {
            own.homes.resize(slot + 1, NOWHERE);
        }
        if let Some(owner) = own.owners.get_mut(slot) {
            *owner = None;
        }
        let arena = room(&mut own.arenas, &mut own.homes[slot], &mut own.current, fresh);
        let made = make(arena)?;
        if arena.budget().exhausted().is_some() {
            return Ok(false);
        }
        // SAFETY: `make` works for any lifetime, so its result borrows from the arena or is static. The
        // arena does not move, because it is behind an `Arc`. That is kept in `own` until all values that were
        // built in it are replaced, and in the memory of every fork that has one of them. The arena is reset
        // only by `room`, if no slot has it as its home and no fork holds it. `values` shortens the lifetime
        // to the borrow of `self`.
        let made = unsafe { std::mem::transmute::<Value<'_>, Value<'static>>(made) };
        self.set(slot, made);
        Ok(true)
    }

    /// Sets a slot to a value that borrows nothing: `UNSET` empties it. A slot that does not exist is not set.
    pub fn set(&mut self, slot: usize, constant: Value<'static>) {
        if slot < usize::from(self.count)
            && let Some(value) = self.values.get_mut(slot)
        {
            *value = constant;
            self.blocked = Frame::with_value(self.blocked, slot, constant);
        }
    }

    /// Replaces the value of a slot by one that borrows nothing. Unlike [`Slots::set`], frees the memory of the
    /// value before it for later ones.
    // Inlined: a few instructions for most scopes, whose numbers never had memory.
    #[inline]
    pub fn put(&mut self, slot: usize, constant: Value<'static>) {
        if slot >= usize::from(self.count) || constant.is_unset_or_marked() {
            return self.set(slot, constant);
        }
        if let Some(value) = self.values.get_mut(slot) {
            *value = constant;
        }
        if let Ok(slot) = u16::try_from(slot)
            && slot < 63
        {
            self.blocked &= !Slot(slot).bit();
        }
        if let Some(own) = &mut self.own {
            own.leave_home(slot);
        }
    }

    /// Replaces the value of a slot by one whose memory the slots then share with its owner.
    pub fn share(&mut self, slot: usize, value: &OwnedValue) {
        if slot >= usize::from(self.count) {
            return;
        }
        // SAFETY: the value borrows from memory that its owner never writes and that does not move, because it is behind an
        // `Arc`. A clone of the owner is kept in `own` until the slot has another value, and in the memory of every fork that
        // has this one. `values` shortens the lifetime to the borrow of `self`.
        let shared = unsafe { std::mem::transmute::<Value<'_>, Value<'static>>(value.get()) };
        self.set(slot, shared);
        let own = self.own.get_or_insert_default();
        own.leave_home(slot);
        own.shared.take();
        if own.owners.len() <= slot {
            own.owners.resize(slot + 1, None);
        }
        own.owners[slot] = Some(value.clone());
    }

    /// Returns slots with the same values, which can then be set independently. The memory is shared.
    pub fn fork(&self) -> Self {
        let (values, base) = (self.values.clone(), self.memory().cloned());
        Self { values, count: self.count, blocked: self.blocked, base, own: None }
    }

    /// Turns `self` into a fork of `origin`, and keeps its own memory for later values, unless that has
    /// `other` limits or symbols.
    pub fn fork_from(&mut self, origin: &Self, other: bool) {
        self.values.clone_from(&origin.values);
        self.count = origin.count;
        self.blocked = origin.blocked;
        if other {
            self.own = None;
        } else if let Some(own) = &mut self.own {
            own.shared.take();
            own.homes.clear();
            own.owners.clear();
            for shelf in &mut own.arenas {
                shelf.slots = 0;
            }
        }
        let memory = origin.memory();
        let same = match (&self.base, memory) {
            (Some(base), Some(memory)) => base.is(memory),
            (base, memory) => base.is_none() && memory.is_none(),
        };
        if !same {
            self.base = memory.cloned();
        }
    }

    /// Returns slots with copies of the values, in one piece of memory of their size. Objects get their symbols
    /// from `symbols` if their names have to be looked up again.
    pub fn packed(&self, symbols: impl FnOnce() -> Arc<Symbols>) -> Self {
        let count = self.values().len();
        let mut values = self.values.clone();
        if count <= FEWEST {
            // Without most of the padding: the smallest register file copies no more.
            values = values.iter().copied().take(FEWEST).collect();
        }
        let mut packed = Self { base: None, own: None, values, ..*self };
        // SAFETY: the copies borrow from the memory that `base` keeps, which is never written again, and
        // `values` shortens their lifetime to the borrow of the slots.
        if let Some((values, memory)) = unsafe { Packed::copy_of(self.values()) } {
            packed.values[..count].copy_from_slice(&values);
            packed.base = memory.map(Memory::Packed);
            return packed;
        }
        let mut arena = Arena::unlimited(size_of_copies(self.values()));
        arena.set_symbols(symbols());
        let arena = Arc::new(arena);
        let mut sharing = Sharing::new(&arena);
        for (copy, value) in packed.values.iter_mut().zip(self.values()) {
            // SAFETY: the copy borrows from the arena only, which `base` keeps; see above.
            *copy = unsafe { std::mem::transmute::<Value<'_>, Value<'static>>(sharing.value(*value)) };
        }
        packed.base = Some(Memory::Arena(arena));
        packed
    }

    /// Returns the memory that keeps the values alive, for a fork to share; `None` if they need none.
    fn memory(&self) -> Option<&Memory> {
        let Some(own) = &self.own else { return self.base.as_ref() };
        Some(own.shared.get_or_init(|| {
            let memory = self.values().iter().enumerate().map(|(slot, value)| {
                if value.is_unset() {
                    return None;
                }
                match own.homes.get(slot).and_then(|home| own.arenas.get(cast::index(*home))) {
                    Some(shelf) => Some(Memory::Arena(Arc::clone(&shelf.arena))),
                    None => match own.owners.get(slot) {
                        Some(Some(owner)) => Some(Memory::Owned(owner.clone())),
                        _ => self.base.as_ref().and_then(|base| base.of_slot(slot)),
                    },
                }
            });
            Memory::Each(memory.collect())
        }))
    }
}

/// The number of values to which a packed scope of no more variables is padded.
pub(crate) const FEWEST: usize = 4;

/// Returns the number of values to which a scope is padded, so that programs copy their first registers as one
/// block of constant size: 8, or a multiple of 16. Packed ones may have 4.
pub(super) const fn padded(count: usize) -> usize {
    if count <= 8 { 8 } else { count.next_multiple_of(16) }
}

/// Returns the arena if there is no other owner. Values are added to it beside others, so that this is asked more
/// often than for a reset; [`Arc::get_mut`] takes two atomic operations.
fn only_owner(arena: &Arc<Arena>) -> Option<&Arena> {
    // The caller may write, and so be the only one that has the arena: nothing else makes owners.
    let alone = Arc::strong_count(arena) == 1;
    // What former owners on other threads read has been read before the arena is written.
    fence(Ordering::Acquire);
    alone.then_some(&**arena)
}

/// Moves a slot from its home to an arena in which it was not set before, and returns that. Another slot may
/// have its value there.
fn room<'s>(
    arenas: &'s mut SmallVec<[Shelf; 1]>,
    home: &mut Home,
    current: &mut usize,
    fresh: impl FnOnce() -> Arena,
) -> &'s Arena {
    let old = cast::index(*home);
    if let Some(shelf) = arenas.get_mut(old) {
        shelf.slots -= 1;
    }
    let mut at = *current;
    let added = match arenas.get_mut(at) {
        Some(shelf) if shelf.slots > 0 && old != at => only_owner(&shelf.arena).and_then(Arena::begin_value),
        _ => None,
    };
    if added.is_none() {
        if arenas.get(at).is_none_or(|shelf| shelf.slots > 0) {
            at = arenas.iter().position(|shelf| shelf.slots == 0).unwrap_or(arenas.len());
        }
        match arenas.get_mut(at) {
            None => arenas.push(Shelf { arena: Arc::new(fresh()), slots: 0 }),
            Some(shelf) => match Arc::get_mut(&mut shelf.arena) {
                Some(arena) => arena.reset(),
                None => shelf.arena = Arc::new(fresh()),
            },
        }
    }
    (*home, *current) = (cast::length(at), at);
    let shelf = &mut arenas[at];
    shelf.slots += 1;
    &shelf.arena
}
