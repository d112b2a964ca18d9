//! A document updated to a second text equals that text parsed from scratch.
#![no_main]

use std::fmt::Write;

use hclvm::{Body, Document};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Some((before, after)) = text.split_once('\u{0}') else { return };
    let engine = hclvm_fuzz::engine();
    let Ok(document) = engine.parse("fuzz.hcl", before) else { return };
    let _ = shown(&document);
    let fresh = hclvm_fuzz::engine().parse("fuzz.hcl", after);
    match (document.update(after), fresh) {
        (Ok((updated, _)), Ok(fresh)) => {
            assert_eq!(shown(&updated), shown(&fresh), "{before:?} updated to {after:?}");
        }
        (Err(updated), Err(fresh)) => assert_eq!(updated.to_string(), fresh.to_string()),
        (updated, fresh) => {
            panic!("updated: {}, fresh: {}, {before:?} to {after:?}", updated.is_ok(), fresh.is_ok())
        }
    }
});

/// Returns the results of all attributes of a document without variables.
fn shown(document: &Document) -> String {
    let mut out = String::new();
    let mut session = document.engine().session();
    let scope = document.scope();
    let mut open: Vec<Body<'_>> = vec![document.body()];
    while let Some(body) = open.pop() {
        for attribute in body.attributes() {
            let _ = write!(out, "{} ", attribute.name());
            let _ = match attribute.program() {
                Ok(program) => match session.evaluate(&program, &scope) {
                    Ok(evaluation) => {
                        writeln!(out, "{}", hclvm_fuzz::describe(evaluation.value, &evaluation.diagnostics))
                    }
                    // Which limit is exceeded first depends on what the session evaluated before.
                    Err(error) if error.is_limit() => writeln!(out, "(a limit)"),
                    Err(error) => writeln!(out, "{error}"),
                },
                Err(error) => writeln!(out, "{error}"),
            };
        }
        for block in body.blocks() {
            let _ = writeln!(out, "{} {:?}", block.kind(), block.labels().collect::<Vec<_>>());
            open.push(block.body());
        }
    }
    out
}
