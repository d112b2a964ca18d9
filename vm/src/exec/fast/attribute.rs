//! Attributes of objects, by inline cache and by search.

use super::stop::{Plain, Stop};
use crate::code::fast::{Fast, InlineCache, Symbol};
use crate::value::{Entry, Value};

/// Returns an attribute of an object if it is at the position in the inline cache. Inlined: the most frequent
/// operation, four loads and two comparisons.
#[inline(always)]
pub(super) fn attribute<'a>(value: Value<'a>, cache: &InlineCache, symbol: Symbol) -> Option<Value<'a>> {
    let entry = value.as_object()?.get(cache.get())?;
    (entry.symbol == symbol.0).then_some(entry.value)
}

/// Searches the entries of an object for an attribute that is not at the position in the inline cache, or whose
/// entry has no symbol, and stores its position there.
pub(super) fn attribute_of_object<'a>(
    fast: &Fast,
    entries: &[Entry<'a>],
    cache: &InlineCache,
    symbol: Symbol,
) -> Plain<'a> {
    /// Longer objects are searched by name, in logarithmic instead of linear time.
    const LONGEST_SEARCH: usize = 200;
    if entries.len() <= LONGEST_SEARCH
        && let Some(at) = entries.iter().position(|entry| entry.symbol == symbol.0)
    {
        cache.set(at);
        return Ok(entries[at].value);
    }
    // Objects that were built before a program used their names have none of their symbols.
    attribute_by_name(entries, cache, fast.name(symbol).ok_or(Stop::FallBack)?)
}

/// Searches entries for a name, first at the position in the inline cache, and stores its position there.
pub(super) fn attribute_by_name<'a>(entries: &[Entry<'a>], cache: &InlineCache, name: &str) -> Plain<'a> {
    if let Some(entry) = entries.get(cache.get())
        && entry.name == name
    {
        return Ok(entry.value);
    }
    let at = entries.binary_search_by(|entry| entry.name.cmp(name)).map_err(|_| Stop::Fault)?;
    cache.set(at);
    Ok(entries[at].value)
}
