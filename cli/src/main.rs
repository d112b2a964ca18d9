//! The hclvm command: its arguments and exit codes. Each subcommand has a file of its own; this is the
//! only crate of the workspace that deals with a terminal.
//!
//! | exit code | meaning |
//! |---|---|
//! | 0 | success |
//! | 1 | errors in files, scopes or evaluations |
//! | 2 | the arguments are invalid, or a file cannot be read |
//! | 3, 4 | only `decide`: a decision that does not allow, or is undecided |
//!
//! Results go to standard output, diagnostics to standard error. If the reader closes the output early,
//! the command ends silently.

mod advice;
mod application;
mod assigned;
mod attribute_path;
mod bench;
mod bindings;
mod check;
mod compile;
mod completions;
mod decide;
mod declared;
mod deps;
mod disasm;
mod eval;
mod evaluator;
mod explain;
mod fmt;
mod functions;
mod input;
mod limits;
mod lints;
#[cfg(feature = "lsp")]
mod lsp;
mod module_eval;
mod options;
mod outcome;
mod policy;
mod progress;
mod repl;
mod report;
mod rewrite;
mod scopes;
mod secrets;
mod shown;
mod specialize;
mod stream;
mod terraform_policy;
mod test;
mod texts;
mod unread;
mod usage;
mod watch;
mod why;

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use outcome::{CommandResult, EarlyEnd};

/// Compile HCL expressions to bytecode and run them
#[derive(Debug, Parser)]
#[command(name = "hclvm", version, arg_required_else_help = true)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Eval(eval::EvalArguments),
    Decide(decide::DecideArguments),
    Repl(repl::ReplArguments),
    Check(check::CheckArguments),
    Test(test::TestArguments),
    Policy(terraform_policy::PolicyCommand),
    Compile(compile::CompileArguments),
    Watch(watch::WatchArguments),
    Disasm(disasm::DisasmArguments),
    Specialize(specialize::SpecializeArguments),
    Explain(explain::ExplainArguments),
    Fmt(fmt::FmtArguments),
    Deps(deps::DepsArguments),
    Functions(functions::FunctionsArguments),
    Completions(completions::CompletionsArguments),
    #[command(hide = true)]
    Man(completions::ManArguments),
    Bench(bench::BenchArguments),
    #[cfg(feature = "lsp")]
    Lsp(lsp::LspArguments),
}

fn main() -> ExitCode {
    let arguments = match CommandLine::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            let given: Vec<String> =
                std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()).collect();
            usage::explained(error, &given).exit()
        }
    };
    match run(arguments.command) {
        Ok(CommandResult::Fine) | Err(EarlyEnd::Closed) => ExitCode::SUCCESS,
        Ok(CommandResult::Diagnosed) | Err(EarlyEnd::Diagnosed) => ExitCode::from(1),
        Ok(CommandResult::Unreadable) => ExitCode::from(2),
        Ok(CommandResult::Denied) => ExitCode::from(3),
        Ok(CommandResult::Undecided) => ExitCode::from(4),
        Err(EarlyEnd::Refused(sentence)) => {
            // If standard error is closed too, only the exit code reports the error.
            let _ = writeln!(io::stderr(), "error: {sentence}");
            ExitCode::from(2)
        }
    }
}

fn run(command: Command) -> Result<CommandResult, EarlyEnd> {
    #[cfg(feature = "lsp")]
    if let Command::Lsp(arguments) = &command {
        // It writes messages itself.
        return lsp::run(arguments);
    }
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let outcome = match command {
        Command::Eval(arguments) => eval::run(&arguments, &mut out),
        Command::Decide(arguments) => decide::run(&arguments, &mut out),
        Command::Repl(arguments) => repl::run(&arguments, &mut out),
        Command::Check(arguments) => check::run(&arguments, &mut out),
        Command::Test(arguments) => test::run(&arguments, &mut out),
        Command::Policy(arguments) => terraform_policy::run(&arguments, &mut out),
        Command::Compile(arguments) => compile::run(&arguments, &mut out),
        Command::Watch(arguments) => watch::run(&arguments, &mut out),
        Command::Disasm(arguments) => disasm::run(&arguments, &mut out),
        Command::Specialize(arguments) => specialize::run(&arguments, &mut out),
        Command::Explain(arguments) => explain::run(&arguments, &mut out),
        Command::Fmt(arguments) => fmt::run(&arguments, &mut out),
        Command::Functions(arguments) => functions::run(&arguments, &mut out),
        Command::Deps(arguments) => deps::run(&arguments, &mut out),
        Command::Completions(arguments) => completions::run(&arguments, &mut out),
        Command::Man(arguments) => completions::man(&arguments, &mut out),
        Command::Bench(arguments) => bench::run(&arguments, &mut out),
        #[cfg(feature = "lsp")]
        Command::Lsp(_) => Ok(CommandResult::Fine),
    }?;
    out.flush()?;
    Ok(outcome)
}
