//! Writing types as type expressions: the inverse of reading them.
//!
//! Messages describe types in words instead, with `hclvm_vm::FriendlyName`.

use std::fmt::{self, Write};

use hclvm_vm::Type;

use crate::is_identifier;

/// Writes `ty` as a type expression without blanks. Optional attributes are written like others.
pub fn type_string(ty: Type<'_>) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write_type(&mut text, ty);
    text
}

fn write_type(out: &mut String, ty: Type<'_>) -> fmt::Result {
    match ty {
        Type::Dynamic => out.write_str("any"),
        Type::Bool => out.write_str("bool"),
        Type::Number => out.write_str("number"),
        Type::String => out.write_str("string"),
        Type::Capsule(name) => out.write_str(name),
        Type::List(element) => write_collection(out, "list", *element),
        Type::Set(element) => write_collection(out, "set", *element),
        Type::Map(element) => write_collection(out, "map", *element),
        Type::Tuple(elements) => {
            out.write_str("tuple([")?;
            for (at, element) in elements.iter().enumerate() {
                out.write_str(if at > 0 { "," } else { "" })?;
                write_type(out, *element)?;
            }
            out.write_str("])")
        }
        Type::Object(attributes) => {
            out.write_str("object({")?;
            for (at, attribute) in attributes.iter().enumerate() {
                out.write_str(if at > 0 { "," } else { "" })?;
                write_name(out, attribute.name)?;
                out.write_str("=")?;
                write_type(out, attribute.ty)?;
            }
            out.write_str("})")
        }
    }
}

fn write_collection(out: &mut String, name: &str, element: Type<'_>) -> fmt::Result {
    write!(out, "{name}(")?;
    write_type(out, element)?;
    out.write_str(")")
}

/// Writes a name, in quotes if it is not an identifier: types of values may have such names, although
/// type expressions cannot.
fn write_name(out: &mut String, name: &str) -> fmt::Result {
    if is_identifier(name) { out.write_str(name) } else { write!(out, "{name:?}") }
}
