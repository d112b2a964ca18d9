//! The diagnostics about dynamic blocks. Titles follow the reference implementation; the details
//! are ours.

use hclvm_vm::{Diagnostic, Marks, Span, Type, codes, nearest};

use crate::structure::schema::Schema;

/// The type of the blocks is not in the schema.
pub(super) fn unsupported_kind(kind: &str, schema: &Schema, place: Span) -> Diagnostic {
    let known = schema.blocks.iter().map(|block| block.kind.as_str());
    let hint = nearest(kind, known).map_or(String::new(), |near| format!(" Did you mean \"{near}\"?"));
    let detail = format!("Blocks of type \"{kind}\" are not allowed here.{hint}");
    Diagnostic::error("Unsupported block type", detail, place)
}

/// The iterator is not a single name.
pub(super) fn iterator(is_traversal: bool, place: Span) -> Diagnostic {
    let detail =
        "`iterator` names the variable for the current element: expected a single name without quotes.";
    let (title, code) = if is_traversal {
        ("Invalid dynamic iterator name", codes::DYNAMIC_ITERATOR)
    } else {
        ("Invalid expression", codes::STATIC_EXPRESSION_REQUIRED)
    };
    Diagnostic::error(title, detail, place).coded(code)
}

/// `for_each` is a value without elements.
pub(super) fn no_collection(found: Type<'_>, place: Span) -> Diagnostic {
    let detail =
        format!("`for_each` is a {}; expected a list, set, tuple, map or object.", found.friendly_name());
    Diagnostic::error("Invalid dynamic for_each value", detail, place)
}

/// `for_each` is null.
pub(super) fn null_collection(place: Span) -> Diagnostic {
    let detail = "`for_each` is null; expected a list, set, tuple, map or object. Use an empty collection to make no blocks.";
    Diagnostic::error("Invalid dynamic for_each value", detail, place)
}

/// The labels are not written as a list.
pub(super) fn labels_no_list(place: Span) -> Diagnostic {
    let detail = "Expected `labels` as a list in brackets, with one expression for each label.";
    Diagnostic::error("Invalid expression", detail, place).coded(codes::STATIC_EXPRESSION_REQUIRED)
}

/// There are too many labels.
pub(super) fn extraneous_label(kind: &str, wanted: usize, place: Span) -> Diagnostic {
    Diagnostic::error("Extraneous dynamic block label", label_count(kind, wanted), place)
}

/// There are too few labels.
pub(super) fn insufficient_labels(kind: &str, wanted: usize, place: Span) -> Diagnostic {
    Diagnostic::error("Insufficient dynamic block labels", label_count(kind, wanted), place)
}

fn label_count(kind: &str, wanted: usize) -> String {
    let plural = if wanted == 1 { "label" } else { "labels" };
    format!("Blocks of type \"{kind}\" have {wanted} {plural}; `labels` needs one expression for each.")
}

/// The `content` block is missing.
pub(super) fn missing_content(place: Span) -> Diagnostic {
    let detail = "Missing the block `content`, which is the body of the blocks to make.";
    Diagnostic::error("Missing dynamic content block", detail, place)
}

/// There is a second `content` block.
pub(super) fn extraneous_content(place: Span) -> Diagnostic {
    let detail = "This is the second `content` block; a dynamic block has only one.";
    Diagnostic::error("Extraneous dynamic content block", detail, place)
}

/// A label cannot be converted to a string.
pub(super) fn unsuitable_label(why: &str, place: Span) -> Diagnostic {
    Diagnostic::error("Invalid dynamic block label", format!("The label is not a string: {why}."), place)
}

/// A label is null.
pub(super) fn null_label(place: Span) -> Diagnostic {
    Diagnostic::error("Invalid dynamic block label", "The label is null; expected a string.", place)
}

/// A label is unknown.
pub(super) fn unknown_label(place: Span) -> Diagnostic {
    let detail = "The label is not known yet; labels must be known before blocks are made.";
    Diagnostic::error("Invalid dynamic block label", detail, place)
}

/// A label is marked, and labels cannot carry marks.
pub(super) fn marked_label(marks: Marks<'_>, place: Span) -> Diagnostic {
    let detail = format!("The label is marked ({}); labels cannot carry marks.", marks.names().join(", "));
    Diagnostic::error("Invalid dynamic block label", detail, place)
}
