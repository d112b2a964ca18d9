//! Parsed files: documents, their bodies, blocks and attributes, several files merged, updates, and positions in the text.

pub(crate) mod document;
pub(crate) mod merged;
pub(crate) mod position;
pub(crate) mod references;
pub(crate) mod type_constraint;
pub(crate) mod update;

pub use hclvm_compiler::typeexpr::TypeMode;
pub use merged::{Merged, MergedContent};
pub use type_constraint::TypeConstraint;
pub use update::Update;
