//! Packer templates and Nomad jobs, read as their applications read them: which files belong to a module, where
//! variables get their values from, what names exist where, and which body is evaluated when.
//!
//! The language itself is the crate [`hclvm`]. This crate turns files into modules:
//!
//! ```text
//! files ─prepare─▶ Module ─evaluate(inputs)─▶ Evaluation: variables, locals, data, builds or a job, problems
//!                   once                        many times
//! ```
//!
//! [`packer`] reads folders of `*.pkr.hcl` and `*.pkr.json`, [`nomad`] reads job specifications. [`Inputs`] are
//! the values that users give: variable files, the command line, the environment.
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

mod application;
mod constants;
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
mod variables;
mod watch;

pub use application::{Application, ApplicationModule, Claim, FileRole, FolderFile, Purpose, ReadSettings};
pub use evaluated::{Block, Body};
pub use evaluation::{Evaluation, ModuleContent};
pub use files::{File, Files};
pub use given::{Given, HostRoot, not_an_object};
pub use inputs::Inputs;
pub use locals::Local;
pub use output::{Members, Output};
pub use paths::PathValue;
pub use problems::Problems;
pub use variables::{Origin, Variable};
pub use watch::{Explanation, Observed};

/// The example of the README is compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
