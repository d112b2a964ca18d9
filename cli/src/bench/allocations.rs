//! What is taken from the heap.

/// Allocations of Rust code; those of the number library are not counted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allocations {
    pub(super) count: u64,
    pub(super) bytes: u64,
}

/// Counts the allocations of a run on this thread; `None` without the feature for it.
pub(super) fn of(run: &mut impl FnMut()) -> Option<Allocations> {
    #[cfg(feature = "count-allocations")]
    {
        let counted = allocation_counter::measure(run);
        Some(Allocations { count: counted.count_total, bytes: counted.bytes_total })
    }
    #[cfg(not(feature = "count-allocations"))]
    {
        let _ = run;
        None
    }
}
