//! Setting variables from JSON text, which is read directly into the memory of their slots. The
//! reader is in [`ingest::json`](crate::data::ingest::json).

use hclvm_functions::{JsonError, JsonReader, PlainString};
use hclvm_vm::code::Slot;
use hclvm_vm::{Layout, cast};
use smol_str::SmolStr;

use super::{Scope, note_unread};
use crate::data::ingest::json::{self, JsonText, ObjectSite, PredictionProgress};
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
    /// digits), also in parts that no program reads. The message shows line and column (in bytes).
    /// Parts that are read and exceed the memory limit. The variable has no value then.
    pub fn set_json<'t>(&mut self, name: &str, json: impl Into<JsonText<'t>>) -> Result<(), Error> {
        let Some(slot) = self.layout.slot(name) else { return Err(self.unread(name)) };
        let json = json.into();
        let projection = self.projection.clone();
        let read = projection.as_ref().and_then(|projection| projection.variable(name));
        self.build_in(slot, name, |arena| {
            let value = match read {
                Some((_, read @ (Read::Parts(_) | Read::Elements(_)))) => json::read_parts(arena, json, read),
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
        let variables = ScopeVariables { projection: self.projection.as_ref(), layout: &self.layout };
        // Many scopes are set once, and have no use for predictions.
        let mut first = ObjectSite::default();
        let place = if self.has_read {
            self.place.get_or_insert_with(|| Box::new(ObjectSite::after_one()))
        } else {
            &mut first
        };
        self.has_read = true;
        let (start, mut progress, mut likely) = (reader.position(), PredictionProgress::default(), 0);
        while let Some(at) = place.next(&mut progress, &mut reader, |reader| {
            variables.next(reader, &mut likely, &mut self.unread)
        })? {
            let Some((Slot(slot), read)) = variables.get(at) else {
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
            let set = self.slots.replace(slot, absent, fresh, |arena| {
                if place.is_new() || matches!(read, Read::Whole) {
                    return json::member(&mut reader, arena, read, &mut ObjectSite::default());
                }
                json::member(&mut reader, arena, read, place.inside(at))
            })?;
            if !set {
                return Err(json::beyond_limits(&reader));
            }
        }
        place.end(progress, &reader, start, |name| variables.find(name));
        reader.end()
    }
}

/// The variables of a scope, by the number that they have in the projection or in the layout.
#[derive(Clone, Copy)]
struct ScopeVariables<'s> {
    projection: Option<&'s Projection>,
    layout: &'s Layout,
}

impl<'s> ScopeVariables<'s> {
    /// Returns the slot of a variable and what programs read of it.
    #[inline]
    fn get(self, at: usize) -> Option<(Slot, &'s Read)> {
        match self.projection {
            Some(projection) => projection.variable_at(at),
            None if at < self.layout.len() => Some((Slot(cast::operand(at)), &Read::Whole)),
            None => None,
        }
    }

    /// Returns the number of a variable; `None` if programs do not read it.
    fn find(self, name: &str) -> Option<usize> {
        match self.projection {
            Some(projection) => projection.position(name),
            None => self.layout.slot(name).map(|Slot(slot)| usize::from(slot)),
        }
    }

    /// Like [`ScopeVariables::find`], for a string of a JSON text. It is probably number `likely`.
    fn find_plain(self, name: &PlainString<'_>, likely: usize) -> Option<usize> {
        match self.projection {
            Some(projection) => projection.plain_position(name, likely),
            None if self.layout.names().get(likely).is_some_and(|known| known == name.text()) => Some(likely),
            None => self.find(name.text()),
        }
    }

    /// Reads the name of a member up to its value, and returns the number of the variable, probably `likely`,
    /// which then becomes the number after it. Keeps a name that programs do not read.
    // Out of line: most members are predicted.
    #[inline(never)]
    fn next(
        self,
        reader: &mut JsonReader<'_>,
        likely: &mut usize,
        unread: &mut Box<[SmolStr]>,
    ) -> Result<Option<usize>, JsonError> {
        reader.key_start()?;
        let (plain, decoded);
        let (name, found) = if let Some(name) = reader.plain_string()? {
            plain = name;
            (plain.text(), self.find_plain(&plain, *likely))
        } else {
            decoded = reader.decoded_string()?;
            (decoded.as_str(), self.find(&decoded))
        };
        reader.colon()?;
        reader.space();
        match found {
            Some(at) => *likely = at + 1,
            None => note_unread(unread, name),
        }
        Ok(found)
    }
}
