//! `hclvm specialize`: the residual of a file for variables that are known before the others, as HCL text.

use std::fs;
use std::io::Write;

use clap::Args;
use hclvm::value::{Arena, Entry, marks_from};
use hclvm::{Document, Error, ErrorKind, Value};

use crate::options::CommandOptions;
use crate::outcome::{CommandResult, EarlyEnd};
use crate::report::diagnostics_of;
use crate::scopes::{self, GivenVariables};
use hclvm_project::notation;

/// Evaluate what depends only on known variables, and print the file with the results in place
#[derive(Args, Debug)]
#[command(after_help = "\
The scope has the variables that are known, in the notation of `hclvm eval`. The text that is printed
has the values of the file in every scope that has these variables and others.

Example:
  hclvm specialize policy.hcl --scope tenant.json -o tenant.hcl

Exit codes: 0 success, 1 errors found, 2 invalid arguments.")]
pub(crate) struct SpecializeArguments {
    /// The file to specialize
    file: String,

    /// File with the known variables as a JSON object; - is standard input
    #[arg(long, value_name = "FILE")]
    scope: String,

    /// File to write instead of standard output
    #[arg(long, short = 'o', value_name = "FILE")]
    output: Option<String>,

    #[command(flatten)]
    options: CommandOptions,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &SpecializeArguments, out: &mut impl Write) -> Result<CommandResult, EarlyEnd> {
    let diagnosed = |problems| {
        arguments.options.diagnostics.print(problems);
        Ok(CommandResult::Diagnosed)
    };
    let Some(document) = arguments.options.document(&arguments.file)? else {
        return Ok(CommandResult::Diagnosed);
    };
    let variables = match scopes::one(&arguments.scope)? {
        Ok(variables) => variables,
        Err(problems) => return diagnosed(&problems),
    };
    let application = arguments.options.application(&arguments.file);
    let sensitive =
        application.map_or_else(Vec::new, |application| application.sensitive_variables(&document));
    let residual = match residual(&document, &variables, &sensitive) {
        Ok(residual) => residual,
        Err(error) => return diagnosed(&diagnostics_of(&error, &arguments.file)),
    };
    match &arguments.output {
        Some(path) => fs::write(path, residual)
            .map_err(|error| EarlyEnd::Refused(format!("Cannot write {path}: {error}.")))?,
        None => out.write_all(residual.as_bytes())?,
    }
    Ok(CommandResult::Fine)
}

/// Returns the residual. The values of `sensitive` members of `var` are marked, so that it does not hold them.
fn residual(document: &Document, variables: &GivenVariables, sensitive: &[&str]) -> Result<String, Error> {
    let module = document.module()?;
    let mut known = module.scope();
    for (name, json) in &variables.values {
        known
            .build(name, |arena| {
                let value = notation::value(arena, json)?;
                Ok(if name == "var" { marked(arena, value, sensitive) } else { value })
            })
            .map_err(|error| ErrorKind::Value(format!("variable \"{name}\": {error}")))?;
    }
    module.specialize(&known)?.residual()
}

/// Returns an object with marks on some of its members.
fn marked<'a>(arena: &'a Arena, value: Value<'a>, members: &[&str]) -> Value<'a> {
    let Some(entries) = value.as_entries().filter(|_| !members.is_empty()) else { return value };
    let marks = marks_from(arena, &["sensitive"]);
    let mark = |one: &Entry<'a>| {
        let is_marked = members.contains(&one.name);
        if is_marked { Entry { value: one.value.with_marks(arena, marks), ..*one } } else { *one }
    };
    Value::object(arena, arena.slice(&entries.iter().map(mark).collect::<Vec<_>>()))
}
