//! `hclvm check`: parses and compiles files and shows all their problems. It evaluates nothing.

use std::io::Write;

use clap::Args;
use hclvm::{Attribute, Body, Diagnostics, Document, Engine};

use crate::options::Options;
use crate::report::{DiagnosticFormat, diagnostics_of, print_all, sentence, summary};
use crate::{Outcome, Stop, input};

/// Parse and compile files and show all their problems
#[derive(Args, Debug)]
#[command(after_help = "\
With --diagnostics json, standard output is one object with the diagnostics of all files.

Exit codes: 0 success, 1 errors found, 2 invalid arguments.")]
pub(crate) struct CheckArguments {
    /// The files to check
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,

    #[command(flatten)]
    options: Options,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &CheckArguments, out: &mut impl Write) -> Result<Outcome, Stop> {
    let engine = arguments.options.engine();
    let mut tally = CheckCounts::default();
    let mut found = Vec::new();
    for file in &arguments.files {
        let problems = check(&engine, file, &mut tally);
        found.extend(problems.into_iter().filter(|one| !one.is_empty()));
    }
    match arguments.options.diagnostics {
        DiagnosticFormat::Text => {
            print_all(&found);
            writeln!(out, "{tally}")?;
        }
        DiagnosticFormat::Json => writeln!(out, "{}", summary(&found.iter().collect::<Vec<_>>()))?,
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
}

impl CheckCounts {
    fn add(&mut self, problems: &Diagnostics) {
        let errors = problems.iter().filter(|one| one.is_error()).count();
        self.errors += errors;
        self.warnings += problems.len() - errors;
    }

    fn outcome(&self) -> Outcome {
        if self.errors == 0 { Outcome::Fine } else { Outcome::Diagnosed }
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

/// Returns all problems of one file.
fn check(engine: &Engine, file: &str, tally: &mut CheckCounts) -> Vec<Diagnostics> {
    tally.files += 1;
    let problems = match input::source(file) {
        Ok(text) => {
            let (document, problems) = engine.parse_bytes_lenient(file, &text);
            // After a syntax error the tree is a guess, so only the syntax is reported.
            let compiled = if problems.has_errors() { Vec::new() } else { compile(&document, tally) };
            [vec![problems], compiled].concat()
        }
        Err(error) => vec![sentence("Unreadable file", &format!("Cannot read {file}: {error}."), file)],
    };
    for one in &problems {
        tally.add(one);
    }
    problems
}

/// Compiles every attribute, and the file as a module.
fn compile(document: &Document, tally: &mut CheckCounts) -> Vec<Diagnostics> {
    let name = document.source().name();
    let mut found: Vec<Diagnostics> = Vec::new();
    for attribute in attributes(document.body()) {
        tally.attributes += 1;
        match attribute.program() {
            Ok(program) => found.push(program.known_problems()),
            Err(error) => found.push(diagnostics_of(&error, name)),
        }
    }
    if let Err(error) = document.module() {
        found.push(diagnostics_of(&error, name));
    }
    found.retain(|problems| !problems.is_empty());
    found
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
