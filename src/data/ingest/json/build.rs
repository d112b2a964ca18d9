//! Builds whole values from JSON. Values of which programs read only parts are built in `project`.
//!
//! The elements of a list are often objects of one shape, so the names of each object predict those of
//! the next: a name that matches the prediction needs neither a symbol lookup nor sorting.

use hclvm_functions::{ExpectedName, JsonError, JsonReader};
use hclvm_vm::text::nfc;
use hclvm_vm::{Arena, ArenaVec, Entry, Number, Value, last_of_each};

use super::{ValueRefusal, refused, too_deep};

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
    name: ExpectedName<'a>,
    /// Its index in the order of names.
    index: u8,
}

/// The names of the previous object of a list; empty if they predict nothing.
struct ObjectShape<'a> {
    /// The names in the order of the text.
    names: ArenaVec<'a, Expected<'a>>,
    /// The entries in the order of names, with any values.
    entries: &'a [Entry<'a>],
}

impl<'a> ObjectShape<'a> {
    fn new(arena: &'a Arena) -> Self {
        Self { names: arena.list(), entries: &[] }
    }

    /// Remembers the names of an object: `given` in the order of the text, `sorted` in the order of
    /// names.
    fn learn(&mut self, given: &[&'a str], sorted: &'a [Entry<'a>]) {
        self.names.clear();
        if given.len() > LARGEST_SHAPE || given.len() != sorted.len() {
            return;
        }
        self.entries = sorted;
        for name in given {
            let index = sorted.iter().position(|entry| std::ptr::eq(entry.name, *name)).unwrap_or_default();
            let index = u8::try_from(index).unwrap_or_default();
            self.names.push(Expected { name: ExpectedName::new(name), index });
        }
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
        Some(b'"') => text(reader, keep),
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
        Some(plain) if plain.ascii => Ok((keep.text(plain.text()), true)),
        Some(plain) => {
            let text = plain.text();
            let normal = nfc(keep.arena(), keep.text(text));
            Ok((normal, normal.len() == text.len() && normal == text))
        }
        None => Ok((reader.decoded(keep.arena())?, false)),
    }
}

/// Reads a string, whose opening quote is next.
// Inlined into `value`, its only caller, where the result is in machine registers.
#[inline(always)]
fn text<'t, 'a>(reader: &mut JsonReader<'t>, keep: impl Keep<'t, 'a>) -> Result<Value<'a>, JsonError> {
    match reader.plain_string()? {
        Some(plain) if plain.ascii => Ok(Value::str(keep.arena(), keep.text(plain.text()))),
        Some(plain) => Ok(Value::str(keep.arena(), nfc(keep.arena(), keep.text(plain.text())))),
        None => Ok(Value::str(keep.arena(), reader.decoded(keep.arena())?)),
    }
}

/// Reads a number. One that does not fit the word of a value has 512 bits.
#[inline]
fn number<'a>(reader: &mut JsonReader<'_>, arena: &'a Arena) -> Result<Value<'a>, JsonError> {
    if let Some(short) = reader.short_number() {
        return Ok(short);
    }
    let written = reader.number()?;
    Ok(Value::number(arena, long_number(reader, written.text())?))
}

/// Parses a number that the reader has just read.
// Most numbers are short.
#[cold]
pub(super) fn long_number(reader: &JsonReader<'_>, text: &str) -> Result<Number, JsonError> {
    Number::parse_text(text).ok_or_else(|| refused(reader, &ValueRefusal::Number(text)))
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
    Err(refused(reader, &ValueRefusal::Memory(arena.budget().limits().arena_bytes)))
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

/// Reads an object. `shape` is the shape of the previous object in a list, and becomes that of this one.
fn object<'t, 'a, K: Keep<'t, 'a>>(
    reader: &mut JsonReader<'t>,
    keep: K,
    depth: u16,
    shape: Option<&mut ObjectShape<'a>>,
) -> Result<Value<'a>, JsonError> {
    let arena = keep.arena();
    let depth = inside(reader, arena, depth)?;
    reader.bump();
    let mut first = true;
    // True if the opening quote of a name is next that the shape does not predict.
    let mut named = false;
    let mut entries;
    match &shape {
        Some(shape) if !shape.names.is_empty() => {
            has_room(reader, arena, size_of_val(shape.entries))?;
            // The entries of the previous object, whose values are replaced.
            let mut copies = arena.list_with(shape.entries.len());
            copies.extend_from_slice_copy(shape.entries);
            let mut count = 0;
            loop {
                let more = reader.another(b'}', &mut first)?;
                if more {
                    reader.key_start()?;
                }
                match shape.names.get(count) {
                    Some(expected) if more && reader.takes(&expected.name) => {
                        reader.colon()?;
                        let value = value(reader, keep, depth)?;
                        if let Some(entry) = copies.get_mut(usize::from(expected.index)) {
                            entry.value = value;
                        }
                        count += 1;
                    }
                    None if !more => return Ok(Value::object(arena, copies.into_bump_slice())),
                    _ => {
                        named = more;
                        break;
                    }
                }
            }
            entries = arena.list_with(count + 8);
            let read = shape.names.iter().take(count);
            entries.extend(read.filter_map(|expected| copies.get(usize::from(expected.index)).copied()));
            if !named {
                return Ok(Value::object(arena, last_of_each(entries)));
            }
        }
        _ => entries = arena.list_with(8),
    }
    let mut plain = true;
    while named || reader.another(b'}', &mut first)? {
        named = false;
        reader.key_start()?;
        let (name, as_written) = string(reader, keep)?;
        plain &= as_written;
        reader.colon()?;
        let value = value(reader, keep, depth)?;
        entries.push(Entry { name, symbol: arena.symbol(name), value });
        has_room(reader, arena, size_of::<Entry<'_>>())?;
    }
    let Some(shape) = shape.filter(|_| plain && entries.len() <= LARGEST_SHAPE) else {
        return Ok(Value::object(arena, last_of_each(entries)));
    };
    let mut given = arena.list_with(entries.len());
    given.extend(entries.iter().map(|entry| entry.name));
    let sorted = last_of_each(entries);
    shape.learn(&given, sorted);
    Ok(Value::object(arena, sorted))
}
