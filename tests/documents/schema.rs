//! Body content by schema, and diagnostics for everything else. Decoding to types of the host is in decode_body.rs.

use hclvm::schema::Schema;
use hclvm::{Document, Engine};

fn document(text: &str) -> Document {
    Engine::standard().parse("t.hcl", text).expect("the text is well formed")
}

/// Returns title and position of every diagnostic for `schema`.
fn problems(text: &str, schema: &Schema) -> Vec<String> {
    let document = document(text);
    let (_, diagnostics) = document.body().content_lenient(schema);
    let place = |diagnostic: &hclvm::Diagnostic| {
        let subject = diagnostic.subject.expect("every problem has a place");
        let at = document.source().position(subject.start);
        format!("{}:{} {}", at.line, at.column, diagnostic.title)
    };
    diagnostics.iter().map(place).collect()
}

fn service() -> Schema {
    Schema::new().required("name").optional("port").block("check", &["kind"]).block("tags", &[])
}

#[test]
fn content_has_what_the_schema_names_in_source_order() {
    let document = document("port = 1\ncheck \"b\" {}\nname = 2\ncheck \"a\" {}\ntags {}\n");
    let content = document.body().content(&service()).expect("it fits");
    let names: Vec<_> = content.attributes.iter().map(|attribute| attribute.name()).collect();
    assert_eq!(names, ["port", "name"]);
    let labels: Vec<_> = content.blocks_of("check").flat_map(|block| block.labels()).collect();
    assert_eq!(labels, ["b", "a"]);
}

#[test]
fn missing_arguments_and_labels_are_reported_before_unsupported_ones() {
    let text = "prot = 1\ncheck {}\ncheck \"a\" \"b\" {}\ntags x {}\nchekc \"a\" {}\n";
    assert_eq!(
        problems(text, &service()),
        [
            "1:1 Missing required argument",
            "2:7 Missing kind for check",
            "3:11 Extraneous label for check",
            "4:6 Extraneous label for tags",
            "1:1 Unsupported argument",
            "5:1 Unsupported block type",
        ]
    );
}

#[test]
fn the_nearest_name_is_suggested_for_a_misspelt_one() {
    let document = document("name = 1\nprot = 1\ntag {}\ncheck = 1\nport {}\n");
    let (_, diagnostics) = document.body().content_lenient(&service());
    let details: Vec<_> = diagnostics.iter().map(|diagnostic| diagnostic.detail.as_ref()).collect();
    assert!(details[0].contains("Did you mean \"port\"?"), "{}", details[0]);
    assert!(details[1].contains("Did you mean a block of type \"check\""), "{}", details[1]);
    assert!(details[2].contains("Did you mean \"tags\"?"), "{}", details[2]);
    assert!(details[3].contains("Did you mean the argument \"port\"?"), "{}", details[3]);
    let change = &diagnostics.iter().next().and_then(|first| first.additions.clone()).expect("it has one");
    assert_eq!(change.replacements[0].text, "port");
}

#[test]
fn the_names_there_are_are_told_where_none_is_near() {
    let document = document("name = 1\nsomething = 1\nelse {}\n");
    let (_, diagnostics) = document.body().content_lenient(&service());
    let details: Vec<_> = diagnostics.iter().map(|diagnostic| diagnostic.detail.as_ref()).collect();
    assert!(details[0].contains(" Possible names are name, port"), "{}", details[0]);
    assert!(details[1].contains(" Possible types are check"), "{}", details[1]);
}

#[test]
fn blocks_with_wrong_labels_are_omitted() {
    let document = document("name = 1\ncheck {}\ncheck \"a\" {}\n");
    let (content, diagnostics) = document.body().content_lenient(&service());
    assert_eq!((content.blocks.len(), diagnostics.len()), (1, 1));
}

#[test]
fn a_missing_argument_of_a_block_is_reported_at_its_brace() {
    let document = document("svc \"x\" {\n}\n");
    let block = document.block("svc", ["x"]).expect("it is there");
    let error = block.body().content(&service()).expect_err("name is missing");
    assert_eq!(
        error.to_string().split(": ").take(2).collect::<Vec<_>>(),
        ["t.hcl:1:9", "Missing required argument"]
    );
}

#[test]
fn partial_content_leaves_the_rest_for_another_schema() {
    let document = document("name = 1\nextra = 2\ncheck \"a\" {}\nother {}\n");
    let (first, rest) = document.body().partial_content(&service()).expect("it fits");
    assert_eq!((first.attributes.len(), first.blocks.len()), (1, 1));
    let second = Schema::new().optional("extra").block("other", &[]);
    let content = rest.content(&second).expect("nothing else is left");
    assert_eq!((content.attributes.len(), content.blocks.len()), (1, 1));
    let error = rest.content(&Schema::new().required("name")).expect_err("name is taken");
    assert!(error.to_string().contains("Missing required argument"), "{error}");
    assert!(error.to_string().contains("Unsupported argument"), "{error}");
}

#[test]
fn just_attributes_rejects_the_first_block() {
    let document = document("a = 1\nb {}\nc {}\n");
    let error = document.body().just_attributes().expect_err("there are blocks");
    assert_eq!(error.diagnostics().map(hclvm::Diagnostics::len), Some(1));
    assert!(error.to_string().contains("2:1: Unexpected \"b\" block"), "{error}");
    let rest = document.body().partial_content(&Schema::new().block("b", &[]).block("c", &[]));
    assert_eq!(rest.expect("it fits").1.just_attributes().expect("no block is left").len(), 1);
}

#[test]
fn a_schema_can_be_deserialized() {
    let json = r#"{"attributes": [{"name": "name", "required": true}, {"name": "port"}],
        "blocks": [{"type": "check", "labels": ["kind"]}, {"type": "tags"}]}"#;
    assert_eq!(serde_json::from_str::<Schema>(json).expect("it is a schema"), service());
}

#[test]
fn dynamic_blocks_are_blocks_like_others_without_an_expansion() {
    let found = problems("dynamic x {}\n", &Schema::new());
    assert_eq!(found.len(), 1, "{found:?}");
    let labelled = Schema::new().block("dynamic", &["a", "b"]);
    assert_eq!(problems("dynamic x y {}\n", &labelled), [""; 0]);
}
