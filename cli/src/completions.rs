//! `hclvm completions` and `hclvm man`: what shells and the manual know of the command, made from its arguments.

use std::io::Write;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::CommandLine;
use crate::outcome::{CommandResult, EarlyEnd};

/// Print the completions of a shell
#[derive(Args, Debug)]
#[command(
    arg_required_else_help = true,
    after_help = "\
Examples:
  hclvm completions bash > /etc/bash_completion.d/hclvm
  hclvm completions zsh > ~/.zfunc/_hclvm

Exit codes: 0 success, 2 invalid arguments."
)]
pub(crate) struct CompletionsArguments {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Print a page of the manual
#[derive(Args, Debug)]
#[command(after_help = "\
Example: hclvm man eval > hclvm-eval.1

Exit codes: 0 success, 2 invalid arguments.")]
pub(crate) struct ManArguments {
    /// The subcommand; without it, the page describes the whole command
    #[arg(value_name = "COMMAND")]
    command: Option<String>,
}

/// Prints the completions of a shell.
pub(crate) fn run(arguments: &CompletionsArguments, out: &mut impl Write) -> Result<CommandResult, EarlyEnd> {
    let mut command = CommandLine::command();
    let name = command.get_name().to_owned();
    // Written at once: the generator panics if it cannot write.
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, name, &mut script);
    out.write_all(&script)?;
    Ok(CommandResult::Fine)
}

/// Prints a page of the manual.
pub(crate) fn man(arguments: &ManArguments, out: &mut impl Write) -> Result<CommandResult, EarlyEnd> {
    let mut command = CommandLine::command();
    // Gives subcommands their whole names.
    command.build();
    let page = match &arguments.command {
        None => command,
        Some(name) => {
            let found = command.find_subcommand(name).cloned();
            found
                .ok_or_else(|| EarlyEnd::Refused(format!("There is no command `{name}`. See hclvm help.")))?
        }
    };
    let source = concat!("hclvm ", env!("CARGO_PKG_VERSION"));
    clap_mangen::Man::new(page).source(source).render(out)?;
    Ok(CommandResult::Fine)
}
