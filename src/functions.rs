//! Functions that programs call: one file a family, one table a dialect.
//!
//! A family file holds one `pub(crate) fn name() -> Function` for each function and nothing
//! that touches the system unless the family says so. A table file picks functions and
//! gives them the names that programs use, so that one function may stand in several tables
//! under several names.

pub(crate) mod arguments;
pub(crate) mod bytes;
pub(crate) mod collection;
pub(crate) mod conversion;
pub(crate) mod csv;
pub(crate) mod draft;
pub(crate) mod format;
pub(crate) mod json;
pub(crate) mod number;
pub(crate) mod opentofu;
pub(crate) mod operator;
#[cfg(feature = "regex")]
pub(crate) mod regex;
pub(crate) mod seen;
pub(crate) mod set;
pub(crate) mod standard;
pub(crate) mod text;
pub(crate) mod time;

pub use opentofu::opentofu;
pub use standard::standard;
