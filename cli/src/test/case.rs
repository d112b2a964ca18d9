//! Test files: their cases, with what these share.

use std::collections::{HashMap, VecDeque};
use std::fs::Metadata;
use std::path::Path;
use std::sync::Arc;

use hclvm::module::{BodyValues, Values};
use hclvm::schema::Schema;
use hclvm::{Diagnostics, Document, Engine, Error, Module, OwnedValue, Value};
use serde_json::{Map, Value as Json};

use super::decision::{ExpectedDecision, PARTS};
use super::subject::TestSubject;
use crate::options::CommandOptions;
use crate::outcome::EarlyEnd;
use crate::report::{diagnostics_of, sentence};
use crate::scopes::{self, GivenVariables};
use crate::shown::shown;
use crate::texts;
use hclvm_project::stub::Stub;

/// The suffix of test files. It is not `.hcl`, so that the files of a folder are one body without its tests.
pub(super) const SUFFIX: &str = "hcltest";

/// A test file.
pub(super) struct Suite {
    /// The path of the file.
    pub(super) path: String,
    pub(super) cases: Vec<Case>,
    /// What is wrong in the file itself. It has no cases then.
    pub(super) problems: Vec<Diagnostics>,
}

const NO_CASES: &str = "The file has no block `case \"NAME\" { … }`, so it tests nothing.";

const NO_EXPECTATIONS: &str = "The case expects nothing, so it tests nothing. Name values in `expect`, a decision in \
                               `expect_decision`, or errors in blocks `expect_error`.";

/// A case of a test file.
pub(super) struct Case {
    pub(super) name: String,
    /// The line of the block; `None` if a `dynamic` block makes it.
    pub(super) line: Option<u32>,
    /// What is tested and with which variables, or the reason why it cannot be.
    pub(super) setting: Result<(Arc<TestSubject>, GivenVariables), String>,
    /// The expected values by path.
    pub(super) expected: Expected,
    pub(super) errors: Vec<ExpectedError>,
    pub(super) decision: Option<ExpectedDecision>,
}

/// An error that a case expects. What is `None` may be anything.
pub(super) struct ExpectedError {
    pub(super) title: String,
    /// The end of the path of the file.
    pub(super) file: Option<String>,
    pub(super) line: Option<u32>,
    pub(super) column: Option<u32>,
}

/// What a test file says for all of its cases, and what a case says for itself.
#[derive(Default)]
struct Setting {
    file: Option<String>,
    scope_file: Option<String>,
    scope: Map<String, Json>,
    mocks: Vec<Stub>,
}

impl Suite {
    /// Reads a test file, and compiles what it tests.
    pub(super) fn read(engine: &Engine, path: &str, options: &CommandOptions) -> Result<Self, EarlyEnd> {
        let text = texts::source(path)?;
        let failed = |problems| Self { path: path.to_owned(), cases: Vec::new(), problems };
        let (document, problems) = engine.parse_bytes_lenient(path, &text);
        if problems.has_errors() {
            return Ok(failed(vec![problems]));
        }
        let mut problems = misplaced(&document);
        if !problems.is_empty() {
            if Path::new(path).extension().is_none_or(|suffix| suffix != SUFFIX) {
                let detail =
                    format!("{path} is read as a test file, whose name ends in .{SUFFIX}. Name that file.");
                problems.push(sentence("Unreadable file", &detail, path));
            }
            return Ok(failed(problems));
        }
        let cases = |module: &Module| -> Result<Vec<Case>, Error> {
            let (mut session, scope) = (engine.session(), module.scope());
            let values = module.evaluate(&mut session, &scope)?;
            if values.diagnostics().has_errors() {
                return Err(values.into_diagnostics().into());
            }
            Ok(cases(&values, &document, path, options))
        };
        match document.module().and_then(|module| cases(&module)) {
            Ok(cases) if cases.is_empty() => Ok(failed(vec![sentence("Missing case block", NO_CASES, path)])),
            Ok(cases) => Ok(Self { path: path.to_owned(), cases, problems: Vec::new() }),
            Err(error) => Ok(failed(diagnostics_of(&error, path).by_file())),
        }
    }
}

/// Returns the problems of attributes and blocks that a test file cannot have.
fn misplaced(document: &Document) -> Vec<Diagnostics> {
    let mock = Schema::new().required("result").optional("arguments");
    let failing = Schema::new().required("error").optional("arguments");
    let error = Schema::new().required("title").optional("file").optional("line").optional("column");
    let decision = PARTS.into_iter().fold(Schema::new(), Schema::optional);
    let shared = || {
        let settings = Schema::new().optional("file").optional("scope_file").optional("scope");
        settings.block("mock", &["function"]).block("dynamic", &["type"])
    };
    let case = shared().optional("expect").block("expect_error", &[]).block("expect_decision", &[]);
    let file = shared().block("case", &["name"]).block("locals", &[]);
    let mut open = vec![(document.body(), &file)];
    let mut problems = Vec::new();
    while let Some((body, schema)) = open.pop() {
        problems.push(body.content_lenient(schema).1);
        for block in body.blocks() {
            match block.kind() {
                "case" => open.push((block.body(), &case)),
                "mock" if block.attribute("error").is_some() => open.push((block.body(), &failing)),
                "mock" => open.push((block.body(), &mock)),
                "expect_error" => open.push((block.body(), &error)),
                "expect_decision" => open.push((block.body(), &decision)),
                _ => {}
            }
        }
    }
    problems.retain(Diagnostics::has_errors);
    problems
}

fn cases(values: &Values<'_>, document: &Document, path: &str, options: &CommandOptions) -> Vec<Case> {
    let shared = Setting::of(values.body());
    // The cases without mocks of their own share the code of a file.
    let mut subjects: HashMap<String, Arc<TestSubject>> = HashMap::new();
    let mut written: HashMap<String, VecDeque<u32>> = HashMap::new();
    let mut cases = Vec::new();
    for block in values.body().blocks_of("case") {
        let name = block.labels().next().unwrap_or_default().to_owned();
        let own = Setting::of(block.body());
        let setting = match (&shared, own) {
            (Ok(shared), Ok(own)) => prepare(shared, own, path, options, &mut subjects),
            (Err(why), _) => Err(why.clone()),
            (_, Err(why)) => Err(why),
        };
        let wanted = expectations(block.body());
        let (setting, Expectations { expected, errors, decision }) = match wanted {
            Ok(wanted) if setting.is_ok() && wanted.is_empty() => (Err(NO_EXPECTATIONS.to_owned()), wanted),
            Ok(wanted) => (setting, wanted),
            Err(why) => (Err(why), Expectations::default()),
        };
        let line = written.entry(name.clone()).or_insert_with(|| lines(document, &name)).pop_front();
        cases.push(Case { name, line, setting, expected, errors, decision });
    }
    cases
}

/// Returns the lines of the cases that have a name, other than those that a `dynamic` block makes.
fn lines(document: &Document, name: &str) -> VecDeque<u32> {
    let cases = document.body().blocks_of("case").filter(|block| block.labels().eq([name]));
    cases.map(|block| document.source().position(block.header_span().start).line).collect()
}

/// Returns what a case tests, and its variables.
fn prepare(
    shared: &Setting,
    own: Setting,
    path: &str,
    options: &CommandOptions,
    subjects: &mut HashMap<String, Arc<TestSubject>>,
) -> Result<(Arc<TestSubject>, GivenVariables), String> {
    let file = own.file.as_ref().or(shared.file.as_ref());
    let file = beside(path, file.ok_or("`file` is missing: it names the file that is tested.")?)?;
    let mut variables = GivenVariables::default();
    if let Some(name) = own.scope_file.as_ref().or(shared.scope_file.as_ref()) {
        let read = scopes::one(&beside(path, name)?).map_err(|stop| stop.to_string())?;
        variables = read.map_err(|problems| problems.report().to_string())?;
    }
    variables.values.extend(shared.scope.clone());
    variables.values.extend(own.scope);
    let shares = own.mocks.is_empty();
    if let Some(subject) = subjects.get(&file).filter(|_| shares) {
        return Ok((Arc::clone(subject), variables));
    }
    let mocks = own.mocks.into_iter().chain(shared.mocks.iter().cloned()).collect();
    let subject = Arc::new(TestSubject::new(&file, mocks, options)?);
    if shares {
        subjects.insert(file, Arc::clone(&subject));
    }
    Ok((subject, variables))
}

/// Returns the path of a file or folder that a test file names.
///
/// # Errors
/// A pipe, a socket or a device: opening one may wait forever. Those that the command line names are read.
fn beside(path: &str, file: &str) -> Result<String, String> {
    let path = Path::new(path).parent().unwrap_or(Path::new("")).join(file);
    let is_special = |found: Metadata| !found.is_file() && !found.is_dir();
    if path.metadata().is_ok_and(is_special) {
        return Err(format!("{} is not a regular file.", path.display()));
    }
    Ok(path.to_string_lossy().into_owned())
}

impl Setting {
    fn of(body: BodyValues<'_>) -> Result<Self, String> {
        let mut setting = Self {
            file: text(body, "file")?,
            scope_file: text(body, "scope_file")?,
            scope: Map::new(),
            mocks: Vec::new(),
        };
        if let Some(value) = given(body, "scope") {
            let json = serde_json::to_value(shown(value)).map_err(|error| error.to_string())?;
            setting.scope = scopes::variables(json)
                .map_err(|_| "`scope` has to be an object of variables.".to_owned())?
                .values;
        }
        for block in body.blocks_of("mock") {
            let name = block.labels().next().unwrap_or_default();
            let body = block.body();
            let (result, error) = (body.attribute("result"), given(body, "error"));
            setting.mocks.push(Stub::mock(name, given(body, "arguments"), result, error)?);
        }
        Ok(setting)
    }
}

/// Returns the value of an attribute that is not null.
fn given<'s>(body: BodyValues<'s>, name: &str) -> Option<Value<'s>> {
    body.attribute(name).filter(|value| !value.is_null())
}

fn text(body: BodyValues<'_>, name: &str) -> Result<Option<String>, String> {
    let text = |value: Value<'_>| value.as_str().map(str::to_owned);
    given(body, name).map(|value| text(value).ok_or(format!("`{name}` has to be a string."))).transpose()
}

fn number(body: BodyValues<'_>, name: &str) -> Result<Option<u32>, String> {
    let number = |value: Value<'_>| value.as_i64().and_then(|number| u32::try_from(number).ok());
    given(body, name)
        .map(|value| number(value).ok_or(format!("`{name}` has to be a number from 1.")))
        .transpose()
}

/// What a case expects.
#[derive(Default)]
struct Expectations {
    expected: Expected,
    errors: Vec<ExpectedError>,
    decision: Option<ExpectedDecision>,
}

impl Expectations {
    fn is_empty(&self) -> bool {
        self.expected.is_empty() && self.errors.is_empty() && self.decision.is_none()
    }
}

fn expectations(body: BodyValues<'_>) -> Result<Expectations, String> {
    let mut decisions = body.blocks_of("expect_decision");
    let decision = decisions.next().map(|block| ExpectedDecision::of(block.body())).transpose()?;
    if decisions.next().is_some() {
        return Err("There are several blocks `expect_decision`; a case has one decision.".to_owned());
    }
    Ok(Expectations { expected: expected(body)?, errors: errors(body)?, decision })
}

/// The values that a case expects, by path.
type Expected = Vec<(String, OwnedValue)>;

fn expected(body: BodyValues<'_>) -> Result<Expected, String> {
    let Some(value) = given(body, "expect") else { return Ok(Vec::new()) };
    let entries = value.as_entries().ok_or("`expect` has to be an object of values by path.")?;
    Ok(entries.iter().map(|entry| (entry.name.to_owned(), OwnedValue::new(entry.value))).collect())
}

fn errors(body: BodyValues<'_>) -> Result<Vec<ExpectedError>, String> {
    let error = |body: BodyValues<'_>| {
        Ok(ExpectedError {
            title: text(body, "title")?.ok_or("`title` of an expected error has to be a string.")?,
            file: text(body, "file")?,
            line: number(body, "line")?,
            column: number(body, "column")?,
        })
    };
    body.blocks_of("expect_error").map(|block| error(block.body())).collect()
}
