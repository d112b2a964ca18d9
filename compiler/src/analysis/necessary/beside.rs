//! What the other operands of a chain of `&&` require, so that one of them decides it by being false.
//!
//! ```text
//! a && b && c && d  is  ((a && b) && c) && d
//! ```
//! `c` decides its operator if it is false, and so every operator to its right: `d` must convert to a bool, with or
//! without faults, which are dropped. On the left is the result of an operator, which is a bool; only the first operand
//! may be something else. Faults on the left are dropped if the value there is unknown then. It is not if `a` or `b` is
//! false in spite of its faults, like `[f(), false][1]`.

use super::{ClauseSearch, Guard, Obstacle};
use crate::tree::NodeId;

/// The most guards of a clause. A condition that needs more is one with hundreds of operands.
const MOST_GUARDS: usize = 64;

/// The requirements of a chain's operands.
pub(super) struct ChainRequirements<'t> {
    /// Those of the operands from the last one on, up to the first one that cannot be left out.
    guards: Vec<Guard<'t>>,
    /// For each operand, from the last one on, how many of these guards the operands behind it have.
    needed: Vec<usize>,
    /// The number of operands whose values are unknown if they have faults, from the first one on.
    unknown_if_faulty: usize,
    operands: Vec<NodeId>,
}

impl<'t> ChainRequirements<'t> {
    pub(super) fn new(search: &ClauseSearch<'t, '_>, operands: &[NodeId]) -> Self {
        let (mut guards, mut needed) = (Vec::new(), Vec::new());
        for operand in operands.iter().rev() {
            needed.push(guards.len());
            let fits = if search.meaning.short_circuit {
                search.is_bool(*operand, &mut guards)
            } else {
                search.is_sound(*operand, &mut guards)
            };
            if !fits || guards.len() > MOST_GUARDS {
                search.note(if search.meaning.short_circuit {
                    Obstacle::NotBool(*operand)
                } else {
                    Obstacle::MayFail(*operand)
                });
                break;
            }
        }
        let is_other = |operand: &NodeId| !search.is_unknown_if_faulty(*operand);
        let unknown_if_faulty = operands.iter().position(is_other).unwrap_or(operands.len());
        Self { guards, needed, unknown_if_faulty, operands: operands.to_vec() }
    }

    /// Returns what is required so that operand number `at` decides; `None` if it cannot.
    pub(super) fn guards(&self, search: &ClauseSearch<'t, '_>, at: usize) -> Option<Vec<Guard<'t>>> {
        let behind = self.operands.len() - 1 - at;
        let mut guards = self.guards.get(..*self.needed.get(behind)?)?.to_vec();
        let before = match search.meaning.short_circuit {
            true if at > self.unknown_if_faulty => return None,
            true if at == 1 => &self.operands[..1],
            true => &[],
            false => &self.operands[..at],
        };
        for operand in before {
            let fits = if search.meaning.short_circuit {
                search.is_bool(*operand, &mut guards)
            } else {
                search.is_sound(*operand, &mut guards)
            };
            if !fits || guards.len() > MOST_GUARDS {
                return None;
            }
        }
        Some(guards)
    }
}
