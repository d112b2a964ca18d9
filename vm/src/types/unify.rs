//! Unification: the type that values of several types can all be converted to.
//!
//! The first rule that matches applies, leaving "any" aside:
//!
//! | types | result |
//! |---|---|
//! | all maps, all lists, all sets | the same kind, of the elements' unified type |
//! | all objects with the same attributes | an object, attribute by attribute |
//! | other objects | a map of all attributes' unified type |
//! | all tuples of one length | a tuple, element by element; else a list as below |
//! | other tuples | a list of all elements' unified type |
//! | objects and tuples | none |
//! | maps and objects | objects taken as maps; else by preference |
//! | lists and tuples | tuples taken as lists; else by preference |
//! | anything else | by preference: the first of the types that all others convert to |
//!
//! If a rule applies to all types of a kind and some of the types are unknown, so is the result. The
//! order of preference is in `preference`; conversions themselves are in [`convert`](super::convert).

mod preference;

use crate::memory::arena::Arena;
use crate::types::convert::conversion_exists;
use crate::types::{AttributeType, Type};

/// The conversions that may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Safety {
    /// Only those that succeed for every value.
    Safe,
    /// Also those that fail for some values, for example string to number.
    Unsafe,
}

/// The result of a unification.
#[derive(Clone, Copy, Debug)]
pub struct Unified<'a> {
    /// The type.
    pub ty: Type<'a>,
    /// True if the type depends on types that are still unknown. Then no value can be converted yet,
    /// whatever its type.
    pub open: bool,
}

impl<'a> Unified<'a> {
    const fn of(ty: Type<'a>) -> Self {
        Self { ty, open: false }
    }

    const OPEN: Self = Self { ty: Type::Dynamic, open: true };

    /// Returns true if values of the type `from`, one of the unified types, need a conversion.
    pub fn needs_conversion(self, arena: &Arena, from: Type<'_>) -> bool {
        self.open || !from.same(arena, self.ty)
    }
}

/// Returns the type that values of all `types` can be converted to, if there is one.
pub fn unify<'a>(arena: &'a Arena, types: &[Type<'a>], safety: Safety) -> Option<Type<'a>> {
    unify_all(arena, types, safety).map(|unified| unified.ty)
}

/// Unifies like [`unify`], and records which of the types need a conversion.
pub fn unify_all<'a>(arena: &'a Arena, types: &[Type<'a>], safety: Safety) -> Option<Unified<'a>> {
    let (first, rest) = types.split_first()?;
    if !arena.charge(types.len() as u64) {
        return None;
    }
    if rest.iter().all(|ty| ty.same(arena, *first)) {
        return Some(Unified::of(first.without_optional(arena)));
    }
    let kinds = types.iter().fold(0, |kinds, ty| kinds | kind(*ty));
    let ty = match kinds & !kind::DYNAMIC {
        kind::MAP | kind::LIST | kind::SET | kind::OBJECT | kind::TUPLE if kinds & kind::DYNAMIC != 0 => {
            return Some(Unified::OPEN);
        }
        kind::MAP => collections(arena, types, safety, Type::Map),
        kind::LIST => collections(arena, types, safety, Type::List),
        kind::SET => collections(arena, types, safety, Type::Set),
        kind::OBJECT => objects(arena, types, safety),
        kind::TUPLE => tuples(arena, types, safety),
        kind::MAP_OR_OBJECT | kind::LIST_OR_TUPLE => match flattened(arena, types, safety) {
            Some(flattened) => Some(flattened.unified),
            None => preference::first_fitting(arena, types, safety),
        },
        kinds if kinds & kind::OBJECT != 0 && kinds & kind::TUPLE != 0 => None,
        _ => preference::first_fitting(arena, types, safety),
    };
    ty.map(Unified::of)
}

/// Kinds of types, as the bits of a set.
mod kind {
    pub(super) const DYNAMIC: u8 = 1;
    pub(super) const MAP: u8 = 2;
    pub(super) const LIST: u8 = 4;
    pub(super) const SET: u8 = 8;
    pub(super) const OBJECT: u8 = 16;
    pub(super) const TUPLE: u8 = 32;
    pub(super) const OTHER: u8 = 64;
    pub(super) const MAP_OR_OBJECT: u8 = MAP | OBJECT;
    pub(super) const LIST_OR_TUPLE: u8 = LIST | TUPLE;
}

const fn kind(ty: Type<'_>) -> u8 {
    match ty {
        Type::Dynamic => kind::DYNAMIC,
        Type::Map(_) => kind::MAP,
        Type::List(_) => kind::LIST,
        Type::Set(_) => kind::SET,
        Type::Object(_) => kind::OBJECT,
        Type::Tuple(_) => kind::TUPLE,
        Type::Bool | Type::Number | Type::String | Type::Capsule(_) => kind::OTHER,
    }
}

/// Returns `unified` if all types convert to it.
fn fitting<'a>(arena: &'a Arena, types: &[Type<'a>], safety: Safety, unified: Type<'a>) -> Option<Type<'a>> {
    types.iter().all(|ty| conversion_exists(arena, *ty, unified, safety)).then_some(unified)
}

/// Unifies collections of one kind: the kind, of the elements' unified type.
fn collections<'a>(
    arena: &'a Arena,
    types: &[Type<'a>],
    safety: Safety,
    kind: fn(&'a Type<'a>) -> Type<'a>,
) -> Option<Type<'a>> {
    let mut elements = arena.list();
    elements.extend(types.iter().filter_map(|ty| ty.element()));
    let element = unify(arena, &elements, safety)?;
    fitting(arena, types, safety, kind(arena.item(element)))
}

/// Unifies objects: to an object if all have the same attributes, otherwise to a map.
fn objects<'a>(arena: &'a Arena, types: &[Type<'a>], safety: Safety) -> Option<Type<'a>> {
    let mut all = arena.list();
    all.extend(types.iter().filter_map(|ty| match ty {
        Type::Object(attributes) => Some(*attributes),
        _ => None,
    }));
    let (first, rest) = all.split_first()?;
    if rest.iter().any(|other| !same_names(arena, first, other)) {
        return objects_as_map(arena, types, safety);
    }
    let mut attributes = arena.list();
    for (at, attribute) in first.iter().enumerate() {
        let mut across = arena.list();
        across.extend(all.iter().filter_map(|one| one.get(at)).map(|one| one.ty));
        let ty = unify(arena, &across, safety)?;
        attributes.push(AttributeType { name: attribute.name, ty, optional: false });
    }
    let object = Type::Object(attributes.into_bump_slice());
    fitting(arena, types, safety, object).or_else(|| objects_as_map(arena, types, safety))
}

fn same_names(arena: &Arena, a: &[AttributeType<'_>], b: &[AttributeType<'_>]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| arena.equal_texts(a.name, b.name))
}

/// Unifies tuples: to a tuple if all have the same length, otherwise to a list.
fn tuples<'a>(arena: &'a Arena, types: &[Type<'a>], safety: Safety) -> Option<Type<'a>> {
    let mut all = arena.list();
    all.extend(types.iter().filter_map(|ty| match ty {
        Type::Tuple(elements) => Some(*elements),
        _ => None,
    }));
    let (first, rest) = all.split_first()?;
    if rest.iter().any(|other| other.len() != first.len()) {
        return tuples_as_list(arena, types, safety);
    }
    let mut elements = arena.list();
    for at in 0..first.len() {
        let mut across = arena.list();
        across.extend(all.iter().filter_map(|one| one.get(at).copied()));
        elements.push(unify(arena, &across, safety)?);
    }
    let tuple = Type::Tuple(elements.into_bump_slice());
    fitting(arena, types, safety, tuple).or_else(|| tuples_as_list(arena, types, safety))
}

/// Returns a map of the unified type of all attributes.
fn objects_as_map<'a>(arena: &'a Arena, types: &[Type<'a>], safety: Safety) -> Option<Type<'a>> {
    let mut attributes = arena.list();
    for ty in types {
        if let Type::Object(own) = ty {
            attributes.extend(own.iter().map(|attribute| attribute.ty));
        }
    }
    let element = unify(arena, &attributes, safety)?;
    fitting(arena, types, safety, Type::Map(arena.item(element)))
}

/// Returns a list of the unified type of all elements.
fn tuples_as_list<'a>(arena: &'a Arena, types: &[Type<'a>], safety: Safety) -> Option<Type<'a>> {
    let mut elements = arena.list();
    for ty in types {
        if let Type::Tuple(own) = ty {
            elements.extend_from_slice(own);
        }
    }
    let element = unify(arena, &elements, safety)?;
    fitting(arena, types, safety, Type::List(arena.item(element)))
}

/// The unification of structures and collections, in which the structures are taken for a collection.
struct Flattened<'a> {
    /// The type that the structures alone are unified to.
    collection: Type<'a>,
    /// The type that this collection and the other types are unified to.
    unified: Type<'a>,
}

/// Unifies objects to a map, or tuples to a list, and this with the other types, which are collections.
fn flattened<'a>(arena: &'a Arena, types: &[Type<'a>], safety: Safety) -> Option<Flattened<'a>> {
    let is_structure = |ty: &Type<'a>| matches!(ty, Type::Object(_) | Type::Tuple(_));
    let mut structures = arena.list();
    structures.extend(types.iter().copied().filter(is_structure));
    let collection = match structures.first()? {
        Type::Object(_) => objects_as_map(arena, &structures, safety)?,
        _ => tuples_as_list(arena, &structures, safety)?,
    };
    let mut collections = arena.list();
    collections.extend(types.iter().map(|ty| if is_structure(ty) { collection } else { *ty }));
    let unified = unify(arena, &collections, safety).filter(|unified| unified.is_collection())?;
    Some(Flattened { collection, unified })
}

/// Returns the collection type that a value of type `own` is taken for when it is converted to `unified`,
/// the unified type of `own` and `other`. `None` if it is converted as what it is.
///
/// As in the reference, a structure that was unified with a collection of another type is not converted
/// from its own type.
pub(super) fn taken_for<'a>(
    arena: &'a Arena,
    own: Type<'a>,
    other: Type<'a>,
    unified: Type<'a>,
) -> Option<Type<'a>> {
    if !matches!((own, other), (Type::Object(_), Type::Map(_)) | (Type::Tuple(_), Type::List(_))) {
        return None;
    }
    let flattened = flattened(arena, &[own, other], Safety::Unsafe)?;
    (!flattened.collection.same(arena, unified)).then_some(flattened.collection)
}
