//! Bodies as dictionaries: evaluated, or as they are written.
//!
//! ```text
//! port = 80                "port": 80
//! size = a + 1             "size": "${a + 1}"                as it is written
//! rule "a" { x = 1 }       "rule": [{"a": {"x": 1}}]         always a list, each block by its labels
//! ```

use hclvm::Body;
use hclvm::module::BodyValues;
use hclvm::syntax::tree::NodeId;
use hclvm_bindings_common::{Part, Written};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::output::to_python;

/// Returns the values of a body.
// The recursion is bounded by the nesting that texts may have.
pub(crate) fn evaluated<'py>(py: Python<'py>, body: BodyValues<'_>) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (name, value) in body.attributes() {
        dict.set_item(name, to_python(py, value)?)?;
    }
    for block in body.blocks() {
        let content = match block.pending() {
            // Its number of blocks is unknown.
            Some(for_each) => to_python(py, for_each)?,
            None => evaluated(py, block.body())?.into_any(),
        };
        add_block(&dict, block.kind(), block.labels().collect(), content)?;
    }
    Ok(dict)
}

/// Returns the attributes and blocks of a body as they are written.
pub(crate) fn written<'py>(py: Python<'py>, body: Body<'_>) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let document = Written(body.document());
    for attribute in body.attributes() {
        let (_, root) = attribute.nodes();
        dict.set_item(attribute.name(), expression(py, document, root)?)?;
    }
    for block in body.blocks() {
        let content = written(py, block.body())?.into_any();
        add_block(&dict, block.kind(), block.labels().collect(), content)?;
    }
    Ok(dict)
}

fn add_block<'py>(
    dict: &Bound<'py, PyDict>,
    kind: &str,
    labels: Vec<&str>,
    content: Bound<'py, PyAny>,
) -> PyResult<()> {
    let mut content = content;
    for label in labels.into_iter().rev() {
        let outer = PyDict::new(dict.py());
        outer.set_item(label, content)?;
        content = outer.into_any();
    }
    match dict.get_item(kind)?.and_then(|known| known.cast_into::<PyList>().ok()) {
        Some(blocks) => blocks.append(content),
        None => dict.set_item(kind, [content]),
    }
}

/// Returns an expression as it is written.
fn expression<'py>(py: Python<'py>, document: Written<'_>, node: NodeId) -> PyResult<Bound<'py, PyAny>> {
    match document.part(node) {
        Part::Null => Ok(py.None().into_bound(py)),
        Part::Bool(value) => Ok(value.into_pyobject(py)?.to_owned().into_any()),
        Part::Number(number, is_negative) => {
            let number = to_python(py, hclvm::Value::number_ref(number))?;
            if is_negative { number.neg() } else { Ok(number) }
        }
        Part::Text(text) => Ok(text.into_pyobject(py)?.into_any()),
        Part::List(items) => {
            let items = items.iter().map(|item| expression(py, document, *item));
            Ok(PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)?.into_any())
        }
        Part::Object(entries) => {
            let dict = PyDict::new(py);
            for (key, value) in entries {
                dict.set_item(key, expression(py, document, value)?)?;
            }
            Ok(dict.into_any())
        }
    }
}
