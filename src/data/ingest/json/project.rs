//! Builds only those parts of a value that programs read. The other parts are checked by `skip`; a
//! part that is read as a whole is built by `build`.

use hclvm_functions::{JsonError, JsonReader};
use hclvm_vm::text::nfc;
use hclvm_vm::{Arena, Entry, Value};

use super::DEEPEST;
use super::build::{Copied, has_room, inside, value};
use super::skip::skip;
use crate::run::projection::{Read, ReadParts};

/// Reads the value of a variable of which programs read `read`.
pub(crate) fn member<'a>(
    reader: &mut JsonReader<'_>,
    arena: &'a Arena,
    read: &Read,
) -> Result<Value<'a>, JsonError> {
    part(reader, arena, read, arena.budget().limits().value_depth.min(DEEPEST))
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
    depth: u16,
) -> Result<Value<'a>, JsonError> {
    reader.space();
    match (read, reader.peek()) {
        (Read::Parts(parts), Some(b'{')) => object(reader, arena, parts, depth),
        _ => value(reader, Copied(arena), depth),
    }
}

/// Reads those attributes of an object that programs read. The last of equal names wins.
fn object<'a>(
    reader: &mut JsonReader<'_>,
    arena: &'a Arena,
    parts: &ReadParts,
    depth: u16,
) -> Result<Value<'a>, JsonError> {
    let depth = inside(reader, arena, depth)?;
    reader.bump();
    has_room(reader, arena, parts.len() * size_of::<Entry<'_>>())?;
    let mut entries = arena.list_with(parts.len());
    entries.extend(parts.iter().map(|part| Entry { name: "", symbol: part.symbol(), value: Value::UNSET }));
    let (mut first, mut next) = (true, 0);
    while reader.another(b'}', &mut first)? {
        reader.key_start()?;
        let found = match reader.plain_string()? {
            Some(name) if name.ascii => parts.find_plain(&name, next),
            Some(name) => parts.find(nfc(arena, name.text())),
            None => {
                let name = reader.decoded_string()?;
                parts.find(nfc(arena, arena.text(&name)))
            }
        };
        reader.colon()?;
        let Some((at, found)) = found else {
            skip(reader, depth, arena.budget().limits().value_depth)?;
            continue;
        };
        next = at + 1;
        let value = part(reader, arena, found.read(), depth)?;
        if let Some(entry) = entries.get_mut(at) {
            if entry.value.is_unset() {
                entry.name = arena.text(found.name());
            }
            entry.value = value;
        }
    }
    entries.retain(|entry| !entry.value.is_unset());
    Ok(Value::object(arena, entries.into_bump_slice()))
}
