//! The branches of rules: what the conditions of rules and of the locals that they read were, without values.
//!
//! A local that depends on a marked value need not be marked itself: `length([s, s.b])` is not if `s` has no `b`. An
//! expression that reads it depends on the marked value as well, so it reads the local with a mark. So do explanations
//! of rules.

use std::collections::BTreeSet;

use hclvm_vm::{Arena, Value, marks_from};

use super::ModuleState;
use super::explanations::{definition, explain, local_named, local_program};
use super::locals::LOCAL;
use super::matching::Rules;
use super::run::{LevelContext, ModuleRun};
use super::why::{ExplainedRule, explained_rule, program_of};
use crate::diagnostics::error::Error;
use crate::run::beside::SideRuns;
use crate::run::scope::Scope;
use crate::run::session::Session;
use crate::run::why::{Recorded, Why, read_locals};

/// The mark of a local that depends on marked values.
const MARK: &str = "sensitive";

/// The recorded results of rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::structure) struct RecordedRules {
    /// The conditions, by the numbers of blocks, in the order of evaluation.
    pub(in crate::structure) conditions: Vec<(u32, Recorded)>,
    /// The locals that they read, each once.
    pub(in crate::structure) locals: Vec<(String, Recorded)>,
}

impl RecordedRules {
    /// Returns true if the condition of a block is known to be false.
    pub(in crate::structure) fn is_false(&self, block: u32) -> bool {
        let condition = self.conditions.iter().find(|(known, _)| *known == block);
        condition.is_some_and(|(_, recorded)| recorded.is_false())
    }
}

/// The values that explanations read: those of a run, in which locals that depend on marked values are marked.
pub(super) struct ExplainedValues<'a> {
    pub(super) values: Vec<Value<'a>>,
    /// The recorded result of each local that was visited.
    locals: Vec<Option<Recorded>>,
    beside: SideRuns,
}

impl<'a> ExplainedValues<'a> {
    /// Begins with the values that a run has computed so far.
    pub(super) fn new(run: &ModuleRun<'a, '_>) -> Result<Self, Error> {
        let module = run.module;
        let values = run.values.all().to_vec();
        let (locals, beside) = (vec![None; module.locals.len()], SideRuns::new(run.arena));
        let mut told = Self { values, locals, beside };
        if let Some(slot) = module.plan.object {
            let mut conceals = false;
            for at in 0..module.locals.len() {
                conceals |= told.local(run, at)?;
            }
            if conceals {
                told.conceal(run, slot);
            }
        }
        Ok(told)
    }

    /// Takes over the locals that a program reads, after the run has computed them.
    pub(super) fn compute(&mut self, run: &ModuleRun<'a, '_>, program: &crate::Program) -> Result<(), Error> {
        // In the order of evaluation, so that each comes after those that it reads.
        for at in needed(run.module, program) {
            self.local(run, at)?;
        }
        Ok(())
    }

    /// Takes over a local. Returns true if it depends on marked values.
    fn local(&mut self, run: &ModuleRun<'a, '_>, at: usize) -> Result<bool, Error> {
        let module = run.module;
        let slot = module.plan.slots + at;
        if self.locals[at].is_some() {
            return Ok(self.values[slot].is_marked());
        }
        self.values[slot] = run.values.all()[slot];
        let Some(program) = local_program(module, at) else { return Ok(false) };
        let (recorded, conceals) = self.record(program)?;
        self.locals[at] = Some(recorded);
        if conceals {
            self.conceal(run, slot);
        }
        Ok(conceals)
    }

    fn conceal(&mut self, run: &ModuleRun<'a, '_>, slot: usize) {
        self.values[slot] = self.values[slot].with_marks(run.arena, marks_from(run.arena, &[MARK]));
    }

    /// Records a program with the values that there are.
    fn record(&mut self, program: &crate::Program) -> Result<(Recorded, bool), Error> {
        let record = |arena: &Arena| Recorded::of(program, &self.values, arena);
        self.beside.run(program, record, |(recorded, _)| recorded.bytes().len())
    }

    /// Explains a program with the values that there are.
    pub(super) fn why(&mut self, module: &ModuleState, program: &crate::Program) -> Result<Why, Error> {
        explain(module, &mut self.beside, program, &self.values)
    }
}

/// Returns the locals that a program needs, in the order of evaluation.
fn needed(module: &ModuleState, program: &crate::Program) -> BTreeSet<usize> {
    let names = read_locals(program);
    let mut open: Vec<usize> = names.iter().filter_map(|name| local_named(module, name)).collect();
    let mut found = BTreeSet::new();
    while let Some(at) = open.pop() {
        if found.insert(at) {
            open.extend(&module.locals[at].uses);
        }
    }
    found
}

impl Rules {
    /// Evaluates the conditions in order, up to that of the block `last`, and records them with the locals that they
    /// read.
    pub(in crate::structure) fn record(
        &self,
        session: &mut Session,
        scope: &Scope,
        last: Option<u32>,
    ) -> Result<RecordedRules, Error> {
        let (module, first) = self.module();
        let mut run = ModuleRun::in_scope(module, session, scope)?;
        run.begin(first)?;
        let (mut told, mut conditions) = (ExplainedValues::new(&run)?, Vec::new());
        for (block, condition) in self.conditions() {
            run.stage(condition, LevelContext::OUTSIDE)?;
            let Some(program) = program_of(module, condition)? else { continue };
            told.compute(&run, program)?;
            conditions.push((block, told.record(program)?.0));
            if last == Some(block) {
                break;
            }
        }
        run.end()?;
        let name = |at: usize| format!("{LOCAL}.{}", module.locals[at].name);
        let locals = told.locals.into_iter().enumerate().filter_map(|(at, local)| Some((name(at), local?)));
        Ok(RecordedRules { conditions, locals: locals.collect() })
    }

    /// Explains what was recorded.
    pub(in crate::structure) fn recall(&self, recorded: &RecordedRules) -> Result<Vec<ExplainedRule>, Error> {
        let (module, _) = self.module();
        let definitions = |name: &str| {
            let local = recorded.locals.iter().find(|(known, _)| known == name)?;
            Some((definition(module, name)?, &local.1))
        };
        let mut explained = Vec::new();
        for (block, of_rule) in &recorded.conditions {
            let condition = self.conditions().find(|(known, _)| known == block);
            let program = condition.map(|(_, condition)| program_of(module, condition)).transpose()?;
            let Some(program) = program.flatten() else {
                return Err(Error::value("the branches are those of another policy"));
            };
            let why = Why::of_recorded(program, of_rule, &definitions)?;
            explained.push(explained_rule(module, *block, why));
        }
        Ok(explained)
    }
}
