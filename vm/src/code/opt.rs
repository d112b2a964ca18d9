//! Optimizations of fast code for sets of rules, after lowering: [`link`] joins many programs into one stream
//! of instructions, [`cse`] eliminates their common subexpressions. Single expressions are optimized in
//! the compiler.

pub(super) mod cse;
pub mod link;
