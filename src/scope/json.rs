//! Variables from JSON text, read straight into the memory of their slots.

use std::fmt;

use hclvm_vm::code::Slot;
use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};

use super::Scope;
use crate::error::Error;
use crate::ingest::json;

impl Scope {
    /// Sets a variable to the value of a JSON text: arrays become tuples, objects become objects
    /// (of equal names the last wins), numbers are exactly what their text says. A name that no
    /// program of the layout reads is accepted, and its text is not even looked at.
    ///
    /// ```
    /// let engine = hclvm::Engine::standard();
    /// let document = engine.parse("x.hcl", "open = servers[0].port == 80")?;
    /// let mut scope = document.scope();
    /// scope.set_json("servers", br#"[{"port": 80}]"#)?;
    /// let program = document.attribute("open").expect("it is there").program()?;
    /// assert_eq!(engine.session().run(&program, &scope)?.as_bool(), Some(true));
    /// # Ok::<(), hclvm::Error>(())
    /// ```
    ///
    /// # Errors
    /// A text that is not JSON, or nests deeper than 128 levels or the value depth of the
    /// engine's limits, with its line and column (in bytes). The variable has no value then.
    pub fn set_json(&mut self, name: &str, json: &[u8]) -> Result<(), Error> {
        self.build(name, |arena| {
            json::read(arena, json)
                .map_err(|error| Error::value(format!("the JSON of \"{name}\" cannot be used: {error}")))
        })
    }

    /// Sets the variables that are members of a JSON object, as [`Scope::set_json`] would. Members
    /// that no program of the layout reads are passed over; other variables stay as they are.
    ///
    /// # Errors
    /// As [`Scope::set_json`], or when the text is no object. Members before the error are set.
    pub fn set_all_json(&mut self, object: &[u8]) -> Result<(), Error> {
        let mut source = serde_json::Deserializer::from_slice(object);
        Members(self)
            .deserialize(&mut source)
            .and_then(|()| source.end())
            .map_err(|error| Error::value(format!("the JSON of the variables cannot be used: {error}")))
    }

    /// Sets the variable of the member that comes next.
    fn set_member<'de, A: MapAccess<'de>>(&mut self, slot: Slot, members: &mut A) -> Result<(), A::Error> {
        let slot = usize::from(slot.0);
        self.slots.replace(slot, |arena| json::read_member(arena, members))?;
        if self.slots.exhausted(slot).is_some() {
            self.slots.clear(slot);
            return Err(de::Error::custom("the value exceeds the limits of the engine"));
        }
        Ok(())
    }
}

/// An object whose members are variables.
struct Members<'s>(&'s mut Scope);

impl<'de> DeserializeSeed<'de> for Members<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, source: D) -> Result<(), D::Error> {
        source.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Members<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with a member for each variable")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some(slot) = members.next_key_seed(SlotOf(self.0))? {
            match slot {
                Some(slot) => self.0.set_member(slot, &mut members)?,
                None => _ = members.next_value::<IgnoredAny>()?,
            }
        }
        Ok(())
    }
}

/// A name, as the slot it stands for.
struct SlotOf<'s>(&'s Scope);

impl<'de> DeserializeSeed<'de> for SlotOf<'_> {
    type Value = Option<Slot>;

    fn deserialize<D: Deserializer<'de>>(self, source: D) -> Result<Option<Slot>, D::Error> {
        source.deserialize_str(self)
    }
}

impl Visitor<'_> for SlotOf<'_> {
    type Value = Option<Slot>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Option<Slot>, E> {
        Ok(self.0.layout.slot(name))
    }
}
