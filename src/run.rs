//! Running programs: scopes, sessions, rule sets and what bounds them.

pub(crate) mod cancel;
pub(crate) mod parallel;
pub(crate) mod projection;
pub mod rule_set;
pub(crate) mod scope;
pub mod session;
