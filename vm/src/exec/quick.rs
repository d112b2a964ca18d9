//! The plain cases of the hot loop: attributes by hint, loops and splats over known sequences.

use super::cold;
use crate::arena::{Arena, ArenaVec};
use crate::code::Build;
use crate::code::fast::{Hint, Symbol};
use crate::types::Type;
use crate::value::{Column, Entry, Tags, Value, View};

/// An attribute of an object where it was the last time.
#[inline(always)]
pub(super) fn attribute<'a>(value: Value<'a>, hint: &Hint, symbol: Symbol) -> Option<Value<'a>> {
    let entry = value.as_object()?.get(hint.get())?;
    (entry.symbol == symbol.0).then_some(entry.value)
}

/// `value[*].name` over a tuple of objects.
pub(super) fn splat<'a>(
    arena: &'a Arena,
    value: Value<'a>,
    hint: &Hint,
    symbol: Symbol,
) -> Option<Value<'a>> {
    let items = value.as_tuple()?;
    if !arena.charge(items.len() as u64) {
        return None;
    }
    let (mut tags, mut complete) = (Tags::default(), true);
    let mut column = Column::NONE;
    let mut rest = items.iter();
    let results = arena.filled(items.len(), |_| {
        let item = rest.next().copied().unwrap_or(Value::NULL);
        let found = match column.entry(item) {
            Some(entry) if entry.symbol == symbol.0 => entry.value,
            _ => {
                let found =
                    attribute(item, hint, symbol).or_else(|| cold::attribute_by_symbol(item, hint, symbol));
                column = Column::of(item, hint.get());
                complete &= found.is_some();
                found.unwrap_or(Value::NULL)
            }
        };
        tags.add(found);
        found
    });
    if !complete || results.len() != items.len() {
        return None;
    }
    let primitive = tags.all_primitive() || results.iter().all(|result| result.is_plain_primitive());
    Some(if primitive { Value::tuple_of_primitives(arena, results) } else { Value::tuple(arena, results) })
}

/// What a loop iterates over.
#[derive(Clone, Copy)]
enum Elements<'a> {
    Items(&'a [Value<'a>]),
    Entries(&'a [Entry<'a>]),
}

/// A group of values with one key.
#[derive(Clone, Copy)]
struct Group<'a> {
    name: Value<'a>,
    count: usize,
}

/// A loop under way.
pub(super) struct FastLoop<'a> {
    /// `None` when the body only appends to a template.
    build: Option<Build>,
    elements: Elements<'a>,
    next: usize,
    primitive: bool,
    /// Of a set: its elements are their own keys.
    own_keys: bool,
    /// Of a splat over a list: its element type is to be found.
    list: bool,
    values: ArenaVec<'a, Value<'a>>,
    /// Of each value; none while there are few groups.
    keys: ArenaVec<'a, Value<'a>>,
    groups: ArenaVec<'a, Group<'a>>,
    /// The group of each value, while there are few.
    members: ArenaVec<'a, u8>,
}

/// Beyond this many different keys, groups are found by sorting.
const FEW_GROUPS: usize = 16;

impl<'a> FastLoop<'a> {
    /// A loop over a known collection. With an `if` clause an empty one is for the full body,
    /// which tries the clause.
    pub(super) fn open(
        arena: &'a Arena,
        value: Value<'a>,
        build: Option<Build>,
        clause: bool,
    ) -> Option<Self> {
        let (elements, len) = match value.view() {
            View::Tuple(items) | View::List(items, _) | View::Set(items, _) => {
                (Elements::Items(items), items.len())
            }
            View::Object(entries) | View::Map(entries, _) => (Elements::Entries(entries), entries.len()),
            _ => return None,
        };
        if clause && len == 0 {
            return None;
        }
        let own_keys = matches!(value.view(), View::Set(..));
        Some(Self { own_keys, ..Self::new(arena, build, elements, len, false) })
    }

    /// A loop over the elements of a known tuple or non-empty list or set.
    pub(super) fn open_splat(arena: &'a Arena, value: Value<'a>) -> Option<Self> {
        let (items, list) = match value.view() {
            View::Tuple(items) => (items, false),
            View::List(items, _) | View::Set(items, _) if !items.is_empty() => (items, true),
            _ => return None,
        };
        Some(Self::new(arena, Some(Build::Tuple), Elements::Items(items), items.len(), list))
    }

    fn new(arena: &'a Arena, build: Option<Build>, elements: Elements<'a>, len: usize, list: bool) -> Self {
        let room = |needed: bool| if needed { len } else { 0 };
        Self {
            build,
            elements,
            next: 0,
            primitive: true,
            list,
            own_keys: false,
            values: arena.list_with(room(build.is_some())),
            keys: arena.list_with(room(build == Some(Build::Object))),
            groups: arena.list_with(if build == Some(Build::Groups) { FEW_GROUPS } else { 0 }),
            members: arena.list_with(room(build == Some(Build::Groups))),
        }
    }

    /// The next element.
    #[inline(always)]
    pub(super) fn next(&mut self) -> Option<Value<'a>> {
        let at = self.next;
        self.next = at + 1;
        match self.elements {
            Elements::Items(items) => items.get(at).copied(),
            Elements::Entries(entries) => entries.get(at).map(|entry| entry.value),
        }
    }

    /// The key of the element that came last.
    pub(super) fn key(&self, arena: &'a Arena) -> Option<Value<'a>> {
        let at = self.next.checked_sub(1)?;
        match self.elements {
            Elements::Items(items) if self.own_keys => items.get(at).copied(),
            Elements::Items(_) => Some(Value::short(at as i64)),
            Elements::Entries(entries) => entries.get(at).map(|entry| Value::str(arena, entry.name)),
        }
    }

    #[inline(always)]
    pub(super) fn push(&mut self, value: Value<'a>) {
        self.primitive &= value.is_plain_primitive();
        self.values.push(value);
    }

    /// Adds a value under a key, a short text.
    pub(super) fn entry(&mut self, key: Value<'a>, value: Value<'a>) {
        self.primitive &= value.is_plain_primitive();
        if self.build == Some(Build::Groups) && self.keys.is_empty() {
            self.group(key);
        } else {
            self.keys.push(key);
        }
        self.values.push(value);
    }

    /// Adds the next value to the group of its key.
    #[inline(always)]
    fn group(&mut self, key: Value<'a>) {
        for (group, number) in self.groups.iter_mut().zip(0..) {
            if group.name.equals_short_text(key) == Some(true) {
                group.count += 1;
                self.members.push(number);
                return;
            }
        }
        self.open_group(key);
    }

    /// Begins a group; from one too many on, each value has its key.
    #[cold]
    fn open_group(&mut self, key: Value<'a>) {
        if self.groups.len() < FEW_GROUPS {
            self.members.push(self.groups.len() as u8);
            self.groups.push(Group { name: key, count: 1 });
        } else {
            self.keys.reserve(self.values.capacity());
            let groups = &self.groups;
            self.keys.extend(self.members.iter().map(|group| groups[usize::from(*group)].name));
            self.keys.push(key);
        }
    }

    /// What the loop built; `None` when only the full body can say.
    pub(super) fn finish(self, arena: &'a Arena) -> Option<Value<'a>> {
        match self.build? {
            Build::Tuple if self.list => cold::list_of(arena, self.values.into_bump_slice()),
            Build::Tuple => {
                let values = self.values.into_bump_slice();
                let tuple = if self.primitive { Value::tuple_of_primitives } else { Value::tuple };
                Some(tuple(arena, values))
            }
            Build::Object => self.finish_object(arena),
            Build::Groups if self.keys.is_empty() => Some(self.finish_groups(arena)),
            Build::Groups => Some(self.sort_groups(arena)),
        }
    }

    /// An object; equal keys are a fault, which the full body reports.
    fn finish_object(self, arena: &'a Arena) -> Option<Value<'a>> {
        let mut entries = arena.list_with(self.keys.len());
        for (key, value) in self.keys.iter().zip(&self.values) {
            let name = key.as_str()?;
            entries.push(Entry { name, symbol: arena.symbol(name), value: *value });
        }
        if !entries.is_sorted_by(|a, b| a.name < b.name) {
            entries.sort_unstable_by(|a, b| a.name.cmp(b.name));
            if entries.windows(2).any(|pair| pair[0].name == pair[1].name) {
                return None;
            }
        }
        Some(Value::object(arena, entries.into_bump_slice()))
    }

    /// Few groups: the values group by group, each in the order they were made.
    fn finish_groups(self, arena: &'a Arena) -> Value<'a> {
        let tuple = if self.primitive { Value::tuple_of_primitives } else { Value::tuple };
        let mut places = [0; FEW_GROUPS];
        let mut begin = 0;
        for (place, group) in places.iter_mut().zip(&self.groups) {
            *place = begin;
            begin += group.count;
        }
        let mut values = arena.list_with(self.values.len());
        values.resize(self.values.len(), Value::NULL);
        for (value, group) in self.values.iter().zip(&self.members) {
            let place = &mut places[usize::from(*group) % FEW_GROUPS];
            values[*place] = *value;
            *place += 1;
        }
        let mut rest: &[Value<'a>] = values.into_bump_slice();
        let mut entries = arena.list_with(self.groups.len());
        for group in &self.groups {
            let (values, others) = rest.split_at(group.count);
            rest = others;
            let name = group.name.as_str().unwrap_or("");
            entries.push(Entry { name, symbol: arena.symbol(name), value: tuple(arena, values) });
        }
        entries.sort_unstable_by(|a, b| a.name.cmp(b.name));
        Value::object(arena, entries.into_bump_slice())
    }

    /// Many groups: values sorted by key, in the order they were made within a key.
    fn sort_groups(self, arena: &'a Arena) -> Value<'a> {
        let mut order = arena.list_with(self.keys.len());
        order.extend(self.keys.iter().zip(0u32..).map(|(key, at)| (key.as_str().unwrap_or(""), at)));
        order.sort_unstable();
        let mut entries = arena.list();
        for group in order.chunk_by(|a, b| a.0 == b.0) {
            let mut values = arena.list_with(group.len());
            values.extend(group.iter().map(|(_, at)| self.values[*at as usize]));
            let name = group[0].0;
            entries.push(Entry {
                name,
                symbol: arena.symbol(name),
                value: Value::tuple(arena, values.into_bump_slice()),
            });
        }
        Value::object(arena, entries.into_bump_slice())
    }
}

/// The element type that the results of a splat over a list have in common.
pub(super) fn element_type<'a>(arena: &'a Arena, results: &[Value<'a>]) -> Option<Type<'a>> {
    let first = results.first()?.type_of(arena);
    if first.is_primitive() {
        let class = results[0];
        return results.iter().all(|result| result.same_primitive_type(class)).then_some(first);
    }
    None
}
