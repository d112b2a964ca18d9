//! Running many programs or many scopes, and controlling a run.
//!
//! One program against one scope needs only [`Session::run`](crate::Session::run) and
//! [`Scope`](crate::Scope), which are at the root of the crate. Use [`RuleSet`] to evaluate many
//! programs against one scope, [`Batch`] for many scopes that are kept, [`columns`] for many
//! rows whose values are in columns, [`Parallel`] for a stream of scopes
//! on all cores, [`Projection`] to set only the parts of variables that programs read, and [`Cancel`] to stop
//! evaluations from another thread. For the bodies and blocks of a file, see [`module`](crate::module) and
//! [`expansion`](crate::expansion).

mod batch;
pub(crate) mod beside;
pub(crate) mod cancel;
pub mod columns;
pub(crate) mod coverage;
mod eval;
pub(crate) mod explain;
pub(crate) mod parallel;
pub(crate) mod projection;
pub(crate) mod rule_index;
mod rule_matches;
pub(crate) mod rule_set;
pub(crate) mod scope;
pub(crate) mod session;
pub(crate) mod why;

pub use batch::Batch;
pub use cancel::Cancel;
pub use eval::Variables;
pub use parallel::Parallel;
pub use projection::Projection;
pub use rule_index::Indexing;
pub use rule_matches::RuleMatches;
pub use rule_set::{RuleResults, RuleSet};
pub use session::{Evaluation, Tier};
