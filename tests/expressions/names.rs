//! Attribute names beyond the capacity of an engine's name table are found like all others.

use allocation_counter::measure;
use hclvm::run::Tier;
use hclvm::{Engine, Scope, Session};

/// Returns a text with this many unique attribute names.
fn names(from: usize, count: usize) -> String {
    (from..from + count).map(|at| format!("a{at} = v.name{at}\n")).collect::<Vec<_>>().concat()
}

const RULES: &str = r#"
    direct  = v.late.later
    twice   = v.late.later + v.late.later
    missing = try(v.late.never, v.last, "none")
    object  = { late = v.late.later, latest = 2 }.late
    made    = [for x in [{ late = 1, latest = 2 }, { latest = 3, late = 4 }] : x.latest - x.late]
    splat   = v.lates[*].late
    looped  = [for x in v.lates : x.late]
    grouped = { for x in v.lates : x.key => x.late... }
    chosen  = v.late.text == "b" ? v.late.later : 0
    text    = "${v.late.text}-${v.late.later}"
    locals  = upper(v.late.text)
    long    = v.LONG
"#;

const EXPECTED: &str =
    r#"[7, 14, "none", 7, [1, -1], [1, 2], [1, 2], {k = [1], l = [2]}, 7, "b-7", "B", true]"#;

const JSON: &str = r#"{
    "late": {"text": "b", "later": 7}, "lates": [{"key": "k", "late": 1}, {"late": 2, "key": "l"}], "LONG": true
}"#;

fn shown(session: &mut Session, engine: &Engine, projected: bool) -> String {
    let long = "n".repeat(1_000);
    let document = engine.parse("x.hcl", &RULES.replace("LONG", &long)).expect("it parses");
    let rules = document.body().rule_set().expect("it compiles");
    let mut scope: Scope = if projected { document.projection().scope() } else { document.scope() };
    scope.set_json("v", &JSON.replace("LONG", &long)).expect("JSON");
    let together = format!("{:?}", session.run_rules(&rules, &scope).expect("no limit").values());
    let alone: Vec<String> = rules
        .programs()
        .iter()
        .map(|rule| format!("{:?}", session.run(rule, &scope).expect("no error")))
        .collect();
    assert_eq!(together, format!("[{}]", alone.join(", ")));
    together
}

#[test]
fn an_engine_with_a_full_name_table_gives_equal_results() {
    let (fresh, full) = (Engine::standard(), Engine::standard());
    let text = names(0, 70_000);
    let filling = full.parse("names.hcl", &text).expect("it parses");
    filling.attribute("a0").expect("it is there").program().expect("it compiles");
    for engine in [&fresh, &full] {
        for tier in [Tier::Best, Tier::Baseline] {
            for projected in [false, true] {
                let mut session = engine.session();
                session.set_tier(tier);
                assert_eq!(shown(&mut session, engine, projected), EXPECTED);
            }
        }
        let text =
            "locals {\n unseen = 5\n further = local.unseen + 1\n}\nx = [local.further, local.unseen]\n";
        let document = engine.parse("x.hcl", text).expect("it parses");
        let module = document.module().expect("it compiles");
        let (mut session, scope) = (engine.session(), module.scope());
        let result = module.evaluate(&mut session, &scope).expect("no limit");
        let x = result.attribute("x").expect("it is there");
        assert_eq!(format!("{x:?} {}", result.diagnostics()), "[6, 5] ");
    }
}

#[test]
fn dropped_documents_leave_little_memory_behind() {
    let engine = Engine::standard();
    let left = |from: usize| {
        let left = measure(|| {
            let document = engine.parse("x.hcl", &names(from, 50_000)).expect("it parses");
            document.attribute(&format!("a{from}")).expect("it is there").program().expect("it compiles");
        });
        left.bytes_current
    };
    // The table has reached its capacity.
    let first = left(0) + left(50_000);
    assert!(first < 8 << 20, "{first} bytes");
    // What the engine caches of texts does not grow with their number.
    let later = (2..10).map(|at| left(at * 50_000)).sum::<i64>();
    assert!(later < 6 << 20, "{later} bytes");
}

#[test]
fn attributes_are_found_by_the_normal_form_of_their_names() {
    let engine = Engine::standard();
    let document =
        engine.parse("x.hcl", "x = v.re\u{301}sume\u{301} + v.r\u{e9}sum\u{e9}\n").expect("it parses");
    let program = document.attribute("x").expect("it is there").program().expect("it compiles");
    let mut scope = document.scope();
    scope.set_json("v", "{\"re\u{301}sume\u{301}\": 2}").expect("JSON");
    let mut session = engine.session();
    assert_eq!(format!("{:?}", session.run(&program, &scope).expect("no error")), "4");
    assert_eq!(session.baseline_runs(), 0);
}
