//! Gathers the values of several blocks in a list, tuple, set, map or object. The value of one block is
//! made in `read`.

use std::collections::HashSet;

use hclvm_vm::{Safety, Type, Value, convert, last_of_each, set_from, unify_all};

use super::plan::{BlocksPlan, Gather, PlanNode};
use super::problem;
use super::read::{Located, PlanReader};
use crate::diagnostics::error::Error;
use crate::structure::expansion::ContentView;

/// The value of a block, with the labels that are its keys.
struct KeyedBlock<'a> {
    keys: Vec<&'a str>,
    made: Located<'a>,
}

impl<'a> PlanReader<'a, '_> {
    /// Gathers the blocks of a type; returns an unknown value if their number is unknown.
    pub(super) fn gather(
        &mut self,
        blocks: &'a BlocksPlan,
        gather: Gather,
        node: &'a PlanNode,
        content: &ContentView<'a>,
    ) -> Result<Located<'a>, Error> {
        let (arena, kind, start) = (self.expansion.arena, blocks.kind.as_str(), content.missing_item);
        let (mut keyed, mut seen, mut pending) = (Vec::new(), HashSet::new(), false);
        for block in content.blocks.iter().filter(|block| block.kind == kind) {
            let made = self.body(block, blocks)?;
            pending |= block.body.is_unknown();
            let keys: Vec<&str> = block.labels.iter().copied().take(blocks.keys).collect();
            if blocks.keys > 0 && !seen.insert(keys.clone()) {
                let shown = block.shown_labels().get(..blocks.keys).unwrap_or_default();
                self.report(problem::duplicate_key(kind, shown, block.header_span));
                continue;
            }
            keyed.push(KeyedBlock { keys, made });
        }
        if pending {
            return Ok((Value::unknown_of(arena, node.implied(arena)), start));
        }
        if keyed.len() < blocks.min {
            self.report(problem::insufficient_blocks(kind, keyed.len(), blocks.min, start));
        } else if blocks.max > 0 && keyed.len() > blocks.max {
            let place = keyed.get(blocks.max).map_or(start, |extra| extra.made.1);
            self.report(problem::too_many_blocks(kind, keyed.len(), blocks.max, place));
        }
        let span = keyed.first().map_or(start, |first| first.made.1);
        let element = blocks.content.implied(arena);
        let value = match gather {
            Gather::Tuple => {
                let mut items = arena.list();
                items.extend(keyed.iter().map(|keyed| keyed.made.0));
                Value::tuple(arena, items.into_bump_slice())
            }
            Gather::List | Gather::Set => self.sequence(kind, gather, &keyed, element),
            Gather::Map | Gather::Object => self.by_key(kind, gather, keyed, 0, blocks.keys, element),
        };
        Ok((value, span))
    }

    fn sequence(
        &mut self,
        kind: &str,
        gather: Gather,
        keyed: &[KeyedBlock<'a>],
        element: Type<'a>,
    ) -> Value<'a> {
        let arena = self.expansion.arena;
        let made: Vec<Located<'a>> = keyed.iter().map(|keyed| keyed.made).collect();
        let Some((values, element)) = self.unified(kind, &made, element) else { return Value::DYNAMIC };
        let items = arena.slice(&values);
        match gather {
            Gather::Set => set_from(arena, items, element),
            _ => Value::list(arena, items, element),
        }
    }

    /// Groups blocks by the key at `depth`, and recursively by the further keys.
    fn by_key(
        &mut self,
        kind: &str,
        gather: Gather,
        keyed: Vec<KeyedBlock<'a>>,
        depth: usize,
        keys: usize,
        element: Type<'a>,
    ) -> Value<'a> {
        let mut groups: Vec<(&'a str, Vec<KeyedBlock<'a>>)> = Vec::new();
        let mut index = std::collections::HashMap::new();
        for block in keyed {
            let Some(key) = block.keys.get(depth).copied() else { continue };
            let at = *index.entry(key).or_insert(groups.len());
            match groups.get_mut(at) {
                Some((_, group)) => group.push(block),
                None => groups.push((key, vec![block])),
            }
        }
        let arena = self.expansion.arena;
        let is_last = depth + 1 == keys;
        let mut pairs = Vec::new();
        for (key, group) in groups {
            let Some(first) = group.first().map(|first| first.made) else { continue };
            let value =
                if is_last { first.0 } else { self.by_key(kind, gather, group, depth + 1, keys, element) };
            pairs.push((key, (value, first.1)));
        }
        if gather == Gather::Object {
            let mut entries = arena.list();
            entries.extend(pairs.iter().map(|(key, (value, _))| arena.entry(key, *value)));
            return Value::object(arena, last_of_each(entries));
        }
        let inner = (depth + 1..keys).fold(element, |inner, _| Type::Map(arena.item(inner)));
        self.map(kind, pairs, inner)
    }

    /// Returns a map of values converted to one type.
    pub(super) fn map(
        &mut self,
        kind: &str,
        pairs: Vec<(&'a str, Located<'a>)>,
        element: Type<'a>,
    ) -> Value<'a> {
        let arena = self.expansion.arena;
        let made: Vec<Located<'a>> = pairs.iter().map(|(_, made)| *made).collect();
        let Some((values, element)) = self.unified(kind, &made, element) else { return Value::DYNAMIC };
        let mut entries = arena.list();
        entries.extend(pairs.iter().zip(values).map(|((key, _), value)| arena.entry(key, value)));
        Value::map(arena, last_of_each(entries), element)
    }

    /// Converts values to their unified type, which is `element` if there are none. Reports values that
    /// have no common type; returns `None` then, and if the type is not known yet.
    fn unified(
        &mut self,
        kind: &str,
        made: &[Located<'a>],
        element: Type<'a>,
    ) -> Option<(Vec<Value<'a>>, Type<'a>)> {
        let arena = self.expansion.arena;
        let Some((_, first)) = made.first() else { return Some((Vec::new(), element)) };
        let types: Vec<Type<'a>> = made.iter().map(|(value, _)| value.type_of(arena)).collect();
        let Some(unified) = unify_all(arena, &types, Safety::Unsafe) else {
            self.report(problem::inconsistent_types(kind, None, *first));
            return None;
        };
        if unified.open {
            return None;
        }
        let mut values = Vec::with_capacity(made.len());
        for (value, span) in made {
            match convert(arena, *value, unified.ty) {
                Ok(value) => values.push(value),
                Err(mismatch) => {
                    let why = self.reason(mismatch);
                    self.report(problem::inconsistent_types(kind, Some(&why), *span));
                    return None;
                }
            }
        }
        Some((values, unified.ty))
    }
}
