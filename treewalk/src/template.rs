//! Templates: concatenation of parts, and of the results of a `%{ for }` directive.

use hclvm_compiler::tree::{Node, NodeId, NodeList};
use hclvm_vm::text::{nfc, stable_prefix};
use hclvm_vm::{Fault, Marks, Place, Refinement, Type, Unknown, Value, convert};

use crate::access::position;
use crate::names::Names;
use crate::walk::{Found, Walk};

impl<'a> Walk<'_, 'a> {
    /// Concatenates parts up to the first fault or unknown part, but evaluates all of them.
    pub(crate) fn template(&self, id: NodeId, parts: NodeList, names: Names<'_, 'a>) -> Found<'a> {
        let (mut text, mut faults) = (String::new(), Vec::new());
        let (mut marks, mut known) = (Marks::NONE, true);
        for (at, part) in self.tree().list(parts).iter().enumerate() {
            if let Node::Text(literal) = self.tree().node(*part) {
                if known && faults.is_empty() {
                    text.push_str(nfc(self.arena, self.tree().text(literal)));
                }
                continue;
            }
            let (value, own) = self.expr(*part, names);
            faults.extend(own);
            let place = Place::Part(position(at));
            let (plain, own) = value.unmark();
            self.note_own(&[value]);
            if plain.is_null() {
                faults.push(self.record_under(own, Fault::PartNull, id, place));
                continue;
            }
            marks = marks.union(self.arena, own);
            if !plain.is_known() {
                known = false;
                continue;
            }
            match convert(self.arena, plain, Type::String) {
                Ok(piece) if known && faults.is_empty() => text.push_str(piece.as_str().unwrap_or("")),
                Ok(_) => {}
                Err(mismatch) => faults.push(self.record_under(own, Fault::Part(mismatch), id, place)),
            }
        }
        let value = if known {
            self.text(self.arena.text(&text))
        } else {
            self.unknown_text(if faults.is_empty() { &text } else { "" })
        };
        (value.with_marks(self.arena, marks), faults)
    }

    /// Returns an unknown string with the known prefix `start`.
    fn unknown_text(&self, start: &str) -> Value<'a> {
        let start = self.arena.text(start);
        let refinement =
            Refinement { not_null: true, prefix: stable_prefix(self.arena, start), ..Refinement::default() };
        Value::unknown(self.arena, Unknown { ty: Type::String, refinement })
    }

    /// Concatenates the results of a repeated part. An unknown result ends the text.
    pub(crate) fn join(&self, id: NodeId, (repeated, mut faults): Found<'a>) -> Found<'a> {
        let (plain, own) = repeated.unmark();
        self.note_all(&[repeated]);
        let unknown = Value::unknown_not_null(self.arena, Type::String);
        if !plain.is_known() {
            return (unknown.with_marks(self.arena, own), faults);
        }
        let (mut text, mut marks) = (String::new(), own);
        for item in plain.as_items().unwrap_or_default() {
            let (item, own) = item.unmark();
            let with_item = marks.union(self.arena, own);
            if item.is_null() {
                faults.push(self.record_under(with_item, Fault::JoinNull, id, Place::Node));
                continue;
            }
            marks = with_item;
            match convert(self.arena, item, Type::String) {
                Ok(piece) if piece.is_known() => text.push_str(piece.as_str().unwrap_or("")),
                Ok(_) => return (unknown.with_marks(self.arena, marks), faults),
                Err(mismatch) => {
                    faults.push(self.record_under(marks, Fault::Join(mismatch), id, Place::Node));
                }
            }
        }
        (self.text(self.arena.text(&text)).with_marks(self.arena, marks), faults)
    }
}
