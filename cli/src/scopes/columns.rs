//! How the tables of scopes are written: the types of their columns, and what separates their cells.

use std::path::Path;

use clap::{Args, ValueEnum};

use crate::outcome::EarlyEnd;

/// Arguments about tables of text.
#[derive(Args, Debug, Default)]
pub(crate) struct TableArguments {
    /// Types of columns of a table *.csv or *.tsv: string, number, bool, or any, whose cells are JSON; without a type, a
    /// column has strings [example: --types user.age=number,active=bool]
    #[arg(long, value_name = "COLUMN=TYPE,…", value_delimiter = ',', value_parser = column_type)]
    types: Vec<(String, CellType)>,

    /// The character between the cells of a table, such as ';' or tab [default: a comma; in *.tsv a tab]
    #[arg(long, value_name = "CHARACTER", value_parser = separator)]
    pub(super) separator: Option<u8>,
}

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum CellType {
    String,
    Number,
    Bool,
    /// The value of the cell's JSON, as in a scope.
    Any,
}

impl TableArguments {
    /// Returns the type of a column.
    pub(super) fn type_of(&self, column: &str) -> CellType {
        // As with other arguments, the last one holds.
        let declared = self.types.iter().rev().find(|(name, _)| name == column);
        declared.map_or(CellType::String, |(_, ty)| *ty)
    }

    /// Iterates over the columns with types.
    pub(super) fn typed(&self) -> impl Iterator<Item = &str> {
        self.types.iter().map(|(name, _)| name.as_str())
    }

    /// # Errors
    /// Arguments that have no effect, because the scopes are no table.
    pub(crate) fn check(&self, scopes: Option<&str>) -> Result<(), EarlyEnd> {
        let is_given = !self.types.is_empty() || self.separator.is_some();
        if is_given && scopes.and_then(separator_of).is_none() {
            let why = "--types and --separator are for scopes in tables *.csv and *.tsv.";
            return Err(EarlyEnd::Refused(why.to_owned()));
        }
        Ok(())
    }
}

/// Returns the usual separator of a table, by the suffix of its path; `None` for other files.
pub(super) fn separator_of(path: &str) -> Option<u8> {
    let suffix = Path::new(path).extension()?;
    let tables = [("csv", b','), ("tsv", b'\t')];
    tables.iter().find(|(one, _)| suffix.eq_ignore_ascii_case(one)).map(|(_, separator)| *separator)
}

fn column_type(text: &str) -> Result<(String, CellType), String> {
    let (column, ty) = text.rsplit_once('=').ok_or("write COLUMN=TYPE, separated by commas")?;
    match CellType::from_str(ty.trim(), false) {
        Ok(ty) => Ok((column.trim().to_owned(), ty)),
        Err(_) => Err(format!("a column has one of the types string, number, bool and any, not `{ty}`")),
    }
}

fn separator(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        b"tab" | b"\\t" => Ok(b'\t'),
        [b'"' | b'\r' | b'\n' | 0x80..] => Err("cells cannot be separated by it".to_owned()),
        [one] => Ok(*one),
        _ => Err("write one ASCII character, or tab".to_owned()),
    }
}
