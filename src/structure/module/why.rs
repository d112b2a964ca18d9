//! Why the attributes of a module are what they are, and why rules apply. Locals are explained in what reads them.

use hclvm_vm::{Value, cast};

use super::explanations::Explanations;
use super::matching::Rules;
use super::path::AttributePath;
use super::record::ExplainedValues;
use super::rule::LinkedStage;
use super::run::{LevelContext, ModuleRun};
use super::{Module, ModuleState};
use crate::diagnostics::error::Error;
use crate::run::scope::Scope;
use crate::run::session::Session;
use crate::run::why::Why;
use crate::syntax::document::Block;

/// Why a rule applies or not.
#[derive(Clone, Debug)]
pub(in crate::structure) struct ExplainedRule {
    /// The number of its block.
    pub(in crate::structure) block: u32,
    pub(in crate::structure) labels: Vec<String>,
    pub(in crate::structure) why: Why,
}

impl Module {
    /// Evaluates the module and explains those of its results, locals and attributes, for which `wanted` returns true
    /// of path and value. Blocks that a `dynamic` block makes, of one type with equal labels, have the same path. See
    /// [`Session::why`](crate::Session::why).
    ///
    /// ```
    /// let engine = hclvm::Engine::new();
    /// let module = engine.parse("policy.hcl", r#"
    ///     locals { small = request.size < 10 }
    ///     rule "upload" { when = local.small && request.signed }
    /// "#)?.module()?;
    /// let mut scope = module.scope();
    /// scope.set_all_json(r#"{"request": {"size": 12, "signed": true}}"#)?;
    /// let wanted = "rule.upload.when".parse().expect("a path");
    /// let whys = module.why(&mut engine.session(), &scope, |path, _| *path == wanted)?;
    /// assert_eq!(
    ///     whys[0].1.reason(),
    ///     "false, because `local.small` is false: `request.size < 10` is false (request.size = 12)"
    /// );
    /// # Ok::<(), hclvm::Error>(())
    /// ```
    ///
    /// # Errors
    /// A limit that was exceeded: the explanations together have the limits of another evaluation. Errors of the
    /// evaluation are in the explanations.
    pub fn why(
        &self,
        session: &mut Session,
        scope: &Scope,
        mut wanted: impl FnMut(&AttributePath, Value<'_>) -> bool,
    ) -> Result<Vec<(AttributePath, Why)>, Error> {
        let module = &*self.0;
        let mut run = ModuleRun::in_scope(module, session, scope)?;
        run.explanations = Some(Explanations::new(module, run.arena, &mut wanted));
        run.level(&module.plan.levels[0], LevelContext::OUTSIDE)?;
        let Some(mut explanations) = run.explanations.take() else { return Ok(Vec::new()) };
        let of_file = module.plan.levels[0].positions.clone();
        let locals = module.plan.slots..module.plan.slots + module.locals.len();
        let is_written = |position: usize| of_file.contains(&position) || locals.contains(&position);
        explanations.written(is_written, run.values.all())?;
        run.end()?;
        let mut found = explanations.found;
        // Stable: the blocks of a dynamic block remain in their order.
        found.sort_by_key(|(_, why)| why.root().span.start);
        Ok(found)
    }
}

/// Returns the program of a condition.
pub(super) fn program_of<'m>(
    module: &'m ModuleState,
    condition: &LinkedStage,
) -> Result<Option<&'m crate::Program>, Error> {
    let rule = condition.rules.last().map(|rule| &module.plan.rules[cast::index(*rule)]);
    rule.map(|rule| rule.program(&module.linked)).transpose()
}

pub(super) fn explained_rule(module: &ModuleState, block: u32, why: Why) -> ExplainedRule {
    let labels = Block::new(&module.linked, block).labels().map(str::to_owned).collect();
    ExplainedRule { block, labels, why }
}

impl Rules {
    /// Evaluates the conditions in order, up to that of the block `last`, and explains each.
    pub(in crate::structure) fn why(
        &self,
        session: &mut Session,
        scope: &Scope,
        last: Option<u32>,
    ) -> Result<Vec<ExplainedRule>, Error> {
        let (module, first) = self.module();
        let mut run = ModuleRun::in_scope(module, session, scope)?;
        run.begin(first)?;
        let (mut told, mut explained) = (ExplainedValues::new(&run)?, Vec::new());
        for (block, condition) in self.conditions() {
            run.stage(condition, LevelContext::OUTSIDE)?;
            let Some(program) = program_of(module, condition)? else { continue };
            told.compute(&run, program)?;
            explained.push(explained_rule(module, block, told.why(module, program)?));
            if last == Some(block) {
                break;
            }
        }
        run.end()?;
        Ok(explained)
    }

    /// Creates a session of the engine.
    pub(in crate::structure) fn session(&self) -> Session {
        self.module().0.linked.engine().session()
    }
}
