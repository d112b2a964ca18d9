//! What policies said: as text, JSON, SARIF, JUnit XML and workflow commands.
//!
//! In SARIF and workflow commands a failure is a diagnostic at its `enforce` block.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::sync::Arc;

use hclvm::diagnostics::steers_terminal;
use hclvm::{Diagnostic, Diagnostics};
use hclvm_dialects::Problems;
use hclvm_dialects::terraform_policy::{Level, Policies, Status, TestFile, TestResult, Verdict};
use serde_json::{Map, Value as Json, json};

use super::ResultFormat;
use crate::report::{self, DiagnosticFormat};
use crate::test::junit_text;

/// A verdict with what it is about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shown<'r> {
    pub(super) policies: &'r Policies,
    pub(super) resource: &'r str,
    pub(super) operation: Option<&'static str>,
    pub(super) verdict: &'r Verdict,
}

/// The result of a mock.
#[derive(Clone, Copy, Debug)]
pub(super) struct TestLine<'r> {
    pub(super) test: &'r str,
    pub(super) result: TestResult,
}

/// Everything that a run found.
#[derive(Debug, Default)]
pub(super) struct RunResults<'r> {
    pub(super) verdicts: Vec<Shown<'r>>,
    pub(super) tests: Vec<TestLine<'r>>,
    pub(super) problems: Vec<&'r Problems>,
    /// True if results that pass are shown in text.
    pub(super) verbose: bool,
}

/// Prints problems on standard error.
pub(super) fn problems(format: ResultFormat, found: &Problems) {
    if format == ResultFormat::Text {
        found.groups().for_each(|group| DiagnosticFormat::Text.print(group));
    }
}

impl RunResults<'_> {
    pub(super) fn print(&self, format: ResultFormat, out: &mut impl Write) -> io::Result<()> {
        match format {
            ResultFormat::Text => self.text(out),
            ResultFormat::Json => writeln!(out, "{}", self.json()),
            ResultFormat::Sarif => DiagnosticFormat::Sarif.print_results(&self.diagnostics(), out),
            ResultFormat::Github => DiagnosticFormat::Github.print_results(&self.diagnostics(), out),
            ResultFormat::Junit => out.write_all(self.junit().as_bytes()),
        }
    }

    fn text(&self, out: &mut impl Write) -> io::Result<()> {
        for shown in &self.verdicts {
            let is_shown = self.verbose || shown.verdict.status() > Status::Pass;
            if is_shown || !shown.verdict.infos().is_empty() {
                write!(out, "{}", shown.text())?;
            }
        }
        let count = |status| self.verdicts.iter().filter(|one| one.verdict.status() == status).count();
        let counts = [Status::Pass, Status::Fail, Status::Error, Status::Unknown, Status::Skipped];
        let counts = counts.map(|status| format!("{} {}", count(status), status.name()));
        writeln!(out, "{} results: {}", self.verdicts.len(), counts.join(", "))
    }

    fn json(&self) -> Json {
        let all = || self.problems.iter().flat_map(|found| found.groups());
        let list = |is_error: bool| -> Vec<Json> {
            all().flat_map(report::list).filter(|one| (one["severity"] == "error") == is_error).collect()
        };
        let tests = self.tests.iter().map(|line| {
            json!({ "test": line.test, "result": if line.result == TestResult::Pass { "pass" } else { "fail" } })
        });
        json!({
            "format_version": "1.0",
            "verdicts": self.verdicts.iter().map(Shown::json).collect::<Vec<_>>(),
            "tests": tests.collect::<Vec<_>>(),
            "errors": list(true),
            "warnings": list(false),
        })
    }

    /// Returns problems and results that do not pass as diagnostics.
    fn diagnostics(&self) -> Vec<Diagnostics> {
        let problems = self.problems.iter().flat_map(|found| found.groups()).cloned();
        problems.chain(self.verdicts.iter().filter_map(Shown::diagnostic)).collect()
    }

    fn junit(&self) -> String {
        let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
        let count = |statuses: &[Status]| {
            self.verdicts.iter().filter(|one| statuses.contains(&one.verdict.status())).count()
        };
        let (failures, errors) = (count(&[Status::Fail]), count(&[Status::Error]));
        let skipped = count(&[Status::Skipped, Status::Unknown]);
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "  <testsuite name=\"policies\" tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\">",
            self.verdicts.len()
        );
        for shown in &self.verdicts {
            let (class, name) =
                (junit_text(&shown.policies.address(shown.verdict)), junit_text(shown.resource));
            let _ = write!(out, "    <testcase classname=\"{class}\" name=\"{name}\"");
            let detail = junit_text(&shown.lines().join("\n"));
            let _ = match shown.verdict.status() {
                Status::Pass => writeln!(out, "/>"),
                Status::Skipped => writeln!(out, "><skipped/></testcase>"),
                Status::Unknown => {
                    writeln!(out, "><skipped message=\"unknown\">{detail}</skipped></testcase>")
                }
                Status::Fail => writeln!(
                    out,
                    "><failure message=\"{}\">{detail}</failure></testcase>",
                    junit_text(&shown.message())
                ),
                Status::Error => writeln!(
                    out,
                    "><error message=\"The condition cannot be evaluated.\">{detail}</error></testcase>"
                ),
            };
        }
        out + "  </testsuite>\n</testsuites>\n"
    }
}

impl Shown<'_> {
    fn message(&self) -> String {
        match self.verdict.messages() {
            [] => "The policy is violated.".to_owned(),
            messages => messages.join(" "),
        }
    }

    fn name(&self) -> String {
        let operation = self.operation.map(|operation| format!(" ({operation})")).unwrap_or_default();
        format!("{}{operation}", self.resource)
    }

    /// Returns the messages, and why the result is what it is.
    fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.verdict.messages().to_vec();
        lines.extend(self.verdict.infos().iter().cloned());
        for failure in self.verdict.failures() {
            let (source, span) = self.policies.place(self.verdict, failure.enforce());
            let line = source.position(span.start).line;
            if let Some(why) = failure.why() {
                let text = why.to_string();
                let reason = text.lines().next().unwrap_or_default();
                lines.push(format!("{}:{line}: {reason}", source.name()));
                // What a local waits for is reported by its parts and by the resources below.
                let waits = why.waits_for().iter().filter(|path| !path.starts_with("local."));
                lines.extend(
                    waits.map(|path| {
                        format!("waits for {}, which is known after apply", self.waits_for(path))
                    }),
                );
            }
        }
        let waits = self.verdict.waits_for();
        lines.extend(waits.iter().map(|address| format!("waits for {address}")));
        for problem in self.verdict.problems().iter() {
            lines.push(format!("{}: {}", problem.title, problem.detail));
        }
        lines
    }

    /// Returns the address of an attribute that policies read as `attrs.NAME`.
    fn waits_for(&self, path: &str) -> String {
        match path.strip_prefix("attrs") {
            Some(rest) => format!("{}{rest}", self.resource),
            None => path.to_owned(),
        }
    }

    fn text(&self) -> String {
        let level = self.policies.level(self.verdict).name();
        let (status, address) = (self.verdict.status().name(), self.policies.address(self.verdict));
        let mut text = format!("{status:<7} {}  {} ({level})\n", plain(&self.name()), plain(&address));
        for line in self.lines() {
            let _ = writeln!(text, "        {}", plain(&line));
        }
        text
    }

    fn json(&self) -> Json {
        let verdict = self.verdict;
        let mut members = Map::new();
        let mut add = |name: &str, value: Json| drop(members.insert(name.to_owned(), value));
        let failing = verdict.failures().first().and_then(|failure| failure.enforce());
        let (source, span) = self.policies.place(verdict, failing);
        add("policy", self.policies.address(verdict).into());
        add("resource", self.resource.into());
        if let Some(operation) = self.operation {
            add("operation", operation.into());
        }
        add("status", verdict.status().name().into());
        add("enforcement_level", self.policies.level(verdict).name().into());
        add("file_name", source.name().into());
        add("line", source.position(span.start).line.into());
        add("messages", verdict.messages().into());
        add("infos", verdict.infos().into());
        let why: Vec<Json> = verdict
            .failures()
            .iter()
            .map(|failure| {
                let why = failure.why().and_then(|why| serde_json::to_value(why).ok());
                json!({ "enforce_index": failure.enforce(), "why": why })
            })
            .collect();
        if !why.is_empty() {
            add("failures", why.into());
        }
        if !verdict.waits_for().is_empty() {
            add("waits_for", verdict.waits_for().into());
        }
        let problems: Vec<Json> = verdict.problems().groups().flat_map(report::list).collect();
        if !problems.is_empty() {
            add("diagnostics", problems.into());
        }
        Json::Object(members)
    }

    /// Returns a result that does not pass as a diagnostic.
    fn diagnostic(&self) -> Option<Diagnostics> {
        let (title, is_warning) = match self.verdict.status() {
            Status::Pass | Status::Skipped => return None,
            Status::Unknown => ("Policy with unknown result", true),
            Status::Fail => ("Policy violation", self.policies.level(self.verdict) == Level::Advisory),
            Status::Error => ("Policy error", self.policies.level(self.verdict) == Level::Advisory),
        };
        let failing = self.verdict.failures().first().and_then(|failure| failure.enforce());
        let (source, span) = self.policies.place(self.verdict, failing);
        let lines = self.lines().join("\n");
        let detail = format!("{}, {}: {lines}", self.policies.address(self.verdict), self.name());
        let one = Diagnostic::error(title, detail, span);
        Some(Diagnostics::new(Arc::clone(source), vec![if is_warning { one.warning() } else { one }]))
    }
}

/// Prints the results of a test file.
pub(super) fn test_file(policies: &Policies, file: &TestFile, out: &mut impl Write) -> io::Result<()> {
    let name = plain(file.name());
    writeln!(out, "# {name}... running")?;
    problems(ResultFormat::Text, file.problems());
    for mock in file.mocks() {
        let address = plain(mock.address());
        writeln!(out, "  # {address}... running")?;
        for verdict in mock.verdicts().iter().filter(|verdict| verdict.status() != Status::Skipped) {
            let shown = Shown { policies, resource: mock.address(), operation: None, verdict };
            let status = verdict.status().name();
            writeln!(out, "    {}: {status}", plain(&policies.address(verdict)))?;
            if mock.result() != TestResult::Pass
                || !verdict.infos().is_empty()
                || !verdict.problems().is_empty()
            {
                for line in shown.lines() {
                    writeln!(out, "      {}", plain(&line))?;
                }
            }
        }
        let (end, sentence) = match mock.result() {
            TestResult::Pass => ("pass", ""),
            TestResult::Skipped => ("skip", ""),
            TestResult::UnexpectedFailure => {
                ("fail", "    Error: Policy violation\n    Expected: pass\n    Actual: fail\n")
            }
            TestResult::MissingFailure => ("fail", "    Error: Missing expected failure\n"),
            TestResult::Error => ("fail", "    Error: A policy cannot be evaluated\n"),
        };
        write!(out, "{sentence}")?;
        writeln!(out, "  # {address}... {end}")?;
    }
    writeln!(out, "# {name}... {}", if file.is_success() { "pass" } else { "fail" })
}

/// Returns a text without characters that would steer a terminal.
fn plain(text: &str) -> String {
    text.chars().map(|c| if steers_terminal(c) { char::REPLACEMENT_CHARACTER } else { c }).collect()
}
