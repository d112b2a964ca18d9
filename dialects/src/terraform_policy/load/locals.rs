//! Locals of files and of policies: their names, their expressions, and cycles among them.

use std::collections::HashMap;
use std::sync::Arc;

use hclvm::analysis::dependency_order;
use hclvm::diagnostics::nearest;
use hclvm::schema::Content;
use hclvm::syntax::TypeConstraint;
use hclvm::{Attribute, Block, Document};
use smol_str::{SmolStr, format_smolstr};

use super::super::{PolicyKind, functions};
use super::{Enforce, Loader, PolicyStep};
use crate::problems::TextRange;

/// A local value of a file or of a policy.
#[derive(Debug)]
pub(in super::super) struct PolicyLocal {
    /// The name with which expressions read it: `local.limit`.
    pub(in super::super) slot: SmolStr,
    pub(in super::super) step: PolicyStep,
    /// True if it depends on the object that is judged.
    pub(in super::super) is_of_object: bool,
    /// True if it asks for other resources.
    calls_resources: bool,
}

/// A local by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum LocalId {
    OfFile(usize),
    OfPolicy(usize),
}

/// The names of a file.
pub(super) struct FileNames<'f> {
    pub(super) inputs: HashMap<&'f str, usize>,
    pub(super) locals: HashMap<&'f str, (usize, TextRange)>,
}

/// What the expressions of one place may read.
pub(super) struct ReadableNames<'n> {
    pub(super) file: &'n FileNames<'n>,
    /// The locals of the policy.
    pub(super) own: HashMap<&'n str, usize>,
    /// `None` for the locals of a file.
    pub(super) kind: Option<PolicyKind>,
    /// The attributes of the resources that the policy judges, if a schema has them.
    pub(super) resource: Option<Arc<TypeConstraint>>,
}

impl Loader<'_> {
    /// Numbers the locals of a file.
    pub(super) fn declare_locals<'d>(
        &mut self,
        content: &Content<'d>,
        names: &mut FileNames<'d>,
    ) -> Vec<Attribute<'d>> {
        let mut definitions = Vec::new();
        let attributes: Vec<Attribute<'d>> =
            content.blocks_of("locals").flat_map(|block| self.attributes(block)).collect();
        for attribute in attributes {
            let place = TextRange::of_name(attribute);
            if let Some((_, first)) = names.locals.get(attribute.name()) {
                let name = attribute.name();
                let detail = format!("The local \"{name}\" is defined already, at {}.", first.line());
                self.problems.error(&place, "Duplicate local", detail);
                continue;
            }
            names.locals.insert(attribute.name(), (definitions.len(), place));
            definitions.push(attribute);
        }
        definitions
    }

    fn attributes<'d>(&mut self, block: Block<'d>) -> Vec<Attribute<'d>> {
        let (attributes, found) = block.body().just_attributes_lenient();
        self.problems.add(found);
        attributes
    }

    pub(super) fn file_locals(
        &mut self,
        definitions: &[Attribute<'_>],
        names: &FileNames<'_>,
    ) -> Vec<PolicyLocal> {
        let names = ReadableNames { file: names, own: HashMap::new(), kind: None, resource: None };
        let mut locals = self.locals(definitions, &names);
        self.settle(definitions, &mut locals, &[]);
        locals
    }

    /// Compiles locals.
    pub(super) fn locals(
        &mut self,
        definitions: &[Attribute<'_>],
        names: &ReadableNames<'_>,
    ) -> Vec<PolicyLocal> {
        let compile = |attribute: &Attribute<'_>| {
            let step = self.step(*attribute, names)?;
            let paths = step.program.referenced_paths();
            let is_of_object = ["attrs", "prior_attrs", "meta"].iter().any(|root| paths.contains_key(*root));
            let calls_resources = calls_resources(*attribute);
            let slot = format_smolstr!("local.{}", attribute.name());
            Some(PolicyLocal { slot, step, is_of_object, calls_resources })
        };
        definitions.iter().filter_map(compile).collect()
    }

    /// Finds cycles, and passes on what locals depend on.
    pub(super) fn settle(
        &mut self,
        definitions: &[Attribute<'_>],
        locals: &mut [PolicyLocal],
        of_file: &[PolicyLocal],
    ) {
        if definitions.len() != locals.len() {
            return;
        }
        let is_own = |id: &LocalId| match (id, of_file.is_empty()) {
            (LocalId::OfFile(at), true) | (LocalId::OfPolicy(at), _) => Some(*at),
            (LocalId::OfFile(_), false) => None,
        };
        let reads: Vec<Vec<usize>> =
            locals.iter().map(|local| local.step.reads.iter().filter_map(is_own).collect()).collect();
        let mut cycles = Vec::new();
        let order = dependency_order(&reads, |cycle| cycles.push(cycle.to_vec()));
        for cycle in cycles.iter().take(20) {
            let Some(first) = cycle.first().and_then(|at| definitions.get(*at)) else { continue };
            let names: Vec<String> = cycle
                .iter()
                .chain(cycle.first())
                .take(20)
                .filter_map(|at| Some(format!("local.{}", definitions.get(*at)?.name())))
                .collect();
            let detail = format!("A local must not depend on itself: {}.", names.join(", which reads "));
            self.problems.error(&TextRange::of_name(*first), "Circular reference detected", detail);
        }
        for at in order {
            let (mut is_of_object, mut calls) = (locals[at].is_of_object, locals[at].calls_resources);
            for id in &locals[at].step.reads {
                let read = match is_own(id) {
                    Some(at) => locals.get(at),
                    None => match id {
                        LocalId::OfFile(at) => of_file.get(*at),
                        LocalId::OfPolicy(_) => None,
                    },
                };
                if let Some(read) = read {
                    is_of_object |= read.is_of_object;
                    calls |= read.calls_resources;
                }
            }
            (locals[at].is_of_object, locals[at].calls_resources) = (is_of_object, calls);
        }
    }

    pub(super) fn policy_locals<'d>(
        &mut self,
        document: &'d Document,
        content: &Content<'d>,
        names: &FileNames<'_>,
        own: &mut HashMap<&'d str, usize>,
    ) -> Vec<Attribute<'d>> {
        let mut blocks = content.blocks_of("locals");
        let first = blocks.next();
        for other in blocks {
            let detail = "A policy has one block `locals`.";
            self.problems.error(&TextRange::of_block(document, other), "Duplicate locals block", detail);
        }
        let mut definitions = Vec::new();
        for attribute in first.map(|block| self.attributes(block)).unwrap_or_default() {
            let name = attribute.name();
            if let Some((_, place)) = names.locals.get(name) {
                let detail = format!(
                    "The file has a local \"{name}\", at {}, which this one would hide. Choose another name.",
                    place.line()
                );
                self.problems.error(&TextRange::of_name(attribute), "Duplicate local", detail);
            }
            own.insert(name, definitions.len());
            definitions.push(attribute);
        }
        definitions
    }
}

impl ReadableNames<'_> {
    pub(super) fn local(&self, name: &str) -> Option<LocalId> {
        self.own
            .get(name)
            .map(|at| LocalId::OfPolicy(*at))
            .or_else(|| self.file.locals.get(name).map(|(at, _)| LocalId::OfFile(*at)))
    }

    pub(super) fn undefined(&self, what: &str, name: &str) -> String {
        let hint = if what == "local" {
            nearest(name, self.own.keys().chain(self.file.locals.keys()).copied())
        } else {
            nearest(name, self.file.inputs.keys().copied())
        };
        let hint = hint.map_or_else(
            || "Names of other files are not visible here.".to_owned(),
            |near| format!("Did you mean {what}.{near}?"),
        );
        format!("There is no {what} named \"{name}\". {hint}")
    }
}

/// Returns true if an expression asks for other resources or data.
fn calls_resources(attribute: Attribute<'_>) -> bool {
    calls(&attribute.required_functions(), &["getresources", "getdatasource"])
}

/// Returns true if one of some functions is among those that are called.
fn calls(called: &[SmolStr], functions: &[&str]) -> bool {
    called.iter().any(|name| functions.contains(&name.strip_prefix("core::").unwrap_or(name)))
}

/// Returns true if a policy or a local of its file calls a function that depends on more than its arguments.
pub(super) fn reaches_out(expressions: &[Attribute<'_>], of_file: &[PolicyLocal]) -> bool {
    let of_file = of_file.iter().map(|local| local.step.program.required_functions());
    let mut called = expressions.iter().map(|one| one.required_functions()).chain(of_file);
    called.any(|called| calls(&called, &functions::REACHING))
}

/// Returns true if a policy asks for other resources or data, also through locals of its file.
pub(super) fn calls_of(
    expressions: &[Attribute<'_>],
    locals: &[PolicyLocal],
    of_file: &[PolicyLocal],
    filter: Option<&PolicyStep>,
    enforces: &[Enforce],
) -> bool {
    let messages = enforces.iter().flat_map(|one| one.error.iter().chain(&one.info)).map(|one| &one.whole);
    let steps = filter.into_iter().chain(enforces.iter().map(|one| &one.condition)).chain(messages);
    let steps = steps.chain(locals.iter().map(|one| &one.step));
    let calls = |id: &LocalId| match id {
        LocalId::OfFile(at) => of_file.get(*at).is_some_and(|one| one.calls_resources),
        LocalId::OfPolicy(at) => locals.get(*at).is_some_and(|one| one.calls_resources),
    };
    expressions.iter().any(|one| calls_resources(*one)) || steps.flat_map(|one| &one.reads).any(calls)
}
