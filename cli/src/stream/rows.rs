//! The rows of a Parquet file as scopes.

use std::io::Write;

use hclvm::analysis::Paths;
use hclvm::{Diagnostics, Engine, Error};

use super::{GroupResults, each_group};
use crate::eval::EvalArguments;
use crate::evaluator::{EvaluationSubject, SubjectEvaluator, Table};
use crate::outcome::{CommandResult, EarlyEnd};
use crate::progress::StreamProgress;
use crate::report::diagnostics_of;
use crate::scopes::rows::{RowGroup, RowReader};
use crate::shown::OutputFormat;

/// Evaluates the rows of a file. Prints one result per row, in order; the result of a row with errors is the errors.
/// `reads` are the variables that are read, `None` for all columns.
pub(crate) fn run(
    arguments: &EvalArguments,
    path: &str,
    engine: &Engine,
    subject: &EvaluationSubject,
    reads: Option<&Paths>,
    out: &mut impl Write,
) -> Result<CommandResult, EarlyEnd> {
    let from = arguments.stream.from.map_or(1, std::num::NonZeroUsize::get);
    let mut reader = match RowReader::open(path, reads, from)? {
        Ok(reader) => reader,
        Err(problems) => {
            arguments.options.diagnostics.print(&problems);
            return Ok(CommandResult::Diagnosed);
        }
    };
    let name = reader.name().to_owned();
    let progress = StreamProgress::new(Some(reader.rows()));
    let format = arguments.output().unwrap_or(OutputFormat::Json);
    let start = || (SubjectEvaluator::new(engine, subject, arguments), Vec::new());
    let work = |(evaluator, buffer): &mut (Result<SubjectEvaluator<'_>, Error>, Vec<u8>), rows: RowGroup| {
        let mut results = GroupResults { bytes: rows.len() as u64, ..GroupResults::default() };
        let rows = rows.readable(&name)?;
        if let Err(problems) = results.add_rows(&rows, arguments, &name, format, evaluator, buffer) {
            for at in 0..rows.len() {
                results.add_failed(rows.first + at, &problems, format, buffer);
            }
        }
        Ok(results)
    };
    each_group(&arguments.stream, progress, |result| reader.next(result), start, work, out)
}

impl GroupResults {
    /// Evaluates rows and appends their results.
    ///
    /// # Errors
    /// What makes every row fail.
    fn add_rows(
        &mut self,
        rows: &RowGroup,
        arguments: &EvalArguments,
        name: &str,
        format: OutputFormat,
        evaluator: &mut Result<SubjectEvaluator<'_>, Error>,
        buffer: &mut Vec<u8>,
    ) -> Result<(), Diagnostics> {
        let evaluator = evaluator.as_mut().map_err(|error| diagnostics_of(error, name))?;
        let columns = rows.columns().map_err(|error| diagnostics_of(&error, name))?;
        let columns = columns.into_iter().map(|(name, column)| (name.to_owned(), column)).collect();
        let table = Table { columns, rows: rows.len(), name };
        let (mut at, mut errors) = (rows.first, Vec::new());
        evaluator.evaluate_rows(&table, format, buffer, |result| {
            match result {
                Ok(text) => {
                    self.scopes += 1;
                    self.text.append(text);
                }
                Err(problems) => self.add_failed(at, &problems, format, &mut errors),
            }
            at += 1;
            !(arguments.stream.fail_fast && self.failed > 0)
        })
    }

    /// Appends the errors of a row.
    fn add_failed(&mut self, row: usize, problems: &Diagnostics, format: OutputFormat, buffer: &mut Vec<u8>) {
        self.scopes += 1;
        self.failed(None, ("row", row), problems, format, buffer);
        self.text.append(buffer);
    }
}
