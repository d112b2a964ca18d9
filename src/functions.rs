//! Tables of the functions that programs can call, one for each application, and the capabilities that
//! some of them need.
//!
//! Use it to choose or extend the table of an engine. To write a function, start with closures over
//! Rust types ([`host`](crate::host)); build a [`Function`] by hand only if it needs the arena, sees
//! unknown or marked arguments, or computes its result type.
//!
//! ```
//! use hclvm::{Engine, functions};
//!
//! let engine = Engine::builder().functions(functions::opentofu()).build();
//! # let _ = engine;
//! ```
//!
//! A function whose feature is off is in no table: a program that calls it is rejected when it is
//! compiled. What functions can reach beyond their arguments is decided by the [`Capabilities`].

mod template_renderer;

use crate::dialect::Dialect;
use template_renderer::EngineRenderer;

pub use crate::structure::defined_functions::DefinedFunctions;
pub use hclvm_functions::{
    Capabilities, FunctionSet, Part, Summary, capability, library, nomad, standard, summary,
};
pub use hclvm_vm::{Accepts, CallError, Function, FunctionTable, Parameter};

/// Returns every function of the tables under its usual name, except those that fetch secrets for one
/// application. Those that depend on more than their arguments use what the host has `granted`.
///
/// Where applications have different functions of one name, it is OpenTofu's, else Packer's, else that of
/// the standard table: `coalesce` skips empty strings, `index` returns a position, and `lookup` may leave out
/// the default. Only `replace` is literal, as in all others.
pub fn all(granted: &Capabilities) -> FunctionTable {
    hclvm_functions::all(granted, EngineRenderer::with_functions)
}

/// Returns the functions of a set, for a dialect that has no table here. Those that depend on more than their arguments
/// use what the host has `granted`.
pub fn of(set: &FunctionSet, granted: &Capabilities) -> FunctionTable {
    set.table(granted, EngineRenderer::with_functions)
}

/// Returns the tables `standard`, `packer`, `nomad` and `opentofu`, for tools that list functions.
pub fn tables(granted: &Capabilities) -> [(&'static str, FunctionTable); 4] {
    hclvm_functions::tables(granted, EngineRenderer::with_functions)
}

/// Returns the functions of Packer's templates. Those that depend on more than their arguments use
/// what the host has `granted`.
///
/// `env`, which Packer allows in the defaults of variables only, is in the table: where it may be
/// called is decided by the host.
pub fn packer(granted: &Capabilities) -> FunctionTable {
    hclvm_functions::packer(granted, EngineRenderer::with_functions)
}

/// Returns the functions that OpenTofu's expressions can call without files, clock or randomness.
/// Each of them is also available as `core::name`.
pub fn opentofu() -> FunctionTable {
    hclvm_functions::opentofu(EngineRenderer::with_functions)
}

/// The dialect of [`Engine::new`](crate::Engine::new) and of the command: the language of hashicorp/hcl with
/// every function of the tables (see [`all`]). Functions that need a capability fail; see
/// [`Dialect::granted`].
impl Default for Dialect {
    fn default() -> Self {
        Self::granted(&Capabilities::none())
    }
}

impl Dialect {
    /// Returns the default dialect for a host that has `granted` capabilities.
    pub fn granted(granted: &Capabilities) -> Self {
        Self::with_functions(all(granted))
    }

    /// Returns the language of hashicorp/hcl with the functions that OpenTofu's expressions can call without
    /// files, clock or randomness.
    pub fn opentofu() -> Self {
        Self::with_functions(opentofu())
    }

    /// Returns the language of Packer's templates. Functions use what the host has `granted`.
    pub fn packer(granted: &Capabilities) -> Self {
        Self::with_functions(packer(granted))
    }
}
