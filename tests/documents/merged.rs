//! Several files as one body, and the lookup of structure by position.

use hclvm::schema::Schema;
use hclvm::syntax::Merged;
use hclvm::{Document, Engine};

fn files(texts: &[&str]) -> Vec<Document> {
    let engine = Engine::standard();
    let parse =
        |(at, text): (usize, &&str)| engine.parse(&format!("{at}.hcl"), text).expect("it is well formed");
    texts.iter().enumerate().map(parse).collect()
}

fn schema() -> Schema {
    Schema::new().required("a").optional("b").block("rule", &["name"])
}

/// Returns all diagnostics, each with its file and position.
fn lines(content: &hclvm::syntax::MergedContent<'_>) -> Vec<String> {
    let all = content.diagnostics.iter().flat_map(|list| list.iter().map(|one| (list.source(), one)));
    let line = |(source, one): (&std::sync::Arc<hclvm::diagnostics::Source>, &hclvm::Diagnostic)| match one
        .subject
    {
        Some(span) => {
            let at = source.position(span.start);
            format!("{}:{}:{} {}", source.name(), at.line, at.column, one.title)
        }
        None => one.title.to_string(),
    };
    all.map(line).collect()
}

#[test]
fn attributes_of_all_files_and_their_blocks_in_order() {
    let files = files(&["rule x {}\nb = 1\n", "a = 1\nrule y {}\n"]);
    let content = Merged::new(&files).content(&schema());
    assert!(!content.has_errors(), "{:?}", content.diagnostics);
    let labels: Vec<_> = content.blocks.iter().flat_map(|block| block.labels()).collect();
    assert_eq!(labels, ["x", "y"]);
    assert_eq!(content.attribute("a").map(|found| found.document().source().name()), Some("1.hcl"));
}

#[test]
fn duplicates_are_reported_in_the_later_file_and_missing_arguments_without_a_position() {
    let files = files(&["b = 1\nrule {}\n", "c = 1\nb = 2\n"]);
    let content = Merged::new(&files).content(&schema());
    assert_eq!(
        lines(&content),
        [
            "0.hcl:2:6 Missing name for rule",
            "1.hcl:1:1 Unsupported argument",
            "1.hcl:2:1 Duplicate argument",
            "Missing required argument",
        ]
    );
    assert_eq!(content.attribute("b").map(|found| found.document().source().name()), Some("0.hcl"));
    // A list of diagnostics for each file; what is missing is missing at the end of the last one.
    let names: Vec<&str> = content.diagnostics.iter().map(|list| list.source().name()).collect();
    assert_eq!(names, ["0.hcl", "1.hcl", "1.hcl"]);
    let duplicate = content.diagnostics[1].iter().last().expect("it is there");
    assert!(duplicate.detail.contains("0.hcl on line 1"), "{}", duplicate.detail);
}

#[test]
fn every_missing_argument_is_reported_once() {
    let schema = Schema::new().required("a").required("b").required("c").optional("d");
    let files = files(&["b = 1\n", "d = 2\n"]);
    let content = Merged::new(&files).content(&schema);
    let details: Vec<_> =
        content.diagnostics.iter().flat_map(|list| list.iter().map(|one| &one.detail)).collect();
    assert_eq!(details.len(), 2);
    assert!(details[0].contains("\"a\"") && details[1].contains("\"c\""), "{details:?}");
    let names: Vec<_> = content.attributes.iter().map(|attribute| attribute.name()).collect();
    assert_eq!(names, ["b", "d"]);
}

#[test]
fn partial_content_leaves_the_rest_of_all_files() {
    let files = files(&["a = 1\nx = 1\n", "y = 1\nrule z {}\n"]);
    let (content, rest) = Merged::new(&files).partial_content(&schema());
    assert!(!content.has_errors());
    let rest = rest.just_attributes();
    assert!(!rest.has_errors());
    let names: Vec<_> = rest.attributes.iter().map(|attribute| attribute.name()).collect();
    assert_eq!(names, ["x", "y"]);
    assert_eq!(lines(&Merged::new(&files).just_attributes()), ["1.hcl:2:1 Unexpected \"rule\" block"]);
}

#[test]
fn one_scope_serves_documents_with_a_common_layout() {
    let files = Document::with_common_layout(&files(&["a = x\n", "b = y + x\n"]));
    let engine = files[0].engine().clone();
    let mut scope = files[0].scope();
    scope.set("x", &1).expect("it fits");
    scope.set("y", &2).expect("it fits");
    let mut session = engine.session();
    for (file, name, wanted) in [(0, "a", "1"), (1, "b", "3")] {
        let program = files[file].attribute(name).expect("it is there").program().expect("it compiles");
        let value = session.run(&program, &scope).expect("it has a value");
        assert_eq!(value.as_number().map(|number| number.to_string()).as_deref(), Some(wanted));
    }
}

const TEXT: &str = "top = 1\nouter \"x\" y {\n  inner {\n    deep = [1,\n      2]\n  }\n  flat = 3\n}\n";

/// Converts an offset to the width that documents use.
fn width(offset: usize) -> u32 {
    u32::try_from(offset).expect("the text is short")
}

#[test]
fn positions_lead_to_attributes_and_blocks() {
    let document = Engine::standard().parse("t.hcl", TEXT).expect("it is well formed");
    let at = |needle: &str| width(TEXT.find(needle).expect("it is in the text"));
    let attribute = |offset| document.attribute_at(offset).map(|found| found.name());
    assert_eq!(attribute(0), Some("top"));
    assert_eq!(attribute(at("2]")), Some("deep"));
    assert_eq!(attribute(at("flat") - 1), None);
    assert_eq!(attribute(at("outer")), None);
    let blocks = |offset| document.blocks_at(offset).iter().map(|block| block.kind()).collect::<Vec<_>>();
    assert_eq!(blocks(at("2]")), ["outer", "inner"]);
    assert_eq!(blocks(at("y {")), ["outer"]);
    assert_eq!(blocks(0), [""; 0]);
    assert_eq!(document.outermost_block_at(at("deep")).map(|block| block.kind()), Some("outer"));
    assert_eq!(document.innermost_block_at(at("deep")).map(|block| block.kind()), Some("inner"));
    assert_eq!(document.context_at(at("deep")).as_deref(), Some("outer \"x\" \"y\""));
    assert_eq!(document.context_at(width(TEXT.len())), None);
}

#[test]
fn lines_and_columns_convert_to_offsets() {
    let text = "a = \"é\u{301}x\"\n\nb = 2";
    let document = Engine::standard().parse("t.hcl", text).expect("it is well formed");
    let source = document.source();
    for offset in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
        let position = source.position(width(offset));
        let found = source.offset(position.line, position.column).expect("the line is there");
        assert_eq!(source.position(found).column, position.column, "{offset}");
    }
    assert_eq!(source.offset(3, 1), Some(width(text.find('b').expect("it is there"))));
    assert_eq!(source.offset(1, 6), Some(5));
    assert_eq!(source.offset(1, 7), Some(9), "the combined character is one column");
    assert_eq!(source.offset(3, 99), Some(width(text.len())));
    assert_eq!((source.offset(0, 1), source.offset(4, 1)), (None, None));
}
