//! Modules: whole files, evaluated with their locals and dynamic blocks.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::engine::EngineState;
use crate::error::{OrRaise, raise_errors};
use crate::inputs::{Inputs, Scope};
use crate::structure;

/// A file that is evaluated as a whole. Immutable, and shared by threads.
#[pyclass(frozen, module = "hclvm")]
pub(crate) struct Module {
    engine: Arc<EngineState>,
    module: hclvm::Module,
    inputs: Inputs,
}

impl Module {
    pub(crate) fn new(py: Python<'_>, engine: &Arc<EngineState>, module: hclvm::Module) -> Self {
        let inputs = Inputs::new(py, module.projection().scope(), module.variables());
        Self { engine: Arc::clone(engine), module, inputs }
    }
}

#[pymethods]
impl Module {
    /// Evaluates the file with the variables of a scope or a mapping. Blocks are lists of dictionaries by their labels.
    #[pyo3(signature = (values = None, /))]
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        values: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        self.inputs.with(py, values, |scope| {
            self.engine.with_session(py, |session| {
                let values = self.module.evaluate(session, scope)?;
                Ok(raise_errors(py, values.diagnostics())
                    .and_then(|()| structure::evaluated(py, values.body())))
            })?
        })
    }

    /// Returns the module with the values of some variables built in.
    fn specialize(&self, py: Python<'_>, values: &Bound<'_, PyAny>) -> PyResult<Self> {
        let special =
            self.inputs.with(py, Some(values), |scope| self.module.specialize(scope).or_raise(py))?;
        Ok(Self::new(py, &self.engine, special))
    }

    /// Returns a scope for values that stay from one evaluation to the next.
    fn scope(&self) -> Scope {
        self.inputs.scope()
    }

    fn __repr__(&self) -> String {
        format!("Module({:?})", self.module.document().source().name())
    }
}
