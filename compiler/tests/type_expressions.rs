//! Type expressions: types, problems, and applying defaults.

use hclvm_compiler::typeexpr::{TypeMode, convert_with_defaults, type_of_expression, type_string};
use hclvm_compiler::{ParseLimits, parse_expression};
use hclvm_vm::{Arena, Value, exec};

/// Returns the type as text, or the titles of the problems with the texts of their subjects.
fn read(text: &str, mode: TypeMode) -> Result<String, Vec<String>> {
    let parsed = parse_expression(text, &ParseLimits::default());
    assert!(parsed.diagnostics.is_empty(), "{text}: {:?}", parsed.diagnostics);
    let arena = Arena::new();
    match type_of_expression(&parsed.tree, parsed.root, mode, &arena) {
        Ok(found) => Ok(type_string(found.ty)),
        Err(problems) => Err(problems
            .iter()
            .map(|problem| {
                let problem = problem.diagnostic(&parsed.tree);
                format!("{}: {}", problem.title, problem.subject.map_or("", |span| span.slice(text)))
            })
            .collect()),
    }
}

#[test]
fn types_are_written_as_they_are_read() {
    for text in ["string", "list(set(map(bool)))", "tuple([number,tuple([])])", "object({a=number,b=string})"]
    {
        assert_eq!(read(text, TypeMode::Exact).as_deref(), Ok(text));
    }
    assert_eq!(
        read("object({ b = any, a = optional(string) })", TypeMode::Constraint),
        Ok("object({a=string,b=any})".into())
    );
}

#[test]
fn every_problem_is_reported_at_its_place() {
    let invalid = |places: &[&str]| -> Result<String, Vec<String>> {
        Err(places.iter().map(|place| format!("Invalid type specification: {place}")).collect())
    };
    assert_eq!(read("any", TypeMode::Exact), invalid(&["any"]));
    assert_eq!(read("list(string, bool, number)", TypeMode::Exact), invalid(&["bool, number"]));
    assert_eq!(read("map()", TypeMode::Exact), invalid(&["()"]));
    assert_eq!(read("bool(1)", TypeMode::Exact), invalid(&["(1)"]));
    assert_eq!(read("optional(string)", TypeMode::Constraint), invalid(&["optional"]));
    assert_eq!(
        read("object({\"a\" = nope, b = nope, b = string})", TypeMode::Exact),
        invalid(&["\"a\"", "nope", "b"])
    );
    assert_eq!(read("object({a = optional(any)})", TypeMode::Exact), invalid(&["optional", "any"]));
    assert_eq!(read("object({a = optional(string, 1)})", TypeMode::Constraint), invalid(&["(string, 1)"]));
    assert_eq!(read("(string)", TypeMode::Exact), invalid(&["(string)"]));
}

#[test]
fn defaults_are_constants_of_the_type() {
    let of_default = |text: &str| read(text, TypeMode::WithDefaults);
    assert_eq!(of_default("object({a = optional(number, 1 + 1)})"), Ok("object({a=number})".into()));
    assert_eq!(
        of_default("object({a = optional(number, [])})"),
        Err(vec!["Invalid default value for optional attribute: []".into()])
    );
    assert_eq!(of_default("object({a = optional(number, b)})"), Err(vec!["Variables not allowed: b".into()]));
    assert_eq!(
        of_default("object({a = optional(number, f())})"),
        Err(vec!["Function calls not allowed: f()".into()])
    );
}

#[test]
fn defaults_that_never_end_are_refused() {
    let ten = "[1,1,1,1,1,1,1,1,1,1]";
    let mut loops = "1".to_owned();
    for name in ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"] {
        loops = format!("[for {name} in {ten} : {loops}]");
    }
    let problems = read(&format!("object({{a = optional(any, {loops})}})"), TypeMode::WithDefaults);
    assert!(problems.expect_err("it is endless")[0].starts_with("Invalid default value"));
}

#[test]
fn defaults_fill_what_is_missing_or_null() {
    for (text, given, want) in [
        (
            "list(object({a = string, b = optional(object({c = optional(number, 3)}), {})}))",
            r#"[{a = "x"}, {a = "y", b = null}, {a = 1, b = {c = 4}}]"#,
            r#"tolist([{a = "x", b = {c = 3}}, {a = "y", b = {c = 3}}, {a = "1", b = {c = 4}}])"#,
        ),
        ("set(object({a = optional(number, 3)}))", "[{}, {a = 3}, {a = null}]", "toset([{a = 3}])"),
        (
            "map(object({a = optional(number, 3)}))",
            "{x = {}, y = {a = 4}}",
            "tomap({x = {a = 3}, y = {a = 4}})",
        ),
        ("tuple([object({a = optional(number, 3)}), any])", "[{}, {}]", "[{a = 3}, {}]"),
        ("tuple([any, object({a = optional(number, 3)})])", "[{}, {}]", "[{}, {a = 3}]"),
        ("object({b = object({a = optional(number, 3)})})", "{b = {}}", "{b = {a = 3}}"),
        ("object({a = optional(number, 3), b = optional(number)})", "{}", "{a = 3, b = null(number)}"),
        ("object({a = optional(number, 3)})", "{a = 0}", "{a = 0}"),
        ("object({a = optional(number, \"5\")})", "{c = 1}", "{a = 5}"),
        ("list(object({a = optional(number, 3)}))", "[]", "tolist([])"),
        ("map(object({a = optional(number, 3)}))", "{}", "tomap({})"),
        ("object({a = optional(number, 3)})", "null", "null(object)"),
        ("list(object({a = optional(number, 3)}))", "[null]", "tolist([null(object)])"),
    ] {
        let arena = Arena::new();
        let parsed = parse_expression(text, &ParseLimits::default());
        let found =
            type_of_expression(&parsed.tree, parsed.root, TypeMode::WithDefaults, &arena).expect("a type");
        let given = value(&arena, given);
        let converted = convert_with_defaults(&arena, given, found.ty, found.defaults.as_ref());
        assert_eq!(format!("{:?}", converted.expect("it fits")), want, "{text}");
    }
}

/// Evaluates a constant expression.
fn value<'a>(arena: &'a Arena, text: &str) -> Value<'a> {
    use hclvm_compiler::lower::{Context, Environment, Scratch, Undefined, lower_baseline};
    let parsed = parse_expression(text, &ParseLimits::default());
    let names = hclvm_vm::Names::new();
    let environment = Environment {
        layout: None,
        functions: None,
        undefined: Undefined::Error,
        short_circuit: true,
        names: &names,
        source: text,
    };
    let first = parsed.tree.first_node(parsed.root);
    let context = Context {
        tree: &parsed.tree,
        first,
        root: parsed.root,
        environment: &environment,
        resolution: None,
        folded: None,
        scratch: &Scratch::default(),
    };
    let code = lower_baseline(&context).expect("it is small");
    let scratch = Arena::new();
    let outcome = exec::run(&code, &[], &scratch);
    assert!(outcome.faults.is_empty(), "{text}");
    hclvm_vm::copy(arena, outcome.value)
}

#[test]
fn types_nest_as_deep_as_expressions() {
    let text = format!("{}string{}", "list(".repeat(900), ")".repeat(900));
    assert_eq!(read(&text, TypeMode::Exact).as_deref(), Ok(text.as_str()));
}
