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
//! | look at it | [`Document`], [`Body`], [`Block`], [`Attribute`]; by a [`Schema`] with [`Body::content`] |
//! | compile | [`Attribute::program`], [`Engine::compile`] for single expressions, [`Body::rule_set`] for many |
//! | give values | [`Scope::set`] for what serde serializes, [`Scope::set_json`], [`Scope::set_object`], [`Scope::set_value`] |
//! | give only what is read | [`Document::projection`], [`Engine::projection`] |
//! | run | [`Session::run`]; with partial results [`Session::evaluate`]; many scopes at once [`Parallel`] |
//! | evaluate whole files | [`Document::module`] for values, [`Document::decode`] for structs, [`Session::expand`] step by step, [`Spec`] for shapes that are data |
//! | take results | [`Value`], [`from_value`], [`Json`], [`Pretty`]; to keep them [`OwnedValue`] |
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

mod bench;
mod cache;
mod content;
mod decode;
mod dialect;
mod document;
mod dynamic;
mod engine;
mod error;
mod exact;
mod expansion;
pub mod functions;
mod home;
pub mod host;
mod ingest;
mod limits;
mod merged;
mod module;
mod parallel;
mod place;
mod position;
mod problems;
mod program;
mod projection;
mod references;
mod report;
mod rule_set;
mod schema;
mod scope;
mod session;
mod show;
mod spec;
mod type_constraint;
mod update;
mod watch;

pub use content::{Content, Remainder};
pub use decode::{Spanned, from_value, from_value_within};
pub use dialect::{Dialect, Undefined};
pub use document::{Attribute, Block, Body, Document};
pub use engine::{Engine, EngineBuilder};
pub use error::{Diagnostics, Error, ErrorKind, LimitError};
pub use expansion::{AttributeView, BlockView, BodyView, ContentView, Expansion, ForEachCheck};
pub use functions::defined::DefinedFunctions;
pub use hclvm_compiler::analysis::{Key, Need, Paths, Traversal};
pub use hclvm_compiler::source::{Position, Source};
pub use hclvm_compiler::typeexpr::Mode as TypeMode;
pub use hclvm_vm::code::Line;
pub use hclvm_vm::{
    Accepts, Arena, AttributeType, CallError, Diagnostic, Entry, Exhausted, Function, FunctionTable, Layout,
    Marks, Number, NumberRef, OwnedValue, Parameter, Refinement, Severity, Span, Type, Unknown, Value, View,
    convert, marks_from,
};
pub use host::{FromArgument, IntoResult, Optional, Rest, Serde, function};
pub use ingest::{Builder, HostObject, HostValue, Ingest, JsonText};
pub use limits::Limits;
pub use merged::{Merged, MergedContent};
pub use module::{BlockResult, BodyResult, Module, ModuleResult};
pub use parallel::Parallel;
pub use program::Program;
pub use projection::Projection;
pub use report::Report;
pub use rule_set::{RuleResults, RuleSet};
pub use schema::{AttributeSchema, BlockSchema, Schema};
pub use scope::Scope;
pub use session::{Evaluation, Session, Tier};
pub use show::{Json, JsonStyle, Pretty};
pub use spec::{
    AttributeSpec, BlockAttributesSpec, BlockSpec, BlocksSpec, DefaultSpec, KeyedSpec, LabelSpec, Plan, Spec,
    TransformSpec,
};
pub use type_constraint::TypeConstraint;
pub use update::Update;
pub use watch::Cancel;

/// The examples of the README are compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
