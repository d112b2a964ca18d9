//! Types as type constraints: `string`, `list(any)`, `object({a = number})`. Messages use the shorter
//! names of `Type::friendly_name`.

use std::fmt::Write;

use hclvm_vm::Type;

use crate::data::path_error::is_plain_name;

/// Bytes of a type's text. Types share parts, so the text of a small type can be exponentially longer.
const LONGEST: usize = 1 << 16;

/// Returns a type as a type constraint has it, for example `list(object({port = number}))`; `None` if the text
/// is longer than 64 KiB. Messages about a mismatch use the shorter [`Type::friendly_name`].
pub fn type_text(ty: Type<'_>) -> Option<String> {
    let mut out = String::new();
    push(&mut out, ty)?;
    Some(out)
}

/// Appends a type. Recursion is bounded by the depth of the value with that type.
fn push(out: &mut String, ty: Type<'_>) -> Option<()> {
    match ty {
        Type::Dynamic => out.push_str("any"),
        Type::Bool => out.push_str("bool"),
        Type::Number => out.push_str("number"),
        Type::String => out.push_str("string"),
        Type::Capsule(name) => out.push_str(name),
        Type::List(element) => wrapped(out, "list(", *element)?,
        Type::Set(element) => wrapped(out, "set(", *element)?,
        Type::Map(element) => wrapped(out, "map(", *element)?,
        Type::Tuple(elements) => {
            out.push_str("tuple([");
            for (at, element) in elements.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { ", " });
                push(out, *element)?;
            }
            out.push_str("])");
        }
        Type::Object(attributes) => {
            out.push_str("object({");
            for (at, attribute) in attributes.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { ", " });
                name(out, attribute.name);
                out.push_str(" = ");
                push(out, attribute.ty)?;
            }
            out.push_str("})");
        }
    }
    (out.len() <= LONGEST).then_some(())
}

fn wrapped(out: &mut String, kind: &str, element: Type<'_>) -> Option<()> {
    out.push_str(kind);
    push(out, element)?;
    out.push(')');
    Some(())
}

/// Appends the name of an attribute, in quotes unless it is a plain name.
fn name(out: &mut String, name: &str) {
    if is_plain_name(name) {
        out.push_str(name);
    } else {
        // Writing to a string cannot fail.
        let _ = write!(out, "{name:?}");
    }
}
