//! The time of each attribute of a file.

use std::hint::black_box;
use std::time::Duration;

use hclvm::value::{Arena, Entry};
use hclvm::{Engine, Error, Module, Scope, Session, Value};

use super::{Sample, repeats, time};
use crate::attribute_path::{LOCAL, quoted};
use crate::disasm::Listed;

/// Rounds for an attribute.
const ROUNDS: usize = 5;

/// The time of an evaluation of one attribute.
#[derive(Debug)]
pub(super) struct AttributeTime {
    pub(super) path: String,
    /// The line on which its name is, from 1.
    pub(super) line: u32,
    pub(super) nanoseconds: f64,
}

/// Returns the times of all attributes, the longest first. Each is evaluated by itself, with the values of the
/// locals that it uses; attributes that fail in a scope are left out, such as those in the content of `dynamic` blocks.
pub(super) fn times(
    engine: &Engine,
    module: &Module,
    scopes: &[Scope],
    round: Duration,
) -> Result<Vec<AttributeTime>, Error> {
    let mut session = engine.session();
    let scopes = scopes.iter().map(|scope| with_locals(module, scope, &mut session));
    let scopes: Vec<Scope> = scopes.collect::<Result<_, _>>()?;
    let listed = Listed::all(module.document().body());
    // The rounds of an attribute take about as long together as one of the file.
    let round = round / u32::try_from(ROUNDS).unwrap_or(1);
    let mut times = Vec::new();
    for (block, attribute) in listed.attributes {
        let program = attribute.program()?;
        if scopes.iter().any(|scope| session.run(&program, scope).is_err()) {
            continue;
        }
        let mut run = || {
            for scope in &scopes {
                black_box(session.run(&program, scope).is_ok());
            }
        };
        let count = repeats(&mut run, round);
        let rounds = (0..ROUNDS).map(|_| time(&mut run, count)).collect();
        let path = format!("{}{}", listed.blocks[block], quoted(attribute.name()));
        let line = module.document().source().position(attribute.name_span().start).line;
        times.push(AttributeTime { path, line, nanoseconds: Sample::of(rounds, scopes.len()).median });
    }
    times.sort_by(|one, other| other.nanoseconds.total_cmp(&one.nanoseconds));
    Ok(times)
}

/// Returns a scope with the values of the locals, as an object.
fn with_locals(module: &Module, scope: &Scope, session: &mut Session) -> Result<Scope, Error> {
    let values = module.evaluate(session, scope)?;
    let arena = Arena::new();
    let mut entries: Vec<Entry<'_>> = values.locals().map(|(name, value)| Entry::new(name, value)).collect();
    entries.sort_by_key(|entry| entry.name);
    let mut scope = scope.fork();
    scope.set_value(LOCAL, Value::object(&arena, arena.slice(&entries)))?;
    Ok(scope)
}
