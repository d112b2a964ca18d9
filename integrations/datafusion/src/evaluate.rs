//! Evaluation: columns in, a column of results out. The only place that runs programs.
//!
//! Programs run over whole columns; policies and attributes that read locals run row by row.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, StringBuilder};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::DataType;
use datafusion::arrow::util::display::array_value_to_string;
use datafusion::common::{DataFusionError, Result, exec_datafusion_err, exec_err};
use datafusion::logical_expr::ColumnarValue;
use hclvm::run::columns::Column;
use hclvm::{Engine, Error, Scope};
use hclvm_arrow::readable;

use crate::expression::Expression;
use crate::library::PolicyFile;
use crate::results::{Decisions, Names, RowResults, Values};

/// What becomes of a row whose evaluation fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum OnError {
    /// The query fails.
    Fail,
    /// The result is null.
    Null,
}

/// The values of a batch by name.
pub(crate) struct Batch<'b> {
    /// The columns, of types that have values of the language.
    columns: Vec<(&'b str, ArrayRef)>,
    /// The values that are the same in all rows, as columns of one row.
    constants: Vec<(&'b str, ArrayRef)>,
    rows: usize,
    on_error: OnError,
}

/// Evaluates an expression for each row of a batch. Values that it does not read are ignored.
///
/// # Errors
/// The first row that fails, unless such rows are null.
pub(crate) fn evaluate(
    engine: &Engine,
    expression: &Expression,
    output: &DataType,
    batch: &Batch<'_>,
) -> Result<ArrayRef> {
    let mut session = engine.session();
    match expression {
        Expression::Program(program) => {
            let mut scope = engine.scope(program.layout());
            batch.set_constants(&mut scope)?;
            let mut columns = scope.columns(batch.rows);
            for (name, column) in batch.columns_of(&scope)? {
                columns.set(name, column).map_err(unsuited)?;
            }
            let results =
                hclvm_arrow::run(&mut session, program, &columns, Some(output)).map_err(unsuited)?;
            match results.failures.first() {
                Some((row, error)) if batch.on_error == OnError::Fail => Err(batch.failed(*row, error)),
                _ => Ok(results.array),
            }
        }
        Expression::Attribute { module, path, .. } => {
            let mut results = Values::new(output, batch.rows)?;
            batch.each_row(module.scope(), &mut results, |results, scope| {
                let values = module.evaluate(&mut session, scope)?;
                match values.get(path) {
                    Some(value) if !values.diagnostics().has_errors() => results.push(value),
                    _ => Err(values.into_diagnostics().into()),
                }
            })?;
            Ok(results.finish())
        }
    }
}

/// Returns the names of the rules of a policy that apply to each row of a batch.
///
/// # Errors
/// The first row for which a rule fails, unless such rows are null.
pub(crate) fn matches(engine: &Engine, file: &PolicyFile, batch: &Batch<'_>) -> Result<ArrayRef> {
    let mut session = engine.session();
    let mut names = Names::new(StringBuilder::new());
    batch.each_row(file.document.projection().scope(), &mut names, |names, scope| {
        let decision = file.all.decide(&mut session, scope)?;
        if !decision.failed().is_empty() {
            return Err(decision.diagnostics().clone().into());
        }
        for rule in decision.applying() {
            names.values().append_value(rule.labels().next().unwrap_or_default());
        }
        names.append(true);
        Ok(())
    })?;
    Ok(Arc::new(names.finish()))
}

/// Returns the decision of a policy for each row of a batch.
///
/// # Errors
/// The first row that exceeds a limit, unless such rows are null. An error of a rule is a part of the decision.
pub(crate) fn decide(engine: &Engine, file: &PolicyFile, batch: &Batch<'_>) -> Result<ArrayRef> {
    let mut session = engine.session();
    let mut decisions = Decisions::default();
    batch.each_row(file.document.projection().scope(), &mut decisions, |decisions, scope| {
        decisions.push(&file.policy.decide(&mut session, scope)?);
        Ok(())
    })?;
    Ok(decisions.finish())
}

impl<'b> Batch<'b> {
    /// Takes in the values of a call.
    ///
    /// # Errors
    /// A column of a type that has no values of the language.
    pub(crate) fn new(values: &[(&'b str, &ColumnarValue)], rows: usize, on_error: OnError) -> Result<Self> {
        let (mut columns, mut constants) = (Vec::new(), Vec::new());
        for (name, value) in values {
            let (of, rows) = match value {
                ColumnarValue::Array(_) => (&mut columns, rows),
                ColumnarValue::Scalar(_) => (&mut constants, 1),
            };
            let array = value.to_array(rows)?;
            let ty = readable(array.data_type());
            of.push((*name, if ty == *array.data_type() { array } else { cast(&array, &ty)? }));
        }
        Ok(Self { columns, constants, rows, on_error })
    }

    /// Returns the columns of the variables of a scope.
    fn columns_of(&self, scope: &Scope) -> Result<Vec<(&'b str, Column<'_>)>> {
        readable_columns(&self.columns, scope)
    }

    /// Sets the variables of a scope whose values are the same in all rows.
    fn set_constants(&self, scope: &mut Scope) -> Result<()> {
        for (name, column) in readable_columns(&self.constants, scope)? {
            set(scope, name, &column, 0).map_err(|error| self.failed(0, &error))?;
        }
        Ok(())
    }

    /// Sets the variables of a scope to the values of each row and calls `run`, which adds a result.
    fn each_row<R: RowResults>(
        &self,
        mut scope: Scope,
        results: &mut R,
        mut run: impl FnMut(&mut R, &Scope) -> Result<(), Error>,
    ) -> Result<()> {
        self.set_constants(&mut scope)?;
        let mut columns = scope.columns(self.rows);
        for (name, column) in self.columns_of(&scope)? {
            columns.set(name, column).map_err(unsuited)?;
        }
        for row in 0..self.rows {
            match scope.set_row(&columns, row).and_then(|()| run(results, &scope)) {
                Ok(()) => {}
                Err(_) if self.on_error == OnError::Null => results.null(),
                Err(error) => return Err(self.failed(row, &error)),
            }
        }
        Ok(())
    }

    /// Returns the error of a row: its number, its values, the places and the messages.
    fn failed(&self, row: usize, error: &Error) -> DataFusionError {
        let columns = self.columns.iter().map(|(name, column)| shown(name, column, row));
        let constants = self.constants.iter().map(|(name, column)| shown(name, column, 0));
        let values: Vec<String> = columns.chain(constants).collect();
        exec_datafusion_err!("{error} (row {row} of a batch, with {})", values.join(", "))
    }
}

/// Returns the error of an evaluation as a whole.
fn unsuited(error: Error) -> DataFusionError {
    exec_datafusion_err!("{error}")
}

fn readable_columns<'c, 'b>(
    arrays: &'c [(&'b str, ArrayRef)],
    scope: &Scope,
) -> Result<Vec<(&'b str, Column<'c>)>> {
    let read = arrays.iter().filter(|(name, _)| scope.has(name));
    read.map(|(name, array)| match hclvm_arrow::column(array) {
        Ok(column) => Ok((*name, column)),
        Err(error) => exec_err!("the column \"{name}\": {error}"),
    })
    .collect()
}

/// Sets a variable to the value of a row.
fn set(scope: &mut Scope, name: &str, column: &Column<'_>, row: usize) -> Result<(), Error> {
    scope.build(name, |arena| column.value(row, arena).map_err(|fault| Error::host(fault.to_string())))
}

/// The characters of a value that the message about a row shows.
const LONGEST_VALUE: usize = 120;

/// Returns a value for a message.
fn shown(name: &str, column: &ArrayRef, row: usize) -> String {
    let mut value = array_value_to_string(column, row).unwrap_or_default();
    if let Some((end, _)) = value.char_indices().nth(LONGEST_VALUE) {
        value.truncate(end);
        value.push('…');
    }
    format!("{name} = {value}")
}
