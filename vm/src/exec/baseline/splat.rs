//! Splat expressions: the repeated part is evaluated for each element and, where the results do not
//! determine the type of the whole, once more on unknown elements. For expressions are in
//! [`iterate`](super::iterate).
//!
//! ```text
//! elements ──▶ all fine ───────────────────────────▶ list or tuple of the results
//!     │        a fault, or source unknown or empty
//!     └──────▶ types: the repeated part on an unknown of each element's type
//!                     (an empty or unknown source keeps these faults, others drop them)
//! ```

use super::machine::Machine;
use crate::code::{Label, Reg};
use crate::fault::{Fault, Place};
use crate::memory::arena::ArenaVec;
use crate::types::Type;
use crate::value::{Marks, Refinement, Unknown, Value, View};

/// The purpose for which a splat evaluates its repeated part.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The results for the elements.
    Elements,
    /// The types of the results.
    Types,
}

/// The state of a splat that is being evaluated.
pub(super) struct OpenSplat<'a> {
    /// The elements; empty for an unknown source.
    items: &'a [Value<'a>],
    /// The element type of a list or set; `None` for a tuple.
    element: Option<Type<'a>>,
    /// The type of the source.
    source: Type<'a>,
    phase: Phase,
    next: usize,
    results: ArenaVec<'a, Value<'a>>,
    types: ArenaVec<'a, Type<'a>>,
    marks: Marks<'a>,
    /// True if a fault was recorded for an element.
    faulty: bool,
    /// The range of the source's length, if the source is unknown.
    unknown: Option<(usize, usize)>,
    /// True if the source is an unknown value that is not a collection and may be null.
    maybe_none: bool,
    /// The number of faults recorded before the types were computed.
    before_types: usize,
}

impl<'a> OpenSplat<'a> {
    /// Returns true if the source is marked.
    pub(super) fn is_secret(&self) -> bool {
        !self.marks.is_empty()
    }

    /// Returns true while the types of results are computed with unknown elements.
    pub(super) fn computes_types(&self) -> bool {
        self.phase == Phase::Types
    }

    /// Returns true if the elements, all of which are done, do not determine the types of the results.
    fn needs_types(&self) -> bool {
        !self.maybe_none
            && (self.unknown.is_some() || self.faulty || self.element.is_some() && self.items.is_empty())
    }

    /// Returns the type of the unknown element on which the next result's type is computed.
    fn next_type(&self) -> Option<Type<'a>> {
        match (self.element, self.source) {
            (Some(element), _) => (self.next == 0).then_some(element),
            (None, Type::Tuple(types)) => types.get(self.next).copied(),
            _ => None,
        }
    }
}

impl<'a> Machine<'_, 'a> {
    pub(super) fn splat_begin(&mut self, d: Reg, a: Reg, log: Reg, end: Label) -> Option<Label> {
        let arena = self.arena;
        let source = self.get(a);
        if self.faulted_since(log) {
            let failed = self.failed(Type::Dynamic, self.all_marks([source]));
            self.set(d, failed);
            return Some(end);
        }
        let (inner, marks) = source.unmark();
        let ty = inner.type_of(arena);
        if inner.is_null() {
            let value = if ty.is_sequence() {
                self.fault_of(Fault::SplatNull, Place::Source, [source]);
                self.failed(Type::Dynamic, marks)
            } else {
                Value::EMPTY_TUPLE.with_marks(arena, marks)
            };
            self.set(d, value);
            return Some(end);
        }
        if ty.is_dynamic() {
            self.set(d, Value::DYNAMIC.with_marks(arena, marks));
            return Some(end);
        }
        let mut splat = OpenSplat {
            items: &[],
            element: if matches!(ty, Type::List(_) | Type::Set(_)) { ty.element() } else { None },
            source: ty,
            phase: Phase::Elements,
            next: 0,
            results: arena.list(),
            types: arena.list(),
            marks,
            faulty: false,
            unknown: None,
            maybe_none: false,
            before_types: 0,
        };
        match inner.view() {
            View::Unknown(_) if ty.is_sequence() => splat.unknown = Some(inner.length_range()),
            View::Tuple(items) | View::List(items, _) | View::Set(items, _) => splat.items = items,
            view => {
                // Any other value is treated as a tuple of one element, which keeps its marks.
                splat.items = arena.slice(&[source]);
                splat.source = Type::Tuple(arena.slice(&[ty]));
                splat.maybe_none = matches!(view, View::Unknown(unknown) if !unknown.refinement.not_null);
            }
        }
        self.splats.push(splat);
        None
    }

    pub(super) fn splat_next(&mut self, d: Reg, exit: Label) -> Option<Label> {
        let faults = self.log.len();
        let arena = self.arena;
        let Some(splat) = self.splats.last_mut() else { return Some(exit) };
        if splat.phase == Phase::Elements {
            if let Some(item) = splat.items.get(splat.next).copied() {
                splat.next += 1;
                self.set(d, item);
                return None;
            }
            if !splat.needs_types() {
                return Some(exit);
            }
            splat.phase = Phase::Types;
            splat.next = 0;
            splat.before_types = faults;
        }
        match splat.next_type() {
            Some(ty) => {
                splat.next += 1;
                self.set(d, Value::unknown_of(arena, ty));
                None
            }
            None => Some(exit),
        }
    }

    pub(super) fn splat_item(&mut self, a: Reg, log: Reg) {
        let faulty = self.faulted_since(log);
        let value = self.get(a);
        let arena = self.arena;
        let Some(splat) = self.splats.last_mut() else { return };
        if splat.phase == Phase::Types {
            splat.types.push(value.type_of(arena));
        } else {
            splat.faulty |= faulty;
            splat.results.push(value);
        }
    }

    pub(super) fn splat_end(&mut self, d: Reg) {
        let Some(splat) = self.splats.pop() else { return };
        if splat.faulty {
            let keep = if splat.phase == Phase::Types { splat.before_types } else { self.log.len() };
            self.log.truncate(keep);
        }
        let value = self.splat_result(splat);
        self.set(d, value);
    }

    /// Returns the result of a splat whose phases are done.
    fn splat_result(&mut self, splat: OpenSplat<'a>) -> Value<'a> {
        let arena = self.arena;
        let marks = splat.marks;
        if splat.faulty {
            let lost = splat
                .results
                .iter()
                .fold(Marks::NONE, |marks, result| marks.union(arena, self.all_marks([*result])));
            self.failed(Type::Dynamic, lost);
        }
        if splat.maybe_none {
            return Value::DYNAMIC.with_marks(arena, marks);
        }
        if splat.phase == Phase::Types {
            return typed_result(arena, splat).with_marks(arena, marks);
        }
        let mut results = splat.results;
        if splat.element.is_none() {
            return Value::tuple(arena, results.into_bump_slice()).with_marks(arena, marks);
        }
        let mut element = Type::Dynamic;
        for (at, result) in results.iter().enumerate() {
            let ty = result.type_of(arena);
            if at == 0 || element.is_dynamic() {
                element = ty;
            } else if ty != element && !ty.is_dynamic() {
                self.fault(Fault::SplatTypes, Place::Each);
                let results = Value::tuple(arena, results.into_bump_slice());
                return self.failed(Type::Dynamic, marks.union(arena, self.all_marks([results])));
            }
        }
        if !element.is_dynamic() {
            results.iter_mut().for_each(|result| *result = of_type(arena, *result, element));
        }
        Value::list(arena, results.into_bump_slice(), element).with_marks(arena, marks)
    }
}

/// Gives a value of unknown type the type of the other results.
fn of_type<'a>(arena: &'a crate::memory::arena::Arena, value: Value<'a>, ty: Type<'a>) -> Value<'a> {
    let (plain, marks) = value.unmark();
    match plain.view() {
        View::Unknown(Unknown { ty: Type::Dynamic, .. }) => {
            Value::unknown_of(arena, ty).with_marks(arena, marks)
        }
        View::Null(Type::Dynamic) => Value::null(arena, ty).with_marks(arena, marks),
        _ => value,
    }
}

/// Returns the result of a splat whose elements do not determine it: an empty list, or an unknown of the
/// computed type.
fn typed_result<'a>(arena: &'a crate::memory::arena::Arena, splat: OpenSplat<'a>) -> Value<'a> {
    let types = splat.types.into_bump_slice();
    if splat.element.is_none() {
        let unknown = Value::unknown_of(arena, Type::Tuple(types));
        return if splat.unknown.is_some() && !splat.faulty {
            unknown.refine_not_null(arena)
        } else {
            unknown
        };
    }
    let element = types.first().copied().unwrap_or(Type::Dynamic);
    match splat.unknown {
        None if !splat.faulty => Value::list(arena, &[], element),
        Some((min_len, max_len)) if !splat.faulty => Unknown {
            ty: Type::List(arena.item(element)),
            refinement: Refinement { not_null: true, min_len, max_len, ..Refinement::default() },
        }
        .settle(arena),
        _ => Value::unknown_of(arena, Type::List(arena.item(element))),
    }
}
