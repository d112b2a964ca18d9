//! Hostile inputs on a small stack: each ends within its limits of time and memory, with the expected outcome.

mod recorded;

use std::process::Command;

/// Seconds an input may take. The optimized program must need at most two; the unoptimized one needs more
/// on a busy machine.
const SECONDS: &str = if cfg!(debug_assertions) { "60" } else { "2" };

/// The kinds of input that can be probed.
const KINDS: &str = "config,dyn,locals,expr,template,traversal,json";

#[test]
fn hostile_inputs_end_within_the_limits() {
    let Some(directory) = recorded::directory("adversarial") else { return };
    let Ok(python) = Command::new("python3").arg("--version").output() else {
        eprintln!("skipped: the runner of hostile inputs needs python3");
        return;
    };
    assert!(python.status.success());
    let output = Command::new("python3")
        .arg(directory.join("run.py"))
        .args(["--timeout", SECONDS, "--kinds", KINDS])
        .args(["--", recorded::HARNESS, "probe", "{kind}", "--stack", "2M", "--scope"])
        .arg(directory.join("scope.json"))
        .output()
        .expect("the runner runs");
    let text = String::from_utf8_lossy(&output.stdout);
    eprintln!("{}", text.lines().last().unwrap_or(""));
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
}
