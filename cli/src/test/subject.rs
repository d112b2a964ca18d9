//! What a case tests: a file or folder, compiled with the mocks of the case, or the module of an application.

use hclvm::diagnostics::Span;
use hclvm::module::{self, Values};
use hclvm::policy::PolicySpec;
use hclvm::{Diagnostics, Document, Engine, Error, Module, OwnedValue, Scope, Session};
use hclvm_dialects::{Application, ApplicationModule, Given, Purpose, Selection};
use serde_json::Value as Json;

use super::decision::{DecisionParts, FileRules};
use super::made;
use super::observed::{Covered, covered, observe};
use crate::application::{self, add_scope};
use crate::attribute_path::{Found, LOCAL, PathArgument, defined};
use crate::bindings::Bindings;
use crate::module_eval;
use crate::options::CommandOptions;
use crate::policy::PolicyArguments;
use crate::report::{diagnostics_of, sentence};
use crate::scopes::GivenVariables;
use crate::texts;
use hclvm_project::stub::{Stub, with_stubs};

/// What a case tests.
pub(super) struct TestSubject {
    pub(super) path: String,
    /// Its code, or the problems of each file.
    code: Result<CaseCode, Vec<Diagnostics>>,
}

enum CaseCode {
    Files(Box<CompiledFiles>),
    Module(&'static dyn Application, Box<dyn ApplicationModule>),
}

/// A compiled file, or those of a folder.
struct CompiledFiles {
    engine: Engine,
    documents: Vec<Document>,
    /// The modules of the documents, unless these depend on the names of variables.
    modules: Option<Vec<Module>>,
    rules: FileRules,
}

impl TestSubject {
    /// # Errors
    /// A file that cannot be read, or mocks that it cannot have, as a sentence.
    pub(super) fn new(path: &str, mocks: Vec<Stub>, options: &CommandOptions) -> Result<Self, String> {
        let told = |stop: crate::outcome::EarlyEnd| stop.to_string();
        let code = if let Some(application) = options.application(path) {
            if !mocks.is_empty() {
                return Err(format!(
                    "{path} is read as its application reads it, which has no mocks of functions."
                ));
            }
            let granted = options.granted(application::folder_of(path));
            let settings = application::settings(application, granted, None, Purpose::Evaluate);
            let read = application::read(application, path, options, settings);
            let module = read.map_err(told)?;
            module
                .map(|module| CaseCode::Module(application, module))
                .map_err(|problems| problems.groups().cloned().collect())
        } else {
            let engine =
                options.engine_of(with_stubs(options.dialect(Some(path)).map_err(told)?, "mock", &mocks));
            let read = texts::configuration(&engine, path).map_err(told)?;
            if read.problems.iter().any(Diagnostics::has_errors) {
                Err(read.problems)
            } else {
                let block = options.project(Some(path)).map_err(told)?.policy;
                let settings = PolicyArguments::default().settings(block).map_err(told);
                CompiledFiles::new(engine, read.documents, options, FileRules::new(settings))
                    .map(|files| CaseCode::Files(Box::new(files)))
                    .map_err(|error| diagnostics_of(&error, path).by_file())
            }
        };
        Ok(Self { path: path.to_owned(), code })
    }

    /// Prepares an evaluation of the attributes to which paths lead, or of everything. The module of an application
    /// is always evaluated as a whole.
    ///
    /// # Errors
    /// The problems of each file.
    pub(super) fn prepare(
        &self,
        variables: &GivenVariables,
        paths: Option<&[module::AttributePath]>,
    ) -> Result<Prepared<'_>, Vec<Diagnostics>> {
        match self.code.as_ref().map_err(Clone::clone)? {
            CaseCode::Files(files) => {
                let runs = files.prepare(variables, paths);
                let runs = runs.map_err(|error| diagnostics_of(&error, &self.path).by_file())?;
                Ok(Prepared::Files(runs, &self.path))
            }
            CaseCode::Module(application, module) => {
                let mut given = Given::new(*application);
                let added = add_scope(&mut given, variables);
                added.map_err(|why| vec![sentence("Invalid scope", &why, &self.path)])?;
                Ok(Prepared::Module(&**module, given))
            }
        }
    }

    /// Decides by its rules. With `covered`, adds what the decision covers.
    ///
    /// # Errors
    /// The problems of each file; a sentence if it has no rules.
    pub(super) fn decide(
        &self,
        variables: &GivenVariables,
        covered: Option<&mut Covered>,
    ) -> Result<Result<DecisionParts, Vec<Diagnostics>>, String> {
        let files = match &self.code {
            Ok(CaseCode::Files(files)) => files,
            Ok(CaseCode::Module(..)) => {
                return Err(format!("{} is read by its application, which has no rules.", self.path));
            }
            Err(problems) => return Ok(Err(problems.clone())),
        };
        let failed = |error: &Error| diagnostics_of(error, &self.path).by_file();
        let [module] = files.modules.as_deref().unwrap_or_default() else {
            let why = "has files in JSON or is compiled for the names of variables, so it has no rules";
            return Err(format!("{} {why}.", self.path));
        };
        let mut scope = module.scope();
        let mut bindings = Bindings::default();
        if let Err(error) = bindings.add(variables).and_then(|()| bindings.fill(&mut scope)) {
            return Ok(Err(failed(&error)));
        }
        let mut session = files.engine.session();
        let found = files.rules.decide(module, &mut session, &scope, covered)?;
        Ok(found.map_err(|error| failed(&error)))
    }

    /// Returns its documents; none if there are problems.
    pub(super) fn documents(&self) -> &[Document] {
        match &self.code {
            Ok(CaseCode::Files(files)) => &files.documents,
            Ok(CaseCode::Module(_, module)) => module.documents(),
            Err(_) => &[],
        }
    }

    /// Returns the parts of one of its documents that hold sensitive values.
    pub(super) fn secret_parts(&self, document: &Document) -> Vec<Span> {
        match &self.code {
            Ok(CaseCode::Module(application, _)) => application.secret_parts(document),
            _ => Vec::new(),
        }
    }

    /// Returns true if an application reads it.
    pub(super) fn is_module(&self) -> bool {
        matches!(self.code, Ok(CaseCode::Module(..)))
    }

    /// Returns the path of the attribute that a path leads to or into.
    pub(super) fn selection(&self, path: &PathArgument) -> module::AttributePath {
        let names = path.names();
        let is_attribute = |names: &[String]| {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            self.documents().iter().any(|document| match &*names {
                [LOCAL, name] => {
                    document.body().blocks_of("locals").any(|block| block.attribute(name).is_some())
                }
                names => defined(document.body(), names).is_some(),
            })
        };
        let outer = (1..names.len()).map(|at| &names[..at]).find(|names| is_attribute(names));
        outer.map_or_else(|| path.selection().clone(), |outer| outer.iter().map(String::as_str).collect())
    }

    /// Returns the name of the attribute that makes a block a rule.
    pub(super) fn condition(&self) -> &str {
        match &self.code {
            Ok(CaseCode::Files(files)) => files.rules.condition(),
            _ => PolicySpec::default().condition,
        }
    }

    /// Returns the sentence that a path leads to nothing.
    pub(super) fn missing(&self, path: &PathArgument) -> String {
        let documents = match &self.code {
            Ok(CaseCode::Files(files)) => files.documents.as_slice(),
            _ => &[],
        };
        path.missing(&self.path, documents)
    }
}

impl CompiledFiles {
    fn new(
        engine: Engine,
        documents: Vec<Document>,
        options: &CommandOptions,
        rules: FileRules,
    ) -> Result<Self, Error> {
        let modules = if options.depends_on_names() {
            None
        } else {
            Some(documents.iter().map(Document::module).collect::<Result<_, _>>()?)
        };
        Ok(Self { engine, documents, modules, rules })
    }

    fn prepare(
        &self,
        variables: &GivenVariables,
        paths: Option<&[module::AttributePath]>,
    ) -> Result<Vec<Run>, Error> {
        let mut bindings = Bindings::default();
        bindings.add(variables)?;
        let modules = if let Some(modules) = &self.modules {
            modules.clone()
        } else {
            let names = || variables.values.keys().map(String::as_str);
            self.documents.iter().map(|document| document.module_for(names())).collect::<Result<_, _>>()?
        };
        let mut runs = Vec::new();
        for module in modules {
            let module = match paths {
                Some(paths) => module.select(paths)?,
                None => module,
            };
            let mut scope = module.scope();
            bindings.fill(&mut scope)?;
            runs.push((module, self.engine.session(), scope));
        }
        Ok(runs)
    }
}

/// A module with a scope.
type Run = (Module, Session, Scope);

/// What is evaluated with the variables of a case.
pub(super) enum Prepared<'s> {
    /// Modules, and the path of the file.
    Files(Vec<Run>, &'s str),
    Module(&'s dyn ApplicationModule, Given),
}

/// The values of a case.
pub(super) enum CaseValues<'s> {
    Values(Vec<Values<'s>>),
    /// Those of an application, as eval prints them.
    Made(Json),
}

impl Prepared<'_> {
    /// Returns what an evaluation covers. What it cannot evaluate within its limits is not covered.
    pub(super) fn observe(&mut self) -> Covered {
        match self {
            Self::Files(runs, _) => runs
                .iter_mut()
                .filter_map(|(module, session, scope)| observe(module, session, scope).ok())
                .flatten()
                .collect(),
            Self::Module(module, given) => covered(module.observe(given)),
        }
    }

    /// Evaluates, and returns the values beside the errors of each file. There are no values beyond a limit.
    pub(super) fn evaluate(&mut self) -> (CaseValues<'_>, Vec<Diagnostics>) {
        let mut problems: Vec<Diagnostics> = Vec::new();
        let evaluated = match self {
            Self::Files(runs, path) => {
                let mut results = Vec::new();
                for (module, session, scope) in runs {
                    match module.evaluate(session, scope) {
                        Ok(values) => {
                            problems.extend(values.diagnostics().by_file());
                            results.push(values);
                        }
                        Err(error) => problems.extend(diagnostics_of(&error, path).by_file()),
                    }
                }
                CaseValues::Values(results)
            }
            Self::Module(module, given) => {
                let evaluated = module.evaluate(given);
                problems.extend(evaluated.problems().groups().cloned());
                CaseValues::Made(module_eval::result(&evaluated, &Selection::default()))
            }
        };
        problems.retain(Diagnostics::has_errors);
        (evaluated, problems)
    }
}

/// What a path leads to.
pub(super) enum At {
    Value(OwnedValue),
    Block,
    Nothing,
}

impl CaseValues<'_> {
    /// Returns what a path leads to.
    pub(super) fn at(&self, path: &PathArgument) -> At {
        match self {
            Self::Values(values) => match path.find(values) {
                Some(Found::Value(value)) => At::Value(OwnedValue::new(value)),
                Some(Found::Blocks(_) | Found::Locals(_)) => At::Block,
                None => inside(values, path).map_or(At::Nothing, At::Value),
            },
            Self::Made(result) => {
                let names: Vec<&str> = path.names().iter().map(String::as_str).collect();
                made::at(result, &names)
                    .map_or(At::Nothing, |json| made::value(json).map_or(At::Nothing, At::Value))
            }
        }
    }
}

/// Returns what a path leads to whose last names are attributes of an object: `rule.risk.obligations.level`.
fn inside(values: &[Values<'_>], path: &PathArgument) -> Option<OwnedValue> {
    let names = path.names();
    (1..names.len()).rev().find_map(|at| {
        let (outer, inner) = names.split_at(at);
        let outer: module::AttributePath = outer.iter().map(String::as_str).collect();
        let value = values.iter().find_map(|values| values.get(&outer))?;
        let mut inner = inner.iter();
        let found = inner.try_fold(value, |value, name| {
            let entries = value.as_entries()?;
            entries.iter().find(|entry| entry.name == name).map(|entry| entry.value)
        });
        found.map(OwnedValue::new)
    })
}
