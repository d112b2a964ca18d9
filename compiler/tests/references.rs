//! Analysis of expressions: references to variables and functions, and static forms.

use hclvm_compiler::analysis::{self, Need};
use hclvm_compiler::{ParseLimits, ParsedExpression, parse_expression, parse_json_expression};

fn parsed(text: &str) -> ParsedExpression {
    let parsed = parse_expression(text, &ParseLimits::default());
    assert!(parsed.diagnostics.is_empty(), "{text}: {:?}", parsed.diagnostics);
    parsed
}

fn variables(text: &str) -> String {
    let parsed = parsed(text);
    let found = analysis::variables(&parsed.tree, parsed.root);
    found.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

#[test]
fn uses_come_in_source_order_and_repeat() {
    assert_eq!(variables("b + a.x[0][\"k\"] * b"), "b a.x[0][\"k\"] b");
    assert_eq!(variables("f(c, \"${d.e}\", [a[b]])"), "c d.e a b");
    assert_eq!(variables("a ? b : c"), "a b c");
}

#[test]
fn for_expressions_hide_their_names_only_inside() {
    assert_eq!(variables("[for a in a : a.x + b if c]"), "a b c");
    assert_eq!(variables("{for k, v in m : k => [for k in v : k + w]}"), "m w");
    assert_eq!(variables("[[for x in xs : x], x]"), "xs x");
    assert_eq!(variables("\"%{ for x in xs }${x}${y}%{ endfor }\""), "xs y");
}

#[test]
fn keys_that_are_names_are_no_variables() {
    assert_eq!(variables("{a = b, (c) = d, e.f = g, \"${h}\" = 1}"), "b c d e.f g h");
}

#[test]
fn splats_end_a_traversal() {
    assert_eq!(variables("a.b[*].c[d]"), "a.b d");
    assert_eq!(variables("a.*.b"), "a");
}

#[test]
fn strings_and_names_of_json_are_templates() {
    let parsed = parse_json_expression(r#"{"${a}": ["${b.c}", "plain", "${"]}"#, &ParseLimits::default());
    let found = analysis::variables(&parsed.tree, parsed.root);
    assert_eq!(found.iter().map(ToString::to_string).collect::<Vec<_>>(), ["a", "b.c"]);
}

#[test]
fn functions_are_named_once() {
    let parsed = parsed("f(g(1), f(2), ns::h())");
    assert_eq!(analysis::required_functions(&parsed.tree, [parsed.root]), ["f", "g", "ns::h"]);
}

#[test]
fn paths_are_as_long_as_constant_names_go() {
    let parsed =
        parsed(r#"user.role == "x" && user["name"].first[0] && request.body && request.body.size && all"#);
    let paths = analysis::referenced_paths(&parsed.tree, [parsed.root]);
    let user = paths.get("user").expect("user is used");
    assert_eq!(user.names().collect::<Vec<_>>(), ["name", "role"]);
    assert!(!user.attribute("name").expect("used").is_whole());
    assert_eq!(user.attribute("name").and_then(|name| name.attribute("first")), Some(&Need::Whole));
    assert_eq!(user.attribute("age"), None);
    assert_eq!(paths["request"].attribute("body"), Some(&Need::Whole));
    assert_eq!(paths["all"], Need::Whole);
}

/// Shows a need: `*` is all, `[…]` elements, `{…}` attributes.
fn shown(need: &Need) -> String {
    match need {
        Need::Whole => "*".to_owned(),
        Need::Elements(element) => format!("[{}]", shown(element)),
        Need::Attributes(names) => {
            let names: Vec<_> = names.iter().map(|(name, need)| format!("{name}:{}", shown(need))).collect();
            format!("{{{}}}", names.join(" "))
        }
    }
}

#[test]
fn projected_paths_lead_into_elements() {
    for (text, expected) in [
        ("[for x in v : x.a if x.b.c]", "[{a:* b:{c:*}}]"),
        ("[for k, x in v.a : k]", "{a:[{}]}"),
        ("[for x in v : x]", "*"),
        ("[for x in v : [for y in x.a : y.b + x.c]]", "[{a:[{b:*}] c:*}]"),
        ("[for x in v : [for x in x.a : x.b]]", "[{a:[{b:*}]}]"),
        ("{for x in v : x.a => x.b...}", "[{a:* b:*}]"),
        ("\"%{ for x in v }${x.a}%{ endfor }\"", "[{a:*}]"),
        ("v[*].a.b", "[{a:{b:*}}]"),
        ("v.a[*].b[*].c", "{a:[{b:[{c:*}]}]}"),
        ("v.*.a[0]", "[{a:*}]"),
        ("v[w].a.b[0]", "[{a:{b:*}}]"),
        ("v.a[w].b", "{a:[{b:*}]}"),
        ("v[w]", "*"),
        ("v[v.n].a", "*"),
        ("v[w][0].a", "*"),
        ("v[*]", "*"),
        ("v[*][w]", "*"),
        ("[for x in v : x.a[*].b]", "[{a:[{b:*}]}]"),
        ("[for x in v : x[0].a]", "*"),
        ("[for x in v[0] : x.a]", "*"),
        ("[for x in (v) : x.a]", "*"),
        ("[for x in v : x.a if v.b]", "*"),
        ("[[for x in v : x.a], v[*].b]", "[{a:* b:*}]"),
        ("[[for x in v : x.a], v]", "*"),
        ("[for x in v : [for x in w : x.a]]", "[{}]"),
    ] {
        let parsed = parsed(text);
        let paths = analysis::projected_paths(&parsed.tree, [parsed.root]);
        assert_eq!(shown(&paths["v"]), expected, "{text}");
    }
    let nested = |depth: usize| {
        let loops: Vec<String> = (0..depth).map(|at| format!("[for x{} in x{at}.a : ", at + 1)).collect();
        let loops = loops.concat();
        let parsed = parsed(&format!("{loops}x{depth}.a{}", "]".repeat(depth)));
        shown(&analysis::projected_paths(&parsed.tree, [parsed.root])["x0"])
    };
    assert_eq!(nested(2), "{a:[{a:[{a:*}]}]}");
    assert_eq!(nested(4), nested(5), "deeper elements are needed whole");
}

#[test]
fn needs_are_added_and_compared() {
    let need = |text: &str| {
        let parsed = parsed(text);
        analysis::projected_paths(&parsed.tree, [parsed.root]).remove("v").expect("it is used")
    };
    let texts = ["v", "v.a", "v.a.b", "v.b", "v[*].a", "v[*].a.b", "v[*].b", "[for x in v : 1]", "v.a[*].b"];
    for one in texts {
        for other in texts {
            let mut both = need(one);
            both.add(need(other));
            assert!(both.covers(&need(one)) && both.covers(&need(other)), "{one} {other}");
            assert_eq!(need(one).covers(&need(other)), both == need(one), "{one} {other}");
        }
    }
}

#[test]
fn long_chains_and_deep_nesting_need_no_stack() {
    let chain = format!("a{}", ".b".repeat(100_000));
    let sum = vec!["a"; 100_000].join("+");
    let nested = format!("{}a{}", "[".repeat(900), "]".repeat(900));
    for text in [chain, sum, nested] {
        let parsed = parsed(&text);
        assert!(!analysis::variables(&parsed.tree, parsed.root).is_empty());
        drop(analysis::referenced_paths(&parsed.tree, [parsed.root]));
        drop(analysis::projected_paths(&parsed.tree, [parsed.root]));
    }
}

#[test]
fn static_forms_are_exact() {
    let shape = |text: &str| {
        let parsed = parsed(text);
        let (tree, root) = (&parsed.tree, parsed.root);
        [
            analysis::list(tree, root).is_ok(),
            analysis::map(tree, root).is_ok(),
            analysis::call(tree, root).is_ok(),
            analysis::absolute_traversal(tree, root).is_ok(),
            analysis::keyword(tree, root).is_some(),
        ]
    };
    assert_eq!(shape("[a]"), [true, false, false, false, false]);
    assert_eq!(shape("{a = 1}"), [false, true, false, false, false]);
    assert_eq!(shape("f(a)"), [false, false, true, false, false]);
    assert_eq!(shape("a.b[0]"), [false, false, false, true, false]);
    assert_eq!(shape("true"), [false, false, false, true, true]);
    for none in ["(a)", "[for a in b : a]", "\"a\"", "\"${a}\"", "a[*]", "a[b]", "1"] {
        assert_eq!(shape(none), [false; 5], "{none}");
    }
}
