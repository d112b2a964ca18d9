//! The second word of a value: 64 bits that hold a pointer or an integer.
//!
//! ```text
//! pointers of 64 bits     the pointer, or the integer as a pointer without provenance
//! pointers of 32 bits     the pointer, or the low half of the integer as one      the high half, or zero
//! ```
//! A word is not a `u64` that is cast to a pointer, since the pointer would lose its provenance.

use std::ptr;

/// A pointer or an integer. The tag of the value says which.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct ValueData {
    pointer: *const (),
    #[cfg(target_pointer_width = "32")]
    high: u32,
}

impl ValueData {
    pub(super) const fn of(pointer: *const ()) -> Self {
        Self {
            pointer,
            #[cfg(target_pointer_width = "32")]
            high: 0,
        }
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the halves of the bits")]
    pub(super) const fn of_integer(value: i64) -> Self {
        Self {
            pointer: ptr::without_provenance(value as usize),
            #[cfg(target_pointer_width = "32")]
            high: (value >> 32) as u32,
        }
    }

    /// Returns the integer that the data was made of.
    pub(super) fn integer(self) -> i64 {
        let low = self.pointer.addr() as u64;
        #[cfg(target_pointer_width = "32")]
        let low = u64::from(self.high) << 32 | low;
        low.cast_signed()
    }

    /// Returns the pointer that the data was made of.
    pub(super) const fn cast<T>(self) -> *const T {
        self.pointer.cast()
    }

    pub(super) const fn is_null(self) -> bool {
        self.pointer.is_null()
    }

    /// Returns the address that the pointer has.
    pub(super) fn addr(self) -> usize {
        self.pointer.addr()
    }
}
