//! Inputs from elsewhere than an edited line: read plainly, and continued while they are not complete.

use std::cell::RefCell;
use std::io::{self, BufReader, Stdin, Write};
use std::rc::Rc;

use hclvm::Limits;

use super::command::Input;
use super::environment::Environment;
use crate::input::{self, InputLine};
use crate::outcome::Stop;

/// Where inputs come from.
pub(super) enum Lines<'e> {
    Plain(PlainLines<'e>),
    #[cfg(feature = "line-editing")]
    Edited(Box<super::editor::Editing<'e>>),
}

impl Lines<'_> {
    /// Returns the next input, which is empty if it was cancelled; `None` at the end. Waits for it.
    pub(super) fn next(&mut self) -> Result<Option<String>, Stop> {
        match self {
            Self::Plain(lines) => lines.next(),
            #[cfg(feature = "line-editing")]
            Self::Edited(editing) => editing.next(),
        }
    }
}

/// Lines of standard input.
pub(super) struct PlainLines<'e> {
    environment: Rc<RefCell<Environment<'e>>>,
    reader: BufReader<Stdin>,
    /// True if the lines come from a terminal.
    prompts: bool,
}

impl<'e> PlainLines<'e> {
    pub(super) fn new(environment: &Rc<RefCell<Environment<'e>>>, prompts: bool) -> Self {
        Self { environment: Rc::clone(environment), reader: BufReader::new(io::stdin()), prompts }
    }

    fn next(&mut self) -> Result<Option<String>, Stop> {
        let mut entered = String::new();
        loop {
            if self.prompts {
                let mut out = io::stdout();
                write!(out, "{}", if entered.is_empty() { "hcl> " } else { "...  " })?;
                out.flush()?;
            }
            let unreadable = |why: &str| Stop::Refused(format!("Cannot read standard input: {why}."));
            match input::line(&mut self.reader).map_err(|error| unreadable(&error.to_string()))? {
                None if entered.is_empty() => return Ok(None),
                None => return Ok(Some(entered.trim_end().to_owned())),
                Some(InputLine::TooLong(_)) => return Err(unreadable("a line is too long")),
                Some(InputLine::Whole(line)) => {
                    let line = std::str::from_utf8(&line).map_err(|_| unreadable("a line is not UTF-8"))?;
                    entered += line;
                }
            }
            // A text beyond the limit is reported when it is compiled.
            let is_long = entered.len() > Limits::untrusted().source_bytes;
            let text = entered.strip_suffix('\n').unwrap_or(&entered);
            if is_long || !is_incomplete(text, &self.environment.borrow()) {
                return Ok(Some(text.to_owned()));
            }
        }
    }
}

/// Returns true if further lines could complete an input.
pub(super) fn is_incomplete(text: &str, environment: &Environment<'_>) -> bool {
    Input::of(text).expression().is_some_and(|expression| environment.is_incomplete(expression))
}
