//! Carries out inputs and prints their results.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::time::Duration;

use hclvm::show;
use hclvm::value::Arena;
use hclvm::{Diagnostics, OwnedValue, Value};

use super::command::{Action, Input, help};
use super::environment::Environment;
use super::paint::Painted;
use crate::advice;
use crate::bench::{Sample, repeats, time};
use crate::outcome::Stop;
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
enum Failure {
    Problems(Vec<Diagnostics>),
    Stopped(Stop),
}

impl<E: Into<Stop>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Stopped(error.into())
    }
}

impl From<Vec<Diagnostics>> for Failure {
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
        environment: &mut Environment<'_>,
    ) -> Result<ControlFlow<()>, Stop> {
        let input = Input::of(text);
        if input == Input::Command(Action::Quit, "") {
            return Ok(ControlFlow::Break(()));
        }
        let carried_out = self.carry_out(&input, environment);
        self.out.flush()?;
        match carried_out {
            Ok(()) => {}
            Err(Failure::Problems(_)) if environment.is_cancelled() => {
                // If standard error is closed, the note is not wanted.
                let _ = writeln!(io::stderr(), "note: cancelled");
            }
            Err(Failure::Problems(problems)) => {
                let format = environment.options().diagnostics;
                for one in &problems {
                    format.print(one);
                }
                advice::print(format, &problems, Some("{} = VALUE"));
                self.failed = true;
            }
            Err(Failure::Stopped(Stop::Refused(sentence))) => {
                // If standard error is closed, the exit code reports the error.
                let _ = writeln!(io::stderr(), "error: {sentence}");
                self.failed = true;
            }
            Err(Failure::Stopped(Stop::Diagnosed)) => self.failed = true,
            Err(Failure::Stopped(Stop::Closed)) => return Err(Stop::Closed),
        }
        Ok(ControlFlow::Continue(()))
    }

    fn carry_out(&mut self, input: &Input<'_>, environment: &mut Environment<'_>) -> Result<(), Failure> {
        match input {
            Input::Blank | Input::Command(Action::Quit | Action::Set, _) => {}
            Input::Refused(sentence) => return Err(Stop::Refused(sentence.clone()).into()),
            Input::Expression(text) => environment.evaluate(text, |value| self.show(value))??,
            Input::Assignment(name, text) => {
                let value = environment.evaluate(text, OwnedValue::new)?;
                environment.bindings.set(name, value.get());
                self.show(value.get())?;
            }
            Input::Command(Action::Type, text) => {
                let ty = environment.evaluate(text, type_of)?;
                writeln!(self.out, "{ty}")?;
            }
            Input::Command(Action::Why, text) => write!(self.out, "{}", environment.why(text)?)?,
            Input::Command(Action::Code, text) => {
                let (program, _) = environment.prepare(text)?;
                disasm::show_program("expression", program, self.out)?;
            }
            Input::Command(Action::Bench, text) => self.bench(text, environment)?,
            Input::Command(Action::Scope, "") => {
                for (name, value) in environment.bindings.iter() {
                    writeln!(self.out, "{name} = {}", show::line(value))?;
                }
            }
            Input::Command(Action::Scope, path) => {
                environment.add_scope(path)?.map_err(|problems| vec![problems])?;
            }
            Input::Command(Action::Load, path) => environment.load(path)??,
            Input::Command(Action::Functions, name) => {
                functions::show(Some(*name).filter(|name| !name.is_empty()), self.out)?;
            }
            Input::Command(Action::Help, _) => write!(self.out, "{}", help())?,
        }
        Ok(())
    }

    /// Prints a value.
    fn show(&mut self, value: Value<'_>) -> Result<(), Failure> {
        let written = if self.colored {
            write_by(Painted::new(), &shown(value), &mut self.buffer)
        } else {
            write(OutputFormat::Pretty, &shown(value), &mut self.buffer)
        };
        written.map_err(|why| Stop::Refused(format!("The value cannot be shown: {why}.")))?;
        self.out.write_all(&self.buffer)?;
        Ok(())
    }

    /// Times an expression. The parts of a file that it uses are evaluated once, before.
    fn bench(&mut self, text: &str, environment: &mut Environment<'_>) -> Result<(), Failure> {
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
