//! Attributes are found by the symbols of their names, and by the names where a program, a scope or a table of names is
//! older than the others.

use allocation_counter::measure;
use hclvm::run::Tier;
use hclvm::{Document, Engine, Scope, Session};

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

/// A name that is too long for the table.
fn long(text: &str) -> String {
    text.replace("LONG", &"n".repeat(1_000))
}

fn shown(session: &mut Session, document: &Document, projected: bool) -> String {
    let rules = document.body().rule_set().expect("it compiles");
    let mut scope: Scope = if projected { document.projection().scope() } else { document.scope() };
    scope.set_json("v", &long(JSON)).expect("JSON");
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
fn programs_older_and_newer_than_the_table_of_names_give_equal_results() {
    let parse = |engine: &Engine| engine.parse("x.hcl", &long(RULES)).expect("it parses");
    let (fresh, full) = (Engine::standard(), Engine::standard());
    let older = parse(&full);
    let compiled = older.body().rule_set().expect("it compiles");
    // More names than a table holds.
    let filling = full.parse("names.hcl", &names(0, 70_000)).expect("it parses");
    filling.attribute("a0").expect("it is there").program().expect("it compiles");
    for (engine, document) in [(&fresh, &parse(&fresh)), (&full, &parse(&full)), (&full, &older)] {
        for tier in [Tier::Best, Tier::Baseline] {
            for projected in [false, true] {
                let mut session = engine.session();
                session.set_tier(tier);
                assert_eq!(shown(&mut session, document, projected), EXPECTED);
            }
        }
    }
    drop(compiled);
    for engine in [&fresh, &full] {
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
