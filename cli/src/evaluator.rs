//! The evaluation of a configuration, an expression or a template in one scope after the other.
//!
//! Everything is compiled once. With `--undefined text`, code depends on the names in the scope: it is compiled
//! again whenever these change.

#[cfg(feature = "parquet")]
mod rows;

#[cfg(feature = "parquet")]
pub(crate) use rows::ColumnTable;

use std::sync::Arc;

use hclvm::module::{AttributePath, Values};
use hclvm::{
    Diagnostics, Document, Engine, Error, ErrorKind, Layout, Module, Program, Scope, Session, Value,
};
use serde_json::Value as Json;

use crate::application::Assignment;
use crate::attribute_path::{Found, PathArgument};
use crate::eval::EvalArguments;
use crate::report::{diagnostics_of, sentence, together};
use crate::scopes::GivenVariables;
use crate::shown::{OutputFormat, ShownBlocks, ShownModule, shown, write, write_text};
use crate::why::ExplainedSubject;
use hclvm_project::notation;

/// What is evaluated.
#[derive(Clone)]
pub(crate) enum EvaluationSubject {
    /// Files.
    Documents(Vec<Document>),
    /// An expression of the command line.
    Expression(String),
    /// A template of the command line.
    Template(String),
}

impl EvaluationSubject {
    /// Returns the documents, or one with the expression; none for a template.
    pub(crate) fn documents(&self, engine: &Engine) -> Vec<Document> {
        match self {
            Self::Documents(documents) => documents.clone(),
            Self::Expression(text) => {
                engine.parse("expression", &format!("x = ({text}\n)")).into_iter().collect()
            }
            Self::Template(_) => Vec::new(),
        }
    }
}

/// A compiled subject with the session and scope that its evaluations share.
pub(crate) struct SubjectEvaluator<'e> {
    engine: &'e Engine,
    arguments: &'e EvalArguments,
    subject: EvaluationSubject,
    units: Vec<SubjectUnit>,
    /// The names that the units were compiled for; `None` for all that they use.
    names: Option<Vec<String>>,
}

/// One document, or one expression.
struct SubjectUnit {
    code: CompiledSubject,
    /// The names of the variables that a scope may set.
    variables: Vec<String>,
    session: Session,
    scope: Scope,
}

enum CompiledSubject {
    Module(Module),
    Program(Program),
}

impl CompiledSubject {
    /// Returns the part of a document that is printed.
    fn of_document(
        document: &Document,
        names: Option<&[String]>,
        wanted: Option<&PathArgument>,
    ) -> Result<Self, Error> {
        let module = match names {
            Some(names) => document.module_for(names.iter().map(String::as_str))?,
            None => document.module()?,
        };
        match wanted {
            Some(path) => module.select(std::slice::from_ref(path.selection())).map(Self::Module),
            None => Ok(Self::Module(module)),
        }
    }

    /// Compiles a text for scopes with the names that it uses, or with those given.
    fn of_text(
        compile: impl Fn(&Arc<Layout>) -> Result<Program, Error>,
        names: Option<&[String]>,
    ) -> Result<Self, Error> {
        let layout = match names {
            Some(names) => Arc::new(Layout::new(names.iter().map(String::as_str))),
            None => compile(&Arc::default())?.own_layout(),
        };
        compile(&layout).map(Self::Program)
    }

    fn scope(&self, engine: &Engine) -> Scope {
        match self {
            Self::Module(module) => module.scope(),
            Self::Program(program) => engine.scope(program.layout()),
        }
    }

    /// Returns the names of the variables that a scope may set.
    fn variables(&self) -> Vec<String> {
        match self {
            Self::Module(module) => module.variables().map(str::to_owned).collect(),
            Self::Program(program) => program.layout().names().iter().map(ToString::to_string).collect(),
        }
    }
}

impl<'e> SubjectEvaluator<'e> {
    /// Compiles a subject.
    pub(crate) fn new(
        engine: &'e Engine,
        subject: &EvaluationSubject,
        arguments: &'e EvalArguments,
    ) -> Result<Self, Error> {
        let mut evaluator =
            Self { engine, arguments, subject: subject.clone(), units: Vec::new(), names: None };
        evaluator.compile()?;
        Ok(evaluator)
    }

    fn compile(&mut self) -> Result<(), Error> {
        let Self { engine, arguments, names, .. } = self;
        let names = names.as_deref();
        let codes: Vec<CompiledSubject> = match &self.subject {
            EvaluationSubject::Documents(documents) => documents
                .iter()
                .map(|document| CompiledSubject::of_document(document, names, arguments.attr()))
                .collect::<Result<_, _>>()?,
            EvaluationSubject::Expression(text) => {
                vec![CompiledSubject::of_text(|layout| engine.compile(text, layout), names)?]
            }
            EvaluationSubject::Template(text) => {
                vec![CompiledSubject::of_text(|layout| engine.compile_template(text, layout), names)?]
            }
        };
        self.units.clear();
        for code in codes {
            let mut scope = code.scope(engine);
            assign(&code, &mut scope, arguments.assignments())?;
            let variables = code.variables();
            self.units.push(SubjectUnit { code, variables, session: engine.session(), scope });
        }
        Ok(())
    }

    /// Returns the variables that may be set, without repetition.
    pub(crate) fn variables(&self) -> Vec<String> {
        let mut names: Vec<String> =
            self.units.iter().flat_map(|unit| unit.variables.iter().cloned()).collect();
        names.sort();
        names.dedup();
        names
    }

    /// Evaluates with these variables and writes the result to `buffer`. `name` is the name of the scope in
    /// messages.
    pub(crate) fn evaluate(
        &mut self,
        variables: &GivenVariables,
        name: &str,
        format: Option<OutputFormat>,
        buffer: &mut Vec<u8>,
    ) -> Result<(), Diagnostics> {
        self.fit(variables.values.keys())
            .and_then(|()| self.set(variables))
            .map_err(|error| diagnostics_of(&error, name))?;
        self.run(variables.title.as_deref(), format, buffer)
    }

    /// Evaluates with the members of a JSON object, which are read into the scopes without values between, and writes
    /// the result to `buffer`. Returns `None` if the object cannot be used, of which [`SubjectEvaluator::evaluate`] reports
    /// the reason, or if the code depends on the names of its members.
    pub(crate) fn evaluate_plain(
        &mut self,
        object: &[u8],
        format: Option<OutputFormat>,
        buffer: &mut Vec<u8>,
    ) -> Option<Result<(), Diagnostics>> {
        if self.arguments.options.depends_on_names() {
            return None;
        }
        for SubjectUnit { code, variables, scope, .. } in &mut self.units {
            for name in variables.iter() {
                scope.unset(name);
            }
            let is_read = scope.set_all_json(object).is_ok();
            // Also if it is not, because these keep their values.
            let is_assigned = assign(code, scope, self.arguments.assignments()).is_ok();
            if !is_read || !is_assigned {
                return None;
            }
        }
        Some(self.run(None, format, buffer))
    }

    /// Evaluates with the variables that are set, and writes the result to `buffer`.
    fn run(
        &mut self,
        title: Option<&str>,
        format: Option<OutputFormat>,
        buffer: &mut Vec<u8>,
    ) -> Result<(), Diagnostics> {
        let subject = self.arguments.subject_name();
        let mut results = Vec::with_capacity(self.units.len());
        for SubjectUnit { code, session, scope, .. } in &mut self.units {
            let module = match code {
                CompiledSubject::Module(module) => module,
                CompiledSubject::Program(program) => {
                    let value =
                        session.run(program, scope).map_err(|error| diagnostics_of(&error, subject))?;
                    let written = match (&self.subject, format, value.as_str()) {
                        // A template is a text, which is printed as it is.
                        (EvaluationSubject::Template(_), None, Some(text)) => write_text(text, buffer),
                        _ => write(format.unwrap_or(OutputFormat::Pretty), &shown(value), buffer),
                    };
                    return written.map_err(|why| too_large(&why, subject));
                }
            };
            let values = module.evaluate(session, scope).map_err(|error| diagnostics_of(&error, subject))?;
            results.push(values);
        }
        let format = format.unwrap_or(OutputFormat::Pretty);
        let Some(path) = self.arguments.attr() else {
            failed(&results)?;
            let shown = ShownModule { title, values: &results };
            return write(format, &shown, buffer).map_err(|why| too_large(&why, subject));
        };
        let Some(found) = path.find(&results) else {
            // Reported besides the errors, so that both can be fixed at once.
            let documents = match &self.subject {
                EvaluationSubject::Documents(documents) => documents.as_slice(),
                _ => &[],
            };
            let missing = sentence("Unknown attribute", &path.missing(subject, documents), subject);
            return Err(match failed(&results) {
                Ok(()) => missing,
                Err(problems) => together(&problems, &missing),
            });
        };
        failed(&results)?;
        let written = match found {
            Found::Value(value) => write(format, &shown(value), buffer),
            Found::Locals(values) => write(format, &crate::shown::ShownLocals(values), buffer),
            Found::Blocks(blocks) => write(format, &ShownBlocks(&blocks), buffer),
        };
        written.map_err(|why| too_large(&why, subject))
    }

    /// Evaluates with these variables and explains the result. `name` is the name of the scope in messages.
    pub(crate) fn why(
        &mut self,
        variables: &GivenVariables,
        name: &str,
    ) -> Result<ExplainedSubject, Diagnostics> {
        self.fit(variables.values.keys())
            .and_then(|()| self.set(variables))
            .map_err(|error| diagnostics_of(&error, name))?;
        let subject = self.arguments.subject_name();
        let wanted = self.arguments.attr().map(PathArgument::selection);
        let mut found = Vec::new();
        for SubjectUnit { code, session, scope, .. } in &mut self.units {
            let explained = match code {
                CompiledSubject::Program(program) => {
                    return match session.why(program, scope) {
                        Ok(why) => Ok(ExplainedSubject::One(Box::new(why))),
                        Err(error) => Err(diagnostics_of(&error, subject)),
                    };
                }
                CompiledSubject::Module(module) => {
                    let is_bool = |value: Value<'_>| value.unmark().0.as_bool().is_some();
                    module.why(session, scope, |path, value| is_wanted(path, is_bool(value), wanted))
                }
            };
            found.extend(explained.map_err(|error| diagnostics_of(&error, subject))?);
        }
        let documents = match &self.subject {
            EvaluationSubject::Documents(documents) => documents.as_slice(),
            _ => &[],
        };
        match (self.arguments.attr(), &*found) {
            (Some(path), []) => {
                Err(sentence("Unknown attribute", &path.missing(subject, documents), subject))
            }
            (None, []) => {
                let detail = "No attribute is true or false. Name the one to explain with --attr.";
                Err(sentence("Nothing to explain", detail, subject))
            }
            (Some(_), [(path, _)]) if Some(path) == wanted => Ok(found
                .pop()
                .map_or(ExplainedSubject::Many(Vec::new()), |(_, why)| ExplainedSubject::One(Box::new(why)))),
            _ => Ok(ExplainedSubject::Many(found)),
        }
    }

    /// Compiles for scopes with variables of these names, if the code depends on them.
    fn fit<'n>(&mut self, names: impl Iterator<Item = &'n String> + Clone) -> Result<(), Error> {
        if !self.arguments.options.depends_on_names() {
            return Ok(());
        }
        let given = self.arguments.assignments().iter().map(|one| one.name.as_str());
        let names = names.map(|name| name.as_str()).chain(given);
        if self.names.as_ref().is_some_and(|known| known.iter().eq(names.clone())) {
            return Ok(());
        }
        self.names = Some(names.map(str::to_owned).collect());
        self.compile()
    }

    /// Sets these variables and unsets those of the previous scope. Variables given as arguments keep
    /// their values.
    fn set(&mut self, variables: &GivenVariables) -> Result<(), Error> {
        let given = |name: &str| self.arguments.assignments().iter().any(|one| one.name == name);
        for SubjectUnit { variables: names, scope, .. } in &mut self.units {
            for name in names.iter().filter(|name| !given(name)) {
                match variables.values.get(name) {
                    Some(json) => set(scope, name, json)?,
                    None => scope.unset(name),
                }
            }
        }
        Ok(())
    }
}

/// Returns true if a result is explained: the one that a path leads to, or a bool below it.
pub(crate) fn is_wanted(path: &AttributePath, is_bool: bool, wanted: Option<&AttributePath>) -> bool {
    let Some(wanted) = wanted else {
        return is_bool && path.names().next() != Some(Some("local"));
    };
    let (mut wanted, mut names) = (wanted.names(), path.names());
    let leads = wanted.all(|wanted| names.next().is_some_and(|name| wanted.is_none() || wanted == name));
    leads && (is_bool || names.next().is_none())
}

/// Sets the variables of arguments that the code has.
fn assign(code: &CompiledSubject, scope: &mut Scope, assignments: &[Assignment]) -> Result<(), Error> {
    let mut known = assignments.iter().filter(|one| scope_has(code, &one.name));
    known.try_for_each(|one| set(scope, &one.name, &one.json))
}

fn scope_has(code: &CompiledSubject, name: &str) -> bool {
    match code {
        CompiledSubject::Module(module) => module.variables().any(|known| known == name),
        CompiledSubject::Program(program) => program.layout().slot(name).is_some(),
    }
}

fn set(scope: &mut Scope, name: &str, json: &Json) -> Result<(), Error> {
    scope
        .build(name, |arena| notation::value(arena, json))
        .map_err(|error| ErrorKind::Value(format!("variable \"{name}\": {error}")).into())
}

/// Returns the errors of results, if any has errors.
fn failed(results: &[Values<'_>]) -> Result<(), Diagnostics> {
    match results.iter().map(Values::diagnostics).find(|problems| problems.has_errors()) {
        Some(problems) => Err(problems.clone()),
        None => Ok(()),
    }
}

fn too_large(why: &str, name: &str) -> Diagnostics {
    sentence("Result too large", &format!("Cannot write the result: {why}."), name)
}
