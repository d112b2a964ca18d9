//! The diagnostics about bodies that are read by a spec. Titles follow the reference
//! implementation; the details are ours.

use hclvm_vm::{Diagnostic, Span};

/// A value cannot be converted to the type of its attribute.
pub(super) fn attribute_type(name: &str, why: &str, place: Span) -> Diagnostic {
    let detail = format!("\"{name}\" does not have the required type: {why}.");
    Diagnostic::error("Incorrect attribute value type", detail, place)
}

/// A value cannot be converted to the type of all attributes of a block.
pub(super) fn element_type(kind: &str, why: &str, place: Span) -> Diagnostic {
    let detail = format!("All attributes of \"{kind}\" must have the same type; this one does not: {why}.");
    Diagnostic::error("Invalid attribute value", detail, place)
}

/// A required block is missing.
pub(super) fn missing_block(kind: &str, place: Span) -> Diagnostic {
    let detail = format!("A block of type \"{kind}\" is required here, but missing.");
    Diagnostic::error(format!("Missing {kind} block"), detail, place)
}

/// There is a second block where one is allowed, first on line `first`.
pub(super) fn duplicate_block(kind: &str, first: u32, place: Span) -> Diagnostic {
    let detail =
        format!("Only one block of type \"{kind}\" is allowed here; the first one is on line {first}.");
    Diagnostic::error(format!("Duplicate {kind} block"), detail, place)
}

/// There is a second block with the same labels; none if they are not shown.
pub(super) fn duplicate_key(kind: &str, labels: &[&str], place: Span) -> Diagnostic {
    let labels: Vec<String> = labels.iter().map(|label| format!("{label:?}")).collect();
    let labels = if labels.is_empty() { "with these labels".to_owned() } else { labels.join(" ") };
    let detail = format!("A block {kind} {labels} is already defined above.");
    Diagnostic::error(format!("Duplicate {kind} block"), detail, place)
}

/// There are too few blocks.
pub(super) fn insufficient_blocks(kind: &str, found: usize, min: usize, place: Span) -> Diagnostic {
    let detail = format!("Found {found} blocks of type \"{kind}\"; at least {min} are required.");
    Diagnostic::error(format!("Insufficient {kind} blocks"), detail, place)
}

/// There are too many blocks.
pub(super) fn too_many_blocks(kind: &str, found: usize, max: usize, place: Span) -> Diagnostic {
    let detail = format!("Found {found} blocks of type \"{kind}\"; at most {max} are allowed.");
    Diagnostic::error(format!("Too many {kind} blocks"), detail, place)
}

/// The values of blocks have no common type.
pub(super) fn inconsistent_types(kind: &str, why: Option<&str>, place: Span) -> Diagnostic {
    let why = why.map_or(String::new(), |why| format!(" This block differs: {why}."));
    let detail = format!("An attribute must have the same type in all blocks of type \"{kind}\".{why}");
    // The first word is misspelt in the reference implementation's title, which tools match.
    Diagnostic::error(format!("Unconsistent argument types in {kind} blocks"), detail, place)
}

/// An expression of the spec fails for a value.
pub(super) fn transform(why: &str, place: Span) -> Diagnostic {
    let detail = format!("The value cannot be transformed: {why}");
    Diagnostic::error("Transform function failed", detail, place)
}
