//! Equal texts, scopes and limits give equal bytes in every run, thread, engine and process, independent
//! of the seeds of hash tables and of the order of compiling and setting.

use std::fmt::Write;
use std::process::Command;
use std::sync::Arc;
use std::thread;

use hclvm::functions::Capabilities;
use hclvm::run::Tier;
use hclvm::show::Pretty;
use hclvm::{Dialect, Engine, Json, Layout, Type, Value};
use hclvm_vm::set_from;
use serde_json::json;

/// Expressions that use sets, maps, names and suggestions.
const EXPRESSIONS: &[&str] = &[
    "set",
    "[for x in set : x]",
    "{ for x in set : x => upper(x) }",
    "setunion(set, [\"n\", \"m\", \"z\"])",
    "setintersection(set, [\"c\", \"b\"])",
    "setsymmetricdifference(set, [\"c\", \"y\"])",
    "toset([3, 1, 2, \"x\", true, 1.5, 1e30])",
    "distinct([[1], [2], [1], {}, {}, null, \"1\"])",
    "merge({ z = 1, y = 2 }, { x = 3, z = 4 })",
    "keys({ q = 1, b = 2, \"a b\" = 3, é = 4 })",
    "values(object)",
    "{ for k, v in object : v => k... }",
    "zipmap([\"b\", \"a\"], [1, 2])",
    "setproduct([\"a\", \"b\"], set)",
    "jsonencode(object)",
    "jsondecode(\"{\\\"b\\\": 1, \\\"a\\\": [1.50, 1e400]}\")",
    "tomap({ b = 1, a = \"x\" })",
    "format(\"%v %v\", object, set)",
    "object.nothing",
    "object[\"zz\"]",
    "set[0]",
    "set.a",
    "{ for x in [1, 1] : \"k\" => x }",
    "missing",
    "objekt + sett + numbr",
    "tost(1)",
    "tolst([])",
    "ad(1, 2)",
    "mn(1)",
    "setx(1)",
    "try(a, b, c)",
    "convert(object, map(number))",
    "convert(object, object({ c = string, d = number, a = bool }))",
    "true ? { a = 1, b = 2 } : [1, 2]",
    "[for a in set : [for b in set : [for c in set : [for d in set : \"${a}${b}${c}${d}\"]]]]",
    "\"${1e100000}\"",
];

/// A text with diagnostics of every kind.
const DOCUMENT: &str = r#"
locals {
  a = local.b
  b = local.c
  c = local.a
  d = local.e + local.f
  e = 1
}
a = [b, a
block "x" "y" { z = upper(1 }
rule "one" { when = usr.role == "admin" }
rule "one" { when = tosett([c]) }
a = 2
"#;

/// Returns everything that values, diagnostics, listings and analyses print. `backwards` reverses the
/// order of compiling, which changes the internal numbers of names.
fn everything(dialect: Dialect, backwards: bool) -> String {
    let engine = Engine::builder().dialect(dialect).build();
    let layout = Arc::new(Layout::new(["set", "object", "number", "text"]));
    let mut order: Vec<usize> = (0..EXPRESSIONS.len()).collect();
    if backwards {
        order.reverse();
    }
    let mut scope = engine.scope(&layout);
    scope.set("object", &json!({ "b": "x", "a": 1, "c": [true, null] })).expect("it is small");
    scope
        .build("set", |arena| {
            let names = if backwards { ["d", "b", "c", "a"] } else { ["a", "c", "b", "d"] };
            Ok(set_from(arena, &names.map(|name| Value::str(arena, name)), Type::String))
        })
        .expect("it is small");
    let mut parts = vec![String::new(); EXPRESSIONS.len()];
    for at in order {
        let out = &mut parts[at];
        let program = match engine.compile(EXPRESSIONS[at], &layout) {
            Ok(program) => program,
            Err(error) => {
                let _ = write!(out, "{error} {error:?}");
                continue;
            }
        };
        for line in program.listing().expect("it is small") {
            let _ = writeln!(out, "{line:?}");
        }
        let _ = writeln!(out, "{} {:?}", program.known_problems(), program.required_functions());
        for tier in [Tier::Best, Tier::Baseline] {
            let mut session = engine.session();
            session.set_tier(tier);
            match session.evaluate(&program, &scope) {
                Ok(found) => {
                    let value = found.value;
                    let json =
                        serde_json::to_string(&Json(value).lenient()).map_err(|error| error.to_string());
                    let _ =
                        writeln!(out, "{value:?} {} {json:?} {}", Pretty(value), found.diagnostics.report());
                }
                Err(error) => {
                    let _ = writeln!(out, "{error} {error:?}");
                }
            }
        }
    }
    let (document, diagnostics) = engine.parse_lenient("x.hcl", DOCUMENT);
    parts.push(format!("{diagnostics} {diagnostics:?} {}", diagnostics.report()));
    parts.push(format!("{:?} {:?}", document.variables(), document.required_functions()));
    parts.push(match document.module() {
        Ok(_) => "a module".to_owned(),
        Err(error) => error.to_string(),
    });
    parts.join("\n---\n")
}

fn of_all_dialects(backwards: bool) -> String {
    let granted = Capabilities::none();
    let dialects = [Dialect::standard(), Dialect::packer(&granted), Dialect::nomad(&granted)];
    dialects.map(|dialect| everything(dialect, backwards)).join("\n======\n")
}

#[track_caller]
fn assert_same(found: &str, expected: &str, what: &str) {
    let Some((line, (one, other))) =
        found.lines().zip(expected.lines()).enumerate().find(|(_, (a, b))| a != b)
    else {
        return assert_eq!(found.len(), expected.len(), "{what}");
    };
    panic!("{what}, line {line}:\n{one}\n{other}");
}

#[test]
fn every_thread_gives_equal_bytes() {
    let expected = of_all_dialects(false);
    assert!(expected.len() > 20_000, "too little is compared");
    thread::scope(|threads| {
        let running: Vec<_> = (0..4).map(|_| threads.spawn(|| of_all_dialects(false))).collect();
        for thread in running {
            assert_same(&thread.join().expect("it does not panic"), &expected, "another thread");
        }
    });
}

/// Listings do not show numbers of names, so they are equal too.
#[test]
fn output_does_not_depend_on_the_order_of_compiling_and_setting() {
    assert_same(&of_all_dialects(true), &of_all_dialects(false), "the other order");
}

/// Environment variable of the child process, which only prints its results.
const TELL: &str = "HCLVM_DETERMINISM_TELL";

#[test]
fn every_process_gives_equal_bytes() {
    let own = of_all_dialects(false);
    if std::env::var_os(TELL).is_some() {
        #[expect(clippy::print_stdout, reason = "the process that started this one reads it")]
        {
            println!("<<<{own}>>>");
        }
        return;
    }
    let Ok(program) = std::env::current_exe() else { return };
    let arguments =
        ["--exact", "determinism::every_process_gives_equal_bytes", "--nocapture", "--test-threads=1"];
    let output = Command::new(program).args(arguments).env(TELL, "1").output().expect("it can be run again");
    let told = String::from_utf8(output.stdout).expect("it is text");
    let other = told.split_once("<<<").and_then(|(_, rest)| Some(rest.rsplit_once(">>>")?.0));
    assert_same(other.expect("the other process tells"), &own, "another process");
}
