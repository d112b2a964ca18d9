//! What is left out of inputs.

use hclvm::value::{Arena, Entry, convert, marks_from};
use hclvm::{Type, Value};
use hclvm_decision_log::{DecisionLog, Explain, Inputs, JsonLines};
use serde_json::json;

use crate::file::File;
use crate::random::Random;
use crate::rig::{Request, close, logged, logged_json};

#[test]
fn masked_and_marked_values_are_left_out() {
    let mut request = Request::new(
        r#"{"user": {"id": "a", "password": "secret-1", "mail": [{"to": "secret-2", "at": 1}, {"to": "secret-3"}]},
            "owner": "b"}"#,
    );
    let arena = Arena::new();
    let marked = hclvm::Value::str(&arena, "secret-4").with_marks(&arena, marks_from(&arena, &["sensitive"]));
    request.scope.set_value("list", marked).expect("it fits");
    let builder = DecisionLog::builder().mask("user.password").mask("user.mail.*.to").mask("nothing.here");
    let line = logged(builder, &request);
    let masked = json!({"$masked": true});
    let expected = json!({
        "user": {"id": "a", "password": masked, "mail": [{"to": masked, "at": 1}, {"to": masked}]},
        "owner": "b",
        "list": {"$marked": ["sensitive"]},
    });
    assert_eq!(line["inputs"], expected);
    let line = logged(DecisionLog::builder().mask("user"), &request);
    assert!(!line.to_string().contains("secret"), "{line}");
    assert_eq!(line["inputs"]["user"], masked);
}

#[test]
fn inputs_that_are_json_are_logged_like_their_values() {
    let texts = [
        "{}",
        r#" { "user" : { "id" : "a\\" , "password" : "\" secret" } , "owner" : "[ \u00e9 \\\" { " } "#,
        "{\n\"user\": {\"id\": [1, -2.5, 12345678901234567890123],\n\"mail\": [{\"to\": \"secret\"}, 1, [], {}]}}\r\n",
        r#"{"user": {"password": "secret", "password": {"secret": 1}, "id": null}, "list": [true, [[]]]}"#,
        r#"{"user": "none", "list": {"": {"b": 1, "a": 2}}}"#,
        "\u{feff}{\"user\": {\"password\": \"secret\", \"id\": 1}}",
    ];
    let masks: [&[&str]; 4] = [&[], &["user"], &["user.password", "user.mail.*.to"], &["*.*", "list.x.y"]];
    for text in texts {
        for masks in masks {
            let builder = || masks.iter().fold(DecisionLog::builder(), |builder, mask| builder.mask(mask));
            let request = Request::new(text);
            let values = logged(builder(), &request);
            let file = File::default();
            let log = builder().start(JsonLines::new(file.clone())).expect("a thread");
            request.record_with(Inputs::Json(text), &log, &mut request.session());
            assert_eq!(close(log).written, 1);
            let line = file.lines().remove(0);
            if masks.is_empty() && text.contains("12345678901234567890123") {
                let text = file.0.lock().expect("no panics").clone();
                let text = String::from_utf8(text).expect("text");
                assert!(text.contains("[1,-2.5,12345678901234567890123]"), "{text}");
            }
            assert_eq!(line["inputs"], values["inputs"], "{text} {masks:?}");
            assert!(masks.is_empty() || !line.to_string().contains("secret"), "{line}");
        }
    }
}

#[test]
fn inputs_that_are_no_json_object_are_left_out() {
    let request = Request::new("{}");
    let file = File::default();
    let log = DecisionLog::builder().mask("a.b").start(JsonLines::new(file.clone())).expect("a thread");
    for text in ["", "{", "[1]", "\"a\"", "{\"a\": \n}", "{} {}", &"{\"a\":".repeat(100_000)] {
        request.record_with(Inputs::Json(text), &log, &mut request.session());
    }
    assert_eq!(close(log).written, 7);
    for line in file.lines() {
        assert_eq!(line["inputs"], json!({"$omitted": "not a JSON object"}));
    }
}

/// Requires that a value at a path of JSON is left out and what is beside it is not, with the scope and with JSON.
fn assert_hides(mask: &str, json: &str) {
    let request = Request::new(json);
    let builder = || DecisionLog::builder().mask(mask);
    for line in [logged(builder(), &request), logged_json(builder(), &request, json)] {
        let line = line["inputs"].to_string();
        assert!(!line.contains("secret"), "{mask} {json}: {line}");
        assert_eq!(line.matches("kept").count(), json.matches("kept").count(), "{mask} {json}: {line}");
    }
}

#[test]
fn names_are_masked_in_every_spelling() {
    for (mask, name) in [
        ("password", "pass\\u0077ord"),
        ("apiKey", "api\\u212Aey"),
        ("apiKey", "api\u{212a}ey"),
        ("api\u{212a}ey", "apiKey"),
        ("caf\u{e9}", "cafe\u{301}"),
        ("cafe\u{301}", "caf\u{e9}"),
        ("cafe\u{301}", "cafe\\u0301"),
        ("\u{c5}", "\u{212b}"),
        ("\u{3a9}hm", "\u{2126}hm"),
        ("a;b", "a\u{37e}b"),
        ("a`b", "a\\u1FEFb"),
        ("\u{ac01}", "\u{1100}\u{1161}\u{11a8}"),
        ("\u{1100}\u{1161}\u{11a8}", "\u{ac01}"),
        ("authorization", "Authorization"),
        ("X-API-Key", "x-api-key"),
        ("stra\u{df}e", "STRASSE"),
        ("\u{3c3}", "\u{3a3}"),
        ("\u{3c2}", "\u{3a3}"),
        ("\u{3b0}", "\u{3ab}\u{301}"),
    ] {
        let json = format!(
            r#"{{"user": {{"{name}": "secret", "id": "kept", "{name}x": "kept"}}, "owner": "kept"}}"#
        );
        assert_hides(&format!("user.{mask}"), &json);
        assert_hides(&format!("*[\"{mask}\"]"), &json);
        let inner = format!(r#"{{"user": {{"{name}": {{"a": "secret", "id": "kept"}}}}, "owner": "kept"}}"#);
        assert_hides(&format!("user.{mask}.a"), &inner);
    }
}

#[test]
fn all_members_with_a_masked_name_are_masked() {
    let json = r#"{"user": {"p": "secret", "P": "secret", "\u0070": {"x": "secret"}, "p": ["secret"]}, "owner": "kept"}"#;
    assert_hides("user.p", json);
}

#[test]
fn a_line_has_no_halves_of_surrogate_pairs() {
    let json = r#"{"user": {"\ud800": "secret", "\\ud800": "kept", "\ud83d\ude00": "\uD83D\uDE00\udc00\ud800\u0041", "id": "\ud800"}}"#;
    let line = logged_json(DecisionLog::builder().mask("user[\"\u{fffd}\"]"), &Request::new("{}"), json);
    let masked = json!({"$masked": true});
    let expected = json!({"\u{fffd}": masked, "\\ud800": "kept", "\u{1f600}": "\u{1f600}\u{fffd}\u{fffd}A", "id": "\u{fffd}"});
    assert_eq!(line["inputs"]["user"], expected);
}

#[test]
fn escapes_are_logged_as_they_are_unless_they_are_half_of_a_pair() {
    const PARTS: [&str; 13] = [
        r"\ud83d", r"\uDE00", r"\ud800", r"\udbff", r"\udc00", r"\udfff", r"\ud7ff", r"\ue000", r"\u0041",
        r"\\", r"\n", "u", "\u{e9}",
    ];
    let request = Request::new("{}");
    for seed in 0..150 {
        let random = &mut Random(seed);
        let text: String = (0..random.below(7)).map(|_| random.of(&PARTS)).collect();
        // A reader of UTF-16, in which the text is its parts.
        let mut units = Vec::new();
        let mut rest = text.as_str();
        while let Some(first) = rest.chars().next() {
            let length = match rest.get(..2) {
                Some("\\u") => {
                    units.push(u16::from_str_radix(&rest[2..6], 16).expect("four digits"));
                    6
                }
                Some(r"\\") => {
                    units.push(u16::from(b'\\'));
                    2
                }
                Some(r"\n") => {
                    units.push(u16::from(b'\n'));
                    2
                }
                _ => {
                    units.extend(first.encode_utf16(&mut [0; 2]).iter());
                    first.len_utf8()
                }
            };
            rest = &rest[length..];
        }
        let decoded: String = char::decode_utf16(units).map(|unit| unit.unwrap_or('\u{fffd}')).collect();
        let json = format!("{{\"user\":[\"{text}\",\"{text}\"]}}");
        let line = logged_json(DecisionLog::builder(), &request, &json);
        assert_eq!(line["inputs"]["user"], json!([decoded, decoded]), "{text}");
    }
}

#[test]
fn paths_of_several_forms_lead_to_a_value() {
    let json = r#"{"user": {"labels": {"app.io/token": "secret", "app.io": "kept", "app": {"io": "kept"}},
        "list": ["kept", "kept"]}, "owner": "kept"}"#;
    for mask in [
        r#"user.labels["app.io/token"]"#,
        r#"user["labels"]["app.io/token"]"#,
        r#"user.labels."app.io/token""#,
        r#"*.*["APP.IO/TOKEN"]"#,
        "user.labels.app.io/token",
        "user.*.app.io/token",
    ] {
        assert_hides(mask, json);
    }
    let json = r#"{"user": {"list": ["kept", {"v": "secret", "k": "kept"}, "kept"]}, "owner": "kept"}"#;
    for mask in ["user.list[1].v", "user.list.1.v", "user.list[*].v", "user.*[1].v", "*.*.*.v"] {
        assert_hides(mask, json);
    }
    // Names that the producer of the JSON flattened.
    let json = r#"{"user": {"http.header.cookie": "secret", "http.method": "kept", "http": "kept"}, "owner": "kept"}"#;
    for mask in ["user.http.header.cookie", "user.http.header.*", "user.*.header.*", "user.http.*.cookie"] {
        assert_hides(mask, json);
    }
    let json = r#"{"user": {"a.b": {"c": "secret", "b": "kept"}, "a": {"b": {"c": "secret", "d": "kept"}}}}"#;
    assert_hides("user.a.b.c", json);
}

#[test]
fn a_mask_hides_what_is_at_its_path_and_nothing_else() {
    let json = r#"{"user": {"password": "kept", "a": {"bc": "kept", "b": "kept"}, "a.b.d": "kept", "ab": "kept",
        "": "kept", ".": "kept", "list": ["kept", ["kept"], {"0": "kept"}]}, "owner": "kept"}"#;
    for mask in [
        "user.pass",
        "user.a.b.c",
        "user.b",
        "owner.x",
        "user.list[3]",
        "user.list[1][1]",
        "password",
        "user.password.x",
    ] {
        assert_hides(mask, json);
    }
}

#[test]
fn the_order_of_masks_does_not_matter() {
    let json = r#"{"user": {"password": "secret", "id": "secret"}, "owner": "kept"}"#;
    let request = Request::new(json);
    for masks in
        [["user", "user.password"], ["user.password", "user"], ["*.password", "user"], ["user", "*.*"]]
    {
        let builder = || masks.iter().fold(DecisionLog::builder(), |builder, mask| builder.mask(mask));
        for line in [logged(builder(), &request), logged_json(builder(), &request, json)] {
            assert_eq!(line["inputs"], json!({"user": {"$masked": true}, "owner": line["inputs"]["owner"]}));
        }
    }
}

#[test]
fn explanations_hide_every_spelling_of_a_name() {
    let rules = "rule \"a\" {\n  when = user.caf\u{e9} == \"x\" || user.PIN == 1 || list[\"a.b\"] == 2\n  effect = \"deny\"\n}\n";
    let json = "{\"user\": {\"cafe\u{301}\": \"y\", \"PIN\": 1}, \"list\": {\"a.b\": 3}}";
    let request = Request::of(rules, json);
    let builder = DecisionLog::builder().explain(Explain::Conditions);
    let line = logged(builder.mask("user.cafe\u{301}").mask("user.pin").mask("list.a.b"), &request);
    assert_eq!(line["why"]["rules"][0]["is"], "sensitive", "{line}");
    assert!(!line["why"].to_string().contains("\"false\""), "{line}");
}

#[test]
fn parts_of_all_collections_are_hidden_from_explanations() {
    let rules = "rule \"a\" {\n  when = contains(list[*].p, \"other\")\n  effect = \"deny\"\n}\n\
        rule \"b\" {\n  when = contains(list[*].k, \"other\")\n  effect = \"deny\"\n}\n";
    let arena = Arena::new();
    let entries =
        [Entry::new("k", Value::str(&arena, "kept")), Entry::new("p", Value::str(&arena, "secret"))];
    let (object, map) = (Value::object(&arena, &entries), Value::map(&arena, &entries, Type::String));
    let (objects, maps) = ([object], [map]);
    let element = Type::Map(&Type::String);
    for (value, is_set) in [
        (Value::tuple(&arena, &objects), false),
        (Value::tuple(&arena, &maps), false),
        (Value::list(&arena, &maps, element), false),
        (convert(&arena, Value::list(&arena, &maps, element), Type::Set(&element)).expect("a set"), true),
    ] {
        for mask in ["list.*.p", "list[0].P"] {
            let mut request = Request::of(rules, "{}");
            request.scope.set_value("list", value).expect("it fits");
            let line = logged(DecisionLog::builder().explain(Explain::Conditions).mask(mask), &request);
            let is = [0, 1].map(|rule| line["why"]["rules"][rule]["is"].as_str().unwrap_or_default());
            // The elements of a set have no order that would be theirs.
            assert_eq!(
                is,
                ["sensitive", if is_set { "sensitive" } else { "false" }],
                "{value} {mask}: {line}"
            );
            assert!(!line["inputs"].to_string().contains("secret"), "{line}");
        }
    }
}

#[test]
fn masks_that_match_nothing_are_refused() {
    for (mask, why) in [
        ("", "a name is empty; name a variable"),
        ("user..password", "a name is empty"),
        (".user", "a name is empty"),
        ("user.", "a name is empty"),
        ("user[]", "a name is empty"),
        ("user[\"a]", "missing its closing quote"),
        ("user[\"a\"", "`]`"),
        ("user[0", "`]`"),
        ("user[0]x", "expected a dot or `[`"),
        ("user]", "expected a dot or `[`"),
        (
            "user.pass*",
            "`*` matches a whole name, not a part of one; if `pass*` is a name, write it as [\"pass*\"]",
        ),
        ("user.**", "`*` matches a whole name"),
        ("user. password", "blanks around it"),
        ("user.pa\"ss", "a quotation mark is not a part of a name"),
        (
            "/user/password",
            "a path begins with the name of a variable, and names are separated by dots; if `/user/password` is a \
             name, write it as \"/user/password\"",
        ),
        ("$.user", "a path begins with the name of a variable"),
        ("user.a* b", "`*` matches a whole name"),
        ("user.x\"y\".z", "a quotation mark is not a part of a name"),
        ("user[0", "write a name with dots or brackets as [\"a.b\"], and the first one as \"a.b\""),
        (" user", "a name has blanks around it; if ` user` is a name, write it as \" user\""),
    ] {
        let started =
            DecisionLog::builder().mask("user").mask(mask).mask("").start(JsonLines::new(Vec::new()));
        let error = started.expect_err(mask);
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput);
        let error = error.to_string();
        assert!(error.starts_with(&format!("the mask `{mask}` matches nothing: ")), "{error}");
        assert!(error.contains(why), "{mask}: {error}");
    }
    for mask in [
        "user[\"pass*\"]",
        "user[\" a\"]",
        "\"/user\"",
        "user[\"\"]",
        "user.first name",
        "*",
        "user.*",
        "user./a",
        "user.$a",
    ] {
        let started = DecisionLog::builder().mask(mask).start(JsonLines::new(Vec::new()));
        assert!(started.is_ok(), "{mask}: {started:?}");
    }
}
