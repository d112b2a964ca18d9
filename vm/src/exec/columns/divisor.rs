//! Quotients of integers by a constant: a multiplication takes a quarter of the time of a division.
//!
//! ```text
//! n / d = (n * m) >> (63 + l)        l = ⌈log2 d⌉, m = ⌊2^(63 + l) / d⌋ + 1        for 0 ≤ n ≤ 2^63, d ≥ 2
//! ```
//! (Granlund and Montgomery, "Division by Invariant Integers using Multiplication", for integers of 63 bits.)

/// A divisor other than 0, 1 and -1.
#[derive(Clone, Copy, Debug)]
pub(super) struct LaneDivisor {
    magnitude: u64,
    multiplier: u64,
    /// `l - 1` above: the upper word of the product is that above 64 bits.
    shift: u32,
    is_negative: bool,
}

impl LaneDivisor {
    /// Prepares dividing by an integer; `None` for 0, 1 and -1.
    pub(super) fn of(divisor: i64) -> Option<Self> {
        let magnitude = divisor.unsigned_abs();
        if magnitude < 2 {
            return None;
        }
        let log = u64::BITS - (magnitude - 1).leading_zeros();
        let multiplier = (1_u128 << (63 + log)) / u128::from(magnitude) + 1;
        let multiplier = u64::try_from(multiplier).ok()?;
        Some(Self { magnitude, multiplier, shift: log - 1, is_negative: divisor < 0 })
    }

    /// Returns the quotient, rounded towards zero, and the remainder, which has the sign of the dividend.
    // Inlined into loops over rows.
    #[inline(always)]
    pub(super) fn divide(self, int: i64) -> (i64, i64) {
        let dividend = int.unsigned_abs();
        let upper = ((u128::from(dividend) * u128::from(self.multiplier)) >> 64) as u64;
        let quotient = upper >> self.shift;
        let remainder = dividend - quotient * self.magnitude;
        // All ones for a negative dividend, so that negating has no branch.
        let sign = int >> 63;
        let negated = |magnitude: u64, sign: i64| (magnitude.cast_signed() ^ sign).wrapping_sub(sign);
        (negated(quotient, sign ^ -i64::from(self.is_negative)), negated(remainder, sign))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_are_those_of_the_processor() {
        let mut ints = vec![0, 1, 2, 3, 5, 6, 7, 9, 10, 11, 100, 641, 1_000_000_007, i64::MAX, i64::MAX - 1];
        ints.extend((1..63).flat_map(|bit| [(1 << bit) - 1, 1 << bit, (1 << bit) + 1, 3 << bit >> 1]));
        let mut random = 0x9E37_79B9_7F4A_7C15_u64;
        for bits in 0..200 {
            random = random.wrapping_mul(0xBF58_476D_1CE4_E5B9).rotate_left(27) ^ 0x94D0;
            ints.push((random >> (bits % 63 + 1)).cast_signed());
        }
        ints.extend(ints.clone().iter().map(|int| -int));
        ints.push(i64::MIN);
        for divisor in &ints {
            let Some(by) = LaneDivisor::of(*divisor) else {
                assert!((-1..=1).contains(divisor));
                continue;
            };
            for int in &ints {
                // The products of divisors are borders as well.
                for int in [*int, int.wrapping_mul(*divisor), int.wrapping_mul(*divisor).wrapping_sub(1)] {
                    assert_eq!(by.divide(int), (int / divisor, int % divisor), "{int} / {divisor}");
                }
            }
        }
    }
}
