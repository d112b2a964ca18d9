//! Engines: the function library with host functions, the limits, and a session for each thread.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hclvm::functions::{Capabilities, FunctionTable};
use hclvm::{Limits, Session, Undefined};
use hclvm_bindings_common::compiled;
use hclvm_dialects::registry::NamedDialect;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use thread_local::ThreadLocal;

use crate::document::Document;
use crate::error::{HclError, OrRaise, exception};
use crate::host::{self, function};
use crate::program::Program;

/// An engine, which everything made by it shares.
pub(crate) struct EngineState {
    pub(crate) engine: hclvm::Engine,
    sessions: ThreadLocal<Cell<Option<Session>>>,
    calls_python: bool,
}

impl EngineState {
    /// Calls `run` with the session of this thread, and raises what a host function raised.
    pub(crate) fn with_session<R>(
        &self,
        py: Python<'_>,
        run: impl FnOnce(&mut Session) -> Result<R, hclvm::Error>,
    ) -> PyResult<R> {
        let cell = self.sessions.get_or_default();
        // A host function may use the engine: its evaluation finds no session here and makes one.
        let mut session = cell.take().unwrap_or_else(|| self.engine.session());
        let outcome = if self.calls_python {
            host::raising(py, || run(&mut session))
        } else {
            run(&mut session).or_raise(py)
        };
        cell.set(Some(session));
        outcome
    }
}

/// The language, its functions and limits. Immutable, and shared by threads.
#[pyclass(frozen, module = "hclvm")]
pub(crate) struct Engine(pub(crate) Arc<EngineState>);

#[pymethods]
impl Engine {
    #[new]
    #[pyo3(signature = (dialect = "default", *, functions = None, undefined = None, trusted = false, timeout = None))]
    fn new(
        py: Python<'_>,
        dialect: &str,
        functions: Option<BTreeMap<String, Py<PyAny>>>,
        undefined: Option<&str>,
        trusted: bool,
        timeout: Option<f64>,
    ) -> PyResult<Self> {
        let named = NamedDialect::named(dialect).map_err(PyValueError::new_err)?;
        let mut dialect = named.dialect(&Capabilities::none());
        let functions = functions.unwrap_or_default();
        let calls_python = !functions.is_empty();
        for (name, callable) in functions {
            let made = function(py, &name, callable)?;
            dialect.functions.get_or_insert_with(FunctionTable::new).insert(name, made);
        }
        dialect.undefined = match undefined {
            None => dialect.undefined,
            Some("error") => Undefined::Error,
            Some("unknown") => Undefined::Unknown,
            Some(other) => {
                return Err(PyValueError::new_err(format!("undefined is error or unknown, not {other:?}")));
            }
        };
        let mut limits = if trusted { Limits::trusted() } else { Limits::untrusted() };
        if let Some(seconds) = timeout {
            let time = Duration::try_from_secs_f64(seconds);
            limits.time = Some(time.map_err(|error| PyValueError::new_err(error.to_string()))?);
        }
        let engine = hclvm::Engine::builder().dialect(dialect).limits(limits).build();
        Ok(Self(Arc::new(EngineState { engine, sessions: ThreadLocal::new(), calls_python })))
    }

    /// Evaluates an expression once, with the variables in a mapping.
    #[pyo3(signature = (text, values = None))]
    fn eval<'py>(
        &self,
        py: Python<'py>,
        text: &str,
        values: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let program = compiled(|layout| self.0.engine.compile(text, layout)).or_raise(py)?;
        // Of whole values, so that an error may propose the name of an attribute that the expression does not read.
        let scope = self.0.engine.scope(program.layout());
        Program::with_scope(py, &self.0, program, scope).run(py, values)
    }

    /// Compiles an expression.
    fn compile(&self, py: Python<'_>, text: &str) -> PyResult<Program> {
        let program = compiled(|layout| self.0.engine.compile(text, layout)).or_raise(py)?;
        Program::new(py, &self.0, program)
    }

    /// Compiles a template, such as `Hello ${name}`.
    fn compile_template(&self, py: Python<'_>, text: &str) -> PyResult<Program> {
        let program = compiled(|layout| self.0.engine.compile_template(text, layout)).or_raise(py)?;
        Program::new(py, &self.0, program)
    }

    /// Parses a file's text.
    #[pyo3(signature = (text, name = "<string>"))]
    fn parse(&self, py: Python<'_>, text: &str, name: &str) -> PyResult<Document> {
        let document = py.detach(|| self.0.engine.parse(name, text)).or_raise(py)?;
        Ok(Document::new(&self.0, document))
    }

    /// Parses a file's text in the JSON syntax of HCL.
    #[pyo3(signature = (text, name = "<string>"))]
    fn parse_json(&self, py: Python<'_>, text: &str, name: &str) -> PyResult<Document> {
        let document = py.detach(|| self.0.engine.parse_json(name, text)).or_raise(py)?;
        Ok(Document::new(&self.0, document))
    }

    /// Parses all files of a folder with an extension as one document, in the order of their names.
    #[pyo3(signature = (path, extension = ".hcl"))]
    fn parse_folder(&self, py: Python<'_>, path: PathBuf, extension: &str) -> PyResult<Document> {
        let engine = &self.0.engine;
        let parsed = py.detach(|| {
            let files = read_folder(&path, extension)?;
            let texts = files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice()));
            Ok(engine.parse_files(&path.display().to_string(), texts))
        });
        match parsed.map_err(|error: std::io::Error| PyOSError::new_err(error.to_string()))? {
            (Some(document), problems) if !problems.iter().any(hclvm::Diagnostics::has_errors) => {
                Ok(Document::new(&self.0, document))
            }
            (_, problems) => {
                let first = problems.into_iter().find(hclvm::Diagnostics::has_errors);
                Err(first.map_or_else(
                    || HclError::new_err("the folder is too large"),
                    |problems| exception(py, &problems.into()),
                ))
            }
        }
    }

    /// Formats a file's text.
    #[pyo3(signature = (text, name = "<string>"))]
    fn format(&self, py: Python<'_>, text: &str, name: &str) -> PyResult<String> {
        py.detach(|| self.0.engine.format(name, text)).or_raise(py)
    }
}

fn read_folder(path: &PathBuf, extension: &str) -> std::io::Result<Vec<(String, Vec<u8>)>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(path)? {
        let path = entry?.path();
        let name = path.display().to_string();
        if name.ends_with(extension) && path.is_file() {
            files.push((name, std::fs::read(&path)?));
        }
    }
    files.sort();
    Ok(files)
}
