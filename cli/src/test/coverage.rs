//! `hclvm test --coverage`: which attributes the cases evaluate, and what the conditions in them were.
//!
//! A case is observed beside its evaluation, on the baseline tier, so that its results equal those of a test without
//! coverage. Conditions are known by their places: cases with mocks compile a file of their own.

mod html;
mod text;

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use hclvm::diagnostics::Span;
use hclvm::why::{Outcomes, Truth};
use hclvm::{Attribute, Diagnostics, Document, Error};

use super::case::Suite;
use super::observed::{Branch, Spot, conditions, place};
use super::subject::TestSubject;
use super::verdict::CaseVerdict;
use crate::attribute_path::below_block;
use crate::outcome::EarlyEnd;
use crate::secrets::SENSITIVE;

/// The blocks of local values.
const LOCALS: &str = "locals";

/// What is reported of coverage, and where.
#[derive(Args, Debug)]
pub(super) struct CoverageArguments {
    /// Report which attributes are evaluated, and which conditions are never true or never false
    #[arg(long, value_enum, value_name = "FORMAT", num_args = 0..=1, default_missing_value = "text")]
    pub(super) coverage: Option<CoverageFormat>,

    /// List every attribute and condition that is not covered, not only each rule
    #[arg(long, short = 'v', requires = "coverage")]
    verbose: bool,

    /// Write the coverage to a file; needed for lcov and html
    #[arg(long, value_name = "FILE", requires = "coverage")]
    coverage_out: Option<String>,

    /// Fail if fewer of the attributes and conditions are covered
    #[arg(long, value_name = "PERCENT", requires = "coverage", value_parser = percentage)]
    threshold: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum CoverageFormat {
    /// A table, and what is not covered
    Text,
    /// The format of lcov and genhtml
    Lcov,
    /// A page with the lines of the files
    Html,
}

fn percentage(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "it is not a number".to_owned())?;
    if (0.0..=100.0).contains(&number) { Ok(number) } else { Err("it is not from 0 to 100".to_owned()) }
}

/// The blocks of templates and jobs whose attributes are evaluated for a result. Others declare: variables and their
/// validations, what a template requires.
const EVALUATED: [&str; 6] = ["locals", "local", "data", "source", "build", "job"];

/// The attributes of templates that are read without an evaluation: of a source in a build its name, and of a local value
/// whether it is sensitive.
const DECLARED: [(&str, &str); 2] = [("source", "name"), ("local", "sensitive")];

/// The coverage of files, by path.
#[derive(Default)]
pub(super) struct CoverageByFile {
    files: BTreeMap<String, CoveredFile>,
}

struct CoveredFile {
    text: String,
    /// In the order of the text.
    attributes: Vec<Counted>,
}

struct Counted {
    path: String,
    /// The part of the path before its name; empty outside of blocks.
    block: String,
    /// Where the attribute begins.
    start: u32,
    line: u32,
    /// True for the attribute that decides whether a rule applies.
    is_rule: bool,
    /// The number of cases that evaluate it.
    cases: u32,
    /// In the order of their spots.
    conditions: Vec<Branch>,
}

/// A part of a whole.
#[derive(Clone, Copy, Default)]
struct Share {
    covered: usize,
    all: usize,
}

impl Share {
    fn add(&mut self, is_covered: bool) {
        self.all += 1;
        self.covered += usize::from(is_covered);
    }

    fn and(self, other: Self) -> Self {
        Self { covered: self.covered + other.covered, all: self.all + other.all }
    }

    /// Returns the percentage as a number, rounded down, so that 100 % means all; `None` of nothing.
    fn number(self) -> Option<String> {
        let permille = (self.covered * 1000).checked_div(self.all)?;
        Some(format!("{}.{}", permille / 10, permille % 10))
    }

    fn percent(self) -> String {
        self.number().map_or_else(|| "-".to_owned(), |number| format!("{number} %"))
    }
}

/// What is covered of attributes, of the outcomes of conditions, and of rules.
#[derive(Clone, Copy, Default)]
struct Totals {
    attributes: Share,
    outcomes: Share,
    rules: Share,
}

impl Totals {
    fn of<'f>(files: impl IntoIterator<Item = &'f CoveredFile>) -> Self {
        let mut totals = Self::default();
        for attribute in files.into_iter().flat_map(|file| &file.attributes) {
            totals.attributes.add(attribute.cases > 0);
            let seen = attribute.conditions.iter().flat_map(|condition| condition.seen);
            seen.for_each(|cases| totals.outcomes.add(cases > 0));
            if attribute.is_rule {
                totals.rules.add(attribute.applies());
            }
        }
        totals
    }

    /// Returns what a threshold is compared with.
    fn whole(self) -> Share {
        self.attributes.and(self.outcomes)
    }
}

impl Counted {
    /// Returns true if a rule applied in a case.
    fn applies(&self) -> bool {
        self.conditions.iter().any(|condition| condition.is_result && condition.seen[0] > 0)
    }
}

impl CoverageByFile {
    /// Adds up what cases cover.
    ///
    /// # Errors
    /// An expression that is too large to compile, as a sentence.
    pub(super) fn of<'v>(
        suites: &[Suite],
        verdicts: impl IntoIterator<Item = &'v CaseVerdict<'v>>,
    ) -> Result<Self, EarlyEnd> {
        let mut found = Self::default();
        for case in suites.iter().flat_map(|suite| &suite.cases) {
            let Ok((subject, _)) = &case.setting else { continue };
            for document in subject.documents() {
                let added = found.add(document, subject);
                added.map_err(|error| EarlyEnd::Refused(format!("{error}.")))?;
            }
        }
        for verdict in verdicts {
            for ((name, start), outcomes) in &verdict.covered {
                found.count(name, *start, outcomes);
            }
        }
        for attribute in found.files.values_mut().flat_map(|file| &mut file.attributes) {
            let is_rule = attribute.is_rule;
            attribute.conditions.retain(|one| is_rule || !one.is_value || one.seen != [0; 2]);
        }
        Ok(found)
    }

    /// Returns what is covered, as names with percentages: of attributes, conditions, rules, and of attributes and
    /// conditions together, without those of which there are none.
    pub(super) fn percentages(&self) -> impl Iterator<Item = (&'static str, String)> {
        let totals = Totals::of(self.files.values());
        let shares = [
            ("attributes", totals.attributes),
            ("conditions", totals.outcomes),
            ("rules", totals.rules),
            ("covered", totals.whole()),
        ];
        shares.into_iter().filter_map(|(name, share)| Some((name, share.number()?)))
    }

    /// Adds the attributes of a document, unless they are known; of one that an application reads, those that it
    /// evaluates. The secret parts of its text are not shown.
    fn add(&mut self, document: &Document, subject: &TestSubject) -> Result<(), Error> {
        let (is_module, secret) = (subject.is_module(), &*subject.secret_parts(document));
        let nothing = Diagnostics::new(Arc::clone(document.source()), Vec::new());
        let redacted = nothing.redacted(secret, SENSITIVE);
        let source = redacted.source();
        let parts = source.files().iter().enumerate();
        let mut texts: Vec<(String, String)> = parts
            .map(|(at, part)| (part.name.to_string(), source.file_span(at).slice(source.text()).to_owned()))
            .collect();
        if texts.is_empty() {
            texts.push((source.name().to_owned(), source.text().to_string()));
        }
        if texts.iter().all(|(name, _)| self.files.contains_key(name)) {
            return Ok(());
        }
        for (name, text) in texts {
            self.files.insert(name, CoveredFile { text, attributes: Vec::new() });
        }
        let mut open = vec![(document.body(), String::new(), None)];
        while let Some((body, above, in_kind)) = open.pop() {
            let is_dynamic = in_kind == Some("dynamic");
            let is_outermost = above.is_empty();
            for block in body.blocks() {
                if is_module && is_outermost && !EVALUATED.contains(&block.kind()) {
                    continue;
                }
                let path = below_block(&above, block.kind(), block.labels());
                open.push((block.body(), path, Some(block.kind())));
            }
            // In JSON, blocks are attributes; those of locals are known without a schema.
            let is_json = is_outermost && document.is_json() && !is_module;
            if is_json {
                let path = || below_block("", LOCALS, std::iter::empty());
                open.extend(body.blocks_of(LOCALS).map(|block| (block.body(), path(), Some(LOCALS))));
            }
            // Those of a dynamic block itself make blocks, and have no value in the result.
            if !is_dynamic {
                let is_declared = |name: &str| {
                    let of = |(kind, declared): &(&str, &str)| *declared == name && in_kind == Some(*kind);
                    is_module && DECLARED.iter().any(of)
                };
                let is_left_out = |name: &str| is_declared(name) || is_json && name == LOCALS;
                let mut attributes = body.attributes().filter(|attribute| !is_left_out(attribute.name()));
                attributes.try_for_each(|attribute| {
                    let is_rule = !above.is_empty() && attribute.name() == subject.condition();
                    self.add_attribute(attribute, &above, is_rule, secret)
                })?;
            }
        }
        for file in self.files.values_mut() {
            file.attributes.sort_by_key(|attribute| attribute.start);
        }
        Ok(())
    }

    fn add_attribute(
        &mut self,
        attribute: Attribute<'_>,
        above: &str,
        is_rule: bool,
        secret: &[Span],
    ) -> Result<(), Error> {
        let document = attribute.document();
        let (name, start) = place(document.source(), attribute.span().start);
        let line = document.source().position(attribute.span().start).line;
        let mut conditions: Vec<Branch> =
            conditions(&attribute.program()?)?.into_iter().map(|(_, _, branch)| branch).collect();
        conditions.sort_by_key(|condition| condition.spot);
        let expression = attribute.expression_span();
        if secret.iter().any(|part| part.start < expression.end && expression.start < part.end) {
            for condition in &mut conditions {
                SENSITIVE.clone_into(&mut condition.text);
            }
        }
        let path = format!("{above}{}", attribute.name());
        if let Some(file) = self.files.get_mut(&name) {
            file.attributes.push(Counted {
                path,
                block: above.to_owned(),
                start,
                line,
                is_rule,
                cases: 0,
                conditions,
            });
        }
        Ok(())
    }

    /// Counts a case that evaluates an attribute.
    fn count(&mut self, name: &str, start: u32, outcomes: &[(Spot, Outcomes)]) {
        let Some(CoveredFile { attributes, .. }) = self.files.get_mut(name) else { return };
        let Ok(at) = attributes.binary_search_by_key(&start, |attribute| attribute.start) else { return };
        let attribute = &mut attributes[at];
        attribute.cases += 1;
        for (spot, outcomes) in outcomes {
            let known = attribute.conditions.binary_search_by_key(spot, |condition| condition.spot);
            if let Some(condition) = known.ok().and_then(|at| attribute.conditions.get_mut(at)) {
                for (seen, truth) in condition.seen.iter_mut().zip([Truth::True, Truth::False]) {
                    *seen += u32::from(outcomes.has(truth));
                }
            }
        }
    }
}

impl CoverageArguments {
    /// Writes the coverage to the file that was named, or returns the text to print. Returns an error sentence if
    /// less is covered than the threshold.
    pub(super) fn finish(&self, coverage: &CoverageByFile) -> Result<(String, Option<String>), EarlyEnd> {
        let text = match self.coverage {
            Some(CoverageFormat::Lcov) => text::lcov(coverage),
            Some(CoverageFormat::Html) => html::page(coverage),
            _ => text::table(coverage, self.verbose),
        };
        let printed = match &self.coverage_out {
            Some(path) => {
                let written = fs::write(path, text);
                written.map_err(|error| EarlyEnd::Refused(format!("Cannot write {path}: {error}.")))?;
                String::new()
            }
            None => text,
        };
        let whole = Totals::of(coverage.files.values()).whole();
        let missed = self.threshold.filter(|threshold| whole.all == 0 || covered_less(whole, *threshold));
        let sentence = missed.map(|threshold| match whole.number() {
            Some(percent) => {
                format!("{percent} % of the attributes and conditions is covered, less than {threshold} %.")
            }
            None => {
                format!(
                    "No attribute or condition is measured, so the threshold of {threshold} % is not reached."
                )
            }
        });
        Ok((printed, sentence))
    }

    /// # Errors
    /// A form that cannot be printed behind the results, without a file.
    pub(super) fn check(&self, results_are_json: bool) -> Result<(), EarlyEnd> {
        let is_text = self.coverage == Some(CoverageFormat::Text) && !results_are_json;
        if self.coverage.is_some() && !is_text && self.coverage_out.is_none() {
            return Err(EarlyEnd::Refused("Name a file for this coverage with --coverage-out.".to_owned()));
        }
        Ok(())
    }
}

fn covered_less(whole: Share, percent: f64) -> bool {
    let count = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    count(whole.covered) * 100.0 < percent * count(whole.all)
}
