//! Values as text: as JSON for programs, as HCL for people.
//!
//! Use [`Json`] for output that another program parses, or to serialize a value with any serde format;
//! [`Pretty`] for logs and terminals. Results for Rust code need no text: see
//! [`decode`](crate::decode).
//!
//! Neither shows marked values. Both bound their output, because a small program can build a value
//! whose parts are shared and whose text is exponentially longer than the value.

mod json;
mod line;
mod pretty;
mod type_text;

pub use json::{Json, JsonStyle};
pub(crate) use json::{Trail, Writing};
pub(crate) use line::kind;
pub use line::line;
pub use pretty::Pretty;
pub use type_text::type_text;

use std::cell::Cell;

use crate::limits::Limits;

/// A budget for the size of a value when it is written: a member counts each time it is reached, as if
/// no parts were shared.
#[derive(Debug)]
pub(crate) struct Allowance {
    left: Cell<u64>,
    limit: u64,
    /// The levels of blocks and of their labels around the part that is read or written.
    levels: Cell<usize>,
}

/// The most levels of blocks and labels that are read into host types or written by a serializer, both of which recurse.
const MOST_LEVELS: usize = 128;

/// The reason why blocks in more levels are refused.
pub(crate) const TOO_DEEP: &str = "blocks are nested in more than 128 levels, of which each label is one";

impl Allowance {
    /// Creates a budget as large as an arena with `limits`.
    pub(crate) fn new(limits: &Limits) -> Self {
        let limit = limits.arena_bytes as u64;
        Self { left: Cell::new(limit), limit, levels: Cell::new(0) }
    }

    /// Charges one value with `bytes` of text. Returns false if the budget is exceeded.
    pub(crate) fn take(&self, bytes: usize) -> bool {
        const VALUE: u64 = 16;
        let left = self.left.get().checked_sub(VALUE + bytes as u64);
        self.left.set(left.unwrap_or(0));
        left.is_some()
    }

    /// Makes the whole budget available again.
    pub(crate) fn restore(&self) {
        self.left.set(self.limit);
    }

    /// Calls `body` for what is inside of a block or label; `None` if that is too deep.
    pub(crate) fn inside<R>(&self, body: impl FnOnce() -> R) -> Option<R> {
        let levels = self.levels.get();
        (levels < MOST_LEVELS).then(|| {
            self.levels.set(levels + 1);
            let result = body();
            self.levels.set(levels);
            result
        })
    }

    /// Returns the whole budget in bytes.
    pub(crate) fn limit(&self) -> u64 {
        self.limit
    }
}
