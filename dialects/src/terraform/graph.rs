//! What is evaluated in all modules, and in which order.
//!
//! ```text
//! a module of the tree    Expand, variables, validations, locals, resources, outputs, All, checks
//! module.m.out            reads the output of the child; module.m reads its All, which reads all outputs
//! a variable of a child   reads what the argument of the call reads, in the parent
//! ```

use hclvm::analysis::dependency_order;

use super::declarations::CustomCondition;
use super::references::{Reference, ReferenceTarget};
use super::tree::ModuleTree;
use crate::problems::{Problems, TextRange};

/// Something that is evaluated, by its number in the folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// The instances of a module.
    Expand,
    Variable(usize),
    Validation(usize),
    Local(usize),
    Resource(usize),
    Output(usize),
    /// Nothing: it reads all outputs.
    All,
    Check(usize),
}

/// What is evaluated, and in which order.
#[derive(Debug, Default)]
pub(super) struct EvaluationGraph {
    /// The node of the tree and the work in it.
    pub(super) works: Vec<(usize, Work)>,
    pub(super) reads: Vec<Vec<usize>>,
    /// True for a work that reads something outside of the module, such as a file.
    pub(super) reads_outside: Vec<bool>,
    pub(super) order: Vec<usize>,
    /// The number of the first work of each node.
    first: Vec<usize>,
    pub(super) has_cycles: bool,
}

/// Cycles that are reported, and members of each that are named.
const MOST_CYCLES: usize = 20;
const LONGEST_CYCLE: usize = 50;

impl EvaluationGraph {
    /// Orders the works of a tree; reports cycles.
    pub(super) fn new(tree: &ModuleTree, problems: &mut Problems) -> Self {
        let mut graph = Self::default();
        for (at, node) in tree.nodes.iter().enumerate() {
            graph.first.push(graph.works.len());
            let of = &tree.folders[node.folder].definitions;
            let works = std::iter::once(Work::Expand)
                .chain((0..of.variables.len()).map(Work::Variable))
                .chain((0..of.variables.len()).map(Work::Validation))
                .chain((0..of.locals.len()).map(Work::Local))
                .chain((0..of.resources.len()).map(Work::Resource))
                .chain((0..of.outputs.len()).map(Work::Output))
                .chain(std::iter::once(Work::All))
                .chain((0..of.checks.len()).map(Work::Check));
            graph.works.extend(works.map(|work| (at, work)));
        }
        for number in 0..graph.works.len() {
            let (reads, reads_outside) = graph.reads_of(tree, number);
            graph.reads.push(reads);
            graph.reads_outside.push(reads_outside);
        }
        let mut cycles = Vec::new();
        graph.order = dependency_order(&graph.reads, |cycle| {
            if cycles.len() < MOST_CYCLES {
                cycles.push((cycle.len(), cycle.iter().copied().take(LONGEST_CYCLE).collect::<Vec<_>>()));
            }
        });
        graph.has_cycles = !cycles.is_empty();
        for (count, cycle) in cycles {
            graph.report(tree, count, &cycle, problems);
        }
        graph
    }

    /// Returns the number of a work.
    fn number(&self, tree: &ModuleTree, node: usize, work: Work) -> usize {
        let of = &tree.folders[tree.nodes[node].folder].definitions;
        let locals = 1 + 2 * of.variables.len();
        let resources = locals + of.locals.len();
        let outputs = resources + of.resources.len();
        self.first[node]
            + match work {
                Work::Expand => 0,
                Work::Variable(at) => 1 + at,
                Work::Validation(at) => 1 + of.variables.len() + at,
                Work::Local(at) => locals + at,
                Work::Resource(at) => resources + at,
                Work::Output(at) => outputs + at,
                Work::All => outputs + of.outputs.len(),
                Work::Check(at) => outputs + of.outputs.len() + 1 + at,
            }
    }

    /// Returns what a work reads, and whether it reads something outside of the module.
    fn reads_of(&self, tree: &ModuleTree, number: usize) -> (Vec<usize>, bool) {
        let (node, work) = self.works[number];
        let mut reads_outside = false;
        let mut found = Vec::new();
        let of = &tree.folders[tree.nodes[node].folder].definitions;
        let parent = tree.nodes[node].parent;
        let call = parent
            .map(|(parent, call)| (parent, &tree.folders[tree.nodes[parent].folder].definitions.calls[call]));
        if work != Work::Expand {
            found.push(self.number(tree, node, Work::Expand));
        }
        let mut add = |node: usize, reads: &[Reference]| {
            for read in reads {
                reads_outside |= read.target == ReferenceTarget::Outside;
                self.add_read(tree, node, &read.target, &mut found);
            }
        };
        let of_conditions = |conditions: &[CustomCondition], add: &mut dyn FnMut(usize, &[Reference])| {
            for one in conditions {
                add(node, &one.holds.reads);
                one.message.iter().for_each(|message| add(node, &message.reads));
            }
        };
        match work {
            Work::Expand => {
                if let Some((parent, call)) = call {
                    call.repetition.exprs().for_each(|expr| add(parent, &expr.reads));
                    add(parent, &call.depends);
                    found.push(self.number(tree, parent, Work::Expand));
                }
            }
            Work::Variable(at) => {
                if let Some((parent, call)) = call {
                    let input = call.input(&of.variables[at].name);
                    if let Some(expr) = input.and_then(|input| input.expr.as_ref()) {
                        add(parent, &expr.reads);
                    }
                }
            }
            Work::Validation(at) => of_conditions(&of.variables[at].validations, &mut add),
            Work::Local(at) => add(node, of.local_reads[at].as_deref().unwrap_or_default()),
            Work::Resource(at) => {
                let one = &of.resources[at];
                add(node, &one.reads);
                add(node, &one.depends);
                one.repetition.exprs().for_each(|expr| add(node, &expr.reads));
                of_conditions(&one.preconditions, &mut add);
                of_conditions(&one.postconditions, &mut add);
            }
            Work::Output(at) => {
                let one = &of.outputs[at];
                one.value.iter().for_each(|expr| add(node, &expr.reads));
                of_conditions(&one.conditions, &mut add);
            }
            Work::All => {
                found.extend((0..of.outputs.len()).map(|at| self.number(tree, node, Work::Output(at))));
            }
            Work::Check(at) => of_conditions(&of.checks[at].asserts, &mut add),
        }
        found.sort_unstable();
        found.dedup();
        found.retain(|read| *read != number);
        (found, reads_outside)
    }

    fn add_read(&self, tree: &ModuleTree, node: usize, target: &ReferenceTarget, found: &mut Vec<usize>) {
        match target {
            ReferenceTarget::Outside => {}
            ReferenceTarget::Variable(at) => found.push(self.number(tree, node, Work::Variable(*at))),
            ReferenceTarget::Local(at) => found.push(self.number(tree, node, Work::Local(*at))),
            ReferenceTarget::Resource(at) => found.push(self.number(tree, node, Work::Resource(*at))),
            ReferenceTarget::Module(call, output) => {
                let Some(child) = tree.nodes[node].children.get(*call).copied().flatten() else { return };
                let of = &tree.folders[tree.nodes[child].folder].definitions;
                let output = output.as_ref().and_then(|name| of.output_index.get(name));
                found.push(self.number(tree, child, Work::Expand));
                found.push(self.number(tree, child, output.map_or(Work::All, |at| Work::Output(*at))));
            }
        }
    }

    fn report(&self, tree: &ModuleTree, count: usize, cycle: &[usize], problems: &mut Problems) {
        let mut names: Vec<String> = cycle.iter().map(|at| self.name(tree, *at)).collect();
        if count > cycle.len() {
            names.push(format!("({} more)", count - cycle.len()));
        }
        names.extend(cycle.first().map(|at| self.name(tree, *at)));
        let place = cycle.iter().find_map(|at| self.place(tree, *at));
        let place = place.cloned().unwrap_or_else(|| TextRange::nowhere("."));
        let detail = format!("Values depend on each other: {}.", names.join(" -> "));
        problems.error(&place, "Cycle", detail);
    }

    fn name(&self, tree: &ModuleTree, number: usize) -> String {
        let (node, work) = self.works[number];
        let of = &tree.folders[tree.nodes[node].folder].definitions;
        let mut path = Vec::new();
        let mut at = node;
        while let Some((parent, call)) = tree.nodes[at].parent {
            let call = &tree.folders[tree.nodes[parent].folder].definitions.calls[call];
            path.push(format!("module.{}.", call.name));
            at = parent;
        }
        path.reverse();
        let prefix = path.concat();
        let own = match work {
            Work::Expand | Work::All => return prefix.trim_end_matches('.').to_owned(),
            Work::Variable(at) | Work::Validation(at) => format!("var.{}", of.variables[at].name),
            Work::Local(at) => format!("local.{}", of.locals[at].name),
            Work::Resource(at) => {
                let one = &of.resources[at];
                format!("{}{}.{}", one.mode.prefix(), one.kind, one.name)
            }
            Work::Output(at) => format!("output.{}", of.outputs[at].name),
            Work::Check(at) => format!("check.{}", of.checks[at].name),
        };
        prefix + &own
    }

    fn place<'t>(&self, tree: &'t ModuleTree, number: usize) -> Option<&'t TextRange> {
        let (node, work) = self.works[number];
        let of = &tree.folders[tree.nodes[node].folder].definitions;
        match work {
            Work::Variable(at) | Work::Validation(at) => Some(&of.variables[at].place),
            Work::Local(at) => Some(&of.locals[at].place),
            Work::Resource(at) => Some(&of.resources[at].place),
            Work::Output(at) => Some(&of.outputs[at].place),
            _ => None,
        }
    }
}
