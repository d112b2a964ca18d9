//! Functions defined in HCL: their results, diagnostics of definitions, and limits. Functions of the host are in
//! host_functions.rs.

use hclvm::diagnostics::Exhausted;
use hclvm::{Engine, Error, ErrorKind, OwnedValue, functions};

fn engine(library: &str) -> Result<Engine, Error> {
    let library = Engine::standard().parse("lib.hcl", library).expect("the library is well formed");
    let mut table = functions::standard();
    library.body().functions("function")?.add_to(&mut table);
    Ok(Engine::builder().functions(table).build())
}

fn run_on(engine: &Engine, expression: &str) -> Result<OwnedValue, Error> {
    let document = engine.parse("x.hcl", &format!("x = {expression}\n")).expect("it is well formed");
    let mut scope = document.scope();
    scope.build("text", |arena| Ok(hclvm::Value::unknown_of(arena, hclvm::Type::String)))?;
    scope.build("secret", |arena| {
        let marks = hclvm::value::marks_from(arena, &["secret"]);
        Ok(hclvm::Value::int(2).with_marks(arena, marks))
    })?;
    let program = document.attribute("x").expect("it is there").program()?;
    let mut session = engine.session();
    session.run(&program, &scope).map(OwnedValue::new)
}

fn run(library: &str, expression: &str) -> Result<String, Error> {
    run_on(&engine(library)?, expression).map(|value| format!("{value:?}"))
}

const LIBRARY: &str = r#"
function "double" {
  params = [n]
  result = n * 2
}
function "joined" {
  params         = [separator]
  variadic_param = parts
  result         = "${length(parts)}:${join(separator, parts)}"
}
function "quadruple" {
  params = [n]
  result = double(double(n))
}
function "sum" {
  params = [n]
  result = n + max(concat([0], [for _ in range(min(n, 1)) : sum(n - 1)])...)
}
function "endless" {
  params = [n]
  result = endless(n + 1)
}
function "twice" {
  params = [n]
  result = length([for _ in range(min(n, 1)) : [twice(n - 1), twice(n - 1)]])
}
function "shouted" {
  params = [text]
  result = "${text}!"
}
function "described" {
  params = [name]
  result = { zeta = 1, name = name, alpha = { inner = name } }
}
"#;

#[test]
fn defined_functions_call_the_engines_each_other_and_themselves() {
    for (expression, wanted) in [
        ("double(21)", "42"),
        ("joined(\"-\", \"a\", \"b\")", "\"2:a-b\""),
        ("joined(\"-\")", "\"0:\""),
        ("quadruple(3)", "12"),
        ("sum(10)", "55"),
        ("[for n in [1, 2]: double(n)][1]", "4"),
    ] {
        assert_eq!(run(LIBRARY, expression).expect("it has a value"), wanted, "{expression}");
    }
}

#[test]
fn results_can_be_used_by_another_engine() {
    let expression = "[for d in [described(\"x\")]: \"${d.alpha.inner}${d.name}${d.zeta}\"][0]";
    assert_eq!(run(LIBRARY, expression).expect("it has a value"), "\"xx1\"");
    // Symbols of names are not carried from one engine to another.
    let first =
        run_on(&engine(LIBRARY).expect("it is well formed"), "{ p = 1, q = 2 }").expect("it has a value");
    let other = Engine::standard();
    let document = other.parse("y.hcl", "y = v.q + 10 * v.p\n").expect("it is well formed");
    let mut scope = document.scope();
    scope.set_value("v", first.get()).expect("it fits");
    let program = document.attribute("y").expect("it is there").program().expect("it compiles");
    let mut session = other.session();
    let value = session.run(&program, &scope).expect("it has a value");
    assert_eq!(value.as_number().map(|number| number.to_string()), Some("12".to_owned()));
}

#[test]
fn nulls_are_rejected_and_unknowns_and_marks_propagate() {
    let error = run(LIBRARY, "double(null)").expect_err("null is no argument").to_string();
    assert!(error.contains("argument must not be null"), "{error}");
    let engine = engine(LIBRARY).expect("it is well formed");
    let shouted = run_on(&engine, "shouted(text)").expect("it has a value");
    let hclvm::value::View::Unknown(unknown) = shouted.get().view() else { panic!("{shouted:?}") };
    assert_eq!(unknown.ty, hclvm::Type::String);
    let double = run_on(&engine, "double(secret)").expect("it has a value");
    assert_eq!(double.get().unmark().1.names(), ["secret"]);
}

#[test]
fn faults_inside_a_function_are_reported_at_their_position() {
    let error = run(LIBRARY, "double([])").expect_err("a list has no double").to_string();
    assert!(
        error.contains("Error in function call") && error.contains("lib.hcl:4:12: Invalid operand"),
        "{error}"
    );
    let error =
        run("function f {\n params = []\n result = nope\n}\n", "f()").expect_err("no such name").to_string();
    assert!(error.contains("lib.hcl:3:11: Unknown variable"), "{error}");
}

#[test]
fn recursion_ends_at_a_limit() {
    assert_eq!(run(LIBRARY, "sum(60)").expect("it is within the limit"), "1830");
    for expression in ["endless(0)", "sum(1000)", "try(endless(0), 1)"] {
        let error = run(LIBRARY, expression).expect_err("it has no end");
        let ErrorKind::Limit(limit) = error.kind() else { panic!("{expression}: {error}") };
        assert_eq!(limit.exhausted, Exhausted::Calls, "{expression}");
    }
    let error = run(LIBRARY, "twice(60)").expect_err("it would take for ever");
    let ErrorKind::Limit(limit) = error.kind() else { panic!("{error}") };
    assert!(matches!(limit.exhausted, Exhausted::Fuel | Exhausted::Memory), "{limit}");
}

#[test]
fn invalid_definitions_are_reported_at_their_position() {
    for (library, wanted) in [
        ("function f {\n params = [1]\n result = 1\n}\n", "lib.hcl:2:12: Invalid param element"),
        (
            "function f {\n params = []\n variadic_param = \"x\"\n result = 1\n}\n",
            "lib.hcl:3:19: Invalid variadic_param",
        ),
        ("function f {\n params = x\n result = 1\n}\n", "lib.hcl:2:11: Invalid expression"),
        ("function f {\n result = 1\n}\n", "lib.hcl:1:12: Missing required argument"),
        ("function f {\n params = []\n}\n", "lib.hcl:1:12: Missing required argument"),
        ("function f {\n params = []\n result = 1\n more = 1\n}\n", "lib.hcl:4:2: Unsupported argument"),
        ("function {\n params = []\n result = 1\n}\n", "lib.hcl:1:10: Missing name for function"),
    ] {
        let error = engine(library).expect_err("the definition is wrong").to_string();
        assert!(error.starts_with(wanted), "{library}: {error}");
    }
}

#[test]
fn other_blocks_and_attributes_remain_in_the_rest() {
    let document =
        Engine::standard().parse("lib.hcl", "a = 1\nfunction f {\n params = []\n result = 1\n}\nb {}\n");
    let document = document.expect("it is well formed");
    let found = document.body().functions("function").expect("it is well formed");
    assert_eq!(found.functions.len(), 1);
    let schema = hclvm::schema::Schema::new().optional("a").block("b", &[]);
    assert_eq!(found.rest.content(&schema).expect("nothing else is left").attributes.len(), 1);
}
