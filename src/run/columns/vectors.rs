//! Vectors: the rows of columns, run 1,024 at a time by the columnar tier, and alone where that has no answer.

use std::ops::Range;

use hclvm_vm::code::Slot;
use hclvm_vm::code::columns::ColumnCode;
use hclvm_vm::column::{Column, Floats};
use hclvm_vm::exec::columns::{ColumnRun, ColumnValues, Mask, ROWS};
use hclvm_vm::{Exhausted, Value};

use super::Columns;
use super::output::{Output, OutputBuilder};
use super::row::RowScope;
use crate::compile::program::Program;
use crate::diagnostics::error::{Error, ErrorKind};
use crate::limits::Limits;
use crate::run::projection::{Projection, Read};
use crate::run::rule_set::RuleSet;
use crate::run::session::Session;

/// Runs a program, which suits the columns, for each row.
///
/// # Errors
/// A run that was cancelled.
pub(super) fn run(session: &mut Session, program: &Program, columns: &Columns<'_>) -> Result<Output, Error> {
    // Slots of attributes are no variables, to which columns are bound.
    let code = program.columns().filter(|_| !program.layout().has_any_derived());
    if let Some(code) = code
        && let Some(mut outputs) = run_code(session, code, &[program], columns)?
        && let Some(output) = outputs.pop()
    {
        return Ok(output);
    }
    let mut rule = VectorProgram::new(program, columns)?;
    for row in 0..columns.rows {
        rule.push(session, row)?;
    }
    Ok(rule.output.finish())
}

/// Runs each rule of a set for each row.
///
/// # Errors
/// Programs that do not suit the columns, and a run that was cancelled.
pub(super) fn run_rules(
    session: &mut Session,
    rules: &RuleSet,
    columns: &Columns<'_>,
) -> Result<Vec<Output>, Error> {
    let programs = rules.programs();
    for program in programs {
        columns.scope.check_program(program)?;
    }
    let mut outputs: Vec<Option<Output>> = programs.iter().map(|_| None).collect();
    for group in rules.column_groups() {
        let members: Vec<&Program> = group.rules.iter().filter_map(|rule| programs.get(*rule)).collect();
        let Some(found) = run_code(session, &group.code, &members, columns)? else { continue };
        for (rule, output) in group.rules.iter().zip(found) {
            outputs[*rule] = Some(output);
        }
    }
    let rest = outputs.into_iter().zip(programs);
    rest.map(|(output, program)| output.map_or_else(|| run(session, program, columns), Ok)).collect()
}

/// Runs linked programs for each row, and returns an output for each. Returns `None` if they have to be run one by one.
///
/// # Errors
/// A run that was cancelled.
fn run_code(
    session: &mut Session,
    code: &ColumnCode,
    programs: &[&Program],
    columns: &Columns<'_>,
) -> Result<Option<Vec<Output>>, Error> {
    let rules: Result<Vec<_>, _> =
        programs.iter().map(|program| VectorProgram::new(program, columns)).collect();
    let mut rules = rules?;
    let Some(mut vectors) = vectors(session, code, &rules, columns) else { return Ok(None) };
    let mut start = 0;
    while start < columns.rows {
        if let Some(program) = programs.first() {
            session.start_vector(program)?;
        }
        let len = vectors.run(start);
        for (number, rule) in rules.iter_mut().enumerate() {
            let Some(values) = vectors.values(number) else { return Ok(None) };
            rule.extend(session, values, &vectors.alone(number), start..start + len)?;
        }
        start += ROWS;
    }
    Ok(Some(rules.into_iter().map(|rule| rule.output.finish()).collect()))
}

/// Prepares a run in vectors. Returns `None` if each row has to be run alone.
fn vectors<'r>(
    session: &Session,
    code: &'r ColumnCode,
    rules: &[VectorProgram<'_, '_>],
    columns: &'r Columns<'_>,
) -> Option<ColumnRun<'r>> {
    let program = rules.first()?.program;
    if !session.runs_vectors() || !admits(&program.engine().settings().limits) {
        return None;
    }
    let floats: Option<Vec<_>> = rules.iter().map(|rule| floats_of(&rule.projection, columns)).collect();
    ColumnRun::new(code, columns.rows, |slot| columns.column(slot), columns.scope.values(), &floats?)
}

/// Returns the floats that a program may read; `None` if some are NaN in all rows, or a value of all rows is missing or
/// marked.
fn floats_of<'r>(projection: &Projection, columns: &'r Columns<'_>) -> Option<Vec<Floats<'r>>> {
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
    Some(floats)
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

/// A program with its output. The scope of rows that are run alone is made for the first one.
struct VectorProgram<'r, 'c> {
    program: &'r Program,
    projection: Projection,
    columns: &'r Columns<'c>,
    scope: Option<RowScope<'r, 'c>>,
    output: OutputBuilder,
}

impl<'r, 'c> VectorProgram<'r, 'c> {
    fn new(program: &'r Program, columns: &'r Columns<'c>) -> Result<Self, Error> {
        let projection = program.engine().projection([program])?;
        Ok(Self { program, projection, columns, scope: None, output: OutputBuilder::new(columns.rows) })
    }

    /// Adds the results of a vector of rows, of which some are run alone.
    fn extend(
        &mut self,
        session: &mut Session,
        values: ColumnValues<'_>,
        alone: &Mask,
        rows: Range<usize>,
    ) -> Result<(), Error> {
        if self.output.extend(values, alone, rows.len()) {
            for row in alone.rows() {
                let (program, projection, columns) = (self.program, &self.projection, self.columns);
                let scope = self.scope.get_or_insert_with(|| RowScope::new(program, projection, columns));
                let result = unless_cancelled(scope.run(session, rows.start + row))?;
                self.output.replace(rows.start + row, result);
            }
            return Ok(());
        }
        for row in 0..rows.len() {
            if alone.has(row) || !self.output.push_of(values, row) {
                self.push(session, rows.start + row)?;
            }
        }
        Ok(())
    }

    /// Runs the next row alone.
    fn push(&mut self, session: &mut Session, row: usize) -> Result<(), Error> {
        let (program, projection, columns) = (self.program, &self.projection, self.columns);
        let scope = self.scope.get_or_insert_with(|| RowScope::new(program, projection, columns));
        self.output.push(unless_cancelled(scope.run(session, row))?);
        Ok(())
    }
}

/// Returns the result of a row, unless the run was cancelled.
fn unless_cancelled(result: Result<Value<'_>, Error>) -> Result<Result<Value<'_>, Error>, Error> {
    match result {
        Err(error) if is_cancelled(&error) => Err(error),
        result => Ok(result),
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
