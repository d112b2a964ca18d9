//! The hclvm command: arguments and exit codes.
//!
//! | exit code | meaning |
//! |---|---|
//! | 0 | everything is fine |
//! | 1 | there were diagnostics |
//! | 2 | the command could not do what it was asked: arguments, files that cannot be read |
//!
//! Results go to the standard output, diagnostics to the standard error output. A reader that
//! closes the output early ends the command without complaint.

mod attribute_path;
mod check;
mod constraint;
mod disasm;
mod eval;
mod input;
mod notation;
mod options;
mod report;
mod scopes;
mod shown;

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Compiles HCL expressions to bytecode and runs them.
#[derive(Debug, Parser)]
#[command(name = "hclvm", version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Eval(eval::Arguments),
    Check(check::Arguments),
    Disasm(disasm::Arguments),
}

/// How a command ended that did what it was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// Without errors.
    Fine,
    /// With diagnostics that say what is wrong.
    Diagnosed,
}

/// Why a command ended before it did what it was asked.
#[derive(Debug)]
enum Stop {
    /// Nobody reads the output any more.
    Closed,
    /// A sentence for the person who gave the arguments.
    Refused(String),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::Refused(format!("The output cannot be written: {error}.")),
        }
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(arguments.command) {
        Ok(Outcome::Fine) | Err(Stop::Closed) => ExitCode::SUCCESS,
        Ok(Outcome::Diagnosed) => ExitCode::from(1),
        Err(Stop::Refused(sentence)) => {
            // With the error output gone too, the exit code is all that is left to say.
            let _ = writeln!(io::stderr(), "error: {sentence}");
            ExitCode::from(2)
        }
    }
}

fn run(command: Command) -> Result<Outcome, Stop> {
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let outcome = match command {
        Command::Eval(arguments) => eval::run(&arguments, &mut out),
        Command::Check(arguments) => check::run(&arguments, &mut out),
        Command::Disasm(arguments) => disasm::run(&arguments, &mut out),
    }?;
    out.flush()?;
    Ok(outcome)
}

/// The bytes of a file of the language.
fn read(path: &str) -> Result<Vec<u8>, Stop> {
    input::source(path).map_err(|error| Stop::Refused(format!("{path} cannot be read: {error}.")))
}
