//! A rule set gives the results of its rules run one by one. Generated sets are in rule_differential.rs.

use std::sync::Arc;

use hclvm::run::RuleSet;
use hclvm::run::Tier;
use hclvm::{Engine, Layout, Limits, Scope, Session};

const NAMES: [&str; 6] = ["user", "n", "f", "list", "map", "late"];

/// Rules of all shapes: jumps, switches, loops, templates, calls, `try`, faults, without fast code.
const RULES: &[&str] = &[
    // Common subexpressions, some of which are evaluated conditionally.
    r#"n > 3 && user.name == "x4""#,
    r#"n == 0 || user.name == "x4""#,
    "upper(n > 3 ? user.name : user.role)",
    "upper(user.role)",
    "upper(n > 3 ? user.name : user.role)",
    r#"upper(user.name) == "X4" ? "${user.name}-${n}-${f}" : "${n}${f}${n}""#,
    r#"n > 3 ? upper(user.name) : "${n}""#,
    r#""${upper(user.name)}:${n}:${f}""#,
    "n * 3 + f * 3",
    "[n * 3, f * 3, user, user.groups]",
    "map.x0",
    "map.x0 + n * 3",
    "[upper(user.name), upper(user.role), n * 3]",
    r#"user.role == "admin" || contains(user.groups, "ops")"#,
    // One way of a join has a common subexpression, the other a value that is none.
    r#"lower(n > 3 ? upper(user.name) : "${n}-")"#,
    r#"lower(n > 3 ? "${n}-" : upper(user.name))"#,
    "n * 3 + 1",
    "n > 3 ? user.name : \"nobody\"",
    "n > 3 ? user.name : n",
    r#"user.role == "a" ? 1 : user.role == "b" ? 2 : user.role == "admin" ? 3 : user.role == "c" ? 4 : 5"#,
    r#""${user.name}-${n}-%{ for x in list }${x},%{ endfor }""#,
    "[for x in list : upper(x) if x != \"b\"]",
    "{for k, v in map : k => v * 2}",
    "{for x in list : x => upper(x)...}",
    "map.missing",
    "try(map.missing, list[9], user.name)",
    "can(map.missing)",
    "late",
    "late == null ? 1 : 2",
    "f * 1.15 + 0.1 > 3",
    "upper(user.name)",
    "upper(n)",
    "nothing_like_it(1)",
    "list[*]",
    "[for x in list : {name = x, first = x[0]}]",
    "{a = n, b = [n, f], c = {d = user}}",
    "-n",
    "!(n == 3)",
    "42",
    "\"constant\"",
    "list[n]",
    "map[user.name]",
    "toset(list)",
    "merge(map, {late = 1})",
    "max(n, f, 7)",
    "n / 0",
];

fn engine() -> (Engine, Arc<Layout>) {
    (Engine::standard(), Arc::new(Layout::new(NAMES)))
}

fn scopes(engine: &Engine, layout: &Arc<Layout>) -> Vec<Scope> {
    let mut scopes = Vec::new();
    for n in [0, 3, 4, -7] {
        for late in [None, Some(1)] {
            let mut scope = engine.scope(layout);
            scope
                .set_all_json(
                    format!(
                        r#"{{"user": {{"name": "x{n}", "role": "{}", "groups": ["dev", "ops"]}}, "n": {n},
                            "f": {n}.25, "list": ["a", "b", "a"], "map": {{"x0": 1, "k": 2}}}}"#,
                        if n == 0 { "admin" } else { "b" },
                    )
                    .as_bytes(),
                )
                .unwrap();
            match late {
                Some(late) => scope.set("late", &late).unwrap(),
                None if n == 3 => scope.set_unknown("late"),
                None => {}
            }
            scopes.push(scope);
        }
    }
    scopes
}

/// Returns the value or the errors as text.
fn alone(session: &mut Session, program: &hclvm::Program, scope: &Scope) -> String {
    let evaluation = session.evaluate(program, scope).unwrap();
    format!("{:?} {}", evaluation.value, evaluation.diagnostics)
}

#[test]
fn rules_give_equal_results_in_a_set_and_alone() {
    let (engine, layout) = engine();
    let programs: Vec<_> = RULES.iter().map(|rule| engine.compile(rule, &layout).unwrap()).collect();
    let rules = RuleSet::new(programs.iter().cloned()).unwrap();
    let mut failed = 0;
    for tier in [Tier::Best, Tier::Baseline] {
        for scope in scopes(&engine, &layout) {
            let mut other = engine.session();
            let mut session = engine.session();
            session.set_tier(tier);
            let results = session.run_rules(&rules, &scope).unwrap();
            assert_eq!(results.len(), RULES.len());
            for (at, (rule, result)) in RULES.iter().zip(results.iter()).enumerate() {
                let value = results.values()[at];
                let together = match result {
                    Ok(value) => format!("{value:?} "),
                    Err(diagnostics) => {
                        failed += 1;
                        format!("{value:?} {diagnostics}")
                    }
                };
                assert_eq!(together, alone(&mut other, &programs[at], &scope), "{rule}");
                assert_eq!(results.get(at).is_some_and(|result| result.is_ok()), result.is_ok());
            }
            let failures: Vec<_> = results.failures().map(|(at, _)| at).collect();
            assert!(failures.is_sorted());
        }
    }
    assert!(failed > 50, "{failed}");
}

#[test]
fn rules_that_do_not_fit_one_stream_are_split() {
    let engine = Engine::standard();
    // 300 variables, more than there are registers.
    let names: Vec<String> = (0..300).map(|at| format!("v{at}")).collect();
    let layout = Arc::new(Layout::new(names.iter().map(String::as_str)));
    let programs: Vec<_> =
        names.iter().map(|name| engine.compile(&format!("{name} + 1"), &layout).unwrap()).collect();
    let rules = RuleSet::new(programs).unwrap();
    let mut scope = engine.scope(&layout);
    for (at, name) in names.iter().enumerate() {
        scope.set(name, &at).unwrap();
    }
    let mut session = engine.session();
    let results = session.run_rules(&rules, &scope).unwrap();
    for (at, result) in results.iter().enumerate() {
        assert_eq!(hclvm::from_value::<usize>(result.unwrap()).unwrap(), at + 1);
    }
}

#[test]
fn all_rules_share_one_budget() {
    let engine = Engine::builder().limits(Limits { fuel: 30_000, ..Limits::default() }).build();
    let layout = Arc::new(Layout::new(["list"]));
    let rule = engine.compile("[for x in list : x + 1]", &layout).unwrap();
    let mut scope = engine.scope(&layout);
    scope.set("list", &vec![1; 3000]).unwrap();
    let mut session = engine.session();
    let few = RuleSet::new(vec![rule.clone(); 2]).unwrap();
    assert_eq!(session.run_rules(&few, &scope).unwrap().len(), 2);
    let many = RuleSet::new(vec![rule; 4]).unwrap();
    assert!(session.run_rules(&many, &scope).is_err());
    assert_eq!(session.run_rules(&few, &scope).unwrap().len(), 2, "a session recovers");
}

#[test]
fn empty_sets_are_accepted_and_sets_of_two_layouts_rejected() {
    let (engine, layout) = engine();
    let none = RuleSet::new([]).unwrap();
    assert!(none.is_empty());
    assert!(engine.session().run_rules(&none, &engine.scope(&layout)).unwrap().is_empty());
    let other = Arc::new(Layout::new(["n"]));
    let programs = [engine.compile("n", &layout).unwrap(), engine.compile("n", &other).unwrap()];
    assert!(RuleSet::new(programs).is_err());
    let rules = RuleSet::new([engine.compile("n", &other).unwrap()]).unwrap();
    assert!(engine.session().run_rules(&rules, &engine.scope(&layout)).is_err());
}

#[test]
fn a_set_returns_all_results_or_the_limit_and_its_place() {
    let layout = Arc::new(Layout::new(["l"]));
    let rules = ["1", "max(l...)", "[for x in l : x + 1]", "\"${l[0]}\"", "l.x", "length([for x in l : x])"];
    let (mut ended, mut finished) = (0, 0);
    for fuel in 0..600 {
        for tier in [Tier::Best, Tier::Baseline] {
            let engine = Engine::builder().limits(Limits { fuel, ..Limits::default() }).build();
            let programs = rules.map(|rule| engine.compile(rule, &layout).unwrap());
            let set = RuleSet::new(programs).unwrap();
            let mut scope = engine.scope(&layout);
            scope.set("l", &(1..40).collect::<Vec<i32>>()).unwrap();
            let mut session = engine.session();
            session.set_tier(tier);
            match session.run_rules(&set, &scope) {
                Ok(results) => {
                    finished += 1;
                    assert_eq!((results.len(), results.is_empty()), (rules.len(), false), "{fuel}");
                    assert_eq!(results.failures().map(|(rule, _)| rule).collect::<Vec<_>>(), [4]);
                    assert_eq!(format!("{:?}", results.values()[5]), "39");
                    assert!(results.get(rules.len()).is_none());
                    assert!(results.get(4).is_some_and(|result| result.is_err()));
                }
                Err(error) => {
                    ended += 1;
                    let hclvm::ErrorKind::Limit(limit) = error.kind() else { panic!("{fuel}: {error}") };
                    assert_eq!(limit.exhausted, hclvm::diagnostics::Exhausted::Fuel);
                    assert!(rules.contains(&&**limit.source.text()), "{fuel}: {error}");
                }
            }
        }
    }
    assert!(ended > 20 && finished > 20, "{ended} {finished}");
}
