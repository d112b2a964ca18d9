//! Runs the harness on a small stack.

use std::io::Write;
use std::process::{Command, Stdio};

/// Panics if the harness gives no answer to `text`, an input of this kind, on a stack of this size. `what`
/// describes the text in the message.
pub(crate) fn is_answered(kind: &str, text: &str, stack: &str, what: &str) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_harness"))
        .args(["probe", kind, "--stack", stack])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the harness starts");
    let mut input = program.stdin.take().expect("a pipe");
    input.write_all(text.as_bytes()).expect("the harness reads");
    drop(input);
    let output = program.wait_with_output().expect("the harness ends");
    let answer = String::from_utf8_lossy(&output.stdout);
    assert!(answer.starts_with(r#"{"outcome":""#), "{what}: {}", output.status);
}
