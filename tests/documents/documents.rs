//! Documents: attributes and blocks by name, and the ranges of their parts, in both syntaxes.

use std::sync::Arc;

use hclvm::{Attribute, Block, Document, Engine, Layout};

fn native(text: &str) -> Document {
    Engine::standard().parse("a.hcl", text).expect("it parses")
}

fn json(text: &str) -> Document {
    Engine::standard().parse_json("a.json", text).expect("it parses")
}

/// Returns a range of the text of a document.
fn text(document: &Document, span: hclvm::diagnostics::Span) -> &str {
    &document.source().text()[span.start as usize..span.end as usize]
}

fn names<'d>(attributes: impl Iterator<Item = Attribute<'d>>) -> Vec<&'d str> {
    attributes.map(Attribute::name).collect()
}

fn headers<'d>(blocks: impl Iterator<Item = Block<'d>>) -> Vec<String> {
    let header = |block: Block<'d>| std::iter::once(block.kind()).chain(block.labels()).collect::<Vec<_>>();
    blocks.map(|block| header(block).join(" ")).collect()
}

#[test]
fn ranges_of_attributes_are_those_of_their_parts() {
    let document = native("first = 1 + 2\n");
    let attribute = document.attribute("first").expect("it is there");
    assert_eq!(text(&document, attribute.name_span()), "first");
    assert_eq!(text(&document, attribute.expression_span()), "1 + 2");
    assert_eq!(text(&document, attribute.span()), "first = 1 + 2");
    assert_eq!(attribute.name(), "first");
    let document = json(r#"{"first": [1, 2]}"#);
    let attribute = document.attribute("first").expect("it is there");
    assert_eq!(text(&document, attribute.name_span()), "\"first\"");
    assert_eq!(text(&document, attribute.expression_span()), "[1, 2]");
    assert_eq!(text(&document, attribute.span()), "\"first\": [1, 2]");
}

#[test]
fn ranges_of_blocks_are_those_of_their_parts() {
    let document = native("kind \"one\" two {\n  a = 1\n}\n");
    let block = document.block("kind", ["one", "two"]).expect("it is there");
    assert_eq!(text(&document, block.kind_span()), "kind");
    assert_eq!(text(&document, block.header_span()), "kind \"one\" two");
    assert_eq!(text(&document, block.span()), "kind \"one\" two {\n  a = 1\n}");
    assert_eq!(text(&document, block.body().span()), "{\n  a = 1\n}");
    let labels: Vec<&str> = block.label_spans().map(|span| text(&document, span)).collect();
    assert_eq!(labels, ["\"one\"", "two"]);
    assert_eq!(block.attribute("a").map(Attribute::name), Some("a"));
    let document = json(r#"{"kind": {"one": {"two": {"a": 1}}}}"#);
    let block = document.block("kind", ["one", "two"]).expect("it is there");
    assert_eq!(text(&document, block.kind_span()), "\"kind\"");
    assert_eq!(text(&document, block.header_span()), "{");
    assert_eq!(text(&document, block.span()), r#""kind": {"one": {"two": {"a": 1}"#);
    assert_eq!(text(&document, block.body().span()), r#"{"a": 1}"#);
    let labels: Vec<&str> = block.label_spans().map(|span| text(&document, span)).collect();
    assert_eq!(labels, ["\"one\"", "\"two\""]);
}

#[test]
fn blocks_are_found_by_type_and_all_labels() {
    let document = native(
        "r {}\nr \"a\" {\n n = 1\n}\nr \"a\" {\n n = 2\n}\nr \"a\" \"b\" {}\nr \"b\" \"a\" {}\ns \"a\" {}\na = 1\nr = 2\n",
    );
    assert_eq!(headers(document.body().blocks()), ["r", "r a", "r a", "r a b", "r b a", "s a"]);
    assert_eq!(names(document.body().attributes()), ["a", "r"]);
    let start = |kind: &str, labels: &[&str]| document.block(kind, labels).map(|block| block.span().start);
    let starts: Vec<u32> = document.body().blocks().map(|block| block.span().start).collect();
    for (kind, labels, expected) in [
        ("r", &[][..], Some(starts[0])),
        // The first of two.
        ("r", &["a"], Some(starts[1])),
        ("r", &["a", "b"], Some(starts[3])),
        ("r", &["b", "a"], Some(starts[4])),
        ("s", &["a"], Some(starts[5])),
        ("r", &["b"], None),
        ("s", &[], None),
        ("r", &["a", "b", "c"], None),
        ("a", &[], None),
    ] {
        assert_eq!(start(kind, labels), expected, "{kind} {labels:?}");
    }
    assert_eq!(headers(document.body().blocks_of("r")), ["r", "r a", "r a", "r a b", "r b a"]);
    assert_eq!(headers(document.body().blocks_of("s")), ["s a"]);
    assert_eq!(document.body().blocks_of("t").count(), 0);
    assert!(document.attribute("s").is_none() && document.attribute("r").is_some());
    assert!(!document.is_json());
}

#[test]
fn properties_in_json_are_attributes_and_blocks_as_asked_for() {
    let document = json(
        r#"{"//": "a comment", "r": [{"n": 1}, {"n": 2}], "s": {"x": {"n": 3}, "y": [{"n": 4}, {"n": 5}]}, "r": {"n": 6}}"#,
    );
    assert!(document.is_json());
    assert_eq!(names(document.body().attributes()), ["r", "s", "r"]);
    assert_eq!(document.body().blocks().count(), 0);
    let numbers = |blocks: Vec<Block<'_>>| {
        let n = |block: Block<'_>| {
            block.attribute("n").map(|n| text(&document, n.expression_span()).to_owned()).unwrap_or_default()
        };
        blocks.into_iter().map(n).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(numbers(document.body().blocks_of("r").collect()), "1 2 6");
    assert_eq!(numbers(document.block("s", ["x"]).into_iter().collect()), "3");
    assert_eq!(numbers(document.block("s", ["y"]).into_iter().collect()), "4");
    assert!(document.block("s", ["z"]).is_none() && document.block("t", []).is_none());
}

#[test]
fn elements_and_attributes_are_compiled_for_another_layout() {
    let engine = Engine::standard();
    let document = engine.parse("a.hcl", "x = [b, a]\ny = b").expect("it parses");
    let layout = Arc::new(Layout::new(["a", "unused", "b"]));
    let mut scope = engine.scope(&layout);
    scope.set_all_json(r#"{"a": 1, "b": 2, "unused": 3}"#).expect("JSON");
    let attribute = |name: &str| document.attribute(name).expect("it is there");
    let mut session = engine.session();
    for (name, expected) in [("x", "[2, 1]"), ("y", "2")] {
        let program = attribute(name).compile(&layout).expect("it compiles");
        assert_eq!(format!("{:?}", session.run(&program, &scope).expect("both are set")), expected);
        assert_eq!(text(&document, program.span()), if name == "x" { "[b, a]" } else { "b" });
    }
    let other = document.for_layout(&layout);
    assert_eq!(other.layout(), &layout);
    let program = other.attribute("y").expect("it is there").program().expect("it compiles");
    assert_eq!(format!("{:?}", session.run(&program, &scope).expect("it is set")), "2");
    // The document itself keeps its own.
    assert_eq!(document.layout().len(), 2);
}

#[test]
fn null_in_json_has_no_blocks() {
    use hclvm::schema::Schema;
    let schema = Schema::new().block("b", &["name"]).block("c", &[]);
    for (text, blocks) in [
        (r#"{"b": {"x": null}}"#, 0),
        (r#"{"c": null}"#, 0),
        (r#"{"c": []}"#, 0),
        (r#"{"b": {"x": {}, "y": null}, "c": {}}"#, 2),
        (r#"{"b": {"x": []}, "c": [{}, {}]}"#, 2),
    ] {
        let document = json(text);
        let content = document.body().content(&schema).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(content.blocks.len(), blocks, "{text}");
    }
    // Without a label there is one problem, also where there is nothing at all.
    for wrong in [r#"{"b": null}"#, r#"{"b": {}}"#, r#"{"b": []}"#, r#"{"b": {"x": "y"}}"#, r#"{"c": "x"}"#] {
        let error = json(wrong).body().content(&schema).map(drop).expect_err(wrong);
        assert_eq!(error.diagnostics().map(|found| found.len()), Some(1), "{wrong}: {error}");
    }
}
