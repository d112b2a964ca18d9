//! The function library of hclvm: the functions that HCL programs can call, in base libraries, and the sets of
//! them that dialects have.
//!
//! Hosts use it through `hclvm::functions`. The crate depends on `hclvm-vm` only and runs no programs;
//! rendering template files needs the language, so the host passes in a [`TemplateRenderer`].
//!
//! # A family file
//!
//! Functions are grouped in families, one file or folder each: `text`, `collection`, `time` and so
//! on. A family file holds a constructor per function, which names its parameters, its return type
//! and its body:
//!
//! ```text
//! /// `basename(path)`: the last name of a path.
//! pub(crate) fn basename() -> Function {
//!     Function::new("basename", [string("path")], Type::String, |arena, args, _| {
//!         let path = text_of(args, 0);
//!         if !may_read(arena, path) {
//!             return Ok(Value::DYNAMIC); // out of budget: the value is discarded
//!         }
//!         Ok(text_value(arena, base(path)))
//!     })
//! }
//! ```
//!
//! The protocol of calls ([`hclvm_vm::Function`]) converts the arguments and handles null, unknown and
//! marked ones before the body runs, unless a parameter accepts them. A body charges the budget
//! before it does work that grows with its arguments, and returns [`Value::DYNAMIC`](hclvm_vm::Value::DYNAMIC) when the budget
//! is exhausted. A constructor that needs more than arguments takes [`Capabilities`].
//!
//! A line in a [`library`] gives the function its name: in `cty` for functions of go-cty, in `hashicorp` for those that
//! several applications add, or in that of one application.
//!
//! # A dialect
//!
//! A dialect is a [`FunctionSet`]: whole libraries, libraries without some names, or some names of them. A part replaces
//! functions of the same names in the parts before it. The four sets of this crate are in `function_sets`; an
//! application can have its own beside its code:
//!
//! ```
//! use hclvm_functions::library::{cty, hashicorp};
//! use hclvm_functions::{FunctionSet, Part};
//!
//! const FUNCTIONS: FunctionSet = FunctionSet::new(&[
//!     Part::all_but(cty::FUNCTIONS, &["strlen"]),
//!     Part::only(hashicorp::COMMON, &["basename", "dirname"]),
//! ]);
//! # let _ = FUNCTIONS;
//! ```
//!
//! # Tools
//!
//! | module | holds |
//! |---|---|
//! | `arguments` | readers of arguments, kinds of parameters, checks of the budget before work |
//! | `text_builder` | a growing text that is paid for byte by byte and normalized when finished |
//! | `value_set` | membership and deduplication of values by a hash that agrees with `==` |
//!
//! # Features
//!
//! A function whose feature is off is in no dialect: a program that calls it is rejected when it is
//! compiled. The weight is the number of crates that a feature adds to a build without features (on
//! Linux); features share some of them.
//!
//! | feature | functions | default | crates |
//! |---|---|---|---|
//! | `digest` | `md5` `sha1` `sha256` `sha512` `uuidv5`, with `encoding` also `base64sha256` `base64sha512` | no | 10 |
//! | `encoding` | `base64encode` `base64decode` `filebase64` | no | 1 |
//! | `regex` | `regex` `regexall` `regex_replace`, `replace` of OpenTofu | yes | 5 |
//! | `bcrypt` | `bcrypt` | no | 12 |
//! | `charset` | `textencodebase64` `textdecodebase64` | no | 8 |
//! | `compression` | `base64gzip` `base64gunzip` | no | 7 |
//! | `random` | none; adds [`Capabilities`]`::system_random` | no | 2 |
//! | `rsa` | `rsadecrypt` | no | 29 |
//! | `yaml` | `yamldecode` `yamlencode` | no | 8 |
//! | `full` | all of them | no | 66 |
//!
//! # Capabilities
//!
//! No function reads a file, the environment, the clock, random bytes or a secret unless the host
//! grants it: see [`capability`]. A table has the functions that need a capability even if it is not
//! granted, so that programs compile alike everywhere; a call then fails and names the capability.

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
mod function_sets;
mod json;
mod lazy;
pub mod library;
mod marking;
mod network;
mod number;
mod operator;
mod random;
#[cfg(feature = "regex")]
mod regex;
mod set;
mod summaries;
mod template;
mod text;
mod text_builder;
mod time;
mod value_set;
#[cfg(feature = "yaml")]
mod yaml;

pub use arguments::{may_make_items, may_make_text};
pub use capability::Capabilities;
pub use function_sets::{FunctionSet, Part, all, nomad, opentofu, packer, standard, tables};
pub use json::{Between, ExpectedName, JsonError, JsonReader, PlainString, WrittenNumber, head};
pub use summaries::{Summary, summary};
pub use template::{MakeRenderer, TemplateRenderer};
pub use text_builder::{arena_text, text_value};
