//! Results on their way out: as JSON for programs, as HCL text for people.
//!
//! Neither ever shows what is marked. Both bound what they write, because a small program can make
//! a value whose parts are shared, and whose text is exponentially longer than the value.

mod json;
mod pretty;
mod type_text;

pub use json::{Json, JsonStyle};
pub use pretty::Pretty;

use std::cell::Cell;

use crate::limits::Limits;

/// What is left of the size that a value may have when it is written out: every member counts
/// each time it is reached, as if nothing were shared.
#[derive(Debug)]
pub(crate) struct Allowance {
    left: Cell<u64>,
    limit: u64,
}

impl Allowance {
    /// As much as an arena of `limits` could hold without sharing.
    pub(crate) fn new(limits: &Limits) -> Self {
        let limit = limits.arena_bytes as u64;
        Self { left: Cell::new(limit), limit }
    }

    /// Takes the size of one value with a text of `bytes`; false when there is not enough left.
    pub(crate) fn take(&self, bytes: usize) -> bool {
        const VALUE: u64 = 16;
        let left = self.left.get().checked_sub(VALUE + bytes as u64);
        self.left.set(left.unwrap_or(0));
        left.is_some()
    }

    /// What there was in the beginning.
    pub(crate) fn limit(&self) -> u64 {
        self.limit
    }
}
