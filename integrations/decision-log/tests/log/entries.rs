//! What an entry says.

use hclvm_decision_log::{DecisionLog, JsonLines};
use serde_json::Value as Json;

use crate::file::File;
use crate::rig::{Request, close, logged};

#[test]
fn an_entry_tells_what_was_decided_and_for_what() {
    let mut line = logged(DecisionLog::builder(), &Request::new(r#"{"user": {"id": "a"}, "owner": "a"}"#));
    let time = line["unix_ms"].take().as_u64().expect("a time");
    let now = std::time::UNIX_EPOCH.elapsed().expect("a time").as_millis();
    assert!(time > 1_700_000_000_000 && u128::from(time) <= now, "{time}");
    let fuel = line["fuel"].take().as_u64().expect("a number");
    assert!((1..100).contains(&fuel), "{fuel}");
    let expected = r#"{"unix_ms": null, "epoch": 7, "document": "abc", "effect": "allow", "cause": "rule",
        "rule": "own", "reason": "owner \"a\"", "fuel": null, "nanoseconds": 1500,
        "inputs": {"user": {"id": "a"}, "owner": "a"}}"#;
    assert_eq!(line, serde_json::from_str::<Json>(expected).expect("JSON"));
    let line = logged(DecisionLog::builder(), &Request::new(r#"{"user": {"id": "a"}, "owner": "b"}"#));
    assert_eq!(
        (&line["effect"], &line["cause"], &line["rule"]),
        (&"deny".into(), &"no-rule".into(), &Json::Null)
    );
}

#[test]
fn samples_keep_what_is_undecided() {
    let file = File::default();
    let log = DecisionLog::builder().sample(10).start(JsonLines::new(file.clone())).expect("a thread");
    let decided = Request::new(r#"{"user": {"id": "a"}, "owner": "a"}"#);
    let failing = Request::new(r#"{"user": {}, "owner": "a"}"#);
    let mut session = decided.session();
    (0..30).for_each(|_| decided.record(&log, &mut session));
    let mut session = failing.session();
    (0..5).for_each(|_| failing.record(&log, &mut session));
    assert_eq!(close(log).written, 8);
    let causes: Vec<String> = file.lines().iter().map(|line| line["cause"].to_string()).collect();
    assert_eq!(causes.iter().filter(|cause| *cause == "\"rule\"").count(), 3);
    assert_eq!(causes.iter().filter(|cause| *cause == "\"undecided\"").count(), 5);
}
