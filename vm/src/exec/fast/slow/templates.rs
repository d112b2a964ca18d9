//! The text of templates.

use super::super::machine::FastMachine;
use super::super::stop::{Plain, Stop};
use super::plain;
use crate::memory::arena::Arena;
use crate::number::{NumberRef, Ratio, RatioText};
use crate::text::{nfc, stable_prefix};
use crate::types::Type;
use crate::types::convert::{convert, write_ratio};
use crate::value::{Refinement, TextBuffer, Unknown, Value};

/// Returns the text that a template appends for a value; for an unknown value the value itself.
// Cold: strings are handled before.
#[cold]
#[inline(never)]
pub(in crate::exec::fast) fn text<'a>(machine: &FastMachine<'_, 'a>, value: Value<'a>) -> Plain<'a> {
    let arena = machine.arena;
    if let Some(number) = value.as_any_int() {
        let mut buffer = itoa::Buffer::new();
        return Ok(Value::str(arena, arena.text(buffer.format(number))));
    }
    if plain(value).is_err() && (value.is_unset() || !machine.fast.facts().is_straight) {
        return Err(Stop::FallBack);
    }
    if value.is_null() {
        return Err(Stop::Fault);
    }
    if value.is_known() { convert(arena, value, Type::String).map_err(|_| Stop::Fault) } else { Ok(value) }
}

/// Appends the text of a value that is not a short string.
// Out of line: its temporaries would spill in the loop.
#[inline(never)]
pub(in crate::exec::fast) fn append<'a>(
    machine: &mut FastMachine<'_, 'a>,
    value: Value<'a>,
) -> Result<(), Stop> {
    match value.as_any_int() {
        // A negative number becomes one that `push_small` refuses.
        Some(number) if machine.text.push_small(number.cast_unsigned()) => Ok(()),
        _ => append_other(machine, value),
    }
}

/// Appends the text of a value that is neither a short string nor a small integer.
// Out of line: the formatter's buffer would enlarge the frame of `append`.
#[inline(never)]
fn append_other<'a>(machine: &mut FastMachine<'_, 'a>, value: Value<'a>) -> Result<(), Stop> {
    let arena = machine.arena;
    if let Some(number) = value.as_any_int() {
        return append_text(arena, machine.text, itoa::Buffer::new().format(number));
    }
    if let Some(NumberRef::Ratio(ratio)) = value.as_number()
        && append_ratio(machine, ratio).is_some()
    {
        return Ok(());
    }
    let value = text(machine, value)?;
    let (inner, marks) = value.unmark();
    if value.is_marked() || !inner.is_known() {
        machine.note_part(marks, !inner.is_known());
    }
    // Nothing behind an unknown part is kept. The placeholder separates the part from a template that begins
    // behind it.
    let appended = if inner.is_known() { inner.as_str().ok_or(Stop::FallBack)? } else { "?" };
    append_text(arena, machine.text, appended)
}

/// Appends the text of a ratio. `None` if only the float shows it, or if it exceeds a limit.
// Out of line: the text would enlarge the frame of `append_other`.
#[inline(never)]
fn append_ratio(machine: &mut FastMachine<'_, '_>, ratio: Ratio) -> Option<()> {
    let mut text = RatioText::new();
    write_ratio(machine.arena, ratio, &mut text)?;
    if machine.text.push_ascii(text.block(), text.len()) {
        return Some(());
    }
    append_growing(machine.arena, machine.text, text.as_str())
}

pub(in crate::exec::fast) fn append_text(
    arena: &Arena,
    buffer: &mut TextBuffer,
    text: &str,
) -> Result<(), Stop> {
    if buffer.push(text) { Ok(()) } else { append_growing(arena, buffer, text).ok_or(Stop::FallBack) }
}

/// Appends a text for which the buffer has no room, unless the result exceeds the limit for texts.
// Cold: each growth at least doubles the buffer, which later runs reuse.
#[cold]
#[inline(never)]
pub(in crate::exec::fast) fn append_growing(
    arena: &Arena,
    buffer: &mut TextBuffer,
    text: &str,
) -> Option<()> {
    if buffer.len().saturating_add(text.len()) > arena.budget().limits().text_bytes {
        return None;
    }
    buffer.grow(text.len());
    buffer.push(text).then_some(())
}

/// Returns the text of the template that begins at `start`, and removes it from the buffer.
// Out of line: its temporaries would spill in the loop.
#[inline(never)]
pub(in crate::exec::fast) fn finish_template<'a>(
    machine: &mut FastMachine<'_, 'a>,
    start: usize,
) -> Option<Value<'a>> {
    let arena = machine.arena;
    let len = machine.text.len().checked_sub(start)?;
    if len > arena.budget().limits().text_bytes || !arena.spend(len as u64 / 16) {
        return None;
    }
    let text = if machine.parts.is_some()
        && let Some((marks, unknown)) = machine.parts_since(start)
    {
        noted_template(arena, machine.text.since(start)?, unknown.map(|at| at - start))?
            .with_marks(arena, marks)
    } else {
        match machine.text.short_text(arena, start) {
            Some(text) => text,
            None => template_of_any(arena, machine.text.since(start)?)?,
        }
    };
    let buffer = &mut *machine.text;
    if start == 0 {
        buffer.shrink();
    } else {
        buffer.forget(start);
    }
    Some(text)
}

/// Returns a long or non-ASCII text as a value in normal form.
// Out of line: normalization would enlarge the frame of `finish_template`.
#[inline(never)]
fn template_of_any<'a>(arena: &'a Arena, text: &str) -> Option<Value<'a>> {
    let copy = arena.text(text);
    // The copy is shorter if the arena was out of memory.
    (copy.len() == text.len()).then(|| Value::str(arena, nfc(arena, copy)))
}

/// Returns the value of a template with marked or unknown parts, the first unknown one at position `unknown`.
// Cold: few templates have such parts.
#[cold]
#[inline(never)]
fn noted_template<'a>(arena: &'a Arena, text: &str, unknown: Option<usize>) -> Option<Value<'a>> {
    match unknown {
        None => template_of_any(arena, text),
        Some(at) => unknown_template(arena, text.get(..at)?),
    }
}

/// Returns the value of a template with an unknown part, behind a known text.
fn unknown_template<'a>(arena: &'a Arena, known: &str) -> Option<Value<'a>> {
    let copy = arena.text(known);
    let prefix = (copy.len() == known.len()).then(|| stable_prefix(arena, copy))?;
    let refinement = Refinement { prefix, ..Refinement::not_null() };
    Some(Value::unknown(arena, Unknown { ty: Type::String, refinement }))
}
