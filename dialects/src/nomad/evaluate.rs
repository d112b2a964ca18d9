//! The evaluation of a job file: values of variables, locals in the order of their references, the job.

use std::collections::VecDeque;

use hclvm::schema::Content;
use hclvm::{Block as WrittenBlock, Diagnostics, Document, Error, OwnedValue, Scope, Session};
use smol_str::SmolStr;

use super::declarations::{TOP, locals};
use super::text::{RuntimeText, runtime_texts};
use super::{JobState, Module, VARIABLES, is_json, job};
use crate::constants::{ConstantEvaluator, tier};
use crate::evaluated::Block;
use crate::evaluation::{self, ModuleContent};
use crate::fuel::Fuel;
use crate::inputs::Inputs;
use crate::locals::{Local, LocalDeclaration, LocalGraph};
use crate::names::{ModuleLayout, set_member, set_object};
use crate::output::{Members, Output};
use crate::paths::{PathValue, Paths, Siblings};
use crate::problems::{Problems, TextRange};
use crate::variables::{ParsedFile, Undeclared, Validator, Variable, VariableCollector, parse_files};
use crate::watch::{Explanation, Observed, Watch};

/// The values of a job file, and what is wrong with it. With errors, values are missing.
pub type Evaluation = evaluation::Evaluation<JobFile>;

/// The part of a job file other than variables and locals: the job.
#[derive(Clone, Debug, Default)]
pub struct JobFile {
    job: Option<Block>,
    texts: Vec<RuntimeText>,
}

impl JobFile {
    /// Returns the job.
    pub fn job(&self) -> Option<&Block> {
        self.job.as_ref()
    }

    /// Returns the references in the job that were left as text for the client, in the order of the file.
    pub fn runtime_texts(&self) -> &[RuntimeText] {
        &self.texts
    }
}

impl ModuleContent for JobFile {
    fn values(&self) -> Vec<PathValue<'_>> {
        let mut paths = Paths::default();
        if let Some(job) = &self.job {
            let mut names = Vec::new();
            Siblings::default().enter(&mut names, std::iter::once(job.kind()).chain(job.labels()));
            paths.add_body(&mut names, job.body());
        }
        paths.finish()
    }

    fn output(&self, _: &[String]) -> Members<'_> {
        vec![("blocks", Output::List(self.job.iter().map(Output::from).collect()))]
    }
}

impl Module {
    /// Evaluates the job.
    pub fn evaluate(&self, inputs: &Inputs) -> Evaluation {
        Watch::nothing(|watch| self.watched(inputs, watch))
    }

    /// Evaluates the job and explains its local values and attributes.
    pub fn why(&self, inputs: &Inputs) -> (Evaluation, Vec<Explanation>) {
        Watch::explanations(&self.0.definitions.locals, |watch| self.watched(inputs, watch))
    }

    /// Evaluates the job and returns what the conditions of its local values and attributes were: once for each
    /// evaluation of an attribute.
    pub fn observe(&self, inputs: &Inputs) -> (Evaluation, Vec<Observed>) {
        Watch::coverage(&self.0.definitions.locals, |watch| self.watched(inputs, watch))
    }

    fn watched(&self, inputs: &Inputs, watch: &Watch<'_>) -> Evaluation {
        let state = &*self.0;
        let mut evaluation = Evaluation::default();
        let files = parse_files(
            inputs.files.iter(),
            &state.engine,
            |file, _| Some(is_json(file)),
            &state.definitions.variables,
            &mut evaluation.problems,
        );
        if evaluation.problems.has_errors() {
            return evaluation;
        }
        evaluation.problems.append(state.problems.clone());
        if state.definitions.is_unreadable {
            return evaluation;
        }
        state.variables(inputs, &files, &mut evaluation);
        if let Err(error) = state.values(&mut evaluation, watch) {
            evaluation.problems.add(error.to_diagnostics(state.document.source().name()));
        }
        evaluation
    }
}

impl JobState {
    /// Collects and validates the values of variables.
    fn variables(&self, inputs: &Inputs, files: &[ParsedFile], evaluation: &mut Evaluation) {
        let undeclared = if self.settings.strict { Undeclared::Error } else { Undeclared::Warning };
        let collector = VariableCollector {
            declarations: &self.definitions.variables,
            rules: VARIABLES,
            constants: &mut ConstantEvaluator::new(None, self.settings.limits),
            problems: &mut evaluation.problems,
            in_files: undeclared,
            in_arguments: undeclared,
        };
        evaluation.variables = collector.collect(inputs, files);
        let mut validator = Validator::new(&self.definitions.validations).exploring(self.settings.checking);
        let declarations = &self.definitions.variables.list;
        let Evaluation { variables, problems, .. } = evaluation;
        validator.validate_all(declarations, variables, VARIABLES, problems);
    }

    /// Evaluates local values and the job.
    fn values(&self, evaluation: &mut Evaluation, watch: &Watch<'_>) -> Result<(), Error> {
        let mut session = self.engine.session();
        session.set_tier(tier(self.settings.checking));
        let mut scope = self.engine.scope(self.names.layout());
        set_variables(&mut scope, &self.names, &evaluation.variables)?;
        if !self.locals(&mut session, &mut scope, evaluation, watch)? {
            // The order in which Nomad tries locals decides which error it shows.
            return self.tell_last_error(&mut session, evaluation);
        }
        if evaluation.problems.has_errors() {
            return Ok(());
        }
        let content = self.document.body().content_lenient(&TOP).0;
        let Some(job) = only_job(&self.document, &content, &mut evaluation.problems) else { return Ok(()) };
        let mut expansion = session.expand(&self.document, &scope)?;
        let names = std::iter::once("job").chain(job.labels());
        let body = watch.below(names, || {
            job::read(&mut expansion, job, &self.settings, watch, &mut evaluation.problems)
        })?;
        evaluation.content.texts = runtime_texts(job, &["var", "local"]);
        evaluation.content.job = Some(Block::new("job".into(), job.labels().map(Into::into).collect(), body));
        Ok(())
    }

    /// Evaluates local values, each after those that it reads. Returns false if one has errors or cannot have a
    /// value.
    fn locals(
        &self,
        session: &mut Session,
        scope: &mut Scope,
        evaluation: &mut Evaluation,
        watch: &Watch<'_>,
    ) -> Result<bool, Error> {
        let definitions = &self.definitions.locals;
        let mut graph = LocalGraph::default();
        for local in definitions {
            graph.add(format!("local.{}", local.name));
        }
        for (node, local) in definitions.iter().enumerate() {
            let Some(need) = local.reads.get("local") else { continue };
            need.names().for_each(|name| graph.read(node, format!("local.{name}")));
            if need.is_whole() {
                graph.read_all(node);
            }
        }
        let (order, problems) = graph.order();
        if !problems.is_empty() {
            return Ok(false);
        }
        let mut fuel = Fuel::new(&self.settings.limits);
        let mut values: Vec<Option<OwnedValue>> = vec![None; definitions.len()];
        let object = |scope: &mut Scope, values: &[Option<OwnedValue>]| {
            let known = definitions.iter().zip(values);
            set_object(
                scope,
                "local",
                known.filter_map(|(local, value)| Some((local.name.as_str(), value.as_ref()?.get()))),
            )
        };
        for node in order {
            let local = &definitions[node];
            if self.names.needs_object("local", &local.reads) {
                object(scope, &values)?;
                // The object is made again for each of its readers.
                fuel.spend(definitions.len() as u64, local.program.source(), local.program.span())?;
            }
            let found = session.evaluate(&local.program, scope)?;
            fuel.spend(found.fuel, local.program.source(), local.program.span())?;
            if found.diagnostics.has_errors() {
                return Ok(false);
            }
            let value = OwnedValue::new(found.value);
            watch.local(session, scope, local)?;
            set_member(scope, "local", &local.name, value.get())?;
            values[node] = Some(value);
        }
        if self.names.is_whole("local") {
            object(scope, &values)?;
        }
        let named = definitions.iter().zip(values);
        let local = |(local, value): (&LocalDeclaration, Option<OwnedValue>)| {
            Some(Local { name: local.name.clone(), value: value?.into(), sensitive: false })
        };
        evaluation.locals = named.filter_map(local).collect();
        Ok(true)
    }

    /// Tries locals as Nomad does, one after the other and those with errors again, until nothing changes. Then the
    /// errors of the one that was tried last are reported: cycles and misspelled names are missing attributes.
    fn tell_last_error(&self, session: &mut Session, evaluation: &mut Evaluation) -> Result<(), Error> {
        const MOST_TRIES: usize = 100;
        let names = self.names.without_slots();
        let document = self.document.for_layout(names.layout());
        let content = document.body().content_lenient(&TOP).0;
        let mut waiting: VecDeque<LocalDeclaration> = locals(&content, &mut Problems::default()).into();
        let mut scope = self.engine.scope(names.layout());
        set_variables(&mut scope, &names, &evaluation.variables)?;
        let mut done: Vec<(SmolStr, OwnedValue)> = Vec::new();
        let (mut tries, mut before) = (0, None);
        while let Some(local) = waiting.pop_front() {
            set_object(
                &mut scope,
                "local",
                done.iter().map(|(name, value)| (name.as_str(), OwnedValue::get(value))),
            )?;
            match value_of(session, &local, &scope)? {
                Ok(value) => {
                    done.push((local.name.clone(), value));
                    tries = 0;
                }
                Err(found) => {
                    let left = waiting.len() + 1;
                    if left == 1 || (before == Some(left) && tries == MOST_TRIES) {
                        evaluation.problems.add(found);
                        return Ok(());
                    }
                    tries += usize::from(before == Some(left));
                    before = Some(left);
                    waiting.push_back(local);
                }
            }
        }
        Ok(())
    }
}

/// Returns the value of a local, or its errors.
fn value_of(
    session: &mut Session,
    local: &LocalDeclaration,
    scope: &Scope,
) -> Result<Result<OwnedValue, Diagnostics>, Error> {
    let found = session.evaluate(&local.program, scope)?;
    Ok(if found.diagnostics.has_errors() { Err(found.diagnostics) } else { Ok(OwnedValue::new(found.value)) })
}

fn set_variables(scope: &mut Scope, names: &ModuleLayout, variables: &[Variable]) -> Result<(), Error> {
    for variable in variables {
        set_member(scope, "var", variable.name(), variable.value())?;
    }
    if !names.is_whole("var") {
        return Ok(());
    }
    set_object(scope, "var", variables.iter().map(|one| (one.name(), one.value())))
}

/// Returns the first job; reports a file without one or with several.
fn only_job<'d>(
    document: &Document,
    content: &Content<'d>,
    problems: &mut Problems,
) -> Option<WrittenBlock<'d>> {
    let mut jobs = content.blocks_of("job");
    let Some(first) = jobs.next() else {
        let place = TextRange::new(document, content.missing_item);
        problems.error(&place, "Missing job block", "A job file has one block `job \"NAME\"`.");
        return None;
    };
    let line = TextRange::of_block(document, first).line();
    for other in jobs {
        let detail = format!("A job file has one job. The first one is at {line}.");
        problems.error(&TextRange::of_block(document, other), "Duplicate job block", detail);
    }
    Some(first)
}
