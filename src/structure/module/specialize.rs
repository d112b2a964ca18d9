//! Partial evaluation: a module for scopes in which some variables are known already.
//!
//! ```text
//! limit = env.strict ? 10 : 100            env is known: the value is frozen, no code is left
//! when  = request.size <= local.limit      lowered again, with a constant for local.limit
//! id    = request.id                       the program of the original
//! ```
//! Three things make the results those of the original. Every evaluation begins with the known values in
//! their slots, whatever the scope has there. A rule is frozen only if known slots determine it and it calls
//! pure functions alone; its diagnostics are frozen with it. A constant takes the place of a part only in fast
//! code, and only if the baseline tier evaluates that part alone without any diagnostic; a run that falls back
//! uses the baseline code of the original. What does not fit the limits of an evaluation is not frozen.

use super::Module;
use super::known::KnownVariables;
use crate::diagnostics::error::Error;
use crate::run::scope::Scope;

impl Module {
    /// Returns the module for scopes in which the variables of `known` have the values that they have there.
    /// What depends on them alone is evaluated now; the rest is compiled again with their values as constants.
    /// Known are variables that are set and have no unknown or marked parts.
    ///
    /// The result is a module like any other: it has the same variables, results and diagnostics, and
    /// [`Module::select`] selects parts of it. Scopes may still set known variables, which has no effect.
    /// Specializing it again adds to what is known.
    ///
    /// # Errors
    /// A scope of another document.
    ///
    /// ```
    /// let engine = hclvm::Engine::new();
    /// let module = engine.parse("policy.hcl", r#"
    ///     locals { limit = env.strict ? 10 : 100 }
    ///     rule "small" { when = request.size <= local.limit }
    /// "#)?.module()?;
    /// let mut known = module.scope();
    /// known.set_json("env", r#"{"strict": true}"#)?;
    /// let strict = module.specialize(&known)?;
    ///
    /// let mut scope = strict.scope();
    /// scope.set_json("request", r#"{"size": 12}"#)?;
    /// let mut session = engine.session();
    /// let values = strict.evaluate(&mut session, &scope)?;
    /// let rule = values.block("rule", ["small"]).expect("it is there");
    /// assert_eq!(rule.attribute("when").and_then(|when| when.as_bool()), Some(false));
    /// # Ok::<(), hclvm::Error>(())
    /// ```
    pub fn specialize(&self, known: &Scope) -> Result<Self, Error> {
        known.check_document(self.document())?;
        let known = KnownVariables::new(self.document(), known, self.0.known.as_deref())?;
        self.again(self.0.wanted.clone(), Some(known.into()))
    }
}
