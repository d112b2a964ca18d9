//! Writes values as YAML.
//!
//! Written by hand to print exactly what go-cty-yaml prints: quoted keys and texts, folding, literal blocks
//! and the end mark; a general emitter quotes only where it must.
//!
//! ```text
//! "list":                      a sequence is indented no deeper than its key,
//! - "text"                     a mapping or sequence in a sequence begins on the line of its dash
//! - "nested": 1
//!   "other": []                empty collections are on the line of their key
//! "lines": |                   texts of several lines keep them, where YAML can
//!   first
//!   second
//! ```

use hclvm_vm::{Entry, Value, View};

use super::scalar::{self, Style};
use crate::text_builder::TextBuilder;

/// Writes a wholly known value as a document. Depth is bounded by the limit that every value was
/// made under.
pub(super) fn write(out: &mut TextBuilder<'_>, value: Value<'_>) {
    let mut writer = YamlWriter { out, open_ended: false };
    let block = writer.node(value, NodePosition { indent: 0, content: 2, after_dash: true });
    if !block {
        writer.push("\n");
    }
    // After such a scalar, a mark ends the document.
    if writer.open_ended {
        writer.push("...\n");
    }
}

/// Where a node goes.
#[derive(Clone, Copy)]
struct NodePosition {
    /// The column of the lines of a mapping or sequence.
    indent: usize,
    /// The column of further lines of a scalar.
    content: usize,
    /// True if the current line already ends at that column, so that the node continues it.
    after_dash: bool,
}

struct YamlWriter<'d, 'a> {
    out: &'d mut TextBuilder<'a>,
    /// True if the last scalar could be continued after the end of the document.
    open_ended: bool,
}

impl YamlWriter<'_, '_> {
    fn push(&mut self, text: &str) -> bool {
        self.out.push(text)
    }

    /// Writes a node. Returns true if it has ended its last line.
    fn node(&mut self, value: Value<'_>, place: NodePosition) -> bool {
        match value.unmark().0.view() {
            View::Tuple([]) | View::List([], _) | View::Set([], _) => self.plain("[]", false),
            View::Object([]) | View::Map([], _) => self.plain("{}", false),
            View::Tuple(items) | View::List(items, _) | View::Set(items, _) => self.sequence(items, place),
            View::Object(entries) | View::Map(entries, _) => self.mapping(entries, place),
            View::String(text) => self.text(text, place),
            View::Number(number) => {
                self.open_ended = true;
                self.out.push_number(number);
                false
            }
            View::Bool(truth) => self.plain(if truth { "true" } else { "false" }, true),
            _ => self.plain("null", true),
        }
    }

    fn plain(&mut self, text: &str, open_ended: bool) -> bool {
        self.open_ended = open_ended;
        self.push(text);
        false
    }

    fn sequence(&mut self, items: &[Value<'_>], place: NodePosition) -> bool {
        for (index, item) in items.iter().enumerate() {
            if !self.start_line(index, place) || !self.push("- ") {
                return true;
            }
            let inner = place.indent + 2;
            if !self.node(*item, NodePosition { indent: inner, content: inner, after_dash: true }) {
                self.push("\n");
            }
            self.open_ended &= !matches!(item.view(), View::Number(_) | View::Bool(_) | View::Null(_));
        }
        true
    }

    fn mapping(&mut self, entries: &[Entry<'_>], place: NodePosition) -> bool {
        for (index, entry) in entries.iter().enumerate() {
            if !self.start_line(index, place) {
                return true;
            }
            scalar::write_quoted(self.out, entry.name, None);
            self.push(":");
            self.member(entry.value, place.indent);
        }
        true
    }

    /// Writes the value of a key whose mapping is indented to a column.
    fn member(&mut self, value: Value<'_>, column: usize) {
        let inner = value.unmark().0;
        let filled = !inner.as_items().unwrap_or_default().is_empty();
        let nested = !inner.as_entries().unwrap_or_default().is_empty();
        self.push(if filled || nested { "\n" } else { " " });
        let indent = if filled { column } else { column + 2 };
        if !self.node(value, NodePosition { indent, content: column + 2, after_dash: false }) {
            self.push("\n");
        }
        self.open_ended &= !matches!(inner.view(), View::Number(_) | View::Bool(_) | View::Null(_));
    }

    /// Leads up to the column of a line; false when the budget is exhausted.
    fn start_line(&mut self, index: usize, place: NodePosition) -> bool {
        let column = if index == 0 && place.after_dash { 0 } else { place.indent };
        self.out.arena().charge(1) && self.out.repeat(' ', column)
    }

    fn text(&mut self, text: &str, place: NodePosition) -> bool {
        match Style::of(text) {
            Style::Quoted => {
                self.open_ended = false;
                scalar::write_quoted(self.out, text, Some(place.content));
                false
            }
            Style::Literal => {
                self.open_ended = scalar::write_literal(self.out, text, place.content);
                true
            }
        }
    }
}
