//! Rules in order: the blocks of one type whose condition is true, the first of them or all.
//!
//! ```text
//! stage   locals that condition 0 reads, condition 0     ──▶ true: outcome 0, the end
//! stage   further locals of condition 1, condition 1     ──▶ true: outcome 1, the end
//! …
//! outcome further locals, the wanted attributes of the block
//! ```
//! A stage is linked code. What is behind the first match is not evaluated. Of many rules, those are left out whose
//! condition an [index](crate::run::rule_index) shows to be false, unless their stage computes locals.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use hclvm_compiler::analysis;
use hclvm_vm::{Diagnostic, Number, Span, Value, cast, number};

use super::known::{Fate, Specializer};
use super::locals::{self, LOCAL};
use super::plan::{AttributePlan, BodyPlan, ModulePlan};
use super::rule::{LinkedStage, PlacedProgram, RuleCode};
use super::run::{LevelContext, ModuleRun};
use super::values::{BlockValues, BodyValues, LevelValues};
use super::{Module, ModuleState};
use crate::diagnostics::error::{Diagnostics, Error};
use crate::run::projection::Projection;
use crate::run::rule_index::{CandidateConditions, Indexing, RuleIndex, unsuitable};
use crate::run::scope::Scope;
use crate::run::session::Session;
use crate::structure::schema::DYNAMIC;
use crate::syntax::document::{Attribute, Block};

/// The least number of rules that are indexed: fewer are evaluated in the time of a few lookups.
const INDEXED: usize = 16;

/// The blocks of one type as rules, see [`Module::rules`]. Immutable and shared between threads.
#[derive(Clone, Debug)]
pub struct Rules(Arc<RulesState>);

#[derive(Debug)]
struct RulesState {
    /// The module with a plan of the rules alone.
    module: Arc<ModuleState>,
    /// All locals, if an expression reads the object `local`.
    first: Option<LinkedStage>,
    rules: Vec<RulePlan>,
    /// Made by the second search of many rules: a host that searches once does not need it.
    index: OnceLock<RuleIndex>,
    is_searched: AtomicBool,
}

/// A rule, in the order of evaluation.
#[derive(Debug)]
struct RulePlan {
    /// The block and the number of its body in the plan.
    block: u32,
    body: u32,
    /// The condition with the locals that it reads and no rule before it.
    condition: LinkedStage,
    /// The position and range of the condition.
    position: usize,
    span: Span,
    /// The attributes that are wanted if the condition is true, with further locals.
    outcome: LinkedStage,
    /// The positions of these attributes, and that of the condition.
    results: Range<usize>,
}

/// How a block becomes a rule.
#[derive(Clone, Copy, Debug)]
pub struct RuleSpec<'n> {
    /// The type of the blocks.
    pub kind: &'n str,
    /// The attribute that decides whether a rule applies. A block without it is not a rule.
    pub condition: &'n str,
    /// The attributes that are evaluated if it applies.
    pub outcome: &'n [&'n str],
    /// The attribute by which rules are ordered, the least number first; rules of equal numbers, and all
    /// rules if there is no such attribute, are in the order of the file. A block without it comes last.
    pub priority: Option<&'n str>,
}

impl Module {
    /// Returns the blocks of one type in the file's outermost body as rules.
    ///
    /// # Errors
    /// A `dynamic` block of this type: rules are known before evaluation. A priority that is not a constant
    /// number. See also [`Document::module`](crate::Document::module).
    ///
    /// ```
    /// use hclvm::module::RuleSpec;
    ///
    /// let engine = hclvm::Engine::new();
    /// let module = engine.parse("policy.hcl", r#"
    ///     rule "large" {
    ///       when   = request.size > 100
    ///       effect = "deny"
    ///     }
    ///     rule "own" {
    ///       when   = request.user == resource.owner
    ///       effect = "allow"
    ///     }
    /// "#)?.module()?;
    /// let spec = RuleSpec { kind: "rule", condition: "when", outcome: &["effect"], priority: None };
    /// let rules = module.rules(&spec)?;
    ///
    /// let mut scope = module.scope();
    /// scope.set_all_json(r#"{"request": {"size": 3, "user": "ann"}, "resource": {"owner": "ann"}}"#)?;
    /// let mut session = engine.session();
    /// let matches = rules.first_match(&mut session, &scope)?;
    /// let rule = matches.first().expect("the second rule applies");
    /// assert_eq!(rule.labels().next(), Some("own"));
    /// assert_eq!(rule.attribute("effect").and_then(|effect| effect.as_str()), Some("allow"));
    /// # Ok::<(), hclvm::Error>(())
    /// ```
    pub fn rules(&self, spec: &RuleSpec<'_>) -> Result<Rules, Error> {
        let module = &*self.0;
        let mut session = module.linked.engine().session();
        let (arena, ..) = session.start_shared();
        let known = module.known.as_ref();
        let known =
            known.map(|known| Specializer::resumed(arena, &module.linked, known, &module.plan.frozen));
        RulePlanner::new(module, known).rules(spec)
    }
}

/// The rules that apply in one scope. They borrow from the session until its next run.
#[derive(Debug)]
pub struct Matches<'s> {
    applying: &'s [BlockValues<'s>],
    undecided: &'s [BlockValues<'s>],
    failed: &'s [BlockValues<'s>],
    /// The positions of the wanted attributes that have errors, ascending.
    faulty: &'s [u32],
    diagnostics: Diagnostics,
    fuel: u64,
}

/// The value of an attribute of a rule that applies.
#[derive(Clone, Copy, Debug)]
pub(in crate::structure) enum RulePart<'s> {
    /// The rule does not have it.
    Absent,
    /// It has an error.
    Failed,
    /// It is unknown, or contains an unknown value.
    Unknown,
    /// Its value, perhaps marked.
    Known(Value<'s>),
}

impl<'s> Matches<'s> {
    /// Returns an attribute of a rule that applies.
    pub(in crate::structure) fn part(&self, rule: BlockValues<'s>, name: &str) -> RulePart<'s> {
        let body = rule.body();
        match (body.position(name), body.attribute(name)) {
            (Some(position), _) if self.faulty.binary_search(&position).is_ok() => RulePart::Failed,
            (_, Some(value)) if value.is_wholly_known() => RulePart::Known(value),
            (_, Some(_)) => RulePart::Unknown,
            (_, None) => RulePart::Absent,
        }
    }

    /// Returns the first rule that applies, with its condition and outcome.
    pub fn first(&self) -> Option<BlockValues<'s>> {
        self.applying.first().copied()
    }

    /// Returns the rules that apply, in order: at most one after [`Rules::first_match`].
    pub fn applying(&self) -> &'s [BlockValues<'s>] {
        self.applying
    }

    /// Returns the rules that depend on unknown values, in order: those whose condition is unknown, after
    /// [`Rules::first_match`] those before the match, which might apply instead of it; and those that apply with an
    /// attribute that is not wholly known.
    pub fn undecided(&self) -> &'s [BlockValues<'s>] {
        self.undecided
    }

    /// Returns the rules with errors, in order: those whose condition has one, after [`Rules::first_match`] those before
    /// the match, which do not apply; and those that apply with an error in a wanted attribute or a local that it reads.
    pub fn failed(&self) -> &'s [BlockValues<'s>] {
        self.failed
    }

    /// Returns the errors and warnings.
    pub fn diagnostics(&self) -> &Diagnostics {
        &self.diagnostics
    }

    /// Returns the units of work that the evaluation spent; see [`Limits::fuel`](crate::Limits).
    pub fn fuel(&self) -> u64 {
        self.fuel
    }
}

impl Rules {
    /// Returns the module that evaluates the rules, and the stage before all of them.
    pub(super) fn module(&self) -> (&ModuleState, Option<&LinkedStage>) {
        (&self.0.module, self.0.first.as_ref())
    }

    /// Iterates over the numbers of the blocks and the stages of the conditions, in order.
    pub(super) fn conditions(&self) -> impl Iterator<Item = (u32, &LinkedStage)> {
        self.0.rules.iter().map(|rule| (rule.block, &rule.condition))
    }

    /// Returns what the module reads; see [`Module::projection`].
    pub fn projection(&self) -> Projection {
        self.0.module.document.projection()
    }

    /// Returns the number of rules.
    pub fn len(&self) -> usize {
        self.0.rules.len()
    }

    /// Returns true if there are no rules.
    pub fn is_empty(&self) -> bool {
        self.0.rules.is_empty()
    }

    /// Iterates over the rules in order, each with how a search finds it.
    pub fn indexing(&self) -> impl Iterator<Item = (Block<'_>, Indexing)> {
        let state = &*self.0;
        let linked = &state.module.linked;
        let index = state.index.get_or_init(|| state.indexed());
        state.rules.iter().zip(0..).map(move |(rule, number)| {
            let block = Block::new(linked, rule.block);
            let text = |node| linked.tree().span(node).slice(linked.source().text());
            let indexing = match state.alone(rule) {
                Some(condition) => index.indexing(number, condition.necessary_tests(linked), text),
                None => Indexing::Always("it computes local values that later rules may read".to_owned()),
            };
            (block, indexing)
        })
    }

    /// Evaluates conditions in order until one is true, and the outcome of that rule. Problems of later rules
    /// are not found.
    ///
    /// # Errors
    /// A limit that was exceeded.
    pub fn first_match<'s>(
        &'s self,
        session: &'s mut Session,
        scope: &'s Scope,
    ) -> Result<Matches<'s>, Error> {
        self.matches(session, scope, true)
    }

    /// Evaluates all conditions, and the outcomes of the rules that apply.
    ///
    /// # Errors
    /// A limit that was exceeded.
    pub fn all_matches<'s>(
        &'s self,
        session: &'s mut Session,
        scope: &'s Scope,
    ) -> Result<Matches<'s>, Error> {
        self.matches(session, scope, false)
    }

    fn matches<'s>(
        &'s self,
        session: &'s mut Session,
        scope: &'s Scope,
        only_first: bool,
    ) -> Result<Matches<'s>, Error> {
        let RulesState { module, first, rules, .. } = &*self.0;
        let mut run = ModuleRun::in_scope(module, session, scope)?;
        run.begin(first.as_ref())?;
        let (mut applying, mut undecided, mut failed) =
            (run.arena.list(), run.arena.list(), run.arena.list());
        let mut faulty = run.arena.list();
        // An outcome may compute locals that a later rule computes again.
        let (locals, mut told) = (cast::length(module.locals.len()), BTreeSet::new());
        let candidates = self.0.candidates(&run);
        let index = candidates.and_then(|candidates| Some((candidates, self.0.index.get()?)));
        let all = 0..if index.is_some() { 0 } else { cast::length(rules.len()) };
        let some = index.iter().flat_map(|(candidates, index)| index.with_always(candidates));
        for number in all.chain(some) {
            let rule = &rules[cast::index(number)];
            let found = run.found.len();
            run.stage(&rule.condition, LevelContext::OUTSIDE)?;
            let value = run.values.all()[rule.position].unmark().0;
            match value.as_bool() {
                Some(true) => {
                    run.stage(&rule.outcome, LevelContext::OUTSIDE)?;
                    applying.push(number);
                    let has_failed = rule.outcome.rules.iter().filter(|at| run.has_failed(**at));
                    let before = faulty.len();
                    faulty.extend(has_failed.map(|at| module.plan.rules[cast::index(*at)].position));
                    if faulty.len() > before {
                        failed.push(number);
                    } else if !run.values.all()[rule.results.clone()]
                        .iter()
                        .all(|value| value.is_wholly_known())
                    {
                        undecided.push(number);
                    }
                }
                Some(false) => {}
                None if !value.is_known() => {
                    let has_failed = rule.condition.rules.last().is_some_and(|last| run.has_failed(*last));
                    if has_failed { failed.push(number) } else { undecided.push(number) }
                }
                None => {
                    run.found.push(locals + number, unsuitable(rule.span));
                    failed.push(number);
                }
            }
            run.found.drop_repeated(found, locals, &mut told);
            if only_first && !applying.is_empty() {
                break;
            }
        }
        run.end()?;
        let diagnostics = Diagnostics::new(Arc::clone(module.linked.source()), run.found.take());
        let diagnostics = scope.suggest(diagnostics);
        let fuel = run.arena.budget().spent();
        let (arena, values) = (run.arena, run.values.into_all());
        let level = LevelValues { level: 0, values, first: 0, dynamics: &[] };
        let blocks = |numbers: &[u32]| {
            let mut blocks = arena.list_with(numbers.len());
            blocks.extend(numbers.iter().map(|at| {
                let rule = &rules[cast::index(*at)];
                let body = BodyValues::new(module, level, &module.plan.bodies[cast::index(rule.body)]);
                BlockValues::written(Block::new(&module.linked, rule.block), body)
            }));
            let blocks: &[BlockValues<'_>] = blocks.into_bump_slice();
            blocks
        };
        let [applying, undecided, failed] = [&applying, &undecided, &failed].map(|rules| blocks(rules));
        faulty.sort_unstable();
        let faulty = faulty.into_bump_slice();
        Ok(Matches { applying, undecided, failed, faulty, diagnostics, fuel })
    }
}

impl RulesState {
    /// Returns the rules to evaluate beside those that always are; `None` if all are evaluated.
    fn candidates<'s>(&self, run: &ModuleRun<'s, '_>) -> Option<&'s [u32]> {
        if self.rules.len() < INDEXED || !run.is_plain() {
            return None;
        }
        // Nothing is written once there is an index, because threads that search would share the cache line.
        if self.index.get().is_none() && !self.is_searched.swap(true, Ordering::Relaxed) {
            return None;
        }
        let index = self.index.get_or_init(|| self.indexed());
        match index.candidates(run.arena, run.values.all(), self.rules.len()) {
            CandidateConditions::Some(rules) => Some(rules),
            CandidateConditions::TooMany => None,
        }
    }

    /// Returns the condition of a rule unless locals are computed with it.
    fn alone(&self, rule: &RulePlan) -> Option<&PlacedProgram> {
        let [condition] = *rule.condition.rules else { return None };
        Some(&self.module.plan.rules[cast::index(condition)])
    }

    /// Makes the index. Locals are not computed when it is used, and those of a stage are computed in every scope.
    fn indexed(&self) -> RuleIndex {
        let module = &*self.module;
        let conditions = self.rules.iter().zip(0..).map(|(rule, number)| {
            (number, self.alone(rule).map(|condition| condition.necessary_tests(&module.linked)))
        });
        let (slots, object) = (module.plan.slots, module.object_slot);
        RuleIndex::new(module.linked.layout(), conditions, |slot| slot < slots && Some(slot) != object)
    }
}

/// A rule whose attributes have positions.
struct Draft<'m> {
    block: u32,
    body: u32,
    condition: (Attribute<'m>, u32),
    /// Ascending by position.
    outcome: Vec<(Attribute<'m>, u32)>,
    /// The positions of all.
    results: Range<usize>,
}

/// Plans rules.
struct RulePlanner<'m, 'k> {
    module: &'m ModuleState,
    /// The values that the module is specialized for.
    known: Option<Specializer<'k>>,
    by_name: HashMap<&'m str, usize>,
    /// For each local, the number of the rule whose condition stage computes it.
    computed_by: Vec<Option<usize>>,
    plan: ModulePlan,
    next_position: usize,
    reads_object: bool,
}

impl<'m, 'k> RulePlanner<'m, 'k> {
    fn new(module: &'m ModuleState, known: Option<Specializer<'k>>) -> Self {
        let by_name = module.locals.iter().zip(0..).map(|(local, at)| (local.name.as_str(), at)).collect();
        let slots = module.plan.slots;
        let plan = ModulePlan::empty(slots);
        let next_position = slots + module.locals.len();
        let computed_by = vec![None; module.locals.len()];
        Self { module, known, by_name, computed_by, plan, next_position, reads_object: false }
    }

    fn rules(mut self, spec: &RuleSpec<'_>) -> Result<Rules, Error> {
        let drafts: Vec<Draft<'m>> = self
            .in_order(spec)?
            .into_iter()
            .map(|(block, condition)| self.draft(block, condition, spec))
            .collect();
        let first = if self.reads_object { Some(self.all_locals()?) } else { None };
        let mut conditions = Vec::with_capacity(drafts.len());
        for (number, draft) in drafts.iter().enumerate() {
            let locals = self.locals_of([draft.condition.0], |by| by.is_none());
            for local in &locals {
                self.computed_by[*local] = Some(number);
            }
            conditions.push(self.stage(&locals, &[draft.condition], number)?);
        }
        let mut rules = Vec::with_capacity(drafts.len());
        for (number, (draft, condition)) in drafts.into_iter().zip(conditions).enumerate() {
            let Draft { block, condition: (attribute, position), outcome, body, results } = draft;
            let later = |by: Option<usize>| by.is_none_or(|by| by > number);
            let locals = self.locals_of(outcome.iter().map(|(attribute, _)| *attribute), later);
            let outcome = self.stage(&locals, &outcome, number)?;
            let (position, span) = (cast::index(position), attribute.expression_span());
            rules.push(RulePlan { block, body, condition, position, span, outcome, results });
        }
        self.plan.values = self.next_position;
        let ModuleState { document, linked, locals, object_slot, known, .. } = self.module;
        let module = ModuleState {
            document: document.clone(),
            linked: linked.clone(),
            locals: Arc::clone(locals),
            object_slot: *object_slot,
            wanted: None,
            known: known.clone(),
            plan: self.plan,
            dependencies: OnceLock::new(),
        };
        let (index, is_searched) = (OnceLock::new(), AtomicBool::new(false));
        Ok(Rules(Arc::new(RulesState { module: Arc::new(module), first, rules, index, is_searched })))
    }

    /// Gives the attributes of a rule their positions.
    fn draft(&mut self, block: Block<'m>, condition: Attribute<'m>, spec: &RuleSpec<'_>) -> Draft<'m> {
        let (first, first_position) = (self.plan.attributes.len(), self.next_position);
        let (mut decides, mut outcome) = ((condition, 0), Vec::new());
        for attribute in block.body().attributes() {
            let is_condition = attribute.index() == condition.index();
            if !is_condition && !spec.outcome.contains(&attribute.name()) {
                continue;
            }
            self.note_object(attribute);
            let position = cast::length(self.next_position);
            self.next_position += 1;
            self.plan.attributes.push(AttributePlan { attribute: attribute.index(), position });
            if is_condition {
                decides.1 = position;
            } else {
                outcome.push((attribute, position));
            }
        }
        let body = cast::length(self.plan.bodies.len());
        self.plan.bodies.push(BodyPlan { attributes: first..self.plan.attributes.len(), blocks: 0..0 });
        let results = first_position..self.next_position;
        Draft { block: block.index().unwrap_or(0), condition: decides, outcome, body, results }
    }

    /// Returns the blocks with a condition in the order of evaluation.
    fn in_order(&self, spec: &RuleSpec<'_>) -> Result<Vec<(Block<'m>, Attribute<'m>)>, Error> {
        let linked = &self.module.linked;
        let mut blocks = Vec::new();
        for block in linked.body().blocks() {
            if block.kind() == DYNAMIC && block.labels().next() == Some(spec.kind) {
                let detail = "Rules are known before evaluation; a dynamic block cannot make them.";
                let problem = Diagnostic::error("Rules in a dynamic block", detail, block.header_span());
                return Err(linked.file().diagnostics(vec![problem]).into());
            }
            if block.kind() == spec.kind
                && let Some(condition) = block.attribute(spec.condition)
            {
                let priority = spec.priority.and_then(|name| block.attribute(name));
                let priority = priority.map(|attribute| self.priority(attribute)).transpose()?;
                blocks.push((priority, block, condition));
            }
        }
        // Stable: rules of one priority stay in the order of the file.
        blocks.sort_by(|(a, ..), (b, ..)| match (a, b) {
            (Some(a), Some(b)) => number::compare(a.borrow(), b.borrow()),
            _ => b.is_some().cmp(&a.is_some()),
        });
        Ok(blocks.into_iter().map(|(_, block, condition)| (block, condition)).collect())
    }

    /// Returns the value of a constant number.
    fn priority(&self, attribute: Attribute<'m>) -> Result<Number, Error> {
        let linked = &self.module.linked;
        let value = attribute.constant(&mut linked.engine().session())?;
        let number = value.as_ref().and_then(|value| Some(value.get().as_number()?.to_owned()));
        number.ok_or_else(|| {
            let detail = "The priority of a rule must be a constant number.";
            let span = attribute.expression_span();
            let problem = Diagnostic::error("Unsuitable rule priority", detail, span);
            linked.file().diagnostics(vec![problem]).into()
        })
    }

    /// Notes whether an expression reads the object `local`.
    fn note_object(&mut self, attribute: Attribute<'m>) {
        let linked = &self.module.linked;
        let need = analysis::variable_need(linked.tree(), [attribute.nodes()], LOCAL);
        self.reads_object |= need.is_some_and(|need| locals::reads_object(linked, &need));
    }

    /// Returns the stage of all locals.
    fn all_locals(&mut self) -> Result<LinkedStage, Error> {
        self.plan.object = self.module.object_slot;
        let locals: Vec<usize> = (0..self.module.locals.len()).collect();
        let mut by_name: Vec<u32> = locals.iter().map(|at| cast::length(*at)).collect();
        by_name.sort_by_key(|at| &self.module.locals[cast::index(*at)].name);
        self.plan.locals = by_name;
        for local in &locals {
            // Before the first rule.
            self.computed_by[*local] = Some(0);
        }
        self.stage(&locals, &[], 0)
    }

    /// Returns the locals that expressions read, with those that these use, in evaluation order. `wanted`
    /// shows by the rule that computes a local whether it is still to be computed.
    fn locals_of(
        &self,
        attributes: impl IntoIterator<Item = Attribute<'m>>,
        wanted: impl Fn(Option<usize>) -> bool,
    ) -> Vec<usize> {
        let expressions = attributes.into_iter().map(Attribute::nodes);
        let need = analysis::variable_need(self.module.linked.tree(), expressions, LOCAL);
        let names = need.iter().flat_map(|need| need.names());
        let mut open: Vec<usize> =
            names.filter_map(|name| self.by_name.get(name.as_str()).copied()).collect();
        let mut found = BTreeSet::new();
        while let Some(local) = open.pop() {
            // A local that is computed already has those that it uses.
            if wanted(self.computed_by[local]) && found.insert(local) {
                open.extend(&self.module.locals[local].uses);
            }
        }
        found.into_iter().collect()
    }

    /// Returns the code of an attribute, with constants for what is known.
    fn specialized(&mut self, attribute: u32) -> Result<RuleCode, Error> {
        let whole = RuleCode::Attribute(attribute);
        let Some(known) = &mut self.known else { return Ok(whole) };
        match known.fold(&Attribute::new(&self.module.linked, attribute).program()?)? {
            Fate::Folded(folded) => Ok(RuleCode::Folded(Box::new(folded))),
            _ => Ok(whole),
        }
    }

    /// Adds the rules of locals, and of attributes of the rule `number`, and links them.
    fn stage(
        &mut self,
        locals: &[usize],
        attributes: &[(Attribute<'m>, u32)],
        number: usize,
    ) -> Result<LinkedStage, Error> {
        let first = self.plan.rules.len();
        for at in locals {
            let rule =
                PlacedProgram::of_local(&self.module.linked, &self.module.locals, *at, self.plan.slots);
            let code = match rule.object_for {
                Some(_) => rule.code,
                None => self.specialized(self.module.locals[*at].attribute)?,
            };
            self.plan.rules.push(PlacedProgram { code, ..rule });
        }
        // Behind the locals, as in the evaluation of the whole module.
        let order = cast::length(self.module.locals.len() + number);
        for (attribute, position) in attributes {
            let (code, position) = (self.specialized(attribute.index())?, *position);
            self.plan.rules.push(PlacedProgram { code, position, order, object_for: None, frozen: false });
        }
        let rules = (first..self.plan.rules.len()).map(cast::length);
        LinkedStage::of(&self.module.linked, &self.plan.rules, rules)
    }
}
