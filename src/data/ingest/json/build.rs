//! Whole values out of JSON.
//!
//! The elements of a list are often objects of one shape. The names of the previous one predict
//! those of the next: a name that comes as predicted has its symbol and its place at once.

use hclvm_vm::{Arena, ArenaVec, Entry, Value, last_of_each};

use super::{JsonError, Reader, Refusal};

/// How the strings of a text come into an arena.
pub(super) trait Keep<'t, 'a>: Copy {
    /// The arena.
    fn arena(self) -> &'a Arena;
    /// The text there; empty when there is no room, which exhausts the budget.
    fn text(self, text: &'t str) -> &'a str;
}

/// The text stands in the arena as a whole, so that strings are slices of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sliced<'a>(pub(super) &'a Arena);

impl<'a> Keep<'a, 'a> for Sliced<'a> {
    fn arena(self) -> &'a Arena {
        self.0
    }

    #[inline]
    fn text(self, text: &'a str) -> &'a str {
        text
    }
}

/// Strings are copied one by one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Copied<'a>(pub(super) &'a Arena);

impl<'a> Keep<'_, 'a> for Copied<'a> {
    fn arena(self) -> &'a Arena {
        self.0
    }

    #[inline]
    fn text(self, text: &str) -> &'a str {
        self.0.text(text)
    }
}

/// A name that the next object of a list may have.
#[derive(Clone, Copy, Debug)]
struct Expected<'a> {
    name: &'a str,
    symbol: u32,
    /// Which of the names, in the order of the text, stands here in the order of names.
    source: u8,
}

/// The names of the previous object of a list in the order of its text; none when they predict
/// nothing.
struct Shape<'a> {
    names: ArenaVec<'a, Expected<'a>>,
    /// Whether the text has them in the order of names.
    in_order: bool,
}

impl<'a> Shape<'a> {
    fn new(arena: &'a Arena) -> Self {
        Self { names: arena.list(), in_order: true }
    }

    /// Keeps the names of an object: `given` in the order of the text, `sorted` as it holds them.
    fn learn(&mut self, given: &[Expected<'a>], sorted: &[Entry<'a>]) {
        self.names.clear();
        if given.len() > LARGEST_SHAPE || given.len() != sorted.len() {
            return;
        }
        self.names.extend_from_slice(given);
        self.in_order = true;
        for (at, entry) in sorted.iter().enumerate() {
            let source = given.iter().position(|given| std::ptr::eq(given.name, entry.name)).unwrap_or(at);
            self.in_order &= source == at;
            if let Some(name) = self.names.get_mut(at) {
                name.source = source as u8;
            }
        }
    }

    /// The entries of an object that has exactly these names in the order of the text.
    fn sorted(&self, arena: &'a Arena, entries: ArenaVec<'a, Entry<'a>>) -> &'a [Entry<'a>] {
        if self.in_order {
            return entries.into_bump_slice();
        }
        let mut sorted = arena.list_with(entries.len());
        sorted.extend(self.names.iter().filter_map(|name| entries.get(usize::from(name.source)).copied()));
        sorted.into_bump_slice()
    }
}

/// Objects with more names than this predict nothing.
const LARGEST_SHAPE: usize = 64;

impl<'t> Reader<'t> {
    /// A value that nests no deeper than `depth`.
    pub(super) fn value<'a, K: Keep<'t, 'a>>(&mut self, keep: K, depth: u16) -> Result<Value<'a>, JsonError> {
        self.space();
        match self.peek() {
            Some(b'"') => Ok(Value::str(keep.arena(), self.string(keep)?.0)),
            Some(b'{') => self.object(keep, depth, None),
            Some(b'[') => self.array(keep, depth),
            Some(b'-' | b'0'..=b'9') => self.number(keep.arena()),
            Some(b't') => self.word("true").map(|()| Value::TRUE),
            Some(b'f') => self.word("false").map(|()| Value::FALSE),
            Some(b'n') => self.word("null").map(|()| Value::NULL),
            _ => Err(self.no_value()),
        }
    }

    /// How deep the members of what begins here may nest.
    #[inline]
    pub(super) fn inside(&self, arena: &Arena, depth: u16) -> Result<u16, JsonError> {
        depth.checked_sub(1).ok_or_else(|| self.too_deep(arena.budget().limits().value_depth))
    }

    #[inline]
    pub(super) fn has_room(&self, arena: &Arena, bytes: usize) -> Result<(), JsonError> {
        if arena.has_room(bytes) {
            return Ok(());
        }
        Err(self.refused(&Refusal::Memory(arena.budget().limits().arena_bytes)))
    }

    fn array<'a, K: Keep<'t, 'a>>(&mut self, keep: K, depth: u16) -> Result<Value<'a>, JsonError> {
        let arena = keep.arena();
        let depth = self.inside(arena, depth)?;
        self.at += 1;
        let mut items = arena.list_with(if self.peek() == Some(b']') { 0 } else { 8 });
        let mut shape = Shape::new(arena);
        let mut first = true;
        while self.another(b']', &mut first)? {
            items.push(match self.peek() {
                Some(b'{') => self.object(keep, depth, Some(&mut shape))?,
                _ => self.value(keep, depth)?,
            });
            self.has_room(arena, size_of::<Value<'_>>())?;
        }
        Ok(Value::tuple(arena, items.into_bump_slice()))
    }

    /// An object; `shape` is of the one before it in a list, and then of this one.
    fn object<'a, K: Keep<'t, 'a>>(
        &mut self,
        keep: K,
        depth: u16,
        shape: Option<&mut Shape<'a>>,
    ) -> Result<Value<'a>, JsonError> {
        let arena = keep.arena();
        let depth = self.inside(arena, depth)?;
        self.at += 1;
        let expected = shape.as_ref().map_or(&[][..], |shape| &shape.names);
        let mut entries = arena.list_with(if expected.is_empty() { 8 } else { expected.len() });
        let (mut first, mut predicted, mut plain) = (true, true, true);
        while self.another(b'}', &mut first)? {
            self.key_start()?;
            let known = if predicted { expected.get(entries.len()) } else { None };
            let (name, symbol) = match known {
                Some(known) if self.takes(known.name) => (known.name, known.symbol),
                _ => {
                    predicted = false;
                    let (name, as_written) = self.string(keep)?;
                    plain &= as_written;
                    (name, arena.symbol(name))
                }
            };
            self.colon()?;
            let value = self.value(keep, depth)?;
            entries.push(Entry { name, symbol, value });
            self.has_room(arena, size_of::<Entry<'_>>())?;
        }
        let entries = match shape {
            Some(shape) if predicted && entries.len() == shape.names.len() => shape.sorted(arena, entries),
            Some(shape) if plain && entries.len() <= LARGEST_SHAPE => {
                let mut given = arena.list_with(entries.len());
                given.extend(entries.iter().map(|e| Expected { name: e.name, symbol: e.symbol, source: 0 }));
                let sorted = last_of_each(entries);
                shape.learn(&given, sorted);
                sorted
            }
            _ => last_of_each(entries),
        };
        Ok(Value::object(arena, entries))
    }

    /// Whether the string that is next is `name`, which needs no escapes; passes over it then.
    #[inline]
    fn takes(&mut self, name: &str) -> bool {
        let rest = self.text.as_bytes().get(self.at + 1..).unwrap_or_default();
        let found = rest.get(name.len()) == Some(&b'"') && rest.starts_with(name.as_bytes());
        if found {
            self.at += name.len() + 2;
        }
        found
    }
}
