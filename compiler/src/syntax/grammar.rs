//! The grammar of the native syntax: one production, one function, its rule above it.
//!
//! A production leaves the cursor after what it read. When it cannot go on it reports,
//! skips to where its caller can ([`crate::syntax::parser`]'s recovery) and gives an `Invalid` node.

mod body;
mod call;
mod collection;
mod directive;
mod expr;
mod for_expr;
mod literal;
mod postfix;
mod template;
mod traversal;

pub use traversal::{ParsedStep, ParsedTraversal, StepKey, parse_traversal};

pub(crate) use expr::PendingOperator;
pub(crate) use postfix::PendingSplat;
pub(crate) use template::TemplatePart;
