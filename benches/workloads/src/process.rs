//! A child process that prepares tasks, returns results and times batches on commands sent through a
//! pipe. Its timings do not include the pipe. [`crate::reference`] is one such process.
//!
//! ```text
//! prepare ...  number of contenders, then a line for each: its name, or `!` and the error
//! answer 2 7   result of the third contender for the eighth scope, or `!` and the error
//! run 2 1000   nanoseconds taken by 1000 evaluations of the third contender
//! ```

use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

type Failure = Box<dyn Error>;

/// A running child process. Dropping it kills the process.
#[derive(Debug)]
pub struct Process {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Process {
    /// Starts the process.
    ///
    /// # Errors
    /// The program does not exist or cannot be executed.
    pub fn start(command: &mut Command) -> Result<Self, Failure> {
        let started = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = started.map_err(|error| format!("{}: {error}", command.get_program().display()))?;
        let input = child.stdin.take().ok_or("the process has no input")?;
        let output = BufReader::new(child.stdout.take().ok_or("the process has no output")?);
        Ok(Self { child, input, output })
    }

    /// Sends a command and returns its one-line answer.
    ///
    /// # Errors
    /// The process reports an error, or has ended.
    pub fn say(&mut self, command: &str) -> Result<String, Failure> {
        writeln!(self.input, "{command}")?;
        self.input.flush()?;
        self.hear()
    }

    /// Prepares the contenders of a task and returns their names.
    ///
    /// # Errors
    /// A contender could not be prepared.
    pub fn prepare(&mut self, task: &str) -> Result<Vec<String>, Failure> {
        let count: usize = self.say(&format!("prepare {task}"))?.parse()?;
        // All lines are read even if one is an error, so that the next command gets its own answer.
        let names: Vec<_> = (0..count).map(|_| self.hear()).collect();
        names.into_iter().collect()
    }

    /// Returns the result of a contender for a scope, as written by the process.
    ///
    /// # Errors
    /// The contender fails in that scope.
    pub fn answer(&mut self, contender: usize, scope: usize) -> Result<String, Failure> {
        self.say(&format!("answer {contender} {scope}"))
    }

    /// Returns the time a contender takes for this number of evaluations.
    ///
    /// # Errors
    /// The process has ended.
    pub fn time(&mut self, contender: usize, evaluations: u64) -> Result<Duration, Failure> {
        Ok(Duration::from_nanos(self.say(&format!("run {contender} {evaluations}"))?.parse()?))
    }

    fn hear(&mut self) -> Result<String, Failure> {
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        if line.pop() != Some('\n') {
            return Err(format!("the other process ended: {:?}", self.child.wait()?).into());
        }
        match line.strip_prefix('!') {
            Some(failure) => Err(failure.into()),
            None => Ok(line),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The process may already be gone; a failure to stop it changes nothing.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
