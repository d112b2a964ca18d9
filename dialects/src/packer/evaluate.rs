//! The evaluation of a template: values of variables, locals and data sources in their order, builds.

use std::collections::HashSet;

use hclvm::value::Arena;
use hclvm::{Block, Document, Error, OwnedValue, Scope, Session, Value};
use smol_str::SmolStr;

use super::build::{BuildEvaluator, BuildProblems};
use super::data::{DataSources, GivenData, Outputs, UnknownData, by_name};
use super::declarations::TOP;
use super::order::{Failed, graph, reads_data, report};
use super::successors::name_successors;
use super::template::Template;
use super::{Module, TemplateState, VARIABLES, files, roots};
use crate::constants::{ConstantEvaluator, tier};
use crate::evaluated::Body;
use crate::evaluation;
use crate::fuel::Fuel;
use crate::given::Given;
use crate::hidden::Hidden;
use crate::inputs::Inputs;
use crate::locals::{GraphProblem, Local};
use crate::marks::{MarkedResult, Marking};
use crate::names::{ModuleLayout, set_member, set_object};
use crate::paths::Siblings;
use crate::problems::{Problems, TextRange};
use crate::variables::{Undeclared, Validator, Variable, VariableCollector, parse_files};
use crate::watch::{Explanation, ObservationFilter, Observed, Watch};

/// The values that a host gives to an evaluation in addition to the inputs.
#[derive(Clone, Copy)]
pub struct Host<'h> {
    /// Reads data sources.
    pub data: &'h dyn DataSources,
    /// The values of the builder while it runs, by their names. Empty before.
    pub builder: &'h [(String, OwnedValue)],
}

impl std::fmt::Debug for Host<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Host").field("builder", &self.builder).finish_non_exhaustive()
    }
}

impl<'h> Host<'h> {
    /// Returns what a host gives as values of names.
    pub(super) fn of(given: &'h Given, data: &'h GivenData) -> Self {
        Self { data, builder: given.members("build") }
    }
}

impl Default for Host<'_> {
    fn default() -> Self {
        Self { data: &UnknownData, builder: &[] }
    }
}

/// The values of a template, and what is wrong with it. With errors, values are missing.
pub type Evaluation = evaluation::Evaluation<Template>;

impl Evaluation {
    /// Returns a scope with its values, outside of builds.
    pub(super) fn scope(&self, state: &TemplateState) -> Result<Scope, Error> {
        let watch = Watch::new(ObservationFilter::Nothing, &[]);
        let marks = (state.settings.marking(), &watch);
        let mut run = TemplateRun::new(state, &state.documents, &state.names, Host::default(), marks);
        roots::set_fixed(&mut run.scope, &state.settings, &state.files)?;
        run.set_variables(&self.variables)?;
        for local in &self.locals {
            set_member(&mut run.scope, "local", local.name(), local.computed())?;
        }
        run.set_objects(self)?;
        Ok(run.scope)
    }
}

impl Module {
    /// Evaluates the template without data sources and builders: what they give is unknown.
    pub fn evaluate(&self, inputs: &Inputs) -> Evaluation {
        self.evaluate_with(inputs, Host::default())
    }

    /// Evaluates the template.
    pub fn evaluate_with(&self, inputs: &Inputs, host: Host<'_>) -> Evaluation {
        Watch::nothing(|watch| self.watched(inputs, host, watch))
    }

    /// Evaluates the template and explains local values and the attributes of data sources, sources and builds, those of a
    /// build for each of its sources. Explanations show nothing of sensitive values; sensitive local values are not
    /// explained.
    pub fn why(&self, inputs: &Inputs, host: Host<'_>) -> (Evaluation, Vec<Explanation>) {
        Watch::explanations(&self.0.definitions.locals, |watch| self.watched(inputs, host, watch))
    }

    /// Evaluates the template and returns what the conditions were of local values and of the attributes of data
    /// sources, sources and builds: once for each evaluation of an attribute.
    pub fn observe(&self, inputs: &Inputs, host: Host<'_>) -> (Evaluation, Vec<Observed>) {
        let (evaluation, observed) =
            Watch::coverage(&self.0.definitions.locals, |watch| self.watched(inputs, host, watch));
        // Without marks, problems may show sensitive values.
        let is_open = evaluation.problems.is_empty() && !self.0.settings.mark_sensitive;
        (if is_open { evaluation } else { self.evaluate_with(inputs, host) }, observed)
    }

    fn watched(&self, inputs: &Inputs, host: Host<'_>, watch: &Watch<'_>) -> Evaluation {
        let state = &*self.0;
        let mut hidden = state.hidden.clone();
        let mut evaluation = state.evaluation(inputs, host, watch, &mut hidden);
        name_successors(&mut evaluation.problems);
        evaluation.problems.hide(&hidden);
        evaluation.problems.name_marks();
        evaluation
    }
}

impl TemplateState {
    /// Evaluates the template. Adds the parts of variable files that problems must not show to `hidden`.
    fn evaluation(
        &self,
        inputs: &Inputs,
        host: Host<'_>,
        watch: &Watch<'_>,
        hidden: &mut Vec<Hidden>,
    ) -> Evaluation {
        let problems = self.problems.clone();
        let builder = self.builder_values(host);
        let host = Host { builder: &builder, ..host };
        let content = Template { builder: builder.clone(), ..Template::default() };
        let mut evaluation = Evaluation { problems, content, ..Evaluation::default() };
        if self.definitions.is_unsupported {
            return evaluation;
        }
        let marking = if watch.wants_outcomes() { Marking::Off } else { self.settings.marking() };
        evaluation.variables = self.variables(inputs, marking, hidden, &mut evaluation.problems);
        if evaluation.problems.has_errors() {
            return evaluation;
        }
        self.validate(&mut evaluation);
        let mut run = TemplateRun::new(self, &self.documents, &self.names, host, (marking, watch));
        if let Err(error) = run.everything(&mut evaluation) {
            evaluation.problems.add(error.to_diagnostics(&self.files.root));
        }
        if self.settings.expects_build && !self.definitions.has_build && !evaluation.problems.has_errors() {
            let (place, title) = (TextRange::nowhere(&self.files.root), "Missing build block");
            let detail = "A template has a block `build`, which says what is built from which sources.";
            if self.settings.checking {
                evaluation.problems.warning(&place, title, detail);
            } else {
                evaluation.problems.error(&place, title, detail);
            }
        }
        evaluation.content.leave_marks(marking);
        evaluation
    }

    /// Returns the values of the builder: those that a host gives, or before it runs placeholders for what the template
    /// reads beside those that every builder has. Which others a builder has is known to its plugin alone.
    fn builder_values(&self, host: Host<'_>) -> Vec<(String, OwnedValue)> {
        if !host.builder.is_empty() {
            return host.builder.to_vec();
        }
        let arena = Arena::new();
        let placeholder = OwnedValue::new(Value::str(&arena, "<unknown>"));
        self.builder_keys.iter().map(|key| (key.clone(), placeholder.clone())).collect()
    }

    /// Returns the variables with their values.
    fn variables(
        &self,
        inputs: &Inputs,
        marking: Marking,
        hidden: &mut Vec<Hidden>,
        problems: &mut Problems,
    ) -> Vec<Variable> {
        let declarations = &self.definitions.variables;
        let files = self.files.automatic.iter().chain(&inputs.files);
        let files = parse_files(files, &self.engine, files::is_json, declarations, problems);
        hidden.extend(files.iter().map(|file| file.hidden(declarations)));
        let collector = VariableCollector {
            declarations,
            rules: VARIABLES,
            constants: &mut ConstantEvaluator::new(None, self.settings.limits),
            problems,
            in_files: if self.settings.warn_undeclared { Undeclared::Warning } else { Undeclared::Ignored },
            in_arguments: Undeclared::Error,
        };
        let mut variables = collector.collect(inputs, &files);
        for variable in &mut variables {
            variable.mark(marking);
        }
        variables
    }

    /// Reports variables without a value, and values that validations refuse.
    fn validate(&self, evaluation: &mut Evaluation) {
        let mut validator = Validator::new(&self.engine).exploring(self.settings.checking);
        let declarations = &self.definitions.variables.list;
        let Evaluation { variables, problems, .. } = evaluation;
        validator.validate_all(declarations, variables, VARIABLES, problems);
    }
}

/// One evaluation after the variables have their values.
struct TemplateRun<'r> {
    state: &'r TemplateState,
    documents: &'r [Document],
    names: &'r ModuleLayout,
    host: Host<'r>,
    session: Session,
    scope: Scope,
    fuel: Fuel,
    marking: Marking,
    watch: &'r Watch<'r>,
    /// True if outputs of data sources are missing in the scope: their objects are made when they are read.
    is_data_stale: bool,
}

impl<'r> TemplateRun<'r> {
    fn new(
        state: &'r TemplateState,
        documents: &'r [Document],
        names: &'r ModuleLayout,
        host: Host<'r>,
        (marking, watch): (Marking, &'r Watch<'r>),
    ) -> Self {
        let mut session = state.engine.session();
        session.set_tier(tier(state.settings.checking));
        let (scope, fuel) = (state.engine.scope(names.layout()), Fuel::new(&state.settings.limits));
        Self { state, documents, names, host, session, scope, fuel, marking, watch, is_data_stale: false }
    }

    /// Evaluates locals, data sources and builds.
    fn everything(&mut self, evaluation: &mut Evaluation) -> Result<(), Error> {
        roots::set_fixed(&mut self.scope, &self.state.settings, &self.state.files)?;
        self.set_variables(&evaluation.variables)?;
        let known = evaluation.problems.iter().count();
        self.values(evaluation)?;
        let is_sound = evaluation.problems.iter().count() == known;
        if is_sound {
            self.builds(evaluation)
        } else {
            // Objects lack what was not evaluated, and reading that is an error.
            let names = self.names.without_slots();
            let documents: Vec<Document> =
                self.state.documents.iter().map(|one| one.for_layout(names.layout())).collect();
            let mut again =
                TemplateRun::new(self.state, &documents, &names, self.host, (self.marking, self.watch));
            roots::set_fixed(&mut again.scope, &self.state.settings, &self.state.files)?;
            again.set_variables(&evaluation.variables)?;
            again.set_objects(evaluation)?;
            again.builds(evaluation)
        }
    }

    fn set_variables(&mut self, variables: &[Variable]) -> Result<(), Error> {
        for variable in variables {
            set_member(&mut self.scope, "var", variable.name(), variable.computed())?;
        }
        let elsewhere = &self.state.elsewhere.declared;
        for (root, names) in
            [("var", &elsewhere.variables), ("local", &elsewhere.locals), ("data", &elsewhere.data)]
        {
            names.iter().try_for_each(|name| set_member(&mut self.scope, root, name, Value::DYNAMIC))?;
        }
        if self.state.settings.partial {
            return ["var", "local", "data"]
                .iter()
                .try_for_each(|root| self.scope.set_value(root, Value::DYNAMIC));
        }
        if self.names.is_whole("var") {
            let own = variables.iter().map(|one| (one.name(), one.computed()));
            set_object(&mut self.scope, "var", own.chain(unknown(&elsewhere.variables)))?;
        }
        Ok(())
    }

    /// Sets the objects of all locals and data sources that have values.
    fn set_objects(&mut self, evaluation: &Evaluation) -> Result<(), Error> {
        if self.state.settings.partial {
            return Ok(());
        }
        let own = evaluation.locals.iter().map(|one| (one.name(), one.computed()));
        set_object(&mut self.scope, "local", own.chain(unknown(&self.state.elsewhere.declared.locals)))?;
        self.set_data(&evaluation.content.data)
    }

    fn set_data(&mut self, data: &Outputs) -> Result<(), Error> {
        self.is_data_stale = false;
        let types: Vec<(&str, OwnedValue)> =
            data.iter().map(|(kind, outputs)| (kind.as_str(), by_name(outputs))).collect();
        let elsewhere = &self.state.elsewhere.declared.data;
        let own = types.iter().filter(|(kind, _)| !elsewhere.iter().any(|other| other == kind));
        let own = own.map(|(kind, outputs)| (*kind, outputs.get()));
        for (kind, outputs) in own.clone() {
            set_member(&mut self.scope, "data", kind, outputs)?;
        }
        if self.state.settings.partial {
            return Ok(());
        }
        set_object(&mut self.scope, "data", own.chain(unknown(elsewhere)))
    }

    /// Evaluates locals and data sources, but not those that read one with an error: what follows from it is not
    /// reported.
    fn values(&mut self, evaluation: &mut Evaluation) -> Result<(), Error> {
        let definitions = &self.state.definitions;
        let (graph, whole) = graph(definitions, self.names);
        let (order, mut found) = graph.order();
        let (is_partial, elsewhere) = (self.state.settings.partial, &self.state.elsewhere);
        found.retain(|one| match one {
            GraphProblem::Missing(_, name) => !(is_partial || elsewhere.has(name)),
            GraphProblem::Cycle(..) => true,
        });
        if !found.is_empty() {
            report(&found, definitions, &mut evaluation.problems);
            return self.set_objects(evaluation);
        }
        self.set_data(&evaluation.content.data)?;
        // The data blocks of each document.
        let blocks: Vec<Vec<Block<'r>>> = self
            .documents
            .iter()
            .map(|document| document.body().content_lenient(&TOP).0.blocks_of("data").collect())
            .collect();
        let locals = definitions.locals.len();
        let mut values: Vec<Option<OwnedValue>> = vec![None; locals];
        let mut outcome = Ok(());
        let mut failed = Failed::default();
        for node in order {
            if failed.affects(definitions, node) {
                failed.add(definitions, node);
                continue;
            }
            if whole[node] && !self.state.settings.partial {
                let known = definitions.locals.iter().zip(&values);
                let known =
                    known.filter_map(|(local, value)| Some((local.name.as_str(), value.as_ref()?.get())));
                set_object(&mut self.scope, "local", known.chain(unknown(&elsewhere.declared.locals)))?;
                // The object is made again for each of its readers.
                let place = &definitions.place(node);
                self.fuel.spend(locals as u64, &place.source, place.span)?;
            }
            if self.is_data_stale && reads_data(definitions, node) {
                // The objects are made again for each of their readers.
                let outputs = evaluation.content.data.values().map(|outputs| outputs.len() as u64).sum();
                let place = &definitions.place(node);
                self.fuel.spend(outputs, &place.source, place.span)?;
                self.set_data(&evaluation.content.data)?;
            }
            let done = match node.checked_sub(locals) {
                None => self.local(node, &mut values, &mut evaluation.problems),
                Some(data) => self.data(data, &blocks, evaluation),
            };
            match done {
                Ok(true) => {}
                Ok(false) => failed.add(definitions, node),
                Err(error) => {
                    outcome = Err(error);
                    break;
                }
            }
        }
        let locals = definitions.locals.iter().zip(values);
        evaluation.locals = locals
            .filter_map(|(local, value)| {
                let value = MarkedResult::new(value?, self.marking);
                Some(Local { name: local.name.clone(), value, sensitive: local.sensitive })
            })
            .collect();
        if self.names.is_whole("local") {
            self.set_objects(evaluation)?;
        } else if self.is_data_stale {
            self.set_data(&evaluation.content.data)?;
        }
        outcome
    }

    /// Evaluates a local value. Returns false after reporting an error.
    fn local(
        &mut self,
        at: usize,
        values: &mut [Option<OwnedValue>],
        problems: &mut Problems,
    ) -> Result<bool, Error> {
        let local = &self.state.definitions.locals[at];
        let evaluation = local.evaluate(&mut self.session, &self.scope)?;
        self.fuel.spend(evaluation.fuel, local.program.source(), local.program.span())?;
        let is_sound = !evaluation.diagnostics.has_errors();
        let value = OwnedValue::new(evaluation.value);
        let value = if local.sensitive { self.marking.marked(value) } else { value };
        problems.add(evaluation.diagnostics);
        self.watch.local(&mut self.session, &self.scope, local)?;
        if is_sound {
            set_member(&mut self.scope, "local", &local.name, value.get())?;
            values[at] = Some(value);
        }
        Ok(is_sound)
    }

    /// Evaluates the body of a data source and reads it. Returns false after reporting an error.
    fn data(
        &mut self,
        at: usize,
        blocks: &[Vec<Block<'r>>],
        evaluation: &mut Evaluation,
    ) -> Result<bool, Error> {
        let definition = &self.state.definitions.data[at];
        let document = &self.documents[definition.document];
        let Some(block) = blocks.get(definition.document).and_then(|blocks| blocks.get(definition.number))
        else {
            return Ok(true);
        };
        if let Some(dynamic) = block.body().blocks().find(|one| one.kind() == "dynamic") {
            let detail = "Blocks of data sources are written out: `dynamic` makes none here.";
            let place = TextRange::new(document, dynamic.kind_span());
            evaluation.problems.error(&place, "Unsupported block type", detail);
            return Ok(false);
        }
        let mut expansion = self.session.expand(document, &self.scope)?;
        let view = expansion.written(block.body());
        let mut body = self.watch.below(["data", &definition.kind, &definition.name], || {
            Body::read(&mut expansion, view, &|_| false, self.watch)
        })?;
        body.leave_marks(self.marking);
        let found = expansion.take_diagnostics();
        let fuel = expansion.fuel();
        drop(expansion);
        self.fuel.spend(fuel, document.source(), block.header_span())?;
        let is_sound = !found.has_errors();
        evaluation.problems.add(found);
        if !is_sound {
            return Ok(false);
        }
        match self.host.data.read(&definition.kind, &definition.name, &body) {
            Ok(output) => {
                evaluation
                    .content
                    .data
                    .entry(definition.kind.clone())
                    .or_default()
                    .insert(definition.name.clone(), output);
                self.is_data_stale = true;
                Ok(true)
            }
            Err(why) => {
                let title = format!("Data source {}.{} failed", definition.kind, definition.name);
                evaluation.problems.error(&definition.place, title, why);
                Ok(false)
            }
        }
    }

    fn builds(&mut self, evaluation: &mut Evaluation) -> Result<(), Error> {
        let mut builder = BuildEvaluator {
            documents: self.documents,
            session: &mut self.session,
            scope: &mut self.scope,
            given: self.host.builder,
            accepts_unknown: self.state.settings.checking,
            is_partial: self.state.settings.partial,
            elsewhere: &self.state.elsewhere,
            registry: None,
            fuel: &mut self.fuel,
            marking: self.marking,
            watch: self.watch,
            siblings: Siblings::default(),
            used: HashSet::new(),
            problems: BuildProblems::default(),
        };
        let (builds, sources) = builder.builds();
        let registry = builder.registry.take();
        let BuildProblems { headers, unknown, bodies } = builder.problems;
        evaluation.problems.append(headers);
        evaluation.problems.append(unknown);
        if !evaluation.problems.has_errors() {
            evaluation.problems.append(bodies);
            (evaluation.content.builds, evaluation.content.sources) = (builds, sources);
            evaluation.content.registry = registry;
        }
        Ok(())
    }
}

/// Returns members without known values.
fn unknown(names: &[SmolStr]) -> impl Iterator<Item = (&str, Value<'_>)> {
    names.iter().map(|name| (name.as_str(), Value::DYNAMIC))
}
