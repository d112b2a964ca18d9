//! `hclvm check`: shows what is wrong with files for all values of their variables. No file is run with
//! values; `declared` says what is known about them.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use clap::Args;
use hclvm::check::Declared;
use hclvm::lint::Lints;
use hclvm::{Diagnostic, Diagnostics, Engine};
use hclvm_dialects::{Application, Purpose};
use hclvm_project::{PROJECT_FILE, Project, check};

use crate::advice;
use crate::application::{self, Assignment, ModuleInputs};
use crate::declared::DeclaredArguments;
use crate::lints::LintArguments;
use crate::options::CommandOptions;
use crate::outcome::{CommandResult, EarlyEnd};
use crate::policy::{PolicyArguments, PolicySettings};
use crate::report::sentence;
use crate::{input, texts};

/// Find mistakes without evaluating
#[derive(Args, Debug)]
#[command(after_help = "\
Without --scope, --vars and --schema, every variable is assumed to exist and may have any type. With
one of them, names, attributes and types are also checked.

With --policy, and in a project whose hclvm.hcl has a block `policy`, files are checked as policies:
rules without a condition or effect, effects that are not declared, and names that have no meaning in a
rule are errors.

With --diagnostics json or sarif, standard output is one object with the diagnostics of all files; an
editor checks a buffer by hclvm check - --stdin-filename NAME --diagnostics json.

Examples:
  hclvm check policies/ --recursive
  hclvm check policy.hcl --policy --combining deny-overrides
  hclvm check policy.hcl --vars 'user:object({id=number,roles=list(string)}),resource'

Warnings are about code that is valid but probably not meant. The comment `# hclvm:allow CODE` silences
a warning on its line and the next one, `# hclvm:allow-file CODE` in the whole file.

A file of types, as for --schema, is recognized and checked as such.

Exit codes: 0 success, 1 errors found, 2 invalid arguments or a file that cannot be read.")]
pub(crate) struct CheckArguments {
    /// The files to check; - is standard input, *.json is in HCL's JSON syntax, and the files *.hcl of a folder are
    /// one body. Jobs in a folder and below are checked as separate modules
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,

    /// Check the folders below a folder as well, each as one body or module
    #[arg(long, short = 'r')]
    recursive: bool,

    /// The name of standard input in diagnostics, which also says how it is read
    #[arg(long, value_name = "NAME")]
    stdin_filename: Option<String>,

    /// Check that the blocks of each file are a policy, see hclvm help decide
    #[arg(long)]
    policy: bool,

    #[command(flatten)]
    declared: DeclaredArguments,

    #[command(flatten)]
    lints: LintArguments,

    /// Set a variable of a module; without it, the variable may have any value
    #[arg(long = "var", value_name = "NAME=VALUE", value_parser = Assignment::parse)]
    variables: Vec<Assignment>,

    #[command(flatten)]
    inputs: ModuleInputs,

    #[command(flatten)]
    options: CommandOptions,

    // Last, because the heading of its options would hold for those behind it.
    #[command(flatten)]
    settings: PolicyArguments,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &CheckArguments, out: &mut impl Write) -> Result<CommandResult, EarlyEnd> {
    let engine = arguments.options.engine_of(arguments.options.dialect_alone(None));
    let mut tally = CheckCounts::default();
    let mut found = Vec::new();
    let mut has_modules = false;
    let declared = match arguments.declared.declared(&engine)? {
        Ok(declared) => declared,
        Err(problems) => {
            arguments.options.diagnostics.print(&problems);
            return Ok(CommandResult::Diagnosed);
        }
    };
    for path in &arguments.paths()? {
        let name = arguments.name(path);
        let project = arguments.options.project(Some(name))?;
        let of_project = if arguments.declared.is_used() { None } else { arguments.of_project(&project)? };
        let declared = of_project.as_ref().unwrap_or(&declared);
        let lints = project.lints.lints(Lints::new()).map_err(EarlyEnd::Refused)?;
        let lints = arguments.lints.lints(lints, arguments.options.allowed_warnings()).declared(declared);
        let problems = if let Some(application) = arguments.options.application(name) {
            has_modules = true;
            check_module(application, (path, name), arguments, &lints, &mut tally, &found)?
        } else {
            let engine = arguments.options.engine(Some(name))?;
            let policy = arguments.policy_of(name, project)?;
            check(&engine, (path, name), declared, &lints, policy.as_ref(), &mut tally)
        };
        found.extend(problems.into_iter().filter(|one| !one.is_empty()));
    }
    if !arguments.variables.is_empty() && !has_modules {
        let sentence = "--var sets variables of modules, and no file is part of one. Use --scope or --vars.";
        return Err(EarlyEnd::Refused(sentence.to_owned()));
    }
    let format = arguments.options.diagnostics;
    format.print_results(&found, out)?;
    advice::print(format, &found, None);
    if format.is_lines() {
        writeln!(out, "{tally}")?;
    }
    Ok(tally.outcome())
}

impl CheckArguments {
    /// Returns the paths of what is checked: with --recursive all folders with files.
    fn paths(&self) -> Result<Vec<String>, EarlyEnd> {
        if self.stdin_filename.is_some() && !self.files.iter().any(|file| file == input::STANDARD_INPUT) {
            return Err(EarlyEnd::Refused(
                "--stdin-filename names standard input, which is the file -.".to_owned(),
            ));
        }
        let mut paths = Vec::new();
        for file in &self.files {
            if Path::new(file).is_dir() {
                paths.extend(self.paths_in(file)?);
            } else {
                paths.push(file.clone());
            }
        }
        Ok(paths)
    }

    /// Returns the paths of what is checked in a folder: files that are each a module of its own, and the folder with its
    /// other files. Without what the project leaves out.
    fn paths_in(&self, folder: &str) -> Result<Vec<String>, EarlyEnd> {
        if !self.recursive && self.options.application(folder).is_some() {
            return Ok(vec![folder.to_owned()]);
        }
        // Paths of a project are relative to its file.
        let project = self.options.project(Some(folder))?;
        let is_excluded = |path: &String| {
            let path = Path::new(path).canonicalize().unwrap_or_else(|_| path.into());
            path.ancestors().any(|above| project.excludes(above))
        };
        let mut modules = application::modules_below(folder, &self.options)?;
        modules.retain(|module| !is_excluded(module));
        let mut folders = if self.recursive { self.folders(folder)? } else { vec![folder.to_owned()] };
        if self.recursive {
            folders.retain(|folder| !is_excluded(folder));
        }
        let mut paths: Vec<String> = Vec::new();
        for folder in folders {
            let is_in_it = |module: &String| Path::new(module).parent() == Some(Path::new(&folder));
            let is_module = self.options.application(&folder).is_some();
            if is_module || !modules.iter().any(is_in_it) {
                let has_others = is_module || modules.is_empty() || texts::files(&folder).is_ok();
                paths.extend(has_others.then_some(folder));
            } else {
                // Beside modules a file is no part of a body with the others.
                let others = texts::files(&folder).unwrap_or_default();
                paths.extend(others.into_iter().filter(|file| !modules.contains(file)));
            }
        }
        paths.extend(modules);
        if paths.is_empty() {
            return Err(EarlyEnd::Refused(format!("There are no files to check in \"{folder}\" or below.")));
        }
        Ok(paths)
    }

    /// Returns a folder and those below it that have files of a body or of a module, by name.
    fn folders(&self, folder: &str) -> Result<Vec<String>, EarlyEnd> {
        let mut found = texts::folders_below(folder)?;
        found.retain(|folder| texts::files(folder).is_ok() || self.options.application(folder).is_some());
        Ok(found)
    }

    /// Returns the variables that a project declares, if it has a schema.
    fn of_project(&self, project: &Project) -> Result<Option<Declared>, EarlyEnd> {
        project.declared().map_err(|error| self.options.stopped(error))
    }

    /// Returns the name of what is at a path, by which it is read and named in diagnostics.
    fn name<'p>(&'p self, path: &'p str) -> &'p str {
        self.stdin_filename.as_deref().filter(|_| path == input::STANDARD_INPUT).unwrap_or(path)
    }

    /// Returns how the rules of a file decide; `None` if it is no policy.
    fn policy_of(&self, name: &str, project: Project) -> Result<Option<PolicySettings>, EarlyEnd> {
        if Path::new(name).file_name().is_some_and(|name| name == PROJECT_FILE) {
            return Ok(None);
        }
        let block = project.policy;
        let is_policy = self.policy || block.is_some() || self.settings.is_used();
        is_policy.then(|| self.settings.settings(block)).transpose()
    }
}

/// Counts of what was checked and found.
#[derive(Debug, Default)]
struct CheckCounts {
    files: usize,
    attributes: usize,
    /// The number of rules, if policies were checked.
    rules: Option<usize>,
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

    fn outcome(&self) -> CommandResult {
        match self {
            Self { unreadable: true, .. } => CommandResult::Unreadable,
            Self { errors: 0, .. } => CommandResult::Fine,
            _ => CommandResult::Diagnosed,
        }
    }
}

impl std::fmt::Display for CheckCounts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let count = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
        write!(
            f,
            "checked {} with {}{}: {}, {}",
            count(self.files, "file"),
            count(self.attributes, "attribute"),
            self.rules.map_or(String::new(), |rules| format!(" and {}", count(rules, "rule"))),
            count(self.errors, "error"),
            count(self.warnings, "warning")
        )
    }
}

/// Returns all problems of a template or a job: those of the application with variables of unknown values, and
/// warnings about each file.
fn check_module(
    application: &dyn Application,
    (path, name): (&str, &str),
    arguments: &CheckArguments,
    lints: &Lints,
    tally: &mut CheckCounts,
    reported: &[Diagnostics],
) -> Result<Vec<Diagnostics>, EarlyEnd> {
    let options = &arguments.options;
    let granted = options.granted(application::folder_of(path));
    let settings = application::settings(application, granted, arguments.inputs.strict, Purpose::Check);
    let given = match arguments.inputs.given(application, &arguments.variables, texts::source)? {
        Ok(given) => given,
        Err(problems) => {
            tally.add(&problems);
            return Ok(vec![problems]);
        }
    };
    let read = application::read_named(application, (path, name), options, settings);
    let problems = match read {
        Ok(Ok(module)) => {
            let checked = check::module(&*module, &given, lints);
            tally.files += module.documents().len();
            tally.attributes += checked.attributes;
            checked.problems
        }
        Ok(Err(problems)) => {
            tally.files += 1;
            problems.groups().cloned().collect()
        }
        Err(stop) => unreadable(name, &stop, tally),
    };
    let problems: Vec<Diagnostics> = problems.iter().map(|one| unreported(one, reported)).collect();
    for one in &problems {
        tally.add(one);
    }
    Ok(problems)
}

/// Returns the problems that are not reported yet: a module is checked in its folder, and as a part of those that call it.
fn unreported(problems: &Diagnostics, reported: &[Diagnostics]) -> Diagnostics {
    let of_file = reported.iter().filter(|known| known.source().name() == problems.source().name());
    let known: Vec<&Diagnostic> = of_file.flat_map(Diagnostics::iter).collect();
    let list = problems.iter().filter(|one| !known.contains(one)).cloned().collect();
    Diagnostics::new(Arc::clone(problems.source()), list)
}

fn unreadable(path: &str, stop: &EarlyEnd, tally: &mut CheckCounts) -> Vec<Diagnostics> {
    tally.files += 1;
    tally.unreadable = true;
    vec![sentence("Unreadable file", &stop.to_string(), input::display_name(path))]
}

/// Returns all problems of a file or folder.
fn check(
    engine: &Engine,
    (path, name): (&str, &str),
    declared: &Declared,
    lints: &Lints,
    policy: Option<&PolicySettings>,
    tally: &mut CheckCounts,
) -> Vec<Diagnostics> {
    let mut schemas = Vec::new();
    let read = if path == input::STANDARD_INPUT {
        texts::source(path).map(|text| texts::configuration_of_text(engine, name, &text))
    } else {
        texts::configuration_of_parts(engine, path, |file, text| {
            let (document, problems) = texts::parse(engine, file, text);
            let is_schema = !problems.has_errors() && check::is_schema(&document);
            if is_schema {
                schemas.push(document);
            }
            !is_schema
        })
    };
    let problems = match read {
        Ok(read) => {
            tally.files += read.files + schemas.len();
            let mut problems = read.problems;
            // After a syntax error the tree is a guess, so only the syntax is reported.
            for document in &read.documents {
                let checked = check::document(document, declared, lints, policy);
                tally.attributes += checked.attributes;
                tally.rules = policy.map(|_| tally.rules.unwrap_or(0) + checked.rules);
                problems.extend(checked.problems);
            }
            problems.extend(schemas.iter().flat_map(check::schema_problems));
            problems
        }
        Err(stop) => unreadable(name, &stop, tally),
    };
    for one in &problems {
        tally.add(one);
    }
    problems
}
