//! Loops of the fast tier over known collections: for expressions, for directives and splats. The loop
//! over instructions is in [`dispatch`](super::dispatch).

use super::{inline, slow};
use crate::code::Build;
use crate::memory::arena::{Arena, ArenaVec};
use crate::memory::cast;
use crate::value::{Entry, Value, View};

/// The elements over which a loop iterates.
#[derive(Clone, Copy)]
enum FastElements<'a> {
    Items(&'a [Value<'a>]),
    Entries(&'a [Entry<'a>]),
}

impl<'a> FastElements<'a> {
    /// Returns the elements of a known collection, and true if they are their own keys.
    ///
    /// Out of line: tuples, the most frequent collections, are recognized before.
    #[inline(never)]
    fn of_collection(value: Value<'a>) -> Option<(Self, bool)> {
        Some(match value.view() {
            View::Tuple(items) | View::List(items, _) => (Self::Items(items), false),
            View::Set(items, _) => (Self::Items(items), true),
            // A marked entry may be skipped, but its mark may not.
            View::Object(entries) | View::Map(entries, _) if !value.contains_marks() => {
                (Self::Entries(entries), false)
            }
            _ => return None,
        })
    }

    const fn len(self) -> usize {
        match self {
            Self::Items(items) => items.len(),
            Self::Entries(entries) => entries.len(),
        }
    }

    /// Charges for the next block of rounds and returns the elements charged so far, of which the first
    /// `paid` were charged before; `None` if the budget is exhausted.
    ///
    /// Inlined: part of opening a loop.
    #[inline(always)]
    fn paid_beyond(self, paid: usize, round: u32, arena: &Arena) -> Option<Self> {
        let rounds = (self.len() - paid).min(BLOCK);
        if !arena.charge(rounds as u64 * u64::from(round)) {
            return None;
        }
        Some(match self {
            Self::Items(items) => Self::Items(items.get(..paid + rounds)?),
            Self::Entries(entries) => Self::Entries(entries.get(..paid + rounds)?),
        })
    }
}

/// The values with one key, in a loop that builds an object of tuples.
#[derive(Clone, Copy)]
struct LoopGroup<'a> {
    name: Value<'a>,
    count: usize,
}

/// The number of rounds of a loop that are charged at once: enough that the charge is negligible, few
/// enough that an interrupt is noticed soon.
const BLOCK: usize = 1024;

/// The state of a loop that is being executed. Small, because it is moved when an inner loop begins and ends.
pub(super) struct FastLoop<'a> {
    all: FastElements<'a>,
    /// The elements whose rounds have been charged: a prefix of `all`.
    elements: FastElements<'a>,
    next: usize,
    /// The charge for one round.
    round: u32,
    /// The values of the result, in the order in which they were computed.
    values: ArenaVec<'a, Value<'a>>,
    keyed: Option<&'a mut Keyed<'a>>,
    /// `None` if the loop only appends to a template.
    build: Option<Build>,
    /// True if all values so far are plain primitives.
    primitive: bool,
    /// True for a set, whose elements are their own keys.
    own_keys: bool,
    /// True for a splat over a list: its result is a list, whose element type is determined at the end.
    list: bool,
}

/// The keys of a loop that builds an object.
struct Keyed<'a> {
    /// The key of each value; empty while `members` is in use.
    keys: ArenaVec<'a, Value<'a>>,
    groups: ArenaVec<'a, LoopGroup<'a>>,
    /// The index of each value's group, while there are at most [`FEW_GROUPS`].
    members: ArenaVec<'a, u8>,
}

/// Beyond this many different keys, groups are found by sorting: a linear search over more would cost more
/// comparisons than the sort.
const FEW_GROUPS: usize = 16;

impl<'a> FastLoop<'a> {
    /// Opens a loop over a known collection. Falls back for an empty collection with an `if` clause,
    /// because the baseline tier evaluates the clause even then, for its faults.
    ///
    /// Inlined into [`FastMachine::open`](super::machine::FastMachine::open), so that the loop is built
    /// where it is stored.
    #[inline(always)]
    pub(super) fn open(
        arena: &'a Arena,
        value: Value<'a>,
        build: Option<Build>,
        clause: bool,
        round: u32,
    ) -> Option<Self> {
        let (all, own_keys) = match value.as_tuple() {
            Some(items) => (FastElements::Items(items), false),
            None => FastElements::of_collection(value)?,
        };
        let len = all.len();
        if clause && len == 0 {
            return None;
        }
        let keyed = match build {
            Some(Build::Object | Build::Groups) => Some(Keyed::new(arena, build == Some(Build::Groups), len)),
            _ => None,
        };
        let values = arena.list_with(if build.is_some() { len } else { 0 });
        let elements = all.paid_beyond(0, round, arena)?;
        Some(Self {
            all,
            elements,
            next: 0,
            round,
            values,
            keyed,
            build,
            primitive: true,
            own_keys,
            list: false,
        })
    }

    /// Opens a loop over the elements of a known tuple or of a non-empty list or set. Inlined, as
    /// [`FastLoop::open`].
    #[inline(always)]
    pub(super) fn open_splat(arena: &'a Arena, value: Value<'a>, round: u32) -> Option<Self> {
        let list = match value.view() {
            View::Tuple(_) => false,
            View::List(items, _) | View::Set(items, _) if !items.is_empty() => true,
            _ => return None,
        };
        Some(Self { list, ..Self::open(arena, value, Some(Build::Tuple), false, round)? })
    }

    /// Charges for the next rounds; `None` if the budget is exhausted.
    pub(super) fn pay(&mut self, arena: &Arena) -> Option<()> {
        self.elements = self.all.paid_beyond(self.elements.len(), self.round, arena)?;
        Some(())
    }

    /// Returns the next element; `None` if there is none or its round is not charged. Inlined: executed
    /// in each round.
    #[inline(always)]
    pub(super) fn next(&mut self) -> Option<Value<'a>> {
        let at = self.next;
        let element = match self.elements {
            FastElements::Items(items) => *items.get(at)?,
            FastElements::Entries(entries) => entries.get(at)?.value,
        };
        self.next = at + 1;
        Some(element)
    }

    /// True if no element is left. Inlined: one comparison.
    #[inline(always)]
    pub(super) const fn is_done(&self) -> bool {
        self.next == self.all.len()
    }

    /// Returns the key of the current element.
    pub(super) fn key(&self, arena: &'a Arena) -> Option<Value<'a>> {
        let at = self.next.checked_sub(1)?;
        match self.elements {
            FastElements::Items(items) if self.own_keys => items.get(at).copied(),
            FastElements::Items(_) => Some(Value::short(cast::signed(at))),
            FastElements::Entries(entries) => entries.get(at).map(|entry| Value::str(arena, entry.name)),
        }
    }

    /// Appends a value to the result. Inlined: executed in each round.
    #[inline(always)]
    pub(super) fn push(&mut self, value: Value<'a>) {
        self.primitive &= value.is_plain_primitive();
        self.values.push(value);
    }

    /// Adds a value under a key, which is a short text.
    pub(super) fn entry(&mut self, key: Value<'a>, value: Value<'a>) -> Option<()> {
        self.primitive &= value.is_plain_primitive();
        self.values.push(value);
        let keyed = self.keyed.as_mut()?;
        if self.build == Some(Build::Groups) {
            keyed.group(key);
        } else {
            keyed.keys.push(key);
        }
        Some(())
    }

    /// Returns the result of the loop; `None` if only the baseline tier can compute it.
    pub(super) fn finish(self, arena: &'a Arena) -> Option<Value<'a>> {
        let values = self.values.into_bump_slice();
        match (self.build?, self.keyed) {
            (Build::Tuple, _) if self.list => slow::list_of(arena, values),
            (Build::Object, Some(keyed)) => keyed.object(arena, values),
            (Build::Groups, Some(keyed)) => Some(keyed.groups(arena, values, self.primitive)),
            _ => Some(inline::tuple(arena, values, self.primitive)),
        }
    }
}

impl<'a> Keyed<'a> {
    fn new(arena: &'a Arena, groups: bool, len: usize) -> &'a mut Self {
        let room = |needed: bool| if needed { len } else { 0 };
        arena.place(Self {
            keys: arena.list_with(room(!groups)),
            groups: arena.list_with(if groups { FEW_GROUPS } else { 0 }),
            members: arena.list_with(room(groups)),
        })
    }

    /// Adds the next value to the group of its key. Inlined: executed in each round.
    #[inline(always)]
    fn group(&mut self, key: Value<'a>) {
        if !self.keys.is_empty() {
            self.keys.push(key);
            return;
        }
        for (group, number) in self.groups.iter_mut().zip(0..) {
            if group.name.equals_short_text(key) == Some(true) {
                group.count += 1;
                self.members.push(number);
                return;
            }
        }
        self.open_group(key);
    }

    /// Adds the first value of a group. Beyond [`FEW_GROUPS`], switches to storing the key of each value.
    ///
    /// Cold: at most once per group, while [`Keyed::group`] runs once per element.
    #[cold]
    #[expect(clippy::cast_possible_truncation, reason = "there are fewer than `FEW_GROUPS` groups")]
    fn open_group(&mut self, key: Value<'a>) {
        if self.groups.len() < FEW_GROUPS {
            self.members.push(self.groups.len() as u8);
            self.groups.push(LoopGroup { name: key, count: 1 });
        } else {
            self.keys.reserve(self.members.capacity());
            let groups = &self.groups;
            self.keys.extend(self.members.iter().map(|group| groups[usize::from(*group)].name));
            self.keys.push(key);
        }
    }

    /// Builds an object with one value per key; `None` if two keys are equal, a fault that the baseline
    /// tier reports.
    fn object(&self, arena: &'a Arena, values: &[Value<'a>]) -> Option<Value<'a>> {
        let mut entries = arena.list_with(self.keys.len());
        for (key, value) in self.keys.iter().zip(values) {
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

    /// Builds an object of tuples when there are few groups: a counting sort of the values by group, which
    /// keeps their order within a group.
    fn few_groups(&self, arena: &'a Arena, all: &[Value<'a>], primitive: bool) -> Value<'a> {
        let mut places = [0; FEW_GROUPS];
        let mut begin = 0;
        for (place, group) in places.iter_mut().zip(&self.groups) {
            *place = begin;
            begin += group.count;
        }
        let mut values = arena.list_with(all.len());
        values.resize(all.len(), Value::NULL);
        for (value, group) in all.iter().zip(&self.members) {
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
            let value = inline::tuple(arena, values, primitive);
            entries.push(Entry { name, symbol: arena.symbol(name), value });
        }
        entries.sort_unstable_by(|a, b| a.name.cmp(b.name));
        Value::object(arena, entries.into_bump_slice())
    }

    /// Builds an object of tuples when there are many groups: the values are sorted by key and, within a
    /// key, by position.
    fn many_groups(&self, arena: &'a Arena, all: &[Value<'a>], primitive: bool) -> Value<'a> {
        let mut order = arena.list_with(self.keys.len());
        order.extend(self.keys.iter().zip(0u32..).map(|(key, at)| (key.as_str().unwrap_or(""), at)));
        order.sort_unstable();
        let mut entries = arena.list();
        for group in order.chunk_by(|a, b| a.0 == b.0) {
            let mut values = arena.list_with(group.len());
            values.extend(group.iter().map(|(_, at)| all[*at as usize]));
            let name = group[0].0;
            entries.push(Entry {
                name,
                symbol: arena.symbol(name),
                value: inline::tuple(arena, values.into_bump_slice(), primitive),
            });
        }
        Value::object(arena, entries.into_bump_slice())
    }

    /// Builds an object with a tuple of values per key.
    fn groups(&self, arena: &'a Arena, values: &[Value<'a>], primitive: bool) -> Value<'a> {
        let groups = if self.keys.is_empty() { Self::few_groups } else { Self::many_groups };
        groups(self, arena, values, primitive)
    }
}
