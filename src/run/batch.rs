//! Batches: the values of many scopes, kept together until they are evaluated. A single scope that is kept is
//! [`Scope::packed`]; many programs with one scope are a [rule set](crate::run::RuleSet).

use hclvm_vm::{Rows, Value};

use crate::compile::program::Program;
use crate::diagnostics::error::Error;
use crate::run::scope::Scope;
use crate::run::session::Session;

const NO_SCOPE: &str = "the batch has no scope of this number";
const OTHER_SCOPE: &str = "the scope was made for another layout, by another engine or for another projection than those of the batch";

/// The values of many scopes of one layout in little memory, in the order in which they are read: for hosts that
/// collect requests and decide them together, or that keep many scopes and decide one of them at a time. A scope of
/// three variables whose five attributes are read takes about 320 bytes.
///
/// A batch is filled from a scope that is set for each request. Checks that [`Session::run`] makes for each scope
/// are made once.
///
/// ```
/// let engine = hclvm::Engine::new();
/// let document = engine.parse("x.hcl", "allow = user.admin || request.path == \"/\"")?;
/// let allow = document.attribute("allow").expect("it is there").program()?;
/// let mut scope = document.projection().scope();
/// let mut batch = scope.batch();
/// for admin in [true, false] {
///     scope.set_all_json(&format!(r#"{{"user": {{"admin": {admin}}}, "request": {{"path": "/x"}}}}"#))?;
///     batch.push(&scope)?;
/// }
/// let mut decisions = Vec::new();
/// engine.session().run_batch(&allow, &batch, |result| {
///     decisions.push(result.is_ok_and(|value| value.as_bool() == Some(true)));
/// })?;
/// assert_eq!(decisions, [true, false]);
/// # Ok::<(), hclvm::Error>(())
/// ```
#[derive(Debug)]
pub struct Batch {
    rows: Rows,
    /// A scope without values, which says for what programs the batch is.
    origin: Scope,
}

impl Scope {
    /// Creates an empty batch for scopes like this one: of its layout, engine and projection.
    pub fn batch(&self) -> Batch {
        Batch { rows: Rows::new(self.layout().len()), origin: self.without_values() }
    }
}

impl Batch {
    /// Adds a copy of the values of a scope.
    ///
    /// # Errors
    /// A scope of another layout, engine or projection than the scope that the batch was made from.
    pub fn push(&mut self, scope: &Scope) -> Result<(), Error> {
        if !self.origin.is_like(scope) {
            return Err(Error::layout(OTHER_SCOPE));
        }
        self.origin.note_unread_of(scope);
        let names = &self.origin.engine().settings().names;
        self.rows.push(scope.slots(), || names.snapshot());
        Ok(())
    }

    /// Reserves memory for this many more scopes. A batch that grows may reserve up to twice what it needs.
    pub fn reserve(&mut self, scopes: usize) {
        self.rows.reserve(scopes);
    }

    /// Removes all scopes and keeps the memory for the next ones.
    pub fn clear(&mut self) {
        self.rows.clear();
    }

    /// Returns the number of scopes.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns true if there are no scopes.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the bytes of memory that the values take.
    pub fn bytes(&self) -> usize {
        self.rows.bytes()
    }

    /// Returns the value of a variable in the scope that was added as number `at`, from 0; `None` if there is
    /// no such scope or variable, or if it has no value.
    pub fn get(&self, at: usize, name: &str) -> Option<Value<'_>> {
        let slot = self.origin.layout().slot(name)?;
        self.rows.row(at)?.get(usize::from(slot.0)).copied().filter(|value| !value.is_unset())
    }
}

impl Session {
    /// Runs a program with the scope that was added to a batch as number `at`, from 0: like [`Session::run`]. Where
    /// thousands of scopes are evaluated in any order, those of a batch are read faster than scopes that have memory
    /// of their own.
    ///
    /// ```
    /// let engine = hclvm::Engine::new();
    /// let document = engine.parse("x.hcl", "adult = age >= 18")?;
    /// let adult = document.attribute("adult").expect("it is there").program()?;
    /// let mut scope = document.scope();
    /// let mut people = scope.batch();
    /// for age in 0..100 {
    ///     scope.set("age", &age)?;
    ///     people.push(&scope)?;
    /// }
    /// let mut session = engine.session();
    /// assert_eq!(session.run_at(&adult, &people, 30)?.as_bool(), Some(true));
    /// assert_eq!(session.run_at(&adult, &people, 7)?.as_bool(), Some(false));
    /// # Ok::<(), hclvm::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Session::run`], and a number that the batch does not have.
    // Inlined for the reasons given at `run`.
    #[inline(always)]
    pub fn run_at<'s>(
        &'s mut self,
        program: &'s Program,
        batch: &'s Batch,
        at: usize,
    ) -> Result<Value<'s>, Error> {
        batch.origin.check_program(program)?;
        let Some(frame) = batch.rows.frame(at) else { return Err(no_scope()) };
        self.run_checked(program, &batch.origin, move || frame, || batch.rows.row(at).unwrap_or_default())
    }

    /// Runs a program with each scope of a batch, in their order, and passes the results to `take`. Each run is
    /// an evaluation of its own, with the result and the limits of [`Session::run`].
    ///
    /// # Errors
    /// A program that does not suit the batch; nothing runs then. Errors of evaluations are passed to `take`.
    pub fn run_batch(
        &mut self,
        program: &Program,
        batch: &Batch,
        mut take: impl FnMut(Result<Value<'_>, Error>),
    ) -> Result<(), Error> {
        batch.origin.check_program(program)?;
        for at in 0..batch.len() {
            let Some(frame) = batch.rows.frame(at) else { break };
            take(self.run_checked(
                program,
                &batch.origin,
                move || frame,
                || batch.rows.row(at).unwrap_or_default(),
            ));
        }
        Ok(())
    }
}

// Cold: a mistake of the host.
#[cold]
fn no_scope() -> Error {
    Error::layout(NO_SCOPE)
}
