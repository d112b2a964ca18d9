//! The cost of compiling and matching a pattern, computed from its text.
//!
//! The figures were measured with the regex crate. Parts of a pattern differ in cost by a factor of a
//! thousand.

/// The cost of a part of a pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in super::super) struct Cost {
    /// About the number of states of the machine that matches.
    pub(in super::super) states: u64,
    /// The cost of compiling in units of fuel, measured as about 0.2 microseconds each.
    pub(in super::super) compiling: u64,
}

/// The cost of compiling any pattern, with its first search.
pub(super) const PATTERN: u64 = 300;
/// A literal character.
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

    /// Returns the cost of `count` more copies. Unlike the first, a copy needs no table lookup, such as
    /// that of the characters of a class.
    pub(super) fn copies(self, count: u64) -> Self {
        let states = self.states.saturating_mul(count);
        Self { states, compiling: self.states.saturating_mul(count.max(1)).saturating_mul(3) }
    }

    /// Returns the cost of matching without regard to case.
    pub(super) fn in_any_case(self) -> Self {
        Self { states: self.states.saturating_mul(2), compiling: self.compiling.saturating_mul(2).max(10) }
    }
}
