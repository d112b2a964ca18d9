//! Whole files: schemas, content, dynamic blocks, modules, specifications.

pub(crate) mod content;
pub(crate) mod defined_functions;
pub(crate) mod dynamic;
pub mod expansion;
pub mod module;
pub(crate) mod schema;
pub mod spec;
