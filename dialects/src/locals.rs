//! Local values: their declarations, and the graph that they form with data sources.
//!
//! ```text
//! locals { a = 1 }        local "b" { expression = local.a }        data "http" "d" { url = local.b }
//!       node 0                        node 1  ──reads──▶ 0                    node 2  ──reads──▶ 1
//! ```
//!
//! Nodes are evaluated in an order in which each comes after those that it reads.

use std::collections::HashMap;

use hclvm::analysis::{Paths, dependency_order};
use hclvm::diagnostics::Span;
use hclvm::run::Evaluation;
use hclvm::{Attribute, Error, Program, Scope, Session, Value};
use smol_str::SmolStr;

use crate::marks::MarkedResult;
use crate::problems::{Problems, TextRange};

/// An evaluated local value.
#[derive(Clone, Debug)]
pub struct Local {
    pub(crate) name: SmolStr,
    pub(crate) value: MarkedResult,
    pub(crate) sensitive: bool,
}

impl Local {
    /// Returns the value that expressions read.
    pub(crate) fn computed(&self) -> Value<'_> {
        self.value.value()
    }

    /// Returns its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns its value.
    pub fn value(&self) -> Value<'_> {
        self.value.result()
    }

    /// Returns true if its texts are not to be shown.
    pub fn is_sensitive(&self) -> bool {
        self.sensitive
    }
}

/// A local value as written.
#[derive(Clone, Debug)]
pub(crate) struct LocalDeclaration {
    pub(crate) name: SmolStr,
    pub(crate) sensitive: bool,
    pub(crate) place: TextRange,
    /// The parts of variables that its expression reads.
    pub(crate) reads: Paths,
    pub(crate) program: Program,
    /// The range of the attribute.
    pub(crate) span: Span,
}

impl LocalDeclaration {
    /// Evaluates its expression. Problems of a sensitive one show no values: its literals may be secrets.
    pub(crate) fn evaluate<'s>(
        &'s self,
        session: &'s mut Session,
        scope: &'s Scope,
    ) -> Result<Evaluation<'s>, Error> {
        if self.sensitive {
            session.evaluate_concealed(&self.program, scope)
        } else {
            session.evaluate(&self.program, scope)
        }
    }

    /// Creates the definition of an attribute; `None` after reporting that it cannot be compiled.
    pub(crate) fn new(
        name: &str,
        place: TextRange,
        sensitive: bool,
        expression: Attribute<'_>,
        problems: &mut Problems,
    ) -> Option<Self> {
        match expression.program() {
            Ok(program) => {
                let (reads, span) = (expression.referenced_paths(), expression.span());
                Some(Self { name: name.into(), sensitive, place, reads, program, span })
            }
            Err(error) => {
                problems.add(error.to_diagnostics(place.source.name()));
                None
            }
        }
    }
}

/// A problem of a graph.
#[derive(Debug)]
pub(crate) enum GraphProblem {
    /// A node reads something that does not exist: the node, and the name.
    Missing(usize, String),
    /// Nodes that read each other, of which the last reads the first: the first of them, and how many others.
    Cycle(Vec<usize>, usize),
}

/// Cycles that are kept, and nodes of each: more would make a message of many screens, and a graph may have as many
/// cycles as reads, each with all of its nodes.
const MOST_CYCLES: usize = 20;
const LONGEST_CYCLE: usize = 100;

/// Nodes with names, and what each reads.
#[derive(Debug, Default)]
pub(crate) struct LocalGraph {
    index: HashMap<String, usize>,
    /// The nodes that each node reads.
    reads: Vec<Vec<usize>>,
    missing: Vec<(usize, String)>,
    /// Nodes that read an object as a whole.
    whole: Vec<usize>,
}

impl LocalGraph {
    /// Adds a node and returns its number. The first of two equal names is the one that others read.
    pub(crate) fn add(&mut self, name: String) -> usize {
        let at = self.reads.len();
        self.index.entry(name).or_insert(at);
        self.reads.push(Vec::new());
        at
    }

    /// Lets a node read another one by its name.
    pub(crate) fn read(&mut self, node: usize, name: String) {
        match self.index.get(&name) {
            Some(read) => self.reads[node].push(*read),
            None => self.missing.push((node, name)),
        }
    }

    /// Lets a node read all others, except those that depend on it.
    pub(crate) fn read_all(&mut self, node: usize) {
        if self.whole.last() != Some(&node) {
            self.whole.push(node);
        }
    }

    /// Returns the nodes in an order in which each comes after those that it reads, and what is wrong.
    pub(crate) fn order(mut self) -> (Vec<usize>, Vec<GraphProblem>) {
        let nodes = self.reads.len();
        self.connect_whole();
        let missing = std::mem::take(&mut self.missing).into_iter();
        let mut problems: Vec<GraphProblem> =
            missing.map(|(node, name)| GraphProblem::Missing(node, name)).collect();
        let most = problems.len() + MOST_CYCLES;
        let mut order = dependency_order(&self.reads, |cycle| {
            if problems.len() < most {
                let first: Vec<usize> = cycle.iter().copied().take(LONGEST_CYCLE).collect();
                let others = cycle.len() - first.len();
                problems.push(GraphProblem::Cycle(first, others));
            }
        });
        order.retain(|node| *node < nodes);
        (order, problems)
    }

    /// Lets the nodes that read all others read them, through further nodes: a read for each pair would be quadratic
    /// in a module where every local reads all of `local`.
    ///
    /// ```text
    /// rank of a node    the first of `whole` that it is or depends on; behind the last if there is none
    /// whole[0] ──▶ all of ranks 1.. ──▶ all of ranks 2.. ──▶ …
    ///                whole[1] ──────────────╯
    /// ```
    fn connect_whole(&mut self) {
        let (nodes, count) = (self.reads.len(), self.whole.len());
        let ranks = self.ranks();
        // Node `nodes + k` reads everything of a rank above `k`.
        self.reads.extend((0..count).map(|k| if k + 1 < count { vec![nodes + k + 1] } else { Vec::new() }));
        for (node, rank) in ranks.into_iter().enumerate().filter(|(_, rank)| *rank > 0) {
            self.reads[nodes + rank - 1].push(node);
        }
        for (k, node) in std::mem::take(&mut self.whole).into_iter().enumerate() {
            self.reads[node].push(nodes + k);
        }
    }

    /// Returns the rank of each node: see [`LocalGraph::connect_whole`].
    fn ranks(&self) -> Vec<usize> {
        let none = self.whole.len();
        let mut ranks = vec![none; self.reads.len()];
        if none == 0 {
            return ranks;
        }
        let mut readers: Vec<Vec<usize>> = vec![Vec::new(); self.reads.len()];
        for (reader, reads) in self.reads.iter().enumerate() {
            for read in reads {
                readers[*read].push(reader);
            }
        }
        for (rank, node) in self.whole.iter().enumerate() {
            let mut open = vec![*node];
            while let Some(at) = open.pop() {
                if ranks[at] == none {
                    ranks[at] = rank;
                    open.extend(&readers[at]);
                }
            }
        }
        ranks
    }
}
