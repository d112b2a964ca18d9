//! Bodies as objects: evaluated, or as they are written. Blocks are arrays below their labels, as in hcl2json:
//!
//! ```text
//! port = 80                port: 80
//! size = a + 1             size: "${a + 1}"            as it is written
//! rule "a" { x = 1 }       rule: { a: [{ x: 1 }] }
//! ```

use hclvm::module::BodyValues;
use hclvm::syntax::tree::{Node, NodeId, UnaryOp};
use hclvm::{Body, Document};
use js_sys::{Array, Object};
use wasm_bindgen::prelude::*;

use crate::error::{OrThrow, Thrown, refusal};
use crate::input::property;
use crate::output::{set_property, to_js};

/// Returns the values of a body.
// The recursion is bounded by the nesting that texts may have.
pub(crate) fn evaluated(body: BodyValues<'_>) -> Thrown<JsValue> {
    let object = Object::new();
    for (name, value) in body.attributes() {
        set_property(&object, name, &to_js(value)?);
    }
    for block in body.blocks() {
        let content = match block.pending() {
            // Its number of blocks is unknown.
            Some(for_each) => to_js(for_each)?,
            None => evaluated(block.body())?,
        };
        add_block(&object, block.kind(), block.labels(), &content)?;
    }
    Ok(object.into())
}

/// Returns the attributes and blocks of a body as they are written.
pub(crate) fn written(body: Body<'_>) -> Thrown<JsValue> {
    let object = Object::new();
    let written = Written { document: body.document() };
    for attribute in body.attributes() {
        set_property(&object, attribute.name(), &written.node(attribute.nodes().1)?);
    }
    for block in body.blocks() {
        add_block(&object, block.kind(), block.labels(), &self::written(block.body())?)?;
    }
    Ok(object.into())
}

/// Adds a block to the array below its type and labels.
fn add_block<'l>(
    object: &Object,
    kind: &str,
    labels: impl Iterator<Item = &'l str>,
    content: &JsValue,
) -> Thrown<()> {
    let (mut object, mut key) = (object.clone(), kind);
    for label in labels {
        object = match property(&object, key).or_throw()? {
            known if Array::is_array(&known) => return Err(mixed(kind)),
            known if known.is_object() => known.unchecked_into(),
            _ => {
                let inner = Object::new();
                set_property(&object, key, &inner);
                inner
            }
        };
        key = label;
    }
    let known = property(&object, key).or_throw()?;
    if Array::is_array(&known) {
        known.unchecked_into::<Array>().push(content);
    } else if known.is_object() {
        return Err(mixed(kind));
    } else {
        set_property(&object, key, &Array::of1(content));
    }
    Ok(())
}

fn mixed(kind: &str) -> JsValue {
    refusal(format!("the blocks {kind:?} have different numbers of labels"))
}

/// The expressions of a document as they are written.
struct Written<'d> {
    document: &'d Document,
}

impl Written<'_> {
    fn node(&self, node: NodeId) -> Thrown<JsValue> {
        let tree = self.document.tree();
        match tree.node(node) {
            Node::Null => Ok(JsValue::NULL),
            Node::Bool(value) => Ok(value.into()),
            Node::Number(number) => to_js(hclvm::Value::number_ref(tree.number(number).borrow())),
            Node::Unary { op: UnaryOp::Negate, operand } => match tree.node(operand) {
                Node::Number(_) => Ok(-self.node(operand)?),
                _ => Ok(self.interpolation(node).into()),
            },
            Node::Template(parts) => Ok(self.template(tree.list(parts)).into()),
            Node::Tuple(items) => tree
                .list(items)
                .iter()
                .map(|item| self.node(*item))
                .collect::<Thrown<Array>>()
                .map(Into::into),
            Node::Object(pairs) => {
                let object = Object::new();
                for pair in tree.list(pairs).chunks_exact(2) {
                    set_property(&object, &self.key(pair[0]), &self.node(pair[1])?);
                }
                Ok(object.into())
            }
            Node::TemplateWrap(inner) => Ok(self.interpolation(inner).into()),
            _ => Ok(self.interpolation(node).into()),
        }
    }

    /// Returns the texts of a template as they are, and its expressions as they are written.
    fn template(&self, parts: &[NodeId]) -> String {
        let tree = self.document.tree();
        let mut text = String::new();
        for part in parts {
            match tree.node(*part) {
                Node::Text(literal) => text.push_str(tree.text(literal)),
                _ => text.push_str(&self.interpolation(*part)),
            }
        }
        text
    }

    fn key(&self, node: NodeId) -> String {
        let tree = self.document.tree();
        match tree.node(node) {
            Node::ObjectKey { expr, forced: false } => match tree.node(expr) {
                Node::Template(parts) => self.template(tree.list(parts)),
                _ => self.source(expr).to_owned(),
            },
            _ => self.interpolation(node),
        }
    }

    fn interpolation(&self, node: NodeId) -> String {
        format!("${{{}}}", self.source(node))
    }

    fn source(&self, node: NodeId) -> &str {
        self.document.tree().span(node).slice(self.document.source().text())
    }
}
