//! The order in which locals and data sources are evaluated, problems of that order, and what fails with an error.

use std::collections::HashSet;

use hclvm::analysis::Paths;
use smol_str::SmolStr;

use super::declarations::TemplateDefinitions;
use crate::locals::{GraphProblem, LocalGraph};
use crate::names::ModuleLayout;
use crate::problems::Problems;

/// The locals and data sources without values, because they or what they read have errors.
#[derive(Default)]
pub(super) struct Failed {
    locals: HashSet<SmolStr>,
    /// Types and names.
    data: HashSet<(SmolStr, SmolStr)>,
}

impl Failed {
    pub(super) fn add(&mut self, definitions: &TemplateDefinitions, node: usize) {
        match node.checked_sub(definitions.locals.len()) {
            None => drop(self.locals.insert(definitions.locals[node].name.clone())),
            Some(data) => {
                let one = &definitions.data[data];
                self.data.insert((one.kind.clone(), one.name.clone()));
            }
        }
    }

    /// Returns true if a node reads one of them.
    pub(super) fn affects(&self, definitions: &TemplateDefinitions, node: usize) -> bool {
        if self.locals.is_empty() && self.data.is_empty() {
            return false;
        }
        match node.checked_sub(definitions.locals.len()) {
            None => self.are_read(&definitions.locals[node].reads),
            Some(data) => definitions.data[data].reads.iter().any(|paths| self.are_read(paths)),
        }
    }

    fn are_read(&self, paths: &Paths) -> bool {
        let reads_local = paths.get("local").is_some_and(|need| {
            let has_one = need.names().any(|name| self.locals.contains(name));
            has_one || (need.is_whole() && !self.locals.is_empty())
        });
        let reads_data = paths.get("data").is_some_and(|data| {
            let has_one = |kind: &str| {
                data.attribute(kind).is_some_and(|need| {
                    let mut names = need.names();
                    need.is_whole() || names.any(|name| self.data.contains(&(kind.into(), name.clone())))
                })
            };
            !self.data.is_empty() && (data.is_whole() || data.names().any(|kind| has_one(kind)))
        });
        reads_local || reads_data
    }
}

/// Returns the locals of a template without problems in evaluation order.
pub(super) fn local_order(definitions: &TemplateDefinitions, names: &ModuleLayout) -> Vec<usize> {
    let (order, _) = graph(definitions, names).0.order();
    order.into_iter().filter(|node| *node < definitions.locals.len()).collect()
}

/// Returns the graph of locals and data sources, and for each node whether it reads all of `local`.
pub(super) fn graph(definitions: &TemplateDefinitions, names: &ModuleLayout) -> (LocalGraph, Vec<bool>) {
    let mut graph = LocalGraph::default();
    let locals = definitions.locals.iter().map(|local| graph.add(format!("local.{}", local.name))).count();
    for one in &definitions.data {
        graph.add(format!("data.{}.{}", one.kind, one.name));
    }
    let mut whole = vec![false; locals + definitions.data.len()];
    let mut read = |node: usize, paths: &Paths, whole: &mut Vec<bool>| {
        let local = paths.get("local");
        for name in local.into_iter().flat_map(|need| need.names()) {
            graph.read(node, format!("local.{name}"));
        }
        if local.is_some_and(hclvm::analysis::Need::is_whole) {
            graph.read_all(node);
        }
        whole[node] |= names.needs_object("local", paths);
        let Some(data) = paths.get("data") else { return };
        if data.is_whole() {
            graph.read_all(node);
        }
        for kind in data.names() {
            let Some(need) = data.attribute(kind) else { continue };
            if need.is_whole() {
                graph.read_all(node);
            }
            need.names().for_each(|name| graph.read(node, format!("data.{kind}.{name}")));
        }
    };
    for (node, local) in definitions.locals.iter().enumerate() {
        read(node, &local.reads, &mut whole);
    }
    for (at, data) in definitions.data.iter().enumerate() {
        data.reads.iter().for_each(|paths| read(locals + at, paths, &mut whole));
    }
    (graph, whole)
}

/// Returns true if a node reads outputs of data sources.
pub(super) fn reads_data(definitions: &TemplateDefinitions, node: usize) -> bool {
    let is_read = |paths: &Paths| paths.contains_key("data");
    match node.checked_sub(definitions.locals.len()) {
        None => is_read(&definitions.locals[node].reads),
        Some(data) => definitions.data[data].reads.iter().any(is_read),
    }
}

/// Problems of a graph that are listed: a similar name for each is searched among all names.
const MOST_LISTED: usize = 20;

/// Reports all problems of the graph as one, at the place of the first.
pub(super) fn report(found: &[GraphProblem], definitions: &TemplateDefinitions, problems: &mut Problems) {
    let node = |at: usize| match at.checked_sub(definitions.locals.len()) {
        None => (definitions.place(at), format!("local.{}", definitions.locals[at].name)),
        Some(data) => {
            let one = &definitions.data[data];
            (definitions.place(at), format!("data.{}.{}", one.kind, one.name))
        }
    };
    let line = |problem: &GraphProblem| match problem {
        GraphProblem::Missing(at, name) => {
            format!("`{}` reads `{name}`, which does not exist.{}", node(*at).1, near(name, definitions))
        }
        GraphProblem::Cycle(nodes, others) => {
            let mut path: Vec<String> = nodes.iter().map(|at| node(*at).1).collect();
            if *others > 0 {
                path.push(format!("({others} more)"));
            }
            path.extend(nodes.first().map(|at| node(*at).1));
            format!("Values depend on each other in a cycle: {}.", path.join(" -> "))
        }
    };
    let first = match found.first() {
        Some(GraphProblem::Missing(at, _)) => *at,
        Some(GraphProblem::Cycle(nodes, _)) => nodes.first().copied().unwrap_or_default(),
        None => return,
    };
    let mut lines: Vec<String> = found.iter().take(MOST_LISTED).map(line).collect();
    if found.len() > MOST_LISTED {
        lines.push(format!("({} more)", found.len() - MOST_LISTED));
    }
    problems.error(node(first).0, "failed to prepare execution graph", lines.join("\n"));
}

/// Returns a proposal for a name that nothing has.
fn near(name: &str, definitions: &TemplateDefinitions) -> String {
    let locals = definitions.locals.iter().map(|one| format!("local.{}", one.name));
    let data = definitions.data.iter().map(|one| format!("data.{}.{}", one.kind, one.name));
    let known: Vec<String> = locals.chain(data).collect();
    let near = hclvm::diagnostics::nearest(name, known.iter().map(String::as_str));
    near.map(|near| format!(" Did you mean `{near}`?")).unwrap_or_default()
}
