//! The fast tier answers what it was made for. Its results are compared with those of the other evaluators
//! elsewhere; a fast tier that always falls back would pass there.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hclvm::functions::FunctionTable;
use hclvm::run::{RuleSet, Tier};
use hclvm::value::{Arena, Entry, marks_from};
use hclvm::{Engine, Layout, Program, Scope, Session, Value, function};
use hclvm_workloads::Workload;
use hclvm_workloads::subject::Subject;

/// More evaluations than a workload has scopes.
const ROUND: usize = 128;

#[test]
fn workloads_never_fall_back() {
    let names = Workload::ALL.map(Workload::name).into_iter().chain(["attribute-body", "rule-set"]);
    for name in names {
        let mut subject = Subject::named(name).expect("it compiles").expect("it exists");
        for turn in 0..ROUND {
            subject.evaluate(turn).expect("it evaluates");
        }
        assert_eq!(subject.session.baseline_runs(), 0, "{name}");
    }
}

#[test]
fn runs_of_the_baseline_tier_are_counted() {
    let engine = Engine::standard();
    let layout = Arc::new(Layout::new(["a"]));
    let program = engine.compile("a > 1", &layout).expect("it compiles");
    let mut scope = engine.scope(&layout);
    let mut session = engine.session();

    scope.set("a", &1).expect("it fits");
    session.run(&program, &scope).expect("a bool");
    session.evaluate(&program, &scope).expect("no limit");
    assert_eq!(session.baseline_runs(), 0);

    scope.set_unknown("a");
    session.run(&program, &scope).expect("an unknown bool");
    session.evaluate(&program, &scope).expect("no limit");
    assert_eq!(session.baseline_runs(), 2);

    scope.set("a", &1).expect("it fits");
    session.set_tier(Tier::Baseline);
    session.run(&program, &scope).expect("a bool");
    assert_eq!(session.baseline_runs(), 3);
}

/// Marks one value after the other, and returns how often the fast tier answered for each expression.
fn answers_with_marks(text: &str) -> usize {
    let engine = Engine::standard();
    let layout = Arc::new(Layout::new(["user", "users", "input", "n", "s", "yes"]));
    let program = engine.compile(text, &layout).expect("it compiles");
    let mut answered = 0;
    for marked in ["", "n", "s", "yes", "input", "name", "age", "groups", "group", "deep"] {
        let mut scope = engine.scope(&layout);
        let build = |scope: &mut Scope, name: &str, make: &dyn for<'a> Fn(&'a Arena) -> Value<'a>| {
            scope.build(name, |arena| Ok(make(arena))).expect("it fits");
        };
        let mark = |arena: &'_ Arena, name: &str| name == marked && arena.charge(1);
        macro_rules! value {
            ($arena:expr, $name:expr, $value:expr) => {
                if mark($arena, $name) {
                    $value.with_marks($arena, marks_from($arena, &["secret"]))
                } else {
                    $value
                }
            };
        }
        build(&mut scope, "n", &|arena| value!(arena, "n", Value::int(7)));
        build(&mut scope, "s", &|arena| value!(arena, "s", Value::str(arena, "b")));
        build(&mut scope, "yes", &|arena| value!(arena, "yes", Value::TRUE));
        build(&mut scope, "user", &|arena| {
            let group = value!(arena, "group", Value::str(arena, "ops"));
            let groups = Value::tuple(arena, arena.slice(&[Value::str(arena, "dev"), group]));
            let entries = [
                Entry::new("age", value!(arena, "age", Value::int(40))),
                Entry::new("groups", value!(arena, "groups", groups)),
                Entry::new("name", value!(arena, "name", Value::str(arena, "ann"))),
                Entry::new("unread", Value::int(1).with_marks(arena, marks_from(arena, &["unread"]))),
            ];
            Value::object(arena, arena.slice(&entries))
        });
        build(&mut scope, "users", &|arena| {
            let user = |name| {
                let unread = Value::int(1).with_marks(arena, marks_from(arena, &["unread"]));
                let entries = [
                    Entry::new("age", Value::int(40)),
                    Entry::new("name", Value::str(arena, name)),
                    Entry::new("unread", unread),
                ];
                Value::object(arena, arena.slice(&entries))
            };
            Value::tuple(arena, arena.slice(&[user("ann"), user("bob")]))
        });
        build(&mut scope, "input", &|arena| {
            let deep = value!(arena, "deep", Value::str(arena, "ops"));
            let inner = Value::object(arena, arena.slice(&[Entry::new("team", deep)]));
            value!(arena, "input", Value::object(arena, arena.slice(&[Entry::new("owner", inner)])))
        });
        let run = |tier| {
            let mut session = engine.session();
            session.set_tier(tier);
            // Decisions are derived after some runs.
            (0..20).for_each(|_| drop(session.evaluate(&program, &scope)));
            let evaluation = session.evaluate(&program, &scope).expect("within the limits");
            let (value, marks) = evaluation.value.unmark();
            (format!("{value:?} {:?}", marks.names()), session.baseline_runs())
        };
        let ((fast, fell_back), (expected, _)) = (run(Tier::Best), run(Tier::Baseline));
        assert_eq!(fast, expected, "{text} with a mark at {marked:?}");
        answered += usize::from(fell_back == 0);
    }
    answered
}

#[test]
fn runs_after_one_that_read_a_mark_need_not_read_one() {
    let engine = Engine::standard();
    let layout = Arc::new(Layout::new(["user"]));
    let program = engine.compile("[user.a, user.b]", &layout).expect("it compiles");
    let other = engine.compile("user.a == user.b", &layout).expect("it compiles");
    let mut scope = engine.scope(&layout);
    let [mut session, mut baseline] = [engine.session(), engine.session()];
    baseline.set_tier(Tier::Baseline);
    // The mark is on what is read, then on what is not, of primitives and of lists.
    for (lists, marked) in
        [(false, "a"), (true, "c"), (false, "c"), (false, "b"), (true, "c"), (true, "a"), (false, "a")]
    {
        let made = scope.build("user", |arena| {
            let entries = ["a", "b", "c"].map(|name| {
                let text = Value::str(arena, "x");
                let value = if lists { Value::tuple(arena, arena.slice(&[text])) } else { text };
                let marks = marks_from(arena, &["secret"]);
                Entry::new(name, if name == marked { value.with_marks(arena, marks) } else { value })
            });
            Ok(Value::object(arena, arena.slice(&entries)))
        });
        made.expect("it fits");
        for (program, compares) in [(&program, false), (&other, true)] {
            let before = session.baseline_runs();
            for _ in 0..3 {
                let found = format!("{:?}", session.run(program, &scope));
                assert_eq!(found, format!("{:?}", baseline.run(program, &scope)), "{lists} {marked}");
            }
            if marked == "c" || compares && !lists {
                assert_eq!(session.baseline_runs(), before, "{lists} {marked}");
            }
        }
    }
}

#[test]
fn conditions_and_switches_that_read_marked_primitives_do_not_fall_back() {
    for (text, answered) in [
        ("user.name == \"bob\" || user.age > 30 && yes", 10),
        ("user.name == \"ann\" || user.age > 30 && yes", 10),
        ("yes && n < 3 || s != \"b\"", 10),
        ("s == \"a\" ? 1 : s == \"b\" ? 2 : s == \"c\" ? 3 : s == \"d\" ? 4 : 5", 10),
        ("(n * 3 - user.age) % 5 > 2 ? user.name : s", 10),
        ("input.owner.team == \"ops\" && !yes", 10),
        ("\"${user.name}%{ if yes }-${s}%{ endif }\" == \"ann-b\"", 10),
        // An element may be marked.
        ("contains(user.groups, input.owner.team) && yes", 9),
        ("[for u in users : upper(u.name) if u.age > 30]", 10),
        ("[for u in users : u]", 10),
        ("[for u in users : u.unread]", 0),
        ("[for u in users : u.name if u.age > 50 && u.unread == 1]", 10),
        ("[for u in users : u.name if u.age > 30 || u.unread > 1]", 10),
        ("[for i, u in users : i if u.unread == 1 && yes]", 10),
        ("[for u in users : \"${u.name}-${s}\" if u.unread == 1 && n > 3]", 9),
        ("[for u in users : n if u.unread == n]", 9),
        ("[for u in users : u.unread if u.unread == 1]", 0),
        ("[for u in users : u if u.unread == 1]", 0),
        ("[for u in users : u.name if u.unread / n > 0]", 0),
        ("[for u in users : u.name if u.age > 50 && u == 1]", 0),
        ("[for u in users : [for k, v in u : k if k == \"x\" && v == 1]]", 0),
        ("yes || users == s", 0),
        ("yes || [for u in users : u] == s", 0),
        ("yes || [users] == s", 0),
        // A part may have a fault, in which case the marks behind it are not those of the result.
        ("yes || user.age / n > 1", 0),
        ("yes || user.missing == 1", 9),
        ("yes || n", 0),
    ] {
        assert_eq!(answers_with_marks(text), answered, "{text}");
    }
}

#[test]
fn attributes_of_objects_that_are_older_than_the_program_are_found() {
    let engine = Engine::standard();
    let layout = Arc::new(Layout::new(["v"]));
    let mut scope = engine.scope(&layout);
    scope.set_json("v", r#"[{"a": 1, "b": 2}, {"b": 3}, {"b": 4, "c": 5}]"#).expect("JSON");
    let text = "[v[*].b, [for o in v : o.b + 1], v[0].a, v[2].c, try(v[1].a, 0)]";
    let program = engine.compile(text, &layout).expect("it compiles");
    let mut session = engine.session();
    for _ in 0..2 {
        let found = format!("{:?}", session.run(&program, &scope).expect("a value"));
        assert_eq!(found, "[[2, 3, 4], [3, 4, 5], 1, 5, 0]");
    }
    assert_eq!(session.baseline_runs(), 0);
}

/// Splats read the attributes of objects with equal heads in groups, and others one by one.
#[test]
fn splats_over_objects_of_any_number_and_shape_answer() {
    let kinds = [
        r#"{"n": 1, "t": "text"}"#,
        r#"{"n": 2, "t": "a text that is longer than a value"}"#,
        r#"{"n": null, "t": [1, 2]}"#,
        r#"{"a": 0, "n": 3.5, "t": {"x": true}}"#,
        r#"{"n": {"of": [4]}, "t": 5, "z": 6}"#,
    ];
    let engine = Engine::standard();
    let layout = Arc::new(Layout::new(["all"]));
    let programs: Vec<_> = ["all[*].n", "all[*].t", "[for a in all : a.n]", "[all[*].t, all[*].n]"]
        .map(|text| engine.compile(text, &layout).expect("it compiles"))
        .into();
    let mut scope = engine.scope(&layout);
    let [mut session, mut baseline] = [engine.session(), engine.session()];
    baseline.set_tier(Tier::Baseline);
    for len in 0..14_usize {
        // All of one kind, and one of another kind at each place.
        for (first, other, place) in kinds
            .iter()
            .flat_map(|first| kinds.iter().map(move |other| (first, other)))
            .flat_map(|(first, other)| (0..len.max(1)).map(move |place| (first, other, place)))
        {
            let items: Vec<_> = (0..len).map(|at| if at == place { *other } else { *first }).collect();
            scope.set_all_json(format!(r#"{{"all": [{}]}}"#, items.join(",")).as_bytes()).expect("it fits");
            for program in &programs {
                let found = session.run(program, &scope).expect("a list").to_string();
                let expected = baseline.run(program, &scope).expect("a list").to_string();
                assert_eq!(found, expected, "{items:?}");
            }
        }
    }
    assert_eq!(session.baseline_runs(), 0);
    // An element without the attribute, at any place.
    for place in 0..9 {
        let items: Vec<_> = (0..9).map(|at| if at == place { r#"{"t": 0}"# } else { kinds[0] }).collect();
        scope.set_all_json(format!(r#"{{"all": [{}]}}"#, items.join(",")).as_bytes()).expect("it fits");
        assert!(session.run(&programs[0], &scope).is_err(), "{place}");
    }
}

/// Returns a session, and one that runs everything on the baseline tier.
fn fast_and_baseline(engine: &Engine) -> [Session; 2] {
    let [fast, mut baseline] = [engine.session(), engine.session()];
    baseline.set_tier(Tier::Baseline);
    [fast, baseline]
}

/// Compares the results of both tiers with a scope, and those with the packed scope.
fn compare_with_baseline(
    [fast, baseline]: &mut [Session; 2],
    programs: &[Program],
    scope: &Scope,
    text: &str,
) {
    let packed = scope.packed();
    for program in programs {
        let expected = format!("{:?}", baseline.run(program, scope));
        assert_eq!(format!("{:?}", fast.run(program, scope)), expected, "{text}");
        assert_eq!(format!("{:?}", fast.run(program, &packed)), expected, "{text}");
    }
}

/// Computations and the loop agree with the baseline tier, also where an integer is another value, at every run.
#[test]
fn computations_of_integers_answer_for_other_values_too() {
    let engine = Engine::standard();
    let layout = Arc::new(Layout::new(["a", "b", "o"]));
    let programs: Vec<_> = [
        "(a * 3 + b / 2 - o.n) % 7 > 2 ? a : b",
        "a * 2 + b * 3",
        "a - b * 2 < 10",
        "o.n * 2 > a && b + 1 <= o.m || a == b",
        "o.n + o.m - a",
        "a * b * o.n",
        "a / 4 > b ? \"more\" : \"less\"",
        "a < b",
        "(a + 1) * (b - 1)",
        "a * -2 - 1",
        "o.n % 5 == 0 ? o.n : a + 1",
    ]
    .map(|text| engine.compile(text, &layout).expect("it compiles"))
    .into();
    let values = [
        "0",
        "1",
        "-4",
        "7",
        "2.5",
        "9223372036854775807",
        "-9223372036854775808",
        "\"6\"",
        "\"x\"",
        "null",
        "true",
    ];
    let mut scope = engine.scope(&layout);
    let mut sessions = fast_and_baseline(&engine);
    // The second time many steps have failed too often.
    for _ in 0..2 {
        for a in values {
            for b in values {
                for n in values {
                    let text = format!(r#"{{"a": {a}, "b": {b}, "o": {{"m": 3, "n": {n}}}}}"#);
                    scope.set_all_json(text.as_bytes()).expect("it fits");
                    compare_with_baseline(&mut sessions, &programs, &scope, &text);
                }
            }
        }
    }
}

#[test]
fn decisions_answer_alike_for_packed_scopes() {
    let engine = Engine::standard();
    let layout = Arc::new(Layout::new(["user", "method", "size"]));
    let programs = [
        r#"user.role == "admin" || method == "GET" && contains(user.groups, user.home) && !user.locked"#,
        r#"method == "GET" && size < 10"#,
        r#"user.level >= 3 && startswith(user.role, "ad")"#,
    ]
    .map(|text| engine.compile(text, &layout).expect("it compiles"));
    let mut scope = engine.scope(&layout);
    let mut sessions = fast_and_baseline(&engine);
    for role in [r#""admin""#, r#""adviser of an admin""#, r#""guest""#, "null", "7"] {
        for (method, size) in [(r#""GET""#, "9.5"), (r#""GET""#, "10"), (r#""PUT""#, "1"), ("true", "null")] {
            for groups in [r#"["here", "there"]"#, "[]", r#"["there", 7]"#] {
                let user = format!(
                    r#"{{"role": {role}, "groups": {groups}, "home": "there", "locked": false, "level": {size}}}"#
                );
                let text = format!(r#"{{"user": {user}, "method": {method}, "size": {size}}}"#);
                scope.set_all_json(text.as_bytes()).expect("it fits");
                compare_with_baseline(&mut sessions, &programs, &scope, &text);
            }
        }
    }
}

#[test]
fn expansions_of_few_variables_read_each_of_them() {
    let engine = Engine::standard();
    for count in 1..10 {
        let last = count - 1;
        let names: Vec<String> = (0..count).map(|at| format!("v{at}")).collect();
        let all = names.join(", ");
        let text =
            format!("all = [{all}]\nsum = v{last} * 2 + v0\nholds = v{last} > {} && v0 < 11", 9 + last);
        let document = engine.parse("x.hcl", &text).expect("it parses");
        let mut scope = document.scope();
        for (name, value) in names.iter().zip(10..) {
            scope.set(name, &value).expect("it fits");
        }
        let mut session = engine.session();
        // Decisions and computations are derived after some runs.
        for _ in 0..20 {
            let mut expansion = session.expand(&document, &scope).expect("its own scope");
            let body = expansion.body();
            let content = expansion.everything(body).expect("within the limits");
            let values: Vec<String> = content
                .attributes
                .iter()
                .skip(1)
                .map(|attribute| expansion.evaluate(*attribute).expect("within the limits"))
                .map(|evaluation| format!("{:?}", evaluation.value))
                .collect();
            assert_eq!(values, [format!("{}", 2 * (10 + last) + 10), "true".to_owned()], "{text}");
        }
    }
}

#[test]
fn rules_that_fall_back_are_counted() {
    let engine = Engine::standard();
    let layout = Arc::new(Layout::new(["a", "b"]));
    let rules = ["a > 1", "b > 1", "b > 2", "a > 2"];
    let programs = rules.map(|rule| engine.compile(rule, &layout).expect("it compiles"));
    let rules = RuleSet::new(programs).expect("they are of one layout");
    let mut scope = engine.scope(&layout);
    scope.set("a", &1).expect("it fits");
    scope.set_unknown("b");
    let mut session = engine.session();
    session.run_rules(&rules, &scope).expect("no limit");
    assert_eq!(session.baseline_runs(), 2);
}

#[test]
fn variables_beyond_the_63rd_are_checked_one_by_one() {
    let engine = Engine::standard();
    let names: Vec<String> = (0..70).map(|at| format!("v{at}")).collect();
    let layout = Arc::new(Layout::new(&names));
    let program = engine.compile("v1 > v66", &layout).expect("it compiles");
    let mut scope = engine.scope(&layout);
    scope.set("v1", &1).expect("it fits");
    scope.set("v66", &2).expect("it fits");
    scope.set_unknown("v65");
    let mut session = engine.session();
    for runs in [0, 1] {
        session.run(&program, &scope).expect("a bool");
        session.evaluate(&program, &scope).expect("no limit");
        assert_eq!(session.baseline_runs(), 2 * runs);
        scope.set_unknown("v66");
    }
}

#[test]
fn the_number_of_conditions_is_limited_in_depth_only() {
    let engine = Engine::standard();
    let layout = Arc::new(Layout::new(["a"]));
    // A tuple has a register for each element, of which there are 256.
    let text = format!("[{}]", format!("[{}], ", "!a, a && a, ".repeat(50)).repeat(8));
    let program = engine.compile(&text, &layout).expect("it compiles");
    let mut scope = engine.scope(&layout);
    scope.set("a", &true).expect("it fits");
    let mut session = engine.session();
    let value = session.run(&program, &scope).expect("a tuple");
    assert_eq!(value.as_items().map(<[_]>::len), Some(8));
    assert_eq!(session.baseline_runs(), 0);
}

#[test]
fn impure_functions_are_called_in_each_evaluation() {
    let calls = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&calls);
    let next = function("next", ["from"], move |_: u32| counter.fetch_add(1, Ordering::Relaxed)).impure();
    let mut table = FunctionTable::new();
    table.insert("next", next);
    let engine = Engine::builder().functions(table).build();
    let layout = Arc::new(Layout::default());
    let program = engine.compile("next(1)", &layout).expect("it compiles");
    assert_eq!(calls.load(Ordering::Relaxed), 0);
    let (mut session, scope) = (engine.session(), engine.scope(&layout));
    for round in 0..3 {
        let value = session.run(&program, &scope).expect("a number");
        assert_eq!(value.as_number().and_then(|number| number.to_i64()), Some(round));
    }
}

/// Evaluates an expression of the variable `v` on both tiers with many values, and asserts that the results are
/// equal and that the fast tier computes those of the first `plain` values.
fn compare_tiers(text: &str, plain: usize) {
    let engine = Engine::standard();
    let layout = Arc::new(Layout::new(["v", "list"]));
    let program = engine.compile(text, &layout).expect("it compiles");
    let [mut best, mut baseline] = [(); 2].map(|()| engine.session());
    baseline.set_tier(Tier::Baseline);
    let values = [
        r#"{"a": "one"}"#,
        r#"{"a": "two"}"#,
        r#"{"a": "three"}"#,
        r#"{"a": "four"}"#,
        r#"{"a": "none of these"}"#,
        r#"{"a": ""}"#,
        r#"{"a": 1}"#,
        r#"{"a": true}"#,
        r#"{"a": null}"#,
        r#"{"a": ["one"]}"#,
        r#"{"b": "one"}"#,
        r#""one""#,
        "null",
    ];
    for (at, value) in values.iter().enumerate() {
        let mut scope = engine.scope(&layout);
        scope.set_json("v", *value).expect("it is JSON");
        scope.set_json("list", r#"["one", "five", "two", "four", "six"]"#).expect("it is JSON");
        let before = best.baseline_runs();
        let found = format!("{:?}", best.run(&program, &scope).map_err(|error| error.to_string()));
        let fell_back = best.baseline_runs() > before;
        let expected = format!("{:?}", baseline.run(&program, &scope).map_err(|error| error.to_string()));
        assert_eq!(found, expected, "{text} with {value}");
        assert!(at >= plain || !fell_back, "{text} with {value}");
    }
}

#[test]
fn chains_of_conditionals_with_constants_of_several_types_are_switches() {
    let chain = |arms: [&str; 4], otherwise: &str| {
        let texts = ["one", "two", "three", "four"];
        let arm = |(text, arm)| format!("v.a == \"{text}\" ? {arm} : ");
        texts.into_iter().zip(arms).map(arm).collect::<String>() + otherwise
    };
    let constants = ["1", "\"x\"", "true", "null", "2.5", "-1", "\"\"", "1e30"];
    // Which of them have a common type is up to the baseline tier.
    for first in constants {
        for second in constants {
            for (place, last) in [(0, "\"z\""), (1, "null"), (2, "3"), (3, "\"z\"")] {
                let mut arms = [second; 4];
                arms[place] = first;
                compare_tiers(&chain(arms, last), 0);
                compare_tiers(&format!("[{}, 1]", chain(arms, first)), 0);
            }
        }
    }
    for (arms, otherwise) in [
        (["\"a\"", "7", "\"b\"", "\"c\""], "\"d\""),
        (["\"a\"", "\"b\"", "\"c\"", "\"d\""], "null"),
        (["null", "1", "null", "2"], "null"),
        (["1", "2", "3", "true ? 4 : 5"], "\"d\""),
        (["true", "\"b\"", "false", "\"d\""], "null"),
    ] {
        compare_tiers(&chain(arms, otherwise), 8);
    }
}

#[test]
fn membership_in_a_list_of_texts_is_a_switch() {
    let one_of = "v.a == \"one\" || v.a == \"two\" || v.a == \"three\" || v.a == \"one\"";
    for (text, plain) in [
        (one_of.to_owned(), 8),
        (format!("!({one_of})"), 8),
        (format!("({one_of}) && v.a != \"two\" ? 1 : 2"), 8),
        (format!("v.a == \"four\" || ({one_of}) || v.a == \"\""), 8),
        (format!("v.a == 1 || {one_of}"), 8),
        (format!("true || {one_of}"), 0),
        (format!("try({one_of}, \"failed\")"), 0),
        (format!("can({one_of})"), 0),
        (format!("\"%{{ if {one_of} }}yes%{{ else }}no%{{ endif }}\""), 8),
        (
            "[for l in list : upper(l) if l == \"one\" || l == \"two\" || l == \"three\" || l == \"four\"]"
                .to_owned(),
            10,
        ),
        ("[for l in list : l == \"one\" || l == \"two\" || l == \"three\" || l == \"four\"]".to_owned(), 10),
        ("list[0] == \"one\" || list[0] == \"two\" || list[0] == \"x\" || list[0] == \"y\"".to_owned(), 10),
        ("contains([\"one\", \"two\"], v.a)".to_owned(), 8),
        ("!contains([\"one\", \"\"], v.a) ? 1 : 2".to_owned(), 8),
        (format!("contains([{}\"four\"], v.a)", "\"some\", ".repeat(300)), 8),
        ("contains([\"one\", 2, null], v.a)".to_owned(), 0),
        ("contains([], v.a)".to_owned(), 0),
        ("try(contains([\"one\"], v.a), \"failed\")".to_owned(), 8),
        ("[for l in list : l if contains([\"one\", \"four\"], l)]".to_owned(), 10),
        ("contains([\"One\", \"Four\"], title(v.a))".to_owned(), 6),
        (
            "lower(v.a) == \"one\" || lower(v.a) == \"two\" || \"x\" == lower(v.a) || lower(v.a) == \"y\""
                .to_owned(),
            8,
        ),
        ("v.a == \"one\" || v.b == \"two\" || v.a == \"three\" || v.a == \"four\"".to_owned(), 0),
    ] {
        compare_tiers(&text, plain);
    }
}

/// `x == null ? other : x.name` does not fall back where x is null: that arm has a fault, which is dropped with its type.
#[test]
fn null_checks_answer() {
    for (text, plain) in [
        ("v.a == null ? \"none\" : v.a.b", 0),
        ("v.a == null ? list : v.a.b.c", 0),
        ("null != v.a ? v.a.b : 7", 0),
        ("(v.a) == (null) ? list[1] : v.a.b", 0),
        ("[v.a == null ? 1 : v.a.b, v.b == null ? 1 : v.b.c]", 0),
        ("[for l in list : v.a == null ? l : v.a.b]", 0),
        ("v.a == null ? v.a : v.a.b", 0),
    ] {
        compare_tiers(text, plain);
    }
    let engine = Engine::standard();
    let layout = Arc::new(Layout::new(["user"]));
    let program =
        engine.compile("user.manager == null ? 0 : user.manager.name", &layout).expect("it compiles");
    let mut scope = engine.scope(&layout);
    let mut session = engine.session();
    for (user, expected) in [(r#"{"manager": null}"#, "0"), (r#"{"manager": {"name": "ann"}}"#, "ann")] {
        scope.set_json("user", user).expect("it is JSON");
        assert_eq!(session.run(&program, &scope).expect("it evaluates").to_string(), expected);
    }
    assert_eq!(session.baseline_runs(), 0);
}

/// `x["name"]` finds what `x.name` finds; positions in texts, and what is neither object nor map, as before.
#[test]
fn constant_keys_are_attributes() {
    for (text, plain) in [
        ("v[\"a\"]", 10),
        ("v[\"a\"] == \"one\"", 8),
        ("v[\"a\"] == \"one\" || v.a == \"two\"", 8),
        ("v[\"a\"][\"b\"]", 0),
        ("list[\"1\"]", 12),
        ("list[\"one\"]", 0),
        ("[for i, l in list : v[\"a\"]]", 10),
        ("[v][*][\"a\"]", 0),
        ("try(v[\"b\"], v[\"a\"])", 10),
        ("can(v[\"c\"])", 10),
    ] {
        compare_tiers(text, plain);
    }
}
