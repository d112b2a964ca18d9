//! Hostile inputs on a small stack: each ends within its limits of time and memory, with the expected outcome.

mod judge;

use std::path::Path;
use std::process::{Command, ExitCode};

use libtest_mimic::{Arguments, Completion, Failed, Trial};

/// Seconds an input may take. The optimized program must need at most two; the unoptimized one needs more
/// on a busy machine.
const SECONDS: &str = if cfg!(debug_assertions) { "60" } else { "2" };

/// The kinds of input that can be probed.
const KINDS: &str = "config,dyn,locals,expr,template,traversal,json";

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let trial = Trial::ignorable_test("hostile_inputs_end_within_the_limits", || {
        let directory = match judge::shared("adversarial") {
            Ok(directory) => directory,
            Err(reason) => return Ok(Completion::ignored_with(reason)),
        };
        if Command::new("python3").arg("--version").output().is_err() {
            return Ok(Completion::ignored_with("python3 is absent"));
        }
        run(&directory).map(|()| Completion::Completed)
    });
    libtest_mimic::run(&arguments, vec![trial]).exit_code()
}

fn run(directory: &Path) -> Result<(), Failed> {
    let output = Command::new("python3")
        .arg(directory.join("run.py"))
        .args(["--timeout", SECONDS, "--kinds", KINDS])
        .args(["--", judge::HARNESS, "probe", "{kind}", "--stack", "2M", "--scope"])
        .arg(directory.join("scope.json"))
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{text}{}", String::from_utf8_lossy(&output.stderr)).into())
}
