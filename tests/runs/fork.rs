//! Forks of a scope share values, and changes in one are not visible in another.

use std::sync::Arc;
use std::thread;

use allocation_counter::measure;
use hclvm::value::{Arena, Entry, marks_from};
use hclvm::{Document, Engine, Layout, OwnedValue, Scope, Value};

const NAMES: usize = 20;

/// Returns a document with twenty variables, and a scope in which each has a value of some size.
fn prepared() -> (Document, Scope) {
    let sum: Vec<String> = (0..NAMES).map(|at| format!("v{at}.n")).collect();
    let document =
        Engine::standard().parse("x.hcl", &format!("x = [{}]", sum.join(", "))).expect("it parses");
    let mut scope = document.scope();
    for (at, n) in (0..NAMES).zip(0..) {
        set(&mut scope, at, n);
    }
    (document, scope)
}

fn set(scope: &mut Scope, at: usize, n: i64) {
    let text = format!("{{\"n\": {n}, \"filler\": \"{}\"}}", "x".repeat(100));
    scope.set_json(&format!("v{at}"), &text).expect("it is JSON");
}

/// Returns the numbers that the program reads.
fn seen(document: &Document, scope: &Scope) -> Vec<i64> {
    let program = document.attribute("x").expect("it is there").program().expect("it compiles");
    let mut session = document.engine().session();
    let value = session.run(&program, scope).expect("all are set");
    value.as_items().expect("a tuple").iter().filter_map(|n| n.as_number()?.to_i64()).collect()
}

fn numbers(changed: &[(usize, i64)]) -> Vec<i64> {
    let mut numbers: Vec<i64> = (0_i64..).take(NAMES).collect();
    for (at, n) in changed {
        numbers[*at] = *n;
    }
    numbers
}

#[test]
fn a_fork_and_its_origin_do_not_see_each_others_changes() {
    let (document, mut origin) = prepared();
    let mut fork = origin.fork();
    let mut second = fork.fork();
    set(&mut fork, 3, 300);
    set(&mut origin, 4, 400);
    set(&mut second, 3, 333);
    set(&mut fork, 3, 301);
    fork.unset("v5");
    assert!(fork.get("v5").is_none() && origin.get("v5").is_some() && second.get("v5").is_some());
    set(&mut fork, 5, 500);
    assert_eq!(seen(&document, &origin), numbers(&[(4, 400)]));
    assert_eq!(seen(&document, &fork), numbers(&[(3, 301), (5, 500)]));
    assert_eq!(seen(&document, &second), numbers(&[(3, 333)]));
}

#[test]
fn forks_outlive_their_origin_and_its_values() {
    let (document, mut origin) = prepared();
    let fork = origin.fork();
    for round in 0..3 {
        for at in 0..NAMES {
            set(&mut origin, at, 1000 + round);
        }
    }
    let late = origin.fork();
    drop(origin);
    let grandchild = fork.fork();
    drop(fork);
    assert_eq!(seen(&document, &grandchild), numbers(&[]));
    assert_eq!(seen(&document, &late), [1002; NAMES]);
}

#[test]
fn a_fork_made_between_two_changes_sees_the_first_only() {
    let (document, mut origin) = prepared();
    let early = origin.fork();
    set(&mut origin, 2, 200);
    let late = origin.fork();
    set(&mut origin, 2, 222);
    assert_eq!(seen(&document, &early), numbers(&[]));
    assert_eq!(seen(&document, &late), numbers(&[(2, 200)]));
    assert_eq!(seen(&document, &origin), numbers(&[(2, 222)]));
}

#[test]
fn a_fork_that_is_reset_has_only_the_variables_of_its_origin() {
    let engine = Engine::standard();
    let document = engine.parse("x.hcl", "x = a == null").expect("it parses");
    let program = document.attribute("x").expect("it is there").program().expect("it compiles");
    let (mut unset, mut set) = (document.scope(), document.scope());
    unset.unset("a");
    set.set("a", &1).expect("it fits");
    let mut session = engine.session();
    let mut fork = set.fork();
    fork.clone_from(&unset);
    assert!(session.run(&program, &fork).is_err(), "the variable is unset");
    fork.clone_from(&set);
    let runs = session.baseline_runs();
    assert_eq!(session.run(&program, &fork).expect("it is set").as_bool(), Some(false));
    assert_eq!(session.baseline_runs(), runs, "the fast tier sees that it is set");
}

#[test]
fn a_fork_can_be_reset_to_its_origin() {
    let (document, mut origin) = prepared();
    let mut fork = origin.fork();
    for n in 100..110 {
        fork.clone_from(&origin);
        set(&mut fork, 7, n);
        assert_eq!(seen(&document, &fork), numbers(&[(7, n)]));
    }
    set(&mut origin, 8, 80);
    fork.clone_from(&origin);
    assert_eq!(seen(&document, &fork), numbers(&[(8, 80)]));
    // An origin may become a fork of its fork.
    set(&mut fork, 9, 90);
    origin.clone_from(&fork);
    set(&mut origin, 7, 70);
    set(&mut origin, 7, 71);
    drop(fork);
    assert_eq!(seen(&document, &origin), numbers(&[(7, 71), (8, 80), (9, 90)]));
    // Cloning from a scope of another layout replaces values and layout.
    let other = Engine::standard().parse("y.hcl", "y = a").expect("it parses");
    origin.clone_from(&other.scope());
    assert!(origin.get("v1").is_none() && origin.layout() == other.layout());
}

#[test]
fn one_variable_of_twenty_costs_no_memory() {
    let (document, origin) = prepared();
    let program = document.attribute("x").expect("it is there").program().expect("it compiles");
    let mut session = document.engine().session();
    let mut fork = origin.fork();
    let mut request = |n: i32| {
        fork.clone_from(&origin);
        fork.set_json("v7", br#"{"n": 1, "other": [2, 3, "four"]}"#).expect("it is JSON");
        assert!(session.run(&program, &fork).is_ok(), "{n}");
    };
    request(0);
    assert_eq!(measure(|| (1..100).for_each(&mut request)).count_total, 0);
    // A new fork takes its slots and one value, independent of the size of the others.
    let forked = measure(|| {
        let mut fork = origin.fork();
        fork.set_json("v7", b"1").expect("it is JSON");
    });
    assert!(forked.count_total <= 5, "{forked:?}");
}

#[test]
fn threads_fork_one_scope() {
    let (document, origin) = prepared();
    thread::scope(|threads| {
        for thread in 0..4 {
            let (document, origin) = (&document, &origin);
            threads.spawn(move || {
                for n in 0..50 {
                    let mut fork = origin.fork();
                    set(&mut fork, thread, 1000 + n);
                    assert_eq!(seen(document, &fork), numbers(&[(thread, 1000 + n)]));
                }
            });
        }
    });
    assert_eq!(seen(&document, &origin), numbers(&[]));
}

/// Shared values outlive their owner in the scope and its forks, also marked ones and those that replace others.
#[test]
fn values_that_are_shared() {
    let engine = Engine::new();
    let layout = Arc::new(Layout::new(["a", "b"]));
    let program = engine.compile("\"${a.name}-${b}\"", &layout).expect("it compiles");
    let mut session = engine.session();
    let text = |scope: &Scope| {
        let value = session.run(&program, scope).expect("no errors");
        value.unmark().0.as_str().map(str::to_owned)
    };
    let owner = |name: &str, is_marked: bool| {
        let arena = Arena::new();
        let name = Value::text(&arena, &name.repeat(40));
        let name = if is_marked { name.with_marks(&arena, marks_from(&arena, &["m"])) } else { name };
        OwnedValue::new(Value::object(&arena, arena.slice(&[Entry::new("name", name)])))
    };
    let mut scope = engine.scope(&layout);
    scope.set_json("a", "{\"name\": \"built\"}").expect("it is JSON");
    scope.set("b", "b").expect("it fits");
    scope.share("a", &owner("x", false)).expect("it fits");
    let fork = scope.fork();
    scope.share("a", &owner("y", true)).expect("it fits");
    let mut other = scope.fork();
    scope.set_json("a", "{\"name\": \"z\"}").expect("it is JSON");
    let last = other.fork();
    other.share("a", &owner("w", false)).expect("it fits");
    let texts = [&fork, &scope, &last, &other].map(text);
    let wanted = ["x".repeat(40), "z".to_owned(), "y".repeat(40), "w".repeat(40)];
    assert_eq!(texts, wanted.map(|name| Some(format!("{name}-b"))));
}
