//! The reference implementation, which is written in Go, where it was built: `benches/peers/run`
//! and `benches/peers/reference/build` do that where there is a Go toolchain.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use crate::process::Process;

/// How it is called in tables.
pub const NAME: &str = "hcl (Go)";

/// How many times as long its batches are as those of others, so that in each there are several
/// collections of its garbage. In shorter ones there would be one or none.
pub const STRETCH: u32 = 10;

/// Starts it; `None` where it was not built.
///
/// # Errors
/// A program that cannot be started.
pub fn start() -> Result<Option<Process>, Box<dyn std::error::Error>> {
    let program = program();
    if program.exists() { Process::start(&mut Command::new(program)).map(Some) } else { Ok(None) }
}

/// Where it is when it was built.
fn program() -> PathBuf {
    let target = env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let target = target.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../peers/target"));
    target.join("release/peers-go")
}

/// A task for it: what kind of text it is, and the scopes, as JSON, that it is evaluated against.
#[must_use]
pub fn task(kind: &str, text: &str, scopes: &[String]) -> String {
    json!({ "kind": kind, "text": text, "scopes": scopes }).to_string()
}
