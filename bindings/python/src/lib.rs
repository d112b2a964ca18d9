//! hclvm for Python: the extension module `hclvm._hclvm`, whose names `python/hclvm/__init__.py` has.

mod batch;
mod document;
mod engine;
mod error;
mod host;
mod input;
mod inputs;
mod module;
mod output;
mod policy;
mod program;
mod structure;
mod value;

/// HCL expressions and files, compiled to bytecode and evaluated.
#[pyo3::pymodule(gil_used = false)]
mod _hclvm {
    #[pymodule_export]
    use crate::batch::Batch;
    #[pymodule_export]
    use crate::document::Document;
    #[pymodule_export]
    use crate::engine::Engine;
    #[pymodule_export]
    use crate::error::{Diagnostic, Fix, HclError, LimitError, Range};
    #[pymodule_export]
    use crate::inputs::Scope;
    #[pymodule_export]
    use crate::module::Module;
    #[pymodule_export]
    use crate::policy::{Decision, Policy};
    #[pymodule_export]
    use crate::program::Program;
    #[pymodule_export]
    use crate::value::{ExactValue, Marked, Unknown};
}
