//! The results of tests as JUnit XML, for continuous integration.
//!
//! Written by hand: it is a few kinds of elements, and escaping is the only rule.

use std::fmt::Write;

use hclvm::diagnostics::steers_terminal;

use super::coverage::CoverageByFile;
use super::report::TestReport;
use super::verdict::CaseFailure;

/// Returns the results of all test files. Percentages of coverage, one for each test file, become properties.
pub(super) fn text(report: &TestReport<'_>, coverage: &[CoverageByFile]) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for (at, suite) in report.suites.iter().enumerate() {
        let of_suite = || report.verdicts.iter().filter(|verdict| std::ptr::eq(verdict.suite, suite));
        let failed = of_suite().filter(|verdict| !verdict.is_success()).count();
        let (tests, errors) = (of_suite().count(), suite.problems.len());
        let time: f64 = of_suite().map(|verdict| verdict.time.as_secs_f64()).sum();
        let name = escaped(&suite.path);
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "  <testsuite name=\"{name}\" tests=\"{}\" failures=\"{failed}\" errors=\"{errors}\" time=\"{time:.6}\">",
            tests + errors
        );
        if let Some(coverage) = coverage.get(at) {
            out += "    <properties>\n";
            for (name, percent) in coverage.percentages() {
                let _ = writeln!(out, "      <property name=\"coverage.{name}\" value=\"{percent}\"/>");
            }
            out += "    </properties>\n";
        }
        for problems in &suite.problems {
            let detail = escaped(&problems.report().to_string());
            let _ = writeln!(out, "    <testcase classname=\"{name}\" name=\"{name}\">");
            let _ = writeln!(
                out,
                "      <error message=\"The test file has errors.\">{detail}</error>\n    </testcase>"
            );
        }
        for verdict in of_suite() {
            let (case, time) = (escaped(&verdict.case.name), verdict.time.as_secs_f64());
            let _ = write!(out, "    <testcase classname=\"{name}\" name=\"{case}\" time=\"{time:.6}\"");
            if verdict.is_success() {
                out += "/>\n";
                continue;
            }
            out += ">\n";
            for failure in &verdict.failures {
                let (message, detail) = (escaped(&message(failure)), escaped(&failure.text()));
                let _ = writeln!(out, "      <failure message=\"{message}\">{detail}</failure>");
            }
            out += "    </testcase>\n";
        }
        out += "  </testsuite>\n";
    }
    out + "</testsuites>\n"
}

fn message(failure: &CaseFailure) -> String {
    match failure {
        CaseFailure::Difference(one) => format!("{} is not as expected", one.path),
        CaseFailure::Problems(problems) => {
            problems.iter().next().map_or_else(String::new, |problem| problem.title.to_string())
        }
        CaseFailure::Other(sentence) => sentence.clone(),
    }
}

/// Escapes a text. XML has no control characters but blanks, and two code points that are none.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\n' | '\t' => out.push(c),
            '\u{fffe}' | '\u{ffff}' => out.push(char::REPLACEMENT_CHARACTER),
            _ if steers_terminal(c) => out.push(char::REPLACEMENT_CHARACTER),
            _ => out.push(c),
        }
    }
    out
}
