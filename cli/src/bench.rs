//! `hclvm bench`: times a file, by compiled code and by a tree-walker in the same run, after their results were
//! compared. `figures` is what is printed, `attributes` times each attribute, and `allocations` counts.

mod allocations;
mod attributes;
mod figures;

use std::hint::black_box;
use std::io::Write;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use hclvm::module::BodyValues;
use hclvm::value::{Arena, identical};
use hclvm::{Diagnostics, Dialect, Engine, Error, Module, Scope, Value};
use hclvm_treewalk::file::{FileWalker, Item, Language, with_file};
use serde_json::Value as Json;

use crate::advice;
use crate::options::CommandOptions;
use crate::outcome::{CommandResult, EarlyEnd};
use crate::report::diagnostics_of;
use crate::scopes::{GivenVariables, ScopeReader, TableArguments};
use crate::{input, texts};
use figures::Figures;
pub(crate) use figures::Sample;
use hclvm_project::notation;

/// Time the evaluation of a file and compare it with a tree-walking evaluator
#[derive(Args, Debug)]
#[command(after_help = "\
Every scope is evaluated in turn, by compiled code and by a tree-walker that uses the same parser, values
and functions. Their results are compared first. If a scope has errors, these are printed and nothing is measured:
a failed evaluation ends early. Setting a scope from its JSON is timed separately. Allocations are counted if the
command was built with the feature count-allocations.

Example:
  hclvm bench policy.hcl --scopes requests.ndjson

Exit codes: 0 success, 1 errors found, 2 invalid arguments or a file that cannot be read.")]
pub(crate) struct BenchArguments {
    /// The file, in the native syntax
    file: String,

    /// Scopes, one JSON object per line or a list; - is standard input [default: one empty scope]
    #[arg(long, value_name = "FILE")]
    scopes: Option<String>,

    #[command(flatten)]
    table: TableArguments,

    /// Rounds of each evaluator, in turn; the figures are their medians
    #[arg(long, default_value = "15", value_name = "N")]
    rounds: NonZeroU32,

    /// Milliseconds of a round
    #[arg(long, default_value = "20", value_name = "MS")]
    round: NonZeroU32,

    /// Time each attribute and local as well, without the locals that it uses
    #[arg(long)]
    attributes: bool,

    /// Print the figures as JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    options: CommandOptions,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &BenchArguments, out: &mut impl Write) -> Result<CommandResult, EarlyEnd> {
    let path = &arguments.file;
    if texts::is_json(path) {
        return Err(EarlyEnd::Refused(format!(
            "{path} is in JSON; the tree-walker reads HCL's native syntax."
        )));
    }
    let bytes = texts::source(path)?;
    let Ok(text) = std::str::from_utf8(&bytes) else {
        return Err(EarlyEnd::Refused(format!("{path} is not UTF-8.")));
    };
    let dialect = arguments.options.dialect(Some(path))?;
    let engine = arguments.options.engine_of(dialect.clone());
    let name = input::display_name(path);
    let module = match engine.parse(name, text).and_then(|document| document.module()) {
        Ok(module) => module,
        Err(error) => {
            arguments.options.diagnostics.print(&diagnostics_of(&error, name));
            return Ok(CommandResult::Diagnosed);
        }
    };
    let given = match scopes(arguments, &module)? {
        Ok(given) => given,
        Err(outcome) => return Ok(outcome),
    };
    let language = Language {
        layout: module.document().layout(),
        functions: dialect.functions.as_ref(),
        undefined: dialect.undefined,
        short_circuit: dialect.short_circuit,
    };
    let prepare = prepare(&dialect, name, text);
    let measured = with_file(text, &language, |walker| {
        let GivenScopes { scopes, texts } = &given;
        MeasuredSubject { engine: &engine, module: &module, walker, scopes, texts }
            .measure(arguments, prepare)
    });
    match measured {
        Some(Ok(figures)) => {
            figures.print(arguments.json, out)?;
            Ok(if figures.equal { CommandResult::Fine } else { CommandResult::Diagnosed })
        }
        Some(Err(FaultyEvaluation { error, scope })) => {
            let (format, problems) = (arguments.options.diagnostics, diagnostics_of(&error, name));
            let first = problems.iter().find(|one| one.is_error()).cloned().into_iter().collect();
            format.print(&Diagnostics::new(Arc::clone(problems.source()), first));
            let set = match &arguments.scopes {
                Some(_) => "\"{}\": VALUE in each of --scopes",
                None => "--scopes FILE, with {\"{}\": VALUE}",
            };
            advice::print(format, [&problems], Some(set));
            let count = given.scopes.len();
            // If standard error is closed, the sentence is not wanted.
            let _ = writeln!(
                std::io::stderr(),
                "\nerror: Nothing was measured, because scope {scope} of {count} has errors. The first of them is shown."
            );
            Ok(CommandResult::Diagnosed)
        }
        None => Err(EarlyEnd::Refused(format!("{name} exceeds the limits of the tree-walker."))),
    }
}

/// The scopes that are evaluated.
struct GivenScopes {
    scopes: Vec<Scope>,
    /// Their variables as JSON; none if no scopes are given.
    texts: Vec<String>,
}

/// An evaluation with errors.
struct FaultyEvaluation {
    error: Error,
    /// The number of the scope, from 1.
    scope: usize,
}

/// Reads all scopes, or makes an empty one.
fn scopes(
    arguments: &BenchArguments,
    module: &Module,
) -> Result<Result<GivenScopes, CommandResult>, EarlyEnd> {
    let mut found = GivenScopes { scopes: Vec::new(), texts: Vec::new() };
    arguments.table.check(arguments.scopes.as_deref())?;
    let Some(path) = &arguments.scopes else {
        found.scopes.push(module.scope());
        return Ok(Ok(found));
    };
    let mut reader = match ScopeReader::open(path, &arguments.table)? {
        Ok(reader) => reader,
        Err(problems) => {
            arguments.options.diagnostics.print(&problems);
            return Ok(Err(CommandResult::Diagnosed));
        }
    };
    let name = input::display_name(path);
    loop {
        let group = reader.next(0)?;
        if group.texts.is_empty() {
            break;
        }
        for text in group.texts {
            let scope = text.scan(name).and_then(|variables| {
                let scope = fill(module.scope(), module, &variables);
                let scope = scope.map_err(|error| diagnostics_of(&error, name))?;
                Ok((scope, Json::Object(variables.values).to_string()))
            });
            match scope {
                Ok((scope, text)) => {
                    found.scopes.push(scope);
                    found.texts.push(text);
                }
                Err(problems) => {
                    arguments.options.diagnostics.print(&problems);
                    return Ok(Err(CommandResult::Diagnosed));
                }
            }
        }
    }
    if found.scopes.is_empty() {
        return Err(EarlyEnd::Refused(format!("There are no scopes in {name}.")));
    }
    Ok(Ok(found))
}

fn fill(mut scope: Scope, module: &Module, variables: &GivenVariables) -> Result<Scope, Error> {
    for name in module.variables() {
        if let Some(json) = variables.values.get(name) {
            scope.build(name, |arena| notation::value(arena, json))?;
        }
    }
    Ok(scope)
}

/// Returns the shortest times of parsing alone, and of parsing and compiling, by new engines, which have no
/// compiled code that could be used again.
fn prepare(dialect: &Dialect, name: &str, text: &str) -> [Duration; 2] {
    const ROUNDS: usize = 5;
    let mut best = [Duration::MAX; 2];
    for _ in 0..ROUNDS {
        let engine = Engine::builder().dialect(dialect.clone()).build();
        let start = Instant::now();
        let document = engine.parse(name, text);
        let parsed = start.elapsed();
        let module = document.and_then(|document| document.module());
        let compiled = start.elapsed();
        black_box(module.is_ok());
        best = [best[0].min(parsed), best[1].min(compiled)];
    }
    best
}

/// What is measured.
struct MeasuredSubject<'s, 't> {
    engine: &'s Engine,
    module: &'s Module,
    walker: &'s FileWalker<'t>,
    scopes: &'s [Scope],
    /// The variables of the scopes as JSON.
    texts: &'s [String],
}

impl MeasuredSubject<'_, '_> {
    fn measure(
        &self,
        arguments: &BenchArguments,
        prepare: [Duration; 2],
    ) -> Result<Figures, FaultyEvaluation> {
        let (equal, values) = self.compare()?;
        let mut session = self.engine.session();
        let mut arena = Arena::new();
        let given: Vec<Vec<Value<'_>>> = self.scopes.iter().map(|scope| self.slots(scope)).collect();
        let mut compiled = || {
            for scope in self.scopes {
                black_box(self.module.evaluate(&mut session, scope).is_ok());
            }
        };
        let mut walked = || {
            for slots in &given {
                arena.reset();
                black_box(self.walker.run(slots, &arena).items.len());
            }
        };
        let round = Duration::from_millis(u64::from(arguments.round.get()));
        let repeats = [repeats(&mut compiled, round), repeats(&mut walked, round)];
        // Both have run before, so their memory has its size.
        let allocations = [allocations::of(&mut compiled), allocations::of(&mut walked)];
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..arguments.rounds.get() {
            times[0].push(time(&mut compiled, repeats[0]));
            times[1].push(time(&mut walked, repeats[1]));
        }
        let sample = |times: Vec<f64>| Sample::of(times, self.scopes.len());
        let [compiled, walked] = times.map(sample);
        let scopes = self.scopes.len();
        let set = (!self.texts.is_empty()).then(|| self.set(arguments.rounds.get(), round));
        let attributes = if arguments.attributes {
            attributes::times(self.engine, self.module, self.scopes, round)
                .map_err(|error| FaultyEvaluation { error, scope: 1 })?
        } else {
            Vec::new()
        };
        Ok(Figures { equal, values, scopes, prepare, set, compiled, walked, allocations, attributes })
    }

    /// Times setting the variables of the scopes from JSON, as a host does for each request.
    fn set(&self, rounds: u32, round: Duration) -> Sample {
        let mut scope = self.module.scope();
        let mut set = || {
            for text in self.texts {
                black_box(scope.set_all_json(text).is_ok());
            }
        };
        let repeats = repeats(&mut set, round);
        let times = (0..rounds).map(|_| time(&mut set, repeats)).collect();
        Sample::of(times, self.texts.len())
    }

    /// Returns true if both evaluators have equal results in all scopes, and the number of values of the file.
    ///
    /// # Errors
    /// The errors of the first scope that has any.
    fn compare(&self) -> Result<(bool, usize), FaultyEvaluation> {
        let mut session = self.engine.session();
        let (mut equal, mut count) = (true, 0);
        for (scope, number) in self.scopes.iter().zip(1..) {
            let failed = |error| FaultyEvaluation { error, scope: number };
            let values = self.module.evaluate(&mut session, scope).map_err(failed)?;
            // An evaluation that fails early would be compared with one that does not.
            if values.diagnostics().has_errors() {
                return Err(failed(values.into_diagnostics().into()));
            }
            let (judge, arena) = (Arena::new(), Arena::new());
            let slots = self.slots(scope);
            let walked = self.walker.run(&slots, &arena);
            let mut items = Vec::new();
            flatten(values.body(), &mut items);
            let attributes = items.iter().filter(|item| matches!(item, Item::Attribute(..))).count();
            count = attributes + values.locals().len();
            let locals = values.locals().all(|(name, value)| {
                walked.locals.get(name).is_some_and(|other| identical(&judge, value, *other))
            });
            equal &= locals && walked.problems.is_empty() && items.len() == walked.items.len();
            equal &= items.iter().zip(&walked.items).all(|(one, other)| is_equal(&judge, one, other));
        }
        Ok((equal, count))
    }

    fn slots<'v>(&self, scope: &'v Scope) -> Vec<Value<'v>> {
        let names = self.module.document().layout().names().iter();
        names.map(|name| scope.get(name).unwrap_or(Value::UNSET)).collect()
    }
}

/// Lists values in the order of the tree-walker.
fn flatten<'v>(body: BodyValues<'v>, items: &mut Vec<Item<'v>>) {
    items.extend(body.attributes().map(|(name, value)| Item::Attribute(name, value)));
    for block in body.blocks() {
        if let Some(collection) = block.pending() {
            items.push(Item::Pending(block.kind(), collection));
            continue;
        }
        items.push(Item::Begin(block.kind(), block.labels().collect()));
        flatten(block.body(), items);
        items.push(Item::End);
    }
}

fn is_equal<'v>(judge: &'v Arena, one: &Item<'v>, other: &Item<'v>) -> bool {
    match (one, other) {
        (Item::Attribute(name, a), Item::Attribute(other, b))
        | (Item::Pending(name, a), Item::Pending(other, b)) => name == other && identical(judge, *a, *b),
        (Item::Begin(kind, labels), Item::Begin(other, others)) => kind == other && labels == others,
        (Item::End, Item::End) => true,
        _ => false,
    }
}

/// Returns how often to repeat something so that it takes about as long as a round.
pub(crate) fn repeats(run: &mut impl FnMut(), round: Duration) -> u32 {
    let mut repeats = 1_u32;
    loop {
        let taken = time(run, repeats) * f64::from(repeats) / 1e9;
        if taken >= round.as_secs_f64() || repeats > u32::MAX / 2 {
            return repeats;
        }
        repeats *= 2;
    }
}

/// Returns the nanoseconds of one repeat.
pub(crate) fn time(run: &mut impl FnMut(), repeats: u32) -> f64 {
    let start = Instant::now();
    for _ in 0..repeats {
        run();
    }
    start.elapsed().as_secs_f64() * 1e9 / f64::from(repeats)
}
