//! HCL expressions compiled to bytecode: parse once, evaluate many times.
//!
//! ```
//! let sum = hclvm::Engine::new().eval("1 + 2 * n", &serde_json::json!({"n": 20}))?;
//! assert_eq!(sum.to_string(), "41");
//! # Ok::<(), hclvm::Error>(())
//! ```
//!
//! An expression that is evaluated more than once is compiled once, and so is a file:
//!
//! ```
//! let engine = hclvm::Engine::new();
//! let document = engine.parse("policy.hcl", r#"
//!     allow = user.role == "admin" || (request.method == "GET" && !request.locked)
//! "#)?;
//! let allow = document.attribute("allow").expect("the policy defines it").program()?;
//!
//! let mut scope = document.projection().scope();
//! scope.set("request", &serde_json::json!({"method": "GET", "locked": false}))?;
//! let mut session = engine.session();
//! for role in ["guest", "admin"] {
//!     scope.set("user", &serde_json::json!({"role": role}))?;
//!     assert_eq!(session.run(&allow, &scope)?.as_bool(), Some(true));
//! }
//! # Ok::<(), hclvm::Error>(())
//! ```
//!
//! An [`Engine`] holds the function library and the limits. It parses a text into a [`Document`];
//! each [`Attribute`] compiles to a [`Program`]. A [`Scope`] holds the values of variables, a
//! [`Session`] the memory that one thread reuses. A scope of [`Document::projection`] copies only the parts of
//! values that programs read, which takes half the time or less for structs of many fields; one of
//! [`Document::scope`] copies all, for values that are read back or passed to other programs. Engines, documents and programs are immutable, cheap
//! to clone and shared between threads; a thread has its own session and its own scopes, which it can
//! fork from a prepared one.
//!
//! # Three ways to use it
//!
//! **A policy engine** evaluates one configuration for many requests. A [`Policy`](policy::Policy) turns blocks
//! with a condition into decisions: the effect, the rule that decided and its reason. Set shared variables once,
//! and let each request set only its own.
//!
//! ```
//! # let engine = hclvm::Engine::new();
//! let module = engine.parse("policy.hcl", r#"
//!     rule "owner" {
//!       when   = user.id == resource.owner
//!       effect = "allow"
//!       reason = "${user.id} owns it"
//!     }
//!     rule "admin" {
//!       when   = contains(user.roles, "admin")
//!       effect = "allow"
//!     }
//! "#)?.module()?;
//! let policy = module.policy(&hclvm::policy::PolicySpec::default())?;
//! let mut prepared = policy.projection().scope();
//! prepared.set("resource", &serde_json::json!({"owner": 17}))?;
//!
//! let mut session = engine.session();                  // one for each thread
//! for (request, rule) in [
//!     (r#"{"user": {"id": 17, "roles": []}}"#, Some("owner")),
//!     (r#"{"user": {"id": 3, "roles": ["admin"]}}"#, Some("admin")),
//!     (r#"{"user": {"id": 3, "roles": []}}"#, None),
//! ] {
//!     let mut scope = prepared.fork();
//!     scope.set_all_json(request)?;
//!     let decision = policy.decide(&mut session, &scope)?;
//!     assert_eq!(decision.name(), rule);
//!     assert_eq!(decision.effect(), if rule.is_some() { "allow" } else { "deny" });
//! }
//! # Ok::<(), hclvm::Error>(())
//! ```
//!
//! Conditions without effects are a [`RuleSet`](run::RuleSet), of which [`Session::run_rules`] returns all results.
//! `examples/policy_engine.rs` evaluates a whole file for each request; [`Parallel`](run::Parallel)
//! spreads requests over all cores.
//!
//! **A configuration that reloads** is decoded into structs with [`Document::decode`], which also evaluates
//! `locals` and `dynamic` blocks. On a change, [`Document::update`] parses the new text and keeps the code of
//! all expressions that did not change; if the text has errors, the old document stays in use.
//!
//! ```
//! #[derive(serde::Deserialize)]
//! struct Config { region: String, port: u16 }
//!
//! # let engine = hclvm::Engine::new();
//! let document = engine.parse("app.hcl", "locals { base = 8000 }\nregion = upper(\"eu\")\nport = local.base")?;
//! let config: Config = document.decode(&document.scope())?;
//! assert_eq!((config.region.as_str(), config.port), ("EU", 8000));
//!
//! let (document, changes) =
//!     document.update("locals { base = 8000 }\nregion = upper(\"eu\")\nport = local.base + 80")?;
//! let config: Config = document.decode(&document.scope())?;
//! assert_eq!((changes.changed[0].path(), changes.compiled, changes.reused), ("port", 1, 2));
//! assert_eq!(config.port, 8080);
//!
//! let error = document.update("port = ").unwrap_err();
//! println!("{error:?}");                               // with the source lines
//! # Ok::<(), hclvm::Error>(())
//! ```
//!
//! `examples/service_config.rs` decodes a file of 150 lines and shows its diagnostics.
//!
//! **A benchmark beside a tree-walking evaluator** compiles outside the measured loop and creates the
//! session and the scope there, too: a run then allocates nothing that the previous run did not. Set
//! in the loop only the variables that change, and read the result before the next run reuses its
//! memory.
//!
//! ```
//! # let engine = hclvm::Engine::new();
//! # let layout = std::sync::Arc::new(hclvm::Layout::new(["n"]));
//! let program = engine.compile("n * 2 > 10 ? \"large\" : \"small\"", &layout)?;
//! let (mut session, mut scope) = (engine.session(), engine.scope(&layout));
//! let start = std::time::Instant::now();
//! for n in 0..1_000_u64 {
//!     scope.set("n", &n)?;
//!     std::hint::black_box(session.run(&program, &scope)?);
//! }
//! println!("{:?} for each evaluation", start.elapsed() / 1_000);
//! # Ok::<(), hclvm::Error>(())
//! ```
//!
//! The directory `benches/` holds workloads with such loops, and other engines that run the same ones.
//!
//! # Which way to read a file
//!
//! | you have | use | you get |
//! |---|---|---|
//! | expressions that you know by name, each evaluated often | [`Attribute::program`], [`Session::run`] | a borrowed [`Value`] for each run |
//! | a file of any shape, with `locals` and `dynamic` blocks | [`Module`] | all values in one evaluation, by the structure of the file; rules of which the first match counts |
//! | rules that allow or deny | [`Policy`](policy::Policy) | the effect, the rule that decided and its reason |
//! | structs for a configuration, with `locals` and `dynamic` blocks | [`Document::decode`] | the structs; messages in words of the configuration |
//! | a shape that is data, known when the program runs | [`Spec`](spec::Spec) | one value of that shape |
//! | names and labels to check, without evaluating | [`Schema`](schema::Schema), [`Body::content`] | the attributes and blocks, and diagnostics of the others |
//! | schemas, and `dynamic` blocks that depend on values | [`Expansion`](expansion::Expansion) | blocks and values step by step, as the schemas ask for them |
//!
//! Several files are one document by [`Engine::parse_files`], and one body to read by schemas by
//! [`Merged`](syntax::Merged).
//!
//! # Before anything runs
//!
//! [`Document::check`] evaluates a file with unknown values: it finds wrong calls, types and names of locals
//! without any scope. Tell it the variables that will be set, and it also finds misspelled names and attributes.
//!
//! ```
//! use hclvm::check::Declared;
//!
//! # let engine = hclvm::Engine::new();
//! let document = engine.parse("policy.hcl", r#"allow = user.role == "admin" || resource.public"#)?;
//! let declared = Declared::new().sample("user", &serde_json::json!({"role": "guest"}))?;
//! let problems = document.check(&declared);
//! assert!(problems.has_errors());                      // nothing declares `resource`
//! eprint!("{}", problems.report());
//! # Ok::<(), hclvm::Error>(())
//! ```
//!
//! # Values that have to be fetched
//!
//! A program never waits. A host fetches ahead: [`Program::referenced_paths`] names the variables and
//! attributes that it reads. To fetch only what decides, run it first with the others unknown
//! ([`Scope::set_unknown`]); a known result needs none of them. `examples/async_fetch.rs` does it with tokio.
//!
//! # Where to find it
//!
//! | to | use |
//! |---|---|
//! | parse a file | [`Engine::parse`], [`Engine::parse_json`]; with the diagnostics beside a partial result [`Engine::parse_lenient`], [`Engine::parse_bytes_lenient`] |
//! | navigate it | [`Document`], [`Body`], [`Block`], [`Attribute`]; by a [`Schema`](schema::Schema) with [`Body::content`] |
//! | evaluate one expression once | [`Engine::eval`] |
//! | check it before it runs | [`Document::check`] with [`Declared`](check::Declared) |
//! | compile | [`Attribute::program`], [`Engine::compile`] for single expressions, [`Body::rule_set`] for many |
//! | set variables | [`Scope::set`] for types that implement `Serialize`, [`Scope::set_json`], [`Scope::set_object`], [`Scope::set_value`] |
//! | set only the parts that programs read | [`Document::projection`], [`Module::projection`], [`Policy::projection`](policy::Policy::projection), [`Engine::projection`] |
//! | run | [`Session::run`]; with partial results [`Session::evaluate`]; many scopes that are kept [`Session::run_batch`] and [`Session::run_at`]; rows in columns [`Session::run_columns`]; a stream of scopes on all cores [`Parallel`](run::Parallel) |
//! | evaluate whole files | [`Document::decode`] into structs, [`Document::module`] into values, which also [fill structs](module::Values::decode) and serialize, [`Spec`](spec::Spec) into a shape that is data, [`Session::expand`] step by step |
//! | follow a scope that changes little | [`Module::follow`]: what changed, without evaluating the rest |
//! | use results | [`Value`], [`from_value`], [`Json`], [`Pretty`](show::Pretty); to keep them [`OwnedValue`] |
//! | add functions | [`function`] from closures, [`Dialect`] for tables, [`functions`] for those that exist |
//! | bound work and memory | [`Limits`], [`Session::set_time`], [`Session::cancel`] |
//! | report errors | [`Error::diagnostics`], [`Diagnostics::report`]; as data with `Serialize`; by code with [`Diagnostic::code`] |
//! | warn about what is probably not meant | [`Document::lints`] |
//! | format a file | [`Engine::format`] |
//!
//! # Features
//!
//! | feature | by default | what it adds |
//! |---|---|---|
//! | `regex` | yes | regular expressions |
//! | `digest`, `encoding` | no | hashes and Base64, which Packer, Nomad and OpenTofu have |
//! | `bcrypt`, `charset`, `compression`, `random`, `rsa`, `yaml` | no | further functions and capabilities; `full` turns on all features of functions |
//! | `exact-json` | no | exact numbers in the types and serializers of `serde_json` |
//!
//! A function whose feature is off is missing from every table: a program that calls it does not
//! compile. JSON that this crate reads and writes itself ([`Scope::set_json`], [`Json::to_text`],
//! `jsondecode`, `jsonencode`) is always exact. `exact-json` turns on `arbitrary_precision` of
//! `serde_json`, which makes its values slower in every crate of the build; nothing else here changes
//! the features of `serde_json`.
//!
//! This crate is the interface. `hclvm-compiler` compiles text to code, `hclvm-vm` executes it, and
//! `hclvm-functions` is the function library.

mod clock;
mod compile;
mod data;
pub mod diagnostics;
mod dialect;
mod engine;
pub mod functions;
mod limits;
pub mod run;
mod structure;
pub mod syntax;

pub use compile::program::Program;
pub use compile::settings::Engine;
pub use data::decode::from_value;
pub use data::host::function;
pub use data::show::Json;
pub use data::{decode, host, ingest, show};
pub use diagnostics::error::{Diagnostics, Error, ErrorKind};
pub use dialect::{Dialect, Undefined};
pub use engine::EngineBuilder;
pub use hclvm_vm::{Diagnostic, Layout, OwnedValue, Type, Value};
pub use limits::Limits;
pub use run::scope::Scope;
pub use run::session::Session;
pub use structure::module::Module;
pub use structure::{check, expansion, lint, module, policy, spec};
pub use syntax::document::{Attribute, Block, Body, Document};
pub use syntax::saved::LoadError;

pub mod analysis {
    //! What an expression refers to, without evaluating it, and the code it compiles to.
    //!
    //! These types are returned by `referenced_paths`, `references` and `listing` of
    //! [`Program`](crate::Program), [`Attribute`](crate::Attribute) and [`Body`](crate::Body). Use them to find dependencies between files, or to load only the
    //! data that a program reads. If the purpose is only to set fewer values,
    //! [`Projection`](crate::run::Projection) does it without this module.

    pub use hclvm_compiler::analysis::{Key, Need, Paths, Traversal, dependency_order};
    pub use hclvm_vm::code::Line;
}

pub mod schema {
    //! Body content by schema: which attributes and blocks a body may hold, and which it holds.
    //!
    //! Use it to read a file piece by piece without evaluating it: [`Body::content`](crate::Body::content)
    //! checks names and labels, and returns attributes that are not evaluated yet. To evaluate as well,
    //! use [`Document::decode`](crate::Document::decode) for Rust types or [`spec`](crate::spec) for
    //! shapes that are data; with `dynamic` blocks, [`expansion`](crate::expansion) applies the same
    //! schemas.

    pub use crate::structure::content::{Content, Remainder};
    pub use crate::structure::schema::{AttributeSchema, BlockSchema, Schema};
}

pub mod value {
    //! The parts of a [`Value`](crate::Value): numbers, entries, marks, unknown values.
    //!
    //! Use it to build values by hand for [`Scope::set_value`](crate::Scope::set_value), in functions
    //! that need the arena, or to match on every kind of value with [`View`]. Host types need none of
    //! it: [`ingest`](crate::ingest) builds values from them, and [`decode`](crate::decode) and
    //! [`show`](crate::show) convert results.

    pub use hclvm_vm::ops::equality::{identical, same};
    pub use hclvm_vm::text::nfc;
    pub use hclvm_vm::{
        Arena, AttributeType, Entry, Marks, Misfit, Number, NumberRef, Refinement, Unknown, View, convert,
        copy, find, marks_from,
    };
}

pub mod why {
    //! Why a result is what it is: what each condition was, and which of them decide.
    //!
    //! [`Session::run`](crate::Session::run) records nothing. What is asked here evaluates a program once more, with
    //! an observer that sees every condition.

    pub use crate::run::coverage::{Condition, Coverage};
    pub use crate::run::why::{Explained, Outcome, Why};
    pub use hclvm_vm::code::{ConditionKind, ConditionUse};
    pub use hclvm_vm::exec::{Outcomes, Truth};
}

/// The examples of the README are compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
