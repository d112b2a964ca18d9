//! What can be wrong with the content of a body: every message, with its established title.

use hclvm_vm::{Diagnostic, Span, nearest};
use smol_str::SmolStr;

use crate::structure::schema::Schema;

/// An attribute that has to be there is not.
pub(crate) fn missing_argument(name: &str, place: Span) -> Diagnostic {
    let detail = format!("The argument \"{name}\" has to be set here, but it is not.");
    Diagnostic::error("Missing required argument", detail, place)
}

/// An attribute that the schema does not name.
pub(super) fn unsupported_argument(name: &str, schema: &Schema, place: Span) -> Diagnostic {
    unknown_argument(name, &attribute_names(schema), &block_types(schema), place)
}

/// A block whose type the schema does not name.
pub(super) fn unsupported_block(kind: &str, schema: &Schema, place: Span) -> Diagnostic {
    unknown_block(kind, &attribute_names(schema), &block_types(schema), place)
}

/// An attribute that is none of these, perhaps a misspelt one or a block.
pub(crate) fn unknown_argument(name: &str, attributes: &[&str], blocks: &[&str], place: Span) -> Diagnostic {
    let hint = match (nearest(name, attributes.iter().copied()), nearest(name, blocks.iter().copied())) {
        (Some(near), _) => format!(" Did you mean \"{near}\"?"),
        (None, Some(near)) => format!(" Did you mean a block of type \"{near}\", which has no equals sign?"),
        (None, None) => String::new(),
    };
    let detail = format!("No argument called \"{name}\" belongs here.{hint}");
    Diagnostic::error("Unsupported argument", detail, place)
}

/// A block that has none of these types, perhaps a misspelt one or an argument.
pub(crate) fn unknown_block(kind: &str, attributes: &[&str], blocks: &[&str], place: Span) -> Diagnostic {
    let hint = match (nearest(kind, blocks.iter().copied()), nearest(kind, attributes.iter().copied())) {
        (Some(near), _) => format!(" Did you mean \"{near}\"?"),
        (None, Some(near)) => {
            format!(" Did you mean the argument \"{near}\"? Then an equals sign comes before its value.")
        }
        (None, None) => String::new(),
    };
    let detail = format!("No block of type \"{kind}\" belongs here.{hint}");
    Diagnostic::error("Unsupported block type", detail, place)
}

/// A block with more labels than wanted.
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

/// A block without a label that it needs.
pub(crate) fn missing_label(kind: &str, missing: &str, wanted: &[SmolStr], place: Span) -> Diagnostic {
    let count = if wanted.len() == 1 { "one label".to_owned() } else { format!("{} labels", wanted.len()) };
    let detail = format!("Blocks of type \"{kind}\" need {count} ({}).", wanted.join(", "));
    Diagnostic::error(format!("Missing {missing} for {kind}"), detail, place)
}

/// A block where only attributes may be.
pub(super) fn unexpected_block(kind: &str, place: Span) -> Diagnostic {
    Diagnostic::error(
        format!("Unexpected \"{kind}\" block"),
        "Only arguments may stand here, no blocks.",
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

/// A property that the schema does not name.
pub(super) fn extraneous_property(name: &str, schema: &Schema, place: Span) -> Diagnostic {
    let names = attribute_names(schema).into_iter().chain(block_types(schema));
    let hint = nearest(name, names).map_or(String::new(), |near| format!(" Did you mean \"{near}\"?"));
    let detail = format!("No argument or block type called \"{name}\" belongs here.{hint}");
    Diagnostic::error("Extraneous JSON object property", detail, place)
}

/// A second property for one argument of a schema; `line` is where the first one is.
pub(super) fn duplicate_argument(name: &str, line: u32, place: Span) -> Diagnostic {
    Diagnostic::error("Duplicate argument", already_set(name, line), place)
}

/// A second property for one attribute; `line` is where the first one is.
pub(super) fn duplicate_attribute(name: &str, line: u32, place: Span) -> Diagnostic {
    Diagnostic::error("Duplicate attribute definition", already_set(name, line), place)
}

fn already_set(name: &str, line: u32) -> String {
    format!("The argument \"{name}\" is already set on line {line}. An argument can be set once in a body.")
}

fn incorrect_type(detail: String, place: Span) -> Diagnostic {
    Diagnostic::error("Incorrect JSON value type", detail, place)
}

/// What JSON has where a body or labels should be.
const fn wanted(in_array: bool) -> &'static str {
    if in_array {
        "an object has to stand here"
    } else {
        "an object or an array of objects has to stand here"
    }
}

/// Something else where the arguments and blocks of a body should be.
pub(super) fn json_body_expected(in_array: bool, place: Span) -> Diagnostic {
    incorrect_type(format!("For the arguments and blocks of a body {}.", wanted(in_array)), place)
}

/// Something else where the arguments of a body should be.
pub(super) fn json_attributes_expected(place: Span) -> Diagnostic {
    incorrect_type(format!("For the arguments of a body {}.", wanted(true)), place)
}

/// Something else where labels should be.
pub(super) fn json_labels_expected(label: &str, in_array: bool, place: Span) -> Diagnostic {
    incorrect_type(format!("For the label \"{label}\" of a block {}.", wanted(in_array)), place)
}

/// Something else where blocks should be.
pub(super) fn json_blocks_expected(kind: &str, place: Span) -> Diagnostic {
    incorrect_type(
        format!(
            "For the content of blocks of type \"{kind}\" an object or an array of objects has to stand here."
        ),
        place,
    )
}

/// No property where a label should be.
pub(super) fn json_label_missing(kind: &str, label: &str, place: Span) -> Diagnostic {
    let detail = format!(
        "A block of type \"{kind}\" has a label \"{label}\", so at least one property with that as its name has to stand here."
    );
    Diagnostic::error("Missing block label", detail, place)
}
