//! Another process that makes tasks ready, gives results and times batches, as it is told through a
//! pipe. What it times does not contain the pipe.
//!
//! ```text
//! prepare ...  how many contenders, then a line for each: its name, or `!` and what is wrong
//! answer 2 7   the result of the third contender for the eighth scope, or `!` and what is wrong
//! run 2 1000   nanoseconds that 1000 evaluations of the third contender took
//! ```

use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

type Failure = Box<dyn Error>;

/// A process that was started. It ends with this.
#[derive(Debug)]
pub struct Process {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Process {
    /// Starts it.
    ///
    /// # Errors
    /// There is no such program.
    pub fn start(command: &mut Command) -> Result<Self, Failure> {
        let started = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = started.map_err(|error| format!("{}: {error}", command.get_program().display()))?;
        let input = child.stdin.take().ok_or("the process has no input")?;
        let output = BufReader::new(child.stdout.take().ok_or("the process has no output")?);
        Ok(Self { child, input, output })
    }

    /// Gives a command that has one line as its answer.
    ///
    /// # Errors
    /// What the process says is wrong, or its end.
    pub fn say(&mut self, command: &str) -> Result<String, Failure> {
        writeln!(self.input, "{command}")?;
        self.input.flush()?;
        self.hear()
    }

    /// Makes the contenders of a task ready, and gives their names.
    ///
    /// # Errors
    /// One that could not be made ready.
    pub fn prepare(&mut self, task: &str) -> Result<Vec<String>, Failure> {
        let count: usize = self.say(&format!("prepare {task}"))?.parse()?;
        (0..count).map(|_| self.hear()).collect()
    }

    /// The result of a contender for a scope, in the form that the process writes.
    ///
    /// # Errors
    /// A contender that has no result.
    pub fn answer(&mut self, contender: usize, scope: usize) -> Result<String, Failure> {
        self.say(&format!("answer {contender} {scope}"))
    }

    /// How long a contender takes for so many evaluations.
    ///
    /// # Errors
    /// The end of the process.
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
        // It ends with its input; what it says about that is of no interest any more.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
