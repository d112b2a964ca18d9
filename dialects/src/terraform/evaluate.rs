//! The evaluation of all modules, in the order of their graph.
//!
//! ```text
//! changed variable ─▶ works that read it ─▶ works that read these …     as long as the values differ
//! ```
//!
//! Each work is evaluated once for every instance of its module. What depends on something with errors is left out. An
//! [`Evaluator`] keeps the values of an evaluation without errors, so that the next one evaluates only the works that
//! depend on what changed.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use hclvm::value::{Arena, identical};
use hclvm::{Block, Diagnostic, Diagnostics, Error, OwnedValue, Program, Session};
use smol_str::SmolStr;

use super::declarations::{self, ModuleDefinitions};
use super::graph::Work;
use super::inputs::{self, InputCollector};
use super::modules::ModuleInstance;
use super::references::Reference;
use super::resources::of_host;
use super::{Evaluation, EvaluationState};
use crate::constants::{ConstantEvaluator, tier};
use crate::fuel::Fuel;
use crate::given::Given;
use crate::problems::Problems;
use crate::watch::Watch;

impl EvaluationState {
    /// Evaluates the module.
    pub(super) fn evaluation(&self, given: &Given, watch: &Watch<'_>) -> Evaluation {
        self.evaluation_after(&mut None, &mut self.constants(), given, watch)
    }

    fn constants(&self) -> ConstantEvaluator {
        ConstantEvaluator::new(None, self.settings.limits)
    }

    /// Evaluates the module with the values that were kept, and replaces them if there are no errors.
    fn evaluation_after<'r>(
        &'r self,
        kept: &mut Option<KeptEvaluation<'r>>,
        constants: &mut ConstantEvaluator,
        given: &Given,
        watch: &Watch<'_>,
    ) -> Evaluation {
        let mut evaluation = Evaluation { problems: self.problems.clone(), ..Evaluation::default() };
        if self.problems.has_errors() {
            evaluation.problems.hide(&self.hidden);
            return evaluation;
        }
        let mut hidden = self.hidden.clone();
        let collector = InputCollector {
            definitions: &self.tree.folders[0].definitions,
            constants,
            problems: &mut evaluation.problems,
            checking: self.settings.checking,
            strict: self.settings.strict,
        };
        evaluation.variables =
            collector.collect(&self.engine, self.automatic.iter(), &given.inputs, &mut hidden);
        let are_inputs_sound = !evaluation.problems.has_errors();
        evaluation.problems.append(self.references.clone());
        if are_inputs_sound && !self.graph.has_cycles && !self.settings.partial {
            let mut run = TerraformRun::new(self, given, watch, kept.take());
            let is_first = run.is_first();
            let mut found = run.everything(&evaluation);
            if found.has_errors() && !is_first {
                // What failed, and what depends on it, has values of the evaluation before.
                run = TerraformRun::new(self, given, watch, None);
                found = run.everything(&evaluation);
            }
            evaluation.problems.append(found);
            run.finish(&mut evaluation);
            *kept = Some(run.kept).filter(|_| !evaluation.problems.has_errors());
        }
        evaluation.problems.hide(&hidden);
        evaluation.problems.name_marks();
        evaluation
    }
}

/// Evaluates a module many times, each time only what depends on values that changed since the last time.
pub struct Evaluator<'m> {
    state: &'m EvaluationState,
    constants: ConstantEvaluator,
    kept: Option<KeptEvaluation<'m>>,
}

impl<'m> Evaluator<'m> {
    pub(super) fn new(state: &'m EvaluationState) -> Self {
        Self { state, constants: state.constants(), kept: None }
    }

    /// Evaluates the module. The values and the problems are those of
    /// [`Module::evaluate_with`](super::Module::evaluate_with).
    pub fn evaluate(&mut self, given: &Given) -> Evaluation {
        Watch::nothing(|watch| self.state.evaluation_after(&mut self.kept, &mut self.constants, given, watch))
    }
}

impl std::fmt::Debug for Evaluator<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Evaluator").field("has_values", &self.kept.is_some()).finish_non_exhaustive()
    }
}

/// The values of an evaluation, and what is needed to evaluate parts of it again.
pub(super) struct KeptEvaluation<'r> {
    pub(super) session: Session,
    /// The blocks of each folder, by their handles.
    pub(super) blocks: Vec<Vec<Vec<Block<'r>>>>,
    pub(super) modules: Vec<Vec<ModuleInstance<'r>>>,
    /// The number of instances of modules and resources.
    pub(super) instances: usize,
    /// The problems of the works that have some.
    problems: HashMap<usize, Problems>,
    pub(super) workspace: SmolStr,
    /// The values that the host gave of data sources.
    data: Vec<(String, OwnedValue)>,
}

impl<'r> KeptEvaluation<'r> {
    fn new(state: &'r EvaluationState, workspace: SmolStr) -> Self {
        let mut session = state.engine.session();
        session.set_tier(tier(false));
        let folders = state.tree.folders.iter();
        Self {
            session,
            blocks: folders.map(|folder| declarations::blocks(&folder.documents)).collect(),
            modules: state.tree.nodes.iter().map(|_| Vec::new()).collect(),
            instances: 0,
            problems: HashMap::new(),
            workspace,
            data: Vec::new(),
        }
    }
}

/// One evaluation after the variables of the root module have their values.
pub(super) struct TerraformRun<'r, 'g> {
    pub(super) state: &'r EvaluationState,
    pub(super) given: &'g Given,
    pub(super) watch: &'g Watch<'g>,
    pub(super) fuel: Fuel,
    pub(super) kept: KeptEvaluation<'r>,
    /// The problems of the work that is being evaluated.
    pub(super) problems: Problems,
}

/// What evaluations return: `None` after reporting errors.
pub(super) type Outcome<T> = Result<Option<T>, Error>;

/// What became of a work.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WorkOutcome {
    Same,
    Changed,
    Failed,
}

impl<'r, 'g> TerraformRun<'r, 'g> {
    fn new(
        state: &'r EvaluationState,
        given: &'g Given,
        watch: &'g Watch<'g>,
        kept: Option<KeptEvaluation<'r>>,
    ) -> Self {
        let workspace = inputs::workspace(&given.inputs);
        let kept = kept.filter(|kept| kept.workspace == workspace);
        let kept = kept.unwrap_or_else(|| KeptEvaluation::new(state, workspace));
        let fuel = Fuel::new(&state.settings.limits);
        Self { state, given, watch, fuel, kept, problems: Problems::default() }
    }

    pub(super) fn definitions(&self, node: usize) -> &'r ModuleDefinitions {
        &self.state.tree.folders[self.state.tree.nodes[node].folder].definitions
    }

    /// Returns true if no values are kept.
    fn is_first(&self) -> bool {
        self.kept.modules[0].is_empty()
    }

    /// Evaluates what is due. Returns the problems of all works.
    fn everything(&mut self, evaluation: &Evaluation) -> Problems {
        let graph = &self.state.graph;
        let is_first = self.is_first();
        let mut progress = vec![WorkOutcome::Same; graph.works.len()];
        let mut outcome = Ok(());
        for number in &graph.order {
            let number = *number;
            let (node, work) = graph.works[number];
            let reads = || graph.reads[number].iter().map(|read| progress[*read]);
            if reads().any(|read| read == WorkOutcome::Failed) || !self.is_sound(node, work) {
                progress[number] = WorkOutcome::Failed;
                continue;
            }
            let is_due = is_first
                || graph.reads_outside[number]
                || reads().any(|read| read == WorkOutcome::Changed)
                || self.is_given_anew(node, work, evaluation);
            if !is_due {
                continue;
            }
            outcome = self.work(node, work, evaluation).map(|is_changed| {
                progress[number] = if is_changed { WorkOutcome::Changed } else { WorkOutcome::Same };
            });
            let problems = std::mem::take(&mut self.problems);
            if problems.has_errors() {
                progress[number] = WorkOutcome::Failed;
            }
            if problems.is_empty() {
                self.kept.problems.remove(&number);
            } else {
                self.kept.problems.insert(number, problems);
            }
            if outcome.is_err() {
                break;
            }
        }
        self.kept.data = self.given.members("data").to_vec();
        let mut problems = Problems::default();
        if !self.kept.problems.is_empty() {
            let found = graph.order.iter().filter_map(|number| self.kept.problems.get(number));
            found.for_each(|found| problems.append(found.clone()));
        }
        let mut problems = distinct(&problems);
        if let Err(error) = outcome {
            problems.add(error.to_diagnostics(&self.state.tree.folders[0].path));
        }
        problems
    }

    /// Returns false if references of a work are wrong, which was reported.
    fn is_sound(&self, node: usize, work: Work) -> bool {
        let of = self.definitions(node);
        let parent = self.state.tree.nodes[node].parent;
        let call = parent.map(|(parent, call)| &self.definitions(parent).calls[call]);
        match work {
            Work::Expand => call.is_none_or(|call| call.is_sound),
            Work::Variable(at) => {
                let input = call.and_then(|call| call.input(&of.variables[at].name));
                input.is_none_or(|input| input.expr.is_some())
            }
            Work::Local(at) => of.local_reads[at].is_some(),
            Work::Resource(at) => of.resources[at].is_sound,
            Work::Output(at) => of.outputs[at].value.is_some(),
            Work::Validation(_) | Work::All | Work::Check(_) => true,
        }
    }

    /// Returns true if a work gets another value from outside of the module than in the evaluation that was kept.
    fn is_given_anew(&self, node: usize, work: Work, evaluation: &Evaluation) -> bool {
        if node != 0 {
            return false;
        }
        let judge = Arena::new();
        match work {
            Work::Variable(at) => {
                let kept = self.kept.modules[0].first().and_then(|root| root.variables[at].as_ref());
                let value = evaluation.variables[at].computed();
                kept.is_none_or(|kept| !identical(&judge, kept.value(), value))
            }
            Work::Resource(at) => {
                let resource = &self.definitions(node).resources[at];
                let [old, new] =
                    [&self.kept.data, self.given.members("data")].map(|data| of_host(data, resource));
                match (old, new) {
                    (Some(old), Some(new)) => !identical(&judge, old, new),
                    (old, new) => old.is_some() || new.is_some(),
                }
            }
            _ => false,
        }
    }

    /// Evaluates a work. Returns true if the values that others read changed.
    fn work(&mut self, node: usize, work: Work, evaluation: &Evaluation) -> Result<bool, Error> {
        match work {
            Work::Expand => return self.expand(node),
            Work::All => return Ok(true),
            Work::Variable(at) if node == 0 => {
                let value = OwnedValue::new(evaluation.variables[at].computed());
                return self.set_variable(0, 0, at, value);
            }
            _ => {}
        }
        let mut is_changed = false;
        for instance in 0..self.kept.modules[node].len() {
            is_changed |= match work {
                Work::Variable(at) => self.variable(node, instance, at)?,
                Work::Local(at) => self.local(node, instance, at)?,
                Work::Resource(at) => self.resource(node, instance, at)?,
                Work::Output(at) => self.output(node, instance, at)?,
                Work::Validation(at) => self.validation(node, instance, at)?,
                Work::Check(at) => self.check(node, instance, at)?,
                Work::Expand | Work::All => false,
            };
        }
        Ok(is_changed)
    }

    /// Evaluates an expression in a module.
    pub(super) fn value(
        &mut self,
        node: usize,
        instance: usize,
        program: &Program,
        reads: &[Reference],
    ) -> Outcome<OwnedValue> {
        self.bind(node, instance, reads)?;
        let scope = &self.kept.modules[node][instance].scope;
        let evaluation = self.kept.session.evaluate(program, scope)?;
        self.fuel.spend(evaluation.fuel + reads.len() as u64, program.source(), program.span())?;
        let is_sound = !evaluation.diagnostics.has_errors();
        let value = is_sound.then(|| OwnedValue::new(evaluation.value));
        self.problems.add(evaluation.diagnostics);
        Ok(value)
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
