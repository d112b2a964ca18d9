//! The compile cache: expressions of equal text share code only if they mean the same. Updates of documents
//! are in update.rs.

use std::sync::Arc;

use hclvm::run::Tier;
use hclvm::{Engine, Error, Layout, Program, Scope, Undefined, Value};

/// How a text is compiled.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Expression,
    Template,
    Json,
    Attribute,
    JsonAttribute,
}

const KINDS: [Kind; 5] = [Kind::Expression, Kind::Template, Kind::Json, Kind::Attribute, Kind::JsonAttribute];

fn compile(engine: &Engine, kind: Kind, text: &str) -> Result<Program, Error> {
    let layout = Arc::new(Layout::new(["n"]));
    match kind {
        Kind::Expression => engine.compile(text, &layout),
        Kind::Template => engine.compile_template(text, &layout),
        Kind::Json => engine.compile_json(text, &layout),
        Kind::Attribute => {
            let document = engine.parse("", &format!("k = n\na = {text}"))?;
            document.attribute("a").expect("it is there").program()
        }
        Kind::JsonAttribute => {
            let document = engine.parse_json("", &format!("{{\"k\": \"${{n}}\", \"a\": {text}}}"))?;
            document.attribute("a").expect("it is there").program()
        }
    }
}

/// Returns the value, which is equal on both tiers; `None` if there is an error.
fn result(engine: &Engine, compiled: &Result<Program, Error>) -> Option<String> {
    let program = compiled.as_ref().ok()?;
    let mut scope = engine.scope(program.layout());
    scope.set("n", &2).expect("a number");
    let [best, baseline] = [Tier::Best, Tier::Baseline].map(|tier| run(engine, tier, program, &scope).ok());
    assert_eq!(best, baseline, "{}", program.source().text());
    best
}

/// Returns the value, or the title of the first error.
fn run(engine: &Engine, tier: Tier, program: &Program, scope: &Scope) -> Result<String, String> {
    let mut session = engine.session();
    session.set_tier(tier);
    match session.run(program, scope) {
        Ok(value) => Ok(format!("{value:?}")),
        Err(error) => Err(error
            .diagnostics()
            .into_iter()
            .flatten()
            .map(|one| one.title.to_string())
            .next()
            .unwrap_or_default()),
    }
}

/// Sets a variable that the layout may not have.
fn set(scope: &mut Scope, name: &str, value: i64) {
    scope.set_value(name, Value::short(value)).expect("a number");
}

#[test]
fn equal_texts_of_different_languages_do_not_share_code() {
    for (text, expected) in [
        // As an expression, a template and JSON, alone and in a file.
        ("n", ["2", "\"n\"", "", "2", ""]),
        ("1 + 1", ["2", "\"1 + 1\"", "", "2", ""]),
        ("\"n\"", ["\"n\"", "\"\\\"n\\\"\"", "\"n\"", "\"n\"", "\"n\""]),
        ("\"${n}\"", ["2", "\"\\\"2\\\"\"", "2", "2", "2"]),
        ("\"${n}a\"", ["\"2a\"", "\"\\\"2a\\\"\"", "\"2a\"", "\"2a\"", "\"2a\""]),
        ("\"\\u0041${n}\"", ["\"A2\"", "\"\\\"\\\\u00412\\\"\"", "\"A2\"", "\"A2\"", "\"A2\""]),
        ("[n]", ["[2]", "\"[n]\"", "", "[2]", ""]),
        ("[1, 2]", ["[1, 2]", "\"[1, 2]\"", "[1, 2]", "[1, 2]", "[1, 2]"]),
        (
            "{\"a\": 1, \"a\": \"${n}\"}",
            ["{a = 2}", "\"{\\\"a\\\": 1, \\\"a\\\": \\\"2\\\"}\"", "", "{a = 2}", ""],
        ),
        ("{\"a${n}\": 1}", ["{a2 = 1}", "\"{\\\"a2\\\": 1}\"", "{a2 = 1}", "{a2 = 1}", "{a2 = 1}"]),
        ("null", ["null", "\"null\"", "null", "null", "null"]),
        ("\"a\\/${n}\"", ["", "\"\\\"a\\\\/2\\\"\"", "\"a/2\"", "", "\"a/2\""]),
    ] {
        // One after the other in one engine, in both orders, with all programs alive.
        for backwards in [false, true] {
            let engine = Engine::standard();
            let mut kinds: Vec<(Kind, &str)> = KINDS.into_iter().zip(expected).collect();
            if backwards {
                kinds.reverse();
            }
            let mut kept = Vec::new();
            for (kind, expected) in kinds {
                let compiled = compile(&engine, kind, text);
                let found = result(&engine, &compiled);
                // An empty expectation is an error.
                assert_eq!(found.as_deref().unwrap_or(""), expected, "{kind:?} {text}");
                kept.push(compiled);
            }
        }
    }
}

#[test]
fn layouts_of_other_sizes_and_orders_do_not_share_code() {
    let layouts: [&[&str]; 8] = [
        &["a"],
        &["b"],
        &["a", "b"],
        &["b", "a"],
        &["a", "b", "c"],
        &["c", "a", "b"],
        &["a", "c", "b"],
        &["x", "y", "z", "c", "b", "a"],
    ];
    let texts = [
        ("a - b", &["a", "b"][..], "-1"),
        ("a * 10 + b", &["a", "b"], "12"),
        ("c", &["c"], "3"),
        ("a", &["a"], "1"),
        ("b == 2 ? \"yes\" : \"no\"", &["b"], "\"yes\""),
        ("[for a in [b] : a * b]", &["b"], "[4]"),
        ("try(c, \"none\")", &[], "3"),
        ("try(b.x, a, \"none\")", &[], "1"),
    ];
    // Every layout is once the first.
    for first in 0..layouts.len() {
        let engine = Engine::standard();
        let mut kept = Vec::new();
        for at in 0..layouts.len() {
            let names = layouts[(first + at) % layouts.len()];
            let layout = Arc::new(Layout::new(names.iter().copied()));
            for (text, needed, expected) in texts {
                let program = engine.compile(text, &layout).expect("it compiles");
                let mut scope = engine.scope(&layout);
                for (name, value) in [("a", 1), ("b", 2), ("c", 3)] {
                    set(&mut scope, name, value);
                }
                let has = |name: &&str| names.contains(name);
                let expected = match text {
                    "try(c, \"none\")" if !names.contains(&"c") => "\"none\"",
                    "try(b.x, a, \"none\")" if !names.contains(&"a") => "\"none\"",
                    _ if needed.iter().all(has) => expected,
                    _ => "Unknown variable",
                };
                for tier in [Tier::Best, Tier::Baseline] {
                    let found = run(&engine, tier, &program, &scope).unwrap_or_else(|title| title);
                    assert_eq!(found, expected, "{text} in {names:?}");
                }
                kept.push(program);
            }
        }
    }
}

#[test]
fn code_is_shared_where_it_means_the_same() {
    let engine = Engine::standard();
    let [small, large] = [&["a"][..], &["a", "b"]].map(|names| Arc::new(Layout::new(names.iter().copied())));
    let kept = engine.compile("a + 1", &small).expect("it compiles");
    let compiled = engine.compiled_programs();
    let again = engine.compile("a + 1", &small).expect("it compiles");
    let larger = engine.compile("a + 1", &large).expect("it compiles");
    assert_eq!(engine.compiled_programs(), compiled);
    drop(kept);
    let third = engine.compile("a + 1", &small).expect("it compiles");
    assert_eq!(engine.compiled_programs(), compiled, "the code stays with its last program");
    drop((again, larger, third));
    drop(engine.compile("a + 1", &small).expect("it compiles"));
    assert_eq!(engine.compiled_programs(), compiled + 1);
}

#[test]
fn dropped_programs_between_others_are_not_found() {
    let engine = Engine::standard();
    let in_layout = |names: &[&str]| {
        let layout = Arc::new(Layout::new(names.iter().copied()));
        engine.compile("a + 1", &layout).expect("it compiles")
    };
    let layouts: [&[&str]; 5] = [&["a"], &["b", "a"], &["c", "b", "a"], &["d", "c", "b", "a"], &["a", "d"]];
    for dropped in 0..layouts.len() {
        let mut kept: Vec<_> = layouts.iter().map(|names| in_layout(names)).collect();
        kept.remove(dropped);
        kept.push(in_layout(layouts[dropped]));
        kept.push(in_layout(&["e", "d", "c", "b", "a"]));
        for program in kept {
            let mut scope = engine.scope(program.layout());
            scope.set("a", &1).expect("a number");
            for tier in [Tier::Best, Tier::Baseline] {
                assert_eq!(run(&engine, tier, &program, &scope).as_deref(), Ok("2"));
            }
        }
    }
}

#[test]
fn updates_give_the_results_of_the_new_text() {
    let engine = Engine::standard();
    let mut document = engine.parse("x.hcl", "a = n").expect("HCL");
    let mut kept = vec![document.clone()];
    for (text, expected) in [
        ("a = n + 1", "3"),
        ("b = m\na = n + 1", "3"),
        ("a = m - n", "5"),
        ("b = n\na = m - n", "5"),
        ("a = n - m", "-5"),
        ("m = 1\na = n - m", "-5"),
        ("a = n", "2"),
        ("a = \"n\"", "\"n\""),
        ("a = <<E\nn\nE\n", "\"n\\n\""),
        ("a = n # m", "2"),
        ("a = o.n", "9"),
        ("a = n.o", "Unsupported attribute"),
        ("o = 1\na = o.n", "9"),
        ("a = [n, m]", "[2, 7]"),
        ("a = [m, n]", "[7, 2]"),
    ] {
        document = document.update(text).expect("HCL").0;
        kept.push(document.clone());
        let mut scope = document.scope();
        scope.set_all_json(br#"{"n": 2, "m": 7, "o": {"n": 9}}"#).expect("JSON");
        let program = document.attribute("a").expect("it is there").program().expect("it compiles");
        for tier in [Tier::Best, Tier::Baseline] {
            let found = run(&engine, tier, &program, &scope).unwrap_or_else(|title| title);
            assert_eq!(found, expected, "{text}");
        }
    }
    // The first document still has its own results.
    let first = &kept[0];
    let mut scope = first.scope();
    scope.set("n", &4).expect("a number");
    let program = first.attribute("a").expect("it is there").program().expect("it compiles");
    assert_eq!(format!("{:?}", engine.session().run(&program, &scope).expect("a number")), "4");
}

#[test]
fn entries_of_dropped_programs_give_way_and_others_stay() {
    let in_layout = |engine: &Engine, names: &[&str]| {
        let layout = Arc::new(Layout::new(names.iter().copied()));
        engine.compile("a + 1", &layout).expect("it compiles")
    };
    // Of three entries for one text, each in a layout of its own, one is dropped before a fourth is added.
    let layouts: [&[&str]; 3] = [&["a"], &["b", "a"], &["c", "b", "a"]];
    for dropped in 0..layouts.len() {
        let engine = Engine::standard();
        let mut kept: Vec<_> = layouts.iter().map(|names| in_layout(&engine, names)).collect();
        kept.remove(dropped);
        kept.push(in_layout(&engine, &["d", "c", "b", "a"]));
        let compiled = engine.compiled_programs();
        assert_eq!(compiled, 4);
        for (at, names) in layouts.iter().enumerate() {
            kept.push(in_layout(&engine, names));
            let again = u64::from(at >= dropped);
            assert_eq!(engine.compiled_programs(), compiled + again, "{names:?} after {dropped}");
        }
        kept.push(in_layout(&engine, &["d", "c", "b", "a"]));
        assert_eq!(engine.compiled_programs(), compiled + 1);
    }
}

#[test]
fn entries_of_dropped_programs_take_no_memory() {
    let (engine, layout) = (Engine::standard(), Arc::new(Layout::new(["a"])));
    let compile = |from: u32| {
        for n in from..from + 20_000 {
            drop(engine.compile(&format!("a + {n}"), &layout).expect("it compiles"));
        }
    };
    compile(0);
    let growth = allocation_counter::measure(|| compile(20_000)).bytes_current;
    assert!(growth < 64 << 10, "{growth} bytes");
}

#[test]
fn code_is_shared_by_expressions_that_are_compiled_later() {
    let engine = Engine::standard();
    let parse = |text: &str| engine.parse("x.hcl", text).expect("HCL");
    let compile = |document: &hclvm::Document, name: &str| {
        document.attribute(name).expect("it is there").program().expect("it compiles");
        engine.compiled_programs()
    };
    // More expressions than are looked up together, and equal ones on both sides of the boundary.
    let text: Vec<String> = (0..600).map(|at| format!("a{at} = n + {}\n", at % 300)).collect();
    let text = text.concat();
    let (first, second) = (parse(&text), parse(&text));
    assert_eq!(compile(&first, "a0"), 1);
    assert_eq!(compile(&second, "a599"), 2);
    assert_eq!(compile(&first, "a299"), 2);
    assert_eq!(compile(&second, "a255"), 3);
    assert_eq!(compile(&first, "a256"), 4);
    assert_eq!(compile(&second, "a556"), 4);
    for document in [&first, &second] {
        for at in 0..600 {
            compile(document, &format!("a{at}"));
        }
    }
    assert_eq!(engine.compiled_programs(), 300);
}

/// Compiled one after the other in one engine, programs give the results that they give in an engine of their
/// own, also where undefined names are no errors.
#[test]
fn shared_code_gives_the_results_of_code_compiled_alone() {
    let layouts: [&[&str]; 6] = [&[], &["a"], &["b", "a"], &["a", "b"], &["a", "b", "c"], &["c", "b", "a"]];
    let texts = [
        "a",
        "a + b",
        "\"${a}-${c}\"",
        "[for a in [1] : a]",
        "try(c, b, \"none\")",
        "{a = b, (\"c\") = c}",
        "can(b)",
    ];
    for undefined in [Undefined::Error, Undefined::Text, Undefined::Unknown] {
        let engine = || Engine::builder().undefined(undefined).build();
        let shown = |engine: &Engine, text: &str, names: &[&str]| {
            let layout = Arc::new(Layout::new(names.iter().copied()));
            let program = engine.compile(text, &layout).expect("it compiles");
            let mut scope = engine.scope(&layout);
            for (name, value) in [("a", 1), ("c", 3)] {
                set(&mut scope, name, value);
            }
            let results = [Tier::Best, Tier::Baseline].map(|tier| run(engine, tier, &program, &scope));
            assert_eq!(results[0], results[1], "{text} in {names:?}");
            (program, results)
        };
        for first in 0..layouts.len() {
            let (shared, mut kept) = (engine(), Vec::new());
            for at in 0..layouts.len() {
                let names = layouts[(first + at) % layouts.len()];
                for text in texts {
                    let (program, together) = shown(&shared, text, names);
                    let (_, alone) = shown(&engine(), text, names);
                    assert_eq!(together, alone, "{text} in {names:?}, {undefined:?}");
                    kept.push(program);
                }
            }
        }
    }
}
