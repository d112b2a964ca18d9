//! Where scopes come from: a file of one, a file of one a line, or a file with a list.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;

use hclvm::diagnostics::{Source, Span};
use hclvm::{Diagnostic, Diagnostics};
use serde_json::{Map, Value as Json};

use crate::Stop;
use crate::input::{self, LONGEST, Line};
use crate::report::sentence;

/// The member of a scope that is its title instead of a variable.
const TITLE: &str = "$name";

/// The name that stands for the standard input.
const STANDARD_INPUT: &str = "-";

/// Variables by name.
#[derive(Debug, Default)]
pub(crate) struct Variables {
    /// What the scope is called in its result.
    pub(crate) title: Option<String>,
    /// The variables as JSON.
    pub(crate) values: Map<String, Json>,
}

/// Variables, or what is wrong with their text.
pub(crate) type Scanned = Result<Variables, Diagnostics>;

fn open(path: &str) -> Result<Box<dyn Read + Send>, Stop> {
    if path == STANDARD_INPUT {
        return Ok(Box::new(io::stdin()));
    }
    let file = File::open(path).map_err(|error| unreadable(path, &error))?;
    Ok(Box::new(file))
}

fn unreadable(path: &str, error: &io::Error) -> Stop {
    let name = display_name(path);
    Stop::Refused(format!("{name} cannot be read: {error}."))
}

/// What a file of scopes is called in diagnostics.
pub(crate) fn display_name(path: &str) -> &str {
    if path == STANDARD_INPUT { "standard input" } else { path }
}

/// The one scope of a file.
pub(crate) fn one(path: &str) -> Result<Scanned, Stop> {
    let name = display_name(path);
    let bytes = input::up_to(open(path)?, LONGEST).map_err(|error| unreadable(path, &error))?;
    if let Err(why) = input::check_size(&bytes) {
        return Ok(Err(too_large("The scope", &why, name)));
    }
    Ok(serde_json::from_slice(&bytes)
        .map_err(|error| misplaced(&error, &bytes, name))
        .and_then(|json| variables(json).map_err(|why| sentence("Invalid scope", &why, name))))
}

/// The scopes of a file, one after the other.
pub(crate) enum Scopes {
    /// A file with a list, read as a whole.
    List {
        /// What the file is called.
        name: String,
        /// The scopes that are left.
        items: std::vec::IntoIter<Json>,
        /// How many were taken.
        taken: usize,
    },
    /// One scope a line; only lines that are worked on are in memory.
    Lines {
        /// What the file is called.
        name: String,
        /// The lines that are left.
        reader: BufReader<Box<dyn Read + Send>>,
        /// How many were taken.
        taken: usize,
        /// Whether the last one was too long, and its end is still to come.
        unended: bool,
    },
}

impl Scopes {
    /// Opens a file of scopes. Whether it is a list is told by its first character.
    pub(crate) fn open(path: &str) -> Result<Result<Self, Diagnostics>, Stop> {
        let name = display_name(path).to_owned();
        let mut reader = BufReader::with_capacity(1 << 16, open(path)?);
        if !starts_list(&mut reader).map_err(|error| unreadable(path, &error))? {
            return Ok(Ok(Self::Lines { name, reader, taken: 0, unended: false }));
        }
        let bytes = input::up_to(reader, LONGEST).map_err(|error| unreadable(path, &error))?;
        if let Err(why) = input::check_size(&bytes) {
            return Ok(Err(too_large("The list (scopes can be written one a line instead)", &why, &name)));
        }
        Ok(match serde_json::from_slice::<Vec<Json>>(&bytes) {
            Ok(items) => Ok(Self::List { name, items: items.into_iter(), taken: 0 }),
            Err(error) => Err(misplaced(&error, &bytes, &name)),
        })
    }

    /// What the file is called.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::List { name, .. } | Self::Lines { name, .. } => name,
        }
    }

    /// Scopes that are there: at least one, unless the file ends here, and no more than are worked
    /// on at a time. Only the first is waited for. Each has a result of about `result` bytes.
    pub(crate) fn next(&mut self, result: usize) -> Result<Group, Stop> {
        let mut group = Group { texts: Vec::new(), waits: false };
        let (mut bytes, most) = (0, (GROUP_BYTES / result.max(1)).clamp(1, GROUP));
        while group.texts.len() < most && bytes < GROUP_BYTES && !group.waits {
            let Some(text) = self.next_text()? else { break };
            bytes += text.len();
            group.texts.push(text);
            group.waits = self.may_wait();
        }
        Ok(group)
    }

    /// Whether the next scope has to be waited for, so that finished results should go out first.
    fn may_wait(&self) -> bool {
        match self {
            Self::List { .. } => false,
            Self::Lines { reader, .. } => !reader.buffer().contains(&b'\n'),
        }
    }

    fn next_text(&mut self) -> Result<Option<Text>, Stop> {
        match self {
            Self::List { items, taken, .. } => {
                *taken += 1;
                Ok(items.next().map(|json| Text::Item(json, *taken)))
            }
            Self::Lines { name, reader, taken, unended } => loop {
                if std::mem::take(unended) {
                    input::pass_line(reader).map_err(|error| unreadable(name, &error))?;
                }
                *taken += 1;
                match input::line(reader).map_err(|error| unreadable(name, &error))? {
                    None => return Ok(None),
                    Some(Line::TooLong(ended)) => {
                        *unended = !ended;
                        return Ok(Some(Text::TooLong(*taken)));
                    }
                    Some(Line::Whole(line)) if line.trim_ascii().is_empty() => {}
                    Some(Line::Whole(line)) => return Ok(Some(Text::Line(line, *taken))),
                }
            },
        }
    }
}

/// Scopes that are evaluated one after the other by one thread.
const GROUP: usize = 32;
/// Bytes of lines, or of results, from which on a group is large enough.
pub(crate) const GROUP_BYTES: usize = 64 << 10;

/// Scopes that follow each other.
#[derive(Debug)]
pub(crate) struct Group {
    /// What they were written as.
    pub(crate) texts: Vec<Text>,
    /// Whether the scope after them has to be waited for.
    pub(crate) waits: bool,
}

/// What a scope was written as, with its number.
#[derive(Debug)]
pub(crate) enum Text {
    /// An item of a list.
    Item(Json, usize),
    /// A line.
    Line(Vec<u8>, usize),
    /// A line that was too long to keep.
    TooLong(usize),
}

impl Text {
    /// Bytes, as far as they are of any weight here: a list is in memory anyway.
    fn len(&self) -> usize {
        match self {
            Self::Item(..) | Self::TooLong(_) => 0,
            Self::Line(line, _) => line.len(),
        }
    }

    /// Its variables; `name` is what its file is called.
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
        }
    }
}

/// Whether the first character that is no blank opens a list.
fn starts_list(reader: &mut impl BufRead) -> io::Result<bool> {
    loop {
        let buffer = reader.fill_buf()?;
        let blanks = buffer.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        match buffer.get(blanks) {
            Some(first) => return Ok(*first == b'['),
            None if buffer.is_empty() => return Ok(false),
            // Blanks at the start only shift the positions in reports of this odd file.
            None => reader.consume(blanks),
        }
    }
}

fn line_of(line: &[u8], number: usize, name: &str) -> Scanned {
    serde_json::from_slice(line)
        .map_err(|error| format!("{} at column {}.", reason(&error), error.column()))
        .and_then(variables)
        .map_err(|why| sentence("Invalid scope", &format!("Line {number}: {why}"), name))
}

fn too_large(what: &str, why: &str, name: &str) -> Diagnostics {
    sentence("Scope too large", &format!("{what} cannot be used: {why}."), name)
}

/// A JSON object as variables.
fn variables(json: Json) -> Result<Variables, String> {
    let Json::Object(mut values) = json else {
        return Err("A scope is a JSON object of variables.".to_owned());
    };
    let title = match values.shift_remove(TITLE) {
        None => None,
        Some(Json::String(title)) => Some(title),
        Some(_) => return Err(format!("The title \"{TITLE}\" of a scope is a text.")),
    };
    Ok(Variables { title, values })
}

/// What a JSON reader has to say, without its own account of the place.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or(text.clone(), |(reason, _)| reason.to_owned())
}

/// A syntax error of a JSON text, shown at its place.
fn misplaced(error: &serde_json::Error, bytes: &[u8], name: &str) -> Diagnostics {
    let text = String::from_utf8_lossy(bytes);
    let line_start: usize =
        text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let mut at = (line_start + error.column().saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let source = Source::new(name, text.as_ref(), Vec::new());
    let detail = format!("This is not JSON: {}.", reason(error));
    let one = Diagnostic::error("Invalid scope", detail, Span::new(at as u32, at as u32));
    Diagnostics::new(Arc::new(source), vec![one])
}
