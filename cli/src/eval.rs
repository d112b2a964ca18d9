//! `hclvm eval`: a file evaluated against one scope or many.
//!
//! The file is compiled once. Many scopes are evaluated on all cores, each thread with a session
//! and a scope of its own; results come in order, and memory does not grow with their number.

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
use crate::report::{diagnostics_of, list, sentence, with_sentence};
use crate::scopes::{self, GROUP_BYTES, Scopes, Text, Variables};
use crate::shown::{Layout, ShownModule, shown, write};
use crate::{Outcome, Stop, notation};

/// Evaluates a file against one scope or many and prints the values as JSON
#[derive(Args, Debug)]
#[command(after_help = "\
A scope is a JSON object of variables. What JSON has no word for is written
{\"$unknown\": \"list(string)\"}, {\"$list\": [..]}, {\"$set\": [..]}, {\"$map\": {..}}; the member
\"$name\" is the title of the scope and comes back with its result.

Exit codes: 0 fine, 1 diagnostics, 2 usage.")]
pub(crate) struct Arguments {
    /// The file to evaluate
    file: String,

    /// A file with the variables as a JSON object; - is the standard input
    #[arg(long, value_name = "FILE", conflicts_with = "scopes")]
    scope: Option<String>,

    /// A file with one such object a line, or a list of them; one result line for each
    #[arg(long, value_name = "FILE")]
    scopes: Option<String>,

    /// A variable, stronger than the scopes' [example: --var 'user={"role":"admin"}']
    #[arg(long = "var", value_name = "NAME=JSON", value_parser = variable)]
    variables: Vec<(String, Json)>,

    /// Only the value of one attribute [examples: local.risk, rule.allow-owner.when]
    #[arg(long, value_name = "PATH")]
    attr: Option<AttributePath>,

    /// How results are written [default: json for --scopes, else pretty]
    #[arg(long, value_enum, value_name = "LAYOUT")]
    output: Option<Layout>,

    /// How many threads evaluate --scopes [default: as many as the machine runs at once]
    #[arg(long, short = 'j', value_name = "COUNT", requires = "scopes")]
    threads: Option<NonZeroUsize>,

    #[command(flatten)]
    options: Options,
}

fn variable(text: &str) -> Result<(String, Json), String> {
    let (name, json) = text.split_once('=').ok_or("a variable is written NAME=JSON")?;
    let value = serde_json::from_str(json).map_err(|error| {
        format!("the value is not JSON ({error}); a text has quotes: {name}='\"{json}\"'")
    })?;
    Ok((name.to_owned(), value))
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<Outcome, Stop> {
    let engine = arguments.options.engine();
    let text = crate::read(&arguments.file)?;
    let (document, problems) = engine.parse_bytes_lenient(&arguments.file, &text);
    arguments.options.diagnostics.print(&problems);
    if problems.has_errors() {
        return Ok(Outcome::Diagnosed);
    }
    match &arguments.scopes {
        Some(path) => many(arguments, path, &engine, &document, out),
        None => one(arguments, &engine, document, out),
    }
}

fn diagnosed(arguments: &Arguments, diagnostics: &Diagnostics) -> Outcome {
    arguments.options.diagnostics.print(diagnostics);
    Outcome::Diagnosed
}

/// One scope: its result, or diagnostics on the error output.
fn one(
    arguments: &Arguments,
    engine: &Engine,
    document: Document,
    out: &mut impl Write,
) -> Result<Outcome, Stop> {
    let mut evaluator = match Evaluator::new(engine, document, arguments) {
        Ok(evaluator) => evaluator,
        Err(error) => return Ok(diagnosed(arguments, &diagnostics_of(&error, &arguments.file))),
    };
    let (variables, name) = match &arguments.scope {
        Some(path) => (scopes::one(path)?, scopes::display_name(path)),
        None => (Ok(Variables::default()), arguments.file.as_str()),
    };
    let layout = arguments.output.unwrap_or(Layout::Pretty);
    let mut buffer = Vec::new();
    match variables.and_then(|variables| evaluator.evaluate(&variables, name, layout, &mut buffer)) {
        Ok(()) => out.write_all(&buffer)?,
        Err(problems) => return Ok(diagnosed(arguments, &problems)),
    }
    Ok(Outcome::Fine)
}

/// What some scopes that follow each other came to.
struct Results {
    outcome: Outcome,
    /// As they are written.
    text: Vec<u8>,
    /// Whether the next scope has to be waited for.
    waits: bool,
}

/// Many scopes on many threads: one result each, in order; a scope with errors has them as its
/// result.
fn many(
    arguments: &Arguments,
    path: &str,
    engine: &Engine,
    document: &Document,
    out: &mut impl Write,
) -> Result<Outcome, Stop> {
    // What is wrong with the file as a whole is said once.
    if let Err(error) = Evaluator::new(engine, document.clone(), arguments) {
        return Ok(diagnosed(arguments, &diagnostics_of(&error, &arguments.file)));
    }
    let mut scopes = match Scopes::open(path)? {
        Ok(scopes) => scopes,
        Err(problems) => return Ok(diagnosed(arguments, &problems)),
    };
    let name = scopes.name().to_owned();
    let mut ended = false;
    // Bytes of a result: until one has come as many as make a group of one.
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
    let layout = arguments.output.unwrap_or(Layout::Json);
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
                results.add(text, &name, layout, evaluator, buffer);
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
    /// Evaluates a scope of the file `name`.
    fn add(
        &mut self,
        text: Text,
        name: &str,
        layout: Layout,
        evaluator: &mut Result<Evaluator<'_>, Error>,
        buffer: &mut Vec<u8>,
    ) {
        let variables = text.scan(name);
        let title = variables.as_ref().ok().and_then(|variables| variables.title.clone());
        let evaluated = variables.and_then(|variables| match evaluator {
            Ok(evaluator) => evaluator.evaluate(&variables, name, layout, buffer),
            Err(error) => Err(diagnostics_of(error, name)),
        });
        if let Err(problems) = evaluated {
            self.outcome = Outcome::Diagnosed;
            // A list of diagnostics is short and plain; it can always be written.
            let _ = write(layout, &errors(title, &problems), buffer);
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

/// A compiled file and what its evaluations share.
struct Evaluator<'e> {
    arguments: &'e Arguments,
    document: Document,
    session: Session,
    module: Module,
    scope: Scope,
    /// The names the module was compiled for; `None` when it was compiled for all.
    names: Option<Vec<String>>,
}

/// A scope of a module with the variables that were given as arguments.
fn scope(module: &Module, arguments: &Arguments) -> Result<Scope, Error> {
    let mut scope = module.scope();
    for (name, json) in &arguments.variables {
        scope.build(name, |arena| notation::value(arena, json))?;
    }
    Ok(scope)
}

impl<'e> Evaluator<'e> {
    fn new(engine: &Engine, document: Document, arguments: &'e Arguments) -> Result<Self, Error> {
        let module = document.module()?;
        let scope = scope(&module, arguments)?;
        Ok(Self { arguments, document, session: engine.session(), module, scope, names: None })
    }

    /// Evaluates the file with these variables and writes the result into `buffer`.
    fn evaluate(
        &mut self,
        variables: &Variables,
        name: &str,
        layout: Layout,
        buffer: &mut Vec<u8>,
    ) -> Result<(), Diagnostics> {
        self.fit(variables)
            .and_then(|()| self.set(variables))
            .map_err(|error| diagnostics_of(&error, name))?;
        let arguments = self.arguments;
        let result = self
            .module
            .evaluate(&mut self.session, &self.scope)
            .map_err(|error| diagnostics_of(&error, &arguments.file))?;
        let wanted = arguments.attr.as_ref().map(|path| path.value(&result).ok_or(path));
        // Also beside errors: whoever mends them should not have to ask again.
        if let Some(Err(path)) = wanted {
            let missing = format!("There is no attribute {path}.");
            return Err(with_sentence(result.diagnostics, "Unknown attribute", &missing, &arguments.file));
        }
        if result.diagnostics.has_errors() {
            return Err(result.diagnostics);
        }
        let written = match wanted {
            Some(Ok(value)) => write(layout, &shown(value), buffer),
            _ => write(layout, &ShownModule { title: variables.title.as_deref(), result: &result }, buffer),
        };
        written.map_err(|why| {
            sentence("Result too large", &format!("The result cannot be written: {why}."), &arguments.file)
        })
    }

    /// Compiles for the names of these variables, where what is compiled depends on them.
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
        self.module = self.document.module_for(names.clone().map(String::as_str))?;
        self.scope = scope(&self.module, arguments)?;
        self.names = Some(names.cloned().collect());
        Ok(())
    }

    /// Sets these variables and forgets those of the scope before. Variables that were given as
    /// arguments stay.
    fn set(&mut self, variables: &Variables) -> Result<(), Error> {
        let given = |name: &str| self.arguments.variables.iter().any(|(given, _)| given == name);
        for name in self.module.variables().filter(|name| !given(name)) {
            match variables.values.get(name) {
                Some(json) => self
                    .scope
                    .build(name, |arena| notation::value(arena, json))
                    .map_err(|error| ErrorKind::Value(format!("The variable \"{name}\": {error}")))?,
                None => self.scope.unset(name),
            }
        }
        Ok(())
    }
}
