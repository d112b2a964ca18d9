//! A scope: the values of a layout's names.

mod json;

use std::sync::Arc;

use hclvm_vm::code::Slot;
use hclvm_vm::exec::Frame;
use hclvm_vm::{Arena, Layout, Slots, Value, copy};

use crate::compile::program::Program;
use crate::compile::settings::Engine;
use crate::data::ingest::{Builder, HostObject, HostValue, Ingest};
use crate::diagnostics::error::Error;
use crate::run::projection::{Projection, Read};
use crate::syntax::document::Document;

const OTHER_ENGINE: &str = "the scope was made by another engine than the program";
const TOO_LITTLE: &str = "the scope takes in less than the program reads; it is projected for other programs";

/// The values that programs of one layout see. Setting one leaves the others as they are.
#[derive(Debug)]
pub struct Scope {
    layout: Arc<Layout>,
    slots: Slots,
    engine: Engine,
    /// What is taken in of each variable; without it everything.
    projection: Option<Projection>,
}

impl Engine {
    /// Creates a scope of `layout` without values.
    pub fn scope(&self, layout: &Arc<Layout>) -> Scope {
        Scope::new(self, layout, None)
    }
}

impl Document {
    /// Creates a scope of its layout without values.
    pub fn scope(&self) -> Scope {
        Scope::new(self.engine(), self.layout(), None)
    }
}

impl Projection {
    /// Creates a scope without values that takes in only what is read.
    pub fn scope(&self) -> Scope {
        Scope::new(self.engine(), self.layout(), Some(self.clone()))
    }
}

impl Scope {
    fn new(engine: &Engine, layout: &Arc<Layout>, projection: Option<Projection>) -> Self {
        let settings = engine.settings();
        let slots = Slots::new(layout.len(), settings.limits.of_runs(), settings.names.snapshot());
        Self { layout: Arc::clone(layout), slots, engine: engine.clone(), projection }
    }

    /// The layout.
    pub fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }

    /// What the scope takes in, when that is not everything.
    pub fn projection(&self) -> Option<&Projection> {
        self.projection.as_ref()
    }

    /// Refuses programs that were compiled for another layout or read more than was taken in.
    #[inline]
    pub(crate) fn check_program(&self, program: &Program) -> Result<(), Error> {
        let usual = Arc::ptr_eq(program.layout(), &self.layout)
            && program.is_of(&self.engine)
            && self.projection.is_none();
        if usual { Ok(()) } else { self.check_unusual(program, |projection| projection.admits(program)) }
    }

    #[cold]
    #[inline(never)]
    fn check_unusual(
        &self,
        program: &Program,
        admits: impl FnOnce(&Projection) -> bool,
    ) -> Result<(), Error> {
        program.check_layout(&self.layout)?;
        if !program.is_of(&self.engine) {
            return Err(Error::layout(OTHER_ENGINE));
        }
        match &self.projection {
            Some(projection) if !admits(projection) => Err(Error::layout(TOO_LITTLE)),
            _ => Ok(()),
        }
    }

    /// The same for all rules of a set.
    pub(crate) fn check_rules(&self, rules: &Arc<[Program]>) -> Result<(), Error> {
        // Rules are of one layout and one engine.
        let Some(first) = rules.first() else { return Ok(()) };
        self.check_unusual(first, |projection| projection.admits_rules(rules))
    }

    /// The same for all programs of a document.
    pub(crate) fn check_document(&self, document: &Document) -> Result<(), Error> {
        if !Arc::ptr_eq(document.layout(), &self.layout) && document.layout() != &self.layout {
            return Err(Error::layout("the document was compiled for scopes of another layout"));
        }
        if !document.engine().is(&self.engine) {
            return Err(Error::layout(OTHER_ENGINE));
        }
        match &self.projection {
            Some(projection) if !projection.admits_document(document) => Err(Error::layout(TOO_LITTLE)),
            _ => Ok(()),
        }
    }

    #[inline]
    pub(crate) fn frame(&self) -> Frame<'_, '_> {
        self.slots.frame()
    }

    pub(crate) fn values(&self) -> &[Value<'_>] {
        self.slots.values()
    }

    /// The value of a name; `None` when it is not in the layout or not set.
    pub fn get(&self, name: &str) -> Option<Value<'_>> {
        let slot = self.layout.slot(name)?;
        self.slots.values().get(usize::from(slot.0)).copied().filter(|value| !value.is_unset())
    }

    /// Sets a variable to a value of the host: anything that implements [`Ingest`], such as
    /// serde's values, JSON, numbers and texts. Names that no program of the layout reads are
    /// accepted and forgotten. A scope of a [projection](Projection) takes in, of maps and structs,
    /// only what its programs read: other fields are not even looked at.
    pub fn set<T: Ingest + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), Error> {
        self.build_read(name, |to| value.ingest_read(to))
    }

    /// Sets a variable to an object of the host. A scope of a [projection](Projection) asks it for
    /// the attributes that programs read, each once; any other scope asks for all.
    ///
    /// # Errors
    /// Those of the object's attributes, and values beyond the limits of the engine. The variable
    /// has no value then.
    pub fn set_object(&mut self, name: &str, object: &(impl HostObject + ?Sized)) -> Result<(), Error> {
        self.build_read(name, |to| to.object(object))
    }

    /// Sets a variable to a value of the host without serde in between: a list of
    /// [records](crate::record), a number, a text.
    ///
    /// # Errors
    /// As [`Scope::set_object`].
    pub fn set_host(&mut self, name: &str, value: &(impl HostValue + ?Sized)) -> Result<(), Error> {
        self.build_read(name, |to| to.value(value))
    }

    fn build_read(
        &mut self,
        name: &str,
        make: impl for<'a> FnOnce(Builder<'a, '_>) -> Result<Value<'a>, Error>,
    ) -> Result<(), Error> {
        let projection = self.projection.clone();
        let read = match &projection {
            None => &Read::Whole,
            // What no program reads is not asked for.
            Some(projection) => match projection.variable(name) {
                Some((_, read)) => read,
                None => return Ok(()),
            },
        };
        self.build(name, |arena| make(Builder::new(arena, read)))
    }

    /// Sets a variable to a copy of a value, such as the result of another program or
    /// [`OwnedValue::get`](crate::OwnedValue::get); with its types, marks, and what is unknown.
    pub fn set_value(&mut self, name: &str, value: Value<'_>) -> Result<(), Error> {
        self.build(name, |arena| Ok(copy(arena, value)))
    }

    /// Sets a variable to what `make` builds in the slot's own memory.
    pub fn build(
        &mut self,
        name: &str,
        make: impl for<'a> FnOnce(&'a Arena) -> Result<Value<'a>, Error>,
    ) -> Result<(), Error> {
        let Some(Slot(slot)) = self.layout.slot(name) else { return Ok(()) };
        let slot = usize::from(slot);
        self.slots.replace(slot, make)?;
        if self.slots.exhausted(slot).is_some() {
            self.slots.clear(slot);
            return Err(Error::value(format!("the value of \"{name}\" exceeds the limits of the engine")));
        }
        Ok(())
    }

    /// Makes a variable unknown, of unknown type.
    pub fn set_unknown(&mut self, name: &str) {
        let _ = self.build(name, |_| Ok(Value::DYNAMIC));
    }

    /// Makes every variable unknown that has no value.
    pub fn set_rest_unknown(&mut self) {
        let unset: Vec<_> =
            self.layout.names().iter().filter(|name| self.get(name).is_none()).cloned().collect();
        for name in unset {
            self.set_unknown(&name);
        }
    }

    /// Removes a variable.
    pub fn unset(&mut self, name: &str) {
        if let Some(Slot(slot)) = self.layout.slot(name) {
            self.slots.clear(usize::from(slot));
        }
    }

    /// A scope with the same values, which may then differ: a scope that was prepared once is
    /// forked for each request. No value is copied, the memory of values is shared until one of
    /// the two sets them anew. Other threads may fork the same scope.
    ///
    /// A fork that is used again and again with [`Clone::clone_from`] takes no memory from the heap
    /// but for values larger than before.
    ///
    /// ```
    /// let engine = hclvm::Engine::standard();
    /// let document = engine.parse("x.hcl", "allow = contains(rules[user.role], request)")?;
    /// let allow = document.attribute("allow").expect("it is there").program()?;
    /// let mut prepared = document.scope();
    /// prepared.set_json("rules", r#"{"guest": ["read"], "admin": ["read", "write"]}"#)?;
    ///
    /// let (mut session, mut scope) = (engine.session(), prepared.fork());
    /// for request in ["read", "write"] {
    ///     scope.clone_from(&prepared);                    // nothing stays of the request before
    ///     scope.set_json("user", r#"{"role": "guest"}"#)?;
    ///     scope.set("request", request)?;
    ///     assert_eq!(session.run(&allow, &scope)?.as_bool(), Some(request == "read"));
    /// }
    /// # Ok::<(), hclvm::Error>(())
    /// ```
    pub fn fork(&self) -> Self {
        Self {
            layout: Arc::clone(&self.layout),
            slots: self.slots.fork(),
            engine: self.engine.clone(),
            projection: self.projection.clone(),
        }
    }
}

/// A clone is a [fork](Scope::fork).
impl Clone for Scope {
    fn clone(&self) -> Self {
        self.fork()
    }

    fn clone_from(&mut self, origin: &Self) {
        if !Arc::ptr_eq(&self.layout, &origin.layout) {
            self.layout = Arc::clone(&origin.layout);
        }
        if !self.engine.is(&origin.engine) {
            self.engine = origin.engine.clone();
        }
        self.projection.clone_from(&origin.projection);
        self.slots.fork_from(&origin.slots);
    }
}
