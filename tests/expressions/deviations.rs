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

#[test]
fn bytes_that_could_begin_a_letter_are_not_part_of_a_name() {
    for byte in [0xC4_u8, 0xCF, 0xD6, 0xDE, 0xE4, 0xE9, 0xEB, 0xED] {
        let text = [b"a", &[byte][..], b"bc = 1\n"].concat();
        let (_, diagnostics) = Engine::standard().parse_bytes_lenient("x.hcl", &text);
        let first = diagnostics.iter().next().expect("a diagnostic");
        assert_eq!(first.title, "Invalid character encoding", "{byte:X}");
        assert_eq!(first.subject.map(|span| (span.start, span.end)), Some((1, 2)));
    }
}

#[test]
fn sequences_that_only_look_like_characters_are_no_text() {
    for bad in [&b"\xC0\x80"[..], b"\xED\xA0\x80", b"\xF5\x80\x80\x80"] {
        for (before, after) in [("x = \"a", "b\"\n"), ("l \"a", "b\" {}\n"), ("x = <<E\na", "b\nE\n")] {
            let text = [before.as_bytes(), bad, after.as_bytes()].concat();
            let (_, diagnostics) = Engine::standard().parse_bytes_lenient("x.hcl", &text);
            let first = diagnostics.iter().next().expect("a diagnostic");
            assert_eq!(first.title, "Invalid character encoding", "{text:?}");
            let start = u32::try_from(before.len()).expect("it is short");
            let end = start + u32::try_from(bad.len()).expect("it is short");
            assert_eq!(first.subject.map(|span| (span.start, span.end)), Some((start, end)));
        }
        let comment = [b"# ", bad, b"\nx = 1\n"].concat();
        let (_, diagnostics) = Engine::standard().parse_bytes_lenient("x.hcl", &comment);
        assert!(diagnostics.is_empty(), "{diagnostics}");
        let json = [b"{\"x\": \"a", bad, b"b\"}"].concat();
        let (document, diagnostics) = Engine::standard().parse_json_bytes_lenient("x.json", &json);
        assert!(diagnostics.is_empty(), "{diagnostics}");
        let program = document.attribute("x").expect("it is there").program().expect("it compiles");
        let scope = document.scope();
        let mut session = document.engine().session();
        let value = session.run(&program, &scope).expect("it is a text");
        assert_eq!(value.as_str(), Some(format!("a{}b", "\u{FFFD}".repeat(bad.len())).as_str()));
    }
}
