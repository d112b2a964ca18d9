//! Programs: compiled expressions.

use std::sync::Arc;

use hclvm::OwnedValue;
use pyo3::prelude::*;

use crate::batch::{self, Batch};
use crate::engine::EngineState;
use crate::error::{Diagnostic, OrRaise, listed};
use crate::inputs::{Inputs, Scope};
use crate::output::to_python;
use crate::value::ExactValue;

/// A compiled expression. Immutable, and shared by threads.
#[pyclass(frozen, module = "hclvm")]
pub(crate) struct Program {
    engine: Arc<EngineState>,
    program: hclvm::Program,
    inputs: Inputs,
}

impl Program {
    /// Creates a program whose scopes take in only the parts of values that it reads.
    pub(crate) fn new(py: Python<'_>, engine: &Arc<EngineState>, program: hclvm::Program) -> PyResult<Self> {
        let empty = engine.engine.projection([&program]).or_raise(py)?.scope();
        Ok(Self::with_scope(py, engine, program, empty))
    }

    /// Creates a program with scopes like `empty`.
    pub(crate) fn with_scope(
        py: Python<'_>,
        engine: &Arc<EngineState>,
        program: hclvm::Program,
        empty: hclvm::Scope,
    ) -> Self {
        let layout = program.own_layout();
        let mut names: Vec<&str> = layout.names().iter().map(AsRef::as_ref).collect();
        names.sort_unstable();
        let inputs = Inputs::new(py, empty, names);
        Self { engine: Arc::clone(engine), program, inputs }
    }
}

#[pymethods]
impl Program {
    /// Evaluates the expression with the variables of a scope or a mapping. Raises `HclError` if it fails.
    #[pyo3(signature = (values = None, /))]
    pub(crate) fn run<'py>(
        &self,
        py: Python<'py>,
        values: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.inputs.with(py, values, |scope| {
            self.engine.with_session(py, |session| {
                session.run(&self.program, scope).map(|value| to_python(py, value))
            })?
        })
    }

    /// Evaluates like `run`. Returns the value with its exact type, which is partial if there are errors, and the
    /// diagnostics.
    #[pyo3(signature = (values = None, /))]
    fn evaluate(
        &self,
        py: Python<'_>,
        values: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(ExactValue, Vec<Diagnostic>)> {
        self.inputs.with(py, values, |scope| {
            self.engine.with_session(py, |session| {
                let evaluation = session.evaluate(&self.program, scope)?;
                Ok((ExactValue(OwnedValue::new(evaluation.value)), listed(&evaluation.diagnostics)))
            })
        })
    }

    /// Evaluates the expression for each row of an Arrow table: of pyarrow, polars, pandas, or another object with
    /// `__arrow_c_stream__`. Columns are the variables of their names; other variables have the values of a scope or a
    /// mapping in all rows. The result is a table with the column `result`.
    #[pyo3(signature = (data, values = None, /))]
    fn run_batch(
        &self,
        py: Python<'_>,
        data: &Bound<'_, PyAny>,
        values: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Batch> {
        let stream = batch::stream(data)?;
        self.inputs.with(py, values, |scope| {
            self.engine
                .with_session(py, |session| py.detach(|| batch::run(session, &self.program, scope, stream)))
        })
    }

    /// Explains which conditions decide the result.
    #[pyo3(signature = (values = None, /))]
    fn why(&self, py: Python<'_>, values: Option<&Bound<'_, PyAny>>) -> PyResult<String> {
        self.inputs.with(py, values, |scope| {
            self.engine.with_session(py, |session| Ok(session.why(&self.program, scope)?.to_string()))
        })
    }

    /// Returns a scope for values that stay from one run to the next.
    fn scope(&self) -> Scope {
        self.inputs.scope()
    }

    /// The names of the variables that it reads.
    #[getter]
    fn variables(&self) -> Vec<&str> {
        self.inputs.names().collect()
    }

    fn __repr__(&self) -> String {
        format!("Program({:?})", self.program.span().slice(self.program.source().text()))
    }
}
