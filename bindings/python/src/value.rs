//! Values that Python has no type for: unknown ones, marked ones, and values with their exact type.

use hclvm::show::type_text;
use hclvm::syntax::TypeMode;
use hclvm::value::{Arena, View};
use hclvm::{Engine, Json, Limits, OwnedValue, Value};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::error::{OrRaise, refusal};
use crate::input::Input;
use crate::output::{self, to_python};

/// A value that is not known yet, of a type: `Unknown("list(string)")`. It has no truth value.
#[pyclass(frozen, module = "hclvm")]
pub(crate) struct Unknown(pub(crate) OwnedValue);

#[pymethods]
impl Unknown {
    #[new]
    #[pyo3(signature = (r#type = "any"))]
    fn new(py: Python<'_>, r#type: &str) -> PyResult<Self> {
        let constraint = Engine::standard().type_constraint(r#type, TypeMode::Constraint).or_raise(py)?;
        let arena = Arena::new();
        Ok(Self(OwnedValue::new(Value::unknown_of(&arena, constraint.ty()))))
    }

    /// The type, as a type constraint.
    #[getter]
    fn r#type(&self) -> String {
        type_of(self.0.get())
    }

    fn __bool__(&self) -> PyResult<bool> {
        Err(PyTypeError::new_err("an unknown value is neither true nor false"))
    }

    fn __repr__(&self) -> String {
        format!("Unknown({:?})", self.r#type())
    }
}

/// A secret or otherwise marked value. Only `reveal()` returns the content; no text has it.
#[pyclass(frozen, module = "hclvm")]
pub(crate) struct Marked {
    pub(crate) content: Py<PyAny>,
    pub(crate) marks: Vec<String>,
}

#[pymethods]
impl Marked {
    #[new]
    #[pyo3(signature = (content, *marks))]
    fn new(content: Py<PyAny>, marks: Vec<String>) -> Self {
        let marks = if marks.is_empty() { vec!["sensitive".to_owned()] } else { marks };
        Self { content, marks }
    }

    /// The names of the marks.
    #[getter]
    fn marks(&self) -> Vec<String> {
        self.marks.clone()
    }

    /// Returns the content.
    fn reveal(&self, py: Python<'_>) -> Py<PyAny> {
        self.content.clone_ref(py)
    }

    fn __bool__(&self) -> PyResult<bool> {
        Err(PyTypeError::new_err("a marked value has a truth value only after reveal()"))
    }

    fn __repr__(&self) -> String {
        format!("Marked({})", self.marks.join(", "))
    }
}

/// A value with its exact type: `Value(["a"], "list(string)")`. Results of `evaluate` are of this class.
#[pyclass(frozen, module = "hclvm", name = "Value")]
pub(crate) struct ExactValue(pub(crate) OwnedValue);

#[pymethods]
impl ExactValue {
    #[new]
    #[pyo3(signature = (value, r#type = None))]
    fn new(py: Python<'_>, value: &Bound<'_, PyAny>, r#type: Option<&str>) -> PyResult<Self> {
        let arena = Arena::new();
        let built = Input::new(value).in_arena(&arena).or_raise(py)?;
        let Some(text) = r#type else { return Ok(Self(OwnedValue::new(built))) };
        let constraint = Engine::standard().type_constraint(text, TypeMode::WithDefaults).or_raise(py)?;
        match constraint.convert(&arena, built) {
            Ok(converted) => Ok(Self(OwnedValue::new(converted))),
            Err(mismatch) => Err(refusal(py, mismatch.to_string())),
        }
    }

    /// The type, as a type constraint.
    #[getter]
    fn r#type(&self) -> String {
        type_of(self.0.get())
    }

    /// The names of its marks.
    #[getter]
    fn marks(&self) -> Vec<&str> {
        self.0.get().unmark().1.names().to_vec()
    }

    /// False if the value itself is unknown.
    #[getter]
    fn is_known(&self) -> bool {
        self.0.get().is_known()
    }

    /// The value as plain Python: numbers as `int` or `float`, all sequences as `list`.
    #[getter]
    fn value<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, self.0.get())
    }

    /// Returns the value without its own marks.
    fn reveal(&self) -> Self {
        Self(OwnedValue::new(self.0.get().unmark().0))
    }

    /// Returns the JSON text of the value, with exact numbers. Marked and unknown values have none.
    fn json(&self, py: Python<'_>) -> PyResult<String> {
        Json(self.0.get()).to_text().or_raise(py)
    }

    /// Returns a number exactly, as a `decimal.Decimal`.
    fn decimal<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let value = self.0.get();
        let Some(number) = value.as_number() else {
            return Err(PyTypeError::new_err(format!("{} is not a number", type_of(value))));
        };
        let text = output::number_text(py, number, &Limits::untrusted())?;
        output::decimal_type(py)?.call1((text,))
    }

    /// Returns the elements of a list, set or tuple.
    fn items<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let part = |value: &Value<'_>| Self(OwnedValue::new(*value));
        match self.0.get().view() {
            View::Tuple(items) | View::List(items, _) | View::Set(items, _) => {
                let parts = items.iter().map(|item| Py::new(py, part(item)));
                PyList::new(py, parts.collect::<PyResult<Vec<_>>>()?).map(Bound::into_any)
            }
            View::Object(entries) | View::Map(entries, _) => {
                let parts = PyDict::new(py);
                for entry in entries {
                    parts.set_item(entry.name, Py::new(py, part(&entry.value))?)?;
                }
                Ok(parts.into_any())
            }
            _ => Err(PyTypeError::new_err(format!("{} has no elements", self.r#type()))),
        }
    }

    fn __repr__(&self) -> String {
        format!("Value({:?})", self.r#type())
    }
}

/// Returns the type of a value as a type constraint.
fn type_of(value: Value<'_>) -> String {
    let arena = Arena::new();
    let owned = OwnedValue::new(value);
    type_text(owned.get().type_of(&arena)).unwrap_or_else(|| "any".to_owned())
}
