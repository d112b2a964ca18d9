//! What expressions can use: variables, and the values of a loaded file. Evaluates them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hclvm::functions::FunctionTable;
use hclvm::run::Cancel;
use hclvm::why::Why;
use hclvm::{Diagnostics, Engine, Error, Layout, Program, Scope, Session, Value};

use super::incomplete::{ended, is_incomplete};
use super::loaded::LoadedFile;
use crate::bindings::Bindings;
use crate::options::CommandOptions;
use crate::outcome::EarlyEnd;
use crate::report::diagnostics_of;
use crate::{input, scopes, texts};

/// The name of an input in diagnostics.
const NAME: &str = "expression";

/// The variables, the file, and the engine that evaluates expressions with them.
pub(crate) struct ReplEnvironment<'e> {
    options: &'e CommandOptions,
    engine: Engine,
    session: Session,
    /// Set by an interrupt.
    cancelled: Arc<AtomicBool>,
    functions: FunctionTable,
    pub(super) bindings: Bindings,
    loaded: LoadedFile,
}

impl<'e> ReplEnvironment<'e> {
    pub(super) fn new(options: &'e CommandOptions) -> Result<Self, EarlyEnd> {
        let cancelled = Arc::default();
        let dialect = options.dialect(None)?;
        let functions = dialect.functions.clone().unwrap_or_default();
        let engine = options.engine_of(dialect);
        Ok(Self {
            options,
            session: session(&engine, &cancelled),
            functions,
            engine,
            cancelled,
            bindings: Bindings::default(),
            loaded: LoadedFile::default(),
        })
    }

    /// Returns the flag that ends evaluations.
    #[cfg(feature = "line-editing")]
    pub(super) fn cancelled(&self) -> &Arc<AtomicBool> {
        &self.cancelled
    }

    /// Returns true if an interrupt ended the last evaluation.
    pub(super) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    pub(super) fn options(&self) -> &'e CommandOptions {
        self.options
    }

    /// Returns the functions that expressions can call.
    #[cfg(feature = "line-editing")]
    pub(super) fn functions(&self) -> &FunctionTable {
        &self.functions
    }

    /// Returns the file that is loaded; it is empty if none is.
    #[cfg(feature = "line-editing")]
    pub(super) fn loaded(&self) -> &LoadedFile {
        &self.loaded
    }

    /// Loads a file, or a folder, in place of the one before. Prints warnings.
    ///
    /// # Errors
    /// The problems of each file; the one before is kept.
    pub(super) fn load(&mut self, path: &str) -> Result<Result<(), Vec<Diagnostics>>, EarlyEnd> {
        let dialect = self.options.dialect(Some(path))?;
        let functions = dialect.functions.clone().unwrap_or_default();
        let engine = self.options.engine_of(dialect);
        let read = texts::configuration(&engine, path)?;
        if read.problems.iter().any(Diagnostics::has_errors) {
            return Ok(Err(read.problems));
        }
        let loaded = match LoadedFile::new(read.documents) {
            Ok(loaded) => loaded,
            Err(error) => return Ok(Err(diagnostics_of(&error, path).by_file())),
        };
        read.problems.iter().for_each(|problems| self.options.diagnostics.print(problems));
        self.session = session(&engine, &self.cancelled);
        (self.engine, self.loaded, self.functions) = (engine, loaded, functions);
        Ok(Ok(()))
    }

    /// Sets the variables of a file.
    pub(super) fn add_scope(&mut self, path: &str) -> Result<Result<(), Diagnostics>, EarlyEnd> {
        let scanned = scopes::one(path)?;
        Ok(scanned.and_then(|variables| {
            self.bindings.add(&variables).map_err(|error| diagnostics_of(&error, input::display_name(path)))
        }))
    }

    /// Returns true if further lines could complete an expression.
    pub(super) fn is_incomplete(&self, expression: &str) -> bool {
        is_incomplete(&self.engine, expression)
    }

    /// Returns the names that an expression can begin with.
    pub(super) fn names(&self) -> Vec<String> {
        let variables = self.bindings.iter().map(|(name, _)| name.to_owned());
        let mut names: Vec<String> = variables.chain(self.loaded.roots().iter().cloned()).collect();
        names.sort();
        names.dedup();
        names
    }

    /// Compiles an expression, and evaluates the parts of the file that it uses.
    ///
    /// # Errors
    /// The problems of the expression, or those of each file in the parts that it uses.
    pub(super) fn prepare(&mut self, expression: &str) -> Result<(Program, Scope), Vec<Diagnostics>> {
        let failed = |error: Error| diagnostics_of(&error, NAME).by_file();
        let text = ended(expression);
        let layout = self.layout(&text).map_err(failed)?;
        let program = self.engine.compile(&text, &layout).map_err(failed)?;
        let mut scope = self.engine.scope(&layout);
        for name in layout.names() {
            if let Some(value) = self.bindings.get(name) {
                scope.set_value(name, value).map_err(failed)?;
            }
        }
        let needs = program.referenced_paths();
        let of_file = needs.iter().map(|(name, need)| (name.as_str(), need));
        let of_file = of_file.filter(|(name, _)| self.bindings.get(name).is_none());
        let by_names = self.options.depends_on_names();
        for (name, value) in self.loaded.values(of_file, by_names, &self.bindings, &mut self.session)? {
            scope.set_value(name, value.get()).map_err(failed)?;
        }
        Ok((program, scope))
    }

    /// Returns the layout of the names that an expression reads, or of all names if it reads another one, which may be
    /// similar: a session may have any number of variables.
    fn layout(&self, expression: &str) -> Result<Arc<Layout>, Error> {
        let read = self.engine.compile(expression, &Arc::default())?.referenced_paths();
        let is_known = |name: &str| self.bindings.get(name).is_some() || self.loaded.has_root(name);
        let (known, others): (Vec<&str>, Vec<&str>) =
            read.keys().map(|name| name.as_str()).partition(|name| is_known(name));
        let is_enough = others.is_empty() || self.options.depends_on_names();
        Ok(Arc::new(if is_enough { Layout::new(known) } else { Layout::new(self.names()) }))
    }

    /// Evaluates an expression and passes on its value.
    ///
    /// # Errors
    /// As [`ReplEnvironment::prepare`], and the problems of the evaluation.
    pub(super) fn evaluate<R>(
        &mut self,
        expression: &str,
        then: impl FnOnce(Value<'_>) -> R,
    ) -> Result<R, Vec<Diagnostics>> {
        let (program, scope) = self.prepare(expression)?;
        let value = self.session.run(&program, &scope);
        value.map(then).map_err(|error| diagnostics_of(&error, NAME).by_file())
    }

    /// Explains the value of an expression.
    ///
    /// # Errors
    /// As [`ReplEnvironment::prepare`]. Those of the evaluation are in the explanation.
    pub(super) fn why(&mut self, expression: &str) -> Result<Why, Vec<Diagnostics>> {
        let (program, scope) = self.prepare(expression)?;
        self.session.why(&program, &scope).map_err(|error| diagnostics_of(&error, NAME).by_file())
    }

    /// Evaluates a program again.
    pub(super) fn run(&mut self, program: &Program, scope: &Scope) -> Result<(), Error> {
        self.session.run(program, scope).map(|_| ())
    }
}

fn session(engine: &Engine, cancelled: &Arc<AtomicBool>) -> Session {
    let mut session = engine.session();
    session.set_cancel(&Cancel::from(Arc::clone(cancelled)));
    session
}
