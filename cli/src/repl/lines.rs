//! Inputs from elsewhere than an edited line: read plainly, and continued while they are not complete.

use std::cell::RefCell;
use std::io::{self, BufReader, Stdin, Write};
use std::rc::Rc;

use hclvm::Limits;

use super::command::ReplInput;
use super::environment::ReplEnvironment;
use crate::input::{self, InputLine};
use crate::outcome::EarlyEnd;

/// Bytes of an input up to which each line is asked whether it is the last one.
const SHORT: usize = 4 << 10;

/// Bytes of lines that may arrive at once: those of a pipe.
const BUFFER: usize = 64 << 10;

/// Where inputs come from.
pub(super) enum InputLines<'e> {
    Plain(PlainLines<'e>),
    #[cfg(feature = "line-editing")]
    Edited(Box<super::editor::Editing<'e>>),
}

impl InputLines<'_> {
    /// Returns the next input, which is empty if it was cancelled; `None` at the end. Waits for it.
    pub(super) fn next(&mut self) -> Result<Option<String>, EarlyEnd> {
        match self {
            Self::Plain(lines) => lines.next(),
            #[cfg(feature = "line-editing")]
            Self::Edited(editing) => editing.next(),
        }
    }
}

/// Lines of standard input.
///
/// An input ends with the first line with which it is not incomplete. Whether it is takes a pass over the whole input, so
/// a long one is asked again when it is twice as long: lines that have arrived by then are read ahead, and those behind
/// its end are given back.
pub(super) struct PlainLines<'e> {
    environment: Rc<RefCell<ReplEnvironment<'e>>>,
    reader: BufReader<Stdin>,
    /// Lines that were read ahead. They precede those of the reader.
    ahead: String,
    /// The bytes of `ahead` that were used.
    used: usize,
    /// True if the lines come from a terminal.
    prompts: bool,
}

impl<'e> PlainLines<'e> {
    pub(super) fn new(environment: &Rc<RefCell<ReplEnvironment<'e>>>, prompts: bool) -> Self {
        let reader = BufReader::with_capacity(BUFFER, io::stdin());
        Self { environment: Rc::clone(environment), reader, ahead: String::new(), used: 0, prompts }
    }

    fn next(&mut self) -> Result<Option<String>, EarlyEnd> {
        let mut entered = String::new();
        // The length that is known to be incomplete, and the ends of the lines since then.
        let (mut incomplete, mut ends) = (0, Vec::new());
        loop {
            if self.prompts {
                let mut out = io::stdout();
                write!(out, "{}", if entered.is_empty() { "hcl> " } else { "...  " })?;
                out.flush()?;
            }
            match self.line()? {
                None if entered.is_empty() => return Ok(None),
                None => return Ok(Some(entered.trim_end().to_owned())),
                Some(line) => entered += &line,
            }
            ends.push(entered.len());
            let is_soon = entered.len() > SHORT && entered.len() < 2 * incomplete;
            if is_soon && self.has_line() {
                continue;
            }
            if self.is_open(&entered) {
                incomplete = entered.len();
                ends.clear();
                continue;
            }
            // What is complete, or wrong, stays so with further lines.
            let first = ends.partition_point(|end| self.is_open(&entered[..*end]));
            let end = ends.get(first).copied().unwrap_or(entered.len());
            self.give_back(entered.split_off(end));
            return Ok(Some(without_break(&entered).to_owned()));
        }
    }

    /// Returns true if further lines could complete an input. A text beyond the limit is reported when it is compiled.
    fn is_open(&self, entered: &str) -> bool {
        entered.len() <= Limits::untrusted().source_bytes
            && is_incomplete(without_break(entered), &self.environment.borrow())
    }

    /// Returns the next line with its line break; `None` at the end.
    fn line(&mut self) -> Result<Option<String>, EarlyEnd> {
        if let Some(line) = self.ahead[self.used..].split_inclusive('\n').next() {
            self.used += line.len();
            return Ok(Some(line.to_owned()));
        }
        let unreadable = |why: &str| EarlyEnd::Refused(format!("Cannot read standard input: {why}."));
        match input::line(&mut self.reader).map_err(|error| unreadable(&error.to_string()))? {
            None => Ok(None),
            Some(InputLine::TooLong(_)) => Err(unreadable("a line is too long")),
            Some(InputLine::Whole(line)) => {
                String::from_utf8(line).map(Some).map_err(|_| unreadable("a line is not UTF-8"))
            }
        }
    }

    /// Returns true if the next line has arrived.
    fn has_line(&self) -> bool {
        self.used < self.ahead.len() || self.reader.buffer().contains(&b'\n')
    }

    /// Gives back lines that were read.
    fn give_back(&mut self, lines: String) {
        if !lines.is_empty() {
            self.ahead = lines + &self.ahead[self.used..];
            self.used = 0;
        }
    }
}

fn without_break(text: &str) -> &str {
    text.strip_suffix('\n').unwrap_or(text)
}

/// Returns true if further lines could complete an input.
pub(super) fn is_incomplete(text: &str, environment: &ReplEnvironment<'_>) -> bool {
    ReplInput::of(text).expression().is_some_and(|expression| environment.is_incomplete(expression))
}
