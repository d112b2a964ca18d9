//! The other processes as clients: sends them tasks and parses their answers. `guest` is the server side.

use std::process::Command;
use std::time::Duration;

use hclvm_workloads::process::Process;
use hclvm_workloads::{DECISION, body, reference};

use crate::Failure;
use crate::answer::Answer;
use crate::peers::wanted;
use crate::task::Task;

/// One of the other processes.
#[derive(Debug)]
pub struct Guest {
    process: Process,
    kind: Kind,
    /// Factor by which its batches are longer than those of others.
    pub stretch: u32,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    /// `peers-plain`, which knows the tasks by name.
    Plain,
    /// The reference, which is sent the whole task and answers in JSON.
    Reference,
}

impl Guest {
    /// Starts `peers-plain`, found beside this program, with these of its peers.
    pub fn plain(peers: &[String]) -> Result<Self, Failure> {
        let program = std::env::current_exe()?.with_file_name("peers-plain");
        let process = Process::start(Command::new(program).args(peers))
            .map_err(|failure| format!("{failure}; benches/peers/run builds it"))?;
        Ok(Self { process, kind: Kind::Plain, stretch: 1 })
    }

    /// Starts the reference, if it is among these peers and has been built.
    pub fn reference(peers: &[String]) -> Result<Option<Self>, Failure> {
        if !wanted(reference::NAME, peers) {
            return Ok(None);
        }
        let started = reference::start()?;
        Ok(started.map(|process| Self { process, kind: Kind::Reference, stretch: reference::STRETCH }))
    }

    /// Returns the versions that the reference was built from, `None` for another process.
    pub fn about(&mut self) -> Result<Option<String>, Failure> {
        match self.kind {
            Kind::Plain => Ok(None),
            Kind::Reference => self.process.say("about").map(Some),
        }
    }

    /// Prepares its contenders and returns their names.
    pub fn prepare(&mut self, task: Task) -> Result<Vec<String>, Failure> {
        match self.kind {
            Kind::Plain => self.process.prepare(task.name()),
            Kind::Reference => self.process.prepare(&described(task)),
        }
    }

    /// Returns the result of a contender for a scope.
    pub fn answer(&mut self, contender: usize, scope: usize) -> Result<Answer, Failure> {
        let answer = self.process.answer(contender, scope)?;
        match self.kind {
            Kind::Plain => Ok(Answer(answer)),
            Kind::Reference => Answer::of(serde_json::from_str::<serde_json::Value>(&answer)?),
        }
    }

    /// Returns the time a contender takes for this number of evaluations.
    pub fn time(&mut self, contender: usize, evaluations: u64) -> Result<Duration, Failure> {
        self.process.time(contender, evaluations)
    }
}

fn described(task: Task) -> String {
    let (kind, text) = match task {
        Task::Expression(workload) => ("expression", workload.text()),
        Task::Body => ("body", body::text()),
        Task::Compile => ("parse", body::text()),
        Task::Request => ("request", DECISION.to_owned()),
    };
    reference::task(kind, &text, &task.scopes())
}
