//! Patterns are charged for compiling, for scanning texts, and for the memory of groups.

use std::sync::Arc;

use hclvm::diagnostics::Exhausted;
use hclvm::{Engine, Layout, Limits};

/// The limit that ends an evaluation which may spend so much, and the most memory it takes.
fn ended(fuel: u64, text: &str) -> (Option<Exhausted>, u64) {
    let engine = Engine::builder().limits(Limits { fuel, ..Limits::default() }).build();
    let layout = Arc::new(Layout::default());
    let program = engine.compile(text, &layout).expect("it compiles");
    super::ended(&engine, &program, &engine.scope(&layout))
}

#[test]
fn many_different_patterns_exceed_the_budget() {
    for pattern in ["a", ".*", r"[a-c]\\d", r"\\pL", r"\\W+", "(?i)kk", "a{1000}", r"(\\b)(\\S)"] {
        let all = |rounds: u32| {
            format!(
                r#"length([for i in range({rounds}) : [for j in range({rounds}) : can(regex("{pattern}${{i}}x${{j}}", "t"))]])"#
            )
        };
        assert_eq!(ended(1_000_000, &all(100)).0, Some(Exhausted::Fuel), "{pattern}");
        assert_eq!(ended(1_000_000, &all(10)).0, None, "{pattern}");
    }
}

#[test]
fn ordinary_patterns_are_far_below_the_limits() {
    for (pattern, text) in [
        (r"^[a-z]+-(\\d+)$", "web-17"),
        (r"^(\\d{1,3})\\.(\\d{1,3})\\.(\\d{1,3})\\.(\\d{1,3})$", "10.0.0.255"),
        (r"^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\\.[A-Za-z]{2,}$", "somebody@example.com"),
    ] {
        let used =
            format!(r#"length([for i in range(10) : [for j in range(100) : regex("{pattern}", "{text}")]])"#);
        assert_eq!(ended(1_000_000, &used).0, None, "{pattern}");
    }
    let found = format!(r#"length(regexall("[a-z]+|\\d+", "{}"))"#, "abc 123, ".repeat(1_000));
    assert_eq!(ended(5_000_000, &found).0, None);
}

#[test]
fn many_groups_stay_within_the_memory_limit() {
    for pattern in ["(.*)".repeat(5_000), r"(\\pL+)".repeat(500), "(a|)".repeat(5_000)] {
        for text in [
            format!(r#"can(regex("{pattern}", "ab ab"))"#),
            format!(r#"length(regexall("{pattern}", "ab ab"))"#),
            format!(r#"regex_replace("ab ab", "{pattern}", "")"#),
        ] {
            let (exhausted, taken) = ended(10_000_000, &text);
            assert!(exhausted.is_some(), "{text:.60}");
            assert!(taken < 256 << 20, "{text:.60} took {taken} bytes");
        }
    }
}

#[test]
fn scanning_far_behind_every_match_is_charged() {
    // The crate is fast, but each match scans the rest of the text.
    let text = "a".repeat(10_000);
    for pattern in ["a.*z|a", "a(?:a*c)?", "(?:a|b)*a(?:a|b){30}c|a|b"] {
        let all = format!(r#"length(regexall("{pattern}", "{text}"))"#);
        assert_eq!(ended(200_000, &all).0, Some(Exhausted::Fuel), "{pattern}");
    }
}
