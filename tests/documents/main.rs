//! Texts and files: parsing, formatting, checks, updates, and values of Rust, JSON and serde.

mod check;
mod decode_body;
mod decode_locals;
mod decode_values;
mod dialects;
mod documents;
mod format;
mod formats;
mod json_syntax;
mod large_files;
mod lints;
mod live;
mod merged;
mod object;
mod reparse;
mod schema;
mod serde;
mod serialize_diagnostics;
mod syntax_advice;
mod syntax_errors;
mod update;
