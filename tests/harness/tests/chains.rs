//! Chains of operators as long as a text may be, on a small stack: an answer, never a crash.

mod small_stack;

/// A term and what joins it with the next.
const LINKS: [(&str, &str); 8] = [
    ("true", " && "),
    ("false", " || "),
    ("(a < 3)", " && "),
    ("(a == b)", " || "),
    ("a", " == "),
    ("a.b", " != "),
    ("a", " + "),
    ("f(a)", " < "),
];

/// Terms in a chain.
const LENGTH: usize = 20_000;

#[test]
fn chains_of_operators_need_no_stack() {
    for (term, link) in LINKS {
        let text = vec![term; LENGTH].join(link);
        small_stack::is_answered("expr", &text, "2M", &format!("{term}{link}"));
    }
}
