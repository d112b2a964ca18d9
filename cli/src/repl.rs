//! `hclvm repl`: evaluates expressions as they are entered, with variables and the values of a file.
//!
//! `command` reads an input, `session` carries it out, `environment` holds the variables and `loaded` the file.
//! Inputs come from `lines`, on a terminal from `editor`.

mod command;
#[cfg(feature = "line-editing")]
mod complete;
#[cfg(feature = "line-editing")]
mod editor;
mod environment;
mod incomplete;
mod lines;
mod loaded;
mod paint;
mod session;

use std::cell::RefCell;
use std::io::{self, IsTerminal, Write};
use std::rc::Rc;

use clap::Args;

use crate::application::Assignment;
use crate::input;
use crate::options::CommandOptions;
use crate::outcome::{CommandResult, EarlyEnd};
use crate::report::diagnostics_of;
use environment::ReplEnvironment;
use lines::{InputLines, PlainLines};
use session::Answering;

/// Evaluate expressions as they are entered
#[derive(Args, Debug)]
#[command(after_help = "\
Input is an expression, NAME = EXPR to set a variable, or a command such as :type EXPR. An incomplete
expression continues on the next line. With a file, its locals, attributes and blocks are values:
local.risk, rule.allow-owner.when. :help lists the commands.

On a terminal, lines are edited, Tab completes names, Ctrl-C cancels an input or an evaluation, and Ctrl-D
ends. Lines from elsewhere are read without prompts, and the exit code is 1 if one of them has errors.

Examples:
  hclvm repl policy.hcl --scope request.json
  echo 'upper(user)' | hclvm repl --var user=bob

Exit codes: 0 success, 1 errors found, 2 invalid arguments or a file that cannot be read.")]
pub(crate) struct ReplArguments {
    /// The file to load, or a folder
    #[arg(value_name = "FILE")]
    file: Option<String>,

    /// File with variables as a JSON object
    #[arg(long, value_name = "FILE")]
    scope: Option<String>,

    /// Set a variable, as for eval
    #[arg(long = "var", value_name = "NAME=VALUE", value_parser = Assignment::parse)]
    variables: Vec<Assignment>,

    /// File of the history [default: hclvm/history in the folder for the state of programs]
    #[cfg(feature = "line-editing")]
    #[arg(long, value_name = "FILE", conflicts_with = "no_history")]
    history: Option<std::path::PathBuf>,

    /// Keep no history. Input that begins with a space is never kept
    #[cfg(feature = "line-editing")]
    #[arg(long)]
    no_history: bool,

    #[command(flatten)]
    options: CommandOptions,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &ReplArguments, out: &mut impl Write) -> Result<CommandResult, EarlyEnd> {
    if [&arguments.file, &arguments.scope].iter().any(|path| path.as_deref() == Some(input::STANDARD_INPUT)) {
        return Err(EarlyEnd::Refused("Standard input has the expressions; name a file.".to_owned()));
    }
    let mut environment = ReplEnvironment::new(&arguments.options)?;
    let mut prepare = || -> Result<Result<(), Vec<hclvm::Diagnostics>>, EarlyEnd> {
        if let Some(path) = &arguments.file
            && let Err(problems) = environment.load(path)?
        {
            return Ok(Err(problems));
        }
        if let Some(path) = &arguments.scope
            && let Err(problems) = environment.add_scope(path)?
        {
            return Ok(Err(vec![problems]));
        }
        for Assignment { name, json, .. } in &arguments.variables {
            if let Err(error) = environment.bindings.set_json(name, json) {
                return Ok(Err(vec![diagnostics_of(&error, name)]));
            }
        }
        Ok(Ok(()))
    };
    if let Err(problems) = prepare()? {
        for one in &problems {
            arguments.options.diagnostics.print(one);
        }
        return Ok(CommandResult::Diagnosed);
    }
    let interactive = io::stdin().is_terminal() && io::stdout().is_terminal();
    let environment = Rc::new(RefCell::new(environment));
    let mut lines = lines(arguments, &environment, interactive)?;
    let mut answering = Answering::new(out);
    if interactive {
        answering.greet()?;
    }
    while let Some(text) = lines.next()? {
        if answering.answer(&text, &mut environment.borrow_mut())?.is_break() {
            break;
        }
    }
    // People have seen the errors of a session, and have corrected what matters.
    Ok(if answering.failed && !interactive { CommandResult::Diagnosed } else { CommandResult::Fine })
}

#[cfg(feature = "line-editing")]
fn lines<'e>(
    arguments: &ReplArguments,
    environment: &Rc<RefCell<ReplEnvironment<'e>>>,
    interactive: bool,
) -> Result<InputLines<'e>, EarlyEnd> {
    if !interactive {
        return Ok(InputLines::Plain(PlainLines::new(environment, false)));
    }
    let history = match &arguments.history {
        _ if arguments.no_history => None,
        Some(path) => Some(path.clone()),
        None => editor::usual_history(),
    };
    Ok(InputLines::Edited(Box::new(editor::Editing::new(environment, history)?)))
}

#[cfg(not(feature = "line-editing"))]
fn lines<'e>(
    _: &ReplArguments,
    environment: &Rc<RefCell<ReplEnvironment<'e>>>,
    interactive: bool,
) -> Result<InputLines<'e>, EarlyEnd> {
    Ok(InputLines::Plain(PlainLines::new(environment, interactive)))
}
