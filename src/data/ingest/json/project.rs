//! Of a JSON text only what programs read.

use hclvm_vm::text::nfc;
use hclvm_vm::{Arena, Entry, Value};

use super::build::Copied;
use super::{DEEPEST, JsonError, Reader};
use crate::run::projection::{Read, ReadParts};

impl Reader<'_> {
    /// The value that is next, as the value of a variable of which `read` is read.
    pub(crate) fn member<'a>(&mut self, arena: &'a Arena, read: &Read) -> Result<Value<'a>, JsonError> {
        self.read(arena, read, arena.budget().limits().value_depth.min(DEEPEST))
    }

    /// Passes over a variable that is not read, which may nest as deep as one that is: `limit` is
    /// the engine's.
    pub(crate) fn skip_member(&mut self, limit: u16) -> Result<(), JsonError> {
        self.skip(limit, limit)
    }

    fn read<'a>(&mut self, arena: &'a Arena, read: &Read, depth: u16) -> Result<Value<'a>, JsonError> {
        self.space();
        match (read, self.peek()) {
            (Read::Parts(parts), Some(b'{')) => self.parts(arena, parts, depth),
            _ => self.value(Copied(arena), depth),
        }
    }

    /// Of an object the attributes that are read; of equal names the last counts.
    fn parts<'a>(&mut self, arena: &'a Arena, parts: &ReadParts, depth: u16) -> Result<Value<'a>, JsonError> {
        let depth = self.inside(arena, depth)?;
        self.at += 1;
        self.has_room(arena, parts.len() * size_of::<Entry<'_>>())?;
        let mut entries = arena.list_with(parts.len());
        entries.extend(parts.iter().map(|part| Entry {
            name: "",
            symbol: part.symbol(),
            value: Value::UNSET,
        }));
        let mut first = true;
        while self.another(b'}', &mut first)? {
            self.key_start()?;
            let found = match self.plain_string()? {
                Some(name) if name.ascii => parts.find(name.text),
                Some(name) => parts.find(nfc(arena, name.text)),
                None => {
                    let name = self.owned_string()?;
                    parts.find(nfc(arena, arena.text(&name)))
                }
            };
            self.colon()?;
            let Some((at, part)) = found else {
                self.skip(depth, arena.budget().limits().value_depth)?;
                continue;
            };
            let value = self.read(arena, part.read(), depth)?;
            if let Some(entry) = entries.get_mut(at) {
                if entry.value.is_unset() {
                    entry.name = arena.text(part.name());
                }
                entry.value = value;
            }
        }
        entries.retain(|entry| !entry.value.is_unset());
        Ok(Value::object(arena, entries.into_bump_slice()))
    }
}
