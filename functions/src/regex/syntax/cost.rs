//! What compiling and matching a pattern costs, estimated from its text.
//!
//! The figures are measured with the crate that matches: between them lie factors of a thousand.

/// What a part of a pattern costs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in super::super) struct Cost {
    /// About the number of states of the machine that matches.
    pub(in super::super) states: u64,
    /// What compiling takes, in units of fuel: measured, a unit is about 0.2 microseconds.
    pub(in super::super) compiling: u64,
}

/// What compiling any pattern takes, with its first search.
pub(super) const PATTERN: u64 = 300;
/// A character that stands for itself.
pub(super) const LITERAL: Cost = Cost { states: 1, compiling: 1 };
/// A class of ASCII characters.
pub(super) const CLASS: Cost = Cost { states: 1, compiling: 10 };
/// Digits, for which compiling also tries each of them as the start of a match.
pub(super) const DIGITS: Cost = Cost { states: 1, compiling: 150 };
/// All characters but a few.
pub(super) const MOST_CHARACTERS: Cost = Cost { states: 12, compiling: 40 };
/// A character beyond ASCII in a class.
pub(super) const OTHER: Cost = Cost { states: 2, compiling: 2 };
/// A class of Unicode.
pub(super) const UNICODE: Cost = Cost { states: 600, compiling: 2_400 };

impl Cost {
    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            states: self.states.saturating_add(other.states),
            compiling: self.compiling.saturating_add(other.compiling),
        }
    }

    /// What so many more copies of it cost. A copy has no part that is looked up, as the
    /// characters of a class are.
    pub(super) fn copies(self, count: u64) -> Self {
        let states = self.states.saturating_mul(count);
        Self { states, compiling: self.states.saturating_mul(count.max(1)).saturating_mul(3) }
    }

    /// The same without regard to upper and lower case.
    pub(super) fn in_any_case(self) -> Self {
        Self { states: self.states.saturating_mul(2), compiling: self.compiling.saturating_mul(2).max(10) }
    }
}
