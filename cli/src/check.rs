//! `hclvm check`: shows what is wrong with files for all values of their variables. No file is run with
//! values; `declared` says what is known about them.

use std::io::Write;

use clap::Args;
use hclvm::check::Declared;
use hclvm::lint::Lints;
use hclvm::{Attribute, Body, Diagnostics, Engine};
use hclvm_dialects::{Application, Given, Purpose};

use crate::application;
use crate::declared::DeclaredArguments;
use crate::lints::LintArguments;
use crate::options::Options;
use crate::outcome::{Outcome, Stop};
use crate::report::sentence;
use crate::{input, texts};

/// Show what is wrong with files, whatever the values of variables
#[derive(Args, Debug)]
#[command(after_help = "\
Without --scope, --vars and --schema, every variable that a file uses may exist, with any type. With
one of them, names, attributes and types are checked, too.

With --diagnostics json or sarif, standard output is one object with the diagnostics of all files.

Examples:
  hclvm check policies/
  hclvm check policy.hcl --vars 'user:object({id=number,roles=list(string)}),resource'

Warnings are about what is correct but probably not meant. A comment allows those of its line and the
next one, `# hclvm:allow CODE`, or of the file, `# hclvm:allow-file CODE`.

Exit codes: 0 success, 1 errors found, 2 invalid arguments or a file that cannot be read.")]
pub(crate) struct CheckArguments {
    /// The files to check; - is standard input, *.json is in HCL's JSON syntax, and the files *.hcl of a folder are
    /// one body
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,

    #[command(flatten)]
    declared: DeclaredArguments,

    #[command(flatten)]
    lints: LintArguments,

    #[command(flatten)]
    options: Options,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &CheckArguments, out: &mut impl Write) -> Result<Outcome, Stop> {
    let engine = arguments.options.engine(None);
    let mut tally = CheckCounts::default();
    let mut found = Vec::new();
    let declared = match arguments.declared.declared(&engine)? {
        Ok(declared) => declared,
        Err(problems) => {
            arguments.options.diagnostics.print(&problems);
            return Ok(Outcome::Diagnosed);
        }
    };
    let lints = arguments.lints.lints(arguments.options.allowed_warnings()).declared(&declared);
    for file in &arguments.files {
        let problems = match arguments.options.application(file) {
            Some(application) => check_module(application, file, &arguments.options, &lints, &mut tally),
            None => check(&engine, file, &declared, &lints, &mut tally),
        };
        found.extend(problems.into_iter().filter(|one| !one.is_empty()));
    }
    let format = arguments.options.diagnostics;
    format.print_results(&found, out)?;
    if format.is_lines() {
        writeln!(out, "{tally}")?;
    }
    Ok(tally.outcome())
}

/// Counts of what was checked and found.
#[derive(Debug, Default)]
struct CheckCounts {
    files: usize,
    attributes: usize,
    errors: usize,
    warnings: usize,
    /// True if a file could not be read.
    unreadable: bool,
}

impl CheckCounts {
    fn add(&mut self, problems: &Diagnostics) {
        let errors = problems.iter().filter(|one| one.is_error()).count();
        self.errors += errors;
        self.warnings += problems.len() - errors;
    }

    fn outcome(&self) -> Outcome {
        match self {
            Self { unreadable: true, .. } => Outcome::Unreadable,
            Self { errors: 0, .. } => Outcome::Fine,
            _ => Outcome::Diagnosed,
        }
    }
}

impl std::fmt::Display for CheckCounts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let count = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
        write!(
            f,
            "checked {} with {}: {}, {}",
            count(self.files, "file"),
            count(self.attributes, "attribute"),
            count(self.errors, "error"),
            count(self.warnings, "warning")
        )
    }
}

/// Returns all problems of a template or a job: those of the application with variables of unknown values, and
/// warnings about each file.
fn check_module(
    application: &dyn Application,
    path: &str,
    options: &Options,
    lints: &Lints,
    tally: &mut CheckCounts,
) -> Vec<Diagnostics> {
    let read = application::read(application, path, options, None, Purpose::Check);
    let problems = match read {
        Ok(Ok(module)) => {
            let mut found: Vec<Diagnostics> =
                module.evaluate(&Given::new(application)).problems().groups().cloned().collect();
            for document in module.documents() {
                tally.files += 1;
                tally.attributes += attributes(document.body()).len();
                found.push(module.without_secrets(&document.lints(lints)));
            }
            found
        }
        Ok(Err(problems)) => {
            tally.files += 1;
            problems.groups().cloned().collect()
        }
        Err(stop) => unreadable(path, &stop, tally),
    };
    for one in &problems {
        tally.add(one);
    }
    problems
}

fn unreadable(path: &str, stop: &Stop, tally: &mut CheckCounts) -> Vec<Diagnostics> {
    tally.files += 1;
    tally.unreadable = true;
    vec![sentence("Unreadable file", &stop.to_string(), input::display_name(path))]
}

/// Returns all problems of a file or folder.
fn check(
    engine: &Engine,
    path: &str,
    declared: &Declared,
    lints: &Lints,
    tally: &mut CheckCounts,
) -> Vec<Diagnostics> {
    let problems = match texts::configuration(engine, path) {
        Ok(read) => {
            tally.files += read.files;
            let mut problems = read.problems;
            // After a syntax error the tree is a guess, so only the syntax is reported.
            for document in &read.documents {
                tally.attributes += attributes(document.body()).len();
                for found in [document.check(declared), document.lints(lints)] {
                    problems.extend(found.by_file());
                }
            }
            problems
        }
        Err(stop) => unreadable(path, &stop, tally),
    };
    for one in &problems {
        tally.add(one);
    }
    problems
}

/// Returns all attributes of a body and its blocks, in source order.
pub(crate) fn attributes(body: Body<'_>) -> Vec<Attribute<'_>> {
    let mut found = Vec::new();
    let mut open = vec![body];
    while let Some(body) = open.pop() {
        found.extend(body.attributes());
        open.extend(body.blocks().map(|block| block.body()));
    }
    found.sort_by_key(|attribute| attribute.name_span().start);
    found
}
