//! Errors and diagnostics, and their rendering beside source lines.

pub(crate) mod error;
pub(crate) mod problems;
pub(crate) mod report;

pub use error::LimitError;
pub use hclvm_compiler::source::{Position, Source};
pub use hclvm_vm::{Exhausted, Severity, Span};
pub use report::Report;
