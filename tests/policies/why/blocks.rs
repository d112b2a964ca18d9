//! Explanations of attributes in blocks, of modules and of expansions.

use hclvm::value::{Arena, marks_from};
use hclvm::{Engine, Scope, Value};

#[test]
fn paths_name_all_blocks_around_an_attribute() {
    let text = r#"
        one {
          dynamic "two" {
            for_each = ["a", "b"]
            labels   = [two.value]
            content {
              dynamic "three" {
                for_each = [1]
                labels   = ["t"]
                content {
                  dynamic "four" {
                    for_each = [2]
                    content { v = two.value == "a" && three.value + four.value == n }
                  }
                  after = three.value == 1
                }
              }
              after = two.value == "b"
            }
          }
        }
        last = n == 3
        locals { l = n + 1 }
    "#;
    let module = Engine::new().parse("x.hcl", text).expect("HCL").module().expect("a module");
    let mut scope = module.scope();
    scope.set("n", &3).expect("a variable");
    let mut session = module.document().engine().session();
    let whys = module.why(&mut session, &scope, |_, _| true).expect("no limit");
    let shown: Vec<String> = whys.iter().map(|(path, why)| format!("{path} is {}", why.result())).collect();
    let expected = [
        "one.two.a.three.t.four.v is true",
        "one.two.b.three.t.four.v is false",
        "one.two.a.three.t.after is true",
        "one.two.b.three.t.after is true",
        "one.two.a.after is false",
        "one.two.b.after is true",
        "last is true",
        "local.l is 4",
    ];
    assert_eq!(shown, expected);
}

/// Returns a scope in which `list` is a list, a marked one, or unknown.
fn scope(mut scope: Scope, list: &str) -> Scope {
    let arena = Arena::new();
    let items = [Value::int(1), Value::int(2)];
    let value = Value::tuple(&arena, &items);
    match list {
        "unknown" => scope.set_unknown("list"),
        "marked" => {
            let value = value.with_marks(&arena, marks_from(&arena, &["sensitive"]));
            scope.set_value("list", value).expect("it is small");
        }
        _ => scope.set_value("list", value).expect("it is small"),
    }
    scope
}

const BLOCKS: &str = r#"
    top = 1 == 1
    dynamic "b" {
      for_each = list
      content { v = b.value > 1 && 2 > 1 }
    }
"#;

#[test]
fn blocks_of_a_marked_collection_are_not_explained() {
    let module = Engine::new().parse("x.hcl", BLOCKS).expect("HCL").module().expect("a module");
    let mut session = module.document().engine().session();
    for (list, expected) in [("known", 3), ("marked", 1), ("unknown", 1)] {
        let scope = scope(module.scope(), list);
        let whys = module.why(&mut session, &scope, |_, _| true).expect("no limit");
        assert_eq!(whys.len(), expected, "{list}: {whys:?}");
    }
}

#[test]
fn attributes_of_expansions_are_explained_and_observed() {
    let engine = Engine::new();
    let document = engine.parse("x.hcl", BLOCKS).expect("HCL");
    let mut session = engine.session();
    for (list, expected) in [
        ("known", &["`b.value > 1` is false (b.value = 1)", "`b.value > 1` and `2 > 1` are true"][..]),
        ("marked", &[]),
        ("unknown", &[]),
    ] {
        let scope = scope(document.scope(), list);
        let mut expansion = session.expand(&document, &scope).expect("it expands");
        let content = expansion.everything(expansion.body()).expect("it expands");
        let top = content.attributes[0];
        let why = expansion.why(top, &|_| None).expect("no limit").expect("it is known");
        assert_eq!(why.reason(), "true, because `1 == 1` is true");
        assert!(expansion.observe(top).expect("no limit").is_some());
        let mut views = Vec::new();
        for block in &content.blocks {
            views.extend(expansion.everything(block.body).expect("it expands").attributes);
        }
        let mut shown = Vec::new();
        // Backwards, so that each has to have the values of its own block.
        for view in views.into_iter().rev() {
            let why = expansion.why(view, &|_| None).expect("no limit");
            let observed = expansion.observe(view).expect("no limit");
            assert_eq!(why.is_some(), observed.is_some(), "{list}");
            shown.extend(why.map(|why| why.reason()));
        }
        shown.reverse();
        let because: Vec<&str> =
            shown.iter().filter_map(|reason| Some(reason.split_once("because ")?.1)).collect();
        assert_eq!(because, expected, "{list}");
    }
}
