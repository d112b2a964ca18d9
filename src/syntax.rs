//! Parsed files beyond a single document: several files merged into one body, updates of a document,
//! and type constraints written in HCL.
//!
//! [`Document`](crate::Document), [`Body`](crate::Body), [`Block`](crate::Block) and
//! [`Attribute`](crate::Attribute) are at the root of the crate. Use [`Merged`] if a configuration is
//! split over files, [`Update`] to learn what a reload changed, and [`TypeConstraint`] for attributes
//! such as `type = list(string)`, [`Text`] to name an expression in messages. Nothing here evaluates: see [`schema`](crate::schema) to check a
//! body, and [`expansion`](crate::expansion) or [`module`](crate::module) to evaluate it.

pub(crate) mod document;
mod folder;
mod format;
pub(crate) mod merged;
pub(crate) mod position;
pub(crate) mod references;
pub(crate) mod saved;
pub(crate) mod type_constraint;
pub(crate) mod update;

pub use crate::compile::text::Text;
pub use document::TemplatePart;
pub use folder::repeated;
pub use hclvm_compiler::is_identifier;
pub use hclvm_compiler::typeexpr::TypeMode;
pub use merged::{Merged, MergedContent};
pub use type_constraint::TypeConstraint;
pub use update::{MovedAttribute, NamedAttribute, Update, UpdateTimes};
