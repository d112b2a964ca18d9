//! Many scopes against one configuration: evaluated on all cores, printed in order. Memory does not grow with
//! the number of scopes. `rows` evaluates those of Parquet files.

#[cfg(feature = "parquet")]
pub(crate) mod rows;

use std::io::Write;
use std::iter;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::Args;
use hclvm::run::Parallel;
use hclvm::{Diagnostics, Engine, Error};
use serde_json::{Map, Value as Json, json};

use crate::eval::EvalArguments;
use crate::evaluator::{EvaluationSubject, SubjectEvaluator};
use crate::input;
use crate::outcome::{CommandResult, EarlyEnd};
use crate::progress::StreamProgress;
use crate::report::{diagnostics_of, list};
use crate::scopes::{GROUP_BYTES, GivenVariables, ScopeGroup, ScopeReader, ScopeText, TableArguments};
use crate::shown::{OutputFormat, write};

/// The results of a group of consecutive scopes.
#[derive(Default)]
struct GroupResults {
    /// The results as printed.
    text: Vec<u8>,
    scopes: u64,
    /// How many of them have errors.
    failed: u64,
    /// The part of the input that they are: bytes of text, or rows.
    bytes: u64,
    /// True if the next scope has not arrived yet.
    waits: bool,
}

/// Why printing ended early.
enum End {
    Stopped(EarlyEnd),
    /// A scope has errors, and the others are not wanted.
    Failed,
}

impl<E: Into<EarlyEnd>> From<E> for End {
    fn from(error: E) -> Self {
        Self::Stopped(error.into())
    }
}

/// How many scopes are evaluated.
#[derive(Args, Debug)]
pub(crate) struct StreamArguments {
    /// Number of threads that evaluate --scopes [default: one per processor]
    #[arg(long, short = 'j', value_name = "COUNT", requires = "scopes")]
    threads: Option<NonZeroUsize>,

    /// Begin with this line of --scopes (item of a list, row of a Parquet file), for example to resume an interrupted run
    #[arg(long, value_name = "LINE", requires = "scopes")]
    pub(crate) from: Option<NonZeroUsize>,

    /// Stop at the first of --scopes that has errors
    #[arg(long, requires = "scopes")]
    pub(crate) fail_fast: bool,
}

/// Evaluates the scopes of a file. Prints one result per scope, in order; the result of a scope with errors is
/// the errors.
pub(crate) fn run(
    arguments: &EvalArguments,
    path: &str,
    engine: &Engine,
    subject: &EvaluationSubject,
    out: &mut impl Write,
) -> Result<CommandResult, EarlyEnd> {
    let mut scopes = match ScopeReader::open(path, &arguments.table)? {
        Ok(scopes) => scopes,
        Err(problems) => {
            arguments.options.diagnostics.print(&problems);
            return Ok(CommandResult::Diagnosed);
        }
    };
    let format = arguments.output().unwrap_or(OutputFormat::Json);
    let start = || SubjectEvaluator::new(engine, subject, arguments);
    let add =
        |results: &mut GroupResults, text: ScopeText, name: &str, evaluator: &mut _, buffer: &mut Vec<u8>| {
            results.add(text, name, format, evaluator, buffer);
        };
    each_text(&arguments.stream, &mut scopes, path, start, add, out)
}

/// Evaluates the scopes of a file by `evaluate`, which writes the result of a scope with some place to a buffer, and
/// `failed`, which writes the errors of one. Prints the results in order. Returns the problems of the file as a whole.
pub(crate) fn each_scope<S>(
    arguments: &StreamArguments,
    table: &TableArguments,
    path: &str,
    start: impl Fn() -> S + Sync,
    evaluate: impl Fn(&mut S, &GivenVariables, (&'static str, usize), &mut Vec<u8>) -> Result<(), Diagnostics>
    + Sync,
    failed: impl Fn(Option<String>, (&str, usize), &Diagnostics, &mut Vec<u8>) + Sync,
    out: &mut impl Write,
) -> Result<Result<CommandResult, Diagnostics>, EarlyEnd> {
    let mut scopes = match ScopeReader::open(path, table)? {
        Ok(scopes) => scopes,
        Err(problems) => return Ok(Err(problems)),
    };
    let add =
        |results: &mut GroupResults, text: ScopeText, name: &str, state: &mut S, buffer: &mut Vec<u8>| {
            results.scopes += 1;
            let place = text.place();
            let variables = text.scan(name);
            let title = variables.as_ref().ok().and_then(|variables| variables.title.clone());
            if let Err(problems) = variables.and_then(|variables| evaluate(state, &variables, place, buffer))
            {
                results.failed += 1;
                failed(title, place, &problems, buffer);
            }
            results.text.append(buffer);
        };
    each_text(arguments, &mut scopes, path, start, add, out).map(Ok)
}

/// Evaluates scopes by `add`, which appends the result of one.
fn each_text<S>(
    arguments: &StreamArguments,
    scopes: &mut ScopeReader,
    path: &str,
    start: impl Fn() -> S + Sync,
    add: impl Fn(&mut GroupResults, ScopeText, &str, &mut S, &mut Vec<u8>) + Sync,
    out: &mut impl Write,
) -> Result<CommandResult, EarlyEnd> {
    if let Some(line) = arguments.from {
        scopes.skip_to(line.get())?;
    }
    let name = scopes.name().to_owned();
    let progress = StreamProgress::new(scopes.is_lines().then(|| input::size(path)).flatten());
    let take = |result| match scopes.next(result) {
        Ok(group) if group.texts.is_empty() => Ok(None),
        group => group.map(Some),
    };
    let work = |(state, buffer): &mut (S, Vec<u8>), group: ScopeGroup| {
        let mut results = GroupResults { bytes: group.bytes, waits: group.waits, ..GroupResults::default() };
        for text in group.texts {
            add(&mut results, text, &name, state, buffer);
            if arguments.fail_fast && results.failed > 0 {
                break;
            }
        }
        Ok(results)
    };
    each_group(arguments, progress, take, || (start(), Vec::new()), work, out)
}

/// Evaluates groups of scopes on all cores and prints their results in order. `take` returns the next group for an
/// estimated size of a result in bytes.
fn each_group<G: Send, S>(
    arguments: &StreamArguments,
    mut progress: StreamProgress,
    mut take: impl FnMut(usize) -> Result<Option<G>, EarlyEnd> + Send,
    start: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, G) -> Result<GroupResults, EarlyEnd> + Sync,
    out: &mut impl Write,
) -> Result<CommandResult, EarlyEnd> {
    let mut ended = false;
    // Estimated bytes of a result. The initial value makes groups of one until a result is known.
    let size = AtomicUsize::new(GROUP_BYTES);
    let groups = iter::from_fn(|| {
        let group = if ended { Ok(None) } else { take(size.load(Ordering::Relaxed)) };
        ended = !matches!(group, Ok(Some(_)));
        group.transpose()
    });
    let mut parallel = Parallel::new().group(1);
    if let Some(threads) = arguments.threads {
        parallel = parallel.threads(threads.get());
    }
    let mut outcome = CommandResult::Fine;
    let printed = parallel.each(
        groups,
        start,
        |state, group: Result<G, EarlyEnd>| {
            let results = work(state, group?)?;
            let count = usize::try_from(results.scopes).unwrap_or(usize::MAX);
            size.store(results.text.len() / count.max(1), Ordering::Relaxed);
            Ok(results)
        },
        |results: Result<GroupResults, EarlyEnd>| {
            let results = results?;
            progress.add(results.scopes, results.failed, results.bytes);
            out.write_all(&results.text)?;
            if results.failed > 0 {
                outcome = CommandResult::Diagnosed;
                if arguments.fail_fast {
                    return Err(End::Failed);
                }
            }
            if results.waits {
                out.flush()?;
            }
            Ok(())
        },
    );
    let summary = progress.finish();
    if let Err(End::Stopped(stop)) = printed {
        return Err(stop);
    }
    if let Some(summary) = summary {
        // If standard error is closed, the summary is not wanted.
        let _ = writeln!(std::io::stderr(), "{summary}");
    }
    Ok(outcome)
}

impl GroupResults {
    /// Evaluates a scope from the file `name` and appends its result.
    fn add(
        &mut self,
        text: ScopeText,
        name: &str,
        format: OutputFormat,
        evaluator: &mut Result<SubjectEvaluator<'_>, Error>,
        buffer: &mut Vec<u8>,
    ) {
        self.scopes += 1;
        let place = text.place();
        let plain = match (text.plain(), &mut *evaluator) {
            (Some(plain), Ok(evaluator)) => evaluator.evaluate_plain(plain, Some(format), buffer),
            _ => None,
        };
        let (title, evaluated) = plain.map_or_else(
            || Self::evaluate(text, name, format, evaluator, buffer),
            |evaluated| (None, evaluated),
        );
        if let Err(problems) = evaluated {
            self.failed(title, place, &problems, format, buffer);
        }
        self.text.append(buffer);
    }

    /// Counts a scope with errors and writes them to `buffer`.
    fn failed(
        &mut self,
        title: Option<String>,
        place: (&str, usize),
        problems: &Diagnostics,
        format: OutputFormat,
        buffer: &mut Vec<u8>,
    ) {
        self.failed += 1;
        // A list of diagnostics is within the limits, so writing it cannot fail.
        let _ = write(format, &errors(title, place, problems), buffer);
    }

    /// Evaluates a scope of any kind. Also returns its title.
    fn evaluate(
        text: ScopeText,
        name: &str,
        format: OutputFormat,
        evaluator: &mut Result<SubjectEvaluator<'_>, Error>,
        buffer: &mut Vec<u8>,
    ) -> (Option<String>, Result<(), Diagnostics>) {
        let variables = text.scan(name);
        let title = variables.as_ref().ok().and_then(|variables| variables.title.clone());
        let evaluated = variables.and_then(|variables| match evaluator {
            Ok(evaluator) => evaluator.evaluate(&variables, name, Some(format), buffer),
            Err(error) => Err(diagnostics_of(error, name)),
        });
        (title, evaluated)
    }
}

/// Returns the result of a scope with errors. `place` says where the scope is in its file.
pub(crate) fn errors(title: Option<String>, place: (&str, usize), problems: &Diagnostics) -> Json {
    let mut members = Map::new();
    if let Some(title) = title {
        members.insert("scope".into(), title.into());
    }
    let (unit, number) = place;
    members.insert(unit.into(), number.into());
    let errors: Vec<Json> = problems.by_file().iter().flat_map(list).collect();
    members.insert("errors".into(), json!(errors));
    Json::Object(members)
}
