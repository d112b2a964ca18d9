//! The project file `hclvm.hcl`, and the checks that the command `hclvm` and its language server share.
//!
//! ```text
//! folder ─find─▶ hclvm.hcl ─read─▶ Project: dialect, functions, policy, scopes, schema, lints, excluded folders
//! document, Declared, Lints, PolicySettings ─check─▶ problems, the same in the terminal and in an editor
//! ```
//!
//! ```
//! use hclvm_project::Project;
//!
//! let project = Project::parse("hclvm.hcl", br#"
//!     function "ip_in" { result = true }
//!     scope "guest" { values = { user = { name = "ann" } } }
//! "#).map_err(|error| error.to_string())?;
//! assert_eq!(project.stubs[0].function, "ip_in");
//! assert_eq!(project.scopes[0].name, "guest");
//! # Ok::<(), String>(())
//! ```

pub mod check;
pub mod compare;
mod constraint;
pub mod notation;
pub mod policy;
mod project;
pub mod stub;

pub use project::{LintBlock, PROJECT_FILE, Project, ProjectError, SampleScope, find, functions};
