//! Execution: code, a scope's slots and an arena give a value and the faults on the way.
//!
//! `baseline` runs the baseline tier: the reference semantics, with both arms of conditionals, both
//! operands of `&&` and `||`, marks, unknowns and every diagnostic. `fast` runs the fast tier, which
//! returns the value that the baseline tier would return, or none, after which the baseline tier runs.
//! `rules` runs linked rules on both. `columns` runs vectors of rows. The instructions themselves are data of [`code`](crate::code).

mod baseline;
pub mod columns;
mod fast;
mod readable;
mod rules;
mod unread;

pub use crate::value::Frame;
pub use baseline::conditional::arms_type;
pub use baseline::{Observation, Observed, Outcome, Outcomes, Truth, Witness, explore, observe, run};
pub use fast::{run_fast, run_watched, try_fast};
pub use rules::{RunValues, run_rules};
