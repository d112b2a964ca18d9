//! Sizes around each internal threshold: one below, the threshold, and one above give results of one rule.
//! Numbers of variables and registers are in fall_back.rs.

use std::sync::Arc;

use hclvm::run::Tier;
use hclvm::{Engine, Layout, Scope};

/// Returns the numbers from two below a threshold to two above.
fn around(threshold: usize) -> impl Iterator<Item = usize> {
    threshold.saturating_sub(2)..threshold + 3
}

/// Evaluates an expression on both tiers and returns the JSON of its value, or the title of the first error.
fn evaluated(engine: &Engine, text: &str, scope: &Scope) -> String {
    let program = engine.compile(text, scope.layout()).unwrap_or_else(|error| panic!("{text}: {error}"));
    let mut found = [Tier::Best, Tier::Baseline].map(|tier| {
        let mut session = engine.session();
        session.set_tier(tier);
        match session.run(&program, scope) {
            Ok(value) => serde_json::to_string(&hclvm::Json(value).lenient()).expect("JSON"),
            Err(error) => error
                .diagnostics()
                .into_iter()
                .flatten()
                .map(|one| one.title.to_string())
                .next()
                .unwrap_or_default(),
        }
    });
    let [best, baseline] = &mut found;
    assert_eq!(best, baseline, "{}", text.chars().take(200).collect::<String>());
    std::mem::take(best)
}

fn check(engine: &Engine, text: &str, scope: &Scope, expected: &str) {
    let found = evaluated(engine, text, scope);
    assert!(
        found == expected,
        "{}: {found} instead of {expected}",
        text.chars().take(200).collect::<String>()
    );
}

/// Creates an engine and a scope with the variables of a JSON object.
fn scope_of(variables: serde_json::Value) -> (Engine, Scope) {
    let engine = Engine::standard();
    let names: Vec<String> = variables.as_object().expect("an object").keys().cloned().collect();
    let layout = Arc::new(Layout::new(names));
    let mut scope = engine.scope(&layout);
    scope.set_all_json(variables.to_string().as_bytes()).expect("JSON");
    (engine, scope)
}

#[test]
fn loops_of_any_length_visit_every_element() {
    for count in around(1_024).chain(around(2_048)).chain([0, 1, 2]) {
        let (engine, scope) = scope_of(serde_json::json!({ "l": (0..count).collect::<Vec<_>>() }));
        let last = count.saturating_sub(1).to_string();
        check(&engine, "length([for x in l : x + 1])", &scope, &count.to_string());
        if count > 0 {
            check(&engine, "[for x in l : x][length(l) - 1]", &scope, &last);
            check(&engine, "[for x in l : x if x >= 1 || x == 0][length(l) - 1]", &scope, &last);
            check(&engine, "max([for x in l : x]...)", &scope, &last);
            check(&engine, "length({for x in l : \"k${x}\" => x})", &scope, &count.to_string());
            check(&engine, "length({for x in l : \"k\" => x...}.k)", &scope, &count.to_string());
            check(&engine, "([for x in l : [x]][*][0])[length(l) - 1]", &scope, &last);
        }
        let text: String = (0..count).map(|at| format!("{at},")).collect::<Vec<_>>().concat();
        check(&engine, "\"%{ for x in l }${x},%{ endfor }\"", &scope, &format!("{text:?}"));
    }
}

#[test]
fn texts_of_any_length_are_compared_and_joined() {
    let thresholds = [4, 8, 16, 32, 64, 128, 256, 512, 4_096, 65_536];
    for length in thresholds.into_iter().flat_map(around).filter(|length| *length > 2) {
        let text = "abcdefgh".repeat(length / 8 + 1)[..length].to_owned();
        let other = format!("{}z", &text[..length - 1]);
        let middle = format!("{}z{}", &text[..length / 2], &text[length / 2 + 1..]);
        let (engine, scope) = scope_of(serde_json::json!({
            "s": text, "same": text, "other": other, "middle": middle, "longer": format!("{text}a"), "é": format!("é{text}"),
            "o": { "k": text }, "l": [text, other, text],
        }));
        for (expression, expected) in [
            (format!("s == {text:?}"), "true"),
            (format!("s == {other:?}"), "false"),
            (format!("s != {middle:?}"), "true"),
            (format!("o.k == {text:?}"), "true"),
            (format!("o.k == {text:?} ? 1 : 2"), "1"),
            (format!("o.k == {other:?} ? 1 : 2"), "2"),
            (format!("o.k == \"{text}a\" ? 1 : 2"), "2"),
            (
                format!("s == {other:?} ? 1 : s == {middle:?} ? 2 : s == {text:?} ? 3 : s == \"x\" ? 4 : 5"),
                "3",
            ),
            (
                format!(
                    "s == {other:?} ? 1 : s == {middle:?} ? 2 : s == \"{text}a\" ? 3 : s == \"x\" ? 4 : 5"
                ),
                "5",
            ),
            ("s == same".to_owned(), "true"),
            ("s == other || s == middle || s == longer".to_owned(), "false"),
            ("[for x in l : x if x == s] == [s, same]".to_owned(), "true"),
            ("{for x in l : x => 1...} == {(s) = [1, 1], (other) = [1]}".to_owned(), "true"),
            ("length({for x in [s, other] : x => x})".to_owned(), "2"),
            ("{for x in l : x => x}".to_owned(), "Duplicate object key"),
            ("\"${s}${s}\" == \"${same}${same}\"".to_owned(), "true"),
            ("\"${s}${other}\" == \"${same}${same}\"".to_owned(), "false"),
            ("\"${s}-\" == \"${longer}\"".to_owned(), "false"),
            ("strlen(\"a${s}b\") - strlen(s)".to_owned(), "2"),
            ("\"${é}${s}\" == \"é${s}${same}\"".to_owned(), "true"),
            ("upper(lower(upper(s))) == upper(same)".to_owned(), "true"),
            ("contains(l, s) && !contains(l, middle)".to_owned(), "true"),
            ("{(s) = 1}[same]".to_owned(), "1"),
        ] {
            check(&engine, &expression, &scope, expected);
        }
    }
}

#[test]
fn objects_of_any_size_have_their_attributes() {
    for count in [1, 2, 12, 13, 15, 16, 17, 63, 64, 65, 198, 199, 200, 201, 202, 300] {
        let names: Vec<String> = (0..count).map(|at| format!("k{at:03}")).collect();
        let object: serde_json::Map<String, serde_json::Value> =
            names.iter().zip(0..).map(|(name, at)| (name.clone(), serde_json::Value::from(at))).collect();
        let (engine, scope) = scope_of(serde_json::json!({ "o": object, "l": [object, object] }));
        for at in [0, count / 2, count - 1] {
            let name = &names[at];
            check(&engine, &format!("o.{name}"), &scope, &at.to_string());
            check(&engine, &format!("o[\"{name}\"] + 1"), &scope, &(at + 1).to_string());
            check(&engine, &format!("o.{name} == {at} && o.{name} < {count}"), &scope, "true");
            check(&engine, &format!("l[*].{name}"), &scope, &format!("[{at},{at}]"));
            check(&engine, &format!("[for x in l : x.{name}]"), &scope, &format!("[{at},{at}]"));
            check(&engine, &format!("o.{name}x"), &scope, "Unsupported attribute");
            check(&engine, &format!("try(o.{name}x, o.{name})"), &scope, &at.to_string());
        }
        let built: Vec<String> = names.iter().map(|name| format!("{name} = o.{name}")).collect();
        check(&engine, &format!("{{{}}} == o", built.join(", ")), &scope, "true");
        check(&engine, "length(keys(o))", &scope, &count.to_string());
    }
}

#[test]
fn constructors_calls_and_chains_of_any_length_have_all_their_parts() {
    for count in [1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 254, 255, 256, 257, 499, 500, 501, 1_000]
    {
        let (engine, scope) = scope_of(serde_json::json!({ "n": 1, "t": true, "f": 0.5, "s": "x" }));
        let repeated = |part: &str, separator: &str| vec![part; count].join(separator);
        let distinct: Vec<String> = (0..count).map(|at| format!("n + {at}")).collect();
        check(&engine, &format!("length([{}])", repeated("n + 1", ", ")), &scope, &count.to_string());
        check(&engine, &format!("[{}][{}]", distinct.join(", "), count - 1), &scope, &count.to_string());
        check(&engine, &format!("max({})", distinct.join(", ")), &scope, &count.to_string());
        check(&engine, &repeated("n", " + "), &scope, &count.to_string());
        check(&engine, &repeated("t", " && "), &scope, "true");
        check(&engine, &repeated("n > 1", " || "), &scope, "false");
        check(&engine, &format!("{} || n == 1", repeated("n > 1", " || ")), &scope, "true");
        check(&engine, &format!("{} && n != 1", repeated("n == 1", " && ")), &scope, "false");
        check(&engine, &format!("f * {} > 0.4999", repeated("1.0", " * ")), &scope, "true");
        let sums = repeated("f", " + ");
        check(&engine, &format!("{sums} > {}.25", (count - 1) / 2), &scope, "true");
        check(&engine, &format!("{sums} < {}.75", count / 2), &scope, "true");
        // Conditionals nest, up to the limit of the parser.
        let chain: Vec<String> = (0..count.min(200)).map(|at| format!("s == \"k{at}\" ? {at}")).collect();
        check(&engine, &format!("{} : s == \"x\" ? -1 : -2", chain.join(" : ")), &scope, "-1");
        check(&engine, &format!("{} : -2", chain.join(" : ")), &scope, "-2");
        let parts = repeated("${n}-", "");
        check(&engine, &format!("\"{parts}\""), &scope, &format!("{:?}", "1-".repeat(count)));
        let keys: Vec<String> = (0..count).map(|at| format!("k{at} = {at}")).collect();
        check(&engine, &format!("{{{}}}.k{}", keys.join(", "), count - 1), &scope, &(count - 1).to_string());
    }
}

#[test]
fn switches_of_any_length_choose_the_first_equal_text() {
    for count in [3, 4, 5, 8, 16, 19, 20, 21, 32, 64, 100] {
        // Texts of all lengths around the 16 bytes that a switch hashes, some of them equal in their ends.
        let text = |at: usize| format!("prefixes{}suffixes", "m".repeat(at % 5) + &at.to_string());
        let short = |at: usize| "k".repeat(at % 20) + &at.to_string();
        let texts: Vec<String> =
            (0..count).map(|at| if at % 2 == 0 { text(at) } else { short(at) }).collect();
        let arms: Vec<String> =
            texts.iter().enumerate().map(|(at, text)| format!("s == {text:?} ? {at}")).collect();
        // Each text again, with another result.
        let again: Vec<String> = texts.iter().map(|text| format!("s == {text:?} ? -7")).collect();
        for subject in 0..count + 2 {
            let known = texts.get(subject).cloned();
            let subject_text = known.clone().unwrap_or_else(|| text(subject + 1_000));
            let (engine, scope) = scope_of(serde_json::json!({ "s": subject_text }));
            let expected = known.map_or("-1".to_owned(), |_| subject.to_string());
            let chain = format!("{} : {} : -1", arms.join(" : "), again.join(" : "));
            check(&engine, &chain, &scope, &expected);
        }
    }
}
