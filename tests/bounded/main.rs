//! The work and memory of third-party crates behind functions are bounded, although they do not charge themselves.
#![cfg(any(feature = "regex", feature = "yaml"))]

#[cfg(feature = "regex")]
mod patterns;
#[cfg(feature = "yaml")]
mod yaml;

use allocation_counter::measure;
use hclvm::diagnostics::Exhausted;
use hclvm::{Engine, ErrorKind, Program, Scope};

/// The limit that ends an evaluation, and the most memory it takes.
fn ended(engine: &Engine, program: &Program, scope: &Scope) -> (Option<Exhausted>, u64) {
    let mut exhausted = None;
    let taken = measure(|| {
        exhausted = engine.session().run(program, scope).err().map(|error| match error.kind() {
            ErrorKind::Limit(limit) => limit.exhausted,
            other => panic!("not a limit: {other:?}"),
        });
    });
    (exhausted, taken.bytes_max)
}
