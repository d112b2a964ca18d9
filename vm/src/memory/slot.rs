//! The slots of a scope: the numbers that a [layout](super::layout) gives names.

use std::fmt;

/// A slot of the scope's layout.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slot(pub u16);

impl Slot {
    /// Returns the bit of this slot in a word; slots from 63 on share the last bit. A frame keeps a word
    /// with the bits of the slots that the fast tier cannot read.
    #[inline]
    pub const fn bit(self) -> u64 {
        1 << if self.0 < 63 { self.0 } else { 63 }
    }
}

impl fmt::Debug for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "s{}", self.0)
    }
}
