//! Hostile inputs on a small stack: every one ends in time, in little memory, as it should.

mod recorded;

use std::process::Command;

/// Seconds an input may take. The unoptimised program on a busy machine needs more than the
/// two that the optimised one is held to.
const SECONDS: &str = if cfg!(debug_assertions) { "60" } else { "2" };

/// The kinds of input that can be probed.
const KINDS: &str = "config,dyn,locals,expr,template,traversal,json";

#[test]
fn hostile_inputs_end_as_they_should() {
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
