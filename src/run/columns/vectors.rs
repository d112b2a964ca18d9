//! Vectors: the rows of columns, run 1,024 at a time by the columnar tier, and alone where that has no answer.

use hclvm_vm::code::Slot;
use hclvm_vm::column::{Column, Floats};
use hclvm_vm::exec::columns::{ColumnRun, ROWS};
use hclvm_vm::{Exhausted, Value};

use super::Columns;
use super::output::{Builder, Output};
use super::row::RowScope;
use crate::compile::program::Program;
use crate::diagnostics::error::{Error, ErrorKind};
use crate::limits::Limits;
use crate::run::projection::{Projection, Read};
use crate::run::session::Session;

/// Runs a program, which suits the columns, for each row.
///
/// # Errors
/// A run that was cancelled.
pub(super) fn run(session: &mut Session, program: &Program, columns: &Columns<'_>) -> Result<Output, Error> {
    let projection = program.engine().projection([program])?;
    let mut output = Builder::new(columns.rows);
    let mut alone = Alone { program, projection: &projection, columns, scope: None };
    let Some(mut vectors) = vectors(session, program, columns, &projection) else {
        for row in 0..columns.rows {
            alone.push(session, row, &mut output)?;
        }
        return Ok(output.finish());
    };
    let mut start = 0;
    while start < columns.rows {
        session.start_vector(program)?;
        let len = vectors.run(start);
        let (values, rows) = (vectors.values(), vectors.alone());
        if output.extend(values, rows, len) {
            for row in rows.rows() {
                alone.replace(session, start + row, &mut output)?;
            }
        } else {
            for row in 0..len {
                if rows.has(row) || !output.push_of(values, row) {
                    alone.push(session, start + row, &mut output)?;
                }
            }
        }
        start += ROWS;
    }
    Ok(output.finish())
}

/// Prepares a run in vectors. Returns `None` if each row has to be run alone.
fn vectors<'r>(
    session: &Session,
    program: &'r Program,
    columns: &'r Columns<'_>,
    projection: &Projection,
) -> Option<ColumnRun<'r>> {
    // Slots of attributes are no variables, to which columns are bound.
    let code = program.columns().filter(|_| !program.layout().has_any_derived())?;
    if !session.runs_vectors() || !admits(&program.engine().settings().limits) {
        return None;
    }
    let values: &[Value<'_>] = columns.scope.values();
    let mut floats: Vec<Floats<'_>> = Vec::new();
    for slot in projection.slots() {
        let Some(column) = columns.column(slot) else {
            // Marks of an operand are marks of the result, also of one that is left out.
            if values.get(usize::from(slot.0))?.is_unset_or_marked() {
                return None;
            }
            continue;
        };
        let name = columns.layout().names().get(usize::from(slot.0))?;
        let (_, read) = projection.variable(name)?;
        if !add_floats(column, read, &mut floats) {
            return None;
        }
    }
    ColumnRun::new(code, columns.rows, |slot| columns.column(slot), values, floats)
}

/// Limits that no value of a row exceeds which the columnar tier reads: it does not ask for them.
const FUEL: u64 = 100_000;
const BYTES: usize = 1 << 20;
const DEPTH: u16 = 100;

fn admits(limits: &Limits) -> bool {
    limits.fuel >= FUEL
        && limits.arena_bytes >= BYTES
        && limits.text_bytes >= BYTES
        && limits.value_depth >= DEPTH
}

/// Adds the floats of the parts of a column that are read. Returns false if some are NaN in all rows.
fn add_floats<'c>(column: &Column<'c>, read: &Read, found: &mut Vec<Floats<'c>>) -> bool {
    match read {
        Read::Parts(parts) if column.is_structure() => parts
            .iter()
            .all(|part| column.field(part.name()).is_none_or(|field| add_floats(field, part.read(), found))),
        _ => column.add_floats(found),
    }
}

/// The rows that are run alone. Their scope is made for the first one.
struct Alone<'r, 'c> {
    program: &'r Program,
    projection: &'r Projection,
    columns: &'r Columns<'c>,
    scope: Option<RowScope<'r, 'c>>,
}

impl Alone<'_, '_> {
    fn run<'s>(
        &'s mut self,
        session: &'s mut Session,
        row: usize,
    ) -> Result<Result<Value<'s>, Error>, Error> {
        let scope =
            self.scope.get_or_insert_with(|| RowScope::new(self.program, self.projection, self.columns));
        match scope.run(session, row) {
            Err(error) if is_cancelled(&error) => Err(error),
            result => Ok(result),
        }
    }

    /// Adds the result of the next row.
    fn push(&mut self, session: &mut Session, row: usize, output: &mut Builder) -> Result<(), Error> {
        output.push(self.run(session, row)?);
        Ok(())
    }

    /// Replaces what a row has.
    fn replace(&mut self, session: &mut Session, row: usize, output: &mut Builder) -> Result<(), Error> {
        output.replace(row, self.run(session, row)?);
        Ok(())
    }
}

fn is_cancelled(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Limit(limit) if limit.exhausted == Exhausted::Cancelled)
}

impl<'c> Columns<'c> {
    /// Returns the column of a slot.
    fn column(&self, slot: Slot) -> Option<&Column<'c>> {
        self.bound.iter().find(|(bound, _)| *bound == slot).map(|(_, column)| column)
    }
}
