//! How values of every kind are logged: as the JSON they are, and as nothing of it where they are masked.

use std::time::Duration;

use hclvm::Value;
use hclvm::value::{Arena, Entry, marks_from};
use hclvm_decision_log::{Builder, DecisionLog, Inputs, JsonLines, Origin};
use serde_json::json;

use crate::file::File;
use crate::rig::{Request, close, logged};

/// Values as they are logged, with all that JSON can say.
const VALUES: [&str; 22] = [
    "null",
    "true",
    "false",
    "0",
    "-1",
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
    "2.5",
    "-0.001",
    r#""""#,
    r#""a b""#,
    r#""\"""#,
    r#""a\\b""#,
    r#""\n\t\u0000\u001f""#,
    "\"\u{7f}\u{e9}\u{1f600}\"",
    "[]",
    "{}",
    r#"[null,false,true,-7,2.5,"a",[],{}]"#,
    r#"{"":1,"\n\"\\":[{"x":false}],"a":{"b":null,"c":"d"}}"#,
    "[[1],[[2]],[]]",
    r#"[{"a":1},{"a":2}]"#,
];

/// Returns the text of the inputs that are logged for a scope, and for JSON.
fn inputs(builder: Builder, request: &Request, json: Option<&str>) -> String {
    let file = File::default();
    let log = builder.start(JsonLines::new(file.clone())).expect("a thread");
    request.record_with(json.map_or((&request.scope).into(), Inputs::Json), &log, &mut request.session());
    assert_eq!(close(log).written, 1);
    let line = String::from_utf8(file.0.lock().expect("no panics").clone()).expect("text");
    let (_, inputs) = line.split_once(",\"inputs\":").expect("inputs");
    // What a request without an owner leaves open follows.
    let end = inputs.find(",\"open\":").unwrap_or(inputs.len());
    inputs[..end].trim_end_matches('\n').to_owned()
}

#[test]
fn values_are_logged_as_their_json() {
    for value in VALUES {
        let json = format!("{{\"user\":{value}}}");
        let request = Request::new(&json);
        for given in [None, Some(json.as_str())] {
            assert_eq!(inputs(DecisionLog::builder(), &request, given), json);
            // A mask of another part changes nothing.
            assert_eq!(inputs(DecisionLog::builder().mask("owner"), &request, given), json);
            assert_eq!(inputs(DecisionLog::builder().mask("user.none.of"), &request, given), json);
        }
    }
}

#[test]
fn nothing_of_a_masked_value_is_logged() {
    let masked = "{\"$masked\":true}";
    for value in VALUES {
        let builder = || DecisionLog::builder().mask("user.a").mask("list[1]");
        let with = |value: &str, element: &str| {
            format!("{{\"user\":{{\"a\":{value},\"b\":{element}}},\"list\":[{element},{value},{element}]}}")
        };
        let json = with(value, "-12");
        let request = Request::new(&json);
        assert_eq!(inputs(builder(), &request, None), with(masked, "-12"));
        assert_eq!(inputs(builder(), &request, Some(&json)), with(masked, "-12"));
        let json = with("7", value);
        let request = Request::new(&json);
        assert_eq!(inputs(builder(), &request, None), with(masked, value));
        assert_eq!(inputs(builder(), &request, Some(&json)), with(masked, value));
    }
}

#[test]
fn blanks_of_json_are_left_out_and_those_of_texts_are_not() {
    for value in VALUES {
        let spaced: String =
            value.split(',').map(|part| format!(" \t{part}\r\n")).collect::<Vec<_>>().join(",");
        // A comma within a text would be another text.
        let spaced = if value.contains('"') { format!("\n{value}\t ") } else { spaced };
        let json = format!(" {{ \"user\" :{spaced}, \"owner\":\"a  b\" }}\n");
        let request = Request::new(&json);
        let expected = format!("{{\"user\":{value},\"owner\":\"a  b\"}}");
        for mask in ["list", "user.none.of"] {
            assert_eq!(inputs(DecisionLog::builder().mask(mask), &request, Some(&json)), expected);
        }
        assert_eq!(inputs(DecisionLog::builder(), &request, Some(&json)), expected);
        let masked = inputs(DecisionLog::builder().mask("user"), &request, Some(&json));
        assert_eq!(masked, "{\"user\":{\"$masked\":true},\"owner\":\"a  b\"}");
    }
}

#[test]
fn unset_variables_are_left_out_and_unknown_and_marked_values_are_named() {
    let mut request = Request::new("{\"owner\":1}");
    request.scope.set_unknown("user");
    let arena = Arena::new();
    let secret = Value::str(&arena, "secret").with_marks(&arena, marks_from(&arena, &["sensitive"]));
    request
        .scope
        .set_value("list", Value::tuple(&arena, &[Value::TRUE, secret, Value::int(3)]))
        .expect("it fits");
    let line = inputs(DecisionLog::builder(), &request, None);
    let line: serde_json::Value = serde_json::from_str(&line).expect("JSON");
    let list = json!([true, {"$marked": ["sensitive"]}, 3]);
    assert_eq!(line, json!({"user": {"$unknown": "any"}, "owner": 1, "list": list}));
}

#[test]
fn values_that_are_too_deep_are_left_out_alone() {
    for (depth, is_logged) in [(511, true), (512, true), (513, false), (600, false)] {
        for is_object in [false, true] {
            let mut request = Request::new(r#"{"owner": "a"}"#);
            let arena = Arena::new();
            let mut value = Value::int(7);
            for _ in 0..depth {
                value = if is_object {
                    Value::object(&arena, arena.slice(&[Entry::new("a", value)]))
                } else {
                    Value::tuple(&arena, arena.slice(&[value]))
                };
            }
            request.scope.set_value("user", value).expect("it fits");
            let line = inputs(DecisionLog::builder(), &request, None);
            let (open, close) = if is_object { ("{\"a\":", "}") } else { ("[", "]") };
            let shown = format!("{}7{}", open.repeat(depth), close.repeat(depth));
            let user = if is_logged { shown } else { "{\"$omitted\":\"too large\"}".to_owned() };
            assert_eq!(line, format!("{{\"user\":{user},\"owner\":\"a\"}}"), "{depth}");
        }
    }
}

#[test]
fn an_entry_names_the_policy_and_the_time_that_it_took() {
    let file = File::default();
    let log = DecisionLog::builder().start(JsonLines::new(file.clone())).expect("a thread");
    let request = Request::new(r#"{"user": {"id": "a"}, "owner": "a"}"#);
    let mut session = request.session();
    let cases = [
        (1, "abc", Duration::ZERO, 0),
        (u64::MAX, "", Duration::from_secs(1), 1_000_000_000),
        (0, "a\"b\n", Duration::MAX, u64::MAX),
        (0, "a\"b\n", Duration::from_nanos(1), 1),
    ];
    for (epoch, document, elapsed, _) in cases {
        let decision = request.policy.decide(&mut session, &request.scope).expect("within the limits");
        log.record(&decision, &request.scope, &Origin { epoch, document: document.into() }, elapsed);
    }
    close(log);
    for (line, (epoch, document, _, nanoseconds)) in file.lines().iter().zip(cases) {
        assert_eq!((&line["epoch"], &line["document"]), (&epoch.into(), &document.into()));
        assert_eq!(line["nanoseconds"], nanoseconds);
    }
    assert_eq!(file.lines().len(), cases.len());
}

#[test]
fn names_that_need_escapes_are_logged_with_them() {
    let rules = "rule \"a\\\"b\\n\" {\n  when   = true\n  effect = \"allow\"\n  reason = \"\\t\\\\\"\n}\n";
    let line = logged(DecisionLog::builder(), &Request::of(rules, "{}"));
    assert_eq!((&line["rule"], &line["reason"]), (&"a\"b\n".into(), &"\t\\".into()));
}
