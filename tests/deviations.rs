//! The rows of docs/deviations.md that no other test pins.

use std::sync::Arc;

use hclvm::{Engine, Layout};

#[test]
fn the_nearest_name_is_suggested_of_several_the_first_alphabetically() {
    let engine = Engine::standard();
    for names in [["unks", "unke", "unkown"], ["unkown", "unke", "unks"]] {
        let layout = Arc::new(Layout::new(names));
        let program = engine.compile("unk", &layout).expect("an unknown name is no syntax error");
        let error =
            engine.session().run(&program, &engine.scope(&layout)).map(|_| ()).expect_err("it is unknown");
        assert!(error.to_string().contains("\"unke\""), "{error}");
    }
}

#[test]
fn a_byte_that_is_not_utf8_is_reported_at_its_position() {
    let (_, diagnostics) = Engine::standard().parse_bytes_lenient("x.hcl", b"a = \xED  b\n");
    let first = diagnostics.iter().next().expect("a diagnostic");
    assert_eq!(first.title, "Invalid character encoding");
    assert_eq!(first.subject.map(|span| (span.start, span.end)), Some((4, 5)));
}
