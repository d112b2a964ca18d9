//! Scopes in a table of text: a row for each, a column for each variable or attribute.
//!
//! ```text
//! user.role,user.age,path        {"user": {"role": "admin", "age": "41"}, "path": "/"}
//! admin,41,/                 ──▶
//! guest,,/login                  {"user": {"role": "guest", "age": null}, "path": "/login"}
//! ```
//! A cell is a text, unless its column has another type: codes such as `0123`, `1E5` and `1.10` are no numbers by their
//! look. An empty cell is null, and `""` the empty text. The parser returns cells without their quotes, so whether a cell
//! has any is looked up where it begins.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Read};

use csv_core::{ReadFieldResult, Reader, ReaderBuilder};
use hclvm::ingest::Ingest;
use hclvm::value::{Arena, convert};
use hclvm::{Type, Value};
use serde_json::{Map, Number, Value as Json};

use super::columns::{CellType, TableArguments};
use super::reason;
use crate::input::LONGEST;
use crate::shown::shown;

/// The most columns of a table: short names take many times their bytes.
const MOST_COLUMNS: usize = 1 << 20;

/// A table of which a part has been read.
pub(crate) struct PartialTable {
    input: BufReader<Box<dyn Read + Send>>,
    parser: Reader,
    columns: Vec<TableColumn>,
    row: RowCells,
    /// The line of the next byte, from 1.
    line: usize,
    /// True if the last byte was a carriage return, which a line feed may follow.
    after_return: bool,
    /// True if the row has been read and not been returned.
    is_ahead: bool,
}

struct TableColumn {
    /// The names that lead to the value.
    names: Vec<String>,
    ty: CellType,
}

/// The cells of a row.
#[derive(Default)]
struct RowCells {
    /// The line where the row begins.
    line: usize,
    /// The bytes of all cells.
    bytes: Vec<u8>,
    /// For each cell, where its bytes end, and whether it is quoted.
    cells: Vec<(usize, bool)>,
}

/// The variables of a row, or why it has none, and the line where it begins.
pub(crate) type Row = (Result<Map<String, Json>, String>, usize);

/// Why a table cannot be read.
pub(crate) enum Unread {
    /// The file cannot be read.
    Failed(io::Error),
    /// Its first line does not name columns.
    Invalid(String),
}

impl From<io::Error> for Unread {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

impl PartialTable {
    /// Reads the names of the columns. `separator` is between cells unless the arguments have another one.
    pub(crate) fn open(
        input: Box<dyn Read + Send>,
        arguments: &TableArguments,
        separator: u8,
    ) -> Result<Self, Unread> {
        let separator = arguments.separator.unwrap_or(separator);
        let mut table = Self {
            input: BufReader::with_capacity(1 << 16, input),
            parser: ReaderBuilder::new().delimiter(separator).build(),
            columns: Vec::new(),
            row: RowCells::default(),
            line: 1,
            after_return: false,
            is_ahead: false,
        };
        table.read()?;
        table.columns = columns(&table.row, arguments, separator).map_err(Unread::Invalid)?;
        Ok(table)
    }

    /// Skips the rows that begin before a line.
    pub(crate) fn skip_to(&mut self, line: usize) -> Result<(), Unread> {
        while self.read()? {
            if self.row.line >= line {
                self.is_ahead = true;
                break;
            }
        }
        Ok(())
    }

    /// Reads the next row.
    pub(crate) fn next(&mut self) -> Result<Option<Row>, Unread> {
        if !std::mem::take(&mut self.is_ahead) && !self.read()? {
            return Ok(None);
        }
        Ok(Some((self.values(), self.row.line)))
    }

    /// Returns the values of the row.
    fn values(&self) -> Result<Map<String, Json>, String> {
        let (found, wanted) = (self.row.cells.len(), self.columns.len());
        if found != wanted {
            let cells = if found == 1 { "cell" } else { "cells" };
            return Err(format!("The row has {found} {cells}, but the table has {wanted} columns."));
        }
        let mut values = Map::new();
        for (TableColumn { names, ty }, (cell, is_quoted)) in self.columns.iter().zip(self.row.iter()) {
            let why = |why: String| format!("The column \"{}\": {why}.", names.join("."));
            let cell = std::str::from_utf8(cell).map_err(|_| why("the cell is not UTF-8".to_owned()))?;
            insert(&mut values, names, value(cell, is_quoted, *ty).map_err(why)?);
        }
        Ok(values)
    }

    /// Reads the cells of the next row that is not blank. Returns false at the end.
    ///
    /// # Errors
    /// A row that is too long to keep, such as one whose quotes are not closed.
    fn read(&mut self) -> io::Result<bool> {
        self.row.bytes.clear();
        self.row.cells.clear();
        while let Some(b'\r' | b'\n') = self.peek()? {
            self.consume(1);
        }
        self.row.line = self.line;
        if self.peek()?.is_none() {
            return Ok(false);
        }
        let mut left = LONGEST;
        loop {
            let is_quoted = self.peek()? == Some(b'"');
            let is_last = self.read_cell(&mut left)?;
            if self.row.cells.len() <= MOST_COLUMNS {
                self.row.cells.push((self.row.bytes.len(), is_quoted));
            }
            if is_last {
                return Ok(true);
            }
        }
    }

    /// Reads a cell, and returns true if it is the last of its row. `left` is the number of bytes that the row may have.
    fn read_cell(&mut self, left: &mut usize) -> io::Result<bool> {
        let mut part = [0; 1 << 10];
        loop {
            let (result, read, written) = self.parser.read_field(self.input.fill_buf()?, &mut part);
            self.consume(read);
            self.row.bytes.extend_from_slice(&part[..written]);
            *left = left
                .checked_sub(read)
                .ok_or_else(|| io::Error::other(format!("a row is longer than {LONGEST} bytes")))?;
            match result {
                ReadFieldResult::InputEmpty | ReadFieldResult::OutputFull => {}
                ReadFieldResult::Field { record_end } => return Ok(record_end),
                ReadFieldResult::End => return Ok(true),
            }
        }
    }

    fn peek(&mut self) -> io::Result<Option<u8>> {
        Ok(self.input.fill_buf()?.first().copied())
    }

    /// Takes bytes from the input and counts their lines, which end with a line feed, a carriage return or both.
    fn consume(&mut self, count: usize) {
        for byte in &self.input.buffer()[..count] {
            self.line += usize::from(*byte == b'\r' || *byte == b'\n' && !self.after_return);
            self.after_return = *byte == b'\r';
        }
        self.input.consume(count);
    }
}

impl RowCells {
    /// Iterates over the cells, each with whether it is quoted.
    fn iter(&self) -> impl Iterator<Item = (&[u8], bool)> {
        let starts = std::iter::once(0).chain(self.cells.iter().map(|(end, _)| *end));
        starts.zip(&self.cells).map(|(start, (end, is_quoted))| (&self.bytes[start..*end], *is_quoted))
    }
}

/// Signs that separate cells in other tables, with their names and how they are written as an argument.
const SEPARATORS: [(u8, &str, &str); 4] =
    [(b',', "commas", "','"), (b';', "semicolons", "';'"), (b'\t', "tabs", "tab"), (b'|', "bars", "'|'")];

/// Returns the columns that a row names.
fn columns(row: &RowCells, arguments: &TableArguments, separator: u8) -> Result<Vec<TableColumn>, String> {
    if row.cells.len() > MOST_COLUMNS {
        return Err(format!("it has more than {MOST_COLUMNS} columns"));
    }
    let mut columns = Vec::new();
    for (at, (name, _)) in row.iter().enumerate() {
        let name = std::str::from_utf8(name)
            .map_err(|_| format!("the name of column {} is not UTF-8", at + 1))?
            .trim();
        let names: Vec<String> = name.split('.').map(str::to_owned).collect();
        columns.push(TableColumn { ty: arguments.type_of(name), names });
    }
    if let [only] = columns.as_slice() {
        let name = only.names.join(".");
        let other = SEPARATORS.iter().find(|(sign, ..)| *sign != separator && name.as_bytes().contains(sign));
        if let Some((_, signs, written)) = other {
            return Err(format!(
                "its only column is {name:?}. If {signs} separate the cells, use --separator {written}"
            ));
        }
    }
    check(&columns)?;
    for name in arguments.typed() {
        if !columns.iter().any(|column| column.names.join(".") == name) {
            return Err(format!("it has no column \"{name}\", whose type --types gives"));
        }
    }
    Ok(columns)
}

/// Checks that each column has a place of its own.
fn check(columns: &[TableColumn]) -> Result<(), String> {
    let mut places = Places::default();
    for (at, TableColumn { names, .. }) in columns.iter().enumerate() {
        let name = names.join(".");
        if names.iter().any(String::is_empty) {
            return Err(format!(
                "the name of column {}, \"{name}\", is not a path such as user.role",
                at + 1
            ));
        }
        if let Some(other) = places.add(at, names) {
            return Err(format!(
                "the columns \"{}\" and \"{name}\" are the same value, or one is part of the other",
                columns[other].names.join(".")
            ));
        }
    }
    Ok(())
}

/// The paths of columns as a tree: the numbers of nodes by that of the node above and a name. The node above all is 0.
#[derive(Default)]
struct Places<'c> {
    below: HashMap<(usize, &'c str), usize>,
    nodes: Vec<TableNode>,
}

/// A node of the tree.
struct TableNode {
    /// The first column in or below it.
    first: usize,
    /// The column that ends there.
    column: Option<usize>,
}

impl<'c> Places<'c> {
    /// Adds the path of the column `at`. Returns the first column that is the same value, or is part of it, or of which it
    /// is a part.
    fn add(&mut self, at: usize, names: &'c [String]) -> Option<usize> {
        let (mut node, mut around) = (0, None);
        for name in names {
            let next = self.nodes.len() + 1;
            node = *self.below.entry((node, name.as_str())).or_insert(next);
            if node == next {
                self.nodes.push(TableNode { first: at, column: None });
            }
            around = around.or(self.nodes[node - 1].column);
        }
        let place = self.nodes.get_mut(node.checked_sub(1)?)?;
        place.column.get_or_insert(at);
        let below = Some(place.first).filter(|first| *first < at);
        around.into_iter().chain(below).min()
    }
}

fn insert(values: &mut Map<String, Json>, names: &[String], cell: Json) {
    let Some((last, around)) = names.split_last() else { return };
    let mut place = values;
    for name in around {
        let object = place.entry(name.clone()).or_insert_with(|| Json::Object(Map::new()));
        // `check` has excluded that a value is both an object and something else.
        let Json::Object(object) = object else { return };
        place = object;
    }
    place.insert(last.clone(), cell);
}

/// Returns the value of a cell.
fn value(cell: &str, is_quoted: bool, ty: CellType) -> Result<Json, String> {
    if cell.is_empty() && !is_quoted {
        return Ok(Json::Null);
    }
    match ty {
        CellType::String => Ok(Json::String(cell.to_owned())),
        // Numbers of JSON are numbers of the language, which has others as well.
        CellType::Number => match serde_json::from_str::<Number>(cell) {
            Ok(number) => Ok(Json::Number(number)),
            Err(_) => converted(cell, Type::Number),
        },
        CellType::Bool => converted(cell, Type::Bool),
        CellType::Any => {
            serde_json::from_str(cell).map_err(|error| format!("{cell:?} is not JSON: {}", reason(&error)))
        }
    }
}

/// Converts a text as the language does.
fn converted(cell: &str, ty: Type<'_>) -> Result<Json, String> {
    let arena = Arena::new();
    let value: Value<'_> = cell.ingest(&arena).map_err(|error| error.to_string())?;
    let value = convert(&arena, value, ty).map_err(|error| format!("{cell:?} does not fit: {error}"))?;
    serde_json::to_value(shown(value)).map_err(|error| error.to_string())
}
