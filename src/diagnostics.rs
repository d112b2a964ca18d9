//! Errors: diagnostics, where they are in the source, and how to print them.
//!
//! [`Error`](crate::Error), [`Diagnostics`](crate::Diagnostics) and [`Diagnostic`](crate::Diagnostic)
//! are at the root of the crate. This module holds their parts: use it to render diagnostics
//! yourself, to map a [`Span`] to a line and column ([`Source::position`]), or to show which limit an
//! evaluation exceeded ([`LimitError`]). For structure at a position, such as the attribute under a
//! cursor, see [`Body`](crate::Body).

pub(crate) mod blocks;
pub(crate) mod error;
pub(crate) mod problems;
mod redact;
pub(crate) mod report;
pub(crate) mod serialize;

pub use error::LimitError;
pub use hclvm_compiler::source::{Position, Source};
pub use hclvm_vm::{
    Additions, Code, Exhausted, Label, NamedValue, Replacement, Severity, Span, codes, nearest,
};
pub use report::{Report, steers_terminal};
