//! Why a result is what it is: the conditions of a program as a tree, with what they were, their values, and which of
//! them decide.
//!
//! ```text
//! observed run ──▶ build: the tree of conditions ──▶ decide: those that decide ──▶ text, serialize
//!      └──▶ recorded: a byte for each condition ──▶ build, later and without values
//! ```
//! [`explain`](super::explain) shows why an evaluation failed. Invariant: an explanation depends on marked values no
//! more than the result does. What depends on one is [`Outcome::Sensitive`], without values.

mod build;
mod decide;
mod recorded;
mod serialize;
mod text;

use std::sync::Arc;

use hclvm_compiler::source::Source;
use hclvm_vm::code::{ConditionKind, ConditionUse};
use hclvm_vm::exec::Truth;
use hclvm_vm::{Arena, NamedValue, Span, Value};

pub(crate) use build::{Definitions, Explaining, RecordedDefinitions};
pub(crate) use decide::distance;
pub(crate) use recorded::{Recorded, read_locals};

use crate::compile::program::Program;
use crate::diagnostics::error::{Diagnostics, Error};
use crate::run::scope::Scope;
use crate::run::session::Session;

/// Why a program has its result. Its `Display` form is a line with the reason, then the conditions as a tree; it
/// implements `Serialize`.
///
/// ```
/// let engine = hclvm::Engine::new();
/// let document = engine.parse("rule.hcl", r#"
///     when = user.admin || user.team == resource.team
/// "#)?;
/// let program = document.attribute("when").expect("it is there").program()?;
/// let mut scope = document.scope();
/// scope.set_all_json(r#"{"user": {"admin": false, "team": "a"}, "resource": {"team": "b"}}"#)?;
/// let why = engine.session().why(&program, &scope)?;
/// assert_eq!(why.to_string(), r#"
/// false, because `user.admin` and `user.team == resource.team` are false
/// └─ false  user.admin || user.team == resource.team
///    ├─ false  user.admin
///    └─ false  user.team == resource.team  (user.team = "a", resource.team = "b")
/// "#.trim_start());
/// # Ok::<(), hclvm::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Why {
    source: Arc<Source>,
    result: String,
    root: Explained,
    waits_for: Vec<String>,
    diagnostics: Diagnostics,
    /// False if only outcomes are known, because it was made from recorded branches.
    has_values: bool,
}

/// A condition with what it was in an evaluation.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Explained {
    /// The name of the local that is explained, such as `local.limit`: an expression that a condition reads. `None` for
    /// conditions of the expression itself.
    pub name: Option<String>,
    /// Its text on one line; a long one is cut.
    pub text: String,
    /// Its range in the text of the program.
    pub span: Span,
    /// Its kind.
    pub kind: ConditionKind,
    /// How it is used.
    pub usage: ConditionUse,
    /// Its outcome.
    pub outcome: Outcome,
    /// False if its value was not needed: another operand decides, or another arm was chosen.
    pub needed: bool,
    /// True if the result has its value because of this condition: the result is another one if all conditions that
    /// decide are negated.
    pub decides: bool,
    /// The values that it reads, in a loop those of the first element for which it was false, or else of the first one.
    pub values: Vec<NamedValue>,
    /// Its operands, the conditions in what it compares, and the locals that it reads.
    pub parts: Vec<Self>,
    /// False for an expression whose value is no bool.
    is_condition: bool,
}

/// The outcome of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// It was evaluated once.
    Once(Truth),
    /// It was evaluated for the elements of a collection: how often it was each [`Truth`], in the order of
    /// [`Truth::ALL`].
    Each([u64; 6]),
    /// It was evaluated for the elements of a collection: whether it was each [`Truth`] for one of them, in the order of
    /// [`Truth::ALL`]. So explanations show it that are made from recorded branches, see
    /// [`policy::Branches`](crate::policy::Branches).
    Some([bool; 6]),
    /// It depends on a marked value.
    Sensitive,
    /// It was not evaluated.
    Never,
}

impl Outcome {
    /// Returns the bool that it was, if it was evaluated once and is one.
    pub fn as_bool(self) -> Option<bool> {
        match self {
            Self::Once(Truth::True) => Some(true),
            Self::Once(Truth::False) => Some(false),
            _ => None,
        }
    }
}

impl Explained {
    /// Returns about as many bytes as it and its parts take. Recursion is bounded by the depth of the tree.
    fn bytes(&self) -> usize {
        let values = self.values.iter();
        let values = values.flat_map(|one| [size_of::<NamedValue>(), one.path.len(), one.shown.len()]);
        let parts = self.parts.iter().map(Self::bytes);
        [size_of::<Self>(), self.text.len()].into_iter().chain(values).chain(parts).sum()
    }
}

impl Session {
    /// Runs a program once more and explains its result. [`Session::run`] records nothing for this: it costs nothing until
    /// it is asked for, and then several evaluations.
    ///
    /// An error of the evaluation is explained like any result, see [`Why::diagnostics`]. A rule of a
    /// [`RuleSet`](crate::run::RuleSet) is explained by its program, `rules.programs()[at]`; attributes of a file that
    /// read locals by [`Module::why`](crate::Module::why), and decisions by [`Policy::why`](crate::policy::Policy::why).
    ///
    /// # Errors
    /// A limit that was exceeded, and a scope that does not suit the program.
    pub fn why(&mut self, program: &Program, scope: &Scope) -> Result<Why, Error> {
        self.why_defined(program, scope, &|_| None)
    }

    /// Explains the result of a program like [`Session::why`], and in it the derived variables that it reads, such as
    /// `local.limit`: `definition` returns their programs, which are of the same layout.
    ///
    /// # Errors
    /// See [`Session::why`].
    pub fn why_defined<'p>(
        &mut self,
        program: &Program,
        scope: &Scope,
        definition: &dyn Fn(&str) -> Option<&'p Program>,
    ) -> Result<Why, Error> {
        scope.check_program(program)?;
        let arena = self.start_observed();
        arena.set_partial(scope.is_partial());
        Why::of(program, scope.values(), arena, &|name| {
            definition(name).filter(|program| scope.check_program(program).is_ok())
        })
    }
}

impl Why {
    /// Explains the result of a program with the values of its layout's slots.
    pub(crate) fn of<'a>(
        program: &'a Program,
        values: &'a [Value<'a>],
        arena: &'a Arena,
        definitions: &Definitions<'a, '_>,
    ) -> Result<Self, Error> {
        let explained = Explaining::observing(values, arena, definitions).whole(program)?;
        let mut root = explained.root;
        decide::decide(&mut root);
        Ok(Self {
            source: Arc::clone(program.source()),
            result: explained.result,
            root,
            waits_for: explained.waits_for,
            diagnostics: explained.diagnostics,
            has_values: true,
        })
    }

    /// Explains the result of a program from what was recorded of it, without values. `definitions` returns locals
    /// with what was recorded of them.
    pub(crate) fn of_recorded<'a, 'd>(
        program: &'a Program,
        recorded: &Recorded,
        definitions: &'d RecordedDefinitions<'a, 'd>,
    ) -> Result<Self, Error> {
        let mut root = Explaining::recalling(definitions).recorded(program, recorded)?;
        decide::decide(&mut root);
        let source = Arc::clone(program.source());
        let diagnostics = Diagnostics::new(Arc::clone(&source), Vec::new());
        let result = root.result();
        Ok(Self { source, result, root, waits_for: Vec::new(), diagnostics, has_values: false })
    }

    /// Returns the explanation with other texts: those that `text` returns for expressions and paths, and `value` for
    /// values. For hosts that show some of them in another form, or not at all.
    #[must_use]
    pub fn rewritten(mut self, text: &dyn Fn(&str) -> String, value: &dyn Fn(&str) -> String) -> Self {
        if self.root.outcome.as_bool().is_none() {
            self.result = value(&self.result);
        }
        let mut open = vec![&mut self.root];
        while let Some(condition) = open.pop() {
            condition.text = text(&condition.text);
            for one in &mut condition.values {
                one.path = text(&one.path);
                one.shown = value(&one.shown);
            }
            open.extend(&mut condition.parts);
        }
        self.waits_for.iter_mut().for_each(|path| *path = text(path));
        self
    }

    /// Returns the result on one line; of a marked one only that it is marked. An explanation from recorded branches
    /// has no values: then it is a word such as `true` or `unknown`.
    pub fn result(&self) -> &str {
        &self.result
    }

    /// Returns the expression with its conditions.
    pub fn root(&self) -> &Explained {
        &self.root
    }

    /// Returns the conditions that decide, in the order of the text. There are none for a result that depends on
    /// marked values or on no condition.
    pub fn deciding(&self) -> Vec<&Explained> {
        let mut found = Vec::new();
        let mut open = vec![&self.root];
        while let Some(condition) = open.pop() {
            if condition.decides {
                found.push(condition);
            } else {
                open.extend(condition.parts.iter().rev());
            }
        }
        found
    }

    /// Returns the variables and paths that an unknown result waits for.
    pub fn waits_for(&self) -> &[String] {
        &self.waits_for
    }

    /// Returns the errors and warnings of the evaluation.
    pub fn diagnostics(&self) -> &Diagnostics {
        &self.diagnostics
    }

    /// Returns about as many bytes as it takes.
    pub(crate) fn bytes(&self) -> usize {
        /// Bytes of a diagnostic, whose texts are bounded.
        const DIAGNOSTIC: usize = 512;
        let waits_for = self.waits_for.iter().flat_map(|path| [size_of::<String>(), path.len()]);
        let own = [size_of::<Self>(), self.result.len(), self.diagnostics.len() * DIAGNOSTIC];
        own.into_iter().chain(waits_for).sum::<usize>() + self.root.bytes()
    }

    /// Returns the text that the ranges of its conditions refer to.
    pub fn source(&self) -> &Arc<Source> {
        &self.source
    }
}
