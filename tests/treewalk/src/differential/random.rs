//! Random numbers from a seed: the same on every machine.

/// A xorshift generator.
#[derive(Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// The generator of one case.
    pub(crate) fn new(seed: u64, case: u64) -> Self {
        // Two rounds of a multiplicative hash, so that neighbours have nothing in common.
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

    /// A number below `end`; 0 when there is none.
    pub(crate) fn below(&mut self, end: u32) -> u32 {
        (self.next() % u64::from(end.max(1))) as u32
    }

    /// True in so many of a hundred cases.
    pub(crate) fn percent(&mut self, chance: u32) -> bool {
        self.below(100) < chance
    }

    /// One of several.
    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u32) as usize]
    }
}
