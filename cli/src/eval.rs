//! `hclvm eval`: evaluates files, an expression or a template against one scope or many. `evaluator` does it,
//! `stream` runs many scopes, `scopes` reads them, and `shown` writes the results.

use std::io::Write;
use std::path::Path;

use clap::Args;
use hclvm::Diagnostics;
use hclvm::diagnostics::codes;

use crate::advice;
use crate::application::{self, Assignment, ModuleArguments, words};
use crate::attribute_path::PathArgument;
use crate::evaluator::{EvaluationSubject, SubjectEvaluator};
use crate::options::CommandOptions;
use crate::outcome::{CommandResult, EarlyEnd};
use crate::report::diagnostics_of;
use crate::scopes::{self, GivenVariables, TableArguments};
use crate::shown::OutputFormat;
use crate::stream::{self, StreamArguments};
use crate::{assigned, input, module_eval, texts, unread};

/// The name of a template of the command line.
pub(crate) const TEMPLATE: &str = "template";

/// How a variable is set, for messages.
pub(crate) const SET_BY: &str = "--var {}=VALUE or --scope FILE";

/// Evaluate files, an expression or a template and print the values as JSON
#[derive(Args, Debug)]
#[command(
    override_usage = "hclvm eval [OPTIONS] <FILE>\n       hclvm eval [OPTIONS] -e <EXPR>\n       hclvm eval [OPTIONS] -t <TEMPLATE>",
    after_help = "\
A scope is a JSON object of variables. Values that JSON cannot express are written
{\"$unknown\": \"list(string)\"}, {\"$list\": [..]}, {\"$set\": [..]}, {\"$map\": {..}}. The member
\"$name\" is the title of the scope, which is printed with its result.

The cells of a table are strings, unless --types says otherwise; an empty cell is null, and \"\" an empty string.
Operators such as + and < convert strings to numbers, but for == a string and a number are always different.

Examples:
  hclvm eval policy.hcl --scope request.json --attr 'rule[\"allow-owner\"].when'
  hclvm eval policy.hcl --scopes requests.ndjson > results.ndjson
  hclvm eval policy.hcl --scopes users.csv --types user.age=number --separator ';'
  hclvm eval -e 'size > 1000 && user.role != \"admin\"' --scopes requests.parquet --from 1000001
  hclvm eval -e 'upper(user) == \"BOB\" && age > 17' --var user=bob --var age=18
  hclvm eval policy.hcl --scope request.json --attr rule.allow-owner.when --why
  hclvm eval -t 'Hello ${name}' --var name=bob

Exit codes: 0 success, 1 errors found, 2 invalid arguments or a file that cannot be read."
)]
pub(crate) struct EvalArguments {
    /// The file to evaluate, or a folder: its files *.hcl and *.hcl.json, except hidden ones, are one body, and jobs in
    /// it or below are separate modules; - is standard input
    #[arg(value_name = "FILE", required_unless_present_any = ["expression", "template"])]
    file: Option<String>,

    /// Evaluate this expression instead of a file
    #[arg(short = 'e', long, value_name = "EXPR", allow_hyphen_values = true, conflicts_with_all = ["file", "template", "attr"])]
    expression: Option<String>,

    /// Print this template instead of a file [example: 'Hello ${name}']
    #[arg(short = 't', long, value_name = "TEMPLATE", allow_hyphen_values = true, conflicts_with_all = ["file", "attr"])]
    template: Option<String>,

    /// File with the variables as a JSON object; - is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "scopes")]
    scope: Option<String>,

    /// File with one such object per line, a list of them, a table *.csv or *.tsv with a column of strings for each variable
    /// or attribute (user.role), or a table *.parquet if the command is built with that feature; prints one result per
    /// line
    #[arg(long, value_name = "FILE")]
    scopes: Option<String>,

    /// Set a variable, overriding the scope's. VALUE is JSON, or a string if it is not JSON; NAME:=JSON accepts only JSON
    /// [examples: --var user=bob, --var 'user={"role":"admin"}', --var 'version:="1.10"']
    #[arg(long = "var", value_name = "NAME=VALUE", value_parser = Assignment::parse)]
    variables: Vec<Assignment>,

    /// Print only this attribute or block, and evaluate only what it needs
    /// [examples: local.risk, rule.allow-owner.when, rule.allow-owner]
    #[arg(long, value_name = "PATH")]
    attr: Option<PathArgument>,

    /// Explain the result instead of printing it: which conditions decide, with their values; of a file without --attr
    /// all attributes that are true or false [with --output as JSON]
    #[arg(long, conflicts_with_all = ["template", "scopes"])]
    why: bool,

    /// Format of the results [default: json for --scopes, else pretty; a template is printed as it is]
    #[arg(long, value_enum, value_name = "LAYOUT")]
    output: Option<OutputFormat>,

    #[command(flatten)]
    pub(crate) stream: StreamArguments,

    #[command(flatten)]
    pub(crate) table: TableArguments,

    #[command(flatten)]
    pub(crate) options: CommandOptions,

    // Last, because the heading of its options would hold for those behind it.
    #[command(flatten)]
    pub(crate) module: ModuleArguments,
}

impl EvalArguments {
    pub(crate) fn attr(&self) -> Option<&PathArgument> {
        self.attr.as_ref()
    }

    pub(crate) fn assignments(&self) -> &[Assignment] {
        &self.variables
    }

    pub(crate) fn scope(&self) -> Option<&str> {
        self.scope.as_deref()
    }

    pub(crate) fn scopes(&self) -> Option<&str> {
        self.scopes.as_deref()
    }

    pub(crate) fn output(&self) -> Option<OutputFormat> {
        self.output
    }

    pub(crate) fn why(&self) -> bool {
        self.why
    }

    /// Returns the name of what is evaluated, for messages.
    pub(crate) fn subject_name(&self) -> &str {
        match (&self.file, &self.template) {
            (Some(file), _) => input::display_name(file),
            (None, Some(_)) => TEMPLATE,
            (None, None) => "expression",
        }
    }

    /// Returns the files of a folder that are each a module of its own; `None` if the folder is one body.
    fn separate_modules(&self) -> Result<Option<Vec<String>>, EarlyEnd> {
        let Some(folder) = self.file.as_deref().filter(|path| Path::new(path).is_dir()) else {
            return Ok(None);
        };
        let modules = application::modules_below(folder, &self.options)?;
        let is_in_it = |module: &String| Path::new(module).parent() == Some(Path::new(folder));
        let is_body = texts::files(folder).is_ok() && !modules.iter().any(is_in_it);
        Ok(Some(modules).filter(|modules| !modules.is_empty() && !is_body))
    }

    fn diagnosed(&self, diagnostics: &Diagnostics) -> CommandResult {
        diagnostics.by_file().iter().for_each(|one| self.options.diagnostics.print(one));
        advice::print(self.options.diagnostics, [diagnostics], Some(SET_BY));
        CommandResult::Diagnosed
    }
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &EvalArguments, out: &mut impl Write) -> Result<CommandResult, EarlyEnd> {
    let reads_twice = arguments.file.as_deref() == Some(input::STANDARD_INPUT)
        && [&arguments.scope, &arguments.scopes]
            .iter()
            .any(|path| path.as_deref() == arguments.file.as_deref());
    if reads_twice {
        return Err(EarlyEnd::Refused("Standard input can be the file or the scope, not both.".to_owned()));
    }
    arguments.table.check(arguments.scopes.as_deref())?;
    if let Some(path) = &arguments.file
        && let Some(application) = arguments.options.application(path)
    {
        return module_eval::run(arguments, application, path, out);
    }
    if let Some(modules) = arguments.separate_modules()? {
        return module_eval::separate(arguments, &modules, out);
    }
    if arguments.module.is_used() {
        let modules = words::modules();
        let why =
            format!("--var-file, --data, --build, --strict, --only, --except and --deny are for {modules}.");
        return Err(EarlyEnd::Refused(why));
    }
    let engine = arguments.options.engine(arguments.file.as_deref())?;
    let subject = match (&arguments.file, &arguments.expression, &arguments.template) {
        (Some(path), ..) => {
            let read = texts::configuration(&engine, path)?;
            read.problems.iter().for_each(|problems| arguments.options.diagnostics.print(problems));
            if read.documents.is_empty() {
                return Ok(CommandResult::Diagnosed);
            }
            EvaluationSubject::Documents(read.documents)
        }
        (None, Some(text), _) => EvaluationSubject::Expression(text.clone()),
        (None, None, text) => EvaluationSubject::Template(text.clone().unwrap_or_default()),
    };
    // Problems of the subject as a whole are reported once, also for many scopes.
    let mut evaluator = match SubjectEvaluator::new(&engine, &subject, arguments) {
        Ok(evaluator) => evaluator,
        Err(error) => return Ok(arguments.diagnosed(&diagnostics_of(&error, arguments.subject_name()))),
    };
    if !arguments.options.depends_on_names()
        && let Err(stop) =
            unread::check_assignments(&arguments.variables, &evaluator.variables(), arguments.subject_name())
    {
        // An error in the expression may be the reason why it does not read the variable.
        return match other_errors(arguments, &mut evaluator) {
            Some(problems) => Ok(arguments.diagnosed(&problems)),
            None => Err(stop),
        };
    }
    assigned::note(&arguments.variables, &subject.documents(&engine));
    match &arguments.scopes {
        Some(path) if scopes::is_parquet(path) => rows(arguments, path, &engine, &subject, &evaluator, out),
        Some(path) => stream::run(arguments, path, &engine, &subject, out),
        None => one(arguments, evaluator, out),
    }
}

/// Returns the errors of an expression without a scope, unless they are all about variables without a value.
fn other_errors(arguments: &EvalArguments, evaluator: &mut SubjectEvaluator<'_>) -> Option<Diagnostics> {
    if arguments.file.is_some() {
        return None;
    }
    let name = arguments.subject_name();
    let problems = evaluator.evaluate(&GivenVariables::default(), name, None, &mut Vec::new()).err()?;
    problems
        .iter()
        .any(|problem| problem.is_error() && problem.code() != codes::UNSET_VARIABLE)
        .then_some(problems)
}

/// Evaluates the rows of a Parquet file.
#[cfg(feature = "parquet")]
fn rows(
    arguments: &EvalArguments,
    path: &str,
    engine: &hclvm::Engine,
    subject: &EvaluationSubject,
    evaluator: &SubjectEvaluator<'_>,
    out: &mut impl Write,
) -> Result<CommandResult, EarlyEnd> {
    stream::rows::run(arguments, path, engine, subject, evaluator.reads().as_ref(), out)
}

#[cfg(not(feature = "parquet"))]
fn rows(
    _: &EvalArguments,
    path: &str,
    _: &hclvm::Engine,
    _: &EvaluationSubject,
    _: &SubjectEvaluator<'_>,
    _: &mut impl Write,
) -> Result<CommandResult, EarlyEnd> {
    let why = "this command was built without the feature parquet. Write one JSON object per line instead";
    Err(EarlyEnd::Refused(format!("Cannot read {path}: {why}.")))
}

/// Evaluates one scope. Prints its result, or its diagnostics on standard error.
fn one(
    arguments: &EvalArguments,
    mut evaluator: SubjectEvaluator<'_>,
    out: &mut impl Write,
) -> Result<CommandResult, EarlyEnd> {
    let (variables, name) = match &arguments.scope {
        Some(path) => (scopes::one(path)?, input::display_name(path)),
        None => (Ok(GivenVariables::default()), arguments.subject_name()),
    };
    if let Ok(variables) = &variables {
        unread::note(variables, &evaluator.variables(), &arguments.variables, name);
    }
    let mut buffer = Vec::new();
    if arguments.why {
        let explained = variables.and_then(|variables| evaluator.why(&variables, name));
        let explained = match explained {
            Ok(explained) => explained,
            Err(problems) => return Ok(arguments.diagnosed(&problems)),
        };
        out.write_all(explained.shown(arguments.output, &mut buffer)?)?;
        return Ok(match explained.errors() {
            Some(problems) => arguments.diagnosed(problems),
            None => CommandResult::Fine,
        });
    }
    match variables.and_then(|variables| evaluator.evaluate(&variables, name, arguments.output, &mut buffer))
    {
        Ok(()) => out.write_all(&buffer)?,
        Err(problems) => return Ok(arguments.diagnosed(&problems)),
    }
    Ok(CommandResult::Fine)
}
