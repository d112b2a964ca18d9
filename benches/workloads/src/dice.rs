//! A seeded pseudo-random generator: equal seeds give equal numbers in every run and on every
//! machine. Good enough for test data, unlike the host's random bytes that functions may read.

/// A linear congruential generator with Knuth's MMIX multiplier and increment.
#[derive(Debug)]
pub struct Dice(u64);

impl Dice {
    /// Creates a generator whose numbers depend on the seed alone.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// Returns a number below `sides`.
    pub fn roll(&mut self, sides: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // The low bits of such a generator have short periods; the 31 high bits always fit.
        u32::try_from(self.0 >> 33).unwrap_or_default() % sides.max(1)
    }

    /// Returns true `percent` times in a hundred.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.roll(100) < percent
    }

    /// Returns an index into a slice of length `len`.
    pub fn below(&mut self, len: usize) -> usize {
        self.roll(u32::try_from(len).unwrap_or(u32::MAX)) as usize
    }

    /// Returns one of several strings.
    pub fn pick(&mut self, of: &[&'static str]) -> &'static str {
        of.get(self.below(of.len())).copied().unwrap_or_default()
    }
}
