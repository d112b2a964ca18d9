//! Frames: the values that programs read, by slot, with a bit set of those that the fast tier cannot read.
//! A frame borrows its values; scopes own them.

use super::Value;
use crate::memory::slot::Slot;

/// The values of a scope's slots, and the set of those that the fast tier cannot read: missing and marked
/// ones.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'v, 'a> {
    values: &'v [Value<'a>],
    /// The bits of those slots; see [`Slot::bit`]. The last bit, which many slots share, is always set.
    blocked: u64,
}

impl<'v, 'a> Frame<'v, 'a> {
    /// Creates a frame and computes its bits.
    pub fn new(values: &'v [Value<'a>]) -> Self {
        let blocked = values.iter().zip(0..63).filter(|(value, _)| value.is_unset_or_marked());
        let blocked = blocked.fold(1 << 63, |bits, (_, slot)| bits | Slot(slot).bit());
        Self { values, blocked }
    }

    /// Creates a frame from values and their bits.
    #[inline]
    pub(crate) const fn of_parts(values: &'v [Value<'a>], blocked: u64) -> Self {
        Self { values, blocked }
    }

    /// Returns the bits of the slots that the fast tier cannot read.
    pub(crate) const fn blocked(self) -> u64 {
        self.blocked
    }

    /// Returns the bits of the first `slots` slots, and the last bit.
    pub(crate) const fn blocked_among(self, slots: usize) -> u64 {
        let first = if slots < 63 { (1 << slots) - 1 } else { u64::MAX };
        self.blocked & first | 1 << 63
    }

    /// Returns the bits after a slot received a value.
    pub(crate) fn with_value(blocked: u64, slot: usize, value: Value<'_>) -> u64 {
        match u16::try_from(slot) {
            Ok(slot) if slot < 63 && value.is_unset_or_marked() => blocked | Slot(slot).bit(),
            Ok(slot) if slot < 63 => blocked & !Slot(slot).bit(),
            _ => blocked,
        }
    }

    /// Returns the values; an unset one for each missing variable.
    #[inline]
    pub const fn values(self) -> &'v [Value<'a>] {
        self.values
    }

    /// Returns the value of a slot. Inlined: a bounds check.
    #[inline(always)]
    pub(crate) fn get(self, slot: Slot) -> Option<Value<'a>> {
        self.values.get(usize::from(slot.0)).copied()
    }
}
