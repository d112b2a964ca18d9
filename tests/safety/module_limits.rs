//! Hostile files as modules, under the default limits and on a stack of 2 MiB: they evaluate, or a limit ends
//! them. Hostile expressions are in limits.rs.
#![expect(clippy::print_stdout, reason = "how long large files take is reported, not asserted")]

use std::fmt::Write as _;
use std::thread;
use std::time::{Duration, Instant};

use hclvm::diagnostics::Exhausted;
use hclvm::module::{Module, Values};
use hclvm::run::Tier;
use hclvm::{Engine, Error, ErrorKind, Limits};

const TIERS: [Tier; 2] = [Tier::Best, Tier::Baseline];

/// Ends an evaluation that no other limit ends, so that the test fails instead of hanging.
const TOO_LONG: Duration = Duration::from_secs(300);

/// Runs a test with the default stack of threads, whatever that of the test is.
fn on_small_stack(test: impl FnOnce() + Send + 'static) {
    let thread = thread::Builder::new().stack_size(2 << 20).spawn(test).expect("a thread");
    thread.join().expect("it does not panic");
}

fn module(text: &str) -> Module {
    Engine::standard().parse("x.hcl", text).expect("HCL").module().expect("a module")
}

/// Evaluates on both tiers with these variables, and shows how long it took.
fn evaluated(name: &str, text: &str, json: &str, check: impl Fn(Result<Values<'_>, Error>)) {
    let start = Instant::now();
    let module = module(text);
    println!("{name}: {} bytes, compiled in {:?}", text.len(), start.elapsed());
    let mut scope = module.scope();
    scope.set_all_json(json).expect("the values fit");
    for tier in TIERS {
        let mut session = module.document().engine().session();
        session.set_tier(tier);
        session.set_time(Some(TOO_LONG));
        let start = Instant::now();
        let result = module.evaluate(&mut session, &scope);
        println!("{name}: {tier:?} {:?}", start.elapsed());
        check(result);
    }
}

#[track_caller]
fn exhausted(result: Result<Values<'_>, Error>) -> Exhausted {
    match result.expect_err("a limit ends it").kind() {
        ErrorKind::Limit(limit) => limit.exhausted,
        other => panic!("not a limit: {other:?}"),
    }
}

fn number(result: &Result<Values<'_>, Error>, name: &str) -> String {
    let values = result.as_ref().expect("it is within the limits");
    assert!(values.diagnostics().is_empty(), "{}", values.diagnostics());
    format!("{:?}", values.attribute(name).expect("it is there"))
}

/// Returns text for each number below `count`.
fn each(count: usize, part: impl Fn(usize) -> String) -> String {
    (0..count).map(part).collect()
}

fn chain(count: usize) -> String {
    let rest = each(count - 1, |at| format!("  l{} = local.l{at} + 1\n", at + 1));
    format!("locals {{\n  l0 = n\n{rest}}}\nx = local.l{}\n", count - 1)
}

#[test]
fn chains_of_locals_are_as_long_as_the_file() {
    on_small_stack(|| {
        // Compiled in 14 seconds without optimization.
        let long = if cfg!(debug_assertions) { 20_000 } else { 100_000 };
        for count in [10_000, long] {
            evaluated("chain", &chain(count), r#"{"n": 1}"#, |result| {
                assert_eq!(number(&result, "x"), count.to_string());
            });
        }
    });
}

#[test]
fn chains_of_locals_may_be_written_backwards() {
    on_small_stack(|| {
        let lines = chain(10_000);
        let mut lines: Vec<&str> = lines.lines().collect();
        let last = lines.len() - 2;
        lines[1..last].reverse();
        evaluated("backwards", &(lines.join("\n") + "\n"), r#"{"n": 1}"#, |result| {
            assert_eq!(number(&result, "x"), "10000");
        });
    });
}

#[test]
fn a_local_may_have_any_number_of_readers() {
    on_small_stack(|| {
        let readers = each(20_000, |at| format!("x{at} = local.l + {at}\n"));
        evaluated("fan out", &format!("locals {{\n  l = n\n}}\n{readers}"), r#"{"n": 1}"#, |result| {
            assert_eq!(number(&result, "x19999"), "20000");
        });
    });
}

#[test]
fn an_expression_may_read_any_number_of_locals() {
    on_small_stack(|| {
        let locals = each(5_000, |at| format!("  l{at} = n + {at}\n"));
        let sum = each(4_999, |at| format!(" + local.l{}", at + 1));
        let text = format!("locals {{\n{locals}}}\nx = local.l0{sum}\ny = length(local)\n");
        evaluated("fan in", &text, r#"{"n": 1}"#, |result| {
            assert_eq!(number(&result, "x"), "12502500");
            assert_eq!(number(&result, "y"), "5000");
        });
    });
}

#[test]
fn locals_without_slots_are_read_through_their_object() {
    on_small_stack(|| {
        let locals = each(70_000, |at| format!("  l{at} = n + {at}\n"));
        let text = format!(
            "locals {{\n{locals}  z = local.l69999 + local.l1\n}}\nx = local.l69999 + local.z\ny = length(local)\n"
        );
        evaluated("more than slots", &text, r#"{"n": 1}"#, |result| {
            assert_eq!(number(&result, "x"), "140002");
            assert_eq!(number(&result, "y"), "70001");
        });
    });
}

#[test]
fn blocks_nest_to_the_limit_of_texts() {
    on_small_stack(|| {
        let nested = |depth: usize| format!("{}x = n\n{}", "b {\n".repeat(depth), "}\n".repeat(depth));
        assert!(Engine::standard().parse("x.hcl", &nested(2_000)).is_err());
        evaluated("nested", &nested(990), r#"{"n": 1}"#, |result| {
            let values = result.expect("it is within the limits");
            let mut body = values.body();
            while let Some(block) = body.blocks().next() {
                body = block.body();
            }
            assert_eq!(format!("{:?}", body.attribute("x")), "Some(1)");
        });
    });
}

#[test]
fn dynamic_blocks_nest_to_the_limit_of_texts() {
    on_small_stack(|| {
        let nested = |depth: usize, elements: &str| {
            let open = format!("dynamic \"b\" {{\nfor_each = {elements}\ncontent {{\n").repeat(depth);
            format!("{open}x = b.value + n\n{}", "}\n}\n".repeat(depth))
        };
        evaluated("nested dynamic", &nested(490, "[n]"), r#"{"n": 1}"#, |result| {
            let values = result.expect("it is within the limits");
            let mut body = values.body();
            while let Some(block) = body.blocks().next() {
                body = block.body();
            }
            assert_eq!(format!("{:?}", body.attribute("x")), "Some(2)");
        });
        // As many blocks as there are paths.
        evaluated("doubling dynamic", &nested(490, "[n, n]"), r#"{"n": 1}"#, |result| {
            assert!(matches!(exhausted(result), Exhausted::Fuel | Exhausted::Memory));
        });
    });
}

#[test]
fn counts_of_nested_dynamic_blocks_multiply_up_to_a_limit() {
    on_small_stack(|| {
        let list = format!("{{\"l\": {:?}}}", (0..200).collect::<Vec<u32>>());
        for content in ["", "x = [a.value, b.value, c.value, d.value]\n"] {
            let open = |name: &str| format!("dynamic \"{name}\" {{\nfor_each = l\ncontent {{\n");
            let open: String = ["a", "b", "c", "d"].iter().map(|name| open(name)).collect();
            let text = format!("{open}{content}{}", "}\n}\n".repeat(4));
            evaluated("multiplying", &text, &list, |result| {
                assert!(matches!(exhausted(result), Exhausted::Fuel | Exhausted::Memory));
            });
        }
    });
}

#[test]
fn a_dynamic_block_over_a_million_elements_ends() {
    on_small_stack(|| {
        let json = format!("{{\"l\": [{}0]}}", "0,".repeat(999_999));
        for text in [
            "dynamic \"b\" {\n  for_each = l\n  content {}\n}\n",
            "dynamic \"b\" {\n  for_each = l\n  content {\n    x = b.value\n  }\n}\n",
            "dynamic \"b\" {\n  for_each = l\n  labels = [b.key]\n  content {}\n}\n",
            "dynamic \"b\" {\n  for_each = l\n  labels = [b.missing]\n  content {}\n}\n",
            "dynamic \"b\" {\n  for_each = l\n  content {\n    x = b.missing\n  }\n}\n",
        ] {
            evaluated("million", text, &json, |result| {
                if let Ok(values) = &result {
                    let count = values.body().blocks().count();
                    assert!(count == 1_000_000 || values.diagnostics().has_errors(), "{count}");
                } else {
                    assert!(matches!(exhausted(result), Exhausted::Fuel | Exhausted::Memory));
                }
            });
        }
    });
}

#[test]
fn labels_are_charged_as_texts() {
    on_small_stack(|| {
        let json =
            format!("{{\"l\": {:?}, \"s\": \"{}\"}}", (0..1000).collect::<Vec<u32>>(), "x".repeat(1_000));
        let long = "join(\"\", [for x in l : s])";
        let text = format!(
            "dynamic \"b\" {{\n  for_each = l\n  labels = [\"${{b.key}}-${{{long}}}\"]\n  content {{}}\n}}\n"
        );
        evaluated("labels", &text, &json, |result| {
            assert!(matches!(exhausted(result), Exhausted::Fuel | Exhausted::Memory));
        });
    });
}

#[test]
fn a_label_for_which_no_fuel_is_left_ends_the_evaluation() {
    let text = "dynamic \"b\" {\n  for_each = l\n  labels = [b.value == \"x\"]\n  content {}\n}\n";
    for tier in TIERS {
        let made = |fuel: u64| {
            let engine = Engine::builder().limits(Limits { fuel, ..Limits::default() }).build();
            let module = engine.parse("x.hcl", text).expect("HCL").module().expect("a module");
            let mut scope = module.scope();
            scope.set_json("l", r#"["x", "y", "z"]"#).expect("it fits");
            let mut session = engine.session();
            session.set_tier(tier);
            let made = module.evaluate(&mut session, &scope).map(|values| {
                assert!(values.diagnostics().is_empty(), "{fuel}: {}", values.diagnostics());
                values.body().blocks().count()
            });
            made.ok()
        };
        let ended = (0..200).filter(|fuel| made(*fuel).is_none()).count();
        assert!((0..200).all(|fuel| made(fuel).is_none_or(|blocks| blocks == 3)));
        assert!((1..200).contains(&ended), "{ended}");
    }
}

#[test]
fn locals_that_double_end_by_a_limit() {
    on_small_stack(|| {
        let doubled = |part: &dyn Fn(usize) -> String| {
            format!("locals {{\n  l0 = s\n{}}}\nx = local.l60\n", each(60, part))
        };
        let texts = doubled(&|at| format!("  l{} = \"${{local.l{at}}}${{local.l{at}}}\"\n", at + 1));
        evaluated("texts", &texts, r#"{"s": "ab"}"#, |result| {
            assert!(matches!(exhausted(result), Exhausted::Text | Exhausted::Memory | Exhausted::Fuel));
        });
        let lists = doubled(&|at| format!("  l{} = concat(local.l{at}, local.l{at})\n", at + 1));
        evaluated("lists", &lists, r#"{"s": [1, 2]}"#, |result| {
            assert!(matches!(exhausted(result), Exhausted::Memory | Exhausted::Fuel));
        });
        // Shared parts take no memory.
        let shared = doubled(&|at| format!("  l{} = [local.l{at}, local.l{at}]\n", at + 1));
        evaluated("shared", &shared, r#"{"s": "ab"}"#, |result| {
            let values = result.expect("it is small");
            assert!(values.diagnostics().is_empty());
        });
    });
}

#[test]
fn all_parts_of_a_file_share_one_budget() {
    let loops = "length([for a in l : 1 if length([for b in l : 1 if a + b == 3]) > 0])";
    let memory = "length([for a in l : [for b in l : a]])";
    for (limits, part, what) in [
        (Limits { fuel: 1_000_000, ..Limits::default() }, loops, Exhausted::Fuel),
        (Limits { arena_bytes: 8 << 20, ..Limits::default() }, memory, Exhausted::Memory),
    ] {
        let engine = Engine::builder().limits(limits).build();
        let json = format!("{{\"l\": {:?}}}", (0..100).collect::<Vec<u32>>());
        // Each is different, so that they have nothing in common.
        let parts = |count: usize| {
            let mut text = String::from("locals {\n");
            for at in 0..count {
                let _ = writeln!(text, "  l{at} = {part} + {at}");
            }
            text.push_str("}\nb {\n");
            for at in 0..count {
                let _ = writeln!(text, "  x{at} = {part} - {at}");
            }
            let _ = write!(text, "}}\ndynamic \"d\" {{\n  for_each = slice(l, 0, {count})\n  content {{\n");
            text + "    x = " + part + "\n  }\n}\n"
        };
        for tier in TIERS {
            let ends = |count: usize| {
                let module = engine.parse("x.hcl", &parts(count)).expect("HCL").module().expect("a module");
                let mut scope = module.scope();
                scope.set_all_json(json.as_str()).expect("it fits");
                let mut session = engine.session();
                session.set_tier(tier);
                match module.evaluate(&mut session, &scope) {
                    Ok(_) => None,
                    Err(error) => Some(exhausted(Err(error))),
                }
            };
            assert_eq!(ends(1), None);
            assert_eq!(ends(40), Some(what));
        }
    }
}
