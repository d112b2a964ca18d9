//! Templates: their parts are appended to one buffer. The fast tier has a buffer of its own,
//! [`TextBuffer`](crate::value::TextBuffer).
//!
//! Nothing is appended after the first fault or the first unknown part; in the latter case the buffer is the
//! known prefix of the result.

use super::machine::Machine;
use crate::code::{Const, Position, Reg};
use crate::fault::{Fault, Place};
use crate::memory::arena::ArenaString;
use crate::memory::limits::Exhausted;
use crate::text;
use crate::types::Type;
use crate::types::convert::convert;
use crate::value::{Marks, Refinement, Unknown, Value, View};

/// The state of a template that is being built.
pub(super) struct OpenTemplate<'a> {
    buffer: ArenaString<'a>,
    marks: Marks<'a>,
    /// True if all parts so far are known.
    known: bool,
    /// The number of faults recorded before it.
    log: usize,
}

impl<'a> Machine<'_, 'a> {
    pub(super) fn template_begin(&mut self) {
        let buffer = self.arena.string();
        self.templates.push(OpenTemplate { buffer, marks: Marks::NONE, known: true, log: self.log.len() });
    }

    pub(super) fn template_text(&mut self, k: Const) {
        let text = self.constant_text(k);
        self.append(text);
    }

    /// Appends a text, unless a part before it was faulty or unknown.
    fn append(&mut self, text: &str) {
        let faults = self.log.len();
        let Some(template) = self.templates.last_mut() else { return };
        if template.known && faults == template.log {
            let budget = self.arena.budget();
            if template.buffer.len() + text.len() > budget.limits().text_bytes {
                budget.exhaust(Exhausted::Text);
            } else if self.arena.charge(text.len() as u64 / 16) && self.arena.has_room(text.len()) {
                template.buffer.push_str(text);
            }
        }
    }

    pub(super) fn template_part(&mut self, a: Reg, part: Position) {
        let (value, marks) = self.get(a).unmark();
        let arena = self.arena;
        if value.is_null() {
            self.fault_of(Fault::PartNull, Place::Part(part.0), [self.get(a)]);
            self.failed(Type::String, marks);
            return;
        }
        if let Some(template) = self.templates.last_mut() {
            template.marks = template.marks.union(arena, marks);
            template.known &= value.is_known();
        }
        if !value.is_known() {
            if self.exploring
                && let Err(mismatch) = convert(arena, value, Type::String)
            {
                self.fault(Fault::Part(mismatch), Place::Part(part.0));
            }
            return;
        }
        match convert(arena, value, Type::String) {
            Ok(text) => self.append(text.as_str().unwrap_or("")),
            Err(mismatch) => {
                self.fault_of(Fault::Part(mismatch), Place::Part(part.0), [self.get(a)]);
                self.failed(Type::String, marks);
            }
        }
    }

    pub(super) fn template_end(&mut self, d: Reg) {
        let Some(template) = self.templates.pop() else { return };
        let arena = self.arena;
        let faulty = self.log.len() > template.log;
        let buffer = template.buffer.into_bump_str();
        let value = if template.known {
            Value::str(arena, text::nfc(arena, buffer))
        } else {
            let prefix = if faulty { "" } else { text::stable_prefix(arena, buffer) };
            Value::unknown(
                arena,
                Unknown {
                    ty: Type::String,
                    refinement: Refinement { not_null: true, prefix, ..Refinement::default() },
                },
            )
        };
        self.set(d, value.with_marks(arena, template.marks));
    }

    pub(super) fn join(&mut self, d: Reg, a: Reg) {
        let value = self.joined(self.get(a));
        self.set(d, value);
    }

    /// Concatenates the elements of a tuple.
    fn joined(&mut self, tuple: Value<'a>) -> Value<'a> {
        let arena = self.arena;
        let (tuple, own) = tuple.unmark();
        let unknown = Value::unknown_of(arena, Type::String);
        let View::Tuple(items) = tuple.view() else {
            return unknown.refine_not_null(arena).with_marks(arena, own);
        };
        let mut marks = own;
        let mut buffer = arena.string();
        for item in items {
            let (item, item_marks) = item.unmark();
            let before = marks;
            marks = marks.union(arena, item_marks);
            if item.is_null() {
                self.fault(Fault::JoinNull, Place::Node);
                self.failed(Type::String, marks);
                // The reference drops those of a null.
                marks = before;
                continue;
            }
            match convert(arena, item, Type::String).map(|text| text.as_str()) {
                Err(mismatch) => {
                    self.fault(Fault::Join(mismatch), Place::Node);
                    self.failed(Type::String, marks);
                }
                Ok(None) => return unknown.with_marks(arena, marks),
                Ok(Some(text)) if arena.charge(text.len() as u64 / 16) && arena.has_room(text.len()) => {
                    buffer.push_str(text);
                }
                Ok(Some(_)) => return Value::DYNAMIC,
            }
        }
        Value::str(arena, text::nfc(arena, buffer.into_bump_str())).with_marks(arena, marks)
    }
}
