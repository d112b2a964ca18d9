//! Dynamic blocks: their expansion and diagnostics, and that their content is compiled once.

use allocation_counter::measure;
use hclvm::expansion::{BlockView, Expansion};
use hclvm::schema::Schema;
use hclvm::{Diagnostic, Document, Engine, Value};

fn document(text: &str) -> Document {
    Engine::standard().parse("t.hcl", text).expect("the text is well formed")
}

fn port() -> Schema {
    let inner = Schema::new().optional("n");
    let content = Schema::new().optional("a").optional("b").block_with("sub", &[], inner);
    Schema::new().block_with("port", &["name"], content.clone()).block_with("plain", &[], content)
}

/// Returns the blocks of a file as `type "label" { a = value sub { n = value } }`, and the diagnostics.
fn made(text: &str) -> (Vec<String>, Vec<String>) {
    let document = document(text);
    let mut scope = document.scope();
    scope.set_all_json(r#"{"list": ["x", "y"]}"#).expect("it fits");
    scope.set_unknown("unknown");
    scope
        .build("marked", |arena| {
            let items = arena.slice(&[Value::TRUE]);
            let marks = hclvm::value::marks_from(arena, &["secret"]);
            Ok(Value::tuple(arena, items).with_marks(arena, marks))
        })
        .expect("it fits");
    let engine = document.engine().clone();
    let mut session = engine.session();
    let mut expansion = session.expand(&document, &scope).expect("the layout is the document's");
    let (view, schema) = (expansion.body(), port());
    let content = expansion.content(view, &schema).expect("no limit");
    let blocks = content.blocks.iter().map(|block| shown(&mut expansion, block, &schema)).collect();
    let problems = expansion.take_diagnostics();
    (blocks, problems.iter().map(|problem| problem.title.to_string()).collect())
}

fn shown<'a>(expansion: &mut Expansion<'a>, block: &BlockView<'a>, schema: &Schema) -> String {
    let schema = schema.block_type(block.kind).and_then(|found| found.schema.clone()).unwrap_or_default();
    let content = expansion.content(block.body, &schema).expect("no limit");
    let mut parts = vec![block.kind.to_owned()];
    parts.extend(block.labels.iter().map(|label| (*label).to_owned()));
    for attribute in content.attributes {
        let (value, marks) = expansion.value(attribute).expect("no limit").unmark();
        let marks: Vec<_> = marks.names().iter().map(|mark| format!("!{mark}")).collect();
        parts.push(format!("{}={value:?}{}", attribute.name(), marks.concat()));
    }
    parts.extend(content.blocks.iter().map(|inner| format!("[{}]", shown(expansion, inner, &schema))));
    parts.join(" ")
}

#[test]
fn one_block_for_each_element_in_the_place_of_the_dynamic_block() {
    let (blocks, problems) = made(
        r#"
        plain { a = 0 }
        dynamic "port" {
          for_each = list
          iterator = p
          labels   = ["l-${p.key}"]
          content { a = p.value }
        }
        plain { a = 1 }
        "#,
    );
    assert_eq!(problems, [""; 0]);
    assert_eq!(blocks, ["plain a=0", "port l-0 a=\"x\"", "port l-1 a=\"y\"", "plain a=1"]);
}

#[test]
fn elements_of_objects_have_names_and_those_of_sets_are_their_own_keys() {
    let (blocks, problems) = made(
        r#"
        dynamic "plain" {
          for_each = { k = 1 }
          content {
            a = plain.key
            b = plain.value
          }
        }
        dynamic "plain" {
          for_each = toset(["e"])
          content {
            a = plain.key
            b = plain.value
          }
        }
        "#,
    );
    assert_eq!(problems, [""; 0]);
    assert_eq!(blocks, ["plain a=\"k\" b=1", "plain a=\"e\" b=\"e\""]);
}

#[test]
fn nested_blocks_see_all_iterators_around_them() {
    let (blocks, problems) = made(
        r#"
        dynamic "plain" {
          for_each = list
          content {
            sub { n = plain.value }
            dynamic "sub" {
              for_each = [1, 2]
              content { n = "${plain.value}${sub.value}" }
            }
          }
        }
        "#,
    );
    assert_eq!(problems, [""; 0]);
    assert_eq!(
        blocks,
        [
            "plain [sub n=\"x\"] [sub n=\"x1\"] [sub n=\"x2\"]",
            "plain [sub n=\"y\"] [sub n=\"y1\"] [sub n=\"y2\"]"
        ]
    );
}

#[test]
fn an_unknown_collection_makes_one_block_of_unknown_values() {
    let (blocks, problems) = made(
        r#"dynamic "plain" {
          for_each = unknown
          content {
            a = "known"
            sub { n = 1 }
          }
        }"#,
    );
    assert_eq!(problems, [""; 0]);
    let unknown = format!("{:?}", Value::DYNAMIC);
    assert_eq!(blocks, [format!("plain a={unknown} [sub n={unknown}]")]);
}

#[test]
fn marks_of_the_collection_are_put_on_the_values() {
    let (blocks, _) = made("dynamic \"plain\" {\n for_each = marked\n content {\n a = 1\n }\n}\n");
    assert_eq!(blocks, ["plain a=1!secret"]);
    let (blocks, _) = made("dynamic \"plain\" {\n for_each = marked\n content {\n sub { n = 1 }\n }\n}\n");
    assert_eq!(blocks, ["plain [sub n=1!secret]"]);
}

#[test]
fn faults_of_dynamic_blocks_have_the_titles_of_the_reference() {
    for (inside, title) in [
        ("for_each = 1\ncontent {}", "Invalid dynamic for_each value"),
        ("for_each = null\ncontent {}", "Invalid dynamic for_each value"),
        ("for_each = nope\ncontent {}", "Unknown variable"),
        ("content {}", "Missing required argument"),
        ("for_each = []\nmore = 1\ncontent {}", "Unsupported argument"),
        ("for_each = []\nlabels = []\ncontent {}", "Unsupported argument"),
        ("for_each = []\niterator = a.b\ncontent {}", "Invalid dynamic iterator name"),
        ("for_each = []\niterator = \"a\"\ncontent {}", "Invalid expression"),
        ("for_each = []", "Missing dynamic content block"),
        ("for_each = []\ncontent {}\ncontent {}", "Extraneous dynamic content block"),
    ] {
        let (blocks, problems) = made(&format!("dynamic \"plain\" {{\n{inside}\n}}\n"));
        assert_eq!((blocks.len(), problems), (0, vec![title.to_owned()]), "{inside}");
    }
    assert_eq!(made("dynamic \"nope\" {\n}\n").1, ["Unsupported block type"]);
    assert_eq!(made("dynamic {\n}\n").1, ["Missing type for dynamic"]);
}

#[test]
fn labels_must_be_a_literal_list_of_known_strings() {
    for (labels, title) in [
        ("list", "Invalid expression"),
        ("[]", "Insufficient dynamic block labels"),
        ("[1, 2]", "Extraneous dynamic block label"),
        ("[[]]", "Invalid dynamic block label"),
        ("[null]", "Invalid dynamic block label"),
        ("[unknown]", "Invalid dynamic block label"),
        ("[marked[0]]", "Invalid dynamic block label"),
    ] {
        let text = format!("dynamic \"port\" {{\nfor_each = [0]\nlabels = {labels}\ncontent {{}}\n}}\n");
        assert_eq!(made(&text), (vec![], vec![title.to_owned()]), "{labels}");
    }
}

#[test]
fn the_host_can_reject_a_collection() {
    let document = document("dynamic \"plain\" {\n for_each = [1]\n content {\n }\n}\n");
    let (engine, scope) = (document.engine().clone(), document.scope());
    let mut session = engine.session();
    let mut expansion = session.expand(&document, &scope).expect("the layout is the document's");
    expansion.check_for_each(|attribute, _| {
        vec![Diagnostic::error("Not here", "No.", attribute.expression_span())]
    });
    let view = expansion.body();
    let content = expansion.content(view, &port()).expect("no limit");
    assert!(content.blocks.is_empty());
    assert_eq!(
        expansion.take_diagnostics().iter().next().map(|found| found.title.as_ref()),
        Some("Not here")
    );
}

/// Evaluates a dynamic block over this many elements.
fn evaluate(document: &Document, elements: usize) {
    let engine = document.engine().clone();
    let mut scope = document.scope();
    scope.set("items", &(0..elements).collect::<Vec<_>>()).expect("it fits");
    let (mut session, schema) = (engine.session(), port());
    let mut expansion = session.expand(document, &scope).expect("the layout is the document's");
    let view = expansion.body();
    let content = expansion.content(view, &schema).expect("no limit");
    assert_eq!(content.blocks.len(), elements);
    let inner = schema.block_type("port").and_then(|found| found.schema.clone()).expect("it has one");
    for (block, at) in content.blocks.iter().zip(0_u64..) {
        let found = expansion.content(block.body, &inner).expect("no limit");
        let value = expansion.value(found.attributes[0]).expect("no limit");
        assert_eq!(value.as_number().map(|number| number.to_string()), Some((at * 2).to_string()));
    }
}

#[test]
fn content_is_compiled_once_for_any_number_of_blocks() {
    let document = document(
        "dynamic \"port\" {\n for_each = items\n labels = [port.key]\n content {\n a = port.value * 2\n }\n}\n",
    );
    evaluate(&document, 10);
    let compiled = document.engine().compiled_programs();
    // for_each, one label, one attribute
    assert_eq!(compiled, 3);
    let allocated = |elements| measure(|| evaluate(&document, elements));
    let (small, large) = (allocated(1_000), allocated(10_000));
    assert_eq!(document.engine().compiled_programs(), compiled);
    assert!(large.count_total < small.count_total * 12, "{} and {}", small.count_total, large.count_total);
    assert!(large.bytes_total < small.bytes_total * 20, "{} and {}", small.bytes_total, large.bytes_total);
}

#[test]
fn marked_labels_are_allowed_where_the_host_wants_it() {
    let labels = ["[\"a\"]", "[marked[0]]", "[\"x\"]", "[port.key]"];
    let text = labels.iter().enumerate().map(|(at, labels)| {
        let collection = if at < 2 { "[1]" } else { "marked" };
        format!("dynamic \"port\" {{\n for_each = {collection}\n labels = {labels}\n content {{}}\n}}\n")
    });
    let document = document(&text.collect::<String>());
    let mut scope = document.scope();
    scope
        .build("marked", |arena| {
            let marks = hclvm::value::marks_from(arena, &["secret"]);
            Ok(Value::tuple(arena, arena.slice(&[Value::TRUE])).with_marks(arena, marks))
        })
        .expect("it fits");
    let mut session = document.engine().session();
    let mut expansion = session.expand(&document, &scope).expect("the layout is the document's");
    let view = expansion.body();
    let content = expansion.allow_marked_labels().content(view, &port()).expect("no limit");
    let found: Vec<_> = content.blocks.iter().map(|one| (one.labels[0], one.secret_labels)).collect();
    // A literal label does not depend on the collection.
    assert_eq!(found, [("a", false), ("true", true), ("x", false), ("0", true)]);
    assert!(expansion.take_diagnostics().is_empty());
}
