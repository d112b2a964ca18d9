//! Whole files: checks, schemas, content, `dynamic` blocks, modules, policies, specs, functions defined in HCL.
//!
//! The parsed file itself is in `syntax`; everything here reads it, and evaluates it if needed.

pub mod check;
pub(crate) mod content;
pub(crate) mod defined_functions;
pub(crate) mod dynamic;
pub mod expansion;
pub mod lint;
pub mod module;
pub mod policy;
pub(crate) mod schema;
pub mod spec;
