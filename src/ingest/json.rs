//! JSON text as values, without a tree in between.
//!
//! Numbers are read from their text at 512 bits. `serde_json` hands a number that is no integer of
//! 64 bits over as a map with one magic key, whose text is the only one it ever hands over as an owned `String`: hence a
//! member that a text really calls so stays a member.

use std::cell::Cell;
use std::fmt;

use hclvm_vm::arena::Arena;
use hclvm_vm::value::Value;
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use super::site::Site;
use crate::exact;

/// Reads one JSON text to its end.
pub(crate) fn read<'a>(arena: &'a Arena, json: &[u8]) -> serde_json::Result<Value<'a>> {
    read_at(Site::new(arena), json)
}

/// Reads one JSON text to its end, as part of a larger value.
pub(super) fn read_at<'a>(site: Site<'a>, json: &[u8]) -> serde_json::Result<Value<'a>> {
    let mut source = serde_json::Deserializer::from_slice(json);
    let value = read_from(site, &mut source)?;
    source.end()?;
    Ok(value)
}

/// Reads the value of a member.
pub(crate) fn read_member<'de, 'a, A: MapAccess<'de>>(
    arena: &'a Arena,
    members: &mut A,
) -> Result<Value<'a>, A::Error> {
    let spelled = Cell::new(false);
    members.next_value_seed(Reader { site: Site::new(arena), spelled: &spelled })
}

fn read_from<'de, 'a, D: Deserializer<'de>>(site: Site<'a>, source: D) -> Result<Value<'a>, D::Error> {
    let spelled = Cell::new(false);
    source.deserialize_any(Reader { site, spelled: &spelled })
}

/// Builds the value that a deserializer of JSON describes.
#[derive(Clone, Copy)]
struct Reader<'a, 's> {
    site: Site<'a>,
    /// Whether the value that was just read is a number that came as its text.
    spelled: &'s Cell<bool>,
}

impl<'de, 'a> DeserializeSeed<'de> for Reader<'a, '_> {
    type Value = Value<'a>;

    fn deserialize<D: Deserializer<'de>>(self, source: D) -> Result<Value<'a>, D::Error> {
        source.deserialize_any(self)
    }
}

impl<'de, 'a> Visitor<'de> for Reader<'a, '_> {
    type Value = Value<'a>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Value<'a>, E> {
        Ok(Value::NULL)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Value<'a>, E> {
        Ok(Value::bool(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Value<'a>, E> {
        Ok(Value::int(value))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Value<'a>, E> {
        match i64::try_from(value) {
            Ok(value) => Ok(Value::int(value)),
            Err(_) => self.site.number_text(&value.to_string()).map_err(E::custom),
        }
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Value<'a>, E> {
        self.site.text(text).map_err(E::custom)
    }

    fn visit_string<E: de::Error>(self, text: String) -> Result<Value<'a>, E> {
        self.spelled.set(true);
        self.site.number_text(&text).map_err(E::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value<'a>, A::Error> {
        let inside = self.inside()?;
        let mut items = self.site.arena().list();
        while let Some(item) = elements.next_element_seed(inside)? {
            items.push(item);
            self.site.has_room().map_err(de::Error::custom)?;
        }
        Ok(self.site.tuple(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value<'a>, A::Error> {
        let mut entries = self.site.arena().list();
        let Some(mut name) = members.next_key_seed(Name(self.site))? else {
            self.inside::<A::Error>()?;
            return Ok(self.site.object(entries));
        };
        if name == exact::NUMBER {
            // A number stands no deeper than the map that it came as.
            let value = members.next_value_seed(self)?;
            if self.spelled.take() {
                return Ok(value);
            }
            entries.push(self.site.arena().entry(name, value));
            match members.next_key_seed(Name(self.site))? {
                Some(next) => name = next,
                None => return Ok(self.site.object(entries)),
            }
        }
        let inside = self.inside()?;
        loop {
            let value = members.next_value_seed(inside)?;
            entries.push(self.site.arena().entry(name, value));
            self.site.has_room().map_err(de::Error::custom)?;
            match members.next_key_seed(Name(self.site))? {
                Some(next) => name = next,
                None => return Ok(self.site.object(entries)),
            }
        }
    }
}

impl Reader<'_, '_> {
    fn inside<E: de::Error>(self) -> Result<Self, E> {
        Ok(Self { site: self.site.inside().map_err(E::custom)?, ..self })
    }
}

/// The name of a member.
#[derive(Clone, Copy)]
struct Name<'a>(Site<'a>);

impl<'de, 'a> DeserializeSeed<'de> for Name<'a> {
    type Value = &'a str;

    fn deserialize<D: Deserializer<'de>>(self, source: D) -> Result<&'a str, D::Error> {
        source.deserialize_str(self)
    }
}

impl<'a> Visitor<'_> for Name<'a> {
    type Value = &'a str;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<&'a str, E> {
        // Every number comes with this name; it need not be copied each time.
        if text == exact::NUMBER { Ok(exact::NUMBER) } else { self.0.name(text).map_err(E::custom) }
    }
}
