//! The rules that a decision left open are named, without any value.

use hclvm_decision_log::DecisionLog;
use serde_json::{Value as Json, json};

use crate::rig::{Request, logged};

fn open(rules: &str, values: &str) -> Json {
    logged(DecisionLog::builder().mask("user.password"), &Request::of(rules, values))["open"].take()
}

const OWN: &str = "rule \"own\" {\n  when   = user.id == owner\n  effect = \"allow\"\n}\n";

#[test]
fn a_rule_that_failed_is_named_with_its_errors() {
    let rules = format!("rule \"pin\" {{\n  when   = user.password + 1 > 3\n  effect = \"deny\"\n}}\n{OWN}");
    let line = open(&rules, r#"{"user": {"id": "ann", "password": "hunter2"}, "owner": "ann"}"#);
    let error = json!({"at": "x.hcl:2:12-2:25", "error": "invalid-operand"});
    assert_eq!(line, json!({"rules": [{"rule": "pin", "is": "failed"}], "errors": [error]}));
}

#[test]
fn every_open_rule_is_named() {
    let rules = "rule \"a\" {\n  when = user.x\n  effect = \"allow\"\n}\n\
        rule \"b\" {\n  when = list == 1\n  effect = \"allow\"\n}\n\
        rule {\n  when = owner.y\n  effect = \"allow\"\n}\n";
    let mut request = Request::of(rules, r#"{"user": {}, "owner": {}}"#);
    request.scope.set_unknown("list");
    let line = &logged(DecisionLog::builder(), &request);
    assert_eq!(line["cause"], "undecided");
    let rules = json!([{"rule": "a", "is": "failed"}, {"rule": null, "is": "failed"}, {"rule": "b", "is": "unknown"}]);
    assert_eq!(line["open"]["rules"], rules, "{line}");
    assert_eq!(line["open"]["errors"].as_array().map(Vec::len), Some(2), "{line}");
}

#[test]
fn failed_rules_of_decisions_that_they_do_not_change_are_named() {
    let rules = format!("rule \"old\" {{\n  when   = user.groups[0] == 1\n  effect = \"allow\"\n}}\n{OWN}");
    let request = Request::of(&rules, r#"{"user": {"id": "ann"}, "owner": "ann"}"#);
    let line = logged(DecisionLog::builder(), &request);
    assert_eq!((&line["cause"], &line["rule"]), (&"rule".into(), &"own".into()));
    assert_eq!(line["open"]["rules"], json!([{"rule": "old", "is": "failed"}]), "{line}");
}

#[test]
fn an_applying_rule_without_an_effect_is_named() {
    let rules = "rule \"odd\" {\n  when = true\n  effect = user.effect\n}\n";
    let line = logged(DecisionLog::builder(), &Request::of(rules, r#"{"user": {"effect": null}}"#));
    assert_eq!(line["cause"], "undecided");
    assert_eq!(line["open"]["rules"][0]["rule"], "odd", "{line}");
}

#[test]
fn nothing_is_open_in_other_decisions() {
    for (owner, cause) in [("ann", "rule"), ("bob", "no-rule")] {
        let values = format!(r#"{{"user": {{"id": "ann"}}, "owner": "{owner}"}}"#);
        let line = logged(DecisionLog::builder(), &Request::of(OWN, &values));
        assert_eq!((line["cause"].as_str(), line.get("open")), (Some(cause), None));
    }
}

#[test]
fn an_entry_does_not_keep_what_another_one_left_open() {
    use hclvm_decision_log::JsonLines;

    let file = crate::file::File::default();
    let log = DecisionLog::builder().start(JsonLines::new(file.clone())).expect("a thread");
    let (failing, other) =
        (Request::of(OWN, "{}"), Request::of(OWN, r#"{"user": {"id": "a"}, "owner": "a"}"#));
    for request in [&other, &failing, &other] {
        request.record(&log, &mut request.session());
    }
    assert_eq!(crate::rig::close(log).written, 3);
    let open: Vec<bool> = file.lines().iter().map(|line| line.get("open").is_some()).collect();
    assert_eq!(open, [false, true, false]);
}

#[test]
fn long_lists_are_cut_off() {
    let rule = |at: u32| format!("rule \"r{at}\" {{\n  when = user.a{at}\n  effect = \"allow\"\n}}\n");
    let rules: Vec<String> = (0..40).map(rule).collect();
    let line = open(&rules.concat(), r#"{"user": {}}"#);
    assert_eq!(line["rules"].as_array().map(Vec::len), Some(16));
    assert_eq!((&line["rules"][15]["rule"], &line["more_rules"]), (&"r15".into(), &24.into()));
    assert_eq!((line["errors"].as_array().map(Vec::len), &line["more_errors"]), (Some(16), &24.into()));
}

#[test]
fn an_unknown_rule_has_no_errors() {
    let mut request = Request::of(OWN, r#"{"owner": "ann"}"#);
    request.scope.set_unknown("user");
    let line = &logged(DecisionLog::builder(), &request);
    assert_eq!(line["open"], json!({"rules": [{"rule": "own", "is": "unknown"}]}), "{line}");
}

#[test]
fn unknown_rules_of_decisions_that_they_do_not_change_are_named() {
    let rules = format!("rule \"later\" {{\n  when   = list == 1\n  effect = \"allow\"\n}}\n{OWN}");
    let mut request = Request::of(&rules, r#"{"user": {"id": "ann"}, "owner": "ann"}"#);
    request.scope.set_unknown("list");
    let line = &logged(DecisionLog::builder(), &request);
    assert_eq!((&line["cause"], &line["rule"]), (&"rule".into(), &"own".into()), "{line}");
    assert_eq!(line["open"], json!({"rules": [{"rule": "later", "is": "unknown"}]}), "{line}");
}

#[test]
fn a_rule_that_applies_behind_an_unknown_one_is_not_open() {
    let rules = format!("rule \"later\" {{\n  when   = list == 1\n  effect = \"deny\"\n}}\n{OWN}");
    let mut request = Request::of(&rules, r#"{"user": {"id": "ann"}, "owner": "ann"}"#);
    request.scope.set_unknown("list");
    let line = &logged(DecisionLog::builder(), &request);
    assert_eq!(line["cause"], "undecided");
    assert_eq!(line["open"], json!({"rules": [{"rule": "later", "is": "unknown"}]}), "{line}");
}

#[test]
fn a_rule_whose_reason_failed_is_named() {
    let rules = "rule \"own\" {\n  when   = true\n  effect = \"allow\"\n  reason = user.name\n}\n";
    let line = &logged(DecisionLog::builder(), &Request::of(rules, r#"{"user": {"id": "ann"}}"#));
    assert_eq!((&line["rule"], &line["reason"]), (&"own".into(), &Json::Null), "{line}");
    let error = json!({"at": "x.hcl:4:16-4:21", "error": "unknown-attribute"});
    assert_eq!(line["open"], json!({"rules": [{"rule": "own", "is": "failed"}], "errors": [error]}));
}

#[test]
fn errors_of_a_policy_in_several_files_name_their_file() {
    use hclvm::policy::PolicySpec;

    let files =
        [("a.hcl", OWN), ("b.hcl", "\nrule \"pin\" {\n  when   = user.pin == 1\n  effect = \"deny\"\n}\n")];
    let files = files.map(|(name, text)| (name, text.as_bytes()));
    let (document, _) = hclvm::Engine::standard().parse_files("conf", files);
    let module = document.expect("HCL").module().expect("a module");
    let policy = module.policy(&PolicySpec::default()).expect("a policy");
    let mut scope = module.scope();
    scope.set_all_json(r#"{"user": {"id": 1}, "owner": 2}"#).expect("JSON");
    let line = logged(DecisionLog::builder(), &Request { module, policy, scope });
    assert_eq!(line["open"]["errors"][0]["at"], "b.hcl:3:16-3:20", "{line}");
}

#[test]
fn lists_that_just_fit_are_whole() {
    let rule = |at: u32| format!("rule \"r{at}\" {{\n  when = user.a{at}\n  effect = \"allow\"\n}}\n");
    for (count, more) in [(15, None), (16, None), (17, Some(1))] {
        let rules: Vec<String> = (0..count).map(rule).collect();
        let line = open(&rules.concat(), r#"{"user": {}}"#);
        for (list, others) in [("rules", "more_rules"), ("errors", "more_errors")] {
            assert_eq!(line[list].as_array().map(Vec::len), Some(count.min(16) as usize));
            assert_eq!(line.get(others).and_then(Json::as_u64), more, "{count} {list}");
        }
    }
}
