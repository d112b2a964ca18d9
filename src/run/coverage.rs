//! What the conditions of programs were: true, false, both, never evaluated. [`why`](super::why) explains one result;
//! this adds up any number of them.

use std::sync::Arc;

use hclvm_compiler::locate::locate;
use hclvm_vm::code::{Condition as CodeCondition, ConditionKind, ConditionUse, Conditions};
use hclvm_vm::exec::{self, Observation, Observed, Outcomes};
use hclvm_vm::{Arena, Span, Value};

use crate::compile::program::Program;
use crate::diagnostics::error::{Error, LimitError};
use crate::run::scope::Scope;
use crate::run::session::Session;

/// A condition of a program: a comparison, an operand of `&&`, `||` or `!`, the predicate of `?:`, the `if` clause of a
/// for expression, or the expression itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition<'p> {
    /// Its range in [`Program::source`].
    pub span: Span,
    /// Its text.
    pub text: &'p str,
    /// Its kind. `&&` and `||` are conditions beside their operands.
    pub kind: ConditionKind,
    /// How it is used.
    pub usage: ConditionUse,
}

/// The outcomes of a program's conditions in any number of evaluations: a byte for each, in the order of
/// [`Program::conditions`]. Made by [`Session::observe`].
///
/// Coverage of one program can be added up: over scopes, threads and, as bytes, over processes. It belongs to a text:
/// after a change of the expression the conditions are others.
///
/// ```
/// use hclvm::why::{Coverage, Truth};
///
/// let engine = hclvm::Engine::new();
/// let document = engine.parse("rule.hcl", r#"when = user.admin || user.age >= 18"#)?;
/// let program = document.attribute("when").expect("it is there").program()?;
/// let mut session = engine.session();
/// let mut covered = Coverage::default();
/// for user in [r#"{"admin": true, "age": 3}"#, r#"{"admin": false, "age": 30}"#] {
///     let mut scope = document.scope();
///     scope.set_json("user", user)?;
///     covered.merge(&session.observe(&program, &scope)?);
/// }
/// for (condition, outcomes) in program.conditions()?.into_iter().zip(covered.outcomes()) {
///     let (yes, no) = (outcomes.has(Truth::True), outcomes.has(Truth::False));
///     match condition.text {
///         "user.admin" => assert!(yes && no),
///         "user.age >= 18" => assert!(yes && !no, "never false where it mattered"),
///         _ => assert_eq!(condition.text, "user.admin || user.age >= 18"),
///     }
/// }
/// # Ok::<(), hclvm::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage(Vec<Outcomes>);

impl Coverage {
    pub(crate) fn of(observations: &[Observation<'_>]) -> Self {
        Self(observations.iter().map(Observation::outcomes).collect())
    }

    /// Adds the outcomes of other evaluations of the program.
    pub fn merge(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), Outcomes::default());
        }
        for (known, more) in self.0.iter_mut().zip(&other.0) {
            *known = known.union(*more);
        }
    }

    /// Iterates over the outcomes of the conditions, in the order of [`Program::conditions`]. Coverage without
    /// evaluations has none.
    pub fn outcomes(&self) -> impl ExactSizeIterator<Item = Outcomes> + '_ {
        self.0.iter().copied()
    }

    /// Returns a byte for each condition, see [`Outcomes`].
    pub fn to_bytes(&self) -> Vec<u8> {
        self.outcomes().map(Outcomes::to_byte).collect()
    }

    /// Returns the coverage that [`Coverage::to_bytes`] gave for an equal expression.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self(bytes.iter().copied().map(Outcomes::from_byte).collect())
    }
}

impl Program {
    /// Returns the conditions, in an order that depends on the text and the dialect alone. Operands come before what
    /// they are operands of.
    ///
    /// # Errors
    /// `Expression too large`, see [`Program::listing`].
    pub fn conditions(&self) -> Result<Vec<Condition<'_>>, Error> {
        let conditions = Conditions::of(self.baseline()?);
        Ok(conditions.iter().map(|condition| self.condition(condition)).collect())
    }

    /// Returns a condition of its code with its place in the text.
    fn condition(&self, condition: CodeCondition) -> Condition<'_> {
        let CodeCondition { node, place, kind, usage, .. } = condition;
        let (span, _) = locate(self.expression().0, self.node(node), place);
        Condition { span, text: span.slice(self.source().text()), kind, usage }
    }
}

impl Session {
    /// Runs a program and returns what its conditions were. This takes several times as long as
    /// [`Session::run`], which records nothing.
    ///
    /// An error of the evaluation is no error here: what was true before it is covered.
    ///
    /// # Errors
    /// A limit that was exceeded, and a scope that does not suit the program.
    pub fn observe(&mut self, program: &Program, scope: &Scope) -> Result<Coverage, Error> {
        scope.check_program(program)?;
        let arena = self.start_observed();
        arena.set_partial(scope.is_partial());
        let conditions = Conditions::of(program.baseline()?);
        let observed = observe_in(arena, program, &conditions, scope.values())?;
        Ok(Coverage::of(&observed.observations))
    }
}

/// Runs a program on the baseline tier with the values of its layout's slots, and observes it.
pub(crate) fn observe_in<'a>(
    arena: &'a Arena,
    program: &'a Program,
    conditions: &Conditions,
    values: &[Value<'a>],
) -> Result<Observed<'a>, Error> {
    let observed = exec::observe(program.baseline()?, conditions, values, arena);
    let outcome = &observed.outcome;
    match outcome.exhausted {
        Some(exhausted) => {
            let span = program.node_span(outcome.stopped_at);
            Err(LimitError { exhausted, source: Arc::clone(program.source()), span }.into())
        }
        None => Ok(observed),
    }
}
