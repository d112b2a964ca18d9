//! Single rows: the scope of a row, in which the scalar tiers run the rows that the columnar tier cannot.

use hclvm_vm::code::Slot;
use hclvm_vm::column::Column;
use hclvm_vm::{Arena, Value, last_of_each};
use smol_str::SmolStr;

use super::Columns;
use crate::compile::program::Program;
use crate::diagnostics::error::Error;
use crate::run::projection::{Projection, Read};
use crate::run::scope::Scope;
use crate::run::session::Session;

/// A scope that has the values of one row after the other.
pub(super) struct RowScope<'r, 'c> {
    program: &'r Program,
    scope: Scope,
    projection: &'r Projection,
    /// The columns that the program reads.
    variables: Vec<(Slot, SmolStr, &'r Column<'c>)>,
}

impl<'r, 'c> RowScope<'r, 'c> {
    pub(super) fn new(program: &'r Program, projection: &'r Projection, columns: &'r Columns<'c>) -> Self {
        let scope = columns.scope.projected(projection);
        let mut variables = Vec::new();
        for (slot, column) in &columns.bound {
            if let Some(name) = scope.layout().names().get(usize::from(slot.0))
                && projection.variable(name).is_some()
            {
                variables.push((*slot, name.clone(), column));
            }
        }
        Self { program, scope, projection, variables }
    }

    /// Runs the program for a row.
    ///
    /// # Errors
    /// Those of the evaluation, and values that cannot be set.
    pub(super) fn run<'s>(&'s mut self, session: &'s mut Session, row: usize) -> Result<Value<'s>, Error> {
        for (slot, name, column) in &self.variables {
            let Some((_, read)) = self.projection.variable(name) else { continue };
            self.scope.build_in(*slot, name, |arena| value(column, row, read, arena))?;
        }
        let scope = &self.scope;
        session.run_checked(self.program, scope, scope.frame(), || scope.values())
    }
}

/// Makes the parts of the value of a row that are read. The recursion is bounded by the length of paths.
fn value<'a>(column: &Column<'_>, row: usize, read: &Read, arena: &'a Arena) -> Result<Value<'a>, Error> {
    let parts = match read {
        Read::Parts(parts) if column.is_structure() && !column.is_null(row) => parts,
        _ => return column.value(row, arena).map_err(|fault| Error::value(fault.to_string())),
    };
    let mut entries = arena.list_with(parts.len());
    for part in parts.iter() {
        if let Some(field) = column.field(part.name()) {
            let mut entry = arena.entry(arena.text(part.name()), value(field, row, part.read(), arena)?);
            entry.symbol = part.symbol();
            entries.push(entry);
        }
    }
    Ok(Value::object(arena, last_of_each(entries)))
}
