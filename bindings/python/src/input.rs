//! Python objects as values of the engine. A scope takes in only the keys of a `dict` that programs read.

use std::cell::RefCell;

use hclvm::ingest::{Builder, HostObject, HostValue};
use hclvm::value::{Arena, Number, copy, marks_from};
use hclvm::{Error, Value};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyMapping, PyString, PyTuple};

use crate::output::decimal_type;
use crate::value::{ExactValue, Marked, Unknown};

/// A Python object that becomes a value.
pub(crate) struct Input<'o, 'py>(&'o Bound<'py, PyAny>);

impl<'o, 'py> Input<'o, 'py> {
    pub(crate) fn new(object: &'o Bound<'py, PyAny>) -> Self {
        Self(object)
    }

    /// Builds the whole value in an arena.
    pub(crate) fn in_arena<'a>(&self, arena: &'a Arena) -> Result<Value<'a>, Error> {
        self.build(Builder::whole_in(arena))
    }

    fn other<'a>(&self, to: Builder<'a, '_>) -> Result<Value<'a>, Error> {
        let object = self.0;
        if let Ok(value) = object.cast::<ExactValue>() {
            return Ok(copy(to.arena(), value.get().0.get()));
        }
        if let Ok(unknown) = object.cast::<Unknown>() {
            return Ok(copy(to.arena(), unknown.get().0.get()));
        }
        if let Ok(marked) = object.cast::<Marked>() {
            let Marked { content, marks } = marked.get();
            let value = Input(content.bind(object.py())).build(to)?;
            let names: Vec<&str> = marks.iter().map(|mark| to.arena().text(mark)).collect();
            return Ok(value.with_marks(to.arena(), marks_from(to.arena(), &names)));
        }
        if let Ok(mapping) = object.cast::<PyMapping>() {
            let dict = PyDict::new(object.py());
            dict.update(mapping).map_err(failed)?;
            return DictInput::new(&dict).build(to);
        }
        if object.is_instance(decimal_type(object.py()).map_err(failed)?).map_err(failed)? {
            let text = object.to_string();
            let number =
                Number::parse_text(&text).ok_or_else(|| Error::host(format!("{text} is not a number")))?;
            return Ok(Value::number(to.arena(), number));
        }
        let class = object.get_type().to_string();
        Err(Error::host(format!("an object of {class} has no value in HCL")))
    }
}

impl HostValue for Input<'_, '_> {
    fn build<'a>(&self, to: Builder<'a, '_>) -> Result<Value<'a>, Error> {
        let object = self.0;
        if let Ok(text) = object.cast::<PyString>() {
            return to.value(&*text.to_cow().map_err(failed)?);
        }
        if let Ok(value) = object.cast::<PyBool>() {
            return to.value(&value.is_true());
        }
        if let Ok(number) = object.cast::<PyInt>() {
            return integer(number, to);
        }
        if let Ok(number) = object.cast::<PyFloat>() {
            return to.value(&number.value());
        }
        if object.is_none() {
            return Ok(Value::NULL);
        }
        if let Ok(dict) = object.cast::<PyDict>() {
            return DictInput::new(dict).build(to);
        }
        if let Ok(list) = object.cast::<PyList>() {
            return sequence(list.iter().collect(), to);
        }
        if let Ok(tuple) = object.cast::<PyTuple>() {
            return sequence(tuple.iter().collect(), to);
        }
        self.other(to)
    }
}

fn sequence<'a>(items: Vec<Bound<'_, PyAny>>, to: Builder<'a, '_>) -> Result<Value<'a>, Error> {
    let inputs: Vec<Input<'_, '_>> = items.iter().map(Input).collect();
    to.value(&inputs)
}

fn integer<'a>(number: &Bound<'_, PyInt>, to: Builder<'a, '_>) -> Result<Value<'a>, Error> {
    if let Ok(small) = number.extract::<i64>() {
        return to.value(&small);
    }
    // Python limits the digits of decimal text, not those of hexadecimal text, which takes no more than linear time.
    let text = number.call_method1("__format__", ("x",)).map_err(failed)?.to_string();
    let parsed = Number::parse_integer(&text, 16).ok_or_else(|| Error::host("an integer is too large"))?;
    Ok(Value::number(to.arena(), parsed))
}

/// A `dict` whose attributes are requested by name.
struct DictInput<'o, 'py> {
    dict: &'o Bound<'py, PyDict>,
    /// The value of the name that is visited, so that it is not looked up.
    visited: RefCell<Option<Bound<'py, PyAny>>>,
    /// A key that is not a string.
    wrong: RefCell<Option<String>>,
}

impl<'o, 'py> DictInput<'o, 'py> {
    fn new(dict: &'o Bound<'py, PyDict>) -> Self {
        Self { dict, visited: RefCell::new(None), wrong: RefCell::new(None) }
    }

    fn build<'a>(&self, to: Builder<'a, '_>) -> Result<Value<'a>, Error> {
        let value = to.object(self)?;
        match self.wrong.take() {
            Some(key) => Err(Error::host(format!("the key {key} is not a string"))),
            None => Ok(value),
        }
    }
}

impl HostObject for DictInput<'_, '_> {
    fn names(&self, visit: &mut dyn FnMut(&str)) {
        for pair in self.dict.items() {
            let Ok((key, value)) = pair.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>() else { continue };
            match key.cast::<PyString>().ok().and_then(|key| key.to_cow().ok()) {
                Some(name) => {
                    self.visited.replace(Some(value));
                    visit(&name);
                }
                None => *self.wrong.borrow_mut() = Some(key.to_string()),
            }
        }
    }

    fn attribute<'a>(&self, name: &str, to: Builder<'a, '_>) -> Result<Option<Value<'a>>, Error> {
        let value = match self.visited.take() {
            Some(value) => Some(value),
            None => self.dict.get_item(name).map_err(failed)?,
        };
        value.map(|value| Input(&value).build(to)).transpose()
    }
}

fn failed(error: PyErr) -> Error {
    Error::host(error.to_string())
}
