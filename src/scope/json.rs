//! Variables from JSON text, read straight into the memory of their slots.

use hclvm_vm::code::Slot;

use super::Scope;
use crate::error::Error;
use crate::ingest::json::{self, JsonError, Members};

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
        self.set_members(object)
            .map_err(|error| Error::value(format!("the JSON of the variables cannot be used: {error}")))
    }

    fn set_members(&mut self, object: &[u8]) -> Result<(), JsonError> {
        let mut members = Members::new(object)?;
        while let Some(name) = members.next_name()? {
            let text = members.value_text()?;
            let Some(Slot(slot)) = self.layout.slot(&name) else { continue };
            let slot = usize::from(slot);
            let set = self.slots.replace(slot, |arena| json::read(arena, text.as_bytes()));
            set.map_err(|error| members.error(text, &error))?;
            if self.slots.exhausted(slot).is_some() {
                self.slots.clear(slot);
                return Err(members.error(text, &JsonError::beyond_limits()));
            }
        }
        Ok(())
    }
}
