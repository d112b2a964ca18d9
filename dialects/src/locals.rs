//! Local values: their declarations, and the graph that they form with data sources.
//!
//! ```text
//! locals { a = 1 }        local "b" { expression = local.a }        data "http" "d" { url = local.b }
//!       node 0                        node 1  ──reads──▶ 0                    node 2  ──reads──▶ 1
//! ```
//!
//! Nodes are evaluated in an order in which each comes after those that it reads.

use std::collections::HashMap;

use hclvm::analysis::Paths;
use hclvm::{Attribute, OwnedValue, Program, Value};
use smol_str::SmolStr;

use crate::problems::{Place, Problems};

/// An evaluated local value.
#[derive(Clone, Debug)]
pub struct Local {
    pub(crate) name: SmolStr,
    pub(crate) value: OwnedValue,
    pub(crate) sensitive: bool,
}

impl Local {
    /// Returns its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns its value.
    pub fn value(&self) -> Value<'_> {
        self.value.get()
    }

    /// Returns true if its texts are not to be shown.
    pub fn is_sensitive(&self) -> bool {
        self.sensitive
    }
}

/// A local value as written.
#[derive(Clone, Debug)]
pub(crate) struct LocalDefinition {
    pub(crate) name: SmolStr,
    pub(crate) sensitive: bool,
    pub(crate) place: Place,
    /// The parts of variables that its expression reads.
    pub(crate) reads: Paths,
    pub(crate) program: Program,
}

impl LocalDefinition {
    /// Creates the definition of an attribute; `None` after reporting that it cannot be compiled.
    pub(crate) fn new(
        name: &str,
        place: Place,
        sensitive: bool,
        expression: Attribute<'_>,
        problems: &mut Problems,
    ) -> Option<Self> {
        match expression.program() {
            Ok(program) => {
                let reads = expression.referenced_paths();
                Some(Self { name: name.into(), sensitive, place, reads, program })
            }
            Err(error) => {
                problems.add(error.to_diagnostics(place.source.name()));
                None
            }
        }
    }
}

/// What is wrong with a graph.
#[derive(Debug)]
pub(crate) enum GraphProblem {
    /// A node reads something that does not exist: the node, and the name.
    Missing(usize, String),
    /// Nodes that read each other; the last one reads the first.
    Cycle(Vec<usize>),
}

/// Nodes with names, and what each reads.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    names: Vec<String>,
    index: HashMap<String, usize>,
    /// The nodes that each node reads.
    reads: Vec<Vec<usize>>,
    missing: Vec<(usize, String)>,
    /// Nodes that read a root as a whole, with the prefix of its members.
    whole: Vec<(usize, String)>,
}

impl Graph {
    /// Adds a node and returns its number. The first of two equal names is the one that others read.
    pub(crate) fn add(&mut self, name: String) -> usize {
        let at = self.names.len();
        self.index.entry(name.clone()).or_insert(at);
        self.names.push(name);
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

    /// Lets a node read all nodes whose names begin with `prefix`, except those that depend on it.
    pub(crate) fn read_all(&mut self, node: usize, prefix: &str) {
        self.whole.push((node, prefix.to_owned()));
    }

    /// Returns the nodes in an order in which each comes after those that it reads, and what is wrong.
    /// Nodes of cycles are left out.
    pub(crate) fn order(mut self) -> (Vec<usize>, Vec<GraphProblem>) {
        for (node, prefix) in std::mem::take(&mut self.whole) {
            let dependents = self.dependents(node);
            let members =
                (0..self.names.len()).filter(|at| self.names[*at].starts_with(&prefix) && !dependents[*at]);
            let members: Vec<usize> = members.collect();
            self.reads[node].extend(members);
        }
        let missing = std::mem::take(&mut self.missing);
        let mut problems: Vec<GraphProblem> =
            missing.into_iter().map(|(node, name)| GraphProblem::Missing(node, name)).collect();
        let order = self.sort(&mut problems);
        (order, problems)
    }

    /// Returns for each node whether it is `node` or reads it, directly or through others.
    fn dependents(&self, node: usize) -> Vec<bool> {
        let mut readers: Vec<Vec<usize>> = vec![Vec::new(); self.names.len()];
        for (reader, reads) in self.reads.iter().enumerate() {
            for read in reads {
                readers[*read].push(reader);
            }
        }
        let mut found = vec![false; self.names.len()];
        let mut open = vec![node];
        while let Some(at) = open.pop() {
            if !std::mem::replace(&mut found[at], true) {
                open.extend(&readers[at]);
            }
        }
        found
    }

    /// Sorts by depth-first search, with a stack of its own: a chain may be as long as the module.
    fn sort(&self, problems: &mut Vec<GraphProblem>) -> Vec<usize> {
        #[derive(Clone, Copy, PartialEq)]
        enum Visit {
            New,
            Open,
            Done,
        }
        let mut visits = vec![Visit::New; self.names.len()];
        let mut is_in_cycle = vec![false; self.names.len()];
        let mut order = Vec::new();
        for start in 0..self.names.len() {
            if visits[start] != Visit::New {
                continue;
            }
            visits[start] = Visit::Open;
            let mut path = vec![(start, 0)];
            while let Some((at, next)) = path.last_mut() {
                let at = *at;
                let Some(read) = self.reads[at].get(*next).copied() else {
                    visits[at] = Visit::Done;
                    if !is_in_cycle[at] {
                        order.push(at);
                    }
                    path.pop();
                    continue;
                };
                *next += 1;
                match visits[read] {
                    Visit::Done => {}
                    Visit::New => {
                        visits[read] = Visit::Open;
                        path.push((read, 0));
                    }
                    Visit::Open => {
                        let from = path.iter().position(|(one, _)| *one == read).unwrap_or(0);
                        let cycle: Vec<usize> = path[from..].iter().map(|(one, _)| *one).collect();
                        for one in &cycle {
                            is_in_cycle[*one] = true;
                        }
                        problems.push(GraphProblem::Cycle(cycle));
                    }
                }
            }
        }
        order
    }
}
