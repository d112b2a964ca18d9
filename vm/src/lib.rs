//! The machine of hclvm: values, types, numbers, instructions and their execution.
//!
//! Knows nothing of text, trees or files.

pub mod diagnostic;
pub mod number;
pub mod span;
