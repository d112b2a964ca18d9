//! What an input asks for: an expression, an assignment, or a command with a colon.

use std::fmt::Write;

use hclvm::diagnostics::nearest;
use hclvm::syntax::is_identifier;

/// What a command does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Type,
    Why,
    Code,
    Bench,
    Set,
    Scope,
    Load,
    Functions,
    Help,
    Quit,
}

/// What follows the name of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CommandArgument {
    Nothing,
    Expression,
    Assignment,
    File,
    Function,
}

/// A command.
#[derive(Debug)]
pub(super) struct ReplCommand {
    /// Its name, with the colon.
    pub(super) name: &'static str,
    action: Action,
    pub(super) takes: CommandArgument,
    /// What follows the name, as the help shows it.
    argument: &'static str,
    summary: &'static str,
}

pub(super) const COMMANDS: [ReplCommand; 10] = {
    const fn command(
        name: &'static str,
        action: Action,
        takes: CommandArgument,
        argument: &'static str,
        summary: &'static str,
    ) -> ReplCommand {
        ReplCommand { name, action, takes, argument, summary }
    }
    [
        command(":type", Action::Type, CommandArgument::Expression, "EXPR", "the type of a value"),
        command(":why", Action::Why, CommandArgument::Expression, "EXPR", "which conditions decide a value"),
        command(":code", Action::Code, CommandArgument::Expression, "EXPR", "the code of an expression"),
        command(":bench", Action::Bench, CommandArgument::Expression, "EXPR", "the time of an evaluation"),
        command(
            ":set",
            Action::Set,
            CommandArgument::Assignment,
            "NAME = EXPR",
            "set a variable, also without :set",
        ),
        command(
            ":scope",
            Action::Scope,
            CommandArgument::File,
            "[FILE]",
            "show the variables, or set those of a file",
        ),
        command(
            ":load",
            Action::Load,
            CommandArgument::File,
            "FILE",
            "use the locals, attributes and blocks of a file",
        ),
        command(
            ":functions",
            Action::Functions,
            CommandArgument::Function,
            "[NAME]",
            "list the functions, or describe one",
        ),
        command(":help", Action::Help, CommandArgument::Nothing, "", "this list"),
        command(":quit", Action::Quit, CommandArgument::Nothing, "", "end, as Ctrl-D does"),
    ]
};

/// An input.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ReplInput<'t> {
    /// Nothing but comments.
    Blank,
    /// An expression.
    Expression(&'t str),
    /// A variable and the expression of its value.
    Assignment(&'t str, &'t str),
    /// A command and its argument, which is empty if there is none.
    Command(Action, &'t str),
    /// None of these, with the reason.
    Refused(String),
}

impl<'t> ReplInput<'t> {
    /// Reads an input.
    pub(super) fn of(text: &'t str) -> Self {
        let trimmed = text.trim();
        if !trimmed.starts_with(':') {
            let is_comment = |line: &str| line.is_empty() || line.starts_with('#') || line.starts_with("//");
            if trimmed.lines().all(|line| is_comment(line.trim())) {
                return Self::Blank;
            }
            // As other consoles have it; a variable of this name is read in brackets.
            match trimmed {
                "exit" | "quit" => return Self::Command(Action::Quit, ""),
                "help" => return Self::Command(Action::Help, ""),
                _ => {}
            }
            return assignment(text).unwrap_or(Self::Expression(text));
        }
        let (name, argument) = trimmed.split_once(char::is_whitespace).unwrap_or((trimmed, ""));
        let argument = argument.trim_start();
        let Some(command) = find(name) else {
            let near = nearest(name, COMMANDS.iter().map(|command| command.name));
            let hint = near
                .map_or("`:help` lists the commands.".to_owned(), |near| format!("Did you mean `{near}`?"));
            return Self::Refused(format!("There is no command `{name}`. {hint}"));
        };
        match command.takes {
            CommandArgument::Assignment => assignment(argument).unwrap_or_else(|| command.misused()),
            CommandArgument::Expression if argument.is_empty() => command.misused(),
            CommandArgument::Nothing if !argument.is_empty() => command.misused(),
            _ if command.action == Action::Load && argument.is_empty() => command.misused(),
            _ => Self::Command(command.action, argument),
        }
    }

    /// Returns the expression in an input, which may not be complete yet.
    pub(super) fn expression(&self) -> Option<&'t str> {
        match self {
            Self::Expression(text)
            | Self::Assignment(_, text)
            | Self::Command(Action::Type | Action::Why | Action::Code | Action::Bench, text) => Some(text),
            _ => None,
        }
    }
}

impl ReplCommand {
    fn misused<'t>(&self) -> ReplInput<'t> {
        ReplInput::Refused(format!("Write {} {}.", self.name, self.argument).replace(" .", "."))
    }
}

/// Returns the command of a name, or of the beginning of one name alone.
fn find(name: &str) -> Option<&'static ReplCommand> {
    let mut beginning = COMMANDS.iter().filter(|command| command.name.starts_with(name) && name.len() > 1);
    let exact = COMMANDS.iter().find(|command| command.name == name);
    exact.or_else(|| beginning.next().filter(|_| beginning.next().is_none()))
}

/// Splits `NAME = EXPR`; `None` if the text is something else, such as a comparison.
fn assignment(text: &str) -> Option<ReplInput<'_>> {
    let (name, value) = text.split_once('=')?;
    let name = name.trim();
    if value.starts_with(['=', '>']) || !is_identifier(name) {
        return None;
    }
    if matches!(name, "true" | "false" | "null") {
        return Some(ReplInput::Refused(format!("`{name}` is a value, not the name of a variable.")));
    }
    Some(ReplInput::Assignment(name, value.trim_start()))
}

/// Returns the list of commands.
pub(super) fn help() -> String {
    let mut text = String::from("An expression is evaluated; NAME = EXPR sets a variable; exit ends.\n\n");
    for ReplCommand { name, argument, summary, .. } in &COMMANDS {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{:24}{summary}", format!("{name} {argument}"));
    }
    text
}
