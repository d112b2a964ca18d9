//! Chains of operators as long as a text may be do not overflow a small stack. Nesting is in nesting.rs.

mod small_stack;

/// A term and the operator that joins it with the next.
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

/// Number of terms in a chain.
const LENGTH: usize = 20_000;

#[test]
fn chains_of_operators_do_not_recurse() {
    for (term, link) in LINKS {
        let text = vec![term; LENGTH].join(link);
        small_stack::is_answered("expr", &text, "2M", &format!("{term}{link}"));
    }
}

#[test]
fn chains_of_fractions_do_not_recurse_when_they_are_compared_or_rounded() {
    let sum = vec!["a"; LENGTH].join(" + ");
    for text in [format!("{sum} + 0.5 > b"), format!("b < 0.5 + {sum}"), format!("floor({sum} + 0.5)")] {
        small_stack::is_answered("expr", &text, "2M", &text[..10]);
    }
}
