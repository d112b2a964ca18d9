//! JSON syntax: invalid texts, hostile texts, ranges inside strings.

use hclvm_compiler::source::{Source, decode};
use hclvm_compiler::tree::{Node, NodeId, Tree};
use hclvm_compiler::{LimitReached, ParseLimits, parse_json, parse_json_expression};

/// Returns the titles of the problems with the texts of their subjects.
fn problems(text: &str) -> Vec<String> {
    let parsed = parse_json(text, &ParseLimits::default());
    let shown = |it: &hclvm_vm::Diagnostic| {
        format!("{}: {}", it.title, it.subject.map_or("", |span| span.slice(text)))
    };
    parsed.diagnostics.iter().map(shown).collect()
}

#[test]
fn correct_files_have_no_problems() {
    for text in
        ["{}", "[]", r#"{"a": [1, -0.5e+3, true, null, {"b": "\u00e9\n\ud83d\ude00"}]}"#, " {\"//\": 1}\n"]
    {
        assert_eq!(problems(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn mistakes_are_told_apart() {
    let root = "Root value must be object: {";
    assert_eq!(problems(r#"{"a" = 1}"#), ["Missing property value colon: =", root]);
    assert_eq!(problems(r#"{"a": 1,}"#), ["Trailing comma in object: ,", root]);
    assert_eq!(problems("{a: 1}"), ["Invalid JSON keyword: a", "Invalid object property name: a", root]);
    assert_eq!(problems(r#"{"a": 01}"#), ["Invalid JSON number: 01"]);
    assert_eq!(problems(r#"{"a": nul}"#), ["Invalid JSON keyword: nul"]);
    assert_eq!(problems(r#"{"a": "\q"}"#)[0], "Invalid JSON string: \"");
    assert_eq!(problems(r#"{"a": [1"#), ["Unclosed object: [", "Unclosed object: {", root]);
    assert_eq!(problems("{} {}"), ["Extraneous data after value: {"]);
    assert_eq!(problems("\"x\""), ["Root value must be object: \"x\""]);
}

#[test]
fn only_numbers_of_json_are_numbers() {
    for good in ["0", "-0", "10", "1.5", "1e3", "1E-3", "-1.0e+2"] {
        assert!(parse_json_expression(good, &ParseLimits::default()).diagnostics.is_empty(), "{good}");
    }
    for bad in ["01", "-", "1.", ".5", "+1", "1e", "1e+", "--1", "1.e3", "1.5.2"] {
        let parsed = parse_json_expression(bad, &ParseLimits::default());
        assert_eq!(parsed.diagnostics[0].title, "Invalid JSON number", "{bad}");
    }
}

#[test]
fn every_beginning_of_a_file_ends_in_a_tree() {
    let text = r#"{"a": ["${x.y[0] + 1}", {"${k}": "%{ if c }é%{ endif }"}, "\u00e9\ud83d\ude00", -1.5e3, tru], "b": }"#;
    for (end, _) in text.char_indices() {
        let parsed = parse_json(&text[..end], &ParseLimits::default());
        assert!(!parsed.diagnostics.is_empty(), "{}", &text[..end]);
    }
}

#[test]
fn nesting_is_limited() {
    let deep = "[".repeat(100_000);
    let parsed = parse_json(deep.as_str(), &ParseLimits::default());
    assert_eq!(parsed.limit, Some(LimitReached::Nesting));
    assert_eq!(parsed.diagnostics[0].title, "Nesting too deep");
    // Nesting inside a template adds to that of the arrays around it.
    let inside =
        format!("{}\"${{{}1{}}}\"{}", "[".repeat(600), "(".repeat(600), ")".repeat(600), "]".repeat(600));
    let parsed = parse_json_expression(inside.as_str(), &ParseLimits::default());
    assert!(parsed.diagnostics.is_empty());
    let broken = (0..parsed.tree.len()).any(|at| {
        matches!(parsed.tree.node(hclvm_compiler::tree::NodeId(hclvm_vm::cast::length(at))), Node::Broken(_))
    });
    assert!(broken);
}

#[test]
fn many_strings_and_mistakes_take_linear_time() {
    let strings = vec![r#""${a}""#; 50_000].join(",");
    let parsed = parse_json_expression(format!("[{strings}]").as_str(), &ParseLimits::default());
    assert!(parsed.diagnostics.is_empty());
    let mistakes = format!("[{}]", vec!["{]"; 50_000].join(","));
    let parsed = parse_json_expression(mistakes.as_str(), &ParseLimits::default());
    assert!(parsed.diagnostics.len() <= ParseLimits::default().diagnostics + 1);
}

#[test]
fn places_inside_of_strings_are_places_of_the_file() {
    let text = r#"{"a": "x ${b.c} y"}"#;
    let parsed = parse_json(text, &ParseLimits::default());
    let root = parsed.tree.json().expect("a JSON file");
    let found = hclvm_compiler::analysis::variables(&parsed.tree, root);
    assert_eq!(found[0].span().slice(text), "b.c");
    assert_eq!(found[0].steps().map(|(_, span)| span.slice(text).to_owned()).collect::<Vec<_>>(), [".c"]);
}

/// Returns the place of each problem: the lines and columns of its start and end.
fn places(text: &str) -> Vec<String> {
    let parsed = parse_json(text, &ParseLimits::default());
    let source = Source::of_json("", text, parsed.seams);
    let subjects = parsed.diagnostics.iter().filter_map(|problem| problem.subject);
    let ends = subjects.map(|subject| source.range(subject));
    ends.map(|(start, end)| format!("{}:{}-{}:{}", start.line, start.column, end.line, end.column)).collect()
}

#[test]
fn an_invalid_character_is_one_column_wide() {
    assert_eq!(places("{\"a\":\"x\ty\"}"), ["1:8-1:9", "1:13-1:13", "1:1-1:2"]);
    assert_eq!(places("{\"a\": \"\r\n\"}"), ["1:8-1:9", "2:3-2:3", "1:1-1:2"]);
    assert_eq!(places("\u{200B}{}"), ["1:1-1:2", "1:1-1:2"]);
    // A byte order mark at the start has no column.
    assert_eq!(places("\u{FEFF}{}"), [""; 0]);
    assert_eq!(places("\u{FEFF}\u{FEFF}{}"), ["1:1-1:2", "1:1-1:2"]);
    assert_eq!(places("{\"a\" é"), ["1:6-1:7", "1:1-1:2"]);
    assert_eq!(places("{\"a\": 1 é"), ["1:10-1:10", "1:1-1:2"]);
}

#[test]
fn places_behind_an_escape_are_places_of_the_file() {
    for text in [r#""\n${nope}""#, r#""\u00e9 \ud83d\ude00${nope}\t""#, r#""é\"${nope}\"""#] {
        let parsed = parse_json_expression(text, &ParseLimits::default());
        let found = hclvm_compiler::analysis::variables(&parsed.tree, parsed.root);
        assert_eq!(found.iter().map(|one| one.span().slice(text)).collect::<Vec<_>>(), ["nope"], "{text}");
    }
}

/// Returns the text from each problem of a template on.
fn broken<'t>(tree: &Tree, text: &'t str) -> Vec<&'t str> {
    let ids = (0..hclvm_vm::cast::length(tree.len())).map(NodeId);
    let problems = ids.filter(|id| matches!(tree.node(*id), Node::Problem(_)));
    problems.map(|id| &text[hclvm_vm::cast::index(tree.span(id).start)..]).collect()
}

#[test]
fn problems_behind_an_escape_are_at_places_of_the_file() {
    let text = r#""\u00e9\n%{ if \u00e9 } ${ 1 2 }""#;
    let parsed = parse_json_expression(text, &ParseLimits::default());
    assert_eq!(broken(&parsed.tree, text), ["2 }\"", "\""]);
}

#[test]
fn a_decoded_carriage_return_makes_the_rest_of_a_string_literal() {
    let parsed = parse_json_expression(r#""\r${1}""#, &ParseLimits::default());
    let Node::JsonString { template, .. } = parsed.tree.node(parsed.root) else { panic!("a string") };
    let Node::Template(parts) = parsed.tree.node(template) else { panic!("a template") };
    assert!(matches!(*parsed.tree.list(parts), [text] if matches!(parsed.tree.node(text), Node::Text(_))));
    let text = r#""%{ if true }\r%{ endif }""#;
    assert_eq!(broken(&parse_json_expression(text, &ParseLimits::default()).tree, text), ["\""]);
}

#[test]
fn a_byte_that_is_not_utf8_becomes_a_replacement_character() {
    let parsed = parse_json_expression(&decode(b"\"a\xFF${b}\\u001a\""), &ParseLimits::default());
    assert!(parsed.diagnostics.is_empty());
    let Node::JsonString { text, .. } = parsed.tree.node(parsed.root) else { panic!("a string") };
    assert_eq!(parsed.tree.text(text), "a\u{FFFD}${b}\u{1A}");
    let found = hclvm_compiler::analysis::variables(&parsed.tree, parsed.root);
    assert_eq!((found[0].span().start, found[0].span().end), (5, 6));
}
