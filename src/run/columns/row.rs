//! Single rows: the scope of a row, in which the scalar tiers run the rows that the columnar tier cannot, and what no
//! program alone evaluates, such as modules and policies.

use std::sync::Arc;

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

impl Scope {
    /// Sets the variables that have a column to their values in a row; the others keep their values. A module or a policy
    /// is evaluated so for the rows of a table. For single programs, [`Session::run_columns`] is faster, with equal
    /// results.
    ///
    /// ```
    /// use hclvm::run::columns::Column;
    ///
    /// let engine = hclvm::Engine::new();
    /// let module = engine.parse("x.hcl", "locals { most = 100 }\nsmall = size < local.most")?.module()?;
    /// let (mut session, mut scope) = (engine.session(), module.scope());
    /// let mut columns = scope.columns(3);
    /// columns.set("size", Column::from(&[50, 500, 5000]))?;
    ///
    /// let mut small = Vec::new();
    /// for row in 0..columns.rows() {
    ///     scope.set_row(&columns, row)?;
    ///     let values = module.evaluate(&mut session, &scope)?;
    ///     small.extend(values.get(&"small".parse().expect("a path")).and_then(|small| small.as_bool()));
    /// }
    /// assert_eq!(small, [true, false, false]);
    /// # Ok::<(), hclvm::Error>(())
    /// ```
    ///
    /// # Errors
    /// Columns of another layout, and a row that they do not have. A value that cannot be set, such as a NaN, or that
    /// exceeds the limits of the engine; its variable has no value then, and those of later columns are not set.
    pub fn set_row(&mut self, columns: &Columns<'_>, row: usize) -> Result<(), Error> {
        if !Arc::ptr_eq(self.layout(), columns.layout()) && self.layout() != columns.layout() {
            return Err(Error::layout("the columns have another layout than the scope"));
        }
        if row >= columns.rows {
            return Err(Error::layout(format!("there is no row {row} of {}", columns.rows)));
        }
        let projection = self.projection().cloned();
        for (slot, column) in &columns.bound {
            let Some(name) = columns.layout().names().get(usize::from(slot.0)) else { continue };
            let read = match &projection {
                None => &Read::Whole,
                Some(projection) => match projection.variable(name) {
                    Some((_, read)) => read,
                    None => continue,
                },
            };
            self.build_in(*slot, name, |arena| value(column, row, read, arena))?;
        }
        Ok(())
    }
}

/// A scope that has the values of one row after the other.
pub(super) struct RowScope<'r, 'c> {
    program: &'r Program,
    scope: Scope,
    projection: Projection,
    /// The columns that the program reads.
    variables: Vec<(Slot, SmolStr, &'r Column<'c>)>,
}

impl<'r, 'c> RowScope<'r, 'c> {
    pub(super) fn new(program: &'r Program, projection: &Projection, columns: &'r Columns<'c>) -> Self {
        let scope = columns.scope.projected(projection);
        let mut variables = Vec::new();
        for (slot, column) in &columns.bound {
            if let Some(name) = scope.layout().names().get(usize::from(slot.0))
                && projection.variable(name).is_some()
            {
                variables.push((*slot, name.clone(), column));
            }
        }
        Self { program, scope, projection: projection.clone(), variables }
    }

    /// Runs the program for a row.
    ///
    /// # Errors
    /// The errors of the evaluation, and values that cannot be set.
    pub(super) fn run<'s>(&'s mut self, session: &'s mut Session, row: usize) -> Result<Value<'s>, Error> {
        for (slot, name, column) in &self.variables {
            let Some((_, read)) = self.projection.variable(name) else { continue };
            self.scope.build_in(*slot, name, |arena| value(column, row, read, arena))?;
        }
        let scope = &self.scope;
        session.run_checked(self.program, scope, || scope.frame(), || scope.values())
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
