//! Chains of operators as long as a text may be, on a small stack: an answer, never a crash.

use std::io::Write;
use std::process::{Command, Stdio};

/// A term and what joins it with the next.
const LINKS: [(&str, &str); 8] = [
    ("true", " && "),
    ("false", " || "),
    ("(a < 3)", " && "),
    ("(a == b)", " || "),
    ("a", " == "),
    ("a.b", " != "),
    ("a", " + "),
    ("f(a)", " < "),
];

/// Terms in a chain.
const LENGTH: usize = 20_000;

#[test]
fn chains_of_operators_need_no_stack() {
    for (term, link) in LINKS {
        let text = vec![term; LENGTH].join(link);
        let mut program = Command::new(env!("CARGO_BIN_EXE_harness"))
            .args(["probe", "expr", "--stack", "2M"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the harness starts");
        let mut input = program.stdin.take().expect("a pipe");
        input.write_all(text.as_bytes()).expect("the harness reads");
        drop(input);
        let output = program.wait_with_output().expect("the harness ends");
        let answer = String::from_utf8_lossy(&output.stdout);
        assert!(answer.starts_with(r#"{"outcome":""#), "{term}{link}: {}", output.status);
    }
}
