//! Files that test policies: mocks of resources, providers, modules and data, and whether policies should fail for them.
//!
//! ```text
//! resource "aws_vpc" "main" { attrs = { id = "vpc-1" } }
//! resource "aws_subnet" "a" { attrs = { vpc_id = aws_vpc.main.id } }   evaluated after the mock that it reads
//! ```
//!
//! All mocks of a file are one world: `getresources` sees those of resources, also skipped ones.

mod mock;
mod world;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use hclvm::schema::Content;
use hclvm::{Attribute, Block, Dialect, Document, Engine, OwnedValue};
use smol_str::SmolStr;

use super::inputs::{Sources, Values};
use super::judge::Judge;
use super::load::{InputValues, check_terraform_config};
use super::object::Object;
use super::report::{PolicySelection, judge_object};
use super::resources::Resources;
use super::{
    GivenInputs, MOST_EXPLAINED, PlanSettings, Policies, Schemas, Status, Verdict, functions, language, stops,
};
use crate::constants::ConstantEvaluator;
use crate::files::File;
use crate::hidden::Hidden;
use crate::problems::{Problems, TextRange};

use mock::{EvaluatedMock, MOCKS, Mock};
use world::World;

/// How test files are evaluated.
///
/// ```
/// use hclvm_dialects::terraform_policy::{GivenInputs, TestSettings};
///
/// let settings = TestSettings::new().inputs(GivenInputs::new().argument("limit", "3"));
/// # let _ = settings;
/// ```
#[derive(Clone, Debug, Default)]
pub struct TestSettings {
    inputs: GivenInputs,
    plan: PlanSettings,
    schemas: Option<Arc<Schemas>>,
    setup: bool,
    strict: bool,
}

impl TestSettings {
    /// Creates settings without inputs.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets values of inputs.
    pub fn inputs(mut self, inputs: GivenInputs) -> Self {
        self.inputs = inputs;
        self
    }

    /// Converts mocks by the schemas of providers.
    pub fn schemas(mut self, schemas: impl Into<Arc<Schemas>>) -> Self {
        self.schemas = Some(schemas.into());
        self
    }

    /// Runs policies of providers and modules alone, with unknown attributes.
    pub fn setup(mut self, setup: bool) -> Self {
        self.setup = setup;
        self
    }

    /// Wants all policies to fail for a mock that expects a failure, where otherwise one of them is enough.
    pub fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }
}

/// The results of a test file.
#[derive(Clone, Debug)]
pub struct TestFile {
    name: String,
    problems: Problems,
    mocks: Vec<MockResult>,
}

/// What policies say about a mock.
#[derive(Clone, Debug)]
pub struct MockResult {
    address: String,
    verdicts: Vec<Verdict>,
    result: TestResult,
}

/// Whether a test is as expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestResult {
    /// It is.
    Pass,
    /// A policy fails, or is unknown, and should pass.
    UnexpectedFailure,
    /// No policy fails, and one should.
    MissingFailure,
    /// A policy cannot be evaluated.
    Error,
    /// It is not run.
    Skipped,
}

impl TestFile {
    /// Returns its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns what is wrong with it. With errors, no mock was evaluated.
    pub fn problems(&self) -> &Problems {
        &self.problems
    }

    /// Returns the results of its mocks.
    pub fn mocks(&self) -> &[MockResult] {
        &self.mocks
    }

    /// Returns true if all results are as expected.
    pub fn is_success(&self) -> bool {
        !stops(&self.problems)
            && self.mocks.iter().all(|mock| matches!(mock.result, TestResult::Pass | TestResult::Skipped))
    }
}

impl MockResult {
    /// Returns its address: `resource.aws_vpc.main`.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Returns what policies say about it.
    pub fn verdicts(&self) -> &[Verdict] {
        &self.verdicts
    }

    /// Returns whether that is as expected.
    pub fn result(&self) -> TestResult {
        self.result
    }
}

impl Policies {
    /// Runs a test file. Its targets, which are paths from its folder, are found by the names of the files of policies.
    ///
    /// ```
    /// use hclvm_dialects::File;
    /// use hclvm_dialects::terraform_policy::{Policies, Settings, TestResult, TestSettings};
    ///
    /// let policy = File::new("a.policy.hcl", "resource_policy \"t\" \"p\" {\n  enforce {\n    condition = attrs.on\n  }\n}");
    /// let test = File::new("a.policytest.hcl", "resource \"t\" \"x\" {\n  attrs = { on = true }\n}");
    /// let policies = Policies::load(&[policy], &Settings::new()).expect("it has no errors");
    /// let results = policies.test(&test, &TestSettings::new());
    /// assert_eq!(results.mocks()[0].result(), TestResult::Pass);
    /// ```
    pub fn test(&self, file: &File, settings: &TestSettings) -> TestFile {
        let mut test = TestCase {
            policies: self,
            settings,
            constants: ConstantEvaluator::new(Some(functions::table()), self.settings.limits),
            problems: Problems::default(),
            targets: vec![true; self.loaded.files.len()],
            declared: HashMap::new(),
            secrets: Vec::new(),
        };
        let mocks = test.run(file);
        test.secrets.iter().for_each(|part| test.problems.hide(std::slice::from_ref(part)));
        TestFile { name: file.name().to_owned(), problems: test.problems, mocks }
    }
}

struct TestCase<'t> {
    policies: &'t Policies,
    settings: &'t TestSettings,
    constants: ConstantEvaluator,
    problems: Problems,
    /// Whether each file of policies is tested.
    targets: Vec<bool>,
    /// The names of the inputs of tested files, and whether one of the files declares them sensitive.
    declared: HashMap<SmolStr, bool>,
    /// Values of sensitive inputs in the file, which no problem shows.
    secrets: Vec<Hidden>,
}

impl TestCase<'_> {
    fn run(&mut self, file: &File) -> Vec<MockResult> {
        let dialect = Dialect::with_functions(functions::table());
        let engine = Engine::builder().dialect(dialect).limits(self.policies.settings.limits).build();
        let (document, found) = file.parse(&engine, false);
        self.problems.add(found);
        if stops(&self.problems) {
            return Vec::new();
        }
        let (content, found) = document.body().content_lenient(&language::tests());
        self.problems.add(found);
        self.read_targets(&document, &content, file.name());
        for (file, _) in self.policies.loaded.files.iter().zip(&self.targets).filter(|(_, target)| **target) {
            for input in &file.inputs {
                *self.declared.entry(input.name.clone()).or_default() |= input.sensitive;
            }
        }
        let written = self.written_inputs(content.blocks_of("inputs"));
        let mut sources =
            Sources::new(&self.settings.inputs, self.policies.settings.limits, &mut self.problems);
        let inputs = self.inputs(&mut sources, &[&written]);
        sources.warn_undeclared(&mut self.problems);
        self.problems.hide(&sources.secrets);
        if stops(&self.problems) {
            return Vec::new();
        }
        // In mocks, a value is sensitive if one of the files declares its input so.
        let mut named: BTreeMap<SmolStr, OwnedValue> = BTreeMap::new();
        for (file, values) in self.policies.loaded.files.iter().zip(&inputs) {
            for (input, value) in file.inputs.iter().zip(values) {
                if input.sensitive || !named.contains_key(&input.name) {
                    named.insert(input.name.clone(), value.clone());
                }
            }
        }
        let mut resources = Resources::of_mocks();
        let mocks = self.mocks(&document, &content, &named, &mut resources);
        if stops(&self.problems) {
            return Vec::new();
        }
        self.judge(&mocks, inputs, &Arc::new(resources), &mut sources, &written)
    }

    fn inputs(&mut self, sources: &mut Sources, written: &[&Values]) -> InputValues {
        self.policies.inputs(sources, written, |at| self.targets[at], &mut self.problems)
    }

    /// Reads the block `policytest`, which selects the files that are tested.
    fn read_targets(&mut self, document: &Document, content: &Content<'_>, name: &str) {
        let mut blocks = content.blocks_of("policytest");
        let Some(block) = blocks.next() else { return };
        for other in blocks {
            let detail = "A test file has one block `policytest`.";
            self.problems.error(&TextRange::of_block(document, other), "Duplicate policytest block", detail);
        }
        let (content, found) = block.body().content_lenient(&language::policytest());
        self.problems.add(found);
        check_terraform_config(&content, &mut self.constants, &mut self.problems);
        let Some(attribute) = content.attribute("targets") else { return };
        let place = TextRange::of_value(attribute);
        let Some(value) = self.constants.value(attribute, &mut self.problems) else { return };
        let paths: Option<Vec<&str>> =
            value.get().as_items().and_then(|items| items.iter().map(|item| item.as_str()).collect());
        let Some(paths) = paths else {
            let detail = "Targets are a list of paths of files and folders.";
            self.problems.error(&place, "Invalid targets", detail);
            return;
        };
        let files: Vec<PathBuf> = self
            .policies
            .loaded
            .files
            .iter()
            .map(|file| normalized(Path::new(file.document.source().name())))
            .collect();
        let folder = Path::new(name).parent().unwrap_or_else(|| Path::new(""));
        self.targets.fill(false);
        for path in paths.into_iter().collect::<BTreeSet<_>>() {
            let wanted = normalized(&folder.join(path));
            let mut is_found = false;
            for (file, target) in files.iter().zip(&mut self.targets) {
                let is_match = file.starts_with(&wanted);
                *target |= is_match;
                is_found |= is_match;
            }
            if !is_found {
                let detail = format!("The target \"{path}\" does not match any policy file.");
                self.problems.error(&place, "Unknown target", detail);
            }
        }
    }

    /// Returns the values of `inputs` blocks.
    fn written_inputs<'d>(&mut self, blocks: impl Iterator<Item = Block<'d>>) -> Values {
        let mut values = Values::new();
        for block in blocks {
            let (attributes, found) = block.body().just_attributes_lenient();
            self.problems.add(found);
            for attribute in attributes {
                let Some(sensitive) = self.declared.get(attribute.name()) else {
                    let detail = format!("No tested file declares the input \"{}\".", attribute.name());
                    self.problems.error(&TextRange::of_name(attribute), "Undefined input", detail);
                    continue;
                };
                let value = if *sensitive {
                    let part = vec![attribute.expression_span()];
                    self.secrets.push(Hidden::new(attribute.document().source(), part));
                    self.constants.sensitive_value(attribute, &mut self.problems)
                } else {
                    self.constants.value(attribute, &mut self.problems)
                };
                let place = TextRange::of_value(attribute);
                values.extend(value.map(|value| (attribute.name().to_owned(), (value, place))));
            }
        }
        values
    }

    /// Evaluates mocks, each after those that it reads.
    fn mocks(
        &mut self,
        document: &Document,
        content: &Content<'_>,
        inputs: &BTreeMap<SmolStr, OwnedValue>,
        resources: &mut Resources,
    ) -> Vec<EvaluatedMock> {
        let mut mocks = Vec::new();
        for (block_type, kind) in MOCKS {
            for block in content.blocks_of(block_type) {
                let mut labels = block.labels();
                let (label, name) = (labels.next().unwrap_or_default(), labels.next().unwrap_or_default());
                mocks.push(Mock { kind, block, label, name });
            }
        }
        mocks.sort_by_key(|mock| mock.block.header_span().start);
        let mut seen: HashMap<String, TextRange> = HashMap::new();
        for mock in &mocks {
            let place = TextRange::of_block(document, mock.block);
            if let Some(first) = seen.get(&mock.address()) {
                let detail = format!("{} is defined already, at {}.", mock.address(), first.line());
                self.problems.error(&place, "Duplicate mock", detail);
            }
            seen.insert(mock.address(), place);
        }
        let locals: Vec<Attribute<'_>> = content
            .blocks_of("locals")
            .flat_map(|block| {
                let (attributes, found) = block.body().just_attributes_lenient();
                self.problems.add(found);
                attributes
            })
            .collect();
        if stops(&self.problems) {
            return Vec::new();
        }
        let mut world = World::new(document, &mocks, &locals, inputs);
        world.evaluate(&mut self.problems);
        if stops(&self.problems) {
            return Vec::new();
        }
        let mut evaluated = Vec::new();
        for (at, mock) in mocks.iter().enumerate() {
            let values = std::mem::take(&mut world.values[at]);
            self.mock(document, *mock, values, resources, &mut evaluated);
        }
        evaluated
    }

    /// Evaluates the policies for each mock.
    fn judge(
        &mut self,
        mocks: &[EvaluatedMock],
        inputs: InputValues,
        resources: &Arc<Resources>,
        sources: &mut Sources,
        written: &Values,
    ) -> Vec<MockResult> {
        let policies = self.policies;
        let objects: Vec<Object> = mocks.iter().map(|mock| mock.object.clone()).collect();
        let selection = PolicySelection::new(&policies.loaded, &objects, |at| self.targets[at]);
        let run = policies.run(inputs, resources);
        let mut shared = Judge::new(&run);
        let mut explanations = if policies.settings.explain { MOST_EXPLAINED } else { 0 };
        let mut results = Vec::new();
        for (at, mock) in mocks.iter().enumerate() {
            let mut verdicts = Vec::new();
            let mut judge_by = |judge: &mut Judge<'_>| {
                judge.explanations = explanations;
                judge_object(judge, &selection, at, &mock.object, &mut verdicts);
                explanations = judge.explanations;
            };
            if let Some(own) = &mock.inputs {
                let run = policies.run(self.inputs(sources, &[own, written]), resources);
                judge_by(&mut Judge::new(&run));
            } else {
                judge_by(&mut shared);
            }
            let result = self.result(mock, &verdicts);
            results.push(MockResult { address: mock.object.address.clone(), verdicts, result });
        }
        results
    }

    fn result(&self, mock: &EvaluatedMock, verdicts: &[Verdict]) -> TestResult {
        let statuses = || verdicts.iter().map(Verdict::status).filter(|status| *status != Status::Skipped);
        let worst = statuses().max();
        match worst {
            _ if mock.object.skip => TestResult::Skipped,
            Some(Status::Error) => TestResult::Error,
            _ if !mock.expects_failure => match worst {
                None | Some(Status::Pass | Status::Skipped) => TestResult::Pass,
                _ => TestResult::UnexpectedFailure,
            },
            Some(Status::Fail) if !self.settings.strict || statuses().all(|one| one == Status::Fail) => {
                TestResult::Pass
            }
            _ => TestResult::MissingFailure,
        }
    }
}

/// Returns a path without `.` and `..`, from the root.
fn normalized(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(normal.pop()),
            other => normal.push(other),
        }
    }
    normal
}
