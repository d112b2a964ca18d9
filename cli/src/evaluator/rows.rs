//! Scopes that are rows of columns: one expression, or one attribute that reads no locals, runs over whole columns, other
//! modules run row by row.

use hclvm::analysis::{Need, Paths};
use hclvm::run::columns::{Cell, Column, Columns};
use hclvm::value::{Arena, Number};
use hclvm::{Diagnostics, Error, Program, Value};

use super::{CompiledSubject, SubjectEvaluator, SubjectUnit};
use crate::attribute_path::PathArgument;
use crate::report::diagnostics_of;
use crate::shown::{OutputFormat, shown, write};

/// Rows in columns.
pub(crate) struct ColumnTable<'c> {
    /// The columns by name.
    pub(crate) columns: Vec<(String, Column<'c>)>,
    pub(crate) rows: usize,
    /// The name of their file in messages.
    pub(crate) name: &'c str,
}

impl SubjectEvaluator<'_> {
    /// Returns the variables of scopes that are read, with their parts; `None` if the code depends on the names that a
    /// scope has.
    pub(crate) fn reads(&self) -> Option<Paths> {
        if self.arguments.options.depends_on_names() {
            return None;
        }
        let mut reads = Paths::new();
        for SubjectUnit { code, variables, .. } in &self.units {
            let paths = match code {
                CompiledSubject::Program(program) => program.referenced_paths(),
                CompiledSubject::Module(module) => module.document().projection().paths().clone(),
            };
            for (name, need) in paths {
                if variables.iter().any(|variable| *variable == name)
                    && reads.insert(name.clone(), need).is_some()
                {
                    // Of a variable of several files, all parts.
                    reads.insert(name, Need::Whole);
                }
            }
        }
        reads.retain(|name, _| !self.is_given(name));
        Some(reads)
    }

    /// Returns true for a variable of the command line, which overrides those of scopes.
    fn is_given(&self, name: &str) -> bool {
        self.arguments.assignments().iter().any(|one| one.name == name)
    }

    /// Evaluates with the variables of each row. Writes each result to `buffer` and passes it to `give` in the order of
    /// the rows, until it returns false.
    ///
    /// # Errors
    /// What makes every row fail.
    pub(crate) fn evaluate_rows(
        &mut self,
        table: &ColumnTable<'_>,
        format: OutputFormat,
        buffer: &mut Vec<u8>,
        mut give: impl FnMut(Result<&mut Vec<u8>, Diagnostics>) -> bool,
    ) -> Result<(), Diagnostics> {
        let every = |error: Error| diagnostics_of(&error, table.name);
        self.fit(table.columns.iter().map(|(name, _)| name)).map_err(every)?;
        let columns: Vec<Columns<'_>> =
            self.units.iter().map(|unit| self.bind(unit, table)).collect::<Result<_, _>>().map_err(every)?;
        let subject = self.arguments.subject_name();
        if let ([unit], [columns]) = (self.units.as_mut_slice(), columns.as_slice())
            && let Some(program) = alone(&unit.code, self.arguments.attr())
        {
            return run_columns(&program, unit, columns, (table, subject), format, buffer, give);
        }
        for row in 0..table.rows {
            let mut units = self.units.iter_mut().zip(&columns);
            let result = units
                .try_for_each(|(unit, columns)| unit.scope.set_row(columns, row))
                .map_err(|error| diagnostics_of(&error, table.name))
                .and_then(|()| self.run(None, Some(format), buffer));
            if !give(result.map(|()| &mut *buffer)) {
                break;
            }
        }
        Ok(())
    }

    /// Binds columns to the variables of a unit.
    fn bind<'c>(&self, unit: &SubjectUnit, table: &ColumnTable<'c>) -> Result<Columns<'c>, Error> {
        let mut columns = unit.scope.columns(table.rows);
        for (name, column) in &table.columns {
            if unit.variables.contains(name) && !self.is_given(name) {
                columns.set(name, column.clone())?;
            }
        }
        Ok(columns)
    }
}

/// Returns the program whose results are all that is printed: an expression, or an attribute that reads no locals.
fn alone(code: &CompiledSubject, wanted: Option<&PathArgument>) -> Option<Program> {
    let module = match code {
        CompiledSubject::Program(program) => return Some(program.clone()),
        CompiledSubject::Module(module) => module,
    };
    let attribute = wanted?.definition(module.document())?;
    let reads = attribute.referenced_paths();
    let is_alone = reads.keys().all(|name| module.variables().any(|variable| variable == name.as_str()));
    is_alone.then(|| attribute.program().ok()).flatten()
}

/// Runs a program over columns.
///
/// # Errors
/// What makes every row fail.
fn run_columns(
    program: &Program,
    SubjectUnit { session, scope, .. }: &mut SubjectUnit,
    columns: &Columns<'_>,
    (table, subject): (&ColumnTable<'_>, &str),
    format: OutputFormat,
    buffer: &mut Vec<u8>,
    mut give: impl FnMut(Result<&mut Vec<u8>, Diagnostics>) -> bool,
) -> Result<(), Diagnostics> {
    let output = session.run_columns(program, columns).map_err(|error| diagnostics_of(&error, table.name))?;
    for row in 0..table.rows {
        let result = match output.get(row) {
            Some(Ok(cell)) => match write_cell(cell, format, buffer) {
                Ok(()) => Ok(&mut *buffer),
                Err(why) => Err(super::too_large(&why, subject)),
            },
            // Columns know only the attributes that are read, messages of a scope show similar ones.
            Some(Err(error)) => Err(if let Err(error) = scope.set_row(columns, row) {
                diagnostics_of(&error, table.name)
            } else {
                let again = session.run(program, scope);
                diagnostics_of(again.err().as_ref().unwrap_or(error), subject)
            }),
            None => break,
        };
        if !give(result) {
            break;
        }
    }
    Ok(())
}

/// Clears `buffer` and writes a result to it.
fn write_cell(cell: Cell<'_>, format: OutputFormat, buffer: &mut Vec<u8>) -> Result<(), String> {
    let value = match cell {
        Cell::Text(text) => return write(format, &text, buffer),
        Cell::Float(float) => {
            let arena = Arena::new();
            let number = Number::from_f64(float).ok_or("it is not a number")?;
            return write(format, &shown(Value::number(&arena, number)), buffer);
        }
        Cell::Null => Value::NULL,
        Cell::Bool(bool) => Value::bool(bool),
        Cell::Int(int) => Value::int(int),
        Cell::Value(value) => value,
    };
    write(format, &shown(value), buffer)
}
