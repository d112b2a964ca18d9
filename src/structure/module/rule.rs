//! Rules: programs whose results have positions, and the stages in which they are linked. Which rules a file
//! has is decided by the [`plan`](super::plan).

use hclvm_compiler::tree::NodeId;
use hclvm_vm::cast;
use hclvm_vm::code::fast::Fast;
use hclvm_vm::code::link::{Linked, LinkedRule, Unlinked, partition};

use super::locals::{LOCAL, OrderedLocal};
use crate::compile::artifact::SharedArtifact;
use crate::compile::in_parallel;
use crate::compile::program::Program;
use crate::compile::unit::NecessaryTests;
use crate::diagnostics::error::Error;
use crate::syntax::document::{Attribute, Document};

/// Where the program of a rule is.
#[derive(Debug)]
pub(super) enum RuleCode {
    /// In the document: that of the attribute of this number.
    Attribute(u32),
    /// A program of its own, with constants for what is known.
    Folded(Box<Program>),
}

/// A program whose result has a position.
#[derive(Debug)]
pub(super) struct PlacedProgram {
    pub(super) code: RuleCode,
    pub(super) position: u32,
    /// Orders its diagnostics among those of its level.
    pub(super) order: u32,
    /// The local that it computes, if it reads the object `local`.
    pub(super) object_for: Option<u32>,
    /// True if its result is known. No stage has it then.
    pub(super) frozen: bool,
}

impl PlacedProgram {
    /// Returns its program. `document` is the linked one.
    ///
    /// # Errors
    /// An expression that is too large to compile. A rule of a plan has none.
    pub(super) fn program<'m>(&'m self, document: &'m Document) -> Result<&'m Program, Error> {
        match &self.code {
            RuleCode::Attribute(at) => Attribute::new(document, *at).program_ref().map_err(Clone::clone),
            RuleCode::Folded(program) => Ok(program),
        }
    }

    /// Returns the root of its expression.
    pub(super) fn root(&self, document: &Document) -> NodeId {
        match &self.code {
            RuleCode::Attribute(at) => Attribute::new(document, *at).nodes().1,
            RuleCode::Folded(program) => program.expression().1,
        }
    }

    /// Returns the tests without which it is not true. Compiles nothing.
    pub(super) fn necessary_tests<'m>(&'m self, document: &'m Document) -> NecessaryTests<'m> {
        match &self.code {
            RuleCode::Attribute(_) => document.unit().necessary_tests(self.root(document)),
            RuleCode::Folded(program) => program.necessary_tests(),
        }
    }

    /// Returns its fast code. A rule that reads the object `local` while locals are computed has none that can
    /// be used: its object is made for it alone, before the baseline tier runs.
    pub(super) fn fast<'m>(&'m self, document: &'m Document) -> Option<&'m Fast> {
        self.program(document).ok()?.fast().filter(|_| self.object_for.is_none())
    }

    /// Returns its code to be linked.
    fn artifact(&self, document: &Document) -> Result<SharedArtifact, Error> {
        match &self.code {
            RuleCode::Attribute(at) => Attribute::new(document, *at).code_to_link(),
            RuleCode::Folded(program) => program.shared_artifact(),
        }
    }

    /// Returns the rule of a local.
    pub(super) fn of_local(document: &Document, locals: &[OrderedLocal], at: usize, slots: usize) -> Self {
        let local = &locals[at];
        let has_slot = |used: &usize| document.layout().derived(LOCAL, &locals[*used].name).is_some();
        let by_object = local.reads_object || !local.uses.iter().all(has_slot);
        let object_for = by_object.then(|| cast::length(at));
        let (position, order) = (cast::length(slots + at), cast::length(at));
        Self { code: RuleCode::Attribute(local.attribute), position, order, object_for, frozen: false }
    }
}

/// Rules that are linked together.
#[derive(Debug)]
pub(super) struct LinkedStage {
    /// The numbers of its rules, in the order of their positions.
    pub(super) rules: Box<[u32]>,
    pub(super) streams: Vec<Linked>,
}

impl LinkedStage {
    /// Links some of the rules of a plan.
    ///
    /// # Errors
    /// An expression that is too large to compile.
    pub(super) fn of(
        document: &Document,
        all: &[PlacedProgram],
        rules: impl IntoIterator<Item = u32>,
    ) -> Result<Self, Error> {
        Self::placed(document, all, rules, |_, rule| rule.position)
    }

    /// Links some of the rules of a plan, whose results have the positions that `position` returns.
    ///
    /// # Errors
    /// An expression that is too large to compile.
    pub(super) fn placed(
        document: &Document,
        all: &[PlacedProgram],
        rules: impl IntoIterator<Item = u32>,
        mut position: impl FnMut(usize, &PlacedProgram) -> u32,
    ) -> Result<Self, Error> {
        let rules: Box<[u32]> = rules.into_iter().collect();
        let threads = document.engine().settings().compile_threads;
        let rule = |number: &u32| &all[cast::index(*number)];
        let codes = in_parallel::map_attributes(threads, &rules, |number| rule(number).artifact(document));
        let codes: Vec<SharedArtifact> = codes.into_iter().collect::<Result<_, _>>()?;
        let unlinked = partition(rules.iter().map(rule).zip(&codes).enumerate().map(|(at, (rule, code))| {
            let fast = Some(&code.fast).filter(|fast| !fast.is_empty() && rule.object_for.is_none());
            LinkedRule { fast, position: position(at, rule) }
        }));
        let streams = in_parallel::map(threads, 1, &unlinked, Unlinked::link);
        drop(unlinked);
        document.engine().settings().scratch_pool.take_back(codes.into_iter());
        Ok(Self { rules, streams })
    }

    /// Returns the positions of the results of its rules.
    pub(super) fn positions(&self) -> impl Iterator<Item = usize> {
        self.streams.iter().flat_map(Linked::positions)
    }
}
