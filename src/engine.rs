//! Building an engine from a dialect and limits. The handle itself is in `compile/settings.rs`, and
//! its other methods are beside what they make.

use hclvm_vm::FunctionTable;

use crate::compile::settings::Engine;
use crate::dialect::{Dialect, Undefined};
use crate::limits::Limits;

/// Collects the settings of an [`Engine`].
#[derive(Debug, Default)]
pub struct EngineBuilder {
    dialect: Dialect,
    limits: Limits,
}

impl EngineBuilder {
    /// Uses this dialect instead of the standard one.
    pub fn dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = dialect;
        self
    }

    /// Uses this function table instead of the dialect's.
    pub fn functions(mut self, functions: FunctionTable) -> Self {
        self.dialect.functions = Some(functions);
        self
    }

    /// Sets the meaning of undefined names. With [`Undefined::Unknown`], these are names outside the
    /// layout of a program and variables of it that have no value: an evaluation treats both as
    /// unknown values. [`Undefined::Text`] is about names outside the layout alone.
    pub fn undefined(mut self, undefined: Undefined) -> Self {
        self.dialect.undefined = undefined;
        self
    }

    /// Sets what a text may contain and what one evaluation may spend.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Builds the engine.
    pub fn build(self) -> Engine {
        Engine::new(self.dialect, self.limits)
    }
}

impl Engine {
    /// Creates an engine with the standard functions and the default limits.
    pub fn standard() -> Self {
        Self::builder().build()
    }

    /// Starts building an engine.
    pub fn builder() -> EngineBuilder {
        EngineBuilder::default()
    }

    /// Returns the number of programs that the engine has compiled since it was built. Evaluating
    /// compiles none, so an unchanged number shows that code was reused.
    pub fn compiled_programs(&self) -> u64 {
        self.settings().scratch_pool.compiled()
    }
}
