//! What can be wrong with a dynamic block: every message, with its established title.

use hclvm_vm::{Diagnostic, Marks, Span, Type, nearest};

use crate::structure::schema::Schema;

/// The blocks would have a type that may not be here.
pub(super) fn unsupported_kind(kind: &str, schema: &Schema, place: Span) -> Diagnostic {
    let known = schema.blocks.iter().map(|block| block.kind.as_str());
    let hint = nearest(kind, known).map_or(String::new(), |near| format!(" Did you mean \"{near}\"?"));
    let detail = format!("No block of type \"{kind}\" belongs here, so none can be made.{hint}");
    Diagnostic::error("Unsupported block type", detail, place)
}

/// The iterator is not a single name.
pub(super) fn iterator(is_traversal: bool, place: Span) -> Diagnostic {
    let detail = "The iterator is the name for the element, so it has to be a single name without quotes.";
    let title = if is_traversal { "Invalid dynamic iterator name" } else { "Invalid expression" };
    Diagnostic::error(title, detail, place)
}

/// A value that has no elements.
pub(super) fn no_collection(found: Type<'_>, place: Span) -> Diagnostic {
    let detail = format!(
        "Blocks are made from the elements of a collection, but this value is a {}.",
        found.friendly_name()
    );
    Diagnostic::error("Invalid dynamic for_each value", detail, place)
}

/// A null instead of a collection.
pub(super) fn null_collection(place: Span) -> Diagnostic {
    let detail = "Blocks are made from the elements of a collection, but this value is null. To make none, use an empty collection.";
    Diagnostic::error("Invalid dynamic for_each value", detail, place)
}

/// The labels are not written as a list.
pub(super) fn labels_no_list(place: Span) -> Diagnostic {
    let detail = "The labels have to be written out as a list in brackets, with one expression for each.";
    Diagnostic::error("Invalid expression", detail, place)
}

/// More labels than the blocks have.
pub(super) fn extraneous_label(kind: &str, wanted: usize, place: Span) -> Diagnostic {
    Diagnostic::error("Extraneous dynamic block label", label_count(kind, wanted), place)
}

/// Fewer labels than the blocks have.
pub(super) fn insufficient_labels(kind: &str, wanted: usize, place: Span) -> Diagnostic {
    Diagnostic::error("Insufficient dynamic block labels", label_count(kind, wanted), place)
}

fn label_count(kind: &str, wanted: usize) -> String {
    let plural = if wanted == 1 { "label" } else { "labels" };
    format!("Blocks of type \"{kind}\" have {wanted} {plural}, so the list needs as many expressions.")
}

/// No body to make blocks from.
pub(super) fn missing_content(place: Span) -> Diagnostic {
    let detail = "A dynamic block needs a block \"content\": the body of the blocks it makes.";
    Diagnostic::error("Missing dynamic content block", detail, place)
}

/// Several bodies.
pub(super) fn extraneous_content(place: Span) -> Diagnostic {
    let detail = "A dynamic block has one block \"content\", but this is another one.";
    Diagnostic::error("Extraneous dynamic content block", detail, place)
}

/// A label that is no text.
pub(super) fn unsuitable_label(why: &str, place: Span) -> Diagnostic {
    Diagnostic::error("Invalid dynamic block label", format!("A label is a text: {why}."), place)
}

/// A label that is null.
pub(super) fn null_label(place: Span) -> Diagnostic {
    Diagnostic::error("Invalid dynamic block label", "A label is a text, but this value is null.", place)
}

/// A label that is not known.
pub(super) fn unknown_label(place: Span) -> Diagnostic {
    let detail = "A label has to be known at once, but this value is not known yet.";
    Diagnostic::error("Invalid dynamic block label", detail, place)
}

/// A label with marks, which a label cannot carry.
pub(super) fn marked_label(marks: Marks<'_>, place: Span) -> Diagnostic {
    let detail =
        format!("This value is marked ({}), but a label cannot carry marks.", marks.names().join(", "));
    Diagnostic::error("Invalid dynamic block label", detail, place)
}
