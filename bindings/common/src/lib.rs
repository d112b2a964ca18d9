//! What the bindings have in common: compiling a text for its own variables, the limit of evaluations in one another, and
//! documents as they are written.

mod nested;
mod written;

use std::sync::Arc;

use hclvm::{Error, Layout, Program};

pub use nested::Nested;
pub use written::{Part, Written};

/// Compiles a text for a layout of the variables that it reads.
///
/// ```
/// let engine = hclvm::Engine::new();
/// let program = hclvm_bindings_common::compiled(|layout| engine.compile("a + b", layout))?;
/// assert!(program.layout().names().iter().any(|name| name == "a"));
/// # Ok::<(), hclvm::Error>(())
/// ```
pub fn compiled(compile: impl Fn(&Arc<Layout>) -> Result<Program, Error>) -> Result<Program, Error> {
    // Without slots first, to learn the names.
    let program = compile(&Arc::default())?;
    let layout = program.own_layout();
    if layout.is_empty() { Ok(program) } else { compile(&layout) }
}
