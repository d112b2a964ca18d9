//! Starts the reference implementation, a program in Go, if it has been built: `benches/peers/run`
//! and `benches/peers/reference/build` build it where a Go toolchain is installed.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use crate::process::Process;

/// Its name in tables.
pub const NAME: &str = "hcl (Go)";

/// Factor by which its batches are longer than those of others, so that each contains several
/// garbage collections. Shorter batches would contain one or none.
pub const STRETCH: u32 = 10;

/// Starts the reference. Returns `None` if it has not been built.
///
/// # Errors
/// The program cannot be executed.
pub fn start() -> Result<Option<Process>, Box<dyn std::error::Error>> {
    let program = program();
    if program.exists() { Process::start(&mut Command::new(program)).map(Some) } else { Ok(None) }
}

/// Returns the path that `benches/peers/reference/build` builds to.
fn program() -> PathBuf {
    let target = env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let target = target.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../peers/target"));
    target.join("release/peers-go")
}

/// Returns a task for it as JSON: the kind of text, the text, and the scopes to evaluate it against.
#[must_use]
pub fn task(kind: &str, text: &str, scopes: &[String]) -> String {
    json!({ "kind": kind, "text": text, "scopes": scopes }).to_string()
}
