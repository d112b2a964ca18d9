//! Untrusted YAML takes no more memory than the limits allow.

use std::sync::Arc;

use hclvm::diagnostics::Exhausted;
use hclvm::functions::{Capabilities, packer};
use hclvm::{Engine, Layout};

/// The limit that ends the reading of a text, and the most memory it takes.
fn read(text: &str) -> (Option<Exhausted>, u64) {
    let engine = Engine::builder().functions(packer(&Capabilities::none())).build();
    let layout = Arc::new(Layout::new(["text"]));
    let program = engine.compile("yamldecode(text)", &layout).expect("it compiles");
    let mut scope = engine.scope(&layout);
    scope.set("text", text).expect("a text");
    super::ended(&engine, &program, &scope)
}

#[test]
fn repeatedly_merged_mappings_are_charged() {
    let keys = (0..5_000).map(|at| format!("k{at}: 1, ")).collect::<Vec<_>>().concat();
    for merges in ["  <<: *a\n".repeat(20_000), format!("  <<: [{}]\n", "*a, ".repeat(20_000))] {
        let (exhausted, taken) = read(&format!("a: &a {{{keys}}}\nb:\n{merges}"));
        assert!(exhausted.is_some());
        assert!(taken < 256 << 20, "{taken} bytes");
    }
    assert_eq!(read("a: &a {x: 1}\nb:\n  <<: *a\n  y: 2\nc:\n  <<: [*a, *a]\n").0, None);
}

#[test]
fn a_line_of_many_tokens_is_bounded() {
    for line in ["a: 1, ", "1, ", "[], ", "\"a\": 1, "] {
        let (exhausted, taken) = read(&format!("[{}]", line.repeat(300_000)));
        assert_eq!(exhausted, Some(Exhausted::Memory), "{line}");
        assert!(taken < 256 << 20, "{line} took {taken} bytes");
        let (exhausted, taken) = read(&format!("[{}]", line.repeat(30_000)));
        assert_eq!(exhausted, None, "{line}");
        assert!(taken < 256 << 20, "{line} took {taken} bytes");
    }
}
