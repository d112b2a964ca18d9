//! Limits: an evaluation that exceeds one ends with an error of its own kind and the position, in any context.

use std::fmt::Write as _;

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use hclvm::diagnostics::Exhausted;
use hclvm::run::RuleSet;
use hclvm::run::Tier;
use hclvm::{Engine, Error, ErrorKind, Layout, Limits, Program, Scope, Session};

const TIERS: [Tier; 2] = [Tier::Best, Tier::Baseline];

fn small() -> Limits {
    Limits {
        fuel: 100_000,
        arena_bytes: 16 << 20,
        value_depth: 20,
        digits: 1_000,
        text_bytes: 1 << 12,
        ..Limits::untrusted()
    }
}

fn compiled(limits: Limits, text: &str) -> (Engine, Program, Scope) {
    let engine = Engine::builder().limits(limits).build();
    let layout = Arc::new(Layout::new(["l"]));
    let program = engine.compile(text, &layout).unwrap_or_else(|error| panic!("{text}: {error}"));
    let mut scope = engine.scope(&layout);
    scope.set("l", &serde_json::json!((0..50).collect::<Vec<i32>>())).expect("a list fits");
    (engine, program, scope)
}

fn exhausted(error: &Error) -> Exhausted {
    match error.kind() {
        ErrorKind::Limit(limit) => limit.exhausted,
        other => panic!("not a limit: {other:?}"),
    }
}

/// Returns expressions that each exceed one of the small limits.
fn bombs() -> Vec<(Exhausted, String)> {
    let deep = format!("{}l{}", "[".repeat(30), "]".repeat(30));
    vec![
        (Exhausted::Fuel, "[for a in l : [for b in l : [for c in l : a + b + c]]]".to_owned()),
        (
            Exhausted::Fuel,
            "length([for a in l : a if length([for b in l : b if max(l...) > b]) > a])".to_owned(),
        ),
        // Few iterations, each of them long.
        (Exhausted::Fuel, format!("[for a in l : {}a]", "a + ".repeat(3_000))),
        (Exhausted::Text, "join(\"-\", [for a in l : join(\"0123456789\", l)])".to_owned()),
        (Exhausted::Digits, "\"x${1e100000}\"".to_owned()),
        (Exhausted::Depth, deep),
    ]
}

#[test]
fn errors_name_the_limit_and_the_position() {
    for (what, bomb) in bombs() {
        for tier in TIERS {
            let (engine, program, scope) = compiled(small(), &format!("\n\n  {bomb}"));
            let mut session = engine.session();
            session.set_tier(tier);
            let error = session.run(&program, &scope).expect_err(&bomb);
            assert_eq!(exhausted(&error), what, "{bomb}");
            assert!(error.is_limit());
            let place = error.to_string();
            assert!(place.starts_with("expression:3:"), "{bomb}: {place}");
        }
    }
}

#[test]
fn no_operator_and_no_function_swallows_a_limit() {
    for (what, bomb) in bombs() {
        for around in [
            "try({}, 1)",
            "can({})",
            "can(try({}))",
            "false && {} == 1",
            "true || {} == 1",
            "true ? 1 : {}",
            "try([for x in l : {}], 2)",
            "[for x in l : x if try({}, true) == true]",
            "\"${try(jsonencode({}), \"\")}\"",
            "[{}][*].nothing",
            "{ (try(\"${jsonencode({})}\", \"k\")) = 1 }",
        ] {
            let text = around.replace("{}", &bomb);
            let found = TIERS.map(|tier| {
                let (engine, program, scope) = compiled(small(), &text);
                let mut session = engine.session();
                session.set_tier(tier);
                match session.run(&program, &scope) {
                    Ok(value) => Ok(format!("{value:?}")),
                    Err(error) => Err(error),
                }
            });
            for (found, tier) in found.into_iter().zip(TIERS) {
                match found {
                    Err(error) => assert_eq!(exhausted(&error), what, "{text}"),
                    // Operands that the fast tier skips cost nothing.
                    Ok(value) => assert!(
                        tier == Tier::Best
                            && (around.contains("&&") || around.contains("||") || around.contains('?')),
                        "{text}: {value}"
                    ),
                }
            }
        }
    }
}

#[test]
fn a_session_can_be_reused_after_a_limit() {
    let (engine, bomb, scope) = compiled(small(), "[for a in l : [for b in l : [for c in l : a]]]");
    let layout = Arc::clone(bomb.layout());
    let fine = engine.compile("max(l...)", &layout).expect("it compiles");
    let mut session = engine.session();
    for _ in 0..3 {
        assert!(session.run(&bomb, &scope).is_err_and(|error| error.is_limit()));
        let sum = session.run(&fine, &scope).expect("it is small");
        assert_eq!(format!("{sum:?}"), "49");
    }
}

/// The ways to run a program in a session; each returns true if the run succeeded.
const WAYS: [fn(&mut Session, &RuleSet, &Scope) -> bool; 3] = [
    |session, rules, scope| session.run(&rules.programs()[0], scope).is_ok(),
    |session, rules, scope| session.evaluate(&rules.programs()[0], scope).is_ok(),
    |session, rules, scope| session.run_rules(rules, scope).is_ok(),
];

#[test]
fn every_evaluation_starts_with_the_whole_budget() {
    TIERS.into_iter().for_each(check_budgets);
}

fn check_budgets(tier: Tier) {
    let prepared = |fuel| {
        // Nothing is allocated, so only the budget must be restored.
        let (engine, program, scope) = compiled(Limits { fuel, ..small() }, "contains(l, 49)");
        let rules = RuleSet::new([program]).expect("one rule");
        let mut session = engine.session();
        session.set_tier(tier);
        (session, rules, scope)
    };
    // The least fuel with which each of them succeeds, alone in a session.
    let least = WAYS.map(|way| {
        (0..10_000).find(|fuel| {
            let (mut session, rules, scope) = prepared(*fuel);
            way(&mut session, &rules, &scope)
        })
    });
    let least = least.map(|fuel| fuel.expect("some fuel is enough"));
    assert!(least.iter().all(|fuel| (20..1_000).contains(fuel)), "{least:?}");
    for watched in [false, true] {
        for (way, fuel) in WAYS.iter().zip(least) {
            let (mut session, rules, scope) = prepared(fuel);
            let _cancel = watched.then(|| session.cancel());
            for _ in 0..5 {
                assert!(way(&mut session, &rules, &scope), "{fuel}");
            }
            let (mut session, rules, scope) = prepared(fuel - 1);
            let _cancel = watched.then(|| session.cancel());
            for _ in 0..5 {
                assert!(!way(&mut session, &rules, &scope), "{fuel}");
            }
        }
        // After each other in every order.
        let most = least.into_iter().max().expect("there are some");
        let (mut session, rules, scope) = prepared(most);
        let _cancel = watched.then(|| session.cancel());
        for first in WAYS {
            for second in WAYS {
                assert!(first(&mut session, &rules, &scope));
                assert!(second(&mut session, &rules, &scope));
            }
        }
    }
}

#[test]
fn the_presets_are_as_documented() {
    assert_eq!(Limits::default(), Limits::untrusted());
    let (narrow, wide) = (Limits::untrusted(), Limits::trusted());
    assert!(wide.source_bytes > narrow.source_bytes && wide.fuel > narrow.fuel);
    assert_eq!((wide.nesting, wide.value_depth), (narrow.nesting, narrow.value_depth));
    let (engine, program, scope) =
        compiled(Limits::trusted(), "[for a in l : [for b in l : [for c in l : a]]]");
    assert!(engine.session().run(&program, &scope).is_ok());
}

#[test]
fn further_diagnostics_are_counted_instead_of_kept() {
    let limits = Limits { diagnostics: 5, ..Limits::untrusted() };
    let (engine, program, scope) = compiled(limits, "[for a in l : a.nothing]");
    let error = engine.session().run(&program, &scope).expect_err("numbers have no attributes");
    let listed = error.diagnostics().expect("they are about the text");
    assert_eq!(listed.len(), 6);
    let last = listed.iter().last().expect("there are six");
    assert_eq!(last.title, "Too many problems");
    assert!(last.detail.contains("45 more"), "{}", last.detail);

    // The last has the place of the first that is not listed.
    let layout = Arc::new(Layout::default());
    let program = engine.compile("[a, b, c, d, e, f, g]", &layout).expect("it compiles");
    let error = engine.session().run(&program, &engine.scope(&layout)).map(drop).expect_err("no variables");
    let found = error.diagnostics().expect("they are about the text");
    let starts: Vec<u32> = found.iter().map(|one| one.subject.map_or(0, |span| span.start)).collect();
    assert_eq!(starts, [1, 4, 7, 10, 13, 16]);

    let text = "a = \n".repeat(50);
    let engine = Engine::builder().limits(limits).build();
    let error = engine.parse("", &text).expect_err("nothing is assigned");
    assert_eq!(error.diagnostics().expect("they are about the text").len(), 6);

    let locals: String =
        (0..50).fold(String::new(), |text, at| text + &format!("locals {{ a{at} = local.a{at} }}\n"));
    let document = engine.parse("", &locals).expect("the syntax is fine");
    let error = document.module().expect_err("they use themselves");
    assert_eq!(error.diagnostics().expect("they are about the text").len(), 6);
}

#[test]
fn a_long_cycle_of_locals_has_a_short_message() {
    let mut text = "locals {\n  a0 = local.a9999\n".to_owned();
    for at in 1..10_000 {
        _ = writeln!(text, "  a{at} = local.a{}", at - 1);
    }
    text += "}\n";
    let document = Engine::standard().parse("", &text).expect("the syntax is fine");
    let error = document.module().expect_err("they use each other");
    let problems = error.diagnostics().expect("they are about the text");
    assert_eq!(problems.len(), 1);
    let detail = &problems.iter().next().expect("there is one").detail;
    assert!(detail.contains("(9900 more)"), "{detail}");
    assert!(detail.len() < 3_000);
}

/// Returns a program that takes hours: 50^6 iterations.
fn endless() -> (Session, Program, Scope) {
    let limits = Limits { fuel: u64::MAX / 4, ..Limits::untrusted() };
    let rounds = "[for a in l : a if length([for b in l : b if length([for c in l : c if length([for d in l : d if length([for e in l : e if length([for f in l : f if a + b + c + d + e + f < 0]) > 0]) > 0]) > 0]) > 0]) > 0]";
    let (engine, program, scope) = compiled(limits, rounds);
    (engine.session(), program, scope)
}

#[test]
fn a_deadline_ends_an_evaluation() {
    for tier in TIERS {
        let (mut session, program, scope) = endless();
        session.set_tier(tier);
        session.set_time(Some(Duration::from_millis(20)));
        let begin = Instant::now();
        let error = session.run(&program, &scope).expect_err("it takes hours");
        let took = begin.elapsed();
        assert_eq!(exhausted(&error), Exhausted::Time);
        assert!(took >= Duration::from_millis(20), "{took:?}");
        // The next evaluation has its own deadline.
        let short = compiled(Limits::untrusted(), "l[0]");
        let mut session = short.0.session();
        session.set_time(Some(Duration::from_secs(3_600)));
        assert!(session.run(&short.1, &short.2).is_ok());
    }
}

#[test]
fn another_thread_stops_an_evaluation() {
    let (mut session, program, scope) = endless();
    let cancel = session.cancel();
    let stopper = cancel.clone();
    let waiting = thread::spawn(move || {
        thread::sleep(Duration::from_millis(20));
        stopper.cancel();
    });
    let error = session.run(&program, &scope).expect_err("it takes hours");
    assert_eq!(exhausted(&error), Exhausted::Cancelled);
    waiting.join().expect("the thread only sleeps");

    let (_, short, scope) = compiled(Limits::untrusted(), "l[0]");
    let still = session.run(&short, &scope).expect_err("it was not allowed again");
    assert_eq!(exhausted(&still), Exhausted::Cancelled);
    cancel.allow();
    assert!(session.run(&short, &scope).is_ok());
}

#[test]
fn memory_of_an_abandoned_fast_tier_run_is_not_charged() {
    // Ten times longer texts at each level: the fast tier reaches a limit, then the baseline tier starts over.
    let mut text = "x9".to_owned();
    for level in (0..10).rev() {
        let parts = if level == 0 { "x".to_owned() } else { format!("${{x{}}}", level - 1).repeat(10) };
        text = format!("[for x{level} in [\"{parts}\"] : {text}]");
    }
    let limits = Limits { fuel: 100_000, arena_bytes: 16 << 20, text_bytes: 1 << 20, ..Limits::untrusted() };
    let [best, full] = TIERS.map(|tier| {
        let (engine, program, scope) = compiled(limits, &text);
        let mut session = engine.session();
        session.set_tier(tier);
        session.run(&program, &scope).expect_err("the text is too long").to_string()
    });
    assert_eq!(best, full);
}

/// Iterations are charged in batches. Neither the result of a long loop nor its budget depends on where
/// a batch ends.
#[test]
fn long_loops_are_charged_and_complete() {
    let text = r#""${length([for a in l : a])} ${length(l[*])}""#;
    let (engine, program, mut scope) = compiled(Limits::untrusted(), text);
    let mut session = engine.session();
    for count in [0, 1, 1_023, 1_024, 1_025, 2_048, 5_000] {
        scope.set("l", &serde_json::json!(vec![1; count])).unwrap();
        let value = session.run(&program, &scope).unwrap();
        assert_eq!(value.as_str(), Some(&*format!("{count} {count}")));
    }
    for tier in TIERS {
        let (engine, program, mut scope) = compiled(small(), "[for a in range(100) : [for b in l : a + b]]");
        scope.set("l", &serde_json::json!(vec![1; 2_000])).unwrap();
        let mut session = engine.session();
        session.set_tier(tier);
        assert_eq!(exhausted(&session.run(&program, &scope).unwrap_err()), Exhausted::Fuel);
    }
}

/// The text of an abandoned template does not appear in the next one.
#[test]
fn text_of_failed_templates_is_discarded() {
    let engine = Engine::standard();
    let layout = Arc::new(Layout::new(["l"]));
    let failing = engine.compile(r#""left ${l} behind""#, &layout).unwrap();
    let next = engine.compile(r#""a ${1 + length(l)} b""#, &layout).unwrap();
    let mut scope = engine.scope(&layout);
    scope.set("l", &serde_json::json!([1])).unwrap();
    let mut session = engine.session();
    for _ in 0..2 {
        assert!(session.run(&failing, &scope).is_err());
        assert_eq!(session.run(&next, &scope).unwrap().as_str(), Some("a 2 b"));
    }
}

#[test]
fn numbers_of_many_digits_are_charged_as_memory() {
    // The digits of a float are outside of the arena, and this loop makes many of them quickly. The divisor is too large
    // for a ratio.
    let limits = Limits { arena_bytes: 8 << 20, ..Limits::untrusted() };
    for (text, fits) in [
        ("length([for a in l : [for b in l : [for c in l : (a + b + c) / 3000000019]]])", false),
        ("length([for a in l : [for b in l : (a + b) / 3000000019]])", true),
    ] {
        for tier in TIERS {
            let (engine, program, scope) = compiled(limits, text);
            let mut session = engine.session();
            session.set_tier(tier);
            for _ in 0..3 {
                let found = session.run(&program, &scope).map(|_| ()).map_err(|error| exhausted(&error));
                assert_eq!(found, if fits { Ok(()) } else { Err(Exhausted::Memory) }, "{text}");
            }
        }
    }
}

/// Long strings may be shared, so reading them repeatedly takes no memory and must be charged as work.
#[test]
fn work_on_long_strings_is_charged() {
    let engine = Engine::builder().limits(Limits { fuel: 300_000, ..Limits::untrusted() }).build();
    let layout = Arc::new(Layout::new(["l", "s", "t", "d", "m"]));
    let mut scope = engine.scope(&layout);
    let long = "x".repeat(1_000_000);
    scope.set("l", &vec![1; 1_000]).expect("a list fits");
    scope.set("s", &long).expect("a text fits");
    scope.set("t", &long).expect("a text fits");
    scope.set("d", &"1".repeat(10_000)).expect("a text fits");
    scope.set_json("m", &format!("{{\"{long}\": 1}}")).expect("JSON");
    for text in [
        "s == t",
        "s != t ? 1 : 2",
        "[s] == [t]",
        "m == m",
        "s == \"a\" ? 1 : s == t ? 2 : 3",
        "m[s]",
        "can(m[s].x)",
        "contains([t], s)",
        "d > 1",
        "d + 1",
        "tonumber(d)",
        "\"1e-99999999\" + a",
        "\"${b}e-699999999\" > 1",
        "{ for x in [1, 2, 3] : s => x... }",
        "{ (s) = 1, (t) = 2 }",
    ] {
        for tier in TIERS {
            let loops = format!("[for a in l : [for b in l : {text}]]");
            let program = engine.compile(&loops, &layout).unwrap_or_else(|error| panic!("{text}: {error}"));
            let mut session = engine.session();
            session.set_tier(tier);
            // Ends a run that nothing else limits.
            session.set_time(Some(Duration::from_secs(600)));
            let error = session.run(&program, &scope).map(|_| ()).expect_err(text);
            assert!(matches!(exhausted(&error), Exhausted::Fuel | Exhausted::Memory), "{text}: {error}");
            // A single iteration is within the limits.
            let alone = engine.compile(&format!("[for a in [1] : [for b in [2] : {text}]]"), &layout);
            assert!(session.run(&alone.expect("it compiles"), &scope).is_ok(), "{text}");
        }
    }
}

#[test]
fn arguments_that_exceed_the_fuel_do_not_affect_others() {
    for fuel in 1..400 {
        for text in
            ["{ a = 1, b = max(l...), c = 2 }", "[1, { a = l, b = [min(1, l...)], c = { d = max(l...) } }]"]
        {
            let (engine, program, scope) = compiled(Limits { fuel, ..Limits::untrusted() }, text);
            let mut session = engine.session();
            session.set_tier(Tier::Baseline);
            let error = session.run(&program, &scope).map(|_| ()).err();
            assert!(error.is_none_or(|error| exhausted(&error) == Exhausted::Fuel), "{text}");
        }
    }
}

#[test]
fn memory_left_by_earlier_evaluations_is_not_charged() {
    for arena_bytes in [16 << 10, 64 << 10] {
        let limits = Limits { arena_bytes, ..Limits::untrusted() };
        let (engine, small, mut scope) = compiled(limits, r#"upper("text ${l}, and more of it")"#);
        let large = r#"[for x in range(l) : "element ${x} of ${l}, a text that takes its room"]"#;
        let large = engine.compile(large, small.layout()).expect("it compiles");
        let mut outcomes = Vec::new();
        for count in (1..1_000).step_by(7) {
            scope.set("l", &count).expect("a number fits");
            let mut used = engine.session();
            for _ in 0..count % 300 {
                used.run(&small, &scope).expect("it is small");
            }
            let [fresh, later] = [engine.session(), used].map(|mut session| {
                session.run(&large, &scope).map(|_| ()).map_err(|error| exhausted(&error))
            });
            assert_eq!(fresh, later, "{count} of {arena_bytes}");
            outcomes.push(fresh);
        }
        assert!(outcomes.contains(&Ok(())) && outcomes.contains(&Err(Exhausted::Memory)), "{arena_bytes}");
    }
}

#[test]
fn the_budget_of_a_rule_set_does_not_depend_on_earlier_strings() {
    let limits = Limits { arena_bytes: 1 << 20, ..Limits::untrusted() };
    let engine = Engine::builder().limits(limits).build();
    let layout = Arc::new(Layout::new(["l", "t"]));
    let rule = |text| engine.compile(text, &layout).expect("it compiles");
    let wide = RuleSet::new([rule(r#""${t}${t}""#)]).expect("one layout");
    let many = RuleSet::new([rule(r#"[for x in l : [for y in l : "${y}${t}"]]"#)]).expect("one layout");
    let mut outcomes = Vec::new();
    for count in (100..300).step_by(5) {
        let mut scope = engine.scope(&layout);
        scope.set("l", &(0..count).collect::<Vec<i32>>()).expect("a list fits");
        let after = ["", "text", "t\u{e9}xt of some length, with \u{e9} again and again"].map(|before| {
            let mut session = engine.session();
            scope.set("t", before).expect("a text fits");
            session.run_rules(&wide, &scope).map(|_| ()).expect("it is short");
            scope.set("t", "").expect("a text fits");
            session.run_rules(&many, &scope).map(|_| ()).map_err(|error| exhausted(&error))
        });
        assert!(after.iter().all(|outcome| *outcome == after[0]), "{count}: {after:?}");
        outcomes.push(after[0]);
    }
    assert!(outcomes.contains(&Ok(())) && outcomes.contains(&Err(Exhausted::Memory)));
}

#[test]
fn templates_are_as_long_as_the_longest_text_and_no_longer() {
    for (text, len) in [
        (r#""%{ for x in l }${x}%{ endfor }""#, 90),
        (r#""${l[10]}-${l[11]}""#, 5),
        (r#""a${l[10]}${l[11]}b${l[12]}c""#, 9),
        (r#"["${l[10]}-${l[11]}", "${l[1]}"]"#, 5),
    ] {
        for tier in TIERS {
            for text_bytes in [len - 1, len, len + 1] {
                let (engine, program, scope) = compiled(Limits { text_bytes, ..small() }, text);
                let mut session = engine.session();
                session.set_tier(tier);
                // A second run has the buffers of the first one.
                for _ in 0..2 {
                    match session.run(&program, &scope) {
                        Ok(_) => assert!(text_bytes >= len, "{text} {tier:?} within {text_bytes}"),
                        Err(error) => {
                            assert!(text_bytes < len && error.is_limit(), "{text} {tier:?}: {error}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn the_last_flag_that_was_set_ends_evaluations() {
    let (engine, program, scope) = compiled(Limits::untrusted(), "l[0]");
    let rules = RuleSet::new([program]).expect("one rule");
    let [first, second] = [(); 2].map(|()| hclvm::run::Cancel::new());
    let mut session = engine.session();
    session.set_cancel(&first);
    for way in WAYS {
        first.cancel();
        assert!(!way(&mut session, &rules, &scope), "even a short one");
        first.allow();
        assert!(way(&mut session, &rules, &scope));
    }
    session.set_cancel(&second);
    first.cancel();
    for way in WAYS {
        assert!(way(&mut session, &rules, &scope), "the first flag counts no more");
        second.cancel();
        assert!(!way(&mut session, &rules, &scope));
        second.allow();
        session.cancel().cancel();
        assert!(!way(&mut session, &rules, &scope), "it is the same flag");
        second.allow();
        assert!(way(&mut session, &rules, &scope));
    }
    // Another session of the engine has its own flag, or one that they share.
    let mut other = engine.session();
    second.cancel();
    assert!(WAYS[0](&mut other, &rules, &scope));
    other.set_cancel(&second);
    assert!(!WAYS[0](&mut other, &rules, &scope));
}

#[test]
fn the_time_of_an_engine_can_be_changed_for_a_session() {
    let limits = Limits { fuel: u64::MAX / 4, time: Some(Duration::from_millis(1)), ..Limits::untrusted() };
    let (engine, program, scope) = compiled(limits, endless().1.source().text());
    let quick = engine.compile("l[0]", program.layout()).expect("it compiles");
    for tier in TIERS {
        let mut session = engine.session();
        session.set_tier(tier);
        for _ in 0..3 {
            let error = session.run(&program, &scope).map(drop).expect_err("it takes hours");
            assert_eq!(exhausted(&error), Exhausted::Time);
            assert!(session.evaluate(&program, &scope).is_err_and(|error| error.is_limit()));
            // A later evaluation has time again.
            session.set_time(Some(Duration::from_secs(3_600)));
            assert!(session.run(&quick, &scope).is_ok());
            session.set_time(None);
            assert!(session.run(&quick, &scope).is_ok());
            session.set_time(Some(Duration::from_millis(1)));
        }
    }
}
