//! Explanations that are made during an evaluation: those of results in the blocks that `dynamic` blocks make, before
//! the next block has other values in their places.

use hclvm_vm::hash::HashMap;
use hclvm_vm::{Arena, Value, cast};

use super::ModuleState;
use super::locals::LOCAL;
use super::names::ResultNames;
use super::path::AttributePath;
use super::plan::{DynamicPlan, PlanLevel};
use super::rule::PlacedProgram;
use crate::compile::program::Program;
use crate::diagnostics::error::Error;
use crate::run::beside::SideRuns;
use crate::run::why::Why;
use crate::syntax::document::Attribute;

/// Explanations of those results for which `wanted` returns true.
pub(super) struct Explanations<'a, 'r> {
    module: &'a ModuleState,
    names: ResultNames,
    wanted: &'r mut dyn FnMut(&AttributePath, Value<'_>) -> bool,
    /// The levels and numbers of dynamic blocks by their addresses.
    numbers: HashMap<usize, (usize, usize)>,
    /// The paths of the blocks around the one that is evaluated, and its own.
    around: Vec<AttributePath>,
    beside: SideRuns,
    pub(super) found: Vec<(AttributePath, Why)>,
}

impl<'a, 'r> Explanations<'a, 'r> {
    pub(super) fn new(
        module: &'a ModuleState,
        arena: &Arena,
        wanted: &'r mut dyn FnMut(&AttributePath, Value<'_>) -> bool,
    ) -> Self {
        let of_level = |(level, planned): (usize, &'a PlanLevel)| {
            planned.dynamics.iter().enumerate().map(move |(at, dynamic)| (address(dynamic), (level, at)))
        };
        let numbers = module.plan.levels.iter().enumerate().flat_map(of_level).collect();
        let (names, around, found) = (ResultNames::new(module), Vec::new(), Vec::new());
        Self { module, names, wanted, numbers, around, beside: SideRuns::new(arena), found }
    }

    /// Begins with a block that a dynamic block makes.
    pub(super) fn enter<'l>(&mut self, dynamic: &DynamicPlan, labels: impl Iterator<Item = &'l str>) {
        let path = match (self.around.last(), self.numbers.get(&address(dynamic))) {
            (Some(around), Some((level, at))) => around.join(self.names.blocks(*level, *at)),
            (None, Some((level, at))) => self.names.blocks(*level, *at).clone(),
            (_, None) => AttributePath::default(),
        };
        self.around.push(path.with(labels));
    }

    /// Explains the results of the block that was entered last, unless its values are `secret`.
    ///
    /// # Errors
    /// A limit that was exceeded.
    pub(super) fn leave(&mut self, level: usize, values: &[Value<'_>], secret: bool) -> Result<(), Error> {
        let Some(block) = self.around.pop().filter(|_| !secret) else { return Ok(()) };
        let plan = &self.module.plan;
        for rule in &plan.rules[plan.levels[level].rules.clone()] {
            if let Some(path) = self.names.of(rule.position) {
                self.rule(block.join(path), rule, values)?;
            }
        }
        Ok(())
    }

    /// Explains the results at these positions that are in no block of a dynamic block.
    ///
    /// # Errors
    /// A limit that was exceeded.
    pub(super) fn written(
        &mut self,
        is_written: impl Fn(usize) -> bool,
        values: &[Value<'_>],
    ) -> Result<(), Error> {
        for rule in &self.module.plan.rules {
            if let Some(path) = self.names.of(rule.position)
                && is_written(cast::index(rule.position))
            {
                self.rule(path.clone(), rule, values)?;
            }
        }
        Ok(())
    }

    fn rule(&mut self, path: AttributePath, rule: &PlacedProgram, values: &[Value<'_>]) -> Result<(), Error> {
        if (self.wanted)(&path, values[cast::index(rule.position)]) {
            let program = rule.program(&self.module.linked)?;
            self.found.push((path, explain(self.module, &mut self.beside, program, values)?));
        }
        Ok(())
    }
}

fn address(dynamic: &DynamicPlan) -> usize {
    std::ptr::from_ref(dynamic).addr()
}

/// Explains the result of a program with these values.
///
/// # Errors
/// A limit that was exceeded.
pub(super) fn explain(
    module: &ModuleState,
    beside: &mut SideRuns,
    program: &Program,
    values: &[Value<'_>],
) -> Result<Why, Error> {
    let why = |arena: &Arena| Why::of(program, values, arena, &|name| definition(module, name));
    beside.run(program, why, Why::bytes)
}

/// Returns the number of a local by its name, such as `local.limit`.
pub(super) fn local_named(module: &ModuleState, name: &str) -> Option<usize> {
    let name = name.strip_prefix(LOCAL)?.strip_prefix('.')?;
    module.locals.iter().position(|local| local.name == name)
}

/// Returns the program of a local by its name.
pub(super) fn definition<'m>(module: &'m ModuleState, name: &str) -> Option<&'m Program> {
    local_program(module, local_named(module, name)?)
}

/// Returns the program of a local by its number.
pub(super) fn local_program(module: &ModuleState, at: usize) -> Option<&Program> {
    Attribute::new(&module.linked, module.locals[at].attribute).program_ref().ok()
}
