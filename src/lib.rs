//! HCL expressions compiled to bytecode: parse once, evaluate many times.
//!
//! ```
//! let engine = hclvm::Engine::standard();
//! let document = engine.parse("policy.hcl", r#"
//!     allow = user.role == "admin" || (request.method == "GET" && !request.locked)
//! "#)?;
//! let allow = document.attribute("allow").expect("it is there").program()?;
//!
//! let mut scope = document.scope();
//! scope.set("request", &serde_json::json!({"method": "GET", "locked": false}))?;
//! let mut session = engine.session();
//! for role in ["guest", "admin"] {
//!     scope.set("user", &serde_json::json!({"role": role}))?;
//!     assert_eq!(session.run(&allow, &scope)?.as_bool(), Some(true));
//! }
//! # Ok::<(), hclvm::Error>(())
//! ```
//!
//! # Where things are
//!
//! | to | there is |
//! |---|---|
//! | parse a file | [`Engine::parse`], [`Engine::parse_json`]; with what is wrong beside it [`Engine::parse_lenient`], [`Engine::parse_bytes_lenient`] |
//! | look at it | [`Document`], [`Body`], [`Block`], [`Attribute`]; by a [`Schema`](schema::Schema) with [`Body::content`] |
//! | compile | [`Attribute::program`], [`Engine::compile`] for single expressions, [`Body::rule_set`] for many |
//! | give values | [`Scope::set`] for what serde serializes, [`Scope::set_json`], [`Scope::set_object`], [`Scope::set_value`] |
//! | give only what is read | [`Document::projection`], [`Engine::projection`] |
//! | run | [`Session::run`]; with partial results [`Session::evaluate`]; many scopes at once [`Parallel`] |
//! | evaluate whole files | [`Document::module`] for values, [`Document::decode`] for structs, [`Session::expand`] step by step, [`Spec`](spec::Spec) for shapes that are data |
//! | take results | [`Value`], [`from_value`], [`Json`], [`Pretty`](show::Pretty); to keep them [`OwnedValue`] |
//! | add functions | [`function`] from closures, [`Dialect`] for tables, [`functions`] for those there are |
//! | bound work and memory | [`Limits`], [`Session::set_time`], [`Session::cancel`] |
//! | show what is wrong | [`Error::diagnostics`], [`Diagnostics::report`] |
//!
//! # Features
//!
//! | feature | by default | what it adds |
//! |---|---|---|
//! | `digest`, `encoding`, `regex` | yes | functions that need crates of their own: hashes, base64, regular expressions |
//! | `bcrypt`, `charset`, `compression`, `random`, `rsa`, `yaml` | no | more of them; `full` is all functions |
//! | `exact-json` | no | numbers exactly into and out of the types and serializers of `serde_json` |
//!
//! A function whose feature is off is in no table, so that a program that calls it is refused when
//! it is compiled. JSON that this crate reads and writes itself ([`Scope::set_json`], [`Json::to_text`],
//! `jsondecode`, `jsonencode`) is always exact. `exact-json` turns on `arbitrary_precision` of
//! `serde_json`, which makes its values slower for everybody in the build; nothing else here touches
//! the features of `serde_json`.
//!
//! The rooms: this crate is the door ([`Engine`], [`Document`], [`Program`], [`Scope`],
//! [`Session`]); `hclvm-compiler` turns text into code, `hclvm-vm` runs it.

mod compile;
mod data;
pub mod diagnostics;
mod dialect;
mod engine;
pub mod functions;
mod limits;
mod run;
mod structure;
pub mod syntax;

pub use compile::program::Program;
pub use data::decode::from_value;
pub use data::host::function;
pub use data::show::Json;
pub use data::{decode, host, ingest, show};
pub use diagnostics::error::{Diagnostics, Error, ErrorKind};
pub use dialect::{Dialect, Undefined};
pub use engine::{Engine, EngineBuilder};
pub use hclvm_vm::{Diagnostic, Layout, OwnedValue, Type, Value};
pub use limits::Limits;
pub use run::cancel::Cancel;
pub use run::parallel::Parallel;
pub use run::projection::Projection;
pub use run::rule_set::RuleSet;
pub use run::scope::Scope;
pub use run::session::{Evaluation, Session};
pub use run::{rule_set, session};
pub use structure::module::Module;
pub use structure::{expansion, module, spec};
pub use syntax::document::{Attribute, Block, Body, Document};

pub mod analysis {
    //! What expressions refer to: variables, the paths read of them, functions.

    pub use hclvm_compiler::analysis::{Key, Need, Paths, Traversal};
}

pub mod listing {
    //! The instructions of compiled programs as text.

    pub use hclvm_vm::code::Line;
}

pub mod schema {
    //! What a body may hold, and what it holds of that.

    pub use crate::structure::content::{Content, Remainder};
    pub use crate::structure::schema::{AttributeSchema, BlockSchema, Schema};
}

pub mod value {
    //! The parts that values are made of.

    pub use hclvm_vm::{
        Arena, AttributeType, Entry, Marks, Number, NumberRef, Refinement, Unknown, View, convert, marks_from,
    };
}

/// The examples of the README are compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
