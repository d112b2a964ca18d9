//! The tree of conditions: those that an observed run reported, by the nodes of the expression.

use std::collections::{HashMap, HashSet};

use hclvm_compiler::locate::{part, unwrapped};
use hclvm_compiler::tree::{BinaryOp, Node, NodeId, Tree};
use hclvm_vm::code::{Condition, ConditionKind, ConditionUse, Conditions};
use hclvm_vm::exec::{self, Observation, Observed, Truth};
use hclvm_vm::{Arena, NamedValue, Value};

use super::recorded::{self, Recorded, derived};
use super::{Explained, Outcome};
use crate::compile::program::Program;
use crate::data::show::line;
use crate::diagnostics::error::{Diagnostics, Error};
use crate::run::coverage::observe_in;
use crate::run::explain::{ExplainedRun, MarkedPaths};
use crate::run::session::{self, Reporting};

/// Levels of conditions, each of which is a recursion. Deeper ones are left out.
const DEEPEST: usize = 64;

/// Levels of locals that are explained in what reads them.
const DEEPEST_LOCAL: usize = 8;

/// Locals that are explained in one explanation: each is an evaluation.
const MOST_LOCALS: usize = 32;

/// Conditions of which values are reported: looking these up takes a pass over the expression.
const MOST_TOLD: usize = 200;

/// Characters of a condition's text.
const LONGEST_TEXT: usize = 100;

/// The outcome in a loop whose values are reported is the first of these: a reader looks for what was false.
pub(super) const EXAMPLES: [Truth; 6] =
    [Truth::Failed, Truth::False, Truth::True, Truth::Unknown, Truth::Null, Truth::Other];

/// Returns the program of a variable that has one, such as `local.limit`.
pub(crate) type Definitions<'a, 'd> = dyn Fn(&str) -> Option<&'a Program> + 'd;

/// Returns the program of such a variable, with what was recorded of it.
pub(crate) type RecordedDefinitions<'a, 'd> = dyn Fn(&str) -> Option<(&'a Program, &'a Recorded)> + 'd;

/// The source of an explanation.
enum Evidence<'a, 'd> {
    /// The values by slot: programs are run once more.
    Values { values: &'a [Value<'a>], arena: &'a Arena, definitions: &'d Definitions<'a, 'd> },
    /// Recorded outcomes: nothing is run, and no value is reported.
    Recorded(&'d RecordedDefinitions<'a, 'd>),
}

/// An explanation that is being built.
pub(crate) struct Explaining<'a, 'd> {
    evidence: Evidence<'a, 'd>,
    /// The numbers of locals and of conditions that may still be explained.
    locals: usize,
    told: usize,
}

/// A program that was explained.
pub(super) struct ExplainedProgram {
    pub(super) root: Explained,
    pub(super) result: String,
    pub(super) waits_for: Vec<String>,
    pub(super) diagnostics: Diagnostics,
}

/// An observed run of a program, with its conditions by node.
struct ObservedRun<'a> {
    program: &'a Program,
    tree: &'a Tree,
    root: NodeId,
    conditions: Vec<Condition>,
    observations: Vec<Observation<'a>>,
    by_node: HashMap<NodeId, usize>,
    /// The value of the expression, if it is not a condition; `None` if it depends on marked values.
    whole: Option<Truth>,
    /// The nodes that are evaluated for elements. Empty if the counts of evaluations are known.
    repeated: HashSet<NodeId>,
    depth: usize,
}

impl<'a, 'd> Explaining<'a, 'd> {
    /// Begins an explanation by runs with these values.
    pub(super) fn observing(
        values: &'a [Value<'a>],
        arena: &'a Arena,
        definitions: &'d Definitions<'a, 'd>,
    ) -> Self {
        let evidence = Evidence::Values { values, arena, definitions };
        Self { evidence, locals: MOST_LOCALS, told: MOST_TOLD }
    }

    /// Begins an explanation of what was recorded.
    pub(super) fn recalling(definitions: &'d RecordedDefinitions<'a, 'd>) -> Self {
        Self { evidence: Evidence::Recorded(definitions), locals: MOST_LOCALS, told: MOST_TOLD }
    }

    /// Explains a program of which this was recorded.
    pub(super) fn recorded(&mut self, program: &'a Program, recorded: &Recorded) -> Result<Explained, Error> {
        let run = ObservedRun::recorded(program, recorded, 0)?;
        Ok(self.root(&run))
    }

    /// Explains a program by running it.
    pub(super) fn whole(&mut self, program: &'a Program) -> Result<ExplainedProgram, Error> {
        let Evidence::Values { values, arena, .. } = self.evidence else {
            return Err(Error::value("nothing was recorded of an expression"));
        };
        let (run, outcome) = ObservedRun::observed(program, values, arena, 0)?;
        let value = outcome.value;
        let root = self.root(&run);
        let waits_for = if !value.contains_marks() && !value.is_wholly_known() && outcome.faults.is_empty() {
            self.waiting(&run)
        } else {
            Vec::new()
        };
        let evaluation = session::evaluation((arena, values), program, outcome, Reporting::ALL)?;
        let diagnostics = evaluation.diagnostics;
        Ok(ExplainedProgram { root, result: line(value), waits_for, diagnostics })
    }

    /// Explains the expression of a program.
    fn root(&mut self, run: &ObservedRun<'a>) -> Explained {
        let id = run.root;
        if run.by_node.contains_key(&id) {
            return self.condition(run, id, 0);
        }
        let mut root = run.bare(id, ConditionKind::Value, ConditionUse::Result);
        root.is_condition = false;
        root.outcome = run.whole.map_or(Outcome::Sensitive, Outcome::Once);
        if root.outcome != Outcome::Sensitive
            && let Some(around) = self.around(run, &[])
        {
            root.values = around.told(&[id], MarkedPaths::Omit);
        }
        root.parts = self.inside(run, id, 0);
        root.parts.extend(self.locals(run, id));
        root
    }

    /// Returns the values around a condition; `None` if only outcomes are known.
    fn around(&self, run: &ObservedRun<'a>, visited: &'a [[Value<'a>; 2]]) -> Option<ExplainedRun<'a>> {
        let Evidence::Values { values, arena, .. } = self.evidence else { return None };
        Some(ExplainedRun { program: run.program, values, visited, partial: arena.is_partial(), arena })
    }

    /// Explains the condition that a node is.
    fn condition(&mut self, run: &ObservedRun<'a>, id: NodeId, depth: usize) -> Explained {
        let id = unwrapped(run.tree, id);
        let Some(&at) = run.by_node.get(&id) else {
            return run.bare(id, ConditionKind::Value, ConditionUse::Operand);
        };
        let Condition { kind, usage, .. } = run.conditions[at];
        let mut explained = run.bare(id, kind, usage);
        let observation = &run.observations[at];
        let all = [0, 1, 2, 3, 4, 5].map(|at| observation.counts[at] + observation.skipped[at]);
        let once = (all.iter().sum::<u64>() == 1).then(|| all.iter().position(|count| *count == 1)).flatten();
        explained.outcome = match once {
            _ if observation.concealed => Outcome::Sensitive,
            _ if all != [0; 6] && run.repeated.contains(&id) => Outcome::Some(all.map(|count| count > 0)),
            Some(truth) => Outcome::Once(Truth::ALL[truth]),
            None if all == [0; 6] => Outcome::Never,
            None if observation.counts == [0; 6] => Outcome::Each(observation.skipped),
            None => Outcome::Each(observation.counts),
        };
        // A result that could have been a bool and is none, such as `list[0]`.
        let is_value = usage == ConditionUse::Result && kind == ConditionKind::Value;
        explained.is_condition = !(is_value && explained.outcome == Outcome::Once(Truth::Other));
        explained.needed = observation.concealed || observation.counts != [0; 6];
        if depth < DEEPEST {
            explained.parts = match (kind, run.tree.node(id)) {
                (ConditionKind::And | ConditionKind::Or, Node::Binary { op, .. }) => {
                    let operands = chain(run.tree, id, op);
                    operands.into_iter().map(|operand| self.condition(run, operand, depth + 1)).collect()
                }
                _ => self.inside(run, id, depth + 1),
            };
        }
        if matches!(kind, ConditionKind::Comparison | ConditionKind::Value)
            && explained.outcome != Outcome::Sensitive
        {
            explained.values = self.values(run, id, observation);
            explained.parts.extend(self.locals(run, id));
        }
        explained
    }

    /// Explains the outermost conditions inside a node, in the order of the text.
    fn inside(&mut self, run: &ObservedRun<'a>, id: NodeId, depth: usize) -> Vec<Explained> {
        let (mut found, mut open) = (Vec::new(), Vec::new());
        run.tree.children(id, &mut open);
        while let Some(id) = open.pop() {
            if run.by_node.contains_key(&id) {
                found.push(id);
            } else {
                run.tree.children(id, &mut open);
            }
        }
        found.sort_by_key(|id| run.tree.span(*id).start);
        found.into_iter().map(|id| self.condition(run, id, depth)).collect()
    }

    /// Returns the values that a condition reads: the operands of a comparison, and paths.
    fn values(
        &mut self,
        run: &ObservedRun<'a>,
        id: NodeId,
        observation: &Observation<'a>,
    ) -> Vec<NamedValue> {
        let witness = EXAMPLES.into_iter().find_map(|truth| observation.witnesses[truth as usize]);
        let Some(witness) = witness.filter(|_| self.told > 0) else { return Vec::new() };
        let Some(around) = self.around(run, witness.visited) else { return Vec::new() };
        self.told -= 1;
        let mut values = Vec::new();
        if let Node::Binary { lhs, rhs, .. } = run.tree.node(id) {
            for (operand, value) in [lhs, rhs].into_iter().zip(witness.values) {
                let is_literal =
                    matches!(run.tree.node(operand), Node::Null | Node::Bool(_) | Node::Number(_))
                        || run.tree.literal_text(operand).is_some();
                if !is_literal && value.is_known() && !around.tells(operand) {
                    values.push(NamedValue { path: run.text(operand), shown: line(value) });
                }
            }
        }
        values.extend(around.told(&[id], MarkedPaths::Omit));
        values
    }

    /// Explains the locals that a condition reads.
    fn locals(&mut self, run: &ObservedRun<'a>, id: NodeId) -> Vec<Explained> {
        let mut found: Vec<Explained> = Vec::new();
        if run.depth >= DEEPEST_LOCAL {
            return found;
        }
        let mut open = vec![id];
        while let Some(at) = open.pop() {
            if at != id && run.by_node.contains_key(&at) {
                continue;
            }
            run.tree.children(at, &mut open);
            let Some(name) = derived(run.program, run.tree, at) else { continue };
            if self.locals == 0 || found.iter().any(|known| known.name.as_ref() == Some(&name)) {
                continue;
            }
            let local = match &self.evidence {
                Evidence::Values { values, arena, definitions } => definitions(&name).map(|program| {
                    ObservedRun::observed(program, values, arena, run.depth + 1).map(|(run, _)| run)
                }),
                Evidence::Recorded(definitions) => definitions(&name)
                    .map(|(program, recorded)| ObservedRun::recorded(program, recorded, run.depth + 1)),
            };
            let Some(local) = local else { continue };
            self.locals -= 1;
            // A limit that it exceeds ends only its own explanation.
            if let Ok(run) = local {
                let local = self.root(&run);
                found.push(Explained { name: Some(name), ..local });
            }
        }
        found
    }

    /// Returns the paths with unknown values that a result depends on.
    fn waiting(&self, run: &ObservedRun<'a>) -> Vec<String> {
        let mut found = Vec::new();
        for (id, at) in &run.by_node {
            let observation = &run.observations[*at];
            let is_leaf =
                matches!(run.conditions[*at].kind, ConditionKind::Comparison | ConditionKind::Value);
            if let Some(witness) = observation.witnesses[Truth::Unknown as usize]
                && is_leaf
                && observation.counts[Truth::Unknown as usize] > 0
                && found.len() < MOST_TOLD
            {
                let paths = self.around(run, witness.visited).map(|around| around.waiting(&[*id]));
                found.push((run.tree.span(*id).start, paths.unwrap_or_default()));
            }
        }
        if found.is_empty() {
            let paths = self.around(run, &[]).map(|around| around.waiting(&[run.root]));
            found.push((0, paths.unwrap_or_default()));
        }
        found.sort();
        let mut waiting: Vec<String> = Vec::new();
        for path in found.into_iter().flat_map(|(_, paths)| paths) {
            if !waiting.contains(&path) {
                waiting.push(path);
            }
        }
        waiting
    }
}

impl<'a> ObservedRun<'a> {
    /// Runs a program and observes its conditions.
    fn observed(
        program: &'a Program,
        values: &'a [Value<'a>],
        arena: &'a Arena,
        depth: usize,
    ) -> Result<(Self, exec::Outcome<'a>), Error> {
        let conditions = Conditions::of(program.baseline()?);
        let Observed { outcome, observations, conceals } = observe_in(arena, program, &conditions, values)?;
        let whole = recorded::whole(&outcome, conceals);
        Ok((Self::new(program, &conditions, observations, whole, depth), outcome))
    }

    /// Recalls what was recorded.
    fn recorded(program: &'a Program, recorded: &Recorded, depth: usize) -> Result<Self, Error> {
        let conditions = Conditions::of(program.baseline()?);
        let observations = recorded
            .observations(conditions.len())
            .ok_or_else(|| Error::value("the branches were recorded of another expression"))?;
        let mut run = Self::new(program, &conditions, observations, recorded.whole(), depth);
        let mut open = vec![(run.root, false)];
        let mut children = Vec::new();
        while let Some((id, is_repeated)) = open.pop() {
            if is_repeated {
                run.repeated.insert(id);
            }
            // The part of a loop that is evaluated once.
            let once = match run.tree.node(id) {
                Node::For(loop_) => Some(run.tree.for_expr(loop_).collection),
                Node::Splat { source, .. } => Some(source),
                _ => None,
            };
            run.tree.children(id, &mut children);
            let of_loop = |child: NodeId| once.is_some_and(|once| child != once);
            open.extend(children.drain(..).map(|child| (child, is_repeated || of_loop(child))));
        }
        Ok(run)
    }

    fn new(
        program: &'a Program,
        conditions: &Conditions,
        observations: Vec<Observation<'a>>,
        whole: Option<Truth>,
        depth: usize,
    ) -> Self {
        let (tree, root) = program.expression();
        let conditions: Vec<Condition> = conditions.iter().collect();
        let by_node = |(at, condition): (usize, &Condition)| {
            (part(tree, program.node(condition.node), condition.place), at)
        };
        let by_node = conditions.iter().enumerate().map(by_node).collect();
        let (root, repeated) = (unwrapped(tree, root), HashSet::new());
        Self { program, tree, root, conditions, observations, by_node, whole, repeated, depth }
    }

    /// Returns a condition of which nothing is known yet.
    fn bare(&self, id: NodeId, kind: ConditionKind, usage: ConditionUse) -> Explained {
        Explained {
            name: None,
            text: self.text(id),
            span: self.tree.span(id),
            kind,
            usage,
            outcome: Outcome::Never,
            needed: true,
            decides: false,
            is_condition: true,
            values: Vec::new(),
            parts: Vec::new(),
        }
    }

    /// Returns the text of a node on one line, cut if it is long.
    fn text(&self, id: NodeId) -> String {
        let text = self.tree.span(id).slice(self.program.source().text());
        // Words enough for the longest text: a large expression is not copied.
        let words: Vec<&str> = text.split_whitespace().take(LONGEST_TEXT).collect();
        let text = words.join(" ");
        match text.char_indices().nth(LONGEST_TEXT) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        }
    }
}

/// Returns the operands of a chain of one connective: `a && b && c` has three.
fn chain(tree: &Tree, mut at: NodeId, op: BinaryOp) -> Vec<NodeId> {
    let mut operands = Vec::new();
    loop {
        match tree.node(at) {
            Node::Binary { op: known, lhs, rhs } if known == op => {
                operands.push(rhs);
                at = unwrapped(tree, lhs);
            }
            _ => {
                operands.push(at);
                operands.reverse();
                return operands;
            }
        }
    }
}

impl Explained {
    /// Returns the explanation of the local that this condition is: `local.limit` alone.
    pub(super) fn definition(&self) -> Option<&Self> {
        self.parts.get(self.definition_at()?)
    }

    /// See [`Explained::definition`].
    pub(super) fn definition_mut(&mut self) -> Option<&mut Self> {
        let at = self.definition_at()?;
        self.parts.get_mut(at)
    }

    fn definition_at(&self) -> Option<usize> {
        self.parts.iter().position(|part| part.name.as_deref() == Some(&self.text))
    }
}
