//! The work and memory of what does not charge itself are bounded: third-party crates behind functions, functions of a
//! host, suggestions and explanations.

mod explanations;
mod host_calls;
#[cfg(feature = "regex")]
mod patterns;
mod suggestions;
#[cfg(feature = "yaml")]
mod yaml;

#[cfg(any(feature = "regex", feature = "yaml"))]
use allocation_counter::measure;
use hclvm::diagnostics::Exhausted;
#[cfg(any(feature = "regex", feature = "yaml"))]
use hclvm::{Engine, Program, Scope};
use hclvm::{Error, ErrorKind};

#[track_caller]
fn limit(error: &Error) -> Exhausted {
    match error.kind() {
        ErrorKind::Limit(limit) => limit.exhausted,
        other => panic!("not a limit: {other:?}"),
    }
}

/// The limit that ends an evaluation, and the most memory it takes.
#[cfg(any(feature = "regex", feature = "yaml"))]
fn ended(engine: &Engine, program: &Program, scope: &Scope) -> (Option<Exhausted>, u64) {
    let mut exhausted = None;
    let taken = measure(|| {
        exhausted = engine.session().run(program, scope).err().map(|error| limit(&error));
    });
    (exhausted, taken.bytes_max)
}
