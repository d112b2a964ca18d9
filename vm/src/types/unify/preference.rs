//! The order of preference among types of which one is chosen for the others to convert to.
//!
//! More general types come first: string before other primitives, lists before tuples and sets, maps
//! before objects, known types before unknown ones. Collections are compared by their elements,
//! structures of one shape by their parts. Types that these rules do not order keep their positions.

use std::cmp::Ordering;

use super::Safety;
use crate::memory::arena::{Arena, ArenaVec};
use crate::types::Type;
use crate::types::convert::conversion_exists;

/// Returns the first type in order of preference that all others convert to.
pub(super) fn first_fitting<'a>(arena: &'a Arena, types: &[Type<'a>], safety: Safety) -> Option<Type<'a>> {
    let candidates = distinct(arena, types)?;
    let order = by_preference(arena, &candidates)?;
    let fits = |wanted: &Type<'a>| candidates.iter().all(|ty| conversion_exists(arena, *ty, *wanted, safety));
    order.iter().filter_map(|at| candidates.get(*at)).copied().find(fits)
}

fn distinct<'a>(arena: &'a Arena, types: &[Type<'a>]) -> Option<ArenaVec<'a, Type<'a>>> {
    let mut distinct = arena.list::<Type<'a>>();
    for ty in types {
        if !arena.charge(distinct.len() as u64) {
            return None;
        }
        if !distinct.iter().any(|seen| seen.same(arena, *ty)) {
            distinct.push(*ty);
        }
    }
    Some(distinct)
}

/// Returns the indexes of the types in an order in which every type follows those more general than it.
/// This is the reference's topological sort: a type becomes ready when the last type before it was taken.
fn by_preference<'a>(arena: &'a Arena, types: &[Type<'a>]) -> Option<ArenaVec<'a, usize>> {
    let mut waiting_for = arena.list();
    waiting_for.resize(types.len(), 0_usize);
    let mut pairs = arena.list();
    for (at, ty) in types.iter().enumerate() {
        if !arena.charge(types.len() as u64) {
            return None;
        }
        for (other, waiting) in waiting_for.iter_mut().enumerate() {
            if types.get(other).is_some_and(|other| compare(arena, *ty, *other).is_lt()) {
                pairs.push((at, other));
                *waiting += 1;
            }
        }
    }
    let mut order = arena.list();
    order.extend((0..types.len()).filter(|at| waiting_for.get(*at) == Some(&0)));
    let mut taken = 0;
    while let Some(at) = order.get(taken).copied() {
        taken += 1;
        let start = pairs.partition_point(|(general, _)| *general < at);
        for (_, special) in pairs.iter().skip(start).take_while(|(general, _)| *general == at) {
            let Some(waiting) = waiting_for.get_mut(*special) else { continue };
            *waiting -= 1;
            if *waiting == 0 {
                order.push(*special);
            }
        }
    }
    Some(order)
}

/// Returns `Less` if `a` is more general, `Equal` if the rules do not order the types.
fn compare(arena: &Arena, a: Type<'_>, b: Type<'_>) -> Ordering {
    if !arena.charge(1) {
        return Ordering::Equal;
    }
    match (a, b) {
        (Type::Dynamic, _) | (_, Type::Dynamic) => a.is_dynamic().cmp(&b.is_dynamic()),
        (Type::String, Type::Bool | Type::Number) => Ordering::Less,
        (Type::Bool | Type::Number, Type::String) => Ordering::Greater,
        (Type::List(a), Type::List(b)) | (Type::Set(a), Type::Set(b)) | (Type::Map(a), Type::Map(b)) => {
            compare(arena, *a, *b)
        }
        (Type::List(_), Type::Tuple(_) | Type::Set(_))
        | (Type::Tuple(_), Type::Set(_))
        | (Type::Map(_), Type::Object(_)) => Ordering::Less,
        (Type::Tuple(_) | Type::Set(_), Type::List(_))
        | (Type::Set(_), Type::Tuple(_))
        | (Type::Object(_), Type::Map(_)) => Ordering::Greater,
        (Type::Tuple(a), Type::Tuple(b)) if a.len() == b.len() => {
            agreed(a.iter().zip(b).map(|(a, b)| compare(arena, *a, *b)))
        }
        (Type::Object(a), Type::Object(b)) if super::same_names(arena, a, b) => {
            agreed(a.iter().zip(b).map(|(a, b)| compare(arena, a.ty, b.ty)))
        }
        _ => Ordering::Equal,
    }
}

/// Combines the orders of all parts; `Equal` if they contradict each other.
fn agreed(parts: impl Iterator<Item = Ordering>) -> Ordering {
    let mut all = Ordering::Equal;
    for part in parts {
        if part.is_ne() && all == part.reverse() {
            return Ordering::Equal;
        }
        all = all.then(part);
    }
    all
}
