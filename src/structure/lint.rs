//! Lints: warnings about texts that are correct, but probably not what was meant.
//!
//! ```text
//! tree ─▶ blocks: labels, locals, rules ╲
//!      ─▶ conditions, comparisons, calls ─▶ warnings ─ comments, levels ─▶ diagnostics
//!      ─▶ texts, numbers, names         ╱
//! ```
//!
//! A lint needs no values and no schema: a warning holds in every scope, or in those with
//! [declared](Lints::declared) types. Each has a [`Code`], by which
//! [`Lints`] or a comment in the text allow it:
//!
//! ```hcl
//! # hclvm:allow unused-local        on the line of the warning, or the line above
//! # hclvm:allow-file unused-local   anywhere in the file
//! ```
//!
//! What is wrong for all values is an error, which [`check`](crate::check) finds.

mod blocks;
mod calls;
mod comments;
mod comparisons;
mod conditions;
mod contradictions;
mod file;
mod guarded;
mod json;
mod loops;
mod names;
mod numbers;
mod policy;
mod shape;
mod texts;

use hclvm_vm::{Code, Diagnostic, Severity, Span, codes};

use crate::diagnostics::error::Diagnostics;
use crate::diagnostics::problems::ProblemCollector;
use crate::structure::check::Declared;
use crate::syntax::document::Document;

use comments::Allowed;
use file::LintedFile;

/// Selects which lints are reported, and as warnings or errors.
///
/// ```
/// use hclvm::Engine;
/// use hclvm::diagnostics::codes;
/// use hclvm::lint::Lints;
///
/// let document = Engine::new().parse("a.hcl", "locals {\n  n = 1\n}\na = 2\n")?;
/// let found = document.lints(&Lints::new());
/// assert_eq!(found.iter().next().map(|one| one.code()), Some(codes::UNUSED_LOCAL));
/// assert!(document.lints(&Lints::new().allow(codes::UNUSED_LOCAL)).is_empty());
/// assert!(document.lints(&Lints::new().deny(codes::UNUSED_LOCAL)).has_errors());
/// # Ok::<(), hclvm::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Lints {
    allowed: Vec<Code>,
    denied: Vec<Code>,
    deny_all: bool,
    declared: Option<Declared>,
}

impl Lints {
    /// Reports all lints as warnings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Does not show warnings with this code. Wins over [`Lints::deny`].
    pub fn allow(mut self, code: Code) -> Self {
        self.allowed.push(code);
        self
    }

    /// Makes warnings with this code errors.
    pub fn deny(mut self, code: Code) -> Self {
        self.denied.push(code);
        self
    }

    /// Makes all warnings errors.
    pub fn deny_all(mut self) -> Self {
        self.deny_all = true;
        self
    }

    /// Also warns about comparisons of variables with values of other types than those declared, and about names in
    /// `try` and `can` that are not declared.
    ///
    /// ```
    /// use hclvm::check::Declared;
    /// use hclvm::diagnostics::codes;
    /// use hclvm::{Engine, lint::Lints};
    ///
    /// let document = Engine::new().parse("a.hcl", "a = n == \"1\"\nb = try(usr.name, \"\")\n")?;
    /// let declared = Declared::new().sample("n", &1)?.sample("user", &serde_json::json!({"name": "ann"}))?;
    /// let found = document.lints(&Lints::new().declared(&declared));
    /// let found: Vec<_> = found.iter().map(|one| one.code()).collect();
    /// assert_eq!(found, [codes::QUOTED_NUMBER, codes::GUARDED_NAME]);
    /// # Ok::<(), hclvm::Error>(())
    /// ```
    pub fn declared(mut self, declared: &Declared) -> Self {
        self.declared = Some(declared.clone());
        self
    }

    /// Returns a warning as it is reported.
    fn told(&self, mut warning: Diagnostic) -> Option<Diagnostic> {
        if self.allowed.contains(&warning.code()) {
            return None;
        }
        if self.deny_all || self.denied.contains(&warning.code()) {
            warning.severity = Severity::Error;
        }
        Some(warning)
    }
}

impl Document {
    /// Returns the warnings about the file in the order of the text. Files in JSON have few: their
    /// blocks are only known with a schema.
    pub fn lints(&self, lints: &Lints) -> Diagnostics {
        let mut file = LintedFile::new(self, lints.declared.as_ref());
        if self.is_json() {
            json::lint(&mut file);
        } else {
            guarded::lint(&mut file);
            conditions::lint(&mut file);
            comparisons::lint(&mut file);
            calls::lint(&mut file);
            loops::lint(&mut file);
            numbers::lint(&mut file);
            texts::lint(&mut file);
            names::lint(&mut file);
            policy::lint(&mut file);
            // Last: a local that another warning mentions is not reported.
            blocks::lint(&mut file);
        }
        let allowed = Allowed::of(self.source());
        let mut found = without_consequences(file.into_found());
        found.retain(|one| !allowed.allows(self.source(), one));
        found.extend(allowed.into_problems());
        found.sort_by_key(|one| one.subject.map_or(0, |subject| subject.start));
        let mut problems = ProblemCollector::new(self.engine().settings().limits.diagnostics);
        problems.extend(found.into_iter().filter_map(|one| lints.told(one)));
        self.file().diagnostics(problems.take())
    }
}

/// Drops the warnings that another one explains: constant conditions with a reference in quotes or of values
/// that are never equal, and the numbers of a date.
fn without_consequences(mut found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let places = |causes: &[Code]| -> Vec<Span> {
        let causes = found.iter().filter(|one| causes.contains(&one.code()));
        let mut places: Vec<Span> = causes.filter_map(|one| one.subject).collect();
        places.sort_unstable_by_key(|place| place.start);
        places
    };
    let mut unequal = places(&[
        codes::REFERENCE_IN_QUOTES,
        codes::NULL_COMPARISON,
        codes::QUOTED_NUMBER,
        codes::UNEQUAL_TYPES,
    ]);
    // Each place gets the smallest end of itself and of the places behind it: one lookup then shows whether a span
    // contains any of them. Dates get the largest end of themselves and of those before them: one lookup shows whether
    // any contains a span.
    let mut first = u32::MAX;
    for place in unequal.iter_mut().rev() {
        first = first.min(place.end);
        place.end = first;
    }
    let mut dates = places(&[codes::UNQUOTED_DATE]);
    let mut last = 0;
    for place in &mut dates {
        last = last.max(place.end);
        place.end = last;
    }
    found.retain(|one| {
        let Some(subject) = one.subject else { return true };
        if one.code() == codes::CONSTANT_CONDITION {
            let behind = &unequal[unequal.partition_point(|cause| cause.start < subject.start)..];
            behind.first().is_none_or(|cause| cause.end > subject.end)
        } else if one.code() == codes::LEADING_ZERO {
            let before = &dates[..dates.partition_point(|date| date.start <= subject.start)];
            before.last().is_none_or(|date| date.end < subject.end)
        } else {
            true
        }
    });
    found
}
