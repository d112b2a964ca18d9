//! `hclvm eval`: evaluates a file against one scope or many. `scopes` reads them, `shown` writes the
//! results.
//!
//! The file is compiled once. Many scopes are evaluated on all cores, each thread with its own session
//! and scope. Results are printed in order, and memory does not grow with the number of scopes.

use std::io::Write;
use std::iter;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::Args;
use hclvm::run::Parallel;
use hclvm::{Diagnostics, Document, Engine, Error, ErrorKind, Module, Scope, Session};
use serde_json::{Map, Value as Json, json};

use crate::attribute_path::AttributePath;
use crate::options::Options;
use crate::outcome::{Outcome, Stop};
use crate::report::{diagnostics_of, list, sentence, with_sentence};
use crate::scopes::{self, GROUP_BYTES, ScopeReader, ScopeText, Variables};
use crate::shown::{OutputFormat, ShownModule, shown, write};
use crate::{input, notation, texts};

/// Evaluate a file against one scope or many and print the values as JSON
#[derive(Args, Debug)]
#[command(after_help = "\
A scope is a JSON object of variables. Values that JSON cannot express are written
{\"$unknown\": \"list(string)\"}, {\"$list\": [..]}, {\"$set\": [..]}, {\"$map\": {..}}. The member
\"$name\" is the title of the scope, which is printed with its result.

Exit codes: 0 success, 1 errors found, 2 invalid arguments.")]
pub(crate) struct EvalArguments {
    /// The file to evaluate
    file: String,

    /// File with the variables as a JSON object; - is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "scopes")]
    scope: Option<String>,

    /// File with one such object per line, or a list of them; prints one result per line
    #[arg(long, value_name = "FILE")]
    scopes: Option<String>,

    /// Set a variable, overriding the scope's [example: --var 'user={"role":"admin"}']
    #[arg(long = "var", value_name = "NAME=JSON", value_parser = variable)]
    variables: Vec<(String, Json)>,

    /// Print only the value of this attribute [examples: local.risk, rule.allow-owner.when]
    #[arg(long, value_name = "PATH")]
    attr: Option<AttributePath>,

    /// Format of the results [default: json for --scopes, else pretty]
    #[arg(long, value_enum, value_name = "LAYOUT")]
    output: Option<OutputFormat>,

    /// Number of threads that evaluate --scopes [default: one per processor]
    #[arg(long, short = 'j', value_name = "COUNT", requires = "scopes")]
    threads: Option<NonZeroUsize>,

    #[command(flatten)]
    options: Options,
}

fn variable(text: &str) -> Result<(String, Json), String> {
    let (name, json) = text.split_once('=').ok_or("expected NAME=JSON")?;
    let value = serde_json::from_str(json).map_err(|error| {
        format!("the value is not JSON ({error}); write a string with quotes: {name}='\"{json}\"'")
    })?;
    Ok((name.to_owned(), value))
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &EvalArguments, out: &mut impl Write) -> Result<Outcome, Stop> {
    let engine = arguments.options.engine();
    let text = texts::source(&arguments.file)?;
    let (document, problems) = texts::parse(&engine, &arguments.file, &text);
    arguments.options.diagnostics.print(&problems);
    if problems.has_errors() {
        return Ok(Outcome::Diagnosed);
    }
    match &arguments.scopes {
        Some(path) => many(arguments, path, &engine, &document, out),
        None => one(arguments, &engine, document, out),
    }
}

fn diagnosed(arguments: &EvalArguments, diagnostics: &Diagnostics) -> Outcome {
    arguments.options.diagnostics.print(diagnostics);
    Outcome::Diagnosed
}

/// Evaluates one scope. Prints its result, or its diagnostics on standard error.
fn one(
    arguments: &EvalArguments,
    engine: &Engine,
    document: Document,
    out: &mut impl Write,
) -> Result<Outcome, Stop> {
    let mut evaluator = match Evaluator::new(engine, document, arguments) {
        Ok(evaluator) => evaluator,
        Err(error) => return Ok(diagnosed(arguments, &diagnostics_of(&error, &arguments.file))),
    };
    let (variables, name) = match &arguments.scope {
        Some(path) => (scopes::one(path)?, input::display_name(path)),
        None => (Ok(Variables::default()), arguments.file.as_str()),
    };
    let format = arguments.output.unwrap_or(OutputFormat::Pretty);
    let mut buffer = Vec::new();
    match variables.and_then(|variables| evaluator.evaluate(&variables, name, format, &mut buffer)) {
        Ok(()) => out.write_all(&buffer)?,
        Err(problems) => return Ok(diagnosed(arguments, &problems)),
    }
    Ok(Outcome::Fine)
}

/// The results of a group of consecutive scopes.
struct Results {
    outcome: Outcome,
    /// The results as printed.
    text: Vec<u8>,
    /// True if the next scope has not arrived yet.
    waits: bool,
}

/// Evaluates many scopes on many threads. Prints one result per scope, in order; the result of a scope
/// with errors is the errors.
fn many(
    arguments: &EvalArguments,
    path: &str,
    engine: &Engine,
    document: &Document,
    out: &mut impl Write,
) -> Result<Outcome, Stop> {
    // Problems of the file as a whole are reported once.
    if let Err(error) = Evaluator::new(engine, document.clone(), arguments) {
        return Ok(diagnosed(arguments, &diagnostics_of(&error, &arguments.file)));
    }
    let mut scopes = match ScopeReader::open(path)? {
        Ok(scopes) => scopes,
        Err(problems) => return Ok(diagnosed(arguments, &problems)),
    };
    let name = scopes.name().to_owned();
    let mut ended = false;
    // Estimated bytes of a result. The initial value makes groups of one until a result is known.
    let size = AtomicUsize::new(GROUP_BYTES);
    let groups = iter::from_fn(|| {
        let group = scopes.next(size.load(Ordering::Relaxed));
        let last = ended || matches!(&group, Ok(group) if group.texts.is_empty());
        ended = last || group.is_err();
        (!last).then_some(group)
    });
    let mut parallel = Parallel::new().group(1);
    if let Some(threads) = arguments.threads {
        parallel = parallel.threads(threads.get());
    }
    let format = arguments.output.unwrap_or(OutputFormat::Json);
    let start = || (Evaluator::new(engine, document.clone(), arguments), Vec::new());
    let mut outcome = Outcome::Fine;
    parallel.each(
        groups,
        start,
        |(evaluator, buffer), group| {
            let group = group?;
            let count = group.texts.len();
            let mut results = Results { outcome: Outcome::Fine, text: Vec::new(), waits: group.waits };
            for text in group.texts {
                results.add(text, &name, format, evaluator, buffer);
            }
            size.store(results.text.len() / count.max(1), Ordering::Relaxed);
            Ok(results)
        },
        |results: Result<Results, Stop>| {
            let results = results?;
            if results.outcome == Outcome::Diagnosed {
                outcome = Outcome::Diagnosed;
            }
            out.write_all(&results.text)?;
            if results.waits {
                out.flush()?;
            }
            Ok::<(), Stop>(())
        },
    )?;
    Ok(outcome)
}

impl Results {
    /// Evaluates a scope from the file `name` and appends its result.
    fn add(
        &mut self,
        text: ScopeText,
        name: &str,
        format: OutputFormat,
        evaluator: &mut Result<Evaluator<'_>, Error>,
        buffer: &mut Vec<u8>,
    ) {
        let variables = text.scan(name);
        let title = variables.as_ref().ok().and_then(|variables| variables.title.clone());
        let evaluated = variables.and_then(|variables| match evaluator {
            Ok(evaluator) => evaluator.evaluate(&variables, name, format, buffer),
            Err(error) => Err(diagnostics_of(error, name)),
        });
        if let Err(problems) = evaluated {
            self.outcome = Outcome::Diagnosed;
            // A list of diagnostics is within the limits, so writing it cannot fail.
            let _ = write(format, &errors(title, &problems), buffer);
        }
        self.text.append(buffer);
    }
}

fn errors(title: Option<String>, problems: &Diagnostics) -> Json {
    let mut members = Map::new();
    if let Some(title) = title {
        members.insert("scope".into(), title.into());
    }
    members.insert("errors".into(), json!(list(problems)));
    Json::Object(members)
}

/// A compiled file with the session and scope that its evaluations share.
struct Evaluator<'e> {
    arguments: &'e EvalArguments,
    document: Document,
    session: Session,
    module: Module,
    scope: Scope,
    /// The names the module was compiled for; `None` if it was compiled for all.
    names: Option<Vec<String>>,
}

/// Returns the part of a module that is printed.
fn wanted(module: Module, arguments: &EvalArguments) -> Result<Module, Error> {
    match &arguments.attr {
        Some(path) => module.select(std::slice::from_ref(path.selection())),
        None => Ok(module),
    }
}

/// Returns a scope of a module with the variables given as arguments.
fn scope(module: &Module, arguments: &EvalArguments) -> Result<Scope, Error> {
    let mut scope = module.scope();
    for (name, json) in &arguments.variables {
        scope.build(name, |arena| notation::value(arena, json))?;
    }
    Ok(scope)
}

impl<'e> Evaluator<'e> {
    fn new(engine: &Engine, document: Document, arguments: &'e EvalArguments) -> Result<Self, Error> {
        let module = wanted(document.module()?, arguments)?;
        let scope = scope(&module, arguments)?;
        Ok(Self { arguments, document, session: engine.session(), module, scope, names: None })
    }

    /// Evaluates the file with these variables and writes the result to `buffer`.
    fn evaluate(
        &mut self,
        variables: &Variables,
        name: &str,
        format: OutputFormat,
        buffer: &mut Vec<u8>,
    ) -> Result<(), Diagnostics> {
        self.fit(variables)
            .and_then(|()| self.set(variables))
            .map_err(|error| diagnostics_of(&error, name))?;
        let arguments = self.arguments;
        let values = self
            .module
            .evaluate(&mut self.session, &self.scope)
            .map_err(|error| diagnostics_of(&error, &arguments.file))?;
        let wanted = arguments.attr.as_ref().map(|path| path.value(&values).ok_or(path));
        // Reported besides the errors, so that both can be fixed at once.
        if let Some(Err(path)) = wanted {
            let missing = format!("{} has no attribute `{path}`.", arguments.file);
            let problems = values.into_diagnostics();
            return Err(with_sentence(problems, "Unknown attribute", &missing, &arguments.file));
        }
        if values.diagnostics().has_errors() {
            return Err(values.into_diagnostics());
        }
        let written = match wanted {
            Some(Ok(value)) => write(format, &shown(value), buffer),
            _ => write(format, &ShownModule { title: variables.title.as_deref(), values: &values }, buffer),
        };
        written.map_err(|why| {
            sentence("Result too large", &format!("Cannot write the result: {why}."), &arguments.file)
        })
    }

    /// Recompiles for the names of these variables, if the code depends on them.
    fn fit(&mut self, variables: &Variables) -> Result<(), Error> {
        if !self.arguments.options.depends_on_names() {
            return Ok(());
        }
        let arguments = self.arguments;
        let given = arguments.variables.iter().map(|(name, _)| name);
        let names = variables.values.keys().chain(given);
        if self.names.as_ref().is_some_and(|known| known.iter().eq(names.clone())) {
            return Ok(());
        }
        self.module = wanted(self.document.module_for(names.clone().map(String::as_str))?, arguments)?;
        self.scope = scope(&self.module, arguments)?;
        self.names = Some(names.cloned().collect());
        Ok(())
    }

    /// Sets these variables and unsets those of the previous scope. Variables given as arguments keep
    /// their values.
    fn set(&mut self, variables: &Variables) -> Result<(), Error> {
        let given = |name: &str| self.arguments.variables.iter().any(|(given, _)| given == name);
        for name in self.module.variables().filter(|name| !given(name)) {
            match variables.values.get(name) {
                Some(json) => self
                    .scope
                    .build(name, |arena| notation::value(arena, json))
                    .map_err(|error| ErrorKind::Value(format!("variable \"{name}\": {error}")))?,
                None => self.scope.unset(name),
            }
        }
        Ok(())
    }
}
