//! Comparisons decided by interval arithmetic agree with exact numbers, also for close operands.

use std::sync::Arc;

use hclvm::run::Tier;
use hclvm::value::Number;
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

#[test]
fn comparisons_agree_on_both_tiers() {
    let engine = Engine::standard();
    let layout = Arc::new(Layout::new(["a", "b"]));
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
    numbers.push(Number::infinity(true));
    let programs: Vec<_> = CONDITIONS.iter().map(|text| engine.compile(text, &layout).unwrap()).collect();
    for program in &programs {
        assert!(
            program.fast_listing().any(|line| line.name == "BranchInterval"),
            "{}",
            program.source().text()
        );
    }
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
