//! Columns: one program, or the rules of a set, for many rows whose values the host keeps column by column, such as
//! Arrow arrays. The crate `hclvm-arrow` makes columns of these.
//!
//! ```
//! use hclvm::run::columns::Column;
//!
//! let engine = hclvm::Engine::new();
//! let document = engine.parse("x.hcl", r#"large = size > limit && user.role != "guest""#)?;
//! let large = document.attribute("large").expect("it is there").program()?;
//!
//! let mut scope = document.scope();
//! scope.set("limit", &100)?;                                     // the same for all rows
//! let mut columns = scope.columns(3);
//! columns.set("size", Column::from(&[50, 500, 5000]))?;
//! let roles = Column::from(&["admin", "guest", "admin"]);
//! columns.set("user", Column::structure(3, [("role", roles)])?)?;
//!
//! let output = engine.session().run_columns(&large, &columns)?;
//! assert_eq!(output.as_bools().map(|large| large.rows().collect()), Some(vec![2]));
//! # Ok::<(), hclvm::Error>(())
//! ```
//!
//! | a column of | has the values |
//! |---|---|
//! | integers and floats of any width | numbers, as of a scope: 64 and 53 bits of precision |
//! | [decimals](Column::decimals) | numbers as in a text |
//! | bools, [bits](Bits) | bools |
//! | `&str`, `String`, [contiguous texts](Column::texts), [views](Column::views) | strings |
//! | a [dictionary](Column::dictionary) | those of its rows |
//! | a [structure](Column::structure) of columns | objects |
//! | [lists](Column::lists) | tuples |
//! | [nulls](Column::nulls), rows that are not [valid](Column::with_validity) | null |
//!
//! Each row is an evaluation of its own: with the result, the diagnostics and the limits of a
//! [scope](crate::Scope) of the program's [projection](crate::run::Projection) in which the values of the row are set.
//! A row with a value that cannot be set, such as a NaN that the program may read, fails with the error of
//! [`Scope::set`](crate::Scope::set). What is more than one program, such as a module or a policy, is evaluated row by row
//! in a scope that [`Scope::set_row`](crate::Scope::set_row) sets. The [time](crate::Session::set_time) of an evaluation is that of 1,024 rows.

pub(super) mod linked;
mod output;
mod row;
mod vectors;

use std::sync::Arc;

use hclvm_vm::Layout;
use hclvm_vm::code::Slot;
pub use hclvm_vm::column::{Bitmap, Bits, Column, Misshapen, Offsets};

use crate::compile::program::Program;
use crate::diagnostics::error::Error;
use crate::run::rule_set::RuleSet;
use crate::run::scope::Scope;
use crate::run::session::Session;
pub use output::{Cell, Cells, Output, Texts};

/// Columns bound to variables of a layout, and values of other variables that are the same in all rows.
#[derive(Clone, Debug)]
pub struct Columns<'c> {
    /// The values of variables without a column.
    scope: Scope,
    bound: Vec<(Slot, Column<'c>)>,
    rows: usize,
}

impl Scope {
    /// Creates a table of `rows` rows without columns. A variable without a column has the value that it has in the
    /// scope, in all rows.
    pub fn columns<'c>(&self, rows: usize) -> Columns<'c> {
        Columns { scope: self.fork(), bound: Vec::new(), rows }
    }
}

impl<'c> Columns<'c> {
    /// Binds a column to a variable, in place of the column or the value that it had.
    ///
    /// # Errors
    /// A name that is not in the layout, and a column of another number of rows.
    pub fn set(&mut self, name: &str, column: impl Into<Column<'c>>) -> Result<(), Error> {
        let Some(slot) = self.scope.layout().slot(name) else { return Err(self.scope.unread(name)) };
        let column = column.into();
        column.check(self.rows).map_err(|error| Error::layout(format!("\"{name}\": {error}")))?;
        match self.bound.iter_mut().find(|(bound, _)| *bound == slot) {
            Some((_, bound)) => *bound = column,
            None => self.bound.push((slot, column)),
        }
        Ok(())
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the layout of the programs that it runs.
    pub fn layout(&self) -> &Arc<Layout> {
        self.scope.layout()
    }
}

impl Session {
    /// Runs a program for each row.
    ///
    /// # Errors
    /// A program that does not suit the columns, and an evaluation that was cancelled. Errors of single rows are in the
    /// output.
    pub fn run_columns(&mut self, program: &Program, columns: &Columns<'_>) -> Result<Output, Error> {
        columns.scope.check_program(program)?;
        vectors::run(self, program, columns)
    }

    /// Runs each rule of a set for each row, and returns an output for each rule. Columns are read once for many rules, and
    /// common subexpressions are computed once.
    ///
    /// # Errors
    /// As [`Session::run_columns`].
    pub fn run_rules_columns(
        &mut self,
        rules: &RuleSet,
        columns: &Columns<'_>,
    ) -> Result<Vec<Output>, Error> {
        vectors::run_rules(self, rules, columns)
    }
}

/// A column that cannot be made.
impl From<Misshapen> for Error {
    fn from(error: Misshapen) -> Self {
        Self::layout(error.to_string())
    }
}
