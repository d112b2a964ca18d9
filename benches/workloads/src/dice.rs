//! Numbers that look random and are the same in every run.

/// A linear congruential generator.
#[derive(Debug)]
pub struct Dice(u64);

impl Dice {
    /// Numbers that depend on the seed alone.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number below `sides`.
    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides.max(1)
    }

    /// Whether something happens that does so `percent` times in a hundred.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.roll(100) < percent
    }

    /// One of several texts.
    pub fn pick(&mut self, of: &[&'static str]) -> &'static str {
        let at = self.roll(of.len() as u64) as usize;
        of.get(at).copied().unwrap_or_default()
    }
}
