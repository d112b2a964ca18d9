//! Bodies as objects: evaluated, or as they are written. Blocks are arrays below their labels, as in hcl2json:
//!
//! ```text
//! port = 80                port: 80
//! size = a + 1             size: "${a + 1}"            as it is written
//! rule "a" { x = 1 }       rule: { a: [{ x: 1 }] }
//! ```

use hclvm::Body;
use hclvm::module::BodyValues;
use hclvm::syntax::tree::NodeId;
use hclvm_bindings_common::{Part, Written};
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
    let document = Written(body.document());
    for attribute in body.attributes() {
        set_property(&object, attribute.name(), &expression(document, attribute.nodes().1)?);
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

/// Returns an expression as it is written.
fn expression(document: Written<'_>, node: NodeId) -> Thrown<JsValue> {
    match document.part(node) {
        Part::Null => Ok(JsValue::NULL),
        Part::Bool(value) => Ok(value.into()),
        Part::Number(number, is_negative) => {
            let number = to_js(hclvm::Value::number_ref(number))?;
            Ok(if is_negative { -number } else { number })
        }
        Part::Text(text) => Ok(text.into()),
        Part::List(items) => {
            let items = items.iter().map(|item| expression(document, *item));
            items.collect::<Thrown<Array>>().map(Into::into)
        }
        Part::Object(entries) => {
            let object = Object::new();
            for (key, value) in entries {
                set_property(&object, &key, &expression(document, value)?);
            }
            Ok(object.into())
        }
    }
}
