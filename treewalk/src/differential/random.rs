//! Pseudo-random numbers from a seed, equal on every machine. The workloads of the benchmarks have their own.

/// A xorshift generator.
#[derive(Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// Creates the generator of a case.
    pub(crate) fn new(seed: u64, case: u64) -> Self {
        // Two rounds of a multiplicative hash, so that cases with adjacent numbers are unrelated.
        let mut state = seed ^ case.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        for _ in 0..2 {
            state = (state ^ state >> 31).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        }
        Self(state | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    }

    /// Returns a number below `end`, or 0 if `end` is 0.
    pub(crate) fn below(&mut self, end: u32) -> u32 {
        u32::try_from(self.next() % u64::from(end.max(1))).unwrap_or_default()
    }

    /// Returns an index into a slice of length `len`.
    pub(crate) fn index(&mut self, len: usize) -> usize {
        self.below(u32::try_from(len).unwrap_or(u32::MAX)) as usize
    }

    /// Returns true in `percent` of a hundred calls.
    pub(crate) fn percent(&mut self, chance: u32) -> bool {
        self.below(100) < chance
    }

    /// Returns one of several.
    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.index(from.len())]
    }
}
