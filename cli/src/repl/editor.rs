//! Edited lines: history, completion of names, hints, and cancelling by Ctrl-C.

use std::borrow::Cow;
use std::cell::RefCell;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use etcetera::{BaseStrategy, choose_base_strategy};
use rustyline::completion::{Completer, FilenameCompleter, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::{Hint, Hinter};
use rustyline::history::FileHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{ColorMode, CompletionType, Config, Context, Editor, Helper};
use signal_hook::consts::SIGINT;

use super::complete::{self, Completions};
use super::environment::ReplEnvironment;
use super::lines::is_incomplete;
use crate::outcome::EarlyEnd;
use crate::report::colored_output;

/// Inputs of the history that are kept.
const KEPT: usize = 1_000;

/// Returns the usual file of the history; `None` if the user has no folder for it.
pub(super) fn usual_history() -> Option<PathBuf> {
    let folders = choose_base_strategy().ok()?;
    // Windows has no folder for states.
    let folder = folders.state_dir().unwrap_or_else(|| folders.data_dir());
    Some(folder.join("hclvm").join("history"))
}

/// An editor on the terminal.
pub(super) struct Editing<'e> {
    editor: Editor<Assistant<'e>, FileHistory>,
    /// The file of the history, unless none is kept.
    history: Option<PathBuf>,
    cancelled: Arc<AtomicBool>,
}

impl<'e> Editing<'e> {
    pub(super) fn new(
        environment: &Rc<RefCell<ReplEnvironment<'e>>>,
        history: Option<PathBuf>,
    ) -> Result<Self, EarlyEnd> {
        let unusable = |error: ReadlineError| EarlyEnd::Refused(format!("Cannot edit lines here: {error}."));
        let cancelled = Arc::clone(environment.borrow().cancelled());
        let config = Config::builder()
            .completion_type(CompletionType::List)
            .history_ignore_space(true)
            .auto_add_history(true)
            .color_mode(if colored_output() { ColorMode::Enabled } else { ColorMode::Disabled })
            .max_history_size(KEPT)
            .map_err(unusable)?
            .build();
        let history_of_session = FileHistory::with_config(&config);
        let mut editor = Editor::with_history(config, history_of_session).map_err(unusable)?;
        // After the editor has set its own handler, which this one calls.
        signal_hook::flag::register(SIGINT, Arc::clone(&cancelled))
            .map_err(|error| unusable(error.into()))?;
        let (environment, files) = (Rc::clone(environment), FilenameCompleter::new());
        editor.set_helper(Some(Assistant { environment, files }));
        let mut editing = Self { editor, history, cancelled };
        if let Some(path) = &editing.history
            && let Err(error) = open_history(&mut editing.editor, path)
        {
            // If standard error is closed, the session works without the note.
            let _ = writeln!(io::stderr(), "note: no history is kept: {}: {error}", path.display());
            editing.history = None;
        }
        Ok(editing)
    }

    pub(super) fn next(&mut self) -> Result<Option<String>, EarlyEnd> {
        // A later interrupt belongs to the input that is read now.
        self.cancelled.store(false, Ordering::Relaxed);
        match self.editor.readline("hcl> ") {
            Ok(text) => {
                if let Some(path) = &self.history
                    && let Err(error) = self.editor.append_history(path)
                {
                    let _ =
                        writeln!(io::stderr(), "note: the history is not kept: {}: {error}", path.display());
                    self.history = None;
                }
                Ok(Some(text))
            }
            Err(ReadlineError::Interrupted) => Ok(Some(String::new())),
            Err(ReadlineError::Eof) => Ok(None),
            Err(error) => Err(EarlyEnd::Refused(format!("Cannot read the terminal: {error}."))),
        }
    }
}

/// Reads a history and makes sure that it can be written.
fn open_history<H: Helper>(editor: &mut Editor<H, FileHistory>, path: &Path) -> Result<(), ReadlineError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    match editor.load_history(path) {
        Err(ReadlineError::Io(error)) if error.kind() == io::ErrorKind::NotFound => editor.save_history(path),
        loaded => loaded,
    }
}

/// What the editor asks while a line is entered.
struct Assistant<'e> {
    environment: Rc<RefCell<ReplEnvironment<'e>>>,
    files: FilenameCompleter,
}

impl Helper for Assistant<'_> {}

impl Completer for Assistant<'_> {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        pos: usize,
        context: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        match complete::candidates(&line[..pos], &mut self.environment.borrow_mut()) {
            Completions::Files => self.files.complete(line, pos, context),
            Completions::Names(start, names) => {
                let pair = |(replacement, display)| Pair { display, replacement };
                Ok((start, names.into_iter().map(pair).collect()))
            }
        }
    }
}

/// The signature of a function whose arguments are entered. It is not inserted.
struct Signature(String);

impl Hint for Signature {
    fn display(&self) -> &str {
        &self.0
    }

    fn completion(&self) -> Option<&str> {
        None
    }
}

impl Hinter for Assistant<'_> {
    type Hint = Signature;

    fn hint(&self, line: &str, pos: usize, _: &Context<'_>) -> Option<Signature> {
        let is_at_end = pos == line.len();
        let name = complete::called(line).filter(|_| is_at_end)?;
        let environment = self.environment.borrow();
        let function = environment.functions().get(name)?;
        Some(Signature(format!("   {}", function.typed_signature(name))))
    }
}

impl Highlighter for Assistant<'_> {
    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        Cow::Owned(format!("\x1b[2m{hint}\x1b[0m"))
    }
}

impl Validator for Assistant<'_> {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        Ok(if is_incomplete(context.input(), &self.environment.borrow()) {
            ValidationResult::Incomplete
        } else {
            ValidationResult::Valid(None)
        })
    }
}
