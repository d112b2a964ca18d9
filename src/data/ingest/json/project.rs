//! Builds only those parts of a value that programs read. The other parts are checked by `skip`; a
//! part that is read as a whole is built by `build`.

use hclvm_functions::{JsonError, JsonReader};
use hclvm_vm::text::nfc;
use hclvm_vm::{Arena, ArenaVec, Entry, Value};

use super::build::{Copied, has_room, inside, value};
use super::skip::skip;
use super::{DEEPEST, ObjectSite, PredictionProgress};
use crate::run::projection::{Read, ReadPart, ReadParts};

/// Reads the value of a variable of which programs read `read`.
pub(crate) fn member<'a>(
    reader: &mut JsonReader<'_>,
    arena: &'a Arena,
    read: &Read,
    place: &mut ObjectSite,
) -> Result<Value<'a>, JsonError> {
    part(reader, arena, read, place, arena.budget().limits().value_depth.min(DEEPEST))
}

/// Advances over the value of a variable that no program reads. It may nest as deep as one that is
/// read; `limit` is the engine's.
pub(crate) fn skip_member(reader: &mut JsonReader<'_>, limit: u16) -> Result<(), JsonError> {
    skip(reader, limit, limit)
}

fn part<'a>(
    reader: &mut JsonReader<'_>,
    arena: &'a Arena,
    read: &Read,
    place: &mut ObjectSite,
    depth: u16,
) -> Result<Value<'a>, JsonError> {
    reader.space();
    match (read, reader.peek()) {
        (Read::Parts(parts), Some(b'{')) => {
            let absent = absent(reader, arena, parts)?;
            object(reader, arena, (parts, absent), place, depth)
        }
        (Read::Elements(element), Some(b'[')) => array(reader, arena, element, place, depth),
        _ => value(reader, Copied(arena), depth),
    }
}

/// Reads an array, and of its elements what programs read.
fn array<'a>(
    reader: &mut JsonReader<'_>,
    arena: &'a Arena,
    read: &Read,
    place: &mut ObjectSite,
    depth: u16,
) -> Result<Value<'a>, JsonError> {
    let depth = inside(reader, arena, depth)?;
    reader.bump();
    let mut items = arena.list_with(if reader.peek() == Some(b']') { 0 } else { place.len().max(8) });
    let mut first = true;
    // The names are copied once.
    let mut names = None;
    while reader.another(b']', &mut first)? {
        items.push(match (read, reader.peek()) {
            (Read::Parts(parts), Some(b'{')) => {
                let names = match names {
                    Some(names) => names,
                    None => *names.insert(absent(reader, arena, parts)?.into_bump_slice()),
                };
                has_room(reader, arena, size_of_val(names))?;
                let mut absent = arena.list_with(names.len());
                absent.extend_from_slice_copy(names);
                object(reader, arena, (parts, absent), place, depth)?
            }
            _ => part(reader, arena, read, place, depth)?,
        });
        has_room(reader, arena, size_of::<Value<'_>>())?;
    }
    place.set_len(items.len());
    Ok(Value::tuple(arena, items.into_bump_slice()))
}

/// Returns an entry without a value for each part.
fn absent<'a>(
    reader: &JsonReader<'_>,
    arena: &'a Arena,
    parts: &ReadParts,
) -> Result<ArenaVec<'a, Entry<'a>>, JsonError> {
    has_room(reader, arena, parts.len() * size_of::<Entry<'_>>())?;
    let mut rest = arena.text(parts.joined());
    let mut entries = arena.list_with(parts.len());
    for part in parts.iter() {
        // Empty if there is no room, which exhausts the budget.
        let (name, behind) = rest.split_at_checked(part.name().len()).unwrap_or_default();
        rest = behind;
        entries.push(Entry { name, symbol: part.symbol(), value: Value::UNSET });
    }
    Ok(entries)
}

/// Reads those attributes of an object that programs read. The last of equal names wins. `entries` has one without a
/// value for each.
fn object<'a>(
    reader: &mut JsonReader<'_>,
    arena: &'a Arena,
    (parts, mut entries): (&ReadParts, ArenaVec<'a, Entry<'a>>),
    place: &mut ObjectSite,
    depth: u16,
) -> Result<Value<'a>, JsonError> {
    let depth = inside(reader, arena, depth)?;
    reader.bump();
    let (start, mut progress) = (reader.position(), PredictionProgress::default());
    let (mut missing, mut likely) = (entries.len(), 0);
    while let Some(at) =
        place.next(&mut progress, reader, |reader| unpredicted(reader, arena, parts, &mut likely))?
    {
        let Some(part_read) = parts.get(at).map(ReadPart::read) else {
            skip(reader, depth, arena.budget().limits().value_depth)?;
            continue;
        };
        let value = match part_read {
            Read::Whole => value(reader, Copied(arena), depth)?,
            _ if place.is_new() => part(reader, arena, part_read, &mut ObjectSite::default(), depth)?,
            _ => part(reader, arena, part_read, place.inside(at), depth)?,
        };
        if let Some(entry) = entries.get_mut(at) {
            missing -= usize::from(entry.value.is_unset());
            entry.value = value;
        }
    }
    place.end(progress, reader, start, |name| parts.find(name).map(|(at, _)| at));
    if missing > 0 {
        entries.retain(|entry| !entry.value.is_unset());
    }
    Ok(Value::object(arena, entries.into_bump_slice()))
}

/// Reads the name of a member up to its value, and returns the number of the part that it is, probably `likely`, which
/// then becomes the number after it.
// Out of line: most members are predicted.
#[inline(never)]
fn unpredicted(
    reader: &mut JsonReader<'_>,
    arena: &Arena,
    parts: &ReadParts,
    likely: &mut usize,
) -> Result<Option<usize>, JsonError> {
    reader.key_start()?;
    let found = match reader.plain_string()? {
        Some(name) if name.ascii => parts.find_plain(&name, *likely),
        Some(name) => parts.find(nfc(arena, name.text())),
        None => {
            let name = reader.decoded_string()?;
            parts.find(nfc(arena, arena.text(&name)))
        }
    };
    reader.colon()?;
    reader.space();
    let found = found.map(|(at, _)| at);
    *likely = found.map_or(*likely, |at| at + 1);
    Ok(found)
}
