//! Values of the engine as Python objects.

use std::cell::Cell;

use hclvm::value::{Entry, NumberRef, View};
use hclvm::{Limits, OwnedValue, Value};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyList, PyString};

use crate::error::refusal;
use crate::value::{Marked, Unknown};

/// The memory of a value as Python objects, estimated as if no parts were shared: parts of a small value may be shared so
/// often that its copy would fill the memory.
const ROOM: usize = Limits::untrusted().arena_bytes;
/// The estimated bytes of an object.
const OBJECT: usize = 16;

/// Returns a value as a Python object: `None`, `bool`, `int`, `float`, `str`, `list`, `dict`, [`Unknown`] or [`Marked`].
pub(crate) fn to_python<'py>(py: Python<'py>, value: Value<'_>) -> PyResult<Bound<'py, PyAny>> {
    Output { py, room: Cell::new(ROOM) }.value(value)
}

/// The conversion of one value.
struct Output<'py> {
    py: Python<'py>,
    room: Cell<usize>,
}

impl<'py> Output<'py> {
    // The recursion is bounded by the depth that values may have.
    fn value(&self, value: Value<'_>) -> PyResult<Bound<'py, PyAny>> {
        let py = self.py;
        match value.view() {
            View::Null(_) => Ok(py.None().into_bound(py)),
            View::Bool(value) => Ok(PyBool::new(py, value).to_owned().into_any()),
            View::Number(NumberRef::Int(value, _)) => Ok(value.into_pyobject(py)?.into_any()),
            View::Number(number) => self.number(number),
            View::String(text) => {
                self.take(text.len())?;
                Ok(PyString::new(py, text).into_any())
            }
            View::Tuple(items) | View::List(items, _) | View::Set(items, _) => {
                self.take(items.len().saturating_mul(OBJECT))?;
                let list = PyList::empty(py);
                for item in items {
                    list.append(self.value(*item)?)?;
                }
                Ok(list.into_any())
            }
            View::Object(entries) | View::Map(entries, _) => self.entries(entries),
            View::Unknown(_) => Ok(Bound::new(py, Unknown(OwnedValue::new(value)))?.into_any()),
            View::Marked(inner, marks) => {
                let content = self.value(inner)?.unbind();
                let marks = marks.names().iter().map(|mark| (*mark).to_owned()).collect();
                Ok(Bound::new(py, Marked { content, marks })?.into_any())
            }
            View::Unset => Err(refusal(py, "there is no value")),
        }
    }

    fn entries(&self, entries: &[Entry<'_>]) -> PyResult<Bound<'py, PyAny>> {
        self.take(entries.len().saturating_mul(OBJECT))?;
        let dict = PyDict::new(self.py);
        for entry in entries {
            self.take(entry.name.len())?;
            dict.set_item(entry.name, self.value(entry.value)?)?;
        }
        Ok(dict.into_any())
    }

    /// Returns a whole number as an `int`, any other as the nearest `float`.
    fn number(&self, number: NumberRef<'_>) -> PyResult<Bound<'py, PyAny>> {
        let py = self.py;
        if number.is_infinite() || !number.is_integer() {
            return Ok(Value::number_ref(number).as_f64().into_pyobject(py)?.into_any());
        }
        let text = number_text(py, number, &Limits::untrusted())?;
        self.take(text.len())?;
        py.get_type::<pyo3::types::PyInt>().call1((text,))
    }

    /// Counts bytes of objects.
    fn take(&self, bytes: usize) -> PyResult<()> {
        let left = self.room.get().checked_sub(bytes.saturating_add(OBJECT));
        self.room.set(left.unwrap_or(0));
        left.map(|_| ()).ok_or_else(|| refusal(self.py, format!("the value takes more than {ROOM} bytes")))
    }
}

/// Returns the digits of a number.
pub(crate) fn number_text(py: Python<'_>, number: NumberRef<'_>, limits: &Limits) -> PyResult<String> {
    let text = if number.is_infinite() {
        Some(number.to_string())
    } else {
        number.text_within(limits.digits.into())
    };
    text.ok_or_else(|| refusal(py, format!("the number has more than {} digits", limits.digits)))
}

/// Returns the class `decimal.Decimal`.
pub(crate) fn decimal_type(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static DECIMAL: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let class =
        DECIMAL.get_or_try_init(py, || py.import("decimal")?.getattr("Decimal").map(Bound::unbind))?;
    Ok(class.bind(py))
}
