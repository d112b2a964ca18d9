//! Whole evaluations of a configuration by the reference in Go, where it was built.

use std::time::Duration;

use hclvm_workloads::process::Process;
use hclvm_workloads::reference::{self, STRETCH};
use serde_json::{Map, Value as Tree};

use crate::{Application, BATCH, Failure};

/// The reference with a configuration and scopes that it has read.
#[derive(Debug)]
pub(crate) struct Reference {
    process: Process,
    /// Evaluations of a batch.
    count: u64,
}

impl Reference {
    /// Starts it and compares its results with those expected; `None` where it was not built.
    pub(crate) fn start(application: &Application) -> Result<Option<Self>, Failure> {
        let Some(mut process) = reference::start()? else { return Ok(None) };
        let (scopes, expected) = known(application)?;
        process.prepare(&reference::task("document", application.text, &scopes))?;
        for (at, expected) in expected.into_iter().enumerate() {
            let found = serde_json::from_str(&process.answer(0, at)?)?;
            assert_eq!(in_doubles(found), in_doubles(expected), "{} in Go", application.name);
        }
        let mut reference = Self { process, count: 1 };
        while reference.time()? < BATCH * STRETCH {
            reference.count *= 2;
        }
        Ok(Some(reference))
    }

    /// Microseconds of an evaluation, from one batch.
    pub(crate) fn batch(&mut self) -> f64 {
        // A process that has ended has no figure any more.
        let time = self.time().map_or(f64::NAN, |time| time.as_secs_f64());
        time * 1e6 / self.count as f64
    }

    fn time(&mut self) -> Result<Duration, Failure> {
        self.process.time(0, self.count)
    }
}

/// The scopes in which everything is known, and what is expected in each.
fn known(application: &Application) -> Result<(Vec<String>, Vec<Tree>), Failure> {
    let scopes: Vec<Map<String, Tree>> = serde_json::from_str(application.scopes)?;
    let expected: Vec<Map<String, Tree>> = serde_json::from_str(application.expected)?;
    let mut known = (Vec::new(), Vec::new());
    for (mut scope, mut expected) in scopes.into_iter().zip(expected) {
        assert_eq!(scope.remove("$name"), expected.remove("scope"), "each scope has a result");
        let text = serde_json::to_string(&scope)?;
        if !text.contains("\"$unknown\"") {
            known.0.push(text);
            known.1.push(Tree::Object(expected));
        }
    }
    Ok(known)
}

/// With every number as a double: 512 bits are written with more digits than anybody expects.
fn in_doubles(value: Tree) -> Tree {
    match value {
        Tree::Number(number) => number.as_f64().into(),
        Tree::Array(items) => items.into_iter().map(in_doubles).collect(),
        Tree::Object(members) => members.into_iter().map(|(name, item)| (name, in_doubles(item))).collect(),
        other => other,
    }
}
