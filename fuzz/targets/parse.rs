//! Any bytes as any kind of text: no panic and no stall; diagnostics can be printed, and valid text
//! compiles.
#![no_main]

use std::sync::Arc;

use hclvm::Layout;
use hclvm_compiler::source::decode;
use hclvm_compiler::{LexMode, ParseLimits, lex, parse_traversal};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((kind, bytes)) = data.split_first() else { return };
    let engine = hclvm_fuzz::engine();
    let text = decode(bytes);
    match kind % 5 {
        0 => {
            let (document, diagnostics) = engine.parse_bytes_lenient("fuzz.hcl", bytes);
            let shown = diagnostics.report().to_string();
            assert!(!shown.contains('\u{1b}'), "a report steers the terminal");
            let mut open = vec![document.body()];
            while let Some(body) = open.pop() {
                for attribute in body.attributes() {
                    if let Ok(program) = attribute.program() {
                        let _ = program.listing().map(Iterator::count);
                        let _ = program.known_problems().report().to_string();
                    }
                }
                open.extend(body.blocks().map(|block| block.body()));
            }
        }
        1 | 2 => {
            let layout = Arc::new(Layout::new(["a", "b"]));
            let compiled = match kind % 5 {
                1 => engine.compile(&text.text, &layout),
                _ => engine.compile_template(&text.text, &layout),
            };
            match compiled {
                Ok(program) => {
                    let _ = program.listing().map(Iterator::count);
                    let _ = program.known_problems().to_string();
                }
                Err(error) => drop(error.to_string()),
            }
        }
        3 => {
            let limits = ParseLimits::default();
            drop(parse_traversal(&text, &limits, false));
            drop(parse_traversal(&text, &limits, true));
        }
        _ => {
            drop(lex(&text, LexMode::Config));
            drop(lex(&text, LexMode::Template));
        }
    }
});
