//! Reads scopes: a file with one, a file with one per line, a file with a list, or a table. `notation` converts
//! the JSON to values. Parquet files are no text: `rows` reads them as columns.

#[cfg_attr(not(feature = "csv"), expect(dead_code, reason = "tables are refused"))]
mod columns;
#[cfg(feature = "parquet")]
pub(crate) mod rows;
#[cfg(feature = "csv")]
mod table;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;

use hclvm::diagnostics::{Source, Span};
use hclvm::{Diagnostic, Diagnostics};
use serde_json::{Map, Value as Json};

pub(crate) use columns::TableArguments;
use columns::separator_of;

use crate::input::{self, InputLine, LONGEST, STANDARD_INPUT, display_name};
use crate::outcome::EarlyEnd;
use crate::report::sentence;

/// The member of a scope that is its title rather than a variable.
const TITLE: &str = "$name";

/// Variables by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct GivenVariables {
    /// The title of the scope, repeated in its result.
    pub(crate) title: Option<String>,
    /// The variables as JSON.
    pub(crate) values: Map<String, Json>,
}

/// Variables, or the problems of their text.
pub(crate) type Scanned = Result<GivenVariables, Diagnostics>;

/// Opens a text, behind its byte order mark.
fn open(path: &str) -> Result<Box<dyn Read + Send>, EarlyEnd> {
    let mut input: Box<dyn Read + Send> = if path == STANDARD_INPUT {
        Box::new(io::stdin())
    } else {
        Box::new(File::open(path).map_err(|error| unreadable(path, &error))?)
    };
    let mut start = Vec::new();
    input.by_ref().take(3).read_to_end(&mut start).map_err(|error| unreadable(path, &error))?;
    let name = display_name(path);
    let rest = input::without_mark(&start)
        .map_err(|why| EarlyEnd::Refused(format!("Cannot read {name}: {why}.")))?
        .to_owned();
    Ok(Box::new(io::Cursor::new(rest).chain(input)))
}

fn unreadable(path: &str, error: &io::Error) -> EarlyEnd {
    let name = display_name(path);
    let is_text = error.kind() == io::ErrorKind::NotFound && path.trim_start().starts_with(['{', '[']);
    let hint =
        if is_text { " To give values as text, use --var NAME=JSON, or pipe them to --scope -." } else { "" };
    EarlyEnd::Refused(format!("Cannot read {name}: {error}.{hint}"))
}

/// Returns true for the path of a Parquet file.
pub(crate) fn is_parquet(path: &str) -> bool {
    has_suffix(path, "parquet")
}

fn has_suffix(path: &str, wanted: &str) -> bool {
    Path::new(path).extension().is_some_and(|suffix| suffix.eq_ignore_ascii_case(wanted))
}

/// Reads a file with one scope.
pub(crate) fn one(path: &str) -> Result<Scanned, EarlyEnd> {
    let name = display_name(path);
    let bytes = input::up_to(open(path)?, LONGEST).map_err(|error| unreadable(path, &error))?;
    Ok(of_bytes(&bytes, name))
}

/// Reads the text of a scope. `name` is the name of its file.
pub(crate) fn of_bytes(bytes: &[u8], name: &str) -> Scanned {
    if let Err(why) = input::check_size(bytes) {
        return Err(too_large("The scope", &why, name));
    }
    let invalid = |why: &str| sentence("Invalid scope", why, name);
    let bytes =
        input::without_mark(bytes).map_err(|why| invalid(&format!("The text cannot be read: {why}.")))?;
    serde_json::from_slice(bytes)
        .map_err(|error| misplaced(&error, bytes, name))
        .and_then(|json| variables(json).map_err(|why| invalid(&why)))
}

/// The scopes of a file, read one after the other.
pub(crate) enum ScopeReader {
    /// A file with a list, read as a whole.
    List {
        /// The name of the file.
        name: String,
        /// The remaining scopes.
        items: std::vec::IntoIter<Json>,
        /// Number of scopes taken.
        taken: usize,
    },
    /// One scope per line; only lines being evaluated are in memory.
    Lines {
        /// The name of the file.
        name: String,
        /// The remaining lines.
        reader: BufReader<Box<dyn Read + Send>>,
        /// Number of lines taken.
        taken: usize,
        /// True if the last line was too long and its end has not been read.
        unended: bool,
    },
    /// Rows of a table.
    #[cfg(feature = "csv")]
    Table {
        /// The name of the file.
        name: String,
        table: Box<table::PartialTable>,
    },
}

impl ScopeReader {
    /// Opens a file of scopes: a table if its name ends in `.csv` or `.tsv`, a list if its first character opens one, else
    /// lines.
    pub(crate) fn open(path: &str, table: &TableArguments) -> Result<Result<Self, Diagnostics>, EarlyEnd> {
        let name = display_name(path).to_owned();
        table.check(Some(path))?;
        if let Some(separator) = separator_of(path) {
            return Self::table(path, name, table, separator);
        }
        if is_parquet(path) {
            let why = "only `hclvm eval` of an expression, a template or plain files reads Parquet";
            return Err(EarlyEnd::Refused(format!("Cannot read {path}: {why}.")));
        }
        let mut reader = BufReader::with_capacity(1 << 16, open(path)?);
        if !starts_list(&mut reader).map_err(|error| unreadable(path, &error))? {
            return Ok(Ok(Self::Lines { name, reader, taken: 0, unended: false }));
        }
        let bytes = input::up_to(reader, LONGEST).map_err(|error| unreadable(path, &error))?;
        if let Err(why) = input::check_size(&bytes) {
            return Ok(Err(too_large("The list (write one scope per line instead)", &why, &name)));
        }
        Ok(match serde_json::from_slice::<Vec<Json>>(&bytes) {
            Ok(items) => Ok(Self::List { name, items: items.into_iter(), taken: 0 }),
            Err(error) => Err(misplaced(&error, &bytes, &name)),
        })
    }

    #[cfg(feature = "csv")]
    fn table(
        path: &str,
        name: String,
        arguments: &TableArguments,
        separator: u8,
    ) -> Result<Result<Self, Diagnostics>, EarlyEnd> {
        match table::PartialTable::open(open(path)?, arguments, separator) {
            Ok(table) => Ok(Ok(Self::Table { name, table: Box::new(table) })),
            Err(table::Unread::Failed(error)) => Err(unreadable(path, &error)),
            Err(table::Unread::Invalid(why)) => Ok(Err(no_table(&why, &name))),
        }
    }

    #[cfg(not(feature = "csv"))]
    fn table(
        path: &str,
        _: String,
        _: &TableArguments,
        _: u8,
    ) -> Result<Result<Self, Diagnostics>, EarlyEnd> {
        let why = "this command was built without the feature csv. Write one JSON object per line instead";
        Err(EarlyEnd::Refused(format!("Cannot read {path}: {why}.")))
    }

    /// Skips the scopes before the line or item with this number, counted from 1.
    pub(crate) fn skip_to(&mut self, number: usize) -> Result<(), EarlyEnd> {
        match self {
            Self::List { items, taken, .. } => {
                *taken = number.saturating_sub(1);
                if *taken > 0 {
                    items.nth(*taken - 1);
                }
            }
            Self::Lines { name, reader, taken, .. } => {
                while *taken + 1 < number
                    && !reader.fill_buf().map_err(|error| unreadable(name, &error))?.is_empty()
                {
                    input::pass_line(reader).map_err(|error| unreadable(name, &error))?;
                    *taken += 1;
                }
            }
            #[cfg(feature = "csv")]
            Self::Table { name, table } => table.skip_to(number).map_err(|unread| refused(unread, name))?,
        }
        Ok(())
    }

    /// Returns the name of the file.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::List { name, .. } | Self::Lines { name, .. } => name,
            #[cfg(feature = "csv")]
            Self::Table { name, .. } => name,
        }
    }

    /// Returns true for a file with one scope per line.
    pub(crate) fn is_lines(&self) -> bool {
        matches!(self, Self::Lines { .. })
    }

    /// Returns the next group of scopes, which is empty at the end of the file. Waits for the first one
    /// only. `result` is the estimated size of a result in bytes, which limits the group.
    pub(crate) fn next(&mut self, result: usize) -> Result<ScopeGroup, EarlyEnd> {
        let mut group = ScopeGroup { texts: Vec::new(), bytes: 0, waits: false };
        let (mut bytes, most) = (0, (GROUP_BYTES / result.max(1)).clamp(1, GROUP));
        while group.texts.len() < most && bytes < GROUP_BYTES && !group.waits {
            let Some(text) = self.next_text()? else { break };
            bytes += text.len();
            group.bytes = bytes as u64;
            group.texts.push(text);
            group.waits = self.may_wait();
        }
        Ok(group)
    }

    /// Returns true if the next scope may not have arrived yet, so that finished results should be printed first.
    fn may_wait(&self) -> bool {
        match self {
            Self::List { .. } => false,
            Self::Lines { reader, .. } => !reader.buffer().contains(&b'\n'),
            #[cfg(feature = "csv")]
            Self::Table { .. } => false,
        }
    }

    fn next_text(&mut self) -> Result<Option<ScopeText>, EarlyEnd> {
        match self {
            Self::List { items, taken, .. } => {
                *taken += 1;
                Ok(items.next().map(|json| ScopeText::Item(json, *taken)))
            }
            Self::Lines { name, reader, taken, unended } => loop {
                if std::mem::take(unended) {
                    input::pass_line(reader).map_err(|error| unreadable(name, &error))?;
                }
                *taken += 1;
                match input::line(reader).map_err(|error| unreadable(name, &error))? {
                    None => return Ok(None),
                    Some(InputLine::TooLong(ended)) => {
                        *unended = !ended;
                        return Ok(Some(ScopeText::TooLong(*taken)));
                    }
                    Some(InputLine::Whole(line)) if line.trim_ascii().is_empty() => {}
                    Some(InputLine::Whole(line)) => return Ok(Some(ScopeText::Line(line, *taken))),
                }
            },
            #[cfg(feature = "csv")]
            Self::Table { name, table } => match table.next() {
                Ok(row) => Ok(row.map(|(values, line)| ScopeText::Row(values, line))),
                Err(unread) => Err(refused(unread, name)),
            },
        }
    }
}

/// Maximum scopes in a group. A group is handed to a thread as a whole, which spreads the cost of
/// synchronization over its scopes.
const GROUP: usize = 32;
/// Bytes of lines, or of results, that end a group, so that memory is bounded by the number of threads.
pub(crate) const GROUP_BYTES: usize = 64 << 10;

/// Consecutive scopes, evaluated by one thread.
#[derive(Debug)]
pub(crate) struct ScopeGroup {
    /// Their texts.
    pub(crate) texts: Vec<ScopeText>,
    /// The bytes of their lines.
    pub(crate) bytes: u64,
    /// True if the scope after them has not arrived yet.
    pub(crate) waits: bool,
}

/// The text of a scope, with its number.
#[derive(Debug)]
pub(crate) enum ScopeText {
    /// An item of a list.
    Item(Json, usize),
    /// A line.
    Line(Vec<u8>, usize),
    /// A line that is too long to keep.
    TooLong(usize),
    /// The variables of a row of a table or why it has none, with the line where it begins.
    #[cfg(feature = "csv")]
    Row(Result<Map<String, Json>, String>, usize),
}

impl ScopeText {
    /// Returns the bytes held for this scope alone; the items of a list are in memory anyway.
    fn len(&self) -> usize {
        match self {
            Self::Item(..) | Self::TooLong(_) => 0,
            Self::Line(line, _) => line.len(),
            // A cell is at least a value and its comma.
            #[cfg(feature = "csv")]
            Self::Row(values, _) => values.as_ref().map_or(0, Map::len) * size_of::<Json>(),
        }
    }

    /// Returns the text of a line whose members are variables as they are: without a title, and without values
    /// that JSON does not express.
    pub(crate) fn plain(&self) -> Option<&[u8]> {
        match self {
            // `\u` might be the first half of an escaped `$`.
            Self::Line(line, _) if !line.contains(&b'$') && !line.windows(2).any(|two| two == b"\\u") => {
                Some(line)
            }
            _ => None,
        }
    }

    /// Returns where it is in its file: `line` or `item`, and a number from 1.
    pub(crate) fn place(&self) -> (&'static str, usize) {
        match self {
            Self::Item(_, number) => ("item", *number),
            Self::Line(_, number) | Self::TooLong(number) => ("line", *number),
            #[cfg(feature = "csv")]
            Self::Row(_, number) => ("line", *number),
        }
    }

    /// Parses its variables. `name` is the name of the file.
    pub(crate) fn scan(self, name: &str) -> Scanned {
        match self {
            Self::Item(json, number) => variables(json)
                .map_err(|why| sentence("Invalid scope", &format!("Item {number} of the list: {why}"), name)),
            Self::Line(line, number) => match input::check_size(&line) {
                Ok(()) => line_of(&line, number, name),
                Err(why) => Err(too_large(&format!("Line {number}"), &why, name)),
            },
            Self::TooLong(number) => {
                let why = format!("it is longer than {LONGEST} bytes");
                Err(too_large(&format!("Line {number}"), &why, name))
            }
            #[cfg(feature = "csv")]
            Self::Row(values, number) => values
                .and_then(|values| variables(Json::Object(values)))
                .map_err(|why| sentence("Invalid scope", &format!("Line {number}: {why}"), name)),
        }
    }
}

/// Returns true if the first character that is not blank opens a list.
fn starts_list(reader: &mut impl BufRead) -> io::Result<bool> {
    loop {
        let buffer = reader.fill_buf()?;
        let blanks = buffer.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        match buffer.get(blanks) {
            Some(first) => return Ok(*first == b'['),
            None if buffer.is_empty() => return Ok(false),
            // Positions in diagnostics do not count these leading blanks.
            None => reader.consume(blanks),
        }
    }
}

fn line_of(line: &[u8], number: usize, name: &str) -> Scanned {
    // Files with marks may have been joined.
    input::without_mark(line)
        .map_err(|why| format!("The text cannot be read: {why}."))
        .and_then(|line| {
            // Without the line break, so that a text that ends early has the column of its end.
            serde_json::from_slice(line.trim_ascii_end())
                .map_err(|error| format!("{} at column {}.", reason(&error), error.column()))
        })
        .and_then(variables)
        .map_err(|why| sentence("Invalid scope", &format!("Line {number}: {why}"), name))
}

#[cfg(feature = "csv")]
fn refused(unread: table::Unread, name: &str) -> EarlyEnd {
    match unread {
        table::Unread::Failed(error) => unreadable(name, &error),
        table::Unread::Invalid(why) => EarlyEnd::Refused(format!("Cannot read {name}: {why}.")),
    }
}

#[cfg(feature = "csv")]
fn no_table(why: &str, name: &str) -> Diagnostics {
    sentence("Invalid scope", &format!("The table cannot be read: {why}."), name)
}

fn too_large(what: &str, why: &str, name: &str) -> Diagnostics {
    sentence("Scope too large", &format!("{what} cannot be used: {why}."), name)
}

/// Converts a JSON object to variables.
pub(crate) fn variables(json: Json) -> Result<GivenVariables, String> {
    let mut values = match json {
        Json::Object(values) => values,
        Json::Array(_) => {
            let many = "a list of scopes is a whole file for --scopes";
            return Err(format!("Expected a JSON object of variables, found an array; {many}."));
        }
        _ => return Err("Expected a JSON object of variables.".to_owned()),
    };
    let title = match values.shift_remove(TITLE) {
        None => None,
        Some(Json::String(title)) => Some(title),
        Some(_) => return Err(format!("The title \"{TITLE}\" must be a string.")),
    };
    Ok(GivenVariables { title, values })
}

/// Returns the message of a JSON error without its position.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let reason = text.rsplit_once(" at line ").map_or(text.as_str(), |(reason, _)| reason);
    reason.replace("EOF while parsing", "the text ends within")
}

/// Returns a diagnostic for a syntax error in JSON, with its position.
fn misplaced(error: &serde_json::Error, bytes: &[u8], name: &str) -> Diagnostics {
    let text = String::from_utf8_lossy(bytes);
    let line_start: usize =
        text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let mut at = (line_start + error.column().saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    // `LONGEST` bytes fit 32 bits.
    let at = u32::try_from(at).unwrap_or(u32::MAX);
    let source = Source::new(name, text.as_ref(), Vec::new());
    let why = match reason(error) {
        reason if reason == "trailing characters" => {
            "expected the end of the text; several scopes are one list, or one object on each line".to_owned()
        }
        reason if reason == "key must be a string" => "expected a name in double quotes".to_owned(),
        reason => reason,
    };
    let detail = format!("Invalid JSON: {why}.");
    let one = Diagnostic::error("Invalid scope", detail, Span::new(at, at));
    Diagnostics::new(Arc::new(source), vec![one])
}
