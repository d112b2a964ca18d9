//! Documents parsed again: what is compiled, kept and dropped.

use hclvm::{Engine, Update};

const BEFORE: &str = r#"
limit = user.level * 10
rule "a" { when = user.name == "ann" }
rule "b" { when = user.level > 3 }
"#;

fn paths(list: &[&str]) -> Vec<String> {
    list.iter().map(|path| (*path).to_owned()).collect()
}

#[test]
fn only_what_changed_is_compiled() {
    let engine = Engine::standard();
    let document = engine.parse("rules.hcl", BEFORE).expect("HCL");
    let (document, first) = document.update(BEFORE).expect("HCL");
    assert_eq!(first.reused.len() + first.compiled.len(), 3);
    let compiled = engine.compiled_programs();
    let after = r#"
rule "b" {
  when = user.level > 4
}
# moved
limit = user.level * 10
rule "c" { when = user.name == "ann" }
"#;
    let (_, update) = document.update(after).expect("HCL");
    let expected = Update {
        compiled: paths(&["rule.b.when"]),
        reused: paths(&["limit", "rule.c.when"]),
        dropped: paths(&["rule.a.when"]),
    };
    assert_eq!(update, expected);
    assert_eq!(engine.compiled_programs(), compiled + 1);
}

#[test]
fn code_of_a_moved_expression_points_at_its_new_place() {
    let engine = Engine::standard();
    let (document, _) =
        engine.parse("x.hcl", "a = user.nope").expect("HCL").update("a = user.nope").expect("HCL");
    let (moved, update) = document.update("\n\nb = 1\na = user.nope").expect("HCL");
    assert_eq!(update.reused, paths(&["a"]));
    let mut scope = moved.scope();
    scope.set("user", &serde_json::json!({})).expect("a value");
    let program = moved.attribute("a").expect("it is there").program().expect("it compiles");
    let error = engine.session().run(&program, &scope).expect_err("no such attribute").to_string();
    assert!(error.starts_with("x.hcl:4:9:"), "{error}");
}

#[test]
fn a_text_with_further_variables_keeps_the_code_that_does_not_read_them() {
    let engine = Engine::standard();
    let (document, _) =
        engine.parse("x.hcl", "a = one + 1").expect("HCL").update("a = one + 1").expect("HCL");
    let (wider, update) = document.update("b = zero + one\na = one + 1").expect("HCL");
    assert_eq!((update.reused, update.compiled), (paths(&["a"]), paths(&["b"])));
    let mut scope = wider.scope();
    scope.set("one", &1).expect("a value");
    scope.set("zero", &0).expect("a value");
    let program = wider.attribute("a").expect("it is there").program().expect("it compiles");
    assert_eq!(format!("{:?}", engine.session().run(&program, &scope).expect("a sum")), "2");
}

#[test]
fn a_text_that_is_no_hcl_changes_nothing() {
    let engine = Engine::standard();
    let document = engine.parse("x.hcl", "a = 1").expect("HCL");
    assert!(document.update("a = ").is_err());
    assert!(document.attribute("a").is_some());
}
