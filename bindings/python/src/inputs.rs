//! The variables of an evaluation: a scope that the caller keeps, or a `dict` that is copied for one evaluation.

use std::cell::Cell;

use hclvm::Scope as EngineScope;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping, PyString};
use thread_local::ThreadLocal;

use crate::error::OrRaise;
use crate::input::Input;

/// What an evaluation reads, with a scope for each thread.
pub(crate) struct Inputs {
    names: Vec<(Py<PyString>, String)>,
    /// A scope without values, which is forked for others.
    empty: EngineScope,
    scopes: ThreadLocal<Cell<Option<EngineScope>>>,
}

impl Inputs {
    /// Creates the inputs of programs that read the variables `names` of scopes like `empty`.
    pub(crate) fn new<'n>(
        py: Python<'_>,
        empty: EngineScope,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Self {
        let interned = |name: &str| (PyString::intern(py, name).unbind(), name.to_owned());
        // Names with a dot are slots of attributes, which no caller sets.
        let names = names.into_iter().filter(|name| !name.contains('.')).map(interned).collect();
        Self { names, empty, scopes: ThreadLocal::new() }
    }

    /// Returns the names of the variables.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|(_, name)| name.as_str())
    }

    /// Creates a scope without values.
    pub(crate) fn scope(&self) -> Scope {
        Scope(self.empty.fork())
    }

    /// Calls `run` with the scope that `values` is, or with one that has the variables in the mapping `values`. Variables
    /// that are not read are ignored.
    pub(crate) fn with<R>(
        &self,
        py: Python<'_>,
        values: Option<&Bound<'_, PyAny>>,
        run: impl FnOnce(&EngineScope) -> PyResult<R>,
    ) -> PyResult<R> {
        if let Some(scope) = values.and_then(|values| values.cast::<Scope>().ok()) {
            return run(&scope.try_borrow()?.0);
        }
        let cell = self.scopes.get_or_default();
        // A host function may run the same program again: that run finds no scope here and makes one.
        let mut scope = cell.take().unwrap_or_else(|| self.empty.fork());
        let outcome = self.fill(py, &mut scope, values).and_then(|()| run(&scope));
        cell.set(Some(scope));
        outcome
    }

    fn fill(
        &self,
        py: Python<'_>,
        scope: &mut EngineScope,
        values: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let dict = values.map(to_dict).transpose()?;
        for (key, name) in &self.names {
            match dict.as_ref().map(|dict| dict.get_item(key.bind(py))).transpose()?.flatten() {
                Some(value) => scope.set_host(name, &Input::new(&value)).or_raise(py)?,
                None => scope.unset(name),
            }
        }
        Ok(())
    }
}

/// Returns a mapping as a `dict`.
pub(crate) fn to_dict<'py>(values: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
    if let Ok(dict) = values.cast::<PyDict>() {
        return Ok(dict.clone());
    }
    let dict = PyDict::new(values.py());
    dict.update(values.cast::<PyMapping>()?)?;
    Ok(dict)
}

/// Values of variables that stay from one evaluation to the next. A scope takes in only the parts of a value that the
/// programs read for which it was made. Only one thread may use it at a time; `fork()` gives another thread its own.
#[pyclass(module = "hclvm")]
pub(crate) struct Scope(EngineScope);

#[pymethods]
impl Scope {
    /// Sets a variable.
    fn __setitem__(&mut self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.0.set_host(name, &Input::new(value)).or_raise(value.py())
    }

    /// Removes the value of a variable.
    fn __delitem__(&mut self, name: &str) {
        self.0.unset(name);
    }

    /// True if a variable has a value.
    fn __contains__(&self, name: &str) -> bool {
        self.0.get(name).is_some()
    }

    /// Sets the variables in a mapping. Those that no program reads are ignored.
    fn update(&mut self, values: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = values.py();
        for (name, value) in to_dict(values)? {
            let name: String = name.extract()?;
            if self.0.has(&name) {
                self.0.set_host(&name, &Input::new(&value)).or_raise(py)?;
            }
        }
        Ok(())
    }

    /// Sets a variable to the value of a JSON text, with exact numbers.
    fn set_json(&mut self, py: Python<'_>, name: &str, text: &str) -> PyResult<()> {
        self.0.set_json(name, text).or_raise(py)
    }

    /// Sets the variables that are members of a JSON object. Those that no program reads are ignored.
    fn update_json(&mut self, py: Python<'_>, text: &str) -> PyResult<()> {
        self.0.set_all_json(text).or_raise(py)
    }

    /// Makes all variables without a value unknown.
    fn set_rest_unknown(&mut self) {
        self.0.set_rest_unknown();
    }

    /// Returns a scope with the same values, which may then differ. No value is copied.
    fn fork(&self) -> Self {
        Self(self.0.fork())
    }

    fn __repr__(&self) -> String {
        format!("Scope({})", self.0.layout().names().join(", "))
    }
}
