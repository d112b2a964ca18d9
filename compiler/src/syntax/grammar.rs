//! The grammar of the native syntax: recursive descent, one function per production, with the rule in
//! EBNF above it.
//!
//! A production leaves the cursor after the last token it read. On an error it reports, skips to a
//! place where its caller can continue ([`crate::syntax::parser`] has the recovery) and returns an
//! `Invalid` node. The JSON syntax has a grammar of its own in [`crate::syntax::json`].

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
pub(crate) use template::FlatTemplatePart;
