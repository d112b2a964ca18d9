//! The other processes as clients: sends them tasks and parses their answers. `guest` is the server side.

use std::process::Command;
use std::time::Duration;

use hclvm_workloads::process::Process;
use hclvm_workloads::{body, reference, rules};
use serde_json::json;

use crate::Failure;
use crate::answer::Answer;
use crate::peers::wanted;
use crate::task::{Form, Task, Work};

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
    /// `peers-plain`, which selects tasks by name.
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
            Kind::Plain => self.process.prepare(&task.name()),
            Kind::Reference => described(task).map_or(Ok(Vec::new()), |task| self.process.prepare(&task)),
        }
    }

    /// Returns the result of a contender for a scope.
    pub fn answer(&mut self, contender: usize, scope: usize) -> Result<Answer, Failure> {
        let answer = self.process.answer(contender, scope)?;
        match self.kind {
            Kind::Plain => Ok(Answer(answer)),
            // What it writes for a value that is not wholly known.
            Kind::Reference if answer == "unknown" => Ok(Answer::unknown()),
            Kind::Reference => Answer::parse(&answer),
        }
    }

    /// Returns the time a contender takes for this number of evaluations.
    pub fn time(&mut self, contender: usize, evaluations: u64) -> Result<Duration, Failure> {
        self.process.time(contender, evaluations)
    }
}

/// Returns the description of a task for the reference; `None` if it has no such form.
fn described(task: Task) -> Option<String> {
    let (kind, text) = match (task.work, task.form) {
        (Work::Expression(workload), form) => {
            let kind = match form {
                Form::Warm | Form::Cold | Form::JsonResult => "expression",
                Form::Json => "request",
                Form::Batch => "batch",
                Form::Compile => "parse-expression",
                // Older versions answer unknown if an operand of `&&` is, whatever the other one is.
                Form::UnknownUnread | Form::MarkedRead | Form::MarkedUnread => "expression",
                _ => return None,
            };
            (kind, workload.text())
        }
        (Work::Body(attributes), Form::Warm) => ("body", attributes.text()),
        (Work::Compile, _) => ("parse", body::text()),
        (Work::Rules, _) => ("rules", rules::text()),
        _ => return None,
    };
    let task = json!({
        "kind": kind,
        "text": text,
        "scopes": task.scopes(),
        "order": task.turn().order(),
        "altered": task.altered(),
        "mark": matches!(task.form, Form::MarkedRead | Form::MarkedUnread),
        "json": task.form == Form::JsonResult,
    });
    Some(task.to_string())
}
