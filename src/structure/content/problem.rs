//! The diagnostics about body content. Titles follow the reference implementation, which tools
//! match; the details are ours.

use hclvm_compiler::is_identifier;
use hclvm_vm::{Diagnostic, Span, did_you_mean, listed, may_replace, nearest};
use smol_str::SmolStr;

use crate::structure::schema::Schema;

/// A required attribute is missing.
pub(crate) fn missing_argument(name: &str, place: Span) -> Diagnostic {
    let detail = format!("\"{name}\" is required here, but not set.");
    Diagnostic::error("Missing required argument", detail, place)
}

/// An attribute is not in the schema.
pub(super) fn unsupported_argument(name: &str, schema: &Schema, place: Span) -> Diagnostic {
    unknown_argument(name, &attribute_names(schema), &block_types(schema), place)
}

/// A block type is not in the schema.
pub(super) fn unsupported_block(kind: &str, schema: &Schema, place: Span) -> Diagnostic {
    unknown_block(kind, &attribute_names(schema), &block_types(schema), place)
}

/// An attribute is none of these; suggests the nearest attribute or block type, or lists the names that exist.
pub(crate) fn unknown_argument(name: &str, attributes: &[&str], blocks: &[&str], place: Span) -> Diagnostic {
    let near = nearest(name, attributes.iter().copied());
    let hint = match (near, nearest(name, blocks.iter().copied())) {
        (Some(near), _) => did_you_mean(name, near),
        (None, Some(near)) => format!(" Did you mean a block of type \"{near}\", which has no equals sign?"),
        (None, None) => possible("names", attributes),
    };
    let detail = format!("\"{name}\" is not an argument that can be set here.{hint}");
    replaced(Diagnostic::error("Unsupported argument", detail, place), name, near)
}

/// A block has none of these types; suggests the nearest block type or attribute, or lists the names that exist.
pub(crate) fn unknown_block(kind: &str, attributes: &[&str], blocks: &[&str], place: Span) -> Diagnostic {
    let near = nearest(kind, blocks.iter().copied());
    let hint = match (near, nearest(kind, attributes.iter().copied())) {
        (Some(near), _) => did_you_mean(kind, near),
        (None, Some(near)) => {
            format!(" Did you mean the argument \"{near}\"? Then an equals sign comes before its value.")
        }
        (None, None) => possible("types", blocks),
    };
    let detail = format!("Blocks of type \"{kind}\" are not allowed here.{hint}");
    replaced(Diagnostic::error("Unsupported block type", detail, place), kind, near)
}

/// Lists the names that are allowed.
fn possible(what: &str, names: &[&str]) -> String {
    if names.is_empty() { String::new() } else { format!(" Possible {what} are {}.", listed(names)) }
}

/// Adds the nearest name as a change of `name` at the subject.
fn replaced(diagnostic: Diagnostic, name: &str, near: Option<&str>) -> Diagnostic {
    match (near, diagnostic.subject) {
        (Some(near), Some(subject)) if is_identifier(near) && may_replace(name, near) => {
            diagnostic.replacement(subject, near)
        }
        _ => diagnostic,
    }
}

/// A block has too many labels.
pub(crate) fn extraneous_label(kind: &str, wanted: &[SmolStr], place: Span) -> Diagnostic {
    let detail = match wanted {
        [] => format!("Blocks of type \"{kind}\" have no labels."),
        [only] => format!("Blocks of type \"{kind}\" have one label ({only})."),
        several => {
            format!("Blocks of type \"{kind}\" have {} labels ({}).", several.len(), several.join(", "))
        }
    };
    Diagnostic::error(format!("Extraneous label for {kind}"), detail, place)
}

/// A block has too few labels.
pub(crate) fn missing_label(kind: &str, missing: &str, wanted: &[SmolStr], place: Span) -> Diagnostic {
    let count = if wanted.len() == 1 { "one label".to_owned() } else { format!("{} labels", wanted.len()) };
    let detail = format!("Blocks of type \"{kind}\" need {count} ({}).", wanted.join(", "));
    Diagnostic::error(format!("Missing {missing} for {kind}"), detail, place)
}

/// A block among attributes that may have any name.
pub(super) fn unexpected_block(kind: &str, place: Span) -> Diagnostic {
    Diagnostic::error(
        format!("Unexpected \"{kind}\" block"),
        "Only arguments are allowed here, not blocks.",
        place,
    )
}

fn attribute_names(schema: &Schema) -> Vec<&str> {
    schema.attributes.iter().map(|attribute| attribute.name.as_str()).collect()
}

fn block_types(schema: &Schema) -> Vec<&str> {
    schema.blocks.iter().map(|block| block.kind.as_str()).collect()
}

// Bodies in JSON.

/// A property is not in the schema.
pub(super) fn extraneous_property(name: &str, schema: &Schema, place: Span) -> Diagnostic {
    let names = attribute_names(schema).into_iter().chain(block_types(schema));
    let hint = nearest(name, names).map_or(String::new(), |near| did_you_mean(name, near));
    let detail = format!("\"{name}\" is neither an argument nor a block type that is allowed here.{hint}");
    Diagnostic::error("Extraneous JSON object property", detail, place)
}

/// An argument of the schema is set twice, first on `line`.
pub(super) fn duplicate_argument(name: &str, line: u32, place: Span) -> Diagnostic {
    Diagnostic::error("Duplicate argument", already_set(name, line), place)
}

/// An attribute is set twice, first on `line`.
pub(super) fn duplicate_attribute(name: &str, line: u32, place: Span) -> Diagnostic {
    Diagnostic::error("Duplicate attribute definition", already_set(name, line), place)
}

fn already_set(name: &str, line: u32) -> String {
    format!("\"{name}\" is already set on line {line}. An argument can be set only once in a body.")
}

fn incorrect_type(detail: String, place: Span) -> Diagnostic {
    Diagnostic::error("Incorrect JSON value type", detail, place)
}

/// Returns the JSON that can hold a body or labels; arrays do not nest.
const fn wanted(in_array: bool) -> &'static str {
    if in_array { "an object" } else { "an object or an array of objects" }
}

/// A body is not an object.
pub(super) fn json_body_expected(in_array: bool, place: Span) -> Diagnostic {
    incorrect_type(format!("Expected {} with arguments and blocks.", wanted(in_array)), place)
}

/// A body that holds only attributes is not an object.
pub(super) fn json_attributes_expected(place: Span) -> Diagnostic {
    incorrect_type(format!("Expected {} with arguments.", wanted(true)), place)
}

/// The labels of a block are not the names of an object.
pub(super) fn json_labels_expected(label: &str, in_array: bool, place: Span) -> Diagnostic {
    incorrect_type(format!("Expected {} whose names are the label \"{label}\".", wanted(in_array)), place)
}

/// A block is not an object.
pub(super) fn json_blocks_expected(kind: &str, place: Span) -> Diagnostic {
    incorrect_type(
        format!("Expected an object or an array of objects for the blocks of type \"{kind}\"."),
        place,
    )
}

/// An object that should hold labels is empty.
pub(super) fn json_label_missing(kind: &str, label: &str, place: Span) -> Diagnostic {
    let detail = format!(
        "Expected at least one property here, whose name is the label \"{label}\" of a block of type \"{kind}\"."
    );
    Diagnostic::error("Missing block label", detail, place)
}
