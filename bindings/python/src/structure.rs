//! Bodies as dictionaries: evaluated, or as they are written.
//!
//! ```text
//! port = 80                "port": 80
//! size = a + 1             "size": "${a + 1}"                as it is written
//! rule "a" { x = 1 }       "rule": [{"a": {"x": 1}}]         always a list, each block by its labels
//! ```

use hclvm::module::BodyValues;
use hclvm::syntax::tree::{Node, NodeId, UnaryOp};
use hclvm::{Body, Document};
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
    let document = body.document();
    for attribute in body.attributes() {
        let (_, root) = attribute.nodes();
        dict.set_item(attribute.name(), Written { py, document }.node(root)?)?;
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

/// The expressions of a document as they are written.
struct Written<'d, 'py> {
    py: Python<'py>,
    document: &'d Document,
}

impl<'py> Written<'_, 'py> {
    fn node(&self, node: NodeId) -> PyResult<Bound<'py, PyAny>> {
        let (py, tree) = (self.py, self.document.tree());
        match tree.node(node) {
            Node::Null => Ok(py.None().into_bound(py)),
            Node::Bool(value) => Ok(value.into_pyobject(py)?.to_owned().into_any()),
            Node::Number(number) => to_python(py, hclvm::Value::number_ref(tree.number(number).borrow())),
            Node::Unary { op: UnaryOp::Negate, operand } => match tree.node(operand) {
                Node::Number(_) => self.node(operand)?.neg(),
                _ => self.text(node),
            },
            Node::Template(parts) => self.template(tree.list(parts)),
            Node::Tuple(items) => {
                let items = tree.list(items).iter().map(|item| self.node(*item));
                Ok(PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)?.into_any())
            }
            Node::Object(pairs) => {
                let dict = PyDict::new(py);
                for pair in tree.list(pairs).chunks_exact(2) {
                    dict.set_item(self.key(pair[0])?, self.node(pair[1])?)?;
                }
                Ok(dict.into_any())
            }
            Node::TemplateWrap(inner) => self.text(inner),
            _ => self.text(node),
        }
    }

    /// Returns the texts of a template as they are, and its expressions as they are written.
    fn template(&self, parts: &[NodeId]) -> PyResult<Bound<'py, PyAny>> {
        let mut text = String::new();
        for part in parts {
            match self.document.tree().node(*part) {
                Node::Text(literal) => text.push_str(self.document.tree().text(literal)),
                _ => text.push_str(&self.interpolation(*part)),
            }
        }
        Ok(text.into_pyobject(self.py)?.into_any())
    }

    fn key(&self, node: NodeId) -> PyResult<Bound<'py, PyAny>> {
        let tree = self.document.tree();
        match tree.node(node) {
            Node::ObjectKey { expr, forced: false } => match tree.node(expr) {
                Node::Template(_) => self.node(expr),
                _ => Ok(self.source(expr).into_pyobject(self.py)?.into_any()),
            },
            _ => self.text(node),
        }
    }

    fn text(&self, node: NodeId) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.interpolation(node).into_pyobject(self.py)?.into_any())
    }

    fn interpolation(&self, node: NodeId) -> String {
        format!("${{{}}}", self.source(node))
    }

    fn source(&self, node: NodeId) -> &str {
        self.document.tree().span(node).slice(self.document.source().text())
    }
}
