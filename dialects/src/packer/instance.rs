//! A template with values that are kept: when a variable changes, only what depends on it is evaluated again.
//!
//! ```text
//! var.a ──▶ local.b ──▶ local.c          readers: the locals that read each name, in evaluation order
//!   ╰──────────┴──────────┴──▶ cells     the attributes of bodies that read it, each with its place in the results
//! ```
//!
//! A local whose value stays the same changes nothing behind it. What decides which bodies exist, and the content of
//! dynamic blocks, has no cells: if it may change, the template is evaluated as a whole. So it is after errors.

use std::collections::{BTreeSet, HashMap, HashSet};

use hclvm::analysis::Paths;
use hclvm::value::{Arena, identical};
use hclvm::{Body as WrittenBody, Error, OwnedValue, Program, Scope, Session};
use smol_str::{SmolStr, format_smolstr};

use super::evaluate::{Evaluation, Host};
use super::order::local_order;
use super::{Module, TemplateState, VARIABLES, roots};
use crate::constants::ConstantEvaluator;
use crate::evaluated::Body;
use crate::inputs::Inputs;
use crate::locals::Local;
use crate::marks::{MarkedResult, Marking};
use crate::names::{set_member, set_object};
use crate::problems::Problems;
use crate::variables::{Undeclared, Validator, Variable, VariableCollector};

/// A template with kept values.
#[derive(Debug)]
pub struct Instance<'h> {
    module: Module,
    inputs: Inputs,
    host: Host<'h>,
    evaluation: Evaluation,
    /// `None` if the last whole evaluation had errors.
    kept: Option<KeptSlots>,
}

/// The values that a change of a variable evaluated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Update {
    /// The number of locals and attributes that were evaluated.
    pub evaluated: usize,
    /// The names of locals whose values changed.
    pub locals: Vec<SmolStr>,
    /// True if the whole template was evaluated, because more than values may have changed.
    pub whole: bool,
}

/// The values by slot, and what reads them.
#[derive(Debug)]
struct KeptSlots {
    session: Session,
    scope: Scope,
    constants: ConstantEvaluator,
    validator: Validator,
    /// The locals in evaluation order.
    order: Vec<usize>,
    /// The positions in `order` of the locals that read a name.
    local_readers: HashMap<SmolStr, Vec<usize>>,
    cells: Vec<KeptAttribute>,
    /// The cells that read a name.
    cell_readers: HashMap<SmolStr, Vec<usize>>,
    /// Names that decide more than the values of cells.
    structural: HashSet<SmolStr>,
}

/// An attribute of an evaluated body.
#[derive(Debug)]
struct KeptAttribute {
    build: usize,
    source: usize,
    step: SourceBody,
    /// The blocks that lead to the body, by their positions, and the position of the attribute in it.
    blocks: Vec<usize>,
    attribute: usize,
    program: Program,
    /// True if it reads `source` or `build`.
    reads_place: bool,
}

/// A body of a source of a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SourceBody {
    Source,
    Provisioner(usize),
    PostProcessor(usize, usize),
    ErrorCleanup,
}

impl Module {
    /// Evaluates the template and keeps its values for changes of variables.
    ///
    /// ```
    /// use hclvm_dialects::{File, Files, Inputs, packer};
    ///
    /// let file = File::new("a.pkr.hcl", r#"
    ///     variable "a" { default = "x" }
    ///     variable "b" { default = "y" }
    ///     locals {
    ///       upper = upper(var.a)
    ///       other = lower(var.b)
    ///     }
    /// "#);
    /// let module = packer::Settings::new().prepare(&Files::of(&packer::Packer, ".", [file]))?;
    /// let mut instance = module.instance(Inputs::new(), packer::Host::default());
    /// let update = instance.set_argument("a", "z")?;
    /// assert_eq!((update.evaluated, update.whole), (1, false));
    /// assert_eq!(instance.evaluation().local("upper").and_then(|one| one.as_str()), Some("Z"));
    /// # Ok::<(), hclvm_dialects::Problems>(())
    /// ```
    pub fn instance<'h>(&self, inputs: Inputs, host: Host<'h>) -> Instance<'h> {
        let evaluation = self.evaluate_with(&inputs, host);
        let kept = self.kept(&evaluation);
        Instance { module: self.clone(), inputs, host, evaluation, kept }
    }

    /// Returns what an update needs; `None` if there are errors.
    fn kept(&self, evaluation: &Evaluation) -> Option<KeptSlots> {
        // Registries are evaluated with the whole template.
        if evaluation.problems().has_errors() || evaluation.content().has_registry() {
            return None;
        }
        KeptSlots::new(&self.0, evaluation).ok()
    }
}

impl Instance<'_> {
    /// Returns the values.
    pub fn evaluation(&self) -> &Evaluation {
        &self.evaluation
    }

    /// Sets an argument of the command line, in place of one that was set before, and evaluates what depends on it.
    ///
    /// # Errors
    /// Problems of the new value, or of values that depend on it. Nothing is changed then.
    pub fn set_argument(&mut self, name: &str, text: &str) -> Result<Update, Problems> {
        let state = &self.module.0;
        let at = state.definitions.variables.find(name);
        let (Some(kept), Some(at)) = (&mut self.kept, at) else {
            return self.replace(self.with_argument(name, text));
        };
        let mut update = Update::default();
        let variable = kept.argument(state, at, text, &self.evaluation.variables[at])?;
        if let Ok(true) = kept.change(state, at, &variable, &mut self.evaluation, &mut update) {
            self.evaluation.variables[at] = variable;
            // In place: the inputs may hold a whole environment.
            self.inputs.arguments.retain(|(known, _)| known != name);
            self.inputs.arguments.push((name.to_owned(), text.to_owned()));
            return Ok(update);
        }
        // Errors and changes of the structure: a complete evaluation reports them.
        let mut whole = self.replace(self.with_argument(name, text))?;
        // Values that were changed already are no difference to the values before.
        update.locals.retain(|one| !whole.locals.contains(one));
        whole.locals.append(&mut update.locals);
        Ok(whole)
    }

    /// Returns the inputs with another argument.
    fn with_argument(&self, name: &str, text: &str) -> Inputs {
        let mut inputs = self.inputs.clone();
        inputs.arguments.retain(|(known, _)| known != name);
        inputs.argument(name, text)
    }

    /// Evaluates the template as a whole with other inputs.
    ///
    /// # Errors
    /// Problems of the values. Nothing is changed then.
    pub fn replace(&mut self, inputs: Inputs) -> Result<Update, Problems> {
        let evaluation = self.module.evaluate_with(&inputs, self.host);
        if evaluation.problems().has_errors() {
            // Values of a change that was begun are in the old evaluation.
            self.evaluation = self.module.evaluate_with(&self.inputs, self.host);
            self.kept = self.module.kept(&self.evaluation);
            return Err(evaluation.problems().clone());
        }
        let old = std::mem::replace(&mut self.evaluation, evaluation);
        self.inputs = inputs;
        self.kept = self.module.kept(&self.evaluation);
        let judge = Arena::new();
        let is_changed = |one: &&crate::Local| {
            !old.local(one.name()).is_some_and(|old| identical(&judge, old, one.value()))
        };
        let locals = self.evaluation.locals.iter().filter(is_changed).map(|one| one.name().into()).collect();
        let cells = self.kept.as_ref().map_or(0, |kept| kept.cells.len());
        Ok(Update { evaluated: self.evaluation.locals.len() + cells, locals, whole: true })
    }
}

impl KeptSlots {
    fn new(state: &TemplateState, evaluation: &Evaluation) -> Result<Self, Error> {
        let mut session = state.engine.session();
        session.set_tier(crate::constants::tier(state.settings.checking));
        let scope = evaluation.scope(state)?;
        let order = local_order(&state.definitions, &state.names);
        let mut local_readers: HashMap<SmolStr, Vec<usize>> = HashMap::new();
        for (position, local) in order.iter().enumerate() {
            for name in read_names(state, &state.definitions.locals[*local].reads) {
                local_readers.entry(name).or_default().push(position);
            }
        }
        let mut cells = Vec::new();
        for (build, one) in evaluation.content.builds().iter().enumerate() {
            for (source, one) in one.sources().iter().enumerate() {
                one.each_body(|step, body| {
                    collect(body, &mut Vec::new(), &mut |blocks, attribute, program| {
                        let (blocks, program) = (blocks.to_vec(), program.clone());
                        let reads_place = ["source", "build"].iter().any(|root| reads_root(&program, root));
                        cells.push(KeptAttribute {
                            build,
                            source,
                            step,
                            blocks,
                            attribute,
                            program,
                            reads_place,
                        });
                    });
                });
            }
        }
        let mut cell_readers: HashMap<SmolStr, Vec<usize>> = HashMap::new();
        for (at, cell) in cells.iter().enumerate() {
            for name in read_names(state, &cell.program.referenced_paths()) {
                cell_readers.entry(name).or_default().push(at);
            }
        }
        let structural = structural(state, evaluation);
        let constants = ConstantEvaluator::new(None, state.settings.limits);
        let validator = Validator::new(&state.engine).exploring(state.settings.checking);
        Ok(Self {
            session,
            scope,
            constants,
            validator,
            order,
            local_readers,
            cells,
            cell_readers,
            structural,
        })
    }

    /// Returns a variable with the value of an argument.
    fn argument(
        &mut self,
        state: &TemplateState,
        at: usize,
        text: &str,
        before: &Variable,
    ) -> Result<Variable, Problems> {
        let mut problems = Problems::default();
        let declarations = &state.definitions.variables;
        let mut variable = VariableCollector {
            declarations,
            rules: VARIABLES,
            constants: &mut self.constants,
            problems: &mut problems,
            in_files: Undeclared::Ignored,
            in_arguments: Undeclared::Error,
        }
        .with_argument(at, text, before);
        variable.mark(state.settings.marking());
        self.validator.validate(&declarations.list[at], &variable, &mut problems);
        problems.hide(&state.hidden);
        if problems.has_errors() { Err(problems) } else { Ok(variable) }
    }

    /// Evaluates what depends on a variable. Returns false if the whole template has to be evaluated.
    fn change(
        &mut self,
        state: &TemplateState,
        at: usize,
        variable: &Variable,
        evaluation: &mut Evaluation,
        update: &mut Update,
    ) -> Result<bool, Error> {
        let (judge, marking) = (Arena::new(), state.settings.marking());
        if identical(&judge, evaluation.variables[at].computed(), variable.computed()) {
            return Ok(true);
        }
        set_member(&mut self.scope, "var", variable.name(), variable.computed())?;
        let mut changed = vec![format_smolstr!("var.{}", variable.name()), SmolStr::new_static("var")];
        if state.names.is_whole("var") {
            let members = evaluation.variables.iter().enumerate();
            let members =
                members.map(|(one, old)| (old.name(), if one == at { variable } else { old }.computed()));
            set_object(&mut self.scope, "var", members)?;
        }
        let mut waiting: BTreeSet<usize> = BTreeSet::new();
        let mut cells: BTreeSet<usize> = BTreeSet::new();
        // The locals before this one do not see the change: of one that reads all locals, they are those that it sees.
        let mut first = 0;
        while let Some(name) = changed.pop() {
            if self.structural.contains(&name) {
                return Ok(false);
            }
            let readers = self.local_readers.get(&name).into_iter().flatten();
            waiting.extend(readers.filter(|position| **position >= first));
            cells.extend(self.cell_readers.get(&name).into_iter().flatten());
            while changed.is_empty()
                && let Some(position) = waiting.pop_first()
            {
                let local = self.order[position];
                let definition = &state.definitions.locals[local];
                if state.names.needs_object("local", &definition.reads) {
                    let members = self.order[..position].iter().map(|at| &evaluation.locals[*at]);
                    set_locals(&mut self.scope, members)?;
                }
                let found = definition.evaluate(&mut self.session, &self.scope)?;
                if found.diagnostics.has_errors() {
                    return Ok(false);
                }
                update.evaluated += 1;
                let kept = &mut evaluation.locals[local];
                let value = OwnedValue::new(found.value);
                let value = if definition.sensitive { marking.marked(value) } else { value };
                if identical(&judge, kept.computed(), value.get()) {
                    continue;
                }
                kept.value = MarkedResult::new(value, marking);
                set_member(&mut self.scope, "local", &definition.name, kept.computed())?;
                update.locals.push(definition.name.clone());
                changed = vec![format_smolstr!("local.{}", definition.name), SmolStr::new_static("local")];
                first = position + 1;
            }
        }
        if state.names.is_whole("local") {
            set_locals(&mut self.scope, &evaluation.locals)?;
        }
        update.evaluated += cells.len();
        self.evaluate(&cells, marking, evaluation)
    }

    /// Evaluates cells. Returns false if there are errors.
    fn evaluate(
        &mut self,
        cells: &BTreeSet<usize>,
        marking: Marking,
        evaluation: &mut Evaluation,
    ) -> Result<bool, Error> {
        let mut entered = None;
        for cell in cells {
            let cell = &self.cells[*cell];
            let content = &mut evaluation.content;
            let build = &content.builds[cell.build];
            let is_step = cell.step != SourceBody::Source;
            if cell.reads_place && entered != Some((cell.build, cell.source, is_step)) {
                let source = &build.sources()[cell.source];
                self.scope.set_value("source", source.root(marking).get())?;
                let value =
                    if is_step { content.build_value(cell.build, marking) } else { roots::no_build() };
                self.scope.set_value("build", value.get())?;
                entered = Some((cell.build, cell.source, is_step));
            }
            let found = self.session.evaluate(&cell.program, &self.scope)?;
            if found.diagnostics.has_errors() {
                return Ok(false);
            }
            let value = marking.result(OwnedValue::new(found.value));
            let source = content.builds[cell.build].source_mut(cell.source);
            if let Some(body) = source.and_then(|source| source.body_mut(cell.step)) {
                body.set(&cell.blocks, cell.attribute, value);
            }
        }
        if entered.is_some() {
            // Locals can only read what exists outside of builds.
            self.scope.set_value("source", roots::no_source().get())?;
            self.scope.set_value("build", roots::no_build().get())?;
        }
        Ok(true)
    }
}

/// Sets `local` to an object of these values.
fn set_locals<'l>(scope: &mut Scope, locals: impl IntoIterator<Item = &'l Local>) -> Result<(), Error> {
    set_object(scope, "local", locals.into_iter().map(|one| (one.name(), one.computed())))
}

fn reads_root(program: &Program, root: &str) -> bool {
    program.variables().iter().any(|one| one.root() == root)
}

/// Calls `visit` with each attribute that has a program: the blocks that lead to it, its position, its program.
fn collect(body: &Body, blocks: &mut Vec<usize>, visit: &mut impl FnMut(&[usize], usize, &Program)) {
    for (at, program) in body.programs().enumerate() {
        if let Some(program) = program {
            visit(blocks, at, program);
        }
    }
    for (at, block) in body.blocks().iter().enumerate() {
        blocks.push(at);
        collect(block.body(), blocks, visit);
        blocks.pop();
    }
}

/// Returns the names that an expression reads: `var.a`, `local.b`, `data`, or an object as a whole.
fn read_names(state: &TemplateState, paths: &Paths) -> Vec<SmolStr> {
    let mut names = Vec::new();
    for (root, need) in paths {
        if !matches!(root.as_str(), "var" | "local" | "data") {
            continue;
        }
        if state.names.needs_object(root, paths) {
            names.push(root.clone());
        }
        names.extend(need.names().map(|name| format_smolstr!("{root}.{name}")));
    }
    names
}

/// Returns the names that decide more than the values of cells: those read by data sources, by the headers of builds,
/// in dynamic blocks, and by the sources that no build uses.
fn structural(state: &TemplateState, evaluation: &Evaluation) -> HashSet<SmolStr> {
    let mut found = HashSet::new();
    let mut add = |paths: &Paths| found.extend(read_names(state, paths));
    for data in &state.definitions.data {
        data.reads.iter().for_each(&mut add);
    }
    for document in &state.documents {
        let content = document.body().content_lenient(&super::declarations::TOP).0;
        for block in &content.blocks {
            let mut labels = block.labels();
            let (kind, name) = (labels.next().unwrap_or_default(), labels.next().unwrap_or_default());
            let is_unused = || {
                evaluation.content.unused_sources().iter().any(|one| (one.kind(), one.name()) == (kind, name))
            };
            match block.kind() {
                "build" => header_reads(block.body(), 0, &mut add),
                "source" if document.is_json() || is_unused() => each_attribute(block.body(), &mut add),
                "source" => dynamic_reads(block.body(), &mut add),
                _ => {}
            }
        }
    }
    found
}

/// Visits what the attributes of a build and the arguments that all its blocks have read, and its dynamic blocks.
fn header_reads(body: WrittenBody<'_>, depth: usize, add: &mut impl FnMut(&Paths)) {
    if body.document().is_json() {
        return each_attribute(body, add);
    }
    for attribute in body.attributes() {
        if depth == 0 || super::build::is_common(attribute.name()) {
            add(&attribute.referenced_paths());
        }
    }
    for block in body.blocks() {
        if block.kind() == "dynamic" {
            each_attribute(block.body(), add);
        } else {
            header_reads(block.body(), depth + 1, add);
        }
    }
}

fn dynamic_reads(body: WrittenBody<'_>, add: &mut impl FnMut(&Paths)) {
    let mut open = vec![body];
    while let Some(body) = open.pop() {
        for block in body.blocks() {
            if block.kind() == "dynamic" {
                each_attribute(block.body(), add);
            } else {
                open.push(block.body());
            }
        }
    }
}

fn each_attribute(body: WrittenBody<'_>, add: &mut impl FnMut(&Paths)) {
    let mut open = vec![body];
    while let Some(body) = open.pop() {
        body.attributes().for_each(|attribute| add(&attribute.referenced_paths()));
        open.extend(body.blocks().map(|block| block.body()));
    }
}
