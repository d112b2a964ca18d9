//! The shape of the structs of a sequence, which predicts the fields of the next one: no name is copied, looked up
//! or sorted again. Objects of JSON texts have a shape of their own kind, in `json/build.rs`.

use std::cell::RefCell;

use hclvm_vm::{Arena, ArenaVec, Entry, last_of_each};

/// The fields of the previous struct of a sequence, in the order in which it passed them.
#[derive(Debug)]
pub(super) struct StructShape<'a>(RefCell<ArenaVec<'a, ShapeField<'a>>>);

#[derive(Clone, Copy, Debug)]
struct ShapeField<'a> {
    /// The name as it was passed, to be recognized by its address.
    given: &'static str,
    /// The name in the arena, and its symbol.
    name: &'a str,
    symbol: u32,
    /// The number of the field whose name has this one's number in the order of names.
    source: u8,
}

/// Structs with more fields predict nothing: learning compares each with all others.
const LARGEST: usize = 64;

impl<'a> StructShape<'a> {
    /// Creates a shape that predicts nothing, in the arena, because serializers are copied.
    pub(super) fn new(arena: &'a Arena) -> Option<&'a Self> {
        let mut place = arena.list_with(1);
        place.push(Self(RefCell::new(arena.list())));
        place.into_bump_slice().first()
    }

    /// Returns the name and symbol of field `at` if it is passed as `given`. Otherwise forgets the fields from
    /// there on.
    pub(super) fn field(&self, at: usize, given: &'static str) -> Option<(&'a str, u32)> {
        let mut fields = self.0.borrow_mut();
        let known = fields.get(at).filter(|field| std::ptr::eq(field.given, given));
        let known = known.map(|field| (field.name, field.symbol));
        if known.is_none() {
            fields.truncate(at);
        }
        known
    }

    /// Adds field `at`, unless there are others after it.
    pub(super) fn add(&self, at: usize, given: &'static str, (name, symbol): (&'a str, u32)) {
        let mut fields = self.0.borrow_mut();
        if fields.len() == at && at < LARGEST {
            fields.push(ShapeField { given, name, symbol, source: 0 });
        }
    }

    /// Sorts the entries of a struct by name. All fields of a struct that was `predicted` are those of this shape;
    /// otherwise the shape has just been made from it.
    pub(super) fn sorted(
        &self,
        arena: &'a Arena,
        entries: ArenaVec<'a, Entry<'a>>,
        predicted: bool,
    ) -> &'a [Entry<'a>] {
        let mut fields = self.0.borrow_mut();
        if predicted && fields.len() == entries.len() {
            let mut sorted = arena.list_with(entries.len());
            sorted.extend(fields.iter().filter_map(|field| entries.get(usize::from(field.source)).copied()));
            return sorted.into_bump_slice();
        }
        let count = entries.len();
        let sorted = last_of_each(entries);
        if fields.len() != count || sorted.len() != count {
            fields.clear();
            return sorted;
        }
        for (at, entry) in sorted.iter().enumerate() {
            let source = fields.iter().position(|field| std::ptr::eq(field.name, entry.name));
            if let Some(field) = fields.get_mut(at) {
                field.source = source.and_then(|source| u8::try_from(source).ok()).unwrap_or_default();
            }
        }
        sorted
    }
}
