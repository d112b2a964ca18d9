//! Evaluations that functions of the host begin.

use std::cell::Cell;

thread_local! {
    /// The evaluations of this thread that have not ended.
    static NESTED: Cell<u32> = const { Cell::new(0) };
}

/// An evaluation that is counted until it ends, also if it panics.
#[derive(Debug)]
pub struct Nested(());

impl Nested {
    /// The most evaluations in one another: each may take as much stack as the limits of the engine allow, which languages of
    /// hosts do not count.
    pub const MOST: u32 = 8;

    /// Begins an evaluation; `None` if there are too many.
    ///
    /// ```
    /// use hclvm_bindings_common::Nested;
    ///
    /// let outer: Vec<Nested> = (0..Nested::MOST).filter_map(|_| Nested::begin()).collect();
    /// assert!(Nested::begin().is_none());
    /// drop(outer);
    /// assert!(Nested::begin().is_some());
    /// ```
    pub fn begin() -> Option<Self> {
        let nested = NESTED.get();
        (nested < Self::MOST).then(|| {
            NESTED.set(nested + 1);
            Self(())
        })
    }

    /// Returns the message for an evaluation that cannot begin.
    pub fn refusal() -> String {
        format!("more than {} evaluations call one another", Self::MOST)
    }
}

impl Drop for Nested {
    fn drop(&mut self) {
        NESTED.set(NESTED.get() - 1);
    }
}
