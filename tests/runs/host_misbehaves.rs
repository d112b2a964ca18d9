//! Misbehaving functions and objects of a host: they end their evaluation and leave the engine intact.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use hclvm::diagnostics::Exhausted;
use hclvm::functions::{Function, FunctionTable, Parameter};
use hclvm::host::Serde;
use hclvm::ingest::{Builder, HostObject};
use hclvm::run::Tier;
use hclvm::value::{Arena, marks_from};
use hclvm::{Engine, ErrorKind, Layout, Scope, Session, Type, Value, function, functions};

/// Evaluates an expression in a session, as text.
fn shown(session: &mut Session, engine: &Engine, text: &str, scope: &Scope) -> String {
    let program = engine.compile(text, scope.layout()).expect("it compiles");
    match session.run(&program, scope) {
        Ok(value) => format!("{value:?}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_panic_ends_one_evaluation_and_no_other() {
    let mut table = functions::standard();
    table.insert(
        "below",
        function("below", ["n"], |n: i64| {
            assert!(n < 2, "on purpose");
            n + 1
        }),
    );
    let functions = Engine::builder().functions(table.clone()).build();
    let text = "function \"defined\" {\n params = [n]\n result = below(n)\n}\n";
    let definitions = functions.parse("functions.hcl", text).expect("it parses");
    definitions.body().functions("function").expect("it is well formed").add_to(&mut table);

    let engine = Engine::builder().functions(table).build();
    let document = engine.parse("x.hcl", "a = defined(n)\nb = \"${n}: ${below(n)}\"\nc = n + below(0)\n");
    let document = document.expect("it parses");
    let rules = document.body().rule_set().expect("it compiles");
    let (mut session, mut scope) = (engine.session(), document.scope());
    // More calls than the limit of call depth, which an unbalanced counter would exceed.
    for _ in 0..100 {
        scope.set("n", &2).expect("a number");
        for attribute in document.body().attributes().take(2) {
            let program = attribute.program().expect("it compiles");
            let panicked = catch_unwind(AssertUnwindSafe(|| session.run(&program, &scope).is_ok()));
            assert!(panicked.is_err());
        }
        let panicked = catch_unwind(AssertUnwindSafe(|| session.run_rules(&rules, &scope).is_ok()));
        assert!(panicked.is_err());
        scope.set("n", &1).expect("a number");
        let results = session.run_rules(&rules, &scope).expect("no limit is exceeded");
        assert_eq!(format!("{:?}", results.values()), r#"[2, "1: 2", 2]"#);
    }
    let compiles = |text| catch_unwind(AssertUnwindSafe(|| engine.compile(text, document.layout()).is_ok()));
    assert!(compiles("below(2)").is_err());
    assert_eq!(compiles("below(1)").ok(), Some(true));
}

type Make = for<'a> fn(&'a Arena) -> Value<'a>;

/// Results of every kind.
const MAKES: [Make; 11] = [
    |_| Value::NULL,
    |arena| Value::null(arena, Type::String),
    |_| Value::TRUE,
    |_| Value::int(7),
    |arena| Value::str(arena, "7"),
    |arena| Value::tuple(arena, &[]),
    |arena| Value::list(arena, &[], Type::Number),
    |_| Value::DYNAMIC,
    |arena| Value::unknown_of(arena, Type::Number),
    |arena| Value::int(3).with_marks(arena, marks_from(arena, &["secret"])),
    |arena| Value::str(arena, "x").with_marks(arena, marks_from(arena, &["secret"])),
];

#[test]
fn a_result_of_another_type_than_declared_is_an_equal_error_on_both_tiers() {
    let mut table = FunctionTable::new();
    let mut names = Vec::new();
    for (type_at, ty) in [Type::Dynamic, Type::Bool, Type::Number, Type::String].into_iter().enumerate() {
        for (make_at, make) in MAKES.into_iter().enumerate() {
            let name = format!("f{type_at}_{make_at}");
            let parameters = [Parameter::new("x", Type::Dynamic)];
            let function = Function::new(&*name, parameters, ty, move |arena, _, _| Ok(make(arena)));
            table.insert(&*name, function);
            names.push(name);
        }
    }
    let engine = Engine::builder().functions(table).build();
    let mut scope = engine.scope(&Arc::new(Layout::new(["v"])));
    scope.set("v", &true).expect("a bool");
    let (mut best, mut full) = (engine.session(), engine.session());
    full.set_tier(Tier::Baseline);
    let contexts =
        ["F", "v ? F : 1", "v ? F : \"x\"", "v ? false : F", "!F", "F + 1", "F == 7", "\"a${F}\"", "[F]"];
    for name in &names {
        for context in contexts {
            let text = context.replace('F', &format!("{name}(v)"));
            let expected = shown(&mut full, &engine, &text, &scope);
            assert_eq!(shown(&mut best, &engine, &text, &scope), expected, "{text}");
        }
    }
    let number = |make: usize| shown(&mut engine.session(), &engine, &format!("f2_{make}(v)"), &scope);
    assert_eq!([number(0), number(7)], ["null(number)", "unknown(number)"]);
    assert!(number(2).contains("its result is of type bool where it is declared to give number"));
    assert!(number(9).contains("its result is marked"));
}

#[test]
fn can_does_not_hide_a_result_that_is_too_deep() {
    struct Nested(u32);
    impl serde::Serialize for Nested {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_seq((0..self.0.min(1)).map(|_| Self(self.0 - 1)))
        }
    }
    let mut table = functions::standard();
    table.insert("nested", function("nested", ["depth"], |depth: u32| Serde(Nested(depth))));
    let engine = Engine::builder().functions(table).build();
    let scope = engine.scope(&Arc::new(Layout::new([""; 0])));
    assert_eq!(shown(&mut engine.session(), &engine, "length(nested(990))", &scope), "1");
    let program = engine.compile("can(nested(1001))", scope.layout()).expect("it compiles");
    let mut session = engine.session();
    let error = session.run(&program, &scope).expect_err("a limit");
    assert!(
        matches!(error.kind(), ErrorKind::Limit(limit) if limit.exhausted == Exhausted::Depth),
        "{error}"
    );
}

/// An object that lists a missing attribute, and others several times.
struct Liar;

impl HostObject for Liar {
    fn names(&self, visit: &mut dyn FnMut(&str)) {
        ["b", "missing", "a", "a", "e\u{301}", "\u{e9}", "self"].into_iter().for_each(visit);
    }

    fn attribute<'a>(&self, name: &str, to: Builder<'a, '_>) -> Result<Option<Value<'a>>, hclvm::Error> {
        match name {
            "missing" => Ok(None),
            "self" => to.value(&[1]).map(Some),
            "marked" => Ok(Some(Value::TRUE.with_marks(to.arena(), marks_from(to.arena(), &["secret"])))),
            _ => to.value(name).map(Some),
        }
    }
}

/// An object that contains itself.
struct Endless;

impl HostObject for Endless {
    fn names(&self, visit: &mut dyn FnMut(&str)) {
        visit("self");
    }

    fn attribute<'a>(&self, _: &str, to: Builder<'a, '_>) -> Result<Option<Value<'a>>, hclvm::Error> {
        to.object(self).map(Some)
    }
}

#[test]
fn objects_with_inconsistent_attributes_are_still_objects() {
    let engine = Engine::standard();
    let document = engine.parse("x.hcl", "a = v.a\nb = v.b\nc = v.missing\nd = v.\u{e9}\ne = v.self[0]\n");
    let document = document.expect("it parses");
    let [mut whole, mut parts] = [document.scope(), document.projection().scope()];
    for scope in [&mut whole, &mut parts] {
        scope.set_object("v", &Liar).expect("it is an object");
    }
    let mut session = engine.session();
    for attribute in document.body().attributes() {
        let program = attribute.program().expect("it compiles");
        let [one, other] = [&whole, &parts].map(|scope| match session.run(&program, scope) {
            Ok(value) => format!("{value:?}"),
            // Only a whole object shows the attributes that it has.
            Err(error) => error.to_string().split(" It has").next().unwrap_or_default().to_owned(),
        });
        assert_eq!(one, other, "{}", attribute.name());
    }
    assert_eq!(whole.get("v").and_then(|v| Some(v.as_entries()?.len())), Some(4));
    let error = whole.set_object("v", &Endless).expect_err("it has no end").to_string();
    assert!(error.contains("128 levels"), "{error}");
    assert!(whole.get("v").is_none());
}
