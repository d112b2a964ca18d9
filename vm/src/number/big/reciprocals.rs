//! Short decimals as floats: a mantissa divided by a power of ten, by one multiplication with a reciprocal.
//!
//! ```text
//! m / 10^s    =  m / 5^s * 2^-s
//! reciprocal  =  2^k / 5^s, rounded down, 704 bits
//! product     <=  the exact quotient  <  product + 2^64
//! ```
//! A quotient that is not exact has infinitely many bits: it is no tie, and its sticky bit is set. The difference, of up
//! to 64 bits, may carry into the 576 bits of the result only if all of the 128 bits between them are set. Exact
//! quotients have such a product, and hardly any others; these are divided.

use super::wide::{MOST_BITS, TOP, Unrounded, WORDS, Wide, multiply_add, shift_left_once};

/// The words of a reciprocal: those of the result with its guard, and two.
const LENGTH: usize = WORDS + 3;

/// The largest power of ten.
const MOST: usize = 18;

/// `2^(704 + bits - 1) / 5^s`, rounded down, where `bits` is the length of `5^s`. The first bit is set.
struct Reciprocal {
    words: [u64; LENGTH],
    bits: u32,
}

/// The reciprocals of `5^1` to `5^18`.
static RECIPROCALS: [Reciprocal; MOST] = {
    const NONE: Reciprocal = Reciprocal { words: [0; LENGTH], bits: 0 };
    let mut all = [NONE; MOST];
    let mut power = 1;
    let mut at = 0;
    while at < MOST {
        power *= 5;
        all[at] = reciprocal(power);
        at += 1;
    }
    all
};

/// Returns the reciprocal of an odd number below `2^64`.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the rest is below the divisor, so that the quotient fits a word"
)]
const fn reciprocal(divisor: u64) -> Reciprocal {
    let bits = u64::BITS - divisor.leading_zeros();
    let mut words = [0; LENGTH];
    let mut rest = 1 << (bits - 1);
    let mut at = LENGTH;
    while at > 0 {
        at -= 1;
        let dividend = (rest as u128) << 64;
        words[at] = (dividend / divisor as u128) as u64;
        rest = (dividend % divisor as u128) as u64;
    }
    Reciprocal { words, bits }
}

impl Wide {
    /// Returns `mantissa / 10^scale`, rounded once to 512 bits. `None` for zero, for scales that are not among 1 to
    /// 18, and if it has to be divided, as for exact quotients.
    pub(super) fn of_decimal(mantissa: u64, scale: u8, negative: bool) -> Option<Self> {
        let Reciprocal { words, bits } = RECIPROCALS.get(usize::from(scale).checked_sub(1)?)?;
        if mantissa == 0 {
            return None;
        }
        let zeros = mantissa.leading_zeros();
        let factor = mantissa << zeros;
        let mut product = [0; LENGTH];
        let (_, mut carry) = multiply_add(factor, words[0], 0, 0);
        // The lowest word of the product is that of the difference.
        for (to, word) in product.iter_mut().zip(&words[1..]) {
            (*to, carry) = multiply_add(factor, *word, carry, 0);
        }
        product[LENGTH - 1] = carry;
        let [lowest, low, parts @ ..] = product;
        if lowest == u64::MAX && low == u64::MAX {
            return None;
        }
        let mut parts: Unrounded = parts;
        let mut exponent = 65 - i64::from(*bits) - i64::from(zeros) - i64::from(scale);
        if parts[WORDS] < TOP {
            // The last bit is set below.
            shift_left_once(&mut parts, true);
            exponent -= 1;
        }
        parts[0] |= 1;
        Self::rounded(parts, exponent, MOST_BITS, negative)
    }
}
