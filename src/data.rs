//! Values of the host: into scopes, out of results, and through host functions.

pub mod decode;
pub mod host;
pub mod ingest;
pub(crate) mod path_error;
pub(crate) mod serde_json;
pub mod show;
