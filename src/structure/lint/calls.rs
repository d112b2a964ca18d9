//! Lints of calls: two arguments in the other order, where the types do not show it.

use hclvm_compiler::tree::{CallId, Node, NodeId};
use hclvm_vm::{Span, codes};

use super::file::LintedFile;

/// A function of two arguments, one of which is hardly ever a literal while the other is none.
struct Order {
    function: &'static str,
    /// The place of the argument that is hardly ever a literal.
    subject: usize,
    /// The order in words.
    words: &'static str,
    /// Returns true for a literal that is not meant in that place.
    is_misplaced: fn(&str) -> bool,
}

const ORDERS: [Order; 10] = [
    Order::first("contains", "the list first, then the value", |_| true),
    Order::first("startswith", "the string first, then the prefix", |_| true),
    Order::first("endswith", "the string first, then the suffix", |_| true),
    Order::first("trimprefix", "the string first, then the prefix", |_| true),
    Order::first("trimsuffix", "the string first, then the suffix", |_| true),
    Order::first("timeadd", "the time first, then the duration", is_no_time),
    Order::second("split", "the separator first, then the string", is_separator),
    Order::second("regex", "the pattern first, then the string", is_pattern),
    Order::second("regexall", "the pattern first, then the string", is_pattern),
    Order::second("formatdate", "the format first, then the time", is_no_time),
];

impl Order {
    const fn first(function: &'static str, words: &'static str, is_misplaced: fn(&str) -> bool) -> Self {
        Self { function, subject: 0, words, is_misplaced }
    }

    const fn second(function: &'static str, words: &'static str, is_misplaced: fn(&str) -> bool) -> Self {
        Self { function, subject: 1, words, is_misplaced }
    }
}

/// Warns about the calls of a file.
pub(super) fn lint(file: &mut LintedFile<'_>) {
    for id in file.nodes() {
        if let Node::Call(call) = file.tree.node(id) {
            swapped(file, id, call);
        }
    }
}

/// Warns about `startswith("/admin", request.path)`.
fn swapped(file: &mut LintedFile<'_>, id: NodeId, call: CallId) {
    let call = file.tree.call(call);
    let Some(known) = ORDERS.iter().find(|known| known.function == &*call.name) else { return };
    let &[first, second] = file.tree.list(call.args) else { return };
    let [subject, other] = if known.subject == 0 { [first, second] } else { [second, first] };
    let is_misplaced = file.literal(subject).is_some_and(known.is_misplaced);
    if !is_misplaced || !matches!(file.tree.node(file.bare(other)), Node::Traversal { .. }) {
        return;
    }
    let detail =
        format!("`{}` takes {}; {} is a literal.", known.function, known.words, file.quoted(subject));
    let arguments = Span::new(file.tree.span(first).start, file.tree.span(second).end);
    let exchanged = format!("{}, {}", file.text(second), file.text(first));
    file.warn(codes::SWAPPED_ARGUMENTS, detail, file.tree.span(id))
        .additions_mut()
        .propose(arguments, exchanged);
}

/// Returns true for a text that is no timestamp: these begin with a year.
fn is_no_time(text: &str) -> bool {
    !text.starts_with(|c: char| c.is_ascii_digit()) || !text.contains('-')
}

fn is_separator(text: &str) -> bool {
    !text.contains(char::is_alphanumeric)
}

fn is_pattern(text: &str) -> bool {
    text.contains(['[', '(', '*', '+', '?', '^', '$', '|', '\\'])
}
