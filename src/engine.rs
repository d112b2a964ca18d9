//! Building an engine from a dialect and limits. The handle itself is in `compile/settings.rs`, and
//! its other methods are beside what they make.

use std::num::NonZeroUsize;

use hclvm_vm::FunctionTable;

use crate::compile::settings::Engine;
use crate::dialect::{Dialect, Undefined};
use crate::limits::Limits;

/// Collects the settings of an [`Engine`].
#[derive(Debug, Default)]
pub struct EngineBuilder {
    /// `None` for the default one, which is made when it is needed: it has many functions.
    dialect: Option<Dialect>,
    undefined: Option<Undefined>,
    limits: Limits,
    further: bool,
    hides_values: bool,
    /// `None` for one.
    compile_threads: Option<NonZeroUsize>,
}

impl EngineBuilder {
    /// Uses this dialect instead of the default one.
    pub fn dialect(mut self, dialect: Dialect) -> Self {
        (self.dialect, self.undefined) = (Some(dialect), None);
        self
    }

    /// Uses this function table instead of the dialect's.
    pub fn functions(mut self, functions: FunctionTable) -> Self {
        match &mut self.dialect {
            Some(dialect) => dialect.functions = Some(functions),
            None => self.dialect = Some(Dialect::with_functions(functions)),
        }
        self
    }

    /// Sets the meaning of undefined names. With [`Undefined::Unknown`], these are names outside the
    /// layout of a program and variables of it that have no value: an evaluation treats both as
    /// unknown values. [`Undefined::Text`] is about names outside the layout alone.
    pub fn undefined(mut self, undefined: Undefined) -> Self {
        self.undefined = Some(undefined);
        self
    }

    /// Sets what a text may contain and what one evaluation may spend.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Reports all mistakes of a text with syntax errors, for editors and checks. By default, the errors are
    /// those of the reference implementation, which gives up the rest of an expression after its first
    /// mistake, and often more. With `true`, errors that it would report once those are corrected follow them
    /// ([`Additions::further`](crate::diagnostics::Additions::further) is set). A text with errors is then
    /// parsed once for each of its mistakes; one without errors takes no longer.
    ///
    /// ```
    /// use hclvm::Engine;
    ///
    /// let engine = Engine::builder().further_errors(true).build();
    /// let error = engine.parse("app.hcl", "ports = [80 443,\n  and, 8080 1]\nname = 'x'").unwrap_err();
    /// let places: Vec<String> = error.to_string().lines().map(|line| line[..11].to_owned()).collect();
    /// assert_eq!(places, ["app.hcl:3:8", "app.hcl:1:1", "app.hcl:2:1"]);
    /// ```
    pub fn further_errors(mut self, further: bool) -> Self {
        self.further = further;
        self
    }

    /// With `false`, diagnostics of evaluations show no values: neither those of variables, nor operands, names of
    /// attributes and keys that a value has, reasons that functions give, or labels that `dynamic` blocks make.
    /// Titles, codes, places and types remain. By default, only marked values are hidden.
    ///
    /// For a service that evaluates requests and writes diagnostics to a log that others read. Explanations
    /// ([`Why`](crate::why::Why)) and results show values regardless, and the source lines of a report show what
    /// the file says. A [check](crate::Document::check) evaluates no values of a scope, so its diagnostics remain.
    ///
    /// ```
    /// let engine = hclvm::Engine::builder().values_in_diagnostics(false).build();
    /// let document = engine.parse("x.hcl", "ok = user.age + 1")?;
    /// let program = document.attribute("ok").expect("the text defines it").program()?;
    /// let mut scope = document.scope();
    /// scope.set_json("user", r#"{"age": "hunter2"}"#)?;
    /// let error = engine.session().run(&program, &scope).unwrap_err();
    /// assert!(!format!("{error:?}").contains("hunter2"));
    /// # Ok::<(), hclvm::Error>(())
    /// ```
    pub fn values_in_diagnostics(mut self, shown: bool) -> Self {
        self.hides_values = !shown;
        self
    }

    /// Sets the most threads that prepare a [module](crate::Module) of more than 500 attributes. By default, the
    /// thread of the caller does it alone: a library should not start threads unless its host wants them. Threads
    /// end before the module is returned, and its results do not depend on their number. If the system refuses to
    /// start one, the caller does its part.
    ///
    /// ```
    /// let threads = std::thread::available_parallelism()?;
    /// let engine = hclvm::Engine::builder().compile_threads(threads).build();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn compile_threads(mut self, threads: NonZeroUsize) -> Self {
        self.compile_threads = Some(threads);
        self
    }

    /// Builds the engine.
    pub fn build(self) -> Engine {
        let mut dialect = self.dialect.unwrap_or_default();
        dialect.undefined = self.undefined.unwrap_or(dialect.undefined);
        let compile_threads = self.compile_threads.unwrap_or(NonZeroUsize::MIN);
        Engine::with_settings(dialect, self.limits, self.further, self.hides_values, compile_threads)
    }
}

impl Engine {
    /// Creates an engine of the [default dialect](Dialect::default), which has every function, with the
    /// default limits. The command uses the same dialect.
    pub fn new() -> Self {
        Self::builder().build()
    }

    /// Creates an engine of the [standard dialect](Dialect::standard), which has the functions of go-cty only,
    /// with the default limits.
    pub fn standard() -> Self {
        Self::builder().dialect(Dialect::standard()).build()
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

/// As [`Engine::new`].
impl Default for Engine {
    fn default() -> Self {
        Self::new()
    }
}
