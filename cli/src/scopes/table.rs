//! Scopes in a table of comma-separated values: a row for each, a column for each variable or attribute.
//!
//! ```text
//! user.role,user.age,path        {"user": {"role": "admin", "age": 41}, "path": "/"}
//! admin,41,/                 ──▶
//! guest,,/login                  {"user": {"role": "guest", "age": null}, "path": "/login"}
//! ```
//! A cell is a number, `true` or `false` if it reads as one, null if it is empty, and a text otherwise.

use std::collections::HashMap;
use std::io::{self, Read};

use csv::{Position, ReaderBuilder, StringRecord};
use serde_json::{Map, Value as Json};

use crate::input::LONGEST;

/// A table of which a part has been read.
pub(crate) struct Table {
    reader: csv::Reader<Bounded>,
    /// The names that lead to the value of each column.
    columns: Vec<Vec<String>>,
    row: StringRecord,
    /// True if the row has been read and not been returned.
    is_ahead: bool,
}

/// The variables of a row, and the line where it begins.
pub(crate) type Row = (Map<String, Json>, usize);

/// Input that ends with an error in a row that is too long to keep, such as one whose quotes are not closed.
struct Bounded {
    input: Box<dyn Read + Send>,
    /// The bytes that may be read until the next row begins.
    left: usize,
}

impl Read for Bounded {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            return Err(io::Error::other(format!("a row is longer than {LONGEST} bytes")));
        }
        let most = buffer.len().min(self.left);
        let read = self.input.read(&mut buffer[..most])?;
        self.left -= read;
        Ok(read)
    }
}

/// Why a table or a row of it cannot be read.
pub(crate) enum Unread {
    /// The file cannot be read.
    Failed(io::Error),
    /// Its text is not a table; nothing behind it can be read.
    Invalid(String),
}

impl Table {
    /// Reads the names of the columns.
    pub(crate) fn open(input: Box<dyn Read + Send>) -> Result<Self, Unread> {
        let mut reader = ReaderBuilder::new().from_reader(Bounded { input, left: LONGEST });
        let names = reader.headers().map_err(|error| unread(&error))?.clone();
        let columns: Vec<Vec<String>> =
            names.iter().map(|name| name.trim().split('.').map(str::to_owned).collect()).collect();
        check(&columns).map_err(Unread::Invalid)?;
        Ok(Self { reader, columns, row: StringRecord::new(), is_ahead: false })
    }

    /// Skips the rows that begin before a line.
    pub(crate) fn skip_to(&mut self, line: usize) -> Result<(), Unread> {
        while self.read()? {
            if self.line() >= line {
                self.is_ahead = true;
                break;
            }
        }
        Ok(())
    }

    /// Reads the next row. Returns its values and the line where it begins.
    pub(crate) fn next(&mut self) -> Result<Option<Row>, Unread> {
        if !std::mem::take(&mut self.is_ahead) && !self.read()? {
            return Ok(None);
        }
        let mut values = Map::new();
        for (names, cell) in self.columns.iter().zip(&self.row) {
            insert(&mut values, names, cell);
        }
        Ok(Some((values, self.line())))
    }

    fn read(&mut self) -> Result<bool, Unread> {
        self.reader.get_mut().left = LONGEST;
        self.reader.read_record(&mut self.row).map_err(|error| unread(&error))
    }

    /// Returns the line where the row begins, with the blank lines before it.
    fn line(&self) -> usize {
        let line = self.row.position().map_or(0, Position::line);
        usize::try_from(line).unwrap_or(usize::MAX)
    }
}

/// Checks that each column has a place of its own.
fn check(columns: &[Vec<String>]) -> Result<(), String> {
    let mut places = Places::default();
    for (at, names) in columns.iter().enumerate() {
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
                columns[other].join(".")
            ));
        }
    }
    Ok(())
}

/// The paths of columns as a tree: the numbers of nodes by that of the node above and a name. The node above all is 0.
#[derive(Default)]
struct Places<'c> {
    below: HashMap<(usize, &'c str), usize>,
    nodes: Vec<Place>,
}

/// A node of the tree.
struct Place {
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
                self.nodes.push(Place { first: at, column: None });
            }
            around = around.or(self.nodes[node - 1].column);
        }
        let place = self.nodes.get_mut(node.checked_sub(1)?)?;
        place.column.get_or_insert(at);
        let below = Some(place.first).filter(|first| *first < at);
        around.into_iter().chain(below).min()
    }
}

fn insert(values: &mut Map<String, Json>, names: &[String], cell: &str) {
    let Some((last, around)) = names.split_last() else { return };
    let mut place = values;
    for name in around {
        let object = place.entry(name.clone()).or_insert_with(|| Json::Object(Map::new()));
        // `check` has excluded that a value is both an object and something else.
        let Json::Object(object) = object else { return };
        place = object;
    }
    place.insert(last.clone(), value(cell));
}

/// Returns the value of a cell.
fn value(cell: &str) -> Json {
    match serde_json::from_str(cell) {
        Ok(value @ (Json::Number(_) | Json::Bool(_))) => value,
        _ if cell.is_empty() => Json::Null,
        _ => Json::String(cell.to_owned()),
    }
}

fn unread(error: &csv::Error) -> Unread {
    if let csv::ErrorKind::Io(error) = error.kind() {
        return Unread::Failed(io::Error::new(error.kind(), error.to_string()));
    }
    let text = error.to_string();
    Unread::Invalid(text.strip_prefix("CSV error: ").unwrap_or(&text).to_owned())
}
