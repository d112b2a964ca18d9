//! Builds whole values from JSON. Values of which programs read only parts are built in `project`.
//!
//! The elements of a list are often objects of one shape, so the names of each object predict those of
//! the next: a name that matches the prediction needs neither a symbol lookup nor sorting.

use hclvm_functions::{JsonError, JsonReader, PlainString};
use hclvm_vm::text::nfc;
use hclvm_vm::{Arena, ArenaVec, Entry, Number, Value, last_of_each};

use super::{Refusal, refused, too_deep};

/// How the strings of a text come into an arena.
pub(super) trait Keep<'t, 'a>: Copy {
    /// The arena.
    fn arena(self) -> &'a Arena;
    /// Returns the text in the arena; empty if there is no room, which exhausts the budget.
    fn text(self, text: &'t str) -> &'a str;
}

/// The arena holds the whole text, and strings are slices of it.
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

/// A name that the next object of a list is expected to have.
#[derive(Clone, Copy, Debug)]
struct Expected<'a> {
    name: &'a str,
    symbol: u32,
    /// The index, in the order of the text, of the name that has this index in the order of names.
    source: u8,
}

/// The names of the previous object of a list in the order of its text; empty if they predict
/// nothing.
struct ObjectShape<'a> {
    names: ArenaVec<'a, Expected<'a>>,
    /// True if the text has them in the order of names.
    in_order: bool,
}

impl<'a> ObjectShape<'a> {
    fn new(arena: &'a Arena) -> Self {
        Self { names: arena.list(), in_order: true }
    }

    /// Remembers the names of an object: `given` in the order of the text, `sorted` in the order of
    /// names.
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
                name.source = u8::try_from(source).unwrap_or_default();
            }
        }
    }

    /// Sorts the entries of an object that has exactly these names in the order of the text.
    fn sorted(&self, arena: &'a Arena, entries: ArenaVec<'a, Entry<'a>>) -> &'a [Entry<'a>] {
        if self.in_order {
            return entries.into_bump_slice();
        }
        let mut sorted = arena.list_with(entries.len());
        sorted.extend(self.names.iter().filter_map(|name| entries.get(usize::from(name.source)).copied()));
        sorted.into_bump_slice()
    }
}

/// Objects with more names than this predict nothing: learning compares each name with all others.
const LARGEST_SHAPE: usize = 64;

/// Reads a value that nests no deeper than `depth`.
pub(super) fn value<'t, 'a, K: Keep<'t, 'a>>(
    reader: &mut JsonReader<'t>,
    keep: K,
    depth: u16,
) -> Result<Value<'a>, JsonError> {
    reader.space();
    match reader.peek() {
        Some(b'"') => Ok(Value::str(keep.arena(), string(reader, keep)?.0)),
        Some(b'{') => object(reader, keep, depth, None),
        Some(b'[') => array(reader, keep, depth),
        Some(b'-' | b'0'..=b'9') => number(reader, keep.arena()),
        Some(b't') => reader.word("true").map(|()| Value::TRUE),
        Some(b'f') => reader.word("false").map(|()| Value::FALSE),
        Some(b'n') => reader.word("null").map(|()| Value::NULL),
        _ => Err(reader.no_value()),
    }
}

/// Reads a string in normal form C, whose opening quote is next. Also returns whether the text between
/// the quotes equals it.
#[inline]
fn string<'t, 'a>(
    reader: &mut JsonReader<'t>,
    keep: impl Keep<'t, 'a>,
) -> Result<(&'a str, bool), JsonError> {
    match reader.plain_string()? {
        Some(PlainString { text, ascii: true, .. }) => Ok((keep.text(text), true)),
        Some(PlainString { text, ascii: false, .. }) => {
            let normal = nfc(keep.arena(), keep.text(text));
            Ok((normal, normal.len() == text.len() && normal == text))
        }
        None => Ok((reader.decoded(keep.arena())?, false)),
    }
}

/// Reads a number. One that does not fit the word of a value has 512 bits.
#[inline]
fn number<'a>(reader: &mut JsonReader<'_>, arena: &'a Arena) -> Result<Value<'a>, JsonError> {
    let written = reader.number()?;
    match written.short() {
        Some(number) => Ok(number),
        None => Ok(Value::number(arena, long_number(reader, written.text())?)),
    }
}

/// Parses a number that the reader has just read.
// Most numbers are short.
#[cold]
pub(super) fn long_number(reader: &JsonReader<'_>, text: &str) -> Result<Number, JsonError> {
    Number::parse_text(text).ok_or_else(|| refused(reader, &Refusal::Number(text)))
}

/// Returns how deep the members of an aggregate may nest that begins here.
#[inline]
pub(super) fn inside(reader: &JsonReader<'_>, arena: &Arena, depth: u16) -> Result<u16, JsonError> {
    depth.checked_sub(1).ok_or_else(|| too_deep(reader, arena.budget().limits().value_depth))
}

/// Fails if the arena has no room for `bytes`.
#[inline]
pub(super) fn has_room(reader: &JsonReader<'_>, arena: &Arena, bytes: usize) -> Result<(), JsonError> {
    if arena.has_room(bytes) {
        return Ok(());
    }
    Err(refused(reader, &Refusal::Memory(arena.budget().limits().arena_bytes)))
}

fn array<'t, 'a, K: Keep<'t, 'a>>(
    reader: &mut JsonReader<'t>,
    keep: K,
    depth: u16,
) -> Result<Value<'a>, JsonError> {
    let arena = keep.arena();
    let depth = inside(reader, arena, depth)?;
    reader.bump();
    let mut items = arena.list_with(if reader.peek() == Some(b']') { 0 } else { 8 });
    let mut shape = ObjectShape::new(arena);
    let mut first = true;
    while reader.another(b']', &mut first)? {
        items.push(match reader.peek() {
            Some(b'{') => object(reader, keep, depth, Some(&mut shape))?,
            _ => value(reader, keep, depth)?,
        });
        has_room(reader, arena, size_of::<Value<'_>>())?;
    }
    Ok(Value::tuple(arena, items.into_bump_slice()))
}

/// Reads an object. `shape` is that of the previous object in a list, and becomes that of this one.
fn object<'t, 'a, K: Keep<'t, 'a>>(
    reader: &mut JsonReader<'t>,
    keep: K,
    depth: u16,
    shape: Option<&mut ObjectShape<'a>>,
) -> Result<Value<'a>, JsonError> {
    let arena = keep.arena();
    let depth = inside(reader, arena, depth)?;
    reader.bump();
    let expected = shape.as_ref().map_or(&[][..], |shape| &shape.names);
    let mut entries = arena.list_with(if expected.is_empty() { 8 } else { expected.len() });
    let (mut first, mut predicted, mut plain) = (true, true, true);
    while reader.another(b'}', &mut first)? {
        reader.key_start()?;
        let known = if predicted { expected.get(entries.len()) } else { None };
        let (name, symbol) = match known {
            Some(known) if reader.takes(known.name) => (known.name, known.symbol),
            _ => {
                predicted = false;
                let (name, as_written) = string(reader, keep)?;
                plain &= as_written;
                (name, arena.symbol(name))
            }
        };
        reader.colon()?;
        let value = value(reader, keep, depth)?;
        entries.push(Entry { name, symbol, value });
        has_room(reader, arena, size_of::<Entry<'_>>())?;
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
