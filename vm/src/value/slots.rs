//! Slots: the values of a scope, each with an arena of its own, so that one can be replaced
//! while the others stay, without touching the heap after the first round.
#![expect(unsafe_code, reason = "arenas and the values that borrow from them move together")]

use std::fmt;
use std::sync::Arc;

use super::Value;
use crate::arena::Arena;
use crate::limits::Limits;
use crate::name::Symbols;

/// The values of a scope's slots.
pub struct Slots {
    values: Vec<Value<'static>>,
    #[expect(clippy::vec_box, reason = "the values borrow from arenas whose address stays")]
    arenas: Vec<Box<Arena>>,
}

// SAFETY: values borrow only from the arenas beside them, which `&Slots` never gives out, so
// nothing with interior mutability is shared; both move to another thread together.
unsafe impl Send for Slots {}
// SAFETY: see `Send`.
unsafe impl Sync for Slots {}

impl fmt::Debug for Slots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.values()).finish()
    }
}

impl Slots {
    /// `count` empty slots, each of which may hold as much as `limits` allow.
    pub fn new(count: usize, limits: Limits) -> Self {
        Self {
            values: vec![Value::UNSET; count],
            arenas: (0..count).map(|_| Box::new(Arena::with_limits(limits))).collect(),
        }
    }

    /// The values; `UNSET` where there is none.
    #[inline]
    pub fn values(&self) -> &[Value<'_>] {
        &self.values
    }

    /// Replaces the value of a slot by what `make` builds in the slot's arena, which is empty
    /// then. When `make` fails the slot is empty. A slot that does not exist is not filled.
    pub fn replace<E>(
        &mut self,
        slot: usize,
        make: impl for<'a> FnOnce(&'a Arena) -> Result<Value<'a>, E>,
    ) -> Result<(), E> {
        let (Some(value), Some(arena)) = (self.values.get_mut(slot), self.arenas.get_mut(slot)) else {
            return Ok(());
        };
        *value = Value::UNSET;
        arena.reset();
        let made = make(arena)?;
        // SAFETY: `make` works for any lifetime, so what it returns borrows from the arena or
        // lives forever. The arena is boxed, stays beside the value, and is reset only above,
        // where the value has been forgotten; `values` shortens the lifetime to the borrow of
        // `self`.
        *value = unsafe { std::mem::transmute::<Value<'_>, Value<'static>>(made) };
        Ok(())
    }

    /// Objects built from now on get the symbols of this table.
    pub fn set_symbols(&mut self, symbols: &Arc<Symbols>) {
        for arena in &mut self.arenas {
            arena.set_symbols(Arc::clone(symbols));
        }
    }

    /// Empties a slot.
    pub fn clear(&mut self, slot: usize) {
        if let Some(value) = self.values.get_mut(slot) {
            *value = Value::UNSET;
        }
    }

    /// The limit that filling a slot exceeded, if it did.
    pub fn exhausted(&self, slot: usize) -> Option<crate::limits::Exhausted> {
        self.arenas.get(slot)?.budget().exhausted()
    }
}
