//! What can be wrong with a body that is read by a spec: every message, with its established title.

use hclvm_vm::{Diagnostic, Span};

/// A value that cannot have the type of its attribute.
pub(super) fn attribute_type(name: &str, why: &str, place: Span) -> Diagnostic {
    let detail = format!("The value of \"{name}\" has not the type it needs: {why}.");
    Diagnostic::error("Incorrect attribute value type", detail, place)
}

/// A value that cannot have the type of all attributes of a block.
pub(super) fn element_type(kind: &str, why: &str, place: Span) -> Diagnostic {
    let detail =
        format!("The attributes of \"{kind}\" have values of one type, but this one has not: {why}.");
    Diagnostic::error("Invalid attribute value", detail, place)
}

/// A block that has to be there is not.
pub(super) fn missing_block(kind: &str, place: Span) -> Diagnostic {
    let detail = format!("A block of type \"{kind}\" has to be here, but there is none.");
    Diagnostic::error(format!("Missing {kind} block"), detail, place)
}

/// A second block where only one may be.
pub(super) fn duplicate_block(kind: &str, first: u32, place: Span) -> Diagnostic {
    let detail =
        format!("There can be one block of type \"{kind}\" here, and another one is on line {first}.");
    Diagnostic::error(format!("Duplicate {kind} block"), detail, place)
}

/// A second block with the same labels.
pub(super) fn duplicate_key(kind: &str, labels: &[&str], place: Span) -> Diagnostic {
    let labels: Vec<String> = labels.iter().map(|label| format!("{label:?}")).collect();
    let detail = format!("Another block {kind} {} stands before this one.", labels.join(" "));
    Diagnostic::error(format!("Duplicate {kind} block"), detail, place)
}

/// Fewer blocks than wanted.
pub(super) fn insufficient_blocks(kind: &str, found: usize, min: usize, place: Span) -> Diagnostic {
    let detail = format!("There are {found} blocks of type \"{kind}\" here, but at least {min} are needed.");
    Diagnostic::error(format!("Insufficient {kind} blocks"), detail, place)
}

/// More blocks than wanted.
pub(super) fn too_many_blocks(kind: &str, found: usize, max: usize, place: Span) -> Diagnostic {
    let detail = format!("There are {found} blocks of type \"{kind}\" here, but at most {max} are allowed.");
    Diagnostic::error(format!("Too many {kind} blocks"), detail, place)
}

/// Blocks that make values of types that have no common type.
pub(super) fn inconsistent_types(kind: &str, why: Option<&str>, place: Span) -> Diagnostic {
    let why = why.map_or(String::new(), |why| format!(" This one does not fit: {why}."));
    let detail = format!("An attribute has the same type in all blocks of type \"{kind}\".{why}");
    // The first word is misspelt in the established title.
    Diagnostic::error(format!("Unconsistent argument types in {kind} blocks"), detail, place)
}

/// An expression of the spec that fails for a value.
pub(super) fn transform(why: &str, place: Span) -> Diagnostic {
    let detail = format!("What is set here cannot be transformed: {why}");
    Diagnostic::error("Transform function failed", detail, place)
}
