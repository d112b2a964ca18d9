//! Generated JSON with generated masks, compared with a model: every path of a value against every mask.

use hclvm_decision_log::DecisionLog;
use serde_json::{Map, Value as Json, json};

use crate::random::Random;
use crate::rig::{Request, logged, logged_json};

/// Names with the spellings that JSON may have them in.
const NAMES: [(&str, &[&str]); 8] = [
    ("a", &["a", "\\u0061"]),
    ("B", &["B", "\\u0042"]),
    ("é", &["é", "e\u{301}", "e\\u0301"]),
    ("a.b", &["a.b", "a\\u002eb"]),
    ("", &[""]),
    ("0", &["0", "\\u0030"]),
    ("{[,\"\\", &["{[,\\\"\\\\", "\\u007b\\u005b,\\u0022\\u005c"]),
    ("c", &["c"]),
];

/// Appends a value, and returns what it means.
fn value(random: &mut Random, depth: usize, text: &mut String) -> Json {
    const BLANKS: [&str; 5] = ["", "", " ", "\r\n", "\t "];
    text.push_str(random.of(&BLANKS));
    let meaning = match random.below(if depth == 0 { 5 } else { 9 }) {
        0 => {
            text.push_str("true");
            json!(true)
        }
        1 => {
            text.push_str("null");
            Json::Null
        }
        2 => {
            text.push_str("-12");
            json!(-12)
        }
        3 => {
            text.push_str(r#"" ]}\"\\""#);
            json!(" ]}\"\\")
        }
        4 => {
            text.push_str(r#""\u00e9,{""#);
            json!("é,{")
        }
        5 | 6 => {
            text.push('[');
            let items = (0..random.below(4)).map(|at| {
                if at > 0 {
                    text.push(',');
                }
                value(random, depth - 1, text)
            });
            let items = items.collect();
            text.push_str(random.of(&BLANKS));
            text.push(']');
            Json::Array(items)
        }
        _ => Json::Object(object(random, depth, &NAMES, text)),
    };
    text.push_str(random.of(&BLANKS));
    meaning
}

fn object(
    random: &mut Random,
    depth: usize,
    names: &[(&str, &[&str])],
    text: &mut String,
) -> Map<String, Json> {
    let mut members = Map::new();
    text.push('{');
    for (name, spellings) in names {
        if random.below(3) == 0 {
            continue;
        }
        if !members.is_empty() {
            text.push(',');
        }
        text.extend(["\"", random.of(spellings), "\" :"]);
        let meaning = value(random, depth - 1, text);
        members.insert((*name).to_owned(), meaning);
    }
    text.push('}');
    members
}

/// Returns true if a path of names is that of a mask.
fn matches(mask: &[&str], path: &[&str]) -> bool {
    match (mask, path) {
        ([], []) => true,
        ([first, rest @ ..], [name, names @ ..]) => {
            let is_first = |name: &str| *first == "*" || first.to_lowercase() == name.to_lowercase();
            let whole = is_first(name) && matches(rest, names);
            // Of the names here, one has a dot.
            let divided = *name == "a.b"
                && (is_first("a") && matches(rest, &[&["b"], names].concat())
                    || *first == "a.b" && matches(rest, names));
            whole || divided
        }
        _ => false,
    }
}

/// Replaces what is masked.
fn masked<'v>(value: &'v Json, path: &mut Vec<&'v str>, numbers: &'v [String], masks: &[Vec<&str>]) -> Json {
    if masks.iter().any(|mask| matches(mask, path)) {
        return json!({"$masked": true});
    }
    let mut below = |name: &'v str, value: &'v Json| {
        path.push(name);
        let value = masked(value, path, numbers, masks);
        path.pop();
        value
    };
    match value {
        Json::Array(items) => {
            Json::Array(items.iter().zip(numbers).map(|(item, number)| below(number, item)).collect())
        }
        Json::Object(members) => members
            .iter()
            .map(|(name, value)| (name.clone(), below(name, value)))
            .collect::<Map<_, _>>()
            .into(),
        value => value.clone(),
    }
}

#[test]
fn generated_inputs_are_masked_as_by_a_model() {
    const VARIABLES: [(&str, &[&str]); 3] =
        [("user", &["user", "us\\u0065r"]), ("owner", &["owner"]), ("list", &["list"])];
    const PARTS: [&str; 9] = ["a", "b", "É", "a.b", "", "0", "1", "*", "*"];
    let numbers: Vec<String> = (0..4).map(|number: u8| number.to_string()).collect();
    let mut hidden = 0;
    for seed in 0..200 {
        let random = &mut Random(seed);
        let mut text = String::new();
        let meaning = Json::Object(object(random, 4, &VARIABLES, &mut text));
        let masks: Vec<Vec<&str>> = (0..random.below(8))
            .map(|_| {
                let mut mask = vec![random.of(&["user", "USER", "owner", "list", "*"])];
                mask.extend((0..random.below(4)).map(|_| random.of(&PARTS)));
                mask
            })
            .collect();
        let builder = || {
            masks.iter().fold(DecisionLog::builder(), |builder, mask| {
                let quoted =
                    |part: &&str| if *part == "*" { "[*]".to_owned() } else { format!("[\"{part}\"]") };
                let path: String = mask[1..].iter().map(quoted).collect();
                builder.mask(&format!("{}{path}", mask[0]))
            })
        };
        let expected = masked(&meaning, &mut Vec::new(), &numbers, &masks);
        hidden += expected.to_string().matches("$masked").count();
        let request = Request::new(&text);
        let line = logged_json(builder(), &request, &text);
        assert_eq!(normal(&line["inputs"]), expected, "{text} {masks:?}");
        assert_eq!(logged(builder(), &request)["inputs"], expected, "{text} {masks:?}");
    }
    assert!(hidden > 150, "{hidden}");
}

/// Returns logged JSON with names in normal form, because it keeps the spelling of the host.
fn normal(line: &Json) -> Json {
    serde_json::from_str(&line.to_string().replace("e\u{301}", "é")).expect("JSON")
}
