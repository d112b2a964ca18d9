//! The machine of hclvm: values, types, numbers, instructions and their execution.
//!
//! Knows nothing of text, trees or files.

pub mod arena;
pub mod code;
pub mod convert;
pub mod diagnostic;
pub mod fault;
pub mod function;
pub mod limits;
pub mod number;
pub mod ops;
pub mod set;
pub mod span;
pub mod types;
pub mod unify;
pub mod value;
