//! Carries out inputs and prints their results.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::time::Duration;

use hclvm::show;
use hclvm::value::Arena;
use hclvm::{Diagnostics, OwnedValue, Value};

use super::command::{Action, ReplInput, help};
use super::environment::ReplEnvironment;
use super::paint::Painted;
use crate::advice;
use crate::bench::{Sample, repeats, time};
use crate::outcome::EarlyEnd;
use crate::report::{colored_output, diagnostics_of};
use crate::shown::{OutputFormat, shown, write, write_by};
use crate::{disasm, functions};

/// Rounds of a measurement, and the time of one: a third of a second in all.
const ROUNDS: usize = 15;
const ROUND: Duration = Duration::from_millis(20);

/// Answers inputs.
pub(super) struct Answering<'o, W> {
    out: &'o mut W,
    /// True if values have colours.
    colored: bool,
    buffer: Vec<u8>,
    /// True after an input with errors.
    pub(super) failed: bool,
}

/// Why an input has no answer.
enum InputFailure {
    Problems(Vec<Diagnostics>),
    Stopped(EarlyEnd),
}

impl<E: Into<EarlyEnd>> From<E> for InputFailure {
    fn from(error: E) -> Self {
        Self::Stopped(error.into())
    }
}

impl From<Vec<Diagnostics>> for InputFailure {
    fn from(problems: Vec<Diagnostics>) -> Self {
        Self::Problems(problems)
    }
}

impl<'o, W: Write> Answering<'o, W> {
    pub(super) fn new(out: &'o mut W) -> Self {
        Self { out, colored: colored_output(), buffer: Vec::new(), failed: false }
    }

    /// Reports how to begin.
    pub(super) fn greet(&mut self) -> io::Result<()> {
        writeln!(self.out, "hclvm {}. :help lists the commands.", env!("CARGO_PKG_VERSION"))?;
        self.out.flush()
    }

    /// Carries out an input. Breaks at the end of the session.
    pub(super) fn answer(
        &mut self,
        text: &str,
        environment: &mut ReplEnvironment<'_>,
    ) -> Result<ControlFlow<()>, EarlyEnd> {
        let input = ReplInput::of(text);
        if input == ReplInput::Command(Action::Quit, "") {
            return Ok(ControlFlow::Break(()));
        }
        let carried_out = self.carry_out(&input, environment);
        self.out.flush()?;
        match carried_out {
            Ok(()) => {}
            Err(InputFailure::Problems(_)) if environment.is_cancelled() => {
                // If standard error is closed, the note is not wanted.
                let _ = writeln!(io::stderr(), "note: cancelled");
            }
            Err(InputFailure::Problems(problems)) => {
                let format = environment.options().diagnostics;
                for one in &problems {
                    format.print(one);
                }
                advice::print(format, &problems, Some("{} = VALUE"));
                self.failed = true;
            }
            Err(InputFailure::Stopped(EarlyEnd::Refused(sentence))) => {
                // If standard error is closed, the exit code reports the error.
                let _ = writeln!(io::stderr(), "error: {sentence}");
                self.failed = true;
            }
            Err(InputFailure::Stopped(EarlyEnd::Diagnosed)) => self.failed = true,
            Err(InputFailure::Stopped(EarlyEnd::Closed)) => return Err(EarlyEnd::Closed),
        }
        Ok(ControlFlow::Continue(()))
    }

    fn carry_out(
        &mut self,
        input: &ReplInput<'_>,
        environment: &mut ReplEnvironment<'_>,
    ) -> Result<(), InputFailure> {
        match input {
            ReplInput::Blank | ReplInput::Command(Action::Quit | Action::Set, _) => {}
            ReplInput::Refused(sentence) => return Err(EarlyEnd::Refused(sentence.clone()).into()),
            ReplInput::Expression(text) => environment.evaluate(text, |value| self.show(value))??,
            ReplInput::Assignment(name, text) => {
                let value = environment.evaluate(text, OwnedValue::new)?;
                environment.bindings.set(name, value.get());
                self.show(value.get())?;
            }
            ReplInput::Command(Action::Type, text) => {
                let ty = environment.evaluate(text, type_of)?;
                writeln!(self.out, "{ty}")?;
            }
            ReplInput::Command(Action::Why, text) => write!(self.out, "{}", environment.why(text)?)?,
            ReplInput::Command(Action::Code, text) => {
                let (program, _) = environment.prepare(text)?;
                disasm::show_program("expression", program, self.out)?;
            }
            ReplInput::Command(Action::Bench, text) => self.bench(text, environment)?,
            ReplInput::Command(Action::Scope, "") => {
                for (name, value) in environment.bindings.iter() {
                    writeln!(self.out, "{name} = {}", show::line(value))?;
                }
            }
            ReplInput::Command(Action::Scope, path) => {
                environment.add_scope(path)?.map_err(|problems| vec![problems])?;
            }
            ReplInput::Command(Action::Load, path) => environment.load(path)??,
            ReplInput::Command(Action::Functions, name) => {
                functions::show(Some(*name).filter(|name| !name.is_empty()), self.out)?;
            }
            ReplInput::Command(Action::Help, _) => write!(self.out, "{}", help())?,
        }
        Ok(())
    }

    /// Prints a value.
    fn show(&mut self, value: Value<'_>) -> Result<(), InputFailure> {
        let written = if self.colored {
            write_by(Painted::new(), &shown(value), &mut self.buffer)
        } else {
            write(OutputFormat::Pretty, &shown(value), &mut self.buffer)
        };
        written.map_err(|why| EarlyEnd::Refused(format!("The value cannot be shown: {why}.")))?;
        self.out.write_all(&self.buffer)?;
        Ok(())
    }

    /// Times an expression. The parts of a file that it uses are evaluated once, before.
    fn bench(&mut self, text: &str, environment: &mut ReplEnvironment<'_>) -> Result<(), InputFailure> {
        let (program, scope) = environment.prepare(text)?;
        let mut last = Ok(());
        let mut run = || last = environment.run(&program, &scope);
        let count = repeats(&mut run, ROUND);
        let rounds: Vec<f64> = (0..ROUNDS).map(|_| time(&mut run, count)).collect();
        last.map_err(|error| diagnostics_of(&error, "expression").by_file())?;
        let Sample { median, spread } = Sample::of(rounds, 1);
        let percent = spread * 100.0;
        let line = format!(
            "{median:.1} ns a run, in {ROUNDS} rounds of {count} runs; they differ by {percent:.1} %"
        );
        writeln!(self.out, "{line}")?;
        Ok(())
    }
}

/// Returns the type of a value as text.
fn type_of(value: Value<'_>) -> String {
    let arena = Arena::new();
    let ty = value.type_of(&arena);
    show::type_text(ty).unwrap_or_else(|| ty.friendly_name().to_string())
}
