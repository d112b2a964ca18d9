//! Setting variables from JSON text, which is read directly into the memory of their slots. The
//! reader is in [`ingest::json`](crate::data::ingest::json).

use hclvm_functions::{JsonError, PlainString};
use hclvm_vm::code::Slot;
use hclvm_vm::{Layout, cast};

use super::{Scope, note_unread};
use crate::data::ingest::json::{self, JsonText};
use crate::diagnostics::error::Error;
use crate::run::projection::{Projection, Read};

impl Scope {
    /// Sets a variable to the value of a JSON text: arrays become tuples, objects become objects
    /// (of equal names the last wins), numbers are exactly what their text says. A scope of a
    /// [projection](crate::run::Projection) takes in only what its programs read.
    ///
    /// The text is a `str` or bytes that have to be UTF-8; of a `str` that is not checked again.
    ///
    /// ```
    /// let engine = hclvm::Engine::new();
    /// let document = engine.parse("x.hcl", "open = servers[0].port == 80")?;
    /// let mut scope = document.scope();
    /// scope.set_json("servers", r#"[{"port": 80}]"#)?;
    /// let program = document.attribute("open").expect("it is there").program()?;
    /// assert_eq!(engine.session().run(&program, &scope)?.as_bool(), Some(true));
    /// # Ok::<(), hclvm::Error>(())
    /// ```
    ///
    /// # Errors
    /// A name that is not in the layout. A text that is not JSON, nests deeper than 128 levels or the value depth of the engine's
    /// limits, or has a number that cannot be represented (an exponent of more than about nine
    /// digits), also in parts that no program reads. The message tells line and column (in bytes).
    /// Parts that are read and exceed the memory limit. The variable has no value then.
    pub fn set_json<'t>(&mut self, name: &str, json: impl Into<JsonText<'t>>) -> Result<(), Error> {
        let Some(slot) = self.layout.slot(name) else { return Err(self.unread(name)) };
        let json = json.into();
        let projection = self.projection.clone();
        let read = projection.as_ref().and_then(|projection| projection.variable(name));
        self.build_in(slot, name, |arena| {
            let value = match read {
                Some((_, read @ Read::Parts(_))) => json::read_parts(arena, json, read),
                _ => json::read(arena, json),
            };
            value.map_err(|error| Error::value(format!("the JSON of \"{name}\" cannot be used: {error}")))
        })
    }

    /// Sets the variables that are members of a JSON object, as [`Scope::set_json`] does. Members
    /// that no program of the layout reads are skipped; other variables remain unchanged.
    ///
    /// # Errors
    /// As [`Scope::set_json`], and a text that is not an object. Members before the error are set.
    pub fn set_all_json<'t>(&mut self, object: impl Into<JsonText<'t>>) -> Result<(), Error> {
        self.set_members(object.into())
            .map_err(|error| Error::value(format!("the JSON of the variables cannot be used: {error}")))
    }

    fn set_members(&mut self, object: JsonText<'_>) -> Result<(), JsonError> {
        let mut reader = object.reader()?;
        json::open_variables(&mut reader)?;
        let deepest = self.engine.settings().limits.value_depth;
        let absent = self.absent();
        let mut variables = Variables { projection: self.projection.as_ref(), layout: &self.layout, next: 0 };
        let mut first = true;
        while reader.another(b'}', &mut first)? {
            reader.key_start()?;
            let (plain, name);
            let (name, variable) = if let Some(found) = reader.plain_string()? {
                plain = found;
                (plain.text(), variables.find_plain(&plain))
            } else {
                name = reader.decoded_string()?;
                (name.as_str(), variables.find(&name))
            };
            reader.colon()?;
            let Some((Slot(slot), read)) = variable else {
                note_unread(&mut self.unread, name);
                json::skip_member(&mut reader, deepest)?;
                continue;
            };
            let slot = usize::from(slot);
            // Most numbers and all bools need no memory.
            match json::scalar(&mut reader) {
                Ok(Some(scalar)) => {
                    self.slots.put(slot, scalar);
                    continue;
                }
                Ok(None) => {}
                Err(error) => {
                    self.slots.set(slot, absent);
                    return Err(error);
                }
            }
            let fresh = || self.engine.settings().arena();
            if !self.slots.replace(slot, absent, fresh, |arena| json::member(&mut reader, arena, read))? {
                return Err(json::beyond_limits(&reader));
            }
        }
        reader.end()
    }
}

/// The variables of a scope, to be found by the names of JSON members.
struct Variables<'s> {
    projection: Option<&'s Projection>,
    layout: &'s Layout,
    /// The number after that of the variable found last, among those of the projection or layout: members are
    /// often in that order.
    next: usize,
}

impl<'s> Variables<'s> {
    /// Returns the slot of a variable and what programs read of it; `None` if they do not read it.
    fn find(&self, name: &str) -> Option<(Slot, &'s Read)> {
        match self.projection {
            Some(projection) => projection.variable(name),
            None => self.layout.slot(name).map(|slot| (slot, &Read::Whole)),
        }
    }

    /// Like [`Variables::find`], for a string of a JSON text.
    #[inline(always)] // As `ReadParts::find_plain`.
    fn find_plain(&mut self, name: &PlainString<'_>) -> Option<(Slot, &'s Read)> {
        match self.projection {
            Some(projection) => projection.plain_variable(name, &mut self.next),
            None => self.slot(name.text()).map(|slot| (slot, &Read::Whole)),
        }
    }

    fn slot(&mut self, name: &str) -> Option<Slot> {
        let slot = match self.layout.names().get(self.next) {
            Some(next) if next == name => Slot(cast::operand(self.next)),
            _ => self.layout.slot(name)?,
        };
        self.next = usize::from(slot.0) + 1;
        Some(slot)
    }
}
