//! The machine of hclvm: values, types, numbers, instructions and their execution.
//!
//! Knows nothing of text, trees or files.

pub mod arena;
pub mod code;
pub mod convert;
pub mod diagnostic;
pub mod exec;
pub mod fault;
pub mod function;
pub mod hash;
pub mod limits;
pub mod name;
pub mod number;
pub mod ops;
pub mod scope;
pub mod set;
pub mod span;
pub mod suggest;
pub mod text;
pub mod types;
pub mod unify;
pub mod value;
