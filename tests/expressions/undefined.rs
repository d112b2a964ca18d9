//! Variables without a value: an error, or unknown in an engine whose undefined names are.

use hclvm::{Document, Engine, Program, Scope, Undefined};

const TEXT: &str = "a = user.name == \"ann\"\nb = n + 1";

fn program(document: &Document, name: &str) -> Program {
    document.attribute(name).expect("it is there").program().expect("it compiles")
}

/// The result of an attribute as a text; `None` if it is unknown.
fn result(scope: &Scope, document: &Document, name: &str) -> Option<String> {
    let (mut session, program) = (document.engine().session(), program(document, name));
    let value = session.run(&program, scope).expect("no errors");
    value.is_known().then(|| value.as_number().expect("a number").to_string())
}

#[test]
fn they_are_unknown_in_an_engine_whose_undefined_names_are() {
    let engine = Engine::builder().undefined(Undefined::Unknown).build();
    let document = engine.parse("x.hcl", TEXT).expect("HCL");
    let rules = document.body().rule_set().expect("rules");
    for mut scope in [document.scope(), engine.scope(document.layout()), document.projection().scope()] {
        assert!(scope.get("user").is_some_and(|value| !value.is_known()));
        assert_eq!(result(&scope, &document, "a"), None);
        scope.set("n", &1).expect("a number");
        assert_eq!(result(&scope, &document, "b").as_deref(), Some("2"));
        let mut session = engine.session();
        let results = session.run_rules(&rules, &scope).expect("within the limits");
        assert_eq!(results.failures().len(), 0);
        // Removing a value, or failing to replace it, makes the variable unknown again.
        scope.unset("n");
        assert_eq!(result(&scope.fork(), &document, "b"), None);
        scope.set("n", &2).expect("a number");
        assert_eq!(result(&scope.fork(), &document, "b").as_deref(), Some("3"));
        assert!(scope.set_json("n", "[").is_err());
        assert_eq!(result(&scope, &document, "b"), None);
    }
}

#[test]
fn they_are_errors_in_other_engines() {
    for engine in [Engine::standard(), Engine::builder().undefined(Undefined::Text).build()] {
        let document = engine.parse("x.hcl", TEXT).expect("HCL");
        let mut scope = document.scope();
        assert!(scope.get("n").is_none());
        let program = program(&document, "b");
        assert!(engine.session().run(&program, &scope).is_err());
        scope.set_rest_unknown();
        assert_eq!(result(&scope, &document, "b"), None);
        scope.unset("n");
        assert!(engine.session().run(&program, &scope).is_err());
    }
}
