//! Comparisons and roundings decided by interval arithmetic agree with exact numbers, also for close operands.

use std::sync::Arc;

use hclvm::run::Tier;
use hclvm::value::{Arena, Entry, Number, marks_from};
use hclvm::{Engine, Layout, Value};

const CONDITIONS: &[&str] = &[
    "a * 1.15 + 0.1 > b",
    "a * 1.1 <= b",
    "0.1 + a < b - 0.2",
    "a / b >= 0.3",
    "1.5 * (a - b) > a * b / 3.0",
    "!(a + 0.5 < b) && a * 0.1 >= 0",
    "a * 0.1 + b * 0.2 >= a * 0.2 ? a : b",
    "a / (a - b) > 0.5",
    "a * 1.0000000000000000000000000001 > b",
];

/// The digits of a third show the precision.
const ROUNDINGS: &[&str] = &[
    "floor(a * 1.15 + 0.1)",
    "ceil(a * 1.15 + 0.1) / 3",
    "floor(a / b) / 3",
    "ceil(a * b - a) / 3",
    "[floor((a + b) / 2), floor(a / 8) / 3]",
    "ceil(1.5 * (a - b) / a)",
    "try(floor(a / (a - b)), -1)",
    "floor((a * 10 - b) / 10)",
    "floor(a * 1.0000000000000000000000000000001)",
];

#[test]
fn comparisons_agree_on_both_tiers() {
    agree(CONDITIONS, "BranchInterval");
}

#[test]
fn roundings_agree_on_both_tiers() {
    agree(ROUNDINGS, "Round");
}

/// Evaluates texts, whose fast code has a certain instruction, with all pairs of numbers of many forms.
fn agree(texts: &[&str], instruction: &str) {
    let engine = Engine::standard();
    let layout = Arc::new(Layout::new(["a", "b"]));
    let programs: Vec<_> = texts.iter().map(|text| engine.compile(text, &layout).unwrap()).collect();
    for program in &programs {
        let text = program.source().text();
        assert!(program.fast_listing().any(|line| line.name == instruction), "{text}");
    }
    let texts = [
        "0",
        "1",
        "-1",
        "2.5",
        "0.1",
        "0.3",
        "0.2",
        "1.265",
        "1.1",
        "1.21",
        "100.5",
        "115.675",
        "1e300",
        "1e-300",
        "9007199254740993",
        "123456789012345678901234567890",
        "0.30000000000000000000000000000000001",
    ];
    let mut numbers: Vec<Number> = texts.iter().filter_map(|text| Number::parse_text(text)).collect();
    numbers.extend([0.1, 0.3, 1.265, -0.0].into_iter().filter_map(Number::from_f64));
    numbers.extend([3, -8, 0, i64::MAX].map(Number::short));
    numbers.push(Number::infinity(true));
    let (mut best, mut full) = (engine.session(), engine.session());
    full.set_tier(Tier::Baseline);
    for a in &numbers {
        for b in &numbers {
            let mut scope = engine.scope(&layout);
            for (name, number) in [("a", a), ("b", b)] {
                scope.build(name, |arena| Ok(Value::number(arena, number.clone()))).unwrap();
            }
            for program in &programs {
                let results = [&mut best, &mut full].map(|session| match session.run(program, &scope) {
                    Ok(value) => format!("{value:?}"),
                    Err(error) => error.to_string(),
                });
                assert_eq!(results[0], results[1], "{} with {a:?} and {b:?}", program.source().text());
            }
        }
    }
}

#[test]
fn operands_that_are_not_numbers_are_left_to_exact_arithmetic() {
    let engine = Engine::standard();
    let layout = Arc::new(Layout::new(["a", "b"]));
    let program = engine.compile("a * 1.5 > b", &layout).unwrap();
    let mut session = engine.session();
    let mut scope = engine.scope(&layout);
    scope.set_all_json(br#"{"a": "4", "b": 5}"#).unwrap();
    assert_eq!(session.run(&program, &scope).unwrap().as_bool(), Some(true));
    scope.set_all_json(br#"{"a": null, "b": 5}"#).unwrap();
    assert!(session.run(&program, &scope).is_err());
    scope.set_unknown("a");
    assert!(!session.run(&program, &scope).unwrap().is_known());
}

#[test]
fn rounded_operands_that_are_not_numbers_are_left_to_exact_arithmetic() {
    let engine = Engine::standard();
    let layout = Arc::new(Layout::new(["a"]));
    let program = engine.compile("try(floor(a * 1.5), \"none\")", &layout).unwrap();
    assert!(program.fast_listing().any(|line| line.name == "Round"));
    let mut session = engine.session();
    let mut scope = engine.scope(&layout);
    for (json, expected) in
        [("\"5\"", "7"), ("null", "\"none\""), ("true", "\"none\""), ("5", "7"), ("[5]", "\"none\"")]
    {
        scope.set_json("a", json).unwrap();
        assert_eq!(format!("{:?}", session.run(&program, &scope).unwrap()), expected);
    }
    assert_eq!(session.baseline_runs(), 0);
    scope.set_unknown("a");
    assert!(!session.run(&program, &scope).unwrap().is_known());
}

/// A decimal as a number of units of `10^-18`, with its text.
fn decimal(units: i128) -> String {
    let (sign, size) = (if units < 0 { "-" } else { "" }, units.unsigned_abs());
    let one = 10_u128.pow(18);
    let text = format!("{sign}{}.{:018}", size / one, size % one);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Sums, differences and products of random decimals are compared with their exact result and with numbers
/// that differ from it by as little as one in the 18th place.
#[test]
fn comparisons_of_close_decimals_agree_with_exact_arithmetic() {
    let engine = Engine::standard();
    let layout = Arc::new(Layout::new(["a", "b", "c", "d"]));
    type Exactly = fn(i128, i128, i128) -> i128;
    const BILLION: i128 = 1_000_000_000;
    // Operands have 9 places, results 18.
    let formulas: [(&str, Exactly); 8] = [
        ("a * b + c * 0.000000001", |a, b, c| a * b + c),
        ("a * b - c * 0.5", |a, b, c| a * b - c / 2 * BILLION),
        ("a + b - c * 1.5", |a, b, c| (a + b) * BILLION - c * BILLION / 2 * 3),
        ("(a + b) * 0.5 * c", |a, b, c| (a + b) * (c / 2)),
        ("(a - b) * (c * 1.5)", |a, b, c| (a - b) * (c / 2 * 3)),
        ("(a + b - c) * 1000.5", |a, b, c| (a + b - c) * (BILLION * 1_000 + BILLION / 2)),
        ("a * (b - c) / 0.5", |a, b, c| a * (b - c) * 2),
        ("(a + b - c) / 0.125", |a, b, c| (a + b - c) * BILLION * 8),
    ];
    let mut state = 88_172_645_463_325_252_u64;
    let mut random = move |end: i128| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        i128::from(state) % end
    };
    let (mut best, mut baseline) = (engine.session(), engine.session());
    baseline.set_tier(Tier::Baseline);
    for (formula, exactly) in formulas {
        let programs = ["<", "<=", ">", ">="].map(|op| {
            let program = engine.compile(&format!("{formula} {op} d"), &layout).expect("it compiles");
            assert!(program.fast_listing().any(|line| line.name == "BranchInterval"), "{formula}");
            program
        });
        for round in 0..250 {
            let size = [10, 1_000, BILLION, 1_000 * BILLION][round % 4];
            let a = random(size) - size / 3;
            // Even, so that half of `c` is exact; often `c` is close to the sum of the others.
            let b = random(size);
            let c = if round % 3 == 0 { (a + b + random(3) - 1) / 2 * 2 } else { random(size) / 2 * 2 };
            let exact = exactly(a, b, c);
            for near in [-BILLION, -1_000, -1, 1, 1_000, BILLION] {
                let mut scope = engine.scope(&layout);
                for (name, units) in
                    [("a", a * BILLION), ("b", b * BILLION), ("c", c * BILLION), ("d", exact + near)]
                {
                    let number = Number::parse_text(&decimal(units)).expect("a number");
                    scope.build(name, |arena| Ok(Value::number(arena, number))).expect("it is small");
                }
                for (program, expected) in programs.iter().zip([near > 0, near > 0, near < 0, near < 0]) {
                    for session in [&mut best, &mut baseline] {
                        let found = session.run(program, &scope).expect("numbers").as_bool();
                        assert_eq!(
                            found,
                            Some(expected),
                            "{} with {:?}",
                            program.source().text(),
                            ["a", "b", "c", "d"].map(|name| scope.get(name))
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn quotients_of_decimals_close_to_a_bound_agree_with_exact_arithmetic() {
    let engine = Engine::standard();
    let layout = Arc::new(Layout::new(["a", "b"]));
    let (mut best, mut baseline) = (engine.session(), engine.session());
    baseline.set_tier(Tier::Baseline);
    for bound in ["0.3", "1.1", "0.07", "2.7", "0.9999999"] {
        let hundred_millionths = (bound.parse::<f64>().expect("a number") * 1e8).round();
        let numerator =
            Number::from_f64(hundred_millionths).and_then(|n| n.borrow().to_i64()).expect("small");
        let programs = [("<", -1), (">", 1)].map(|(op, side)| {
            (engine.compile(&format!("a / b {op} {bound}"), &layout).expect("it compiles"), side)
        });
        for divisor in [1_i64, 3, 7, 9_999_999, 123_456_789, 900_719_925] {
            // a / b is the bound and a part of it of 10^-17 or less.
            for off in [-1_i64, 1] {
                let mut scope = engine.scope(&layout);
                let a = i128::from(numerator) * i128::from(divisor) * 100 + i128::from(off);
                let texts = [("a", decimal(a * 10_i128.pow(8))), ("b", divisor.to_string())];
                for (name, text) in texts {
                    let number = Number::parse_text(&text).expect("a number");
                    scope.build(name, |arena| Ok(Value::number(arena, number))).expect("it is small");
                }
                for (program, side) in &programs {
                    for session in [&mut best, &mut baseline] {
                        let found = session.run(program, &scope).expect("numbers").as_bool();
                        assert_eq!(
                            found,
                            Some(off == *side),
                            "{} with {a} {divisor}",
                            program.source().text()
                        );
                    }
                }
            }
        }
    }
}

/// Expressions over elements with an instruction of their fast code. Most of the comparisons are decided by a bound.
const OF_ELEMENTS: &[(&str, &str)] = &[
    ("[for s in servers : s.name if s.load + 1 < 1.805]", "BranchAttributeBound"),
    ("[for s in servers : s.name if s.cpu * 2 > 3]", "BranchAttributeBound"),
    ("[for s in servers : s.name if s.load * 1.15 + 0.1 > 0.675]", "BranchAttributeBound"),
    (
        "[for s in servers : s.name if s.up && 1.5 - s.load >= 1 || s.load / -4 < -0.25]",
        "BranchAttributeBound",
    ),
    ("[for s in servers : s.name if !(3 * (s.cpu - 0.5) <= 1.5) && s.up]", "BranchAttributeBound"),
    ("[for s in servers : s.name if s.deep.load * 2 - 1 > 0]", "BranchAttributeBound"),
    ("[for load in loads : load if load - 0.5 > 0]", "BranchBound"),
    ("[for at, load in loads : load if at + 1 > 3]", "BranchBound"),
    ("{for s in servers : s.name => s.load if s.load * 2 <= 1}", "BranchAttributeBound"),
    ("[for s in servers : s.load * 2 > 1 ? s.name : \"none\"]", "BranchAttributeBound"),
    (
        "\"%{ for s in servers }%{ if s.load + 1 < 1.5 }${s.name},%{ endif }%{ endfor }\"",
        "BranchAttributeBound",
    ),
    ("[for s in servers : s.load + 1 < 1.805]", "MapBound"),
    ("[for s in servers : s.up && (s.load * 2 > 1 || 2 >= s.cpu / 0.5)]", "MapBound"),
    ("[for s in servers : !(s.up && s.load - 0.25 > 0.25)]", "MapBound"),
    ("try([for s in servers : s.load + 1 < 1.805], \"none\")", "MapBound"),
    ("try([for s in servers : s.name if s.load + 1 < 1.805], \"none\")", "BranchAttributeBound"),
    ("[for s in servers : s.name if s.load + s.cpu < 1]", "BranchInterval"),
    ("[for s in servers : s.name if s.load + s.cpu * 0.5 < 1.5]", "BranchInterval"),
    ("[for s in servers : s.name if s.load * 100 > s.cpu * 90]", "BranchIntegers"),
    ("[for s in servers : s.name if 1 - (s.load - (s.cpu - (s.load - 0.5))) < s.cpu]", "BranchInterval"),
    ("[for s in servers : s.load / s.cpu > 0.5]", "BranchInterval"),
];

/// What an attribute may be, as JSON; some are near the bounds above, in both directions.
const ATTRIBUTES: &[&str] = &[
    "0",
    "1",
    "2",
    "-3",
    "0.5",
    "0.8",
    "0.805",
    "0.804999999999999999",
    "0.805000000000000001",
    "0.25",
    "1.5",
    "1.50000000000000000000000000001",
    "0.49999999999999999999999999999",
    "0.500000000000000001",
    "-0.5",
    "1e30",
    "1e-200",
    "-0",
    "9007199254740993",
    "0.333333333333333333333333333333333333333333",
    "4.0000000000000000000000001",
];
const OTHER_ATTRIBUTES: &[&str] = &["null", "true", "\"0.8\"", "\"x\"", "[1]", "{}"];

/// Returns an element as an expression.
fn element(random: &mut impl FnMut(usize) -> usize, trouble: usize) -> String {
    let [load, cpu, deep] = [(); 3].map(|()| match random(100) {
        at if at < trouble => OTHER_ATTRIBUTES[random(OTHER_ATTRIBUTES.len())].to_owned(),
        at if at < 20 => format!("{} / 3", random(6)),
        at if at < 30 => format!("{} / 1000", random(2_000)),
        _ => ATTRIBUTES[random(ATTRIBUTES.len())].to_owned(),
    });
    let up = if random(100) < trouble { "null" } else { ["true", "false"][random(2)] };
    let name = random(1_000_000);
    let load = if random(200) < trouble { String::new() } else { format!("load = {load}, ") };
    format!("{{ {load}cpu = {cpu}, up = {up}, name = \"n{name}\", deep = {{ load = {deep} }} }}")
}

/// Returns an element of which two attributes are `load`.
fn of_load<'a>(arena: &'a Arena, load: Value<'a>) -> Value<'a> {
    let entries = [
        Entry::new("cpu", load),
        Entry::new("load", load),
        Entry::new("name", Value::str(arena, "n")),
        Entry::new("up", Value::TRUE),
    ];
    Value::object(arena, arena.slice(&entries))
}

#[test]
fn comparisons_of_elements_agree_on_both_tiers() {
    let engine = Engine::standard();
    let layout = Arc::new(Layout::new(["servers", "loads"]));
    let programs: Vec<_> = OF_ELEMENTS
        .iter()
        .map(|(text, instruction)| {
            let program = engine.compile(text, &layout).expect("it compiles");
            assert!(program.fast_listing().any(|line| line.name == *instruction), "{text}");
            program
        })
        .collect();
    let mut state = 88_172_645_463_325_252_u64;
    let mut random = move |end: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state >> 20).expect("44 bits") % end
    };
    let (mut best, mut baseline) = (engine.session(), engine.session());
    baseline.set_tier(Tier::Baseline);
    let (mut plain, mut faulty) = (0, 0);
    for round in 0..400 {
        let trouble = [0, 0, 0, 3][round % 4];
        let elements: Vec<_> = (0..random(12)).map(|_| element(&mut random, trouble)).collect();
        let loads: Vec<_> = (0..random(6)).map(|_| ATTRIBUTES[random(ATTRIBUTES.len())]).collect();
        let mut scope = engine.scope(&layout);
        for (name, text) in [("servers", elements.join(", ")), ("loads", loads.join(", "))] {
            let program = engine.compile(&format!("[{text}]"), &layout).expect("it compiles");
            let empty = engine.scope(&layout);
            let value = best.run(&program, &empty).expect("a list");
            scope.set_value(name, value).expect("it is small");
        }
        if round % 5 == 4 {
            // One of three elements is unknown or marked, or has a part that is.
            let unusual = round / 5 % 4;
            scope
                .build("servers", |arena| {
                    let marks = marks_from(arena, &["secret"]);
                    let half = Value::number(arena, Number::parse_text("0.5").expect("a number"));
                    let unusual = match unusual {
                        0 => of_load(arena, Value::DYNAMIC),
                        1 => of_load(arena, half.with_marks(arena, marks)),
                        2 => of_load(arena, half).with_marks(arena, marks),
                        _ => Value::DYNAMIC,
                    };
                    Ok(Value::tuple(
                        arena,
                        arena.slice(&[of_load(arena, half), unusual, of_load(arena, Value::int(2))]),
                    ))
                })
                .expect("it is small");
        }
        for program in &programs {
            let results = [&mut best, &mut baseline].map(|session| match session.run(program, &scope) {
                Ok(value) => Ok(format!("{value:?}")),
                Err(error) => Err(error.to_string()),
            });
            assert_eq!(results[0], results[1], "{} with {:?}", program.source().text(), scope.get("servers"));
            *if results[0].is_ok() { &mut plain } else { &mut faulty } += 1;
        }
    }
    assert!(plain > 5_000 && faulty > 100, "{plain} {faulty}");
}
