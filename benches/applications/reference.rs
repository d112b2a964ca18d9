//! Whole evaluations of a configuration by the reference in Go, if it has been built.

use std::time::Duration;

use hclvm_workloads::process::Process;
use hclvm_workloads::reference::{self, STRETCH};
use serde_json::{Map, Value as Tree};

use crate::{Application, BATCH, Failure};

/// The reference, prepared with a configuration and scopes.
#[derive(Debug)]
pub(crate) struct Reference {
    process: Process,
    /// Evaluations per batch.
    count: u32,
}

impl Reference {
    /// Starts it and compares its results with the expected ones. Returns `None` if it has not been built, or
    /// if there are no results to compare.
    pub(crate) fn start(application: &Application) -> Result<Option<Self>, Failure> {
        let (scopes, expected) = known(application)?;
        if expected.is_empty() {
            return Ok(None);
        }
        let Some(mut process) = reference::start()? else { return Ok(None) };
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

    /// Times one batch and returns the microseconds per evaluation.
    pub(crate) fn batch(&mut self) -> f64 {
        // Not a number if the process has ended.
        let time = self.time().map_or(f64::NAN, |time| time.as_secs_f64());
        time * 1e6 / f64::from(self.count)
    }

    fn time(&mut self) -> Result<Duration, Failure> {
        self.process.time(0, u64::from(self.count))
    }
}

/// Returns the scopes without unknown values, and the expected result of each.
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

/// Converts every number to a double, because 512-bit numbers are written with more digits than expected results have.
fn in_doubles(value: Tree) -> Tree {
    match value {
        Tree::Number(number) => number.as_f64().into(),
        Tree::Array(items) => items.into_iter().map(in_doubles).collect(),
        Tree::Object(members) => members.into_iter().map(|(name, item)| (name, in_doubles(item))).collect(),
        other => other,
    }
}
