//! What the conditions of a module were: its evaluation with an observed run of each program after its stage.

use std::collections::BTreeMap;

use hclvm_vm::code::Conditions;
use hclvm_vm::{Arena, cast};

use super::Module;
use super::rule::{LinkedStage, RuleCode};
use super::run::{LevelContext, ModuleRun, RuleOutcomes, set_object_for};
use crate::diagnostics::error::Error;
use crate::run::beside::SideRuns;
use crate::run::coverage::{Coverage, observe_in};
use crate::run::scope::Scope;
use crate::run::session::Session;
use crate::syntax::document::Attribute;

impl Module {
    /// Evaluates all attributes and returns what the conditions of each were, in the order of the file; nothing of one
    /// without conditions. Attributes of a `dynamic` block are covered by all blocks that it makes. See also
    /// [`Session::observe`](crate::Session::observe).
    ///
    /// The program of an attribute is that of the attribute returned, in which `local.NAME` is a variable of its own.
    /// Attributes that a specialized module computed beforehand are not evaluated, so nothing is reported of them.
    ///
    /// ```
    /// use hclvm::why::Truth;
    ///
    /// let engine = hclvm::Engine::new();
    /// let module = engine.parse("policy.hcl", r#"
    ///     locals { strict = env == "production" }
    ///     rule "small" { when = local.strict && size < 10 }
    /// "#)?.module()?;
    /// let mut scope = module.scope();
    /// scope.set_all_json(r#"{"env": "test", "size": 3}"#)?;
    /// let covered = module.observe(&mut engine.session(), &scope)?;
    /// let (when, coverage) = covered.last().expect("the attribute has conditions");
    /// assert_eq!(when.name(), "when");
    /// let program = when.program()?;
    /// let size = program.conditions()?.iter().position(|condition| condition.text == "size < 10");
    /// let outcomes = coverage.outcomes().nth(size.expect("it is one")).expect("one for each condition");
    /// assert!(outcomes.skipped(), "the left operand decides");
    /// assert!(!outcomes.has(Truth::True));
    /// # Ok::<(), hclvm::Error>(())
    /// ```
    ///
    /// # Errors
    /// A limit that was exceeded: the observed runs together have the limits of another evaluation.
    pub fn observe(
        &self,
        session: &mut Session,
        scope: &Scope,
    ) -> Result<Vec<(Attribute<'_>, Coverage)>, Error> {
        let module = &*self.0;
        let mut run = ModuleRun::in_scope(module, session, scope)?;
        run.covered = Some(RuleOutcomes { rules: BTreeMap::new(), beside: SideRuns::new(run.arena) });
        run.level(&module.plan.levels[0], LevelContext::OUTSIDE)?;
        run.end()?;
        let covered = run.covered.take().map(|covered| covered.rules).unwrap_or_default();
        let mut found: Vec<(u32, Coverage)> = Vec::new();
        for (rule, coverage) in covered {
            if let RuleCode::Attribute(at) = module.plan.rules[rule].code {
                found.push((at, coverage));
            }
        }
        found.sort_by_key(|(at, _)| *at);
        Ok(found.into_iter().map(|(at, coverage)| (Attribute::new(&module.linked, at), coverage)).collect())
    }
}

impl ModuleRun<'_, '_> {
    /// Observes the programs of a stage with the values that there are. Of a `secret` stage nothing is reported.
    pub(super) fn cover(&mut self, stage: &LinkedStage, secret: bool) -> Result<(), Error> {
        let Some(RuleOutcomes { rules: covered, beside }) = &mut self.covered else { return Ok(()) };
        if secret {
            return Ok(());
        }
        let module = self.module;
        for number in &stage.rules {
            let number = cast::index(*number);
            let rule = &module.plan.rules[number];
            let program = rule.program(&module.linked)?;
            let conditions = Conditions::of(program.baseline()?);
            if conditions.is_empty() {
                covered.entry(number).or_default();
                continue;
            }
            set_object_for(module, self.arena, rule, &mut self.values);
            let observe = |arena: &Arena| {
                let observed = observe_in(arena, program, &conditions, self.values.all())?;
                Ok(Coverage::of(&observed.observations))
            };
            let coverage = beside.run(program, observe, |_| 0)?;
            covered.entry(number).or_default().merge(&coverage);
        }
        Ok(())
    }
}
