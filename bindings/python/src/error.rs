//! Errors of the engine as Python exceptions, and diagnostics as objects.

use hclvm::diagnostics::Severity;
use hclvm::{Diagnostics, Error};
use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

create_exception!(
    hclvm,
    HclError,
    PyException,
    "An error in a text, an evaluation or a value.\n\n\
     `diagnostics` lists all of them; `report` shows them with their source lines."
);
create_exception!(hclvm, LimitError, HclError, "A text or an evaluation exceeds a limit of the engine.");

/// A place in a text. Lines and columns start at 1, bytes at 0; a column is a character as people see it.
#[pyclass(frozen, get_all, eq, module = "hclvm")]
#[derive(Clone, PartialEq)]
pub(crate) struct Range {
    filename: String,
    line: u32,
    column: u32,
    byte: u32,
    end_line: u32,
    end_column: u32,
    end_byte: u32,
}

#[pymethods]
impl Range {
    fn __repr__(&self) -> String {
        format!("{}:{}:{}", self.filename, self.line, self.column)
    }
}

/// A change to the text that would solve a problem: `text` in place of `range`.
#[pyclass(frozen, get_all, eq, module = "hclvm")]
#[derive(Clone, PartialEq)]
pub(crate) struct Fix {
    range: Range,
    text: String,
}

#[pymethods]
impl Fix {
    fn __repr__(&self) -> String {
        format!("Fix({}, {:?})", self.range.__repr__(), self.text)
    }
}

/// An error or a warning about a text.
#[pyclass(frozen, get_all, eq, module = "hclvm")]
#[derive(Clone, PartialEq)]
pub(crate) struct Diagnostic {
    severity: &'static str,
    code: &'static str,
    title: String,
    detail: String,
    range: Option<Range>,
    fixes: Vec<Fix>,
}

#[pymethods]
impl Diagnostic {
    fn __repr__(&self) -> String {
        let place = self.range.as_ref().map(|range| format!(", {}", range.__repr__()));
        format!("Diagnostic({}[{}]{})", self.severity, self.code, place.unwrap_or_default())
    }

    fn __str__(&self) -> String {
        format!("{}[{}]: {}: {}", self.severity, self.code, self.title, self.detail)
    }
}

/// Returns diagnostics as objects.
pub(crate) fn listed(diagnostics: &Diagnostics) -> Vec<Diagnostic> {
    let source = diagnostics.source();
    let range = |span| {
        let (start, end) = source.range(span);
        Range {
            filename: source.name().to_owned(),
            line: start.line,
            column: start.column,
            byte: start.byte,
            end_line: end.line,
            end_column: end.column,
            end_byte: end.byte,
        }
    };
    let one = |diagnostic: &hclvm::Diagnostic| {
        let changes = diagnostic.additions.iter().flat_map(|additions| &additions.replacements);
        Diagnostic {
            severity: match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            },
            code: diagnostic.code().name(),
            title: diagnostic.title.to_string(),
            detail: diagnostic.detail.to_string(),
            range: diagnostic.subject.map(range),
            fixes: changes
                .map(|change| Fix { range: range(change.span), text: change.text.clone() })
                .collect(),
        }
    };
    diagnostics.iter().map(one).collect()
}

/// Returns the exception of an error.
pub(crate) fn exception(py: Python<'_>, error: &Error) -> PyErr {
    let found = if error.is_limit() {
        LimitError::new_err(error.to_string())
    } else {
        HclError::new_err(error.to_string())
    };
    let diagnostics = error.diagnostics().map(listed).unwrap_or_default();
    let report = error.diagnostics().map_or_else(|| error.to_string(), |all| all.report().to_string());
    let value = found.value(py);
    match value.setattr("diagnostics", diagnostics).and_then(|()| value.setattr("report", report)) {
        Ok(()) => found,
        Err(failure) => failure,
    }
}

/// Returns an exception with a message alone.
pub(crate) fn refusal(py: Python<'_>, message: impl Into<String>) -> PyErr {
    exception(py, &Error::host(message))
}

/// Results of the engine as results of Python.
pub(crate) trait OrRaise<T> {
    /// Returns the value, or the exception of the error.
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T> OrRaise<T> for Result<T, Error> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| exception(py, &error))
    }
}

/// Returns an exception if one of the diagnostics is an error.
pub(crate) fn raise_errors(py: Python<'_>, diagnostics: &Diagnostics) -> PyResult<()> {
    if diagnostics.has_errors() { Err(exception(py, &diagnostics.clone().into())) } else { Ok(()) }
}
