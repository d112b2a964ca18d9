//! What programs use first: one expression in one call, values as Rust's types, the default dialect, fuel, and
//! files that are one document.

use std::sync::Arc;

use hclvm::functions::{self, Capabilities};
use hclvm::{Dialect, Engine, Error, Layout, Limits, Undefined};
use serde_json::json;

#[test]
fn an_expression_is_evaluated_in_one_call() {
    let engine = Engine::new();
    assert_eq!(engine.eval("1 + 2", &()).expect("a number").get().as_i64(), Some(3));
    let variables = json!({"user": {"name": "ann"}});
    assert_eq!(
        engine.eval("\"Hi ${upper(user.name)}\"", &variables).expect("a string").to_string(),
        "Hi ANN"
    );
    let layout = Arc::new(Layout::new(["n"]));
    let mut scope = engine.scope(&layout);
    scope.set("n", &4).expect("it fits");
    assert_eq!(engine.eval("n * n", &scope).expect("a number").to_string(), "16");
}

#[test]
fn errors_of_one_call_are_those_of_the_expression() {
    let engine = Engine::new();
    let message = |text: &str| engine.eval(text, &json!({"user": 1})).unwrap_err().to_string();
    assert!(message("1 +").starts_with("expression:1:4: "), "{}", message("1 +"));
    assert!(message("usr").contains("\"user\""), "{}", message("usr"));
    let error = engine.eval("1", &[1, 2]).unwrap_err();
    assert!(error.to_string().contains("struct or a map"), "{error}");
}

#[test]
fn values_convert_to_types_of_rust() -> Result<(), Error> {
    let engine = Engine::new();
    let value = |text: &str| engine.eval(text, &());
    assert_eq!(i64::try_from(&value("3")?)?, 3);
    assert_eq!(u64::try_from(&value("18446744073709551615")?)?, u64::MAX);
    assert_eq!(f64::try_from(&value("1 / 4")?)?, 0.25);
    assert!(bool::try_from(&value("1 < 2")?)?);
    assert_eq!(String::try_from(&value("\"a\"")?)?, "a");
    assert_eq!(value("1 / 4")?.get().as_i64(), None);
    assert_eq!(value("1 / 4")?.get().as_f64(), Some(0.25));
    assert_eq!(value("\"1\"")?.get().as_f64(), None);
    let misfit = i64::try_from(&value("\"ten\"")?).unwrap_err();
    assert_eq!(misfit.to_string(), "expected a whole number of 64 bits, found \"ten\"");
    Ok(())
}

#[test]
fn values_are_displayed_as_templates_show_them() -> Result<(), Error> {
    let engine = Engine::new();
    for (text, shown) in [
        ("\"a \\\"b\\\"\"", "a \"b\""),
        ("6.50", "6.5"),
        ("1e30", "1000000000000000000000000000000"),
        ("true", "true"),
        ("null", "null"),
        ("{ a = [1, \"x\"] }", "{a = [1, \"x\"]}"),
    ] {
        assert_eq!(engine.eval(text, &())?.to_string(), shown, "{text}");
    }
    assert_eq!(format!("{:>5}", engine.eval("12", &())?), "   12");
    Ok(())
}

#[test]
fn marked_values_are_not_displayed() {
    let arena = hclvm::value::Arena::new();
    let marks = hclvm::value::marks_from(&arena, &["secret"]);
    let value = hclvm::Value::short(7).with_marks(&arena, marks);
    assert_eq!(value.to_string(), "(marked)");
    assert!(!i64::try_from(value).unwrap_err().to_string().contains('7'));
}

#[test]
fn the_default_dialect_has_every_function_that_depends_on_its_arguments_alone() {
    let none = Capabilities::none();
    let table = functions::all(&none);
    let others =
        [functions::standard(), functions::packer(&none), functions::nomad(&none), functions::opentofu()];
    for other in &others {
        for name in other.names().filter(|name| !name.contains("::")) {
            let pure = other.get(name).is_some_and(|function| function.pure);
            assert!(!pure || table.get(name).is_some(), "{name}");
        }
    }
    assert!(table.get("vault").is_none());
    let value = |text: &str| Engine::new().eval(text, &()).map(|value| value.to_string()).unwrap_or_default();
    assert_eq!(value("coalesce(\"\", \"b\")"), "b");
    assert_eq!(value("index([\"a\", \"b\"], \"b\")"), "1");
    assert_eq!(value("lookup({ a = 1 }, \"a\")"), "1");
    assert_eq!(value("alltrue([true])"), "true");
}

#[test]
fn functions_of_the_default_dialect_reach_nothing_that_is_not_granted() {
    let error = Engine::new().eval("timestamp()", &()).unwrap_err();
    assert!(error.to_string().contains("\"clock\""), "{error}");
    let granted = Dialect::granted(&Capabilities::none().system_clock());
    let engine = Engine::builder().dialect(granted).build();
    assert!(engine.eval("timestamp()", &()).is_ok());
}

#[test]
fn undefined_names_are_set_for_the_default_dialect_too() {
    let engine = Engine::builder().undefined(Undefined::Unknown).build();
    let document = engine.parse("x.hcl", "x = user.name").expect("it parses");
    let program = document.attribute("x").expect("it is there").program().expect("it compiles");
    let scope = document.scope();
    assert!(!engine.session().run(&program, &scope).expect("it is unknown").is_known());
    assert!(!engine.eval("user", &()).expect("it is unknown").get().is_known());
}

#[test]
fn results_tell_the_fuel_they_took() {
    let engine = Engine::builder().limits(Limits { fuel: 100_000, ..Limits::untrusted() }).build();
    let text = "x = length([for n in list : n * 2])\nlocals {\n  y = join(\"-\", list)\n}\n";
    let module = engine.parse("x.hcl", text).and_then(|document| document.module()).expect("a module");
    let mut session = engine.session();
    let mut fuel = |length: usize| {
        let mut scope = module.scope();
        scope.set("list", &vec![1; length]).expect("it fits");
        module.evaluate(&mut session, &scope).expect("within limits").fuel().expect("one evaluation")
    };
    let (short, long) = (fuel(10), fuel(1_000));
    assert!(short < long && long < 100_000, "{short} {long}");
    let document = module.document();
    let program = document.attribute("x").expect("it is there").program().expect("it compiles");
    let mut scope = document.scope();
    scope.set("list", &vec![1; 1_000]).expect("it fits");
    let one = engine.session().evaluate(&program, &scope).expect("within limits").fuel;
    assert!((1..=long).contains(&one), "{one} {long}");
    let rules = document.body().rule_set().expect("rules");
    let all = engine.session().run_rules(&rules, &scope).expect("within limits").fuel();
    assert!((1..=long).contains(&all), "{all} {long}");
}

fn together(engine: &Engine, files: &[(&str, &str)]) -> (Option<hclvm::Document>, Vec<String>) {
    let files = files.iter().map(|(name, text)| (*name, text.as_bytes()));
    let (document, problems) = engine.parse_files("all", files);
    (document, problems.iter().map(ToString::to_string).collect())
}

#[test]
fn diagnostics_of_several_files_have_the_positions_in_each() {
    let engine = Engine::new();
    let files =
        [("a.hcl", "\u{FEFF}a = 1"), ("b.hcl", "\nb = local.x\n"), ("c.hcl", "é = [\n  upper(1, 2)\n]\n")];
    let (document, problems) = together(&engine, &files);
    assert_eq!(problems, [""; 0]);
    let document = document.expect("there are no errors");
    let found = document.check(&hclvm::check::Declared::anything()).by_file();
    let places: Vec<String> = found.iter().map(|one| one.to_string()).collect();
    assert_eq!(places.len(), 2);
    assert!(places[0].starts_with("b.hcl:2:10: "), "{}", places[0]);
    assert!(places[1].starts_with("c.hcl:2:12: "), "{}", places[1]);
    assert!(found[1].report().to_string().contains("2 |   upper(1, 2)"), "{}", found[1].report());
}

#[test]
fn problems_of_each_of_several_files_are_told() {
    let engine = Engine::new();
    let (document, problems) = together(&engine, &[("a.hcl", "x = \n"), ("b.hcl", "y = ]\n")]);
    assert!(document.is_none() && problems[0].starts_with("a.hcl:1") && problems[1].starts_with("b.hcl:1"));
    let (document, problems) = together(&engine, &[("a.hcl", "\nx = 1\n"), ("b.hcl", "x = 2\n")]);
    assert!(document.is_none());
    assert!(
        problems[0].starts_with("b.hcl:1:1: ") && problems[0].contains("a.hcl on line 2"),
        "{problems:?}"
    );
}
