//! What is watched of an evaluation: why attributes are what they are, or what their conditions were.
//!
//! Evaluations show each attribute to the watch where they evaluate it, with the blocks around it. Paths are as in
//! [`PathValue`](crate::PathValue). Sensitive values are marked, so that explanations show nothing of them.

use std::cell::RefCell;

use hclvm::diagnostics::Span;
use hclvm::expansion::{AttributeView, Expansion};
use hclvm::module::AttributePath;
use hclvm::why::{Coverage, Why};
use hclvm::{Attribute, Error, Program, Scope, Session};

use crate::locals::LocalDeclaration;
use crate::paths::Siblings;

/// Why an attribute or local value of a module is what it is.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// Where it is, as in [`PathValue`](crate::PathValue): `local.name`, `build.web.docker.app.image`.
    pub path: AttributePath,
    /// Why it is what it is.
    pub why: Why,
}

/// The outcomes of the conditions of an attribute or local value in one evaluation of it.
#[derive(Clone, Debug)]
pub struct Observed {
    /// The range of the attribute in the text of the program.
    pub span: Span,
    /// The program, whose conditions these are.
    pub program: Program,
    /// Their outcomes.
    pub coverage: Coverage,
}

/// What is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ObservationFilter {
    Nothing,
    Explanations,
    Coverage,
}

/// Collects what is wanted of one evaluation.
#[derive(Debug)]
pub(crate) struct Watch<'w> {
    wanted: ObservationFilter,
    locals: &'w [LocalDeclaration],
    /// The names of the blocks that are being evaluated.
    path: RefCell<Vec<String>>,
    explanations: RefCell<Vec<Explanation>>,
    observed: RefCell<Vec<Observed>>,
}

impl<'w> Watch<'w> {
    /// Runs an evaluation of which nothing is wanted.
    pub(crate) fn nothing<T>(run: impl FnOnce(&Watch<'_>) -> T) -> T {
        run(&Watch::new(ObservationFilter::Nothing, &[]))
    }

    /// Runs an evaluation and returns its explanations.
    pub(crate) fn explanations<T>(
        locals: &'w [LocalDeclaration],
        run: impl FnOnce(&Watch<'w>) -> T,
    ) -> (T, Vec<Explanation>) {
        let watch = Watch::new(ObservationFilter::Explanations, locals);
        let evaluation = run(&watch);
        (evaluation, watch.explanations.into_inner())
    }

    /// Runs an evaluation and returns what its conditions were.
    pub(crate) fn coverage<T>(
        locals: &'w [LocalDeclaration],
        run: impl FnOnce(&Watch<'w>) -> T,
    ) -> (T, Vec<Observed>) {
        let watch = Watch::new(ObservationFilter::Coverage, locals);
        let evaluation = run(&watch);
        (evaluation, watch.observed.into_inner())
    }

    pub(crate) fn new(wanted: ObservationFilter, locals: &'w [LocalDeclaration]) -> Self {
        Self {
            wanted,
            locals,
            path: RefCell::default(),
            explanations: RefCell::default(),
            observed: RefCell::default(),
        }
    }

    /// Returns true if sensitive values must not be marked, because the outcomes of conditions that depend on them are
    /// wanted.
    pub(crate) fn wants_outcomes(&self) -> bool {
        self.wanted == ObservationFilter::Coverage
    }

    /// Evaluates below further names.
    pub(crate) fn below<T>(
        &self,
        names: impl IntoIterator<Item = impl Into<String>>,
        evaluate: impl FnOnce() -> T,
    ) -> T {
        if self.wanted != ObservationFilter::Explanations {
            return evaluate();
        }
        let outer = self.path.borrow().len();
        self.path.borrow_mut().extend(names.into_iter().map(Into::into));
        let result = evaluate();
        self.path.borrow_mut().truncate(outer);
        result
    }

    /// Evaluates one of several neighbours, which may have equal names.
    pub(crate) fn among<'n, T>(
        &self,
        siblings: &mut Siblings,
        names: impl IntoIterator<Item = &'n str>,
        evaluate: impl FnOnce() -> T,
    ) -> T {
        let mut entered = Vec::new();
        siblings.enter(&mut entered, names);
        self.below(entered, evaluate)
    }

    /// Notes an attribute that an expansion evaluates.
    pub(crate) fn attribute<'a>(
        &self,
        expansion: &mut Expansion<'a>,
        view: AttributeView<'a>,
    ) -> Result<(), Error> {
        match self.wanted {
            ObservationFilter::Nothing => {}
            ObservationFilter::Explanations => {
                if let Some(why) = expansion.why(view, &|name| self.definition(name))? {
                    self.explain([view.name()], why);
                }
            }
            ObservationFilter::Coverage => {
                if let Some(coverage) = expansion.observe(view)? {
                    self.observe(view.attribute, view.attribute.program()?, coverage);
                }
            }
        }
        Ok(())
    }

    /// Notes an attribute of a header, which is evaluated in a scope.
    pub(crate) fn header(
        &self,
        session: &mut Session,
        scope: &Scope,
        attribute: Attribute<'_>,
    ) -> Result<(), Error> {
        let program = attribute.program()?;
        match self.wanted {
            ObservationFilter::Nothing => {}
            ObservationFilter::Explanations => {
                let why = session.why_defined(&program, scope, &|name| self.definition(name))?;
                self.explain([attribute.name()], why);
            }
            ObservationFilter::Coverage => {
                let coverage = session.observe(&program, scope)?;
                self.observe(attribute, program, coverage);
            }
        }
        Ok(())
    }

    /// Notes a local value.
    pub(crate) fn local(
        &self,
        session: &mut Session,
        scope: &Scope,
        local: &LocalDeclaration,
    ) -> Result<(), Error> {
        match self.wanted {
            // Its expression may be what is not to be shown.
            ObservationFilter::Explanations if !local.sensitive => {
                let why = session.why_defined(&local.program, scope, &|name| self.definition(name))?;
                self.explain(["local", &local.name], why);
            }
            ObservationFilter::Coverage => {
                let coverage = session.observe(&local.program, scope)?;
                let (span, program) = (local.span, local.program.clone());
                self.observed.borrow_mut().push(Observed { span, program, coverage });
            }
            _ => {}
        }
        Ok(())
    }

    /// Returns the program of a local value that may be shown.
    fn definition(&self, name: &str) -> Option<&'w Program> {
        let name = name.strip_prefix("local.")?;
        let local = self.locals.iter().find(|local| local.name == name)?;
        Some(&local.program).filter(|_| !local.sensitive)
    }

    fn explain<'n>(&self, names: impl IntoIterator<Item = &'n str>, why: Why) {
        let mut path = self.path.borrow().clone();
        path.extend(names.into_iter().map(str::to_owned));
        let path = path.iter().collect();
        self.explanations.borrow_mut().push(Explanation { path, why });
    }

    fn observe(&self, attribute: Attribute<'_>, program: Program, coverage: Coverage) {
        let span = attribute.span();
        self.observed.borrow_mut().push(Observed { span, program, coverage });
    }
}
