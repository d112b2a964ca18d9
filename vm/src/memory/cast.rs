//! Conversions between integer widths, by name and at the one place where each can overflow.
//!
//! Ids, offsets and counts are stored in 32 or 16 bits, while slices are indexed with `usize`.
//! Widening goes through [`index`] or `From`; narrowing goes through the function whose bound the
//! caller has checked. Debug builds assert that bound. Conversions of numbers of the language are
//! in [`number`](crate::number), not here.

/// Widens a stored id, offset or count to an index. Lossless: no target has pointers of fewer than 32 bits.
#[inline]
pub const fn index(stored: u32) -> usize {
    stored as usize
}

/// Narrows a length or an index to the 32 bits in which it is stored.
///
/// The bound is the caller's: sources are limited to 4 GiB, and a value or a program with 2³²
/// parts exceeds every memory limit first. Debug builds assert it; release builds keep the low 32
/// bits, as `as` does.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the bound is documented above and asserted")]
pub const fn length(count: usize) -> u32 {
    debug_assert!(count <= u32::MAX as usize);
    count as u32
}

/// Narrows an index to the 16 bits of an instruction's operand. The caller has compared it with
/// the instruction format's limit; debug builds assert that.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the bound is documented above and asserted")]
pub const fn operand(index: usize) -> u16 {
    debug_assert!(index <= u16::MAX as usize);
    index as u16
}

/// Narrows an index to the 8 bits of a register number. The caller has compared it with the
/// number of registers; debug builds assert that.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the bound is documented above and asserted")]
pub const fn register(index: usize) -> u8 {
    debug_assert!(index <= u8::MAX as usize);
    index as u8
}

/// Widens a length to the 64 bits in which work and memory are counted. Lossless: no target has
/// wider pointers.
#[inline]
pub const fn wide(count: usize) -> u64 {
    count as u64
}

/// Converts the length of a slice or a position in it to a signed number. Lossless: no allocation
/// exceeds `isize::MAX` bytes.
#[inline]
#[expect(clippy::cast_possible_wrap, reason = "lengths of allocations fit, as documented above")]
pub const fn signed(count: usize) -> i64 {
    debug_assert!(count <= isize::MAX as usize);
    count as i64
}

/// Converts an amount to an index; the largest one if there is none, which exceeds every length and limit.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "larger amounts are compared")]
pub const fn amount(amount: u64) -> usize {
    if amount > usize::MAX as u64 { usize::MAX } else { amount as usize }
}
