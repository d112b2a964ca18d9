//! Packer templates, Nomad jobs and Terraform modules, read as their applications read them: which files belong to a
//! module, where variables get their values from, which names exist where, and which body is evaluated when.
//!
//! The language itself is the crate [`hclvm`]. This crate turns files into modules:
//!
//! ```text
//! files ─prepare─▶ Module ─evaluate(inputs)─▶ Evaluation: variables, locals, data, builds or a job, problems
//!                   once                        many times
//! ```
//!
//! [`packer`] reads folders of `*.pkr.hcl` and `*.pkr.json`, [`nomad`] reads job specifications, [`terraform`] reads
//! folders of `*.tf` and `*.tofu`. [`Inputs`] are the values that users give: variable files, the command line, the
//! environment. [`terraform_policy`] judges plans by policies.
//!
//! ```
//! use hclvm_dialects::{File, Files, Inputs, packer};
//!
//! let template = File::new("image.pkr.hcl", r#"
//!     variable "region" {
//!       type    = string
//!       default = "eu"
//!     }
//!     locals {
//!       name = "image-${var.region}"
//!     }
//! "#);
//! let module = packer::Settings::new().prepare(&Files::of(&packer::Packer, "images", [template]))?;
//! let evaluation = module.evaluate(&Inputs::new().argument("region", "us"));
//! assert!(evaluation.problems().is_empty());
//! assert_eq!(evaluation.local("name").and_then(|name| name.as_str()), Some("image-us"));
//! # Ok::<(), hclvm_dialects::Problems>(())
//! ```
//!
//! # Any application
//!
//! [`registry`] lists the applications as [`Application`]s. A tool that works on all of them, such as the command
//! `hclvm`, uses the trait alone: it finds the application of a path, reads the files as an [`ApplicationModule`], and
//! evaluates it with what a [`Given`] holds. Results are an [`Evaluation`]: variables, local values and problems, which all
//! applications have, and the [`ModuleContent`] of one. A program for one application uses its module, such as
//! [`packer`], where this content has its own type.
//!
//! # Adding an application
//!
//! An application is a folder here and a line in the registry:
//!
//! | file | what it has |
//! |---|---|
//! | `src/NAME.rs` | a unit struct that implements [`Application`]: names, the dialect, the files of a folder; the module as an [`ApplicationModule`] |
//! | `src/NAME/declarations.rs` | the blocks of the top level, and from them `ModuleLayout` (the slots of a scope), `Declarations` of variables and `LocalDeclaration`s |
//! | `src/NAME/evaluate.rs` | one evaluation: `Collector` and `Validator` for variables, `Graph` for locals, `Body::read` for bodies, each with the `Watch` that it gets |
//! | `src/NAME/content.rs` | what it makes of its blocks, as [`ModuleContent`]: values with paths, and [`Output`] |
//! | `src/lib.rs` | `pub mod NAME;` |
//! | `src/registry.rs` | `NamedDialect::Application(&NAME::Name)` in [`registry::DIALECTS`], where lists shall have it |
//! | `tests/modules/NAME_….rs` | its behaviour, text by text |
//!
//! What the application does not decide is not written again: reading and ordering files ([`Files`]), values of
//! variables from the environment, files, hosts and arguments, their validation, sensitive values, explanations, coverage
//! and the comparison of two evaluations. `src/application/tests.rs` has an application of 200 lines that uses all of it.
//!
//! If its functions are not those of a dialect that exists, the folder has a
//! [`FunctionSet`](hclvm::functions::FunctionSet) of the base libraries, and [`Application::dialect`] is
//! `Dialect::with_functions(functions::of(&FUNCTIONS, granted))`. A function that no library has is a constructor in its
//! family file of `hclvm-functions` and a line in a library.

mod application;
mod constants;
mod convert;
mod durations;
mod evaluated;
mod evaluation;
mod files;
mod fuel;
mod given;
mod hidden;
mod inputs;
mod locals;
mod marks;
mod names;
pub mod nomad;
mod output;
pub mod packer;
mod paths;
mod problems;
pub mod registry;
pub mod terraform;
pub mod terraform_policy;
mod variables;
mod versions;
mod watch;

pub use application::{
    Application, ApplicationModule, Claim, DefinedBy, FileRole, FolderFile, NameDefinition, Purpose,
    ReadSettings, USUAL_DEFINITIONS,
};
pub use evaluated::{Block, Body};
pub use evaluation::{Evaluation, ModuleContent};
pub use files::{File, Files};
pub use given::{Given, HostRoot, not_an_object};
pub use inputs::Inputs;
pub use locals::Local;
pub use output::{Members, Output, Selection};
pub use paths::PathValue;
pub use problems::Problems;
pub use variables::{Origin, Variable};
pub use watch::{Explanation, Observed};

/// The example of the README is compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
