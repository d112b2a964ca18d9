//! The evaluation of all modules, in the order of their graph.
//!
//! Each of them is evaluated once for every instance of its module. What depends on something with errors is left out.

use std::collections::HashSet;
use std::sync::Arc;

use hclvm::value::{Arena, Entry, View, convert, marks_from};
use hclvm::{Block, Diagnostic, Diagnostics, Error, OwnedValue, Program, Scope, Session, Type, Value};

use super::body::Reader;
use super::declarations::{self, Condition, Mode, Repetition, Variable};
use super::expand::{self, Instance, Key};
use super::graph::Work;
use super::inputs::{self, Collector};
use super::output::{
    Configuration, ModuleValues, OutputValue, ResourceInstance, public, sensitive_parts, written_values,
};
use super::references::Read;
use super::{Evaluation, State};
use crate::constants::{Constants, tier};
use crate::fuel::Fuel;
use crate::given::Given;
use crate::locals::Local;
use crate::marks::Computed;
use crate::names::{object, set_member, set_object};
use crate::problems::{Place, Problems};
use crate::watch::Watch;

impl State {
    /// Evaluates the module.
    pub(super) fn evaluation(&self, given: &Given, watch: &Watch<'_>) -> Evaluation {
        let mut evaluation = Evaluation { problems: self.problems.clone(), ..Evaluation::default() };
        if self.problems.has_errors() {
            evaluation.problems.hide(&self.hidden);
            return evaluation;
        }
        let mut hidden = self.hidden.clone();
        let collector = Collector {
            definitions: &self.tree.folders[0].definitions,
            constants: &mut Constants::new(None, self.settings.limits),
            problems: &mut evaluation.problems,
            checking: self.settings.checking,
            strict: self.settings.strict,
        };
        evaluation.variables =
            collector.collect(&self.engine, self.automatic.iter(), &given.inputs, &mut hidden);
        let are_inputs_sound = !evaluation.problems.has_errors();
        evaluation.problems.append(self.references.clone());
        if are_inputs_sound && !self.graph.has_cycles && !self.settings.partial {
            let mut run = Run::new(self, given, watch);
            if let Err(error) = run.everything(&mut evaluation) {
                evaluation.problems.add(error.to_diagnostics(&self.tree.folders[0].path));
            }
        }
        evaluation.problems.hide(&hidden);
        evaluation.problems.name_marks();
        evaluation
    }
}

/// A module as one of its instances has it.
pub(super) struct ModuleInstance {
    /// The instance of the parent that calls it.
    pub(super) parent: usize,
    pub(super) instance: Instance,
    /// Its address: `module.a["x"].module.b`.
    address: String,
    path: Vec<String>,
    pub(super) scope: Scope,
    variables: Vec<Option<OwnedValue>>,
    locals: Vec<Option<OwnedValue>>,
    pub(super) outputs: Vec<Option<OwnedValue>>,
    pub(super) resources: Vec<Vec<ResourceValue>>,
    /// For each resource whether its slot has the value that is read as a whole; `None` before it is set.
    pub(super) forms: Vec<Option<bool>>,
}

/// An instance of a resource.
pub(super) struct ResourceValue {
    pub(super) key: Key,
    /// What expressions read.
    pub(super) value: OwnedValue,
    /// True if all attributes of it are known, by a schema or a host.
    pub(super) is_complete: bool,
    shown: ResourceInstance,
}

/// The most instances of modules and resources.
const MOST_INSTANCES: usize = 20_000;

/// One evaluation after the variables of the root module have their values.
pub(super) struct Run<'r> {
    pub(super) state: &'r State,
    given: &'r Given,
    watch: &'r Watch<'r>,
    session: Session,
    fuel: Fuel,
    /// The blocks of each folder, by their handles.
    blocks: Vec<Vec<Vec<Block<'r>>>>,
    pub(super) modules: Vec<Vec<ModuleInstance>>,
    problems: Problems,
    instances: usize,
}

/// What evaluations return: `None` after reporting errors.
type Outcome<T> = Result<Option<T>, Error>;

impl<'r> Run<'r> {
    fn new(state: &'r State, given: &'r Given, watch: &'r Watch<'r>) -> Self {
        let mut session = state.engine.session();
        session.set_tier(tier(false));
        let blocks =
            state.tree.folders.iter().map(|folder| declarations::blocks(&folder.documents)).collect();
        let modules = state.tree.nodes.iter().map(|_| Vec::new()).collect();
        let fuel = Fuel::new(&state.settings.limits);
        Self {
            state,
            given,
            watch,
            session,
            fuel,
            blocks,
            modules,
            problems: Problems::default(),
            instances: 0,
        }
    }

    pub(super) fn definitions(&self, node: usize) -> &'r declarations::Definitions {
        &self.state.tree.folders[self.state.tree.nodes[node].folder].definitions
    }

    fn everything(&mut self, evaluation: &mut Evaluation) -> Result<(), Error> {
        let graph = &self.state.graph;
        let mut failed = vec![false; graph.works.len()];
        let mut outcome = Ok(());
        for number in &graph.order {
            let number = *number;
            if graph.reads[number].iter().any(|read| failed[*read]) {
                failed[number] = true;
                continue;
            }
            let (node, work) = graph.works[number];
            if !self.is_sound(node, work) {
                failed[number] = true;
                continue;
            }
            let before = self.problems.errors();
            if let Err(error) = self.work(node, work, evaluation) {
                outcome = Err(error);
                break;
            }
            failed[number] = self.problems.errors() > before;
        }
        evaluation.problems.append(distinct(&self.problems));
        self.finish(evaluation);
        outcome
    }

    /// Returns false if references of a work are wrong, which was reported.
    fn is_sound(&self, node: usize, work: Work) -> bool {
        let of = self.definitions(node);
        let parent = self.state.tree.nodes[node].parent;
        let call = parent.map(|(parent, call)| &self.definitions(parent).calls[call]);
        match work {
            Work::Expand => call.is_none_or(|call| call.is_sound),
            Work::Variable(at) => {
                let mut inputs = call.into_iter().flat_map(|call| &call.inputs);
                inputs.all(|(name, _, expr)| *name != of.variables[at].name || expr.is_some())
            }
            Work::Local(at) => of.local_reads[at].is_some(),
            Work::Resource(at) => of.resources[at].is_sound,
            Work::Output(at) => of.outputs[at].value.is_some(),
            Work::Validation(_) | Work::All | Work::Check(_) => true,
        }
    }

    fn work(&mut self, node: usize, work: Work, evaluation: &Evaluation) -> Result<(), Error> {
        match work {
            Work::Expand => return self.expand(node, evaluation),
            Work::All => return Ok(()),
            _ => {}
        }
        for instance in 0..self.modules[node].len() {
            match work {
                Work::Variable(at) => self.variable(node, instance, at)?,
                Work::Validation(at) => self.validation(node, instance, at)?,
                Work::Local(at) => self.local(node, instance, at)?,
                Work::Resource(at) => self.resource(node, instance, at)?,
                Work::Output(at) => self.output(node, instance, at)?,
                Work::Check(at) => {
                    for assert in &self.definitions(node).checks[at].asserts {
                        self.condition(node, instance, assert, "Check block assertion failed", false)?;
                    }
                }
                Work::Expand | Work::All => {}
            }
        }
        Ok(())
    }

    /// Makes the instances of a module.
    fn expand(&mut self, node: usize, evaluation: &Evaluation) -> Result<(), Error> {
        let Some((parent, call)) = self.state.tree.nodes[node].parent else {
            let root = self.module(node, (0, Instance::ONE), (String::new(), Vec::new()))?;
            self.modules[node].push(root);
            for (at, variable) in evaluation.variables.iter().enumerate() {
                self.set_variable(node, 0, at, OwnedValue::new(variable.computed()))?;
            }
            return Ok(());
        };
        let call = &self.definitions(parent).calls[call];
        for above in 0..self.modules[parent].len() {
            let Some(instances) = self.repeated(parent, above, &call.repetition)? else { continue };
            for instance in instances {
                let outer = &self.modules[parent][above];
                let dot = if outer.address.is_empty() { "" } else { "." };
                let address = format!("{}{dot}module.{}{}", outer.address, call.name, instance.key.suffix());
                let mut path = outer.path.clone();
                path.extend(["module".to_owned(), call.name.to_string()]);
                path.extend(instance.key.name().map(String::from));
                let module = self.module(node, (above, instance), (address, path))?;
                self.modules[node].push(module);
                if !self.has_room(&call.place) {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Returns false after reporting that there are too many instances.
    fn has_room(&mut self, place: &Place) -> bool {
        self.instances += 1;
        if self.instances == MOST_INSTANCES {
            let detail = format!("There are more than {MOST_INSTANCES} instances of modules and resources.");
            self.problems.error(place, "Too many instances", detail);
        }
        self.instances < MOST_INSTANCES
    }

    fn module(
        &mut self,
        node: usize,
        (parent, instance): (usize, Instance),
        (address, path): (String, Vec<String>),
    ) -> Result<ModuleInstance, Error> {
        let folder = &self.state.tree.folders[self.state.tree.nodes[node].folder];
        let mut scope = self.state.engine.scope(folder.names.layout());
        let arena = Arena::new();
        let text = |text: &str| Value::text(&arena, text);
        let paths = [
            ("cwd", text(&self.state.settings.directory)),
            ("module", text(&folder.path)),
            ("root", text(".")),
        ];
        set_object(&mut scope, "path", paths)?;
        let workspace = inputs::workspace(&self.given.inputs);
        let applying = Value::unknown_not_null(&arena, Type::Bool);
        for root in ["terraform", "tofu"] {
            set_object(&mut scope, root, [("workspace", text(&workspace)), ("applying", applying)])?;
        }
        for root in ["each", "count", "self"] {
            scope.set_unknown(root);
        }
        let of = &folder.definitions;
        if let Some(document) = folder.documents.first() {
            let span = document.body().span().empty_at_start();
            self.fuel.spend(scope.layout().names().len() as u64, document.source(), span)?;
        }
        Ok(ModuleInstance {
            parent,
            instance,
            address,
            path,
            scope,
            variables: vec![None; of.variables.len()],
            locals: vec![None; of.locals.len()],
            outputs: vec![None; of.outputs.len()],
            resources: of.resources.iter().map(|_| Vec::new()).collect(),
            forms: vec![None; of.resources.len()],
        })
    }

    /// Returns the instances that `count` or `for_each` make.
    fn repeated(&mut self, node: usize, instance: usize, repetition: &Repetition) -> Outcome<Vec<Instance>> {
        let (expr, is_count) = match (&repetition.count, &repetition.for_each) {
            (Some(count), _) => (count, true),
            (None, Some(for_each)) => (for_each, false),
            (None, None) => return Ok(Some(vec![Instance::ONE])),
        };
        let Some(value) = self.value(node, instance, &expr.program, &expr.reads)? else { return Ok(None) };
        let made = if is_count { expand::of_count(value.get()) } else { expand::of_each(value.get()) };
        match made {
            Ok(instances) => {
                self.fuel.spend(instances.len() as u64, &expr.place.source, expr.place.span)?;
                Ok(Some(instances))
            }
            Err((title, detail)) => {
                self.problems.error(&expr.place, title, detail);
                Ok(None)
            }
        }
    }

    /// Evaluates an expression in a module.
    fn value(
        &mut self,
        node: usize,
        instance: usize,
        program: &Program,
        reads: &[Read],
    ) -> Outcome<OwnedValue> {
        self.bind(node, instance, reads)?;
        let scope = &self.modules[node][instance].scope;
        let evaluation = self.session.evaluate(program, scope)?;
        self.fuel.spend(evaluation.fuel + reads.len() as u64, program.source(), program.span())?;
        let is_sound = !evaluation.diagnostics.has_errors();
        let value = is_sound.then(|| OwnedValue::new(evaluation.value));
        self.problems.add(evaluation.diagnostics);
        Ok(value)
    }

    /// Sets `each` and `count` of an instance of a resource or module.
    fn enter(&mut self, node: usize, instance: usize, of: &Instance) -> Result<(), Error> {
        let scope = &mut self.modules[node][instance].scope;
        if let Some(each) = &of.each {
            scope.set_value("each", each.get())?;
        }
        if let Some(count) = &of.count {
            scope.set_value("count", count.get())?;
        }
        Ok(())
    }

    fn set_variable(
        &mut self,
        node: usize,
        instance: usize,
        at: usize,
        value: OwnedValue,
    ) -> Result<(), Error> {
        let name = &self.definitions(node).variables[at].name;
        let module = &mut self.modules[node][instance];
        set_member(&mut module.scope, "var", name, value.get())?;
        module.variables[at] = Some(value);
        Ok(())
    }

    /// Evaluates the variable of a child module: the argument of the call.
    fn variable(&mut self, node: usize, instance: usize, at: usize) -> Result<(), Error> {
        let Some((parent, call)) = self.state.tree.nodes[node].parent else { return Ok(()) };
        let variable: &Variable = &self.definitions(node).variables[at];
        let call = &self.definitions(parent).calls[call];
        let input = call.inputs.iter().find(|(name, ..)| *name == variable.name);
        let value = match input {
            Some((.., Some(expr))) => {
                let module = &self.modules[node][instance];
                let (above, of) = (module.parent, module.instance.clone());
                self.enter(parent, above, &of)?;
                let Some(value) = self.value(parent, above, &expr.program, &expr.reads)? else {
                    return Ok(());
                };
                match inputs::given_value(variable, &value) {
                    Ok(value) => value,
                    Err(why) => {
                        let detail =
                            format!("The value does not fit `var.{}` of the module: {why}.", variable.name);
                        let title = if value.get().unmark().0.is_null() && !variable.nullable {
                            "Required variable not set"
                        } else {
                            "Invalid value for input variable"
                        };
                        self.problems.error(&expr.place, title, detail);
                        return Ok(());
                    }
                }
            }
            _ => variable
                .default
                .as_ref()
                .map_or_else(|| inputs::unknown(variable), |(value, _)| value.clone()),
        };
        self.set_variable(node, instance, at, inputs::marked(variable, &value))
    }

    fn validation(&mut self, node: usize, instance: usize, at: usize) -> Result<(), Error> {
        let variable = &self.definitions(node).variables[at];
        for validation in &variable.validations {
            self.condition(node, instance, validation, "Invalid value for variable", true)?;
        }
        Ok(())
    }

    /// Reports a condition that fails, as an error or a warning.
    fn condition(
        &mut self,
        node: usize,
        instance: usize,
        one: &Condition,
        title: &str,
        is_error: bool,
    ) -> Result<(), Error> {
        let Some(value) = self.value(node, instance, &one.holds.program, &one.holds.reads)? else {
            return Ok(());
        };
        let arena = Arena::new();
        let (inner, _) = value.get().unmark();
        match convert(&arena, inner, Type::Bool).map(Value::view) {
            Ok(View::Bool(true) | View::Unknown(_)) => return Ok(()),
            Ok(View::Bool(false)) => {}
            _ => {
                let shown = hclvm::show::line(value.get());
                let detail = format!("The condition is {shown}, where true or false is needed.");
                let title = if title.starts_with("Invalid value") {
                    "Invalid variable validation result"
                } else {
                    "Invalid condition result"
                };
                self.problems.error(&one.holds.place, title, detail);
                return Ok(());
            }
        }
        let message = match &one.message {
            None => None,
            Some(message) => self.value(node, instance, &message.program, &message.reads)?,
        };
        let detail = match message.as_ref().map(OwnedValue::get) {
            Some(message) if message.contains_marks() => {
                "The message is not shown, because it depends on a sensitive value.".to_owned()
            }
            Some(message) => match convert(&arena, message, Type::String).ok().and_then(|text| text.as_str())
            {
                Some(text) => text.to_owned(),
                None => "The message has no known text.".to_owned(),
            },
            None => "The message could not be evaluated.".to_owned(),
        };
        if is_error {
            self.problems.error(&one.place, title.to_owned(), detail);
        } else {
            self.problems.warning(&one.place, title.to_owned(), detail);
        }
        Ok(())
    }

    fn local(&mut self, node: usize, instance: usize, at: usize) -> Result<(), Error> {
        let of = self.definitions(node);
        let local = &of.locals[at];
        let reads = of.local_reads[at].as_deref().unwrap_or_default();
        let Some(value) = self.value(node, instance, &local.program, reads)? else { return Ok(()) };
        // Explanations look for definitions in the root module.
        if node == 0 {
            self.watch.local(&mut self.session, &self.modules[node][instance].scope, local)?;
        }
        let module = &mut self.modules[node][instance];
        set_member(&mut module.scope, "local", &local.name, value.get())?;
        module.locals[at] = Some(value);
        Ok(())
    }

    fn output(&mut self, node: usize, instance: usize, at: usize) -> Result<(), Error> {
        let output = &self.definitions(node).outputs[at];
        let before = self.problems.errors();
        for condition in &output.conditions {
            self.condition(node, instance, condition, "Module output value precondition failed", true)?;
        }
        let Some(expr) = output.value.as_ref().filter(|_| self.problems.errors() == before) else {
            return Ok(());
        };
        let Some(value) = self.value(node, instance, &expr.program, &expr.reads)? else { return Ok(()) };
        let arena = Arena::new();
        let marks = value.get().all_marks(&arena);
        if marks.contains("ephemeral") && (!output.ephemeral || node == 0) {
            let detail = "The value depends on an ephemeral one, which no output of the root module keeps, and one of another module if it is declared with ephemeral = true.";
            self.problems.error(&expr.place, "Ephemeral value not allowed", detail);
            return Ok(());
        }
        if marks.contains("sensitive") && !output.sensitive && node == 0 {
            let detail = "The value depends on a sensitive one. Declare the output with sensitive = true, or show what may be shown with nonsensitive(…).";
            self.problems.error(&output.place, "Output refers to sensitive values", detail);
            return Ok(());
        }
        // In other modules the declaration alone marks nothing: only its value does.
        let value = if output.sensitive && node == 0 {
            OwnedValue::new(value.get().with_marks(&arena, marks_from(&arena, &["sensitive"])))
        } else {
            value
        };
        self.modules[node][instance].outputs[at] = Some(value);
        Ok(())
    }

    fn resource(&mut self, node: usize, instance: usize, at: usize) -> Result<(), Error> {
        let resource = &self.definitions(node).resources[at];
        let Some(instances) = self.repeated(node, instance, &resource.repetition)? else { return Ok(()) };
        for of in instances {
            if !self.has_room(&resource.place) {
                return Ok(());
            }
            let before = self.problems.errors();
            self.enter(node, instance, &of)?;
            for condition in &resource.preconditions {
                self.condition(node, instance, condition, "Resource precondition failed", true)?;
            }
            let Some(value) = self.instance(node, instance, at, &of)? else { continue };
            if self.problems.errors() > before {
                continue;
            }
            if !resource.postconditions.is_empty() {
                let known = if value.is_complete { value.value.get() } else { Value::DYNAMIC };
                self.modules[node][instance].scope.set_value("self", known)?;
                for condition in &resource.postconditions {
                    self.condition(node, instance, condition, "Resource postcondition failed", true)?;
                }
            }
            self.modules[node][instance].resources[at].push(value);
        }
        Ok(())
    }

    /// Evaluates the body of a resource for one of its instances.
    fn instance(&mut self, node: usize, instance: usize, at: usize, of: &Instance) -> Outcome<ResourceValue> {
        let folder = self.state.tree.nodes[node].folder;
        let resource = &self.definitions(node).resources[at];
        self.bind(node, instance, &resource.reads)?;
        let blocks: Vec<Block<'r>> = resource
            .blocks
            .iter()
            .filter_map(|(document, block)| self.blocks[folder].get(*document)?.get(*block).copied())
            .collect();
        let blocks = match resource.nested {
            None => blocks,
            Some(_) => declarations::nested_data(&blocks, resource),
        };
        let module = &self.modules[node][instance];
        let mut names = module.path.clone();
        if resource.mode != Mode::Managed {
            names.push(resource.mode.prefix().trim_end_matches('.').to_owned());
        }
        names.extend([resource.kind.to_string(), resource.name.to_string()]);
        names.extend(of.key.name().map(String::from));
        let before = self.problems.errors();
        let mut reader = Reader {
            session: &mut self.session,
            scope: &module.scope,
            fuel: &mut self.fuel,
            problems: &mut self.problems,
            watch: self.watch,
        };
        let body = self.watch.below(names.clone(), || reader.resource(&blocks))?;
        if self.problems.errors() > before {
            return Ok(None);
        }
        let schema = self.state.schemas.get(resource.mode, &resource.kind);
        let host = self.of_host(node, resource);
        let shown = match schema {
            Some(schema) => schema.value(&body, &resource.place, &mut self.problems),
            None => written_values(&body),
        };
        let (value, is_complete) = match (host, resource.mode, schema) {
            (Some(value), ..) => (value, true),
            (None, Mode::Ephemeral, _) => (OwnedValue::new(Value::DYNAMIC), false),
            (None, _, Some(_)) => (shown.clone(), true),
            (None, _, None) => {
                let written = shown
                    .get()
                    .as_entries()
                    .unwrap_or_default()
                    .iter()
                    .filter(|one| body.attribute(one.name).is_some());
                let unknown = resource.attributes.iter().map(|name| (name.as_str(), Value::DYNAMIC));
                let members = unknown.chain(written.map(|one: &Entry<'_>| (one.name, one.value)));
                (object(members), false)
            }
        };
        let dot = if module.address.is_empty() { "" } else { "." };
        let (prefix, kind, name) = (resource.mode.prefix(), &resource.kind, &resource.name);
        let shown = ResourceInstance {
            address: format!("{}{dot}{prefix}{kind}.{name}{}", module.address, of.key.suffix()),
            mode: resource.mode,
            kind: kind.clone(),
            name: name.clone(),
            index: of.key.clone().into(),
            provider: schema
                .map_or_else(|| provider(self.definitions(node), kind), |schema| schema.provider.clone()),
            version: schema.map(|schema| schema.version),
            values: public(shown.get()),
            sensitive: sensitive_parts(shown.get()),
            path: names,
        };
        Ok(Some(ResourceValue { key: of.key.clone(), value, is_complete, shown }))
    }

    /// Returns the value that the host gives of a data source of the root module.
    fn of_host(&self, node: usize, resource: &declarations::Resource) -> Option<OwnedValue> {
        if node != 0 || resource.mode != Mode::Data {
            return None;
        }
        let types = self.given.members("data").iter().rev();
        let (_, members) = types.into_iter().find(|(kind, _)| *kind == resource.kind)?;
        let found = members.get().as_entries()?.iter().find(|entry| entry.name == resource.name)?;
        Some(OwnedValue::new(found.value))
    }

    /// Moves the values to the results.
    fn finish(&mut self, evaluation: &mut Evaluation) {
        let mut configuration = Configuration::default();
        let mut numbers: Vec<Vec<usize>> = Vec::new();
        for (node, instances) in std::mem::take(&mut self.modules).into_iter().enumerate() {
            let of = self.definitions(node);
            let parent = self.state.tree.nodes[node].parent;
            let mut own = Vec::new();
            for instance in instances {
                own.push(configuration.modules.len());
                let above = parent.and_then(|(parent, _)| numbers.get(parent)?.get(instance.parent).copied());
                let named = of.locals.iter().zip(&instance.locals);
                let locals: Vec<Local> = named
                    .filter_map(|(local, value)| {
                        let value = value.clone()?;
                        let result = public(value.get());
                        let value = Computed::with_result(value, result);
                        Some(Local { name: local.name.clone(), value, sensitive: false })
                    })
                    .collect();
                let outputs = of.outputs.iter().zip(&instance.outputs).filter_map(|(output, value)| {
                    let value = public(value.as_ref()?.get());
                    Some(OutputValue { name: output.name.clone(), value, sensitive: output.sensitive })
                });
                let outputs: Vec<OutputValue> = outputs.collect();
                let variables = if node == 0 {
                    Vec::new()
                } else {
                    of.variables
                        .iter()
                        .zip(&instance.variables)
                        .filter_map(|(one, value)| Some((one.name.clone(), public(value.as_ref()?.get()))))
                        .collect()
                };
                let first = configuration.resources.len();
                configuration.resources.extend(instance.resources.into_iter().flatten().map(|one| one.shown));
                let locals = if node == 0 {
                    evaluation.locals = locals;
                    Vec::new()
                } else {
                    locals
                };
                configuration.modules.push(ModuleValues {
                    address: instance.address,
                    path: instance.path,
                    parent: above,
                    variables,
                    locals,
                    outputs,
                    resources: first..configuration.resources.len(),
                });
            }
            numbers.push(own);
        }
        evaluation.content = configuration;
    }
}

/// Returns the source of the provider of a resource.
fn provider(definitions: &declarations::Definitions, kind: &str) -> String {
    const REGISTRY: &str = "registry.terraform.io";
    let name = kind.split('_').next().unwrap_or(kind);
    match definitions.providers.get(name).map(String::as_str) {
        None => format!("{REGISTRY}/hashicorp/{name}"),
        Some(source) => match source.matches('/').count() {
            0 => format!("{REGISTRY}/hashicorp/{source}"),
            1 => format!("{REGISTRY}/{source}"),
            _ => source.to_owned(),
        },
    }
}

/// Returns problems without those that are equal to earlier ones: instances of a module have equal ones.
fn distinct(problems: &Problems) -> Problems {
    let mut seen = HashSet::new();
    let mut kept = Problems::default();
    for group in problems.groups() {
        let is_new = |one: &&Diagnostic| {
            let place = one.subject.map(|span| (span.start, span.end));
            seen.insert((group.source().name(), place, one.title.clone(), one.detail.clone()))
        };
        let list = group.iter().filter(is_new).cloned().collect();
        kept.add(Diagnostics::new(Arc::clone(group.source()), list));
    }
    kept
}
