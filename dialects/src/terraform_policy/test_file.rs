//! Files that test policies: mocks of resources, providers, modules and data, and whether policies should fail for them.
//!
//! ```text
//! resource "aws_vpc" "main" { attrs = { id = "vpc-1" } }
//! resource "aws_subnet" "a" { attrs = { vpc_id = aws_vpc.main.id } }   evaluated after the mock that it reads
//! ```
//!
//! All mocks of a file are one world: `getresources` sees those of resources, also skipped ones.

use std::collections::{BTreeMap, HashMap};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use hclvm::analysis::Paths;
use hclvm::schema::{Content, Schema};
use hclvm::value::{Arena, find};
use hclvm::{Attribute, Block, Dialect, Document, Engine, OwnedValue, Scope, Session, Value};
use smol_str::SmolStr;

use super::inputs::{Sources, Values};
use super::judge::Judge;
use super::object::{Object, object_of};
use super::objects::{inferred, object};
use super::report::{Selection, judge_object};
use super::resources::Resources;
use super::version::Constraint;
use super::{
    GivenInputs, Operation, PlanSettings, Policies, PolicyKind, Schemas, Status, Verdict, functions, plan,
};
use crate::constants::Constants;
use crate::files::File;
use crate::locals::{Graph, GraphProblem};
use crate::names::{Names, set_member, set_object};
use crate::problems::{Place, Problems};

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
    pub fn schemas(mut self, schemas: Schemas) -> Self {
        self.schemas = Some(Arc::new(schemas));
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
        !super::stops(&self.problems)
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

/// A mock as written.
#[derive(Clone, Copy)]
struct Mock<'d> {
    kind: MockKind,
    block: Block<'d>,
    label: &'d str,
    name: &'d str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum MockKind {
    Object(PolicyKind),
    Data,
}

/// A mock with its values.
struct Evaluated {
    object: Object,
    expects_failure: bool,
    inputs: Option<Values>,
}

const MOCKS: [(&str, MockKind); 4] = [
    ("resource", MockKind::Object(PolicyKind::Resource)),
    ("provider", MockKind::Object(PolicyKind::Provider)),
    ("module", MockKind::Object(PolicyKind::Module)),
    ("data", MockKind::Data),
];

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
        let mut test = Test {
            policies: self,
            settings,
            constants: Constants::new(Some(functions::table()), self.settings.limits),
            problems: Problems::default(),
        };
        let mocks = test.run(file);
        TestFile { name: file.name().to_owned(), problems: test.problems, mocks }
    }
}

struct Test<'t> {
    policies: &'t Policies,
    settings: &'t TestSettings,
    constants: Constants,
    problems: Problems,
}

impl Test<'_> {
    fn run(&mut self, file: &File) -> Vec<MockResult> {
        let dialect = Dialect::with_functions(functions::table());
        let engine = Engine::builder().dialect(dialect).limits(self.policies.settings.limits).build();
        let (document, found) = file.parse(&engine, false);
        self.problems.add(found);
        if super::stops(&self.problems) {
            return Vec::new();
        }
        let mut schema = Schema::new().block("policytest", &[]).block("inputs", &[]).block("locals", &[]);
        for (kind, _) in MOCKS {
            schema = schema.block(kind, &["type", "name"]);
        }
        let (content, found) = document.body().content_lenient(&schema);
        self.problems.add(found);
        let targets = self.targets(&document, &content, file.name());
        let is_target = |at: usize| targets.as_ref().is_none_or(|targets| targets.contains(&at));
        let written = self.written_inputs(content.blocks_of("inputs"), &is_target);
        let mut sources =
            Sources::new(&self.settings.inputs, self.policies.settings.limits, &mut self.problems);
        let inputs = self.policies.inputs(&mut sources, &[&written], is_target, &mut self.problems);
        sources.warn_undeclared(&mut self.problems);
        if super::stops(&self.problems) {
            return Vec::new();
        }
        let mut named: BTreeMap<SmolStr, OwnedValue> = BTreeMap::new();
        for (file, values) in self.policies.loaded.files.iter().zip(&inputs) {
            for (input, value) in file.inputs.iter().zip(values) {
                named.entry(input.name.clone()).or_insert_with(|| value.clone());
            }
        }
        let mut resources = Resources::of_mocks();
        let mocks = self.mocks(&document, &content, &named, &mut resources, &is_target);
        if super::stops(&self.problems) {
            return Vec::new();
        }
        self.judge(&mocks, &inputs, &Arc::new(resources), &written, &is_target)
    }

    /// Returns the numbers of the files that are tested; `None` for all.
    fn targets(&mut self, document: &Document, content: &Content<'_>, name: &str) -> Option<Vec<usize>> {
        let schema = Schema::new().optional("targets").block("plugins", &[]).block("terraform_config", &[]);
        let mut blocks = content.blocks_of("policytest");
        let block = blocks.next()?;
        for other in blocks {
            let detail = "A test file has one block `policytest`.";
            self.problems.error(&Place::of_block(document, other), "Duplicate policytest block", detail);
        }
        let (content, found) = block.body().content_lenient(&schema);
        self.problems.add(found);
        for config in content.blocks_of("terraform_config") {
            let (content, found) = config.body().content_lenient(&Schema::new().optional("required_version"));
            self.problems.add(found);
            let Some(attribute) = content.attribute("required_version") else { continue };
            let Some(text) = self.constants.text(attribute, &mut self.problems) else { continue };
            if Constraint::parse(&text).is_none() {
                let detail = format!("\"{text}\" is no constraint such as \">= 1.16\".");
                self.problems.error(&Place::of_value(attribute), "Invalid version constraint", detail);
            }
        }
        let attribute = content.attribute("targets")?;
        let place = Place::of_value(attribute);
        let value = self.constants.value(attribute, &mut self.problems)?;
        let paths: Option<Vec<&str>> =
            value.get().as_items().and_then(|items| items.iter().map(|item| item.as_str()).collect());
        let Some(paths) = paths else {
            self.problems.error(
                &place,
                "Invalid targets",
                "Targets are a list of paths of files and folders.",
            );
            return None;
        };
        let files: Vec<PathBuf> = self
            .policies
            .loaded
            .files
            .iter()
            .map(|file| normalized(Path::new(file.document.source().name())))
            .collect();
        let folder = Path::new(name).parent().unwrap_or_else(|| Path::new(""));
        let mut targets = Vec::new();
        for path in paths {
            let wanted = normalized(&folder.join(path));
            let before = targets.len();
            targets.extend((0..files.len()).filter(|at| files[*at].starts_with(&wanted)));
            if targets.len() == before {
                let detail = format!("The target \"{path}\" does not match any policy file.");
                self.problems.error(&place, "Unknown target", detail);
            }
        }
        Some(targets)
    }

    /// Returns the values of `inputs` blocks.
    fn written_inputs<'d>(
        &mut self,
        blocks: impl Iterator<Item = Block<'d>>,
        is_target: &dyn Fn(usize) -> bool,
    ) -> Values {
        let mut values = Values::new();
        let files = self.policies.loaded.files.iter().enumerate().filter(|(at, _)| is_target(*at));
        let declared: HashMap<&str, bool> = files
            .flat_map(|(_, file)| file.inputs.iter().map(|input| (input.name.as_str(), input.sensitive)))
            .collect();
        for block in blocks {
            let (attributes, found) = block.body().just_attributes_lenient();
            self.problems.add(found);
            for attribute in attributes {
                let Some(sensitive) = declared.get(attribute.name()) else {
                    let detail = format!("No tested file declares the input \"{}\".", attribute.name());
                    self.problems.error(&Place::of_name(attribute), "Undefined input", detail);
                    continue;
                };
                let value = if *sensitive {
                    self.constants.sensitive_value(attribute, &mut self.problems)
                } else {
                    self.constants.value(attribute, &mut self.problems)
                };
                let place = Place::of_value(attribute);
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
        is_target: &dyn Fn(usize) -> bool,
    ) -> Vec<Evaluated> {
        let mut mocks = Vec::new();
        for (block_type, kind) in MOCKS {
            for block in content.blocks_of(block_type) {
                let mut labels = block.labels();
                let (label, name) = (labels.next().unwrap_or_default(), labels.next().unwrap_or_default());
                mocks.push(Mock { kind, block, label, name });
            }
        }
        mocks.sort_by_key(|mock| mock.block.header_span().start);
        let mut seen: HashMap<String, Place> = HashMap::new();
        for mock in &mocks {
            let place = Place::of_block(document, mock.block);
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
        if super::stops(&self.problems) {
            return Vec::new();
        }
        let mut world = World::new(document, &mocks, &locals, inputs);
        world.evaluate(&mut self.problems);
        if super::stops(&self.problems) {
            return Vec::new();
        }
        let mut evaluated = Vec::new();
        for (at, mock) in mocks.iter().enumerate() {
            let values = std::mem::take(&mut world.values[at]);
            self.mock(document, *mock, values, resources, is_target, &mut evaluated);
        }
        evaluated
    }

    /// Reads a mock whose expressions were evaluated.
    fn mock(
        &mut self,
        document: &Document,
        mock: Mock<'_>,
        values: MockValues,
        resources: &mut Resources,
        is_target: &dyn Fn(usize) -> bool,
        evaluated: &mut Vec<Evaluated>,
    ) {
        let (content, found) = mock.block.body().content_lenient(&mock.schema());
        self.problems.add(found);
        let place = Place::of_block(document, mock.block);
        let objects =
            [("attrs", &values.attrs), ("prior_attrs", &values.prior_attrs), ("meta", &values.meta)];
        for (name, value) in objects {
            let is_other = value.as_ref().is_some_and(|value| {
                let value = value.get().unmark().0;
                value.is_known() && !value.is_null() && value.as_entries().is_none()
            });
            if is_other {
                self.problems.error(&place, "Invalid mock", format!("`{name}` is an object."));
                return;
            }
        }
        let MockKind::Object(kind) = mock.kind else {
            let empty = OwnedValue::new(Value::EMPTY_OBJECT);
            resources.add_data(mock.label, values.attrs.unwrap_or(empty));
            return;
        };
        let mut truth = |name: &str| {
            content
                .attribute(name)
                .is_some_and(|one| self.constants.truth(one, &mut self.problems).unwrap_or(false))
        };
        let (expects_failure, skip) = (truth("expect_failure"), truth("skip"));
        let mut blocks = content.blocks_of("inputs").peekable();
        let inputs = if blocks.peek().is_some() {
            Some(self.written_inputs(content.blocks_of("inputs"), is_target))
        } else {
            None
        };
        let object = match kind {
            PolicyKind::Resource => match self.resource(&place, mock, values) {
                Some(object) => object,
                None => return,
            },
            PolicyKind::Provider | PolicyKind::Module => self.other(kind, mock, values),
        };
        if kind == PolicyKind::Resource && object.operation != Some(Operation::Delete) {
            resources.add(mock.label, &object.address, object.attrs.clone());
        }
        let skip = skip || self.settings.setup && kind == PolicyKind::Resource;
        evaluated.push(Evaluated { object: Object { skip, ..object }, expects_failure, inputs });
    }

    fn resource(&mut self, place: &Place, mock: Mock<'_>, values: MockValues) -> Option<Object> {
        let MockValues { attrs, prior_attrs, meta } = values;
        let has_state = |state: &Option<OwnedValue>| {
            state.as_ref().is_some_and(|state| match state.get().unmark().0.as_entries() {
                Some(entries) => !entries.is_empty(),
                None => !state.get().is_known(),
            })
        };
        let state = inferred(has_state(&attrs), has_state(&prior_attrs));
        let Some(state) = state else {
            let detail = "The mock has no state: it has neither `attrs` nor `prior_attrs`.";
            self.problems.error(place, "Invalid mock", detail);
            return None;
        };
        let given = meta.as_ref().and_then(|meta| Some(find(meta.get().as_entries()?, "operation")?.value));
        let operation = match given {
            None => Ok(state),
            Some(given) => given
                .as_str()
                .ok_or_else(|| "The operation is a non-string value, and has to be a text.".to_owned())
                .and_then(|text| {
                    Operation::of_name(text).ok_or_else(|| {
                        format!("\"{text}\" is none of \"create\", \"update\", \"delete\" and \"no-op\".")
                    })
                }),
        };
        let operation =
            operation.map_err(|why| self.problems.error(place, "Invalid operation of a mock", why)).ok()?;
        let typed = |state: Option<OwnedValue>| match &self.settings.schemas {
            Some(schemas) => state.map(|state| schemas.resource("", mock.label, state)),
            None => state,
        };
        let parts = (typed(attrs), typed(prior_attrs), meta);
        Some(object(mock.label, mock.address(), operation, parts, &self.settings.plan))
    }

    /// Returns the mock of a provider or module.
    fn other(&self, kind: PolicyKind, mock: Mock<'_>, values: MockValues) -> Object {
        let arena = Arena::new();
        let label = Value::text(&arena, mock.label);
        let stack = plan::stack(&arena, self.settings.plan.stack_names());
        let mut meta: Vec<(&str, Value<'_>)> = match kind {
            PolicyKind::Provider => vec![
                ("alias", Value::NULL),
                ("name", label),
                ("namespace", Value::NULL),
                ("source", Value::NULL),
                ("type", label),
                ("version", Value::NULL),
            ],
            _ => vec![("address", Value::NULL), ("source", label), ("version", Value::NULL)],
        };
        meta.push(("tfe_stack", stack));
        let given = values.meta.as_ref().and_then(|meta| meta.get().as_entries()).unwrap_or_default();
        meta.extend(
            given.iter().map(|entry| (arena.text(entry.name), hclvm::value::copy(&arena, entry.value))),
        );
        let meta = OwnedValue::new(object_of(&arena, meta));
        let missing = if kind == PolicyKind::Module { Value::DYNAMIC } else { Value::EMPTY_OBJECT };
        let attrs = values.attrs.filter(|_| !self.settings.setup);
        let missing = if self.settings.setup { Value::DYNAMIC } else { missing };
        Object {
            kind,
            address: mock.address(),
            name: mock.label.to_owned(),
            operation: None,
            attrs: attrs.unwrap_or_else(|| OwnedValue::new(missing)),
            prior_attrs: OwnedValue::new(Value::NULL),
            meta,
            skip: false,
        }
    }

    /// Lets policies judge mocks.
    fn judge(
        &mut self,
        mocks: &[Evaluated],
        inputs: &[Vec<OwnedValue>],
        resources: &Arc<Resources>,
        written: &Values,
        is_target: &dyn Fn(usize) -> bool,
    ) -> Vec<MockResult> {
        let policies = self.policies;
        let objects: Vec<Object> = mocks.iter().map(|mock| mock.object.clone()).collect();
        let selection = Selection::new(&policies.loaded, &objects, is_target);
        let run = policies.run(inputs.to_vec(), resources);
        let mut shared = Judge::new(&run);
        let mut results = Vec::new();
        for (at, mock) in mocks.iter().enumerate() {
            let mut verdicts = Vec::new();
            if let Some(own) = &mock.inputs {
                let limits = policies.settings.limits;
                let mut sources = Sources::new(&self.settings.inputs, limits, &mut Problems::default());
                let inputs = policies.inputs(&mut sources, &[own, written], is_target, &mut self.problems);
                let run = policies.run(inputs, resources);
                judge_object(&mut Judge::new(&run), &selection, at, &mock.object, &mut verdicts);
            } else {
                judge_object(&mut shared, &selection, at, &mock.object, &mut verdicts);
            }
            let result = self.result(mock, &verdicts);
            results.push(MockResult { address: mock.object.address.clone(), verdicts, result });
        }
        results
    }

    fn result(&self, mock: &Evaluated, verdicts: &[Verdict]) -> TestResult {
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

impl<'d> Mock<'d> {
    fn address(&self) -> String {
        format!("{}.{}.{}", self.block.kind(), self.label, self.name)
    }

    /// Returns the name with which other mocks read it; only resources and data are read.
    fn node(&self) -> String {
        match self.kind {
            MockKind::Object(PolicyKind::Resource) => format!("{}.{}", self.label, self.name),
            MockKind::Data => format!("data.{}.{}", self.label, self.name),
            MockKind::Object(_) => format!("{} {} {}", self.block.kind(), self.label, self.name),
        }
    }

    fn schema(&self) -> Schema {
        let schema = Schema::new().optional("attrs");
        match self.kind {
            MockKind::Data => schema,
            MockKind::Object(PolicyKind::Resource) => schema
                .optional("prior_attrs")
                .optional("meta")
                .optional("expect_failure")
                .optional("skip")
                .block("inputs", &[]),
            MockKind::Object(_) => schema.optional("meta").optional("expect_failure").block("inputs", &[]),
        }
    }

    /// Returns the expressions of its values.
    fn expressions(&self) -> impl Iterator<Item = Attribute<'d>> + use<'d> {
        let body = self.block.body();
        ["attrs", "prior_attrs", "meta"].into_iter().filter_map(move |name| body.attribute(name))
    }
}

/// The values of a mock.
#[derive(Default)]
struct MockValues {
    attrs: Option<OwnedValue>,
    prior_attrs: Option<OwnedValue>,
    meta: Option<OwnedValue>,
}

/// The mocks and locals of a test file while they are evaluated: mocks are the first nodes, locals follow.
struct World<'w> {
    document: Document,
    mocks: &'w [Mock<'w>],
    locals: &'w [Attribute<'w>],
    names: Names,
    session: Session,
    scope: Scope,
    values: Vec<MockValues>,
    local_values: Vec<Option<OwnedValue>>,
    has_new_data: bool,
}

impl<'w> World<'w> {
    fn new(
        document: &Document,
        mocks: &'w [Mock<'w>],
        locals: &'w [Attribute<'w>],
        inputs: &BTreeMap<SmolStr, OwnedValue>,
    ) -> Self {
        let mut objects: BTreeMap<&str, Vec<SmolStr>> = BTreeMap::new();
        for mock in mocks.iter().filter(|mock| mock.kind == MockKind::Object(PolicyKind::Resource)) {
            objects.entry(mock.label).or_default().push(mock.name.into());
        }
        objects.insert("local", locals.iter().map(|local| local.name().into()).collect());
        objects.insert("input", inputs.keys().cloned().collect());
        let roots: Vec<&str> = objects.keys().copied().chain(["data"]).collect();
        let members: Vec<(&str, Vec<&SmolStr>)> =
            objects.iter().map(|(root, names)| (*root, names.iter().collect())).collect();
        let names = Names::new(&roots, &members, std::slice::from_ref(document));
        let document = document.for_layout(names.layout());
        let engine = document.engine().clone();
        let mut scope = engine.scope(names.layout());
        for (name, value) in inputs {
            // A value that was computed fits.
            let _ = set_member(&mut scope, "input", name, value.get());
        }
        if names.is_whole("input") {
            let _ = set_object(
                &mut scope,
                "input",
                inputs.iter().map(|(name, value)| (name.as_str(), value.get())),
            );
        }
        Self {
            mocks,
            locals,
            names,
            session: engine.session(),
            scope,
            values: mocks.iter().map(|_| MockValues::default()).collect(),
            local_values: vec![None; locals.len()],
            has_new_data: true,
            document,
        }
    }

    fn evaluate(&mut self, problems: &mut Problems) {
        let mut graph = Graph::default();
        for mock in self.mocks {
            graph.add(mock.node());
        }
        for local in self.locals {
            graph.add(format!("local.{}", local.name()));
        }
        let mut types: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, mock) in self.mocks.iter().enumerate() {
            let root = if mock.kind == MockKind::Data { "data" } else { mock.label };
            if matches!(mock.kind, MockKind::Data | MockKind::Object(PolicyKind::Resource)) {
                types.entry(root).or_default().push(at);
            }
        }
        let of_mocks = self.mocks.iter().enumerate();
        let expressions = of_mocks.flat_map(|(at, mock)| mock.expressions().map(move |one| (at, one)));
        let of_locals = self.locals.iter().enumerate().map(|(at, local)| (self.mocks.len() + at, *local));
        for (node, attribute) in expressions.chain(of_locals) {
            self.connect(&mut graph, node, attribute, &types, problems);
        }
        let (order, found) = graph.order();
        for problem in &found {
            self.report(problem, problems);
        }
        if super::stops(problems) {
            return;
        }
        for node in order {
            self.node(node, problems);
        }
    }

    /// Connects a node with those that an expression of it reads.
    fn connect(
        &self,
        graph: &mut Graph,
        node: usize,
        attribute: Attribute<'_>,
        types: &HashMap<&str, Vec<usize>>,
        problems: &mut Problems,
    ) {
        for (root, need) in attribute.referenced_paths() {
            match root.as_str() {
                "input" => {}
                "local" => {
                    need.names().for_each(|name| graph.read(node, format!("local.{name}")));
                    if need.is_whole() {
                        graph.read_all(node);
                    }
                }
                "data" => {
                    for kind in need.names() {
                        let inner = need.attribute(kind);
                        let names = inner.into_iter().flat_map(|inner| inner.names());
                        names.for_each(|name| graph.read(node, format!("data.{kind}.{name}")));
                    }
                    if need.is_whole()
                        || need
                            .names()
                            .any(|kind| need.attribute(kind).is_some_and(hclvm::analysis::Need::is_whole))
                    {
                        graph.read_all(node);
                    }
                }
                kind if types.contains_key(kind) => {
                    need.names().for_each(|name| graph.read(node, format!("{kind}.{name}")));
                    if need.is_whole() {
                        graph.read_all(node);
                    }
                }
                other => {
                    let place = attribute.variables().into_iter().find(|one| one.root() == other);
                    let span = place.map_or(attribute.expression_span(), |one| one.span());
                    let detail = format!("There is no mock of type \"{other}\" in this file.");
                    problems.error(&Place::new(&self.document, span), "Unknown mock", detail);
                }
            }
        }
    }

    fn place(&self, node: usize) -> (Place, String) {
        match (self.mocks.get(node), node.checked_sub(self.mocks.len()).and_then(|at| self.locals.get(at))) {
            (Some(mock), _) => (Place::of_block(&self.document, mock.block), mock.address()),
            (None, Some(local)) => (Place::of_name(*local), format!("local.{}", local.name())),
            (None, None) => (Place::nowhere(self.document.source().name()), String::new()),
        }
    }

    fn report(&self, problem: &GraphProblem, problems: &mut Problems) {
        match problem {
            GraphProblem::Missing(node, name) => {
                let (place, _) = self.place(*node);
                let title = if name.starts_with("local.") { "Undefined local" } else { "Unknown mock" };
                problems.error(&place, title, format!("It reads {name}, which is not defined in this file."));
            }
            GraphProblem::Cycle(nodes, others) => {
                let Some(first) = nodes.first() else { return };
                let names: Vec<String> = nodes.iter().take(20).map(|node| self.place(*node).1).collect();
                let more = if *others > 0 || nodes.len() > 20 { " and others" } else { "" };
                let detail = format!("These read each other: {}{more}.", names.join(", "));
                problems.error(&self.place(*first).0, "Circular reference detected", detail);
            }
        }
    }

    /// Evaluates a mock or local.
    fn node(&mut self, node: usize, problems: &mut Problems) {
        if let Some(mock) = self.mocks.get(node).copied() {
            let mut values = MockValues::default();
            for attribute in mock.expressions() {
                let value = self.value(attribute, problems);
                match attribute.name() {
                    "attrs" => values.attrs = value,
                    "prior_attrs" => values.prior_attrs = value,
                    _ => values.meta = value,
                }
            }
            if let Some(attrs) = &values.attrs
                && mock.kind == MockKind::Object(PolicyKind::Resource)
            {
                let with_own = with_attrs(attrs.get());
                let _ = set_member(&mut self.scope, mock.label, mock.name, with_own.get());
            }
            self.has_new_data |= mock.kind == MockKind::Data;
            self.values[node] = values;
            return;
        }
        let Some(at) = node.checked_sub(self.mocks.len()) else { return };
        let Some(local) = self.locals.get(at).copied() else { return };
        let value = self.value(local, problems);
        if let Some(value) = &value {
            let _ = set_member(&mut self.scope, "local", local.name(), value.get());
        }
        self.local_values[at] = value;
    }

    fn value(&mut self, attribute: Attribute<'_>, problems: &mut Problems) -> Option<OwnedValue> {
        let paths = attribute.referenced_paths();
        self.set_objects(&paths);
        let program = match attribute.compile(self.names.layout()) {
            Ok(program) => program,
            Err(error) => {
                problems.add(error.to_diagnostics(self.document.source().name()));
                return None;
            }
        };
        match self.session.run(&program, &self.scope) {
            Ok(value) => Some(OwnedValue::new(value)),
            Err(error) => {
                problems.add(error.to_diagnostics(self.document.source().name()));
                None
            }
        }
    }

    /// Sets the objects that an expression reads as a whole.
    fn set_objects(&mut self, paths: &Paths) {
        if paths.contains_key("data") && self.has_new_data {
            let mut types: BTreeMap<&str, Vec<(&str, Value<'_>)>> = BTreeMap::new();
            let values = self.mocks.iter().zip(&self.values).filter(|(mock, _)| mock.kind == MockKind::Data);
            for (mock, values) in values {
                if let Some(attrs) = &values.attrs {
                    types.entry(mock.label).or_default().push((mock.name, attrs.get()));
                }
            }
            let arena = Arena::new();
            let types: Vec<(&str, Value<'_>)> =
                types.into_iter().map(|(kind, members)| (kind, object_of(&arena, members))).collect();
            let _ = self.scope.set_value("data", object_of(&arena, types));
            self.has_new_data = false;
        }
        for root in paths.keys().filter(|root| !matches!(root.as_str(), "data" | "input")) {
            if !self.names.needs_object(root, paths) {
                continue;
            }
            if root == "local" {
                let members = self.locals.iter().zip(&self.local_values);
                let members =
                    members.filter_map(|(local, value)| Some((local.name(), value.as_ref()?.get())));
                let _ = set_object(&mut self.scope, root, members);
            } else {
                let members = self.mocks.iter().zip(&self.values).filter(|(mock, _)| mock.label == root);
                let members =
                    members.filter_map(|(mock, values)| Some((mock.name, values.attrs.as_ref()?.get())));
                let _ = set_object(&mut self.scope, root, members);
            }
        }
    }
}

/// Returns attributes which have themselves as `attrs`, too: mocks are read as TYPE.NAME.id and as TYPE.NAME.attrs.id.
fn with_attrs(attrs: Value<'_>) -> OwnedValue {
    let Some(entries) = attrs.as_entries().filter(|entries| find(entries, "attrs").is_none()) else {
        return OwnedValue::new(attrs);
    };
    let arena = Arena::new();
    let members: Vec<(&str, Value<'_>)> =
        entries.iter().map(|entry| (entry.name, entry.value)).chain([("attrs", attrs)]).collect();
    OwnedValue::new(object_of(&arena, members))
}
