//! Functions that programs call: one file a family, one table a dialect.
//!
//! A family file holds one `pub(crate) fn name() -> Function` for each function and nothing
//! that touches the system unless the family says so. A table file picks functions and
//! gives them the names that programs use, so that one function may stand in several tables
//! under several names.
//!
//! | feature | functions | on by default |
//! |---|---|---|
//! | `digest` | `md5` `sha1` `sha256` `sha512` `uuidv5` | yes |
//! | `encoding` | `base64encode` `base64decode` `filebase64` | yes |
//! | `regex` | `regex` `regexall` `regex_replace` | yes |
//! | `bcrypt` | `bcrypt` | no |
//! | `charset` | `textencodebase64` `textdecodebase64` | no |
//! | `compression` | `base64gzip` | no |
//! | `random` | none, but a host can grant the machine's random bytes | no |
//! | `rsa` | `rsadecrypt` | no |
//! | `yaml` | `yamldecode` `yamlencode` | no |
//! | `full` | all of them | no |
//!
//! A function whose feature is off is missing from every table: a program that calls it is
//! refused when it is compiled. What functions may touch beyond their arguments is another matter:
//! see [`capability`].

mod arguments;
mod bytes;
pub mod capability;
#[cfg(feature = "charset")]
mod charset;
#[cfg(feature = "rsa")]
mod cipher;
mod collection;
#[cfg(feature = "compression")]
mod compression;
mod conversion;
mod csv;
#[cfg(feature = "digest")]
mod digest;
mod encoding;
mod environment;
mod file;
mod format;
mod json;
mod network;
mod nomad;
mod number;
mod opentofu;
mod operator;
mod packer;
mod random;
#[cfg(feature = "regex")]
mod regex;
mod set;
mod shared;
mod standard;
mod text;
mod text_builder;
mod time;
mod value_set;
#[cfg(feature = "yaml")]
mod yaml;

pub use arguments::{may_make_items, may_make_text};
pub use capability::Capabilities;
pub use file::TemplateRenderer;
pub use nomad::nomad;
pub use opentofu::opentofu;
pub use packer::packer;
pub use standard::standard;
pub use text_builder::{arena_text, text_value};
