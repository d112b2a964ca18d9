//! The deepest nesting allowed, of every kind and with operators between the levels, fits in two thirds of
//! a thread's 2 MiB stack, also without optimization. Chains are in chains.rs.

mod small_stack;

/// The text before and after the inner expression, and its levels of nesting.
const LEVELS: [(&str, &str, usize); 46] = [
    ("(", ") == 1", 1),
    ("1 + (", ")", 1),
    ("!(1 == ", ")", 1),
    ("-(", ")", 1),
    ("true && (", ")", 1),
    ("false || (1 == ", ")", 1),
    ("v == 2 ? 1 : (", ")", 1),
    ("(", ") ? 1 : 2", 1),
    ("v == 1 ? (", ") : 2", 1),
    ("[", "]", 1),
    ("[", "] == 1", 1),
    ("[", "][0]", 2),
    ("[", "][*]", 2),
    ("v[", "]", 1),
    ("v[1 == ", "]", 1),
    ("{a = ", "}", 1),
    ("{a = ", "}.a", 1),
    ("{a = ", "} == {}", 2),
    ("{(", " == 1) = 2}", 2),
    ("[{a = ", "}][*].a", 2),
    ("\"x${", "}\"", 1),
    ("\"x${", "}\" == \"y\"", 1),
    ("\"%{ if ", " }a%{ else }b%{ endif }\"", 1),
    ("\"%{ if \"a\" == ", " }a%{ else }b%{ endif }\"", 1),
    ("\"%{ for x in [1] }${", "}%{ endfor }\"", 2),
    ("\"%{ for x in [1] }${1 == ", "}%{ endfor }\"", 2),
    ("abs(", ")", 1),
    ("abs(1 == ", ")", 1),
    ("max([", "]...)", 2),
    ("try(", ", 1)", 1),
    ("try(1 == ", ", 1)", 1),
    ("try(abs(", "), 1)", 2),
    ("can(", ")", 1),
    ("can(1 == ", ")", 1),
    ("tostring(", ")", 1),
    ("[for x in [1] : ", "]", 1),
    ("[for x in [1] : ", "] == [1]", 1),
    ("[for x in [1] : x if ", "]", 1),
    ("[for x in [1] : x if ", "] == [1]", 1),
    ("[for x in ", " : x if true]", 1),
    ("[for x in [for y in [1] : y if ", "] : x if true]", 2),
    ("[for x in [1] : x if [for y in [1] : y if ", "] == [1]] == [1]", 2),
    ("{for k, x in {a = 1} : k => ", "}", 1),
    ("{for k, x in {a = 1} : k => ", "...}", 1),
    ("{for k, x in {a = 1} : k => x if ", "} == 1", 1),
    ("{for k, x in {a = 1} : \"${", " == 1}\" => x}", 2),
];

/// Levels of nesting, slightly below the limit of a text.
const DEPTH: usize = 990;

#[test]
fn nesting_leaves_a_third_of_a_small_stack() {
    for (before, after, levels) in LEVELS {
        let depth = DEPTH / levels;
        let text = [&before.repeat(depth), "true", &after.repeat(depth)].concat();
        small_stack::is_answered("expr", &text, "1365K", &format!("{before}{after}"));
    }
}

#[test]
fn nesting_of_json_leaves_a_third_of_a_small_stack() {
    for (before, after) in [("[", "]"), ("{\"a\": ", "}"), ("[{\"a\": ", "}]"), ("[1, ", ", 2]")] {
        let depth = DEPTH / before.matches(['[', '{']).count();
        let text = ["{\"a\": ", &before.repeat(depth), "true", &after.repeat(depth), "}"].concat();
        small_stack::is_answered("json", &text, "1365K", &format!("{before}{after}"));
    }
}
