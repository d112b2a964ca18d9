//! Conversions between host types and values: into scopes, out of results, and through host functions.
//!
//! Values themselves are defined in `hclvm-vm`; this folder only builds and reads them.

pub mod decode;
pub mod host;
pub mod ingest;
pub(crate) mod path_error;
pub(crate) mod serde_json;
pub mod show;
pub(crate) mod wanted;
