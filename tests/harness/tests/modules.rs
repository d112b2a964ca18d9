//! Whole configurations in several scopes each: locals, dynamic blocks, every attribute.

mod judge;

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use libtest_mimic::{Arguments, Failed};
use serde_json::Value as Json;

/// The configurations and their dialects.
const MODULES: [(&str, &str); 4] =
    [("authz", "packer"), ("game", "packer"), ("job.nomad", "packer"), ("job-passthrough.nomad", "nomad")];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let trial = judge::unless_absent("configurations_give_their_recorded_results", "examples", |directory| {
        MODULES.iter().try_for_each(|(name, dialect)| compare(directory, name, dialect))
    });
    libtest_mimic::run(&arguments, vec![trial]).exit_code()
}

fn compare(directory: &Path, name: &str, dialect: &str) -> Result<(), Failed> {
    let output = Command::new(judge::HARNESS)
        .arg("module")
        .arg(directory.join(format!("{name}.hcl")))
        .arg(directory.join(format!("{name}.scopes.json")))
        .args(["--dialect", dialect])
        .output()?;
    if !output.status.success() {
        return Err(format!("{name}: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    let found: Vec<Json> = serde_json::from_slice(&output.stdout)?;
    let recorded = fs::read_to_string(directory.join(format!("{name}.expected.json")))?;
    let recorded: Vec<Json> = serde_json::from_str(&recorded)?;
    if found.len() != recorded.len() {
        return Err(format!("{name}: {} results, recorded {}", found.len(), recorded.len()).into());
    }
    match found.iter().zip(&recorded).find(|(found, recorded)| found != recorded) {
        Some((found, recorded)) => Err(format!("{name}: {found}, recorded {recorded}").into()),
        None => Ok(()),
    }
}
