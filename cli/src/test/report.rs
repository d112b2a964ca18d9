//! The results of tests, as text and as JSON.

use std::io::{self, Write};

use serde_json::{Map, Value as Json, json};

use super::case::Suite;
use super::verdict::{CaseFailure, CaseVerdict};
use crate::disasm::plain;
use crate::report::list;

/// What is reported of a value that is not there.
pub(super) const NOTHING: &str = "nothing";

/// The results of all test files.
pub(super) struct TestReport<'s> {
    pub(super) suites: &'s [Suite],
    pub(super) verdicts: &'s [CaseVerdict<'s>],
    pub(super) filtered_out: usize,
}

impl TestReport<'_> {
    pub(super) fn is_success(&self) -> bool {
        self.failed() == 0 && self.unreadable() == 0
    }

    fn failed(&self) -> usize {
        self.verdicts.iter().filter(|verdict| !verdict.is_success()).count()
    }

    /// Returns the number of test files with problems of their own.
    fn unreadable(&self) -> usize {
        self.suites.iter().filter(|suite| !suite.problems.is_empty()).count()
    }

    /// Prints the cases that fail, and a summary.
    pub(super) fn print(&self, out: &mut impl Write) -> io::Result<()> {
        for suite in self.suites.iter().filter(|suite| !suite.problems.is_empty()) {
            writeln!(out, "FAIL {}", plain(&suite.path))?;
            for problems in &suite.problems {
                indented(&problems.report().to_string(), out)?;
            }
            writeln!(out)?;
        }
        for verdict in self.verdicts.iter().filter(|verdict| !verdict.is_success()) {
            writeln!(out, "FAIL {}: {}", plain(&place(verdict)), plain(&verdict.case.name))?;
            for failure in &verdict.failures {
                indented(&failure.text(), out)?;
            }
            writeln!(out)?;
        }
        for verdict in self.verdicts {
            if let Some(nanoseconds) = verdict.nanoseconds {
                writeln!(
                    out,
                    "{nanoseconds:>9} ns  {}: {}",
                    plain(&place(verdict)),
                    plain(&verdict.case.name)
                )?;
            }
        }
        writeln!(out, "{}", self.summary())
    }

    fn summary(&self) -> String {
        let (cases, files) = (self.verdicts.len(), self.suites.len());
        let many = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
        let (failed, unreadable) = (self.failed(), self.unreadable());
        let (cases, files, passed) = (many(cases, "case"), many(files, "file"), cases - failed);
        let mut parts = vec![format!("{cases} in {files}: {passed} passed, {failed} failed")];
        if unreadable > 0 {
            parts.push(format!("{} with errors", many(unreadable, "test file")));
        }
        if self.filtered_out > 0 {
            parts.push(format!("{} filtered out", self.filtered_out));
        }
        parts.join("; ")
    }

    pub(super) fn json(&self) -> Json {
        let problems: Vec<Json> =
            self.suites.iter().flat_map(|suite| &suite.problems).flat_map(list).collect();
        json!({
            "files": self.suites.len(),
            "passed": self.verdicts.len() - self.failed(),
            "failed": self.failed(),
            "filtered_out": self.filtered_out,
            "problems": problems,
            "cases": self.verdicts.iter().map(case).collect::<Vec<_>>(),
        })
    }
}

/// Returns the file and line of a case.
fn place(verdict: &CaseVerdict<'_>) -> String {
    match verdict.case.line {
        Some(line) => format!("{}:{line}", verdict.suite.path),
        None => verdict.suite.path.clone(),
    }
}

fn case(verdict: &CaseVerdict<'_>) -> Json {
    let mut members = Map::new();
    members.insert("file".into(), verdict.suite.path.as_str().into());
    members.extend(verdict.case.line.map(|line| ("line".to_owned(), line.into())));
    members.insert("name".into(), verdict.case.name.as_str().into());
    members.insert("passed".into(), verdict.is_success().into());
    let nanoseconds = verdict.nanoseconds.and_then(|nanoseconds| u64::try_from(nanoseconds).ok());
    members.extend(nanoseconds.map(|nanoseconds| ("nanoseconds".to_owned(), nanoseconds.into())));
    if !verdict.is_success() {
        members.insert("failures".into(), verdict.failures.iter().map(failure).collect());
    }
    Json::Object(members)
}

fn failure(failure: &CaseFailure) -> Json {
    match failure {
        CaseFailure::Difference(one) => {
            json!({ "path": one.path, "expected": one.expected, "found": one.found })
        }
        CaseFailure::Problems(problems) => json!({ "errors": list(problems) }),
        CaseFailure::Other(sentence) => json!({ "message": sentence }),
    }
}

impl CaseFailure {
    /// Returns the failure as lines.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Difference(one) => {
                let [expected, found] =
                    [&one.expected, &one.found].map(|text| text.as_deref().unwrap_or(NOTHING));
                format!("{}\n  expected {expected}\n  found    {found}", one.path)
            }
            Self::Problems(problems) => problems.report().to_string(),
            Self::Other(sentence) => sentence.clone(),
        }
    }
}

fn indented(text: &str, out: &mut impl Write) -> io::Result<()> {
    text.lines().try_for_each(|line| writeln!(out, "{}", format!("  {}", plain(line)).trim_end()))
}
