//! `hclvm test`: evaluates files in the cases of test files, and compares the values and errors with those expected.
//!
//! `case` reads test files, `subject` compiles what they test, with the mocks of functions, `decision` decides by its rules, `verdict` runs a case
//! with the comparison of `compare`, and `report` and `junit` print. `coverage` shows what the cases cover. `times`
//! measures them, `record` writes test files, and `made` finds the values of templates and jobs.

mod case;
mod coverage;
mod decision;
mod junit;
mod made;
mod observed;
mod record;
mod report;
mod subject;
mod times;
mod verdict;

use std::convert::Infallible;
use std::fs;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::Path;

use clap::Args;
use hclvm::Engine;
use hclvm::run::Parallel;

use crate::application::words;
use crate::attribute_path::PathArgument;
use crate::input;
use crate::options::CommandOptions;
use crate::outcome::{CommandResult, EarlyEnd};
use crate::scopes::TableArguments;
use crate::texts;
use case::{SUFFIX, Suite};
use coverage::{CoverageArguments, CoverageByFile};
use report::TestReport;
use verdict::CaseVerdict;

pub(crate) use junit::escaped as junit_text;

/// Run the cases of test files
#[derive(Args, Debug)]
#[command(after_help = after_help())]
pub(crate) struct TestArguments {
    /// Test files *.hcltest, or folders in which all of them run [default: .]
    #[arg(value_name = "PATH")]
    paths: Vec<String>,

    /// Run only cases whose name contains this text
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,

    /// Write the results as JUnit XML; with --coverage, its percentages are properties of each test file
    #[arg(long, value_name = "FILE")]
    junit: Option<String>,

    /// Print the results as JSON
    #[arg(long)]
    json: bool,

    /// Number of threads [default: one per processor]
    #[arg(long, short = 'j', value_name = "COUNT")]
    threads: Option<NonZeroUsize>,

    /// Measure how long an evaluation of each case that passes takes, one case at a time
    #[arg(long)]
    bench: bool,

    /// Print a test file for PATH with a case for each of these scopes, which expects the current values
    #[arg(long, value_name = "SCOPES", conflicts_with_all = ["filter", "junit", "json", "threads", "coverage", "bench"])]
    record: Option<String>,

    /// Record only these attributes
    #[arg(long, value_name = "PATH", requires = "record")]
    attr: Vec<PathArgument>,

    #[command(flatten)]
    table: TableArguments,

    #[command(flatten)]
    coverage: CoverageArguments,

    #[command(flatten)]
    options: CommandOptions,
}

/// Returns the help after the list of options.
fn after_help() -> String {
    format!(
        "\
A test file is HCL. Its attributes and mocks apply to all of its cases, unless a case has its own:

  file = \"policy.hcl\"                        # what is tested, beside the test file
  scope = {{ env = {{ hour = 10 }} }}            # variables, in the notation of eval

  mock \"timestamp\" {{ result = \"2026-01-01T00:00:00Z\" }}

  case \"an admin may read\" {{
    scope  = {{ user = {{ role = \"admin\" }} }}   # added to those of the file
    expect = {{ \"rule.admin.when\" = true, \"local.risk\" = 0 }}
  }}

  case \"a user is needed\" {{
    expect_error {{
      title = \"Unknown variable\"
      line  = 3
    }}
  }}

  case \"an admin is allowed\" {{
    scope = {{ user = {{ role = \"admin\" }} }}
    expect_decision {{                          # any of these
      effect      = \"allow\"
      rule        = \"admin\"                   # null if no rule decides
      reason      = \"ann is an admin\"
      obligations = [{{ audit = true }}]
      cause       = \"rule\"                    # \"no rule\", \"undecided\"
    }}
  }}

A case evaluates what `expect` names; with `expect_error`, the whole file. A case that expects nothing fails, and so
does a test file without cases. A decision is that of hclvm decide, by the block `policy` of hclvm.hcl; one that is
undecided fails the case unless `cause = \"undecided\"` expects it. A path in `expect` may lead into an object:
rule.admin.obligations.audit. Values are compared as by `==`, except that a tuple equals a list or set with the same
elements, and an object equals a map. `scope_file` names a JSON file with variables. A mock with `arguments` holds for calls with these alone; one with
`error = \"TEXT\"` in place of `result` fails. A function that only the host has can also be mocked. `locals` and `dynamic \"case\"` work as in any file.

{} is tested as it is evaluated: `scope` has `var`, `data` (the outputs of data
sources by type and name) and `build`, and paths are var.NAME, local.NAME, data.TYPE.NAME, those of blocks, and
build.NAME.TYPE.SOURCE.ATTRIBUTE for a source in a build.

Examples:
  hclvm test policies/
  hclvm test policies/ --coverage --threshold 90
  hclvm test policy.hcl --record requests.ndjson > policy.hcltest

With --coverage, an attribute is covered if a case evaluates it, and a condition if it was true in a case and false
in another, where that decided something. A rule is a block with the attribute `when`, or the condition that hclvm.hcl\nnames. If nothing is measured, no
threshold is reached.

Exit codes: 0 success, 1 a case fails or less is covered than the threshold, 2 invalid arguments or a file that cannot be read.",
        words::capitalized(&words::a_module())
    )
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &TestArguments, out: &mut impl Write) -> Result<CommandResult, EarlyEnd> {
    if let Some(scopes) = &arguments.record {
        return record::run(arguments, scopes, out);
    }
    arguments.table.check(None)?;
    arguments.coverage.check(arguments.json)?;
    let files = files(&arguments.paths)?;
    let mut parallel = Parallel::new().group(1);
    if let Some(threads) = arguments.threads {
        parallel = parallel.threads(threads.get());
    }
    let engine = Engine::new();
    let mut suites = Vec::new();
    parallel.each(
        &files,
        || (),
        |(), path| Suite::read(&engine, path, &arguments.options),
        |suite| {
            suites.push(suite?);
            Ok::<(), EarlyEnd>(())
        },
    )?;
    let is_wanted = |name: &str| arguments.filter.as_ref().is_none_or(|text| name.contains(text.as_str()));
    let all = suites.iter().flat_map(|suite| suite.cases.iter().map(move |case| (suite, case)));
    let (wanted, others): (Vec<_>, Vec<_>) = all.partition(|(_, case)| is_wanted(&case.name));
    let is_readable = suites.iter().all(|suite| suite.problems.is_empty());
    if wanted.is_empty()
        && is_readable
        && let Some(text) = &arguments.filter
    {
        return Err(EarlyEnd::Refused(format!("No case has `{text}` in its name.")));
    }
    let mut verdicts: Vec<CaseVerdict<'_>> = Vec::new();
    let Ok(()) = parallel.each(
        wanted,
        || (),
        |(), (suite, case)| CaseVerdict::of(suite, case, arguments.coverage.coverage.is_some()),
        |verdict| {
            verdicts.push(verdict);
            Ok::<(), Infallible>(())
        },
    );
    if arguments.bench {
        for verdict in verdicts.iter_mut().filter(|verdict| verdict.is_success()) {
            verdict.nanoseconds = times::nanoseconds(verdict.case);
        }
    }
    let report = TestReport { suites: &suites, verdicts: &verdicts, filtered_out: others.len() };
    if let Some(path) = &arguments.junit {
        let written = fs::write(path, junit::text(&report, &by_suite(arguments, &suites, &verdicts)?));
        written.map_err(|error| EarlyEnd::Refused(format!("Cannot write {path}: {error}.")))?;
    }
    if arguments.json {
        writeln!(out, "{:#}", report.json())?;
    } else {
        report.print(out)?;
    }
    let mut is_fine = report.is_success();
    if arguments.coverage.coverage.is_some() {
        let (text, problem) = arguments.coverage.finish(&CoverageByFile::of(&suites, &verdicts)?)?;
        if !text.is_empty() {
            write!(out, "\n{text}")?;
        }
        if let Some(problem) = problem {
            is_fine = false;
            // Behind JSON, a sentence would be no JSON.
            let told = if arguments.json { &mut io::stderr() as &mut dyn Write } else { out };
            writeln!(told, "\nFAIL {problem}")?;
        }
    }
    Ok(if is_fine { CommandResult::Fine } else { CommandResult::Diagnosed })
}

/// Returns the coverage of each test file; nothing unless it was asked for.
fn by_suite(
    arguments: &TestArguments,
    suites: &[Suite],
    verdicts: &[CaseVerdict<'_>],
) -> Result<Vec<CoverageByFile>, EarlyEnd> {
    let suites = suites.iter().filter(|_| arguments.coverage.coverage.is_some());
    let of_suite = |suite: &Suite| {
        let own = verdicts.iter().filter(|verdict| std::ptr::eq(verdict.suite, suite));
        CoverageByFile::of(std::slice::from_ref(suite), own)
    };
    suites.map(of_suite).collect()
}

/// Returns the test files, those of a folder by name.
fn files(paths: &[String]) -> Result<Vec<String>, EarlyEnd> {
    let here = [".".to_owned()];
    let paths = if paths.is_empty() { &here } else { paths };
    let mut found = Vec::new();
    for path in paths {
        let before = found.len();
        let mut open = vec![path.clone()];
        while let Some(path) = open.pop() {
            if Path::new(&path).is_dir() {
                open.extend(
                    entries(&path)
                        .map_err(|error| EarlyEnd::Refused(format!("Cannot read {path}: {error}.")))?,
                );
            } else {
                found.push(path);
            }
        }
        if found.len() == before {
            return Err(EarlyEnd::Refused(format!("There are no files *.{SUFFIX} in \"{path}\".")));
        }
        found[before..].sort();
    }
    match found.iter().find(|path| *path == input::STANDARD_INPUT) {
        Some(_) => {
            Err(EarlyEnd::Refused("Name a test file; its folder is that of the files it tests.".to_owned()))
        }
        None => Ok(found),
    }
}

/// Returns the test files and the folders in a folder. Hidden ones, and folders behind links, are left out.
fn entries(folder: &str) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        let is_hidden = texts::is_hidden(&entry.file_name());
        let is_test = path.is_file() && path.extension().is_some_and(|suffix| suffix == SUFFIX);
        if !is_hidden && (kind.is_dir() || is_test) {
            found.extend(path.to_str().map(|path| path.strip_prefix("./").unwrap_or(path).to_owned()));
        }
    }
    Ok(found)
}
