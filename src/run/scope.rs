//! Scopes: the values of a layout's names, each in the memory of its slot. How a value of the host
//! becomes one of these is in [`ingest`](crate::data::ingest); the memory itself is the machine's
//! `Slots`.

mod json;
mod mark;

use std::sync::Arc;

use hclvm_vm::code::Slot;
use hclvm_vm::exec::Frame;
use hclvm_vm::{Arena, Layout, OwnedValue, Slots, Value, copy, nearest};

use smol_str::SmolStr;

use crate::compile::program::Program;
use crate::compile::settings::Engine;
use crate::data::ingest::json::ObjectSite;
use crate::data::ingest::{Builder, HostObject, HostValue, Ingest};
use crate::diagnostics::error::{Diagnostics, Error};
use crate::dialect::Undefined;
use crate::run::explain::suggest_unread;
use crate::run::projection::{Projection, Read};
use crate::syntax::document::Document;

const OTHER_ENGINE: &str = "the scope was made by another engine than the program";
const TOO_LITTLE: &str = "the scope takes in less than the program reads; it is projected for other programs";

/// The values that programs of one layout see. Setting one leaves the others unchanged.
///
/// Reading a variable without a value is an error of the evaluation, unless undefined names of the
/// engine are [unknown](crate::Undefined::Unknown): then it is unknown until it is set.
#[derive(Debug)]
pub struct Scope {
    layout: Arc<Layout>,
    slots: Slots,
    engine: Engine,
    /// Limits what is taken in of each variable; `None` takes in everything.
    projection: Option<Projection>,
    /// The first members of JSON objects that no program reads, for messages about variables without a value.
    unread: Box<[SmolStr]>,
    /// What was learned from JSON texts that variables were set from. Numbers of parts in it are those of the
    /// projection.
    place: Option<Box<ObjectSite>>,
    /// True if all variables were set from a JSON text.
    has_read: bool,
}

/// Names of members kept that no program reads: few, because every scope of a stream compares its own with
/// them.
const MOST_UNREAD: usize = 16;

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

fn beyond_limits(name: &str) -> Error {
    Error::value(format!("the value of \"{name}\" exceeds the limits of the engine"))
}

impl Scope {
    fn new(engine: &Engine, layout: &Arc<Layout>, projection: Option<Projection>) -> Self {
        let slots = Slots::new(layout.len());
        let (layout, engine) = (Arc::clone(layout), engine.clone());
        let mut scope =
            Self { layout, slots, engine, projection, unread: Box::default(), place: None, has_read: false };
        if !scope.absent().is_unset() {
            (0..scope.layout.len()).for_each(|slot| scope.clear(slot));
        }
        scope
    }

    /// Returns the value of a variable that was not set.
    fn absent(&self) -> Value<'static> {
        match self.engine.settings().dialect.undefined {
            Undefined::Unknown => Value::DYNAMIC,
            Undefined::Error | Undefined::Text => Value::UNSET,
        }
    }

    fn clear(&mut self, slot: usize) {
        self.slots.set(slot, self.absent());
    }

    /// Returns its layout.
    pub fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Returns the projection it was made from, if any.
    pub fn projection(&self) -> Option<&Projection> {
        self.projection.as_ref()
    }

    /// Returns an error if a program was compiled for another layout, by another engine, or reads
    /// more than the scope takes in.
    #[inline]
    pub(crate) fn check_program(&self, program: &Program) -> Result<(), Error> {
        if self.projection.is_none()
            && Arc::ptr_eq(program.layout(), &self.layout)
            && program.is_of(&self.engine)
        {
            return Ok(());
        }
        self.check_unusual(program, |projection| projection.admits(program))
    }

    // Out of line, so that entering a program of the scope's own document is three comparisons.
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

    /// Like [`Scope::check_program`], for all rules of a set.
    pub(crate) fn check_rules(&self, rules: &Arc<Vec<Program>>) -> Result<(), Error> {
        // Rules have one layout and one engine.
        let Some(first) = rules.first() else { return Ok(()) };
        self.check_unusual(first, |projection| projection.admits_rules(rules))
    }

    /// Like [`Scope::check_program`], for all programs of a document.
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

    pub(crate) fn slots(&self) -> &Slots {
        &self.slots
    }

    /// Returns a scope of the same layout, engine and projection without values.
    pub(crate) fn without_values(&self) -> Self {
        let scope = Self::new(&self.engine, &self.layout, self.projection.clone());
        Self { unread: self.unread.clone(), ..scope }
    }

    /// Returns a fork that takes in only what a projection has.
    pub(crate) fn projected(&self, projection: &Projection) -> Self {
        // A fork has learned nothing, which would be for another projection.
        Self { projection: Some(projection.clone()), ..self.fork() }
    }

    /// Returns true if another scope has the same layout, engine and projection.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let projections = match (&self.projection, &other.projection) {
            (Some(own), Some(other)) => own.is(other),
            (own, other) => own.is_none() && other.is_none(),
        };
        let layouts = Arc::ptr_eq(&self.layout, &other.layout) || self.layout == other.layout;
        projections && layouts && self.engine.is(&other.engine)
    }

    /// Remembers the names that no program reads of another scope.
    pub(crate) fn note_unread_of(&mut self, other: &Self) {
        if self.unread.len() < other.unread.len() {
            self.unread.clone_from(&other.unread);
        }
    }

    /// Returns the value of a variable; `None` if it is not in the layout or has no value.
    pub fn get(&self, name: &str) -> Option<Value<'_>> {
        let slot = self.layout.slot(name)?;
        self.slots.values().get(usize::from(slot.0)).copied().filter(|value| !value.is_unset())
    }

    /// Returns true if the layout has a variable: setting any other one is an error.
    pub fn has(&self, name: &str) -> bool {
        self.layout.slot(name).is_some()
    }

    /// Sets a variable to a value of the host: anything that implements [`Ingest`], such as types
    /// that serde serializes, JSON, numbers and texts. A scope of a [projection](Projection) takes in only
    /// the fields and keys that its programs read and does not serialize the others.
    ///
    /// Variables are those that the text uses, unless names were given. A host whose variables are the
    /// same for many texts, which read some of them, asks [`Scope::has`], or sets all members of a request
    /// with [`Scope::set_all_json`]. [`Scope::set_value`] and [`Scope::build`], for code that passes values on
    /// by name, ignore a name that is not in the layout.
    ///
    /// ```
    /// let document = hclvm::Engine::new().parse("x.hcl", "allow = user.admin")?;
    /// let mut scope = document.scope();
    /// let error = scope.set("usr", &1).unwrap_err();
    /// assert_eq!(error.to_string(), "there is no variable \"usr\" that a program reads; did you mean \"user\"?");
    /// # Ok::<(), hclvm::Error>(())
    /// ```
    ///
    /// # Errors
    /// A name that is not in the layout. A value that cannot be represented or that exceeds the limits of
    /// the engine; the variable has no value then.
    pub fn set<T: Ingest + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), Error> {
        self.build_read(name, |to| value.ingest_read(to))
    }

    /// Sets a variable to a host object. A scope of a [projection](Projection) requests the
    /// attributes that programs read, each once; any other scope requests all.
    ///
    /// # Errors
    /// A name that is not in the layout, those of the object's attributes, and values beyond the limits of
    /// the engine; the variable has no value then.
    pub fn set_object(&mut self, name: &str, object: &(impl HostObject + ?Sized)) -> Result<(), Error> {
        self.build_read(name, |to| to.object(object))
    }

    /// Sets a variable to a value of the host without serde: a list of [records](crate::record), a
    /// number, a text.
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
        let variable = match &projection {
            None => self.layout.slot(name).map(|slot| (slot, &Read::Whole)),
            Some(projection) => projection.variable(name),
        };
        let Some((slot, read)) = variable else {
            // The host is not asked for a value that no program reads.
            return if self.has(name) { Ok(()) } else { Err(self.unread(name)) };
        };
        self.build_in(slot, name, |arena| make(Builder::new(arena, read)))
    }

    /// Sets a variable to a copy of a value, such as the result of another program or
    /// [`OwnedValue::get`](crate::OwnedValue::get). Types, marks and unknown parts are kept. A name that is not
    /// in the layout is ignored.
    ///
    /// # Errors
    /// A value beyond the limits of the engine. The variable has no value then.
    pub fn set_value(&mut self, name: &str, value: Value<'_>) -> Result<(), Error> {
        self.build(name, |arena| Ok(copy(arena, value)))
    }

    /// Sets a variable to a value like [`Scope::set_value`], without a copy: the scope shares the memory of the value. Reading
    /// its attributes takes a little longer. A name that is not in the layout is ignored.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hclvm::{Engine, Layout, OwnedValue, Value};
    ///
    /// let engine = Engine::new();
    /// let shared = OwnedValue::new(Value::int(41));
    /// let mut scope = engine.scope(&Arc::new(Layout::new(["n"])));
    /// scope.share("n", &shared)?;
    /// assert_eq!(engine.eval("n + 1", &scope)?.get().as_i64(), Some(42));
    /// # Ok::<(), hclvm::Error>(())
    /// ```
    ///
    /// # Errors
    /// A value that is nested beyond the limits of the engine. The variable then has no value.
    pub fn share(&mut self, name: &str, value: &OwnedValue) -> Result<(), Error> {
        let Some(Slot(slot)) = self.layout.slot(name) else { return Ok(()) };
        if value.get().depth() > usize::from(self.engine.settings().limits.value_depth) {
            self.clear(usize::from(slot));
            return Err(beyond_limits(name));
        }
        self.slots.share(usize::from(slot), value);
        Ok(())
    }

    /// Sets a variable to the value that `make` builds in the slot's own memory. A name that is not in the
    /// layout is ignored.
    ///
    /// # Errors
    /// The errors of `make`, and a value beyond the limits of the engine. The variable then has no value.
    pub fn build(
        &mut self,
        name: &str,
        make: impl for<'a> FnOnce(&'a Arena) -> Result<Value<'a>, Error>,
    ) -> Result<(), Error> {
        self.layout.slot(name).map_or(Ok(()), |slot| self.build_in(slot, name, make))
    }

    pub(crate) fn build_in(
        &mut self,
        Slot(slot): Slot,
        name: &str,
        make: impl for<'a> FnOnce(&'a Arena) -> Result<Value<'a>, Error>,
    ) -> Result<(), Error> {
        let absent = self.absent();
        let fresh = || self.engine.settings().arena();
        if self.slots.replace(usize::from(slot), absent, fresh, make)? {
            return Ok(());
        }
        Err(beyond_limits(name))
    }

    /// Returns true if objects may lack attributes that no program reads.
    pub(crate) fn is_partial(&self) -> bool {
        self.projection.is_some()
    }

    /// Proposes names that no program reads in diagnostics about variables without a value.
    pub(crate) fn suggest(&self, diagnostics: Diagnostics) -> Diagnostics {
        if diagnostics.is_empty() || self.unread.is_empty() || self.engine.hides_values() {
            return diagnostics;
        }
        suggest_unread(&diagnostics, &self.unread)
    }

    /// Returns the error for a name that the layout does not have.
    // Cold: hosts set variables that programs read.
    #[cold]
    pub(crate) fn unread(&self, name: &str) -> Error {
        let known =
            self.layout.names().iter().map(|known| known.as_str()).filter(|known| !known.contains('.'));
        let hint = nearest(name, known).map(|near| format!("; did you mean \"{near}\"?"));
        Error::layout(format!(
            "there is no variable \"{name}\" that a program reads{}",
            hint.unwrap_or_default()
        ))
    }

    /// Makes a variable unknown, of unknown type.
    pub fn set_unknown(&mut self, name: &str) {
        if let Some(Slot(slot)) = self.layout.slot(name) {
            self.slots.set(usize::from(slot), Value::DYNAMIC);
        }
    }

    /// Makes every variable unknown that has no value.
    pub fn set_rest_unknown(&mut self) {
        for slot in 0..self.layout.len() {
            if self.values().get(slot).is_some_and(|value| value.is_unset()) {
                self.slots.set(slot, Value::DYNAMIC);
            }
        }
    }

    /// Removes the value of a variable.
    pub fn unset(&mut self, name: &str) {
        if let Some(Slot(slot)) = self.layout.slot(name) {
            self.clear(usize::from(slot));
        }
    }

    /// Creates a scope with the same values, which may then differ: a scope that was prepared once is
    /// forked for each request. No value is copied; both share the memory of a value until one of
    /// them replaces it. Several threads may fork the same scope.
    ///
    /// A fork that is refreshed with [`Clone::clone_from`] allocates nothing but memory for values
    /// larger than before.
    ///
    /// ```
    /// let engine = hclvm::Engine::new();
    /// let document = engine.parse("x.hcl", "allow = contains(rules[user.role], request)")?;
    /// let allow = document.attribute("allow").expect("it is there").program()?;
    /// let mut prepared = document.scope();
    /// prepared.set_json("rules", r#"{"guest": ["read"], "admin": ["read", "write"]}"#)?;
    ///
    /// let (mut session, mut scope) = (engine.session(), prepared.fork());
    /// for request in ["read", "write"] {
    ///     scope.clone_from(&prepared);                    // drops the values of the last request
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
            unread: self.unread.clone(),
            place: None,
            has_read: false,
        }
    }

    /// Creates a scope with copies of the values in one piece of memory of just their size, for hosts that
    /// keep many scopes and evaluate them later. Scopes that are set anew for each evaluation do without. Thousands of
    /// scopes that are evaluated in any order are read faster from a [`Batch`](crate::run::Batch), whose memory they
    /// share.
    ///
    /// ```
    /// let engine = hclvm::Engine::new();
    /// let document = engine.parse("x.hcl", "adult = age >= 18")?;
    /// let adult = document.attribute("adult").expect("it is there").program()?;
    /// let mut scope = document.scope();
    /// let mut people = Vec::new();
    /// for age in 0..100 {
    ///     scope.set("age", &age)?;
    ///     people.push(scope.packed());
    /// }
    /// let mut session = engine.session();
    /// let mut adults = 0;
    /// for person in &people {
    ///     adults += usize::from(session.run(&adult, person)?.as_bool() == Some(true));
    /// }
    /// assert_eq!(adults, 82);
    /// # Ok::<(), hclvm::Error>(())
    /// ```
    #[must_use]
    pub fn packed(&self) -> Self {
        let settings = self.engine.settings();
        Self {
            layout: Arc::clone(&self.layout),
            slots: self.slots.packed(|| settings.names.snapshot()),
            engine: self.engine.clone(),
            projection: self.projection.clone(),
            unread: self.unread.clone(),
            place: None,
            has_read: false,
        }
    }
}

/// Remembers a name that no program reads.
fn note_unread(unread: &mut Box<[SmolStr]>, name: &str) {
    if unread.len() < MOST_UNREAD && !unread.iter().any(|known| known == name) {
        let mut names = std::mem::take(unread).into_vec();
        names.push(name.into());
        *unread = names.into();
    }
}

/// A clone is a [fork](Scope::fork).
impl Clone for Scope {
    fn clone(&self) -> Self {
        self.fork()
    }

    fn clone_from(&mut self, origin: &Self) {
        if !self.is_like(origin) {
            self.place = None;
        }
        if !Arc::ptr_eq(&self.layout, &origin.layout) {
            self.layout = Arc::clone(&origin.layout);
        }
        let other = !self.engine.is(&origin.engine);
        if other {
            self.engine = origin.engine.clone();
        }
        self.projection.clone_from(&origin.projection);
        // The names of earlier members stay: each scope of a stream has about the same.
        self.slots.fork_from(&origin.slots, other);
    }
}
