//! One expression, evaluated once: parsing, compiling and running in one call. For an expression that runs
//! more often, a program of it and a [`Session`](crate::Session) are kept.

use std::sync::Arc;

use hclvm_vm::{Arena, Layout, OwnedValue, View};
use serde::Serialize;

use crate::compile::settings::Engine;
use crate::compile::text::Text;
use crate::data::ingest::Ingest;
use crate::data::show::kind;
use crate::diagnostics::error::Error;
use crate::run::scope::Scope;

/// The variables of [`Engine::eval`]: a [`Scope`], or a struct or map that serde serializes, whose fields are
/// the variables. `()` has none.
pub trait Variables: sealed::Scoped {}

impl<T: sealed::Scoped + ?Sized> Variables for T {}

mod sealed {
    use crate::compile::settings::Engine;
    use crate::diagnostics::error::Error;
    use crate::run::scope::Scope;

    pub trait Scoped {
        /// Calls `visit` with a scope that has the variables.
        fn visit<R>(
            &self,
            engine: &Engine,
            visit: impl FnOnce(&Scope) -> Result<R, Error>,
        ) -> Result<R, Error>;
    }
}

impl sealed::Scoped for Scope {
    fn visit<R>(&self, _: &Engine, visit: impl FnOnce(&Scope) -> Result<R, Error>) -> Result<R, Error> {
        visit(self)
    }
}

impl<T: Serialize + ?Sized> sealed::Scoped for T {
    fn visit<R>(&self, engine: &Engine, visit: impl FnOnce(&Scope) -> Result<R, Error>) -> Result<R, Error> {
        let arena = Arena::with_limits(engine.settings().limits.of_runs());
        let variables = self.ingest(&arena)?;
        let entries = match variables.view() {
            View::Null(_) => &[],
            _ => variables.as_entries().ok_or_else(|| {
                Error::value(format!("the variables have to be a struct or a map, not {}", kind(variables)))
            })?,
        };
        let mut scope = engine.scope(&Arc::new(Layout::new(entries.iter().map(|entry| entry.name))));
        for entry in entries {
            scope.set_value(entry.name, entry.value)?;
        }
        visit(&scope)
    }
}

impl Engine {
    /// Evaluates an expression once.
    ///
    /// ```
    /// let engine = hclvm::Engine::new();
    /// let sum = engine.eval("1 + 2", &())?;
    /// assert_eq!(sum.get().as_i64(), Some(3));
    ///
    /// let request = serde_json::json!({ "user": { "name": "ann", "roles": ["admin"] } });
    /// let greeting = engine.eval(r#""Hello ${upper(user.name)}""#, &request)?;
    /// assert_eq!(greeting.to_string(), "Hello ANN");
    /// assert!(bool::try_from(&engine.eval(r#"contains(user.roles, "admin")"#, &request)?)?);
    /// # Ok::<(), hclvm::Error>(())
    /// ```
    ///
    /// It is parsed and compiled for each call, and the result is copied. To evaluate it more often, keep
    /// the program of [`Engine::compile`], a scope and a [session](crate::Session).
    ///
    /// # Errors
    /// Syntax errors, the errors of the evaluation, and variables that cannot be represented. With a
    /// [`Scope`], also names that its layout does not have.
    pub fn eval<'t>(
        &self,
        text: impl Into<Text<'t>>,
        variables: &(impl Variables + ?Sized),
    ) -> Result<OwnedValue, Error> {
        let text = text.into();
        variables.visit(self, |scope| {
            let program = self.compile(text, scope.layout())?;
            self.session().run(&program, scope).map(OwnedValue::new)
        })
    }
}
