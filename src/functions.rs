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

pub(crate) mod arguments;
pub(crate) mod bytes;
pub mod capability;
#[cfg(feature = "charset")]
pub(crate) mod charset;
#[cfg(feature = "rsa")]
pub(crate) mod cipher;
pub(crate) mod collection;
#[cfg(feature = "compression")]
pub(crate) mod compression;
pub(crate) mod conversion;
pub(crate) mod csv;
pub(crate) mod defined;
#[cfg(feature = "digest")]
pub(crate) mod digest;
pub(crate) mod draft;
pub(crate) mod encoding;
pub(crate) mod environment;
pub(crate) mod file;
pub(crate) mod format;
pub(crate) mod json;
pub(crate) mod network;
pub(crate) mod nomad;
pub(crate) mod number;
pub(crate) mod opentofu;
pub(crate) mod operator;
pub(crate) mod packer;
pub(crate) mod random;
#[cfg(feature = "regex")]
pub(crate) mod regex;
pub(crate) mod seen;
pub(crate) mod set;
pub(crate) mod shared;
pub(crate) mod standard;
pub(crate) mod text;
pub(crate) mod time;
#[cfg(feature = "yaml")]
pub(crate) mod yaml;

pub use capability::Capabilities;
pub use nomad::nomad;
pub use opentofu::opentofu;
pub use packer::packer;
pub use standard::standard;
