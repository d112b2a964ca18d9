//! The file that a case tests, compiled with the mocks of the case.

use hclvm::module::{self, Values};
use hclvm::{Diagnostics, Document, Engine, Error, Module, Scope, Session};

use super::mock::{Mock, mocked};
use crate::bindings::Bindings;
use crate::options::Options;
use crate::report::diagnostics_of;
use crate::texts;

/// A compiled file, or folder.
pub(super) struct Subject {
    pub(super) path: String,
    engine: Engine,
    /// The documents, or the problems of each file.
    documents: Result<Vec<Document>, Vec<Diagnostics>>,
    /// The modules of the documents, unless these depend on the names of variables.
    modules: Option<Vec<Module>>,
}

impl Subject {
    /// # Errors
    /// A file that cannot be read, as a sentence.
    pub(super) fn new(path: &str, mocks: Vec<Mock>, options: &Options) -> Result<Self, String> {
        let engine = Options::engine_of(mocked(options.dialect(Some(path)), &mocks));
        let read = texts::configuration(&engine, path).map_err(|stop| stop.to_string())?;
        let mut subject =
            Self { path: path.to_owned(), engine, documents: Ok(read.documents), modules: None };
        if read.problems.iter().any(Diagnostics::has_errors) {
            subject.documents = Err(read.problems);
        } else if !options.depends_on_names()
            && let Ok(documents) = &subject.documents
        {
            let modules: Result<Vec<Module>, Error> = documents.iter().map(Document::module).collect();
            match modules {
                Ok(modules) => subject.modules = Some(modules),
                Err(error) => subject.documents = Err(diagnostics_of(&error, path).by_file()),
            }
        }
        Ok(subject)
    }

    pub(super) fn documents(&self) -> &[Document] {
        self.documents.as_deref().unwrap_or_default()
    }

    /// Prepares an evaluation of the attributes to which paths lead, or of everything.
    ///
    /// # Errors
    /// The problems of each file.
    pub(super) fn prepare(
        &self,
        bindings: &Bindings,
        paths: Option<&[module::AttributePath]>,
    ) -> Result<Prepared, Vec<Diagnostics>> {
        let documents = self.documents.as_ref().map_err(Clone::clone)?;
        let failed = |error: Error| diagnostics_of(&error, &self.path).by_file();
        let modules = if let Some(modules) = &self.modules {
            modules.clone()
        } else {
            let names = || bindings.iter().map(|(name, _)| name);
            let modules = documents.iter().map(|document| document.module_for(names()));
            modules.collect::<Result<_, _>>().map_err(failed)?
        };
        let mut runs = Vec::new();
        for module in modules {
            let module = match paths {
                Some(paths) => module.select(paths).map_err(failed)?,
                None => module,
            };
            let mut scope = module.scope();
            bindings.fill(&mut scope).map_err(failed)?;
            runs.push((module, self.engine.session(), scope));
        }
        Ok(Prepared { runs, path: self.path.clone() })
    }
}

/// Modules with the scope of a case.
pub(super) struct Prepared {
    runs: Vec<(Module, Session, Scope)>,
    path: String,
}

impl Prepared {
    /// Evaluates, and returns the values beside the problems of each file. There are no values beyond a limit.
    pub(super) fn evaluate(&mut self) -> (Vec<Values<'_>>, Vec<Diagnostics>) {
        let (mut results, mut problems) = (Vec::new(), Vec::new());
        for (module, session, scope) in &mut self.runs {
            match module.evaluate(session, scope) {
                Ok(values) => {
                    problems.extend(values.diagnostics().by_file());
                    results.push(values);
                }
                Err(error) => problems.extend(diagnostics_of(&error, &self.path).by_file()),
            }
        }
        problems.retain(Diagnostics::has_errors);
        (results, problems)
    }
}
