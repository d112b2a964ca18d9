//! The changes that small texts offer, as a reader would see them.

use hclvm_mutants::config::Config;
use hclvm_mutants::find::{self, Functions};
use hclvm_mutants::mutant::{Change, Mutant};
use hclvm_mutants::rewrite::rewrite;

/// Functions named `needed` remain constant, those named `fmt` are excluded.
struct Names;

impl Functions for Names {
    fn stays_const(&self, name: &str) -> bool {
        name == "needed"
    }

    fn is_excluded(&self, name: &str) -> bool {
        name == "fmt"
    }
}

/// The texts that `text` is changed into.
fn offered(text: &str) -> Vec<String> {
    let found = find::find(text, &Names).expect("the text is Rust");
    let changed = |change: Change| {
        let mut text = text.to_owned();
        text.replace_range(change.changed, &change.replacement);
        text
    };
    found.changes.into_iter().map(changed).collect()
}

/// The bodies that the body of a function is changed into.
fn bodies(body: &str) -> Vec<String> {
    let strip = |text: String| -> String {
        let body = text.strip_prefix("fn f() { ").and_then(|text| text.strip_suffix(" }"));
        body.expect("only the body changes").to_owned()
    };
    offered(&format!("fn f() {{ {body} }}")).into_iter().map(strip).collect()
}

#[test]
fn comparisons() {
    assert_eq!(bodies("a == b"), ["a != b"]);
    assert_eq!(bodies("a != b"), ["a == b"]);
    assert_eq!(bodies("a < b"), ["a <= b", "a >= b"]);
    assert_eq!(bodies("a <= b"), ["a < b", "a > b"]);
    assert_eq!(bodies("a > b"), ["a >= b", "a <= b"]);
    assert_eq!(bodies("a >= b"), ["a > b", "a < b"]);
}

#[test]
fn connectives_and_their_right_operands() {
    assert_eq!(bodies("a && b"), ["a || b", "a"]);
    assert_eq!(bodies("a || b"), ["a && b", "a"]);
}

#[test]
fn operators_that_bind_weaker_get_parentheses_within_operations() {
    assert_eq!(bodies("a && b && c"), ["a && b || c", "(a || b) && c", "a && c", "a && b"]);
    assert_eq!(bodies("a || b || c"), ["(a || b) && c", "(a && b) || c", "a || c", "a || b"]);
    assert_eq!(bodies("a - b * c"), ["a + b * c", "a - (b + c)"]);
}

#[test]
fn arithmetic() {
    assert_eq!(bodies("a + b"), ["a - b"]);
    assert_eq!(bodies("a - b"), ["a + b"]);
    assert_eq!(bodies("a * b"), ["a + b"]);
    assert_eq!(bodies("a / b"), ["a * b"]);
    assert_eq!(bodies("a % b"), ["a / b"]);
    assert_eq!(bodies("a << b"), ["a >> b"]);
    assert_eq!(bodies("a >> b"), ["a << b"]);
    assert_eq!(bodies("a & b"), ["a | b"]);
    assert_eq!(bodies("a | b"), ["a & b"]);
    assert_eq!(bodies("-a"), ["a"]);
}

#[test]
fn assignments_change_and_vanish() {
    assert_eq!(bodies("a += b;"), ["", "a -= b;"]);
    assert_eq!(bodies("a -= b;"), ["", "a += b;"]);
    assert_eq!(bodies("a = b;"), [""]);
}

#[test]
fn negations() {
    assert_eq!(bodies("!a"), ["a"]);
    assert_eq!(bodies("a.is_empty()"), ["!a.is_empty()"]);
    assert_eq!(bodies("matches!(a, B)"), ["!matches!(a, B)"]);
}

#[test]
fn literals() {
    assert_eq!(bodies("true"), ["false"]);
    assert_eq!(bodies("5"), ["6", "4"]);
    assert_eq!(bodies("0_u8"), ["1u8"]);
    assert_eq!(bodies("1.5"), [""; 0]);
}

#[test]
fn conditions() {
    assert_eq!(bodies("if a { b }"), ["if false { b }", "if true { b }"]);
    assert_eq!(bodies("if let A = a { b }"), ["if false && let A = a { b }"]);
    assert_eq!(bodies("while a { b }"), ["while false { b }"]);
    assert_eq!(bodies("while let A = a { b }"), ["while false && let A = a { b }"]);
}

#[test]
fn guards_and_arms_before_a_wildcard() {
    assert_eq!(
        bodies("match a { B if c => 1.0, _ => 2.0 }"),
        ["match a { B if true => 1.0, _ => 2.0 }", "match a { B if false => 1.0, _ => 2.0 }",]
    );
    assert_eq!(bodies("match a { B => 1.0, _ => 2.0 }"), ["match a { B if false => 1.0, _ => 2.0 }"]);
    assert_eq!(bodies("match a { B => 1.0, C => 2.0 }"), [""; 0]);
    assert_eq!(bodies("match a { B => 1.0, _ => 1.0 }"), [""; 0]);
}

#[test]
fn statements_vanish() {
    assert_eq!(bodies("a();"), [""]);
    assert_eq!(bodies("a.b()?;"), [""]);
    assert_eq!(bodies("set!(a, b);"), [""]);
    assert_eq!(bodies("debug_assert!(a == b);"), [""; 0]);
    assert_eq!(bodies("match a { B => c(), C => d }"), ["match a { B => (), C => d }"]);
}

#[test]
fn results_of_functions() {
    assert_eq!(offered("fn f() -> bool { a }"), ["fn f() -> bool { true }", "fn f() -> bool { false }"]);
    assert_eq!(offered("fn f() -> Option<A> { Some(a) }"), ["fn f() -> Option<A> { None }"]);
    assert_eq!(offered("fn f() -> Option<A> { None }"), [""; 0]);
    assert_eq!(offered("fn f() -> Option<A> { return a; }"), ["fn f() -> Option<A> { return None; }"]);
    assert_eq!(offered("fn f() -> Option<A> { g(|| { return a; }) }"), ["fn f() -> Option<A> { None }"]);
}

#[test]
fn methods() {
    assert_eq!(bodies("a.min(b)"), ["a.max(b)"]);
    assert_eq!(bodies("a.any(b)"), ["a.all(b)"]);
    assert_eq!(bodies("a.first()"), ["a.last()"]);
    assert_eq!(bodies("a.wrapping_add(b)"), ["a.saturating_add(b)"]);
    assert_eq!(bodies("a.saturating_sub(b)"), ["a.wrapping_sub(b)"]);
    assert_eq!(bodies("a.checked_sub(b)"), ["Some(a.wrapping_sub(b))"]);
    assert_eq!(bodies("a.unwrap_or(b)"), ["b"]);
    assert_eq!(bodies("a.take(b)"), ["a.take(usize::MAX)"]);
    assert_eq!(bodies("a.rev()"), ["a"]);
    assert_eq!(bodies("a.filter(|b| c)"), ["a.filter(|b| true)"]);
}

#[test]
fn arguments_of_macros_change() {
    assert_eq!(bodies("plain!(a + b)"), ["plain!(a - b)"]);
    assert_eq!(bodies("vec![5; 2]"), [""; 0]);
    assert_eq!(bodies("format!(\"{}\", a + b)"), [""; 0]);
}

#[test]
fn constants_patterns_types_attributes_and_tests_do_not_change() {
    for text in [
        "const A: u8 = 1 + 2;",
        "static A: bool = true;",
        "enum A { B = 1 }",
        "type A = [u8; 4];",
        "fn f(a: [u8; 4]) { let [1, b] = c; }",
        "fn f() { a::<{ 1 + 2 }>(b) }",
        "fn f() { [a; 4] }",
        "fn f() { const { 1 + 2 } }",
        "#[a(b = 1)] fn f() {}",
        "#[cfg(test)] mod tests { fn f() { a + b } }",
        "#[test] fn f() { a + b }",
        "macro_rules! a { () => { 1 + 2 }; }",
        "const fn needed() { a + b }",
        "impl A for B { fn fmt() { a + b } }",
    ] {
        assert_eq!(offered(text), [""; 0], "{text}");
    }
}

#[test]
fn a_function_that_no_constant_needs_is_no_longer_constant() {
    let found = find::find("pub const fn f() { a + b }", &Names).expect("the text is Rust");
    assert_eq!(found.changes.len(), 1);
    assert_eq!(found.removed.first(), Some(&(4..9)));
}

/// Instruments a text with all mutants, numbered from 0.
fn instrumented(text: &str) -> String {
    let found = find::find(text, &Names).expect("the text is Rust");
    let mutant = |(id, change)| Mutant { id, key: 0, file: String::new(), line: 0, room: 0, change };
    let mutants: Vec<Mutant> = (0..).zip(found.changes).map(mutant).collect();
    rewrite(text, &mutants, &found.removed).text.replace("::mutant_switch::on", "on")
}

#[test]
fn splices_nest() {
    assert_eq!(
        instrumented("fn f() { a + b * c }"),
        "fn f() { (if on(0) { a - b * c } else { a + (if on(1) { b + c } else { b * c }) }) }"
    );
    assert_eq!(
        instrumented("fn f() { if a && let B = c { d(); } }"),
        "fn f() { if !on(0) && a && let B = c { if !on(1) { d(); } } }"
    );
    assert_eq!(
        instrumented("fn f() { a && !b }"),
        "fn f() { ({ let left__ = a ; if left__ != on(0) {  (on(1) || (((!b) != on(2)))) } else { left__ } }) }"
    );
    assert_eq!(
        instrumented("fn f() { match a { B => 1.0, _ => 2.0 } }"),
        "fn f() { match a { B if !on(0) => 1.0, _ => 2.0 } }"
    );
    assert_eq!(instrumented("fn f() { a.rev().b() }"), "fn f() { ::mutant_switch::reversed(a, on(0)).b() }");
}

#[test]
fn an_error_is_attributed_to_the_text_of_a_mutant_before_those_around_it() {
    let text = "fn f() { a + b * c }";
    let found = find::find(text, &Names).expect("the text is Rust");
    let mutant = |(id, change)| Mutant { id, key: 0, file: String::new(), line: 0, room: 0, change };
    let mutants: Vec<Mutant> = (0..).zip(found.changes).map(mutant).collect();
    let rewritten = rewrite(text, &mutants, &found.removed);
    let place = |part: &str| {
        let at = rewritten.text.rfind(part).expect("the part is there");
        at..at + part.len()
    };
    let culprits = |place, all| rewritten.culprits(std::slice::from_ref(&place), all);
    assert_eq!(culprits(place("a - b * c"), false), [0]);
    assert_eq!(culprits(place("b + c"), false), [1]);
    // The last one is the original.
    assert_eq!(culprits(place("b * c"), false), [1]);
    assert_eq!(culprits(place("b * c"), true), [1, 0]);
}

#[test]
fn the_longest_path_decides_the_room_and_exclusions_need_reasons() {
    let head = "floor = 50.0\nmemory = 1\n";
    let rooms = "[[room]]\nname = \"a\"\npaths = [\"x\"]\nshare = 1\n[[room]]\nname = \"b\"\npaths = [\"x/y\"]\nshare = 1\n";
    let config = Config::read(&format!("{head}{rooms}")).expect("it is valid");
    assert_eq!(config.room_of("x/a.rs"), Some(0));
    assert_eq!(config.room_of("x/y/a.rs"), Some(1));
    assert_eq!(config.room_of("z.rs"), None);
    let excluded = format!("{head}{rooms}[[exclude]]\nfunction = \"fmt\"\nreason = \" \"\n");
    assert!(Config::read(&excluded).is_err());
}
